package drive

import (
	"slices"
	"time"

	"heddle/rt/sched"
	"heddle/rt/wire"
	"heddle/trace"
)

// exploration is the state of one test's exploration.
type exploration struct {
	*executor
	seen        map[string]*wire.Finding // by key
	found       int
	start       time.Time
	deadline    time.Time
	visible     []trace.Site // sites found to race: scheduling points from then on
	progress    time.Time
	bounded     int // executions that reached the step bound
	timers      bool
	choices     bool
	discards    int
	outsideTold bool         // that goroutines outside control take part was said
	nondet      bool         // the same schedule gave two different executions
	firstRun    *trace.Trace // of the first execution
}

// samplePolicies are the policies that the strategy "sample" takes in turn,
// after the non-preemptive one.
var samplePolicies = []string{"pos", "pct", "random"}

// afterFinding is how much longer a test is explored once something was found:
// that many times what it took so far, and at least moreAfter.
const (
	afterFinding = 2
	moreAfter    = 200 * time.Millisecond
)

// explore executes one test until the budget ends, and reports.
func (d *driver) explore(t *Test) {
	e := &exploration{executor: newExecutor(d, t), seen: make(map[string]*wire.Finding), start: time.Now()}
	e.progress = e.start
	if d.cfg.Budget > 0 {
		e.deadline = e.start.Add(time.Duration(d.cfg.Budget))
	}
	d.send(&wire.Record{Type: "begin", Test: t.Name})
	for _, s := range d.cfg.VisibleAt {
		e.visible = append(e.visible, trace.Site(s))
	}
	sched.S.SetVisible(e.visible)
	sched.S.ForgetDeadlocks()
	for i := range d.cfg.Clips {
		if d.cfg.Clips[i].Test == t.Name {
			e.tryClip(&d.cfg.Clips[i])
		}
	}
	result, complete, reason := e.sample()
	d.send(&wire.Record{
		Type: "end", Test: t.Name, Executions: e.n, Elapsed: time.Since(e.start).Seconds(), Strategy: d.cfg.Strategy,
		Complete: complete, Result: result, Reason: reason,
	})
}

// sample is the strategy "sample": the non-preemptive schedule twice, then the
// policies in turn with fresh seeds.
func (e *exploration) sample() (result string, complete bool, reason string) {
	result = "pass"
	fixed := e.d.cfg.Strategy
	if fixed == "sample" || fixed == "auto" {
		fixed = ""
	}
	for i := 0; ; i++ {
		s := e.schedule(i, fixed)
		if i > 1 && e.stop(i) || i == 1 && e.heavy() {
			break
		}
		t := e.run(s)
		if i == 0 {
			e.firstRun = e.lastTrace(t)
			if e.outcome.Skipped {
				result = "skip"
			}
			e.d.send(&wire.Record{Type: "output", Test: e.t.Name, Text: string(e.outcome.Output)})
		}
		if i == 1 && s.Seed == 0 && e.found == 0 {
			e.compare(e.firstRun, t)
		}
		if i == 1 && !e.nondet && !e.choices && len(t.Goroutines) <= 2 && e.found == 0 {
			return result, false, "no concurrency"
		}
		e.tell()
	}
	if e.found > 0 {
		result = "fail"
	}
	switch {
	case e.bounded > 0:
		reason = "step bound reached"
	case e.outsideTold:
		reason = "sampled; partly uncontrolled"
	case e.nondet:
		reason = "sampled; not deterministic"
	default:
		reason = "sampled"
	}
	return result, false, reason
}

// lastTrace keeps a trace when minimising has not overwritten it.
func (e *exploration) lastTrace(t *trace.Trace) *trace.Trace {
	if e.found > 0 {
		return nil
	}
	return t.Clone()
}

// schedule returns the i-th schedule of the strategy.
func (e *exploration) schedule(i int, fixed string) *trace.Schedule {
	s := &trace.Schedule{Policy: "first", Depth: e.d.cfg.Depth}
	if i < 2 && fixed == "" || fixed == "first" {
		return s
	}
	s.Policy = fixed
	if fixed == "" {
		s.Policy = samplePolicies[i%len(samplePolicies)]
	}
	s.Seed = mix(e.d.cfg.Seed, uint64(i))
	switch e.d.cfg.Time {
	case "free":
		s.Free = true
	case "virtual":
	default:
		s.Free = e.timers && i%4 == 3
	}
	return s
}

