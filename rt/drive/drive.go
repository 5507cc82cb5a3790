// Package drive is the main part of a test binary: it takes the tests from package testing, lets
// package engine explore each of them, and tells the command over a pipe (package wire). It
// executes a test once under the scheduler, in a process whose state it puts back between
// executions.
package drive

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"heddle/engine"
	"heddle/engine/judge"
	"heddle/explore"
	"heddle/rt/flow"
	"heddle/rt/hook"
	"heddle/rt/limit"
	"heddle/rt/sched"
	"heddle/rt/wire"
	"heddle/trace"
)

// A Test is one top-level test of the binary.
type Test struct {
	Name string
	Kind string // "test", "fuzz", "example", "main"
	Fuzz bool   // inputs are searched for
	// it may have what Config.Symbolic names
	Named bool
	// Body runs the test once, in the calling goroutine, which is "main" of the execution.
	Body func(o *Outcome)

	// printed is what the program prints.
	printed *printed
}

// searched returns the Config.Fuzz of the test.
func (t *Test) searched() string {
	switch {
	case t.Fuzz:
		return config.Fuzz
	case t.Named && len(config.Symbolic) > 0:
		return wire.Named
	}
	return ""
}

// An Outcome is what one run of a Body left.
type Outcome struct {
	Failed, Skipped, Finished bool

	Output []byte
	// Mark is set by Body before user code runs; it makes ending the test by
	// Goexit harmless, and collects the output so far into Output.
	Mark func()

	// What said that the test fails, see Fails.
	failed trace.GID
	stack  []uintptr
	steps  int

	subtests map[trace.GID]string // see Subtest
}

// Subtest notes that the calling goroutine, one under test, runs the subtest of a name.
func (o *Outcome) Subtest(name string) {
	if o.subtests == nil {
		o.subtests = map[trace.GID]string{}
	}
	o.subtests[sched.S.Running()] = name
}

// Fails notes that the calling goroutine, one under test, says that the test
// fails. The first time counts.
func (o *Outcome) Fails() {
	if o.stack != nil {
		return
	}
	var pcs [64]uintptr
	o.failed, o.stack = sched.S.Running(), slices.Clone(pcs[:runtime.Callers(2, pcs[:])])
	sched.S.DebugFail()
	o.steps = sched.S.StepsMade()
}

// judged is what findings are made from.
func (o *Outcome) judged() judge.Outcome {
	return judge.Outcome{Failed: o.Failed, Output: o.Output, G: o.failed, Stack: o.stack,
		Steps: o.steps, Subtests: o.subtests}
}

// driver is the state of one run of the binary.
type driver struct {
	cfg wire.Config
	out *json.Encoder
	// prefix of the files of the standard library; with -trimpath, those that heddle rewrites have
	// wire.SourceRoot
	goroot  string
	started time.Time
	heap    uint64 // in use after the last collection
	state   *state
	vars    *saved // the package-level variables as the first execution found them

	// See collect.
	looked   uint64 // what was in use when it last looked
	unlooked int    // executions since then
	look     int    // after how many it looks again

	spare int64 // nanoseconds of Config.Budgets that tests did not need

	debug *wire.DebugView // of the execution that a debugger looks at, nil: none does

	told toldLooks

	others    bool // tests were executed before this one
	counted   bool // outsiders
	outsiders int  // that the first execution found
}

var config *wire.Config

func init() {
	defer hook.OwnAgain(hook.Own())
	path := os.Getenv(wire.Env)
	if path == "" {
		return
	}
	// Programs that the test starts, the test binary itself among them, behave plainly.
	os.Unsetenv(wire.Env)
	data, err := os.ReadFile(path)
	if err != nil {
		fatal("cannot read the configuration: %v", err)
	}
	config = new(wire.Config)
	if err := json.Unmarshal(data, config); err != nil {
		fatal("configuration %s: %v", path, err)
	}
	hook.Symbolic, hook.Flags = config.Symbolic, giveFlags
	keepFromChildren()
	if config.Debug != nil {
		endWithDebugger()
	}
}

