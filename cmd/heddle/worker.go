package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"heddle/cluster"
	"heddle/rt/wire"
)

// natsFlags say how to come to NATS.
func (o *options) natsFlags(fs *flag.FlagSet) {
	fs.StringVar(&o.nats.URL, "nats", "", "`URL` of a NATS server with JetStream, several with commas between; or host:port for a server of heddle's own, on this machine alone if host is left out")
	fs.StringVar(&o.nats.Creds, "nats-creds", "", "`file` of a NATS user's credentials")
	fs.StringVar(&o.nats.Token, "nats-token", os.Getenv("HEDDLE_NATS_TOKEN"),
		"`token` for the server; from HEDDLE_NATS_TOKEN if not given")
	fs.StringVar(&o.nats.CA, "nats-ca", "", "`file` of the certificates that vouch for the server")
	fs.StringVar(&o.nats.Cert, "nats-cert", "", "`file` of a certificate of one's own")
	fs.StringVar(&o.nats.Key, "nats-key", "", "`file` of its key")
	durationVar(fs, &o.nats.Lease, "nats-lease", 10*time.Second,
		"give what a worker has to others when it was not heard of for `d`")
}

// workerFlags are those of heddle worker.
func (o *options) workerFlags(fs *flag.FlagSet) {
	fs.Var(&o.trust, "trust", "`invitation` of a coordinator whose binaries are run, as heddle test -nats prints it; may come several times")
	fs.IntVar(&o.parallel, "p", runtime.GOMAXPROCS(0), "run `n` test binaries at the same time")
}

// invitations is the value of -trust.
type invitations []cluster.Invitation

func (k *invitations) String() string { return "" }

func (k *invitations) Set(s string) error {
	for _, text := range strings.Split(s, ",") {
		key, err := cluster.ParseInvitation(text)
		if err != nil {
			return err
		}
		*k = append(*k, key)
	}
	return nil
}

// worker is heddle worker.
func (t *tool) worker(ctx context.Context, args []string) int {
	o := new(options)
	rest, err := t.parse("worker", o, args, true, o.natsFlags, o.workerFlags, o.hangFlag)
	switch {
	case err != nil:
		return t.parseError(err)
	case len(rest) > 0:
		return t.misuse("heddle worker: unexpected %q: it takes flags only", rest[0])
	case o.nats.URL == "" || len(o.trust) == 0:
		return t.misuse("heddle worker: want -nats and -trust, as heddle test -nats prints them")
	}
	dir, err := os.MkdirTemp("", "heddle-worker-")
	if err != nil {
		return t.fail(err)
	}
	defer os.RemoveAll(dir)
	note := func(text string) { fmt.Fprintf(t.Stderr, "heddle worker: %s\n", text) }
	late := time.AfterFunc(noAnswer, func() {
		note("no server answers yet; trying until one does, Ctrl-C ends that")
	})
	bus, err := cluster.Connect(ctx, o.nats)
	late.Stop()
	if err != nil {
		if ctx.Err() != nil {
			return exitInterrupted
		}
		return t.fail(err)
	}
	defer bus.Close()
	note(fmt.Sprintf("ready for %d test binaries at a time", o.parallel))
	err = bus.Serve(ctx, cluster.Service{Trust: o.trust, Slots: o.parallel, Dir: dir, Note: note,
		Start: func(j *cluster.Job, binary string) cluster.Executor {
			return &jobExecutor{job: j, binary: binary, dir: dir, note: note}
		}})
	if err != nil {
		return t.fail(err)
	}
	return exitFine
}

// noAnswer is after how long a worker says that it waits for a server.
const noAnswer = 3 * time.Second

// A jobExecutor does Items of a Job in a process, and in another when it dies. It implements
// cluster.Executor.
type jobExecutor struct {
	job         *cluster.Job
	binary, dir string
	note        func(string)
	p           *workProcess
}

// Do implements cluster.Executor. A process that was killed is no fault of the program's: it
// is tried once more.
func (x *jobExecutor) Do(ctx context.Context, it *wire.Item, h *cluster.Hurry) (*wire.Worked, *cluster.Death,
	error) {
	for again := false; ; again = true {
		if x.p == nil {
			x.p = startWork(ctx, x.process())
		}
		w, err := x.p.do(it, h)
		if err == nil {
			return w, nil, nil
		}
		p := x.p
		x.p = nil
		switch {
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case p.err != nil:
			return nil, nil, p.err
		case !p.res.crash.Running:
			return nil, nil, errors.New("the test binary of " + x.job.Package + " could not be started: " +
				p.res.why() + "\n" + lastLines(p.res.output, crashLines/3))
		case !p.res.killed() || again:
			return nil, deathOf(p.res), nil
		}
	}
}

// Close implements cluster.Executor.
func (x *jobExecutor) Close() {
	if x.p != nil {
		x.p.close()
	}
}

// process prepares a process: in the package's folder, where there is one, as tests expect it.
func (x *jobExecutor) process() *process {
	j := x.job
	b := &process{path: x.binary, dir: j.Dir, args: j.Args, config: j.Config, stall: time.Duration(j.Stall),
		unlink: func(text []byte) []byte { return text }}
	if info, err := os.Stat(j.Dir); err != nil || !info.IsDir() {
		b.dir = filepath.Join(x.dir, "empty")
		os.MkdirAll(b.dir, 0o777)
		x.note("there is no " + j.Dir + " here: the tests of " + j.Package + " are run in an empty folder")
	}
	return b
}

// deathOf is what is told of a process that ended in an Item.
func deathOf(res *outcome) *cluster.Death {
	d := &cluster.Death{Why: res.why(), Output: res.output, Crash: res.crash, Input: res.input,
		Stalled: res.stalled, Looped: res.looped, TimedOut: res.timedOut}
	if res.trace != nil {
		d.Trace = res.trace.Append(nil)
	}
	return d
}