// mix makes the seed of one execution; it is never 0.
func mix(base, i uint64) uint64 {
	z := base*0x9e3779b97f4a7c15 + i*0xbf58476d1ce4e5b9
	z = (z ^ z>>30) * 0x94d049bb133111eb
	return (z ^ z>>31) | 1
}

// stop reports whether the exploration ends before its i-th execution.
func (e *exploration) stop(i int) bool {
	if e.d.cfg.Runs > 0 && i >= e.d.cfg.Runs {
		return true
	}
	if e.found > 0 && e.d.cfg.FailFast {
		return true
	}
	if i%8 != 0 && e.n > 64 {
		return false
	}
	return !e.deadline.IsZero() && time.Now().After(e.deadline)
}

// heavy reports whether the first execution alone took a multiple of the
// budget: a second one would tell little for its price.
func (e *exploration) heavy() bool {
	return !e.deadline.IsZero() && time.Since(e.start) > 3*e.deadline.Sub(e.start)
}

// run executes one schedule and looks at what it left behind.
func (e *exploration) run(s *trace.Schedule) *trace.Trace {
	t, err := e.Execute(nil2ctx(), s)
	if err != nil {
		fatal("%v", err)
	}
	var steps []trace.Step
	var first *trace.Trace
	if e.d.cfg.CheckDeterminism && !e.nondet && sched.S.Deadlock() == nil { // a known deadlock ends the execution sooner
		first = t.Clone()
		steps = first.Steps
	}
	e.look(t, s, "")
	if first != nil {
		// The same choices again, whatever the policy has learnt meanwhile.
		again := *s
		again.Steps = steps
		if t2, err := e.Execute(nil2ctx(), &again); err == nil {
			e.compare(first, t2)
		}
		return first
	}
	return t
}

// look reports the findings of the execution just made.
func (e *exploration) look(t *trace.Trace, s *trace.Schedule, fromClip string) {
	for i := range t.Steps {
		if t.Steps[i].Op == trace.OpChoose {
			e.choices = true
			break
		}
	}
	e.timers = e.timers || sched.S.UsedTimers()
	if t.Verdict == trace.Bounded {
		e.bounded++
	}
	fs := e.findings(t, s)
	var fresh []*wire.Finding
	cloned := false
	for _, f := range fs {
		if e.seen[f.key] == nil {
			if !cloned {
				cloned = true
				t = t.Clone() // minimising executes more, and t is overwritten
			}
			e.seen[f.key] = f.Finding
			if e.keep(f, t, s, fromClip) {
				fresh = append(fresh, f.Finding)
			}
		}
	}
	if len(fresh) == 0 {
		return
	}
	if e.found == 0 && !e.deadline.IsZero() {
		if d := time.Now().Add(max(moreAfter, afterFinding*time.Since(e.start))); d.Before(e.deadline) {
			e.deadline = d
		}
	}
	e.found += len(fresh)
	e.raceSites(fresh)
}

// raceSites makes the accesses of new races visible from now on.
func (e *exploration) raceSites(fs []*wire.Finding) {
	if e.executor.visible != sched.VisibleAuto {
		return
	}
	n := len(e.visible)
	for _, f := range fs {
		if f.Kind != "data race" {
			continue
		}
		for _, p := range f.Places {
			if x := trace.Site(p.Site); p.Site != 0 && x.PC() == 0 && !slices.Contains(e.visible, x) {
				e.visible = append(e.visible, x)
			}
		}
	}
	if len(e.visible) > n {
		sched.S.SetVisible(e.visible)
	}
}

// tell sends progress a few times a second.
func (e *exploration) tell() {
	if e.n%16 != 0 {
		return
	}
	if now := time.Now(); now.Sub(e.progress) > 200*time.Millisecond {
		e.progress = now
		e.d.send(&wire.Record{Type: "progress", Test: e.t.Name, Executions: e.n, Elapsed: now.Sub(e.start).Seconds()})
	}
}