func fatal(format string, args ...any) {
	fmt.Fprintf(stderr, "heddle: "+format+"\n", args...)
	os.Exit(2)
}

// Active reports whether the binary was started by heddle.
func Active() bool { return config != nil }

// root returns the prefix of the names that files of the standard library have; "" where it is not
// known.
func (d *driver) root() string {
	if pc, _, _, _ := runtime.Caller(0); !strings.HasPrefix(runtime.FuncForPC(pc).Name(), "heddlert/") {
		return "" // not laid
	}
	f := runtime.FuncForPC(reflect.ValueOf(runtime.GC).Pointer())
	file, _ := f.FileLine(f.Entry())
	return file[:max(strings.LastIndex(file, "runtime/"), 0)]
}

// Run explores the tests as the configuration says and returns the exit code
// of the binary: 0 whatever was found, since findings go over the pipe.
func Run(tests []Test) int {
	defer hook.OwnAgain(hook.Own())
	d := &driver{cfg: *config, started: time.Now()}
	d.out = json.NewEncoder(records())
	d.goroot = d.root()
	d.callers()
	limited = isSet("test.parallel")
	sched.QuietPackage, sched.EffectOf, sched.Outputs = d.quiet, effectOf, outputs()
	sched.Standard = func(file string) bool {
		return wire.FromRoot(file) || d.goroot != "" && strings.HasPrefix(file, d.goroot)
	}
	sched.KeyOf = keyOf
	sched.S.Format = formatValue
	if d.cfg.FlowMemory > 0 {
		flow.MaxBytes = d.cfg.FlowMemory
	}
	if d.cfg.CrashFile != "" {
		log, err := openCrashLog(d.cfg.CrashFile)
		if err != nil {
			d.send(&wire.Record{Type: "note", Text: "no crash log: " + err.Error()})
		} else {
			crash = log
			sched.S.SetLog(log)
		}
	}
	if d.cfg.Debug != nil {
		view, err := openDebugFile(d.cfg.Debug.File)
		if err != nil {
			fatal("the debug file: %v", err)
		}
		d.debug = view
	}
	// Nothing is collected within an execution: an address that is used again would look like a
	// race. Before memory runs out it is all the same; the race detector then begins afresh.
	debug.SetGCPercent(-1)
	defer debug.SetGCPercent(100)
	if os.Getenv("GOMEMLIMIT") == "" {
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(limit.CollectWithin))
	}
	if d.cfg.Isolate != "none" && d.cfg.Mode != "execute" {
		d.vars, d.state = save(), saveState()
		hook.Strangers = sched.S.Outsiders() > 0
	}
	if d.cfg.Mode == "work" {
		d.work(tests)
	}
	prints := &printed{path: d.cfg.PrintFile}
	defer prints.begin(true)
	for i := range tests {
		t := &tests[i]
		if t.printed == nil {
			t.printed = prints
		}
		switch d.cfg.Mode {
		case "work":
		case "list":
			d.send(&wire.Record{Type: "test", Test: t.Name})
		case "execute":
			if t.Name == d.cfg.Test {
				d.execute(t)
			}
		case "replay":
			if len(d.cfg.Clips) > 0 && d.cfg.Clips[0].Test == t.Name {
				if err := d.replay(newLocal(d, t)); err != nil {
					fatal("%v", err)
				}
			}
		case "bench":
			if u := explore.Lookup(d.cfg.Strategy); u != nil && u.New != nil {
				b, err := engine.Bench(&d.cfg, t.Name, newLocal(d, t))
				if err != nil {
					fatal("%v", err)
				}
				d.send(&wire.Record{Type: "bench", Test: t.Name, Bench: b})
			} else {
				d.bench(t)
			}
		default:
			if d.others && d.state != nil {
				d.state = saveState() // a test may count on what the ones before it have set up
			}
			for range max(1, d.cfg.Count) {
				cfg, used, ok := d.allotted(t.Name, len(tests)-i)
				if !ok {
					break
				}
				began := time.Now()
				cfg.Fuzz = t.searched()
				if err := engine.Explore(context.Background(), &cfg, t.Name, newLocal(d, t),
					d.send); err != nil {
					fatal("%v", err)
				}
				used(time.Since(began))
			}
			d.others = true
		}
	}
	sched.S.Close()
	d.send(&wire.Record{Type: "done", Elapsed: time.Since(d.started).Seconds()})
	hook.AtExit = func() { // the rest of TestMain
		hook.AtExit = nil
		d.send(&wire.Record{Type: "exit"})
	}
	return 0
}

