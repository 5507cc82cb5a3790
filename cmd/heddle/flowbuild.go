package main

import (
	"context"
	"slices"

	"heddle/build"
	"heddle/explore"
	"heddle/rt/wire"
)

// The default strategy has an arm that asks what branches depend on, which takes a build for data
// flow. It is made beside the exploration of a package, once a test of it is shared; then one of
// the worker processes is of that build. What it finds fits the ordinary one.

// A flowBuild is a package's build for data flow.
type flowBuild struct {
	stop context.CancelFunc
	done chan struct{}
	pool *workers // of such processes, once done is closed; nil: there is none
}

// flowWorth is how many times as long as the ordinary build the exploration of a test must have to
// go on.
const flowWorth = 2

// forFlow begins the build, if it pays for what was given away of a test.
func (r *packageRun) forFlow(ctx context.Context, test string, s *wire.Share) {
	left := seconds(float64(r.configOf(test).Budget)/1e9) - seconds(s.Elapsed)
	if r.flow != nil || s.State == nil || r.o.unit.Needs.Flow != explore.FlowBeside || !r.o.dataFlow ||
		r.o.parallel < 2 || left < flowWorth*r.built {
		return
	}
	ctx, stop := context.WithCancel(ctx)
	f := &flowBuild{stop: stop, done: make(chan struct{})}
	r.flow = f
	go func() {
		defer close(f.done)
		f.pool = r.buildForFlow(ctx)
	}()
}

// buildForFlow returns nil where the package cannot be built so that its schedules fit.
func (r *packageRun) buildForFlow(ctx context.Context) *workers {
	b, res := r.buildAnew(ctx, build.Config{Flow: true, Lean: true})
	if res == nil ||
		slices.ContainsFunc(res.Left, func(l string) bool { return !slices.Contains(r.left, l) }) {
		return nil
	}
	pool := newWorkers(r.idle.ctx)
	pool.adapt = func(p *process) {
		p.path, p.unlink, p.config.ForFlow = res.Packages[0].Binary, b.Unlink, true
	}
	return pool
}

// buildAnew builds the package in another way; res is nil where that cannot be.
func (r *packageRun) buildAnew(ctx context.Context, c build.Config) (b *build.Builder, res *build.Result) {
	c.Dir, c.Patterns, c.Tags = r.tool.Dir, []string{r.pkg.ImportPath}, r.o.tags
	b, err := build.Open(ctx, c)
	if err != nil {
		return nil, nil
	}
	r.tool.atEnd(b.Close)
	res, err = b.Build(ctx)
	if err != nil || len(res.Packages) != 1 || res.Packages[0].Binary == "" {
		return b, nil
	}
	return b, res
}

// ready returns the processes of the build if it is made by now.
func (f *flowBuild) ready() *workers {
	if f == nil {
		return nil
	}
	select {
	case <-f.done:
		return f.pool
	default:
		return nil
	}
}

// close ends the build, and its processes.
func (f *flowBuild) close() {
	if f == nil {
		return
	}
	f.stop()
	<-f.done
	if f.pool != nil {
		f.pool.close()
	}
}