// replay is Mode replay.
func (d *driver) replay(x *local) error {
	c := &d.cfg.Clips[0]
	switch {
	case c.Sequence:
		return engine.Follow(c, x, time.Duration(d.cfg.Budget), d.send)
	case d.cfg.Brief:
		return engine.Check(context.Background(), &d.cfg, d.cfg.Clips, x, d.send)
	}
	return engine.Replay(context.Background(), &d.cfg, c, x, d.send)
}

// ExampleFrames are the functions that plain Go calls between testing's M.Run
// and an example, innermost first; set by package testing.
var ExampleFrames []uintptr

// callers tells the scheduler what stacks look like at their lower end.
func (d *driver) callers() {
	var pcs [32]uintptr
	n := runtime.Callers(1, pcs[:])
	if n == 0 {
		return
	}
	sched.GoexitCallers = []uintptr{pcs[n-1]}
	for _, f := range ExampleFrames {
		sched.ExampleCallers = append(sched.ExampleCallers, f+1)
	}
	for i := range n {
		if f := runtime.FuncForPC(pcs[i] - 1); f != nil && f.Name() == "testing.(*M).Run" {
			sched.ExampleCallers = append(sched.ExampleCallers, pcs[i:n]...)
			sched.TestingFile, _ = f.FileLine(f.Entry())
			break
		}
	}
}

// work is Mode work: the binary explores what the command hands it, one Item at a time.
func (d *driver) work(tests []Test) {
	w := engine.NewWorker(&d.cfg, func(test string) engine.Process {
		i := slices.IndexFunc(tests, func(t Test) bool { return t.Name == test })
		if i < 0 {
			fatal("no test %s", test)
		}
		return newLocal(d, &tests[i])
	})
	d.send(&wire.Record{Type: "ready"})
	in := json.NewDecoder(items())
	for {
		it := new(wire.Item)
		if err := in.Decode(it); err != nil {
			if err != io.EOF {
				fatal("cannot read what is to be done: %v", err)
			}
			return
		}
		d.send(&wire.Record{Type: "worked", Test: it.Test, Worked: w.Do(it)})
	}
}

func (d *driver) send(r *wire.Record) {
	if tellsLooks(r.Type) {
		r.Looks = d.looks()
	}
	err := d.out.Encode(r)
	if _, own := err.(*json.UnsupportedValueError); own {
		panic(fmt.Sprintf("a record of type %s cannot be sent: %v", r.Type, err))
	}
	if err != nil {
		// The command is gone; so is the reason to go on.
		os.Exit(3)
	}
}

// collectEvery is how many bytes may be allocated before garbage is collected between two
// executions.
const collectEvery = 32 << 20

// collectCheck is after how many executions it is looked at that allocate little: looking costs
// half a microsecond.
const collectCheck = 16

// collect is called before every execution. It looks after the first, and from then on before what
// executions allocate, as they did since it last looked, comes to a quarter of what may be.
func (d *driver) collect() {
	if d.unlooked++; d.unlooked < d.look {
		return
	}
	n := limit.Heap()
	each := (n - min(n, d.looked)) / uint64(d.unlooked)
	if n > d.heap+collectEvery {
		runtime.GC()
		n = limit.Heap()
		d.heap = n
	}
	d.looked, d.unlooked = n, 0
	d.look = int(min(collectCheck, collectEvery/4/max(each, 1)))
}
