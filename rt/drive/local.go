package drive

import (
	"context"
	"slices"
	"strings"
	"time"

	"heddle/engine"
	"heddle/engine/judge"
	"heddle/explore/transition"
	"heddle/rt/counters"
	"heddle/rt/hook"
	"heddle/rt/policy"
	"heddle/rt/sched"
	"heddle/rt/wire"
	"heddle/trace"
	"heddle/trace/remains"
)

// local executes a test in this process. It implements engine.Process.
type local struct {
	d        *driver
	t        *Test
	n        int // executions so far
	policies map[policyKey]policy.Policy
	visible  sched.VisibleMode
	sites    []trace.Site // what sched takes for visible
	polled   []trace.Site // and for polled
	outcome  Outcome
	known    sched.Races // of which Request.Known says that they are known
	told     bool        // what is outside control
	who      []string    // what started goroutines outside control
	beside   int         // how often it was looked what lives beside the test
	judge    judge.Judge
	remains  remains.Remains // of the last execution
	branches counters.Seen
}

type policyKey struct {
	name  string
	depth int
}

func newLocal(d *driver, t *Test) *local {
	x := &local{d: d, t: t, policies: make(map[policyKey]policy.Policy), known: sched.Races{}}
	switch d.cfg.Visible {
	case "sync":
		x.visible = sched.VisibleSync
	case "all":
		x.visible = sched.VisibleAll
	default:
		x.visible = sched.VisibleAuto
	}
	x.judge = judge.Judge{
		Symbols: d, Kind: t.Kind, Outsiders: x.outsiders, Known: x.known.Add,
		Note: func(text string) { d.send(&wire.Record{Type: "note", Test: t.Name, Text: text}) },
		Starters: func() []string {
			x.seeStrangers()
			return x.who
		},
	}
	sched.S.SetVisible(nil)
	sched.S.SetPolled(nil)
	sched.S.ForgetDeadlocks()
	return x
}

// policy returns the policy that a request asks for.
func (x *local) policy(q *wire.Request) (policy.Policy, error) {
	if q.Deviate {
		return newDevPolicy(q.Deviations), nil
	}
	key := policyKey{q.Schedule.Policy, q.Schedule.Depth}
	p := x.policies[key]
	if p == nil {
		var err error
		if p, err = policy.New(key.name, key.depth); err != nil {
			return nil, err
		}
		x.policies[key] = p
	}
	if l, ok := p.(policy.Lengther); ok && q.Length > 0 {
		l.SetLength(q.Length)
	}
	return p, nil
}

// Execute implements Executor.
func (x *local) Execute(ctx context.Context, q *wire.Request) (engine.Execution, error) {
	p, err := x.policy(q)
	if err != nil {
		return engine.Execution{}, err
	}
	if !slices.Equal(q.Visible, x.sites) {
		x.sites = append(x.sites[:0], q.Visible...)
		sched.S.SetVisible(x.sites)
	}
	if !slices.Equal(q.Polled, x.polled) {
		x.polled = append(x.polled[:0], q.Polled...)
		sched.S.SetPolled(x.polled)
	}
	if q.Record {
		sched.S.SetWatched(q.Watched)
	}
	x.d.collect()
	if x.d.vars != nil {
		x.d.vars.restore()
		x.d.state.restore()
	}
	bereft := x.d.bereft()
	x.n++
	mode, steps := x.visible, x.d.cfg.Steps
	switch {
	case q.All:
		mode = sched.VisibleAll
	case q.Only:
		mode = sched.VisibleAuto
	}
	if q.Steps > 0 {
		steps = q.Steps
	}
	if err := takeInput(q); err != nil {
		return engine.Execution{}, err
	}
	early := q.Early || x.d.cfg.Time == "free"
	sched.S.Lose = x.d.cfg.Lose
	sched.S.AnyTime = early || x.d.cfg.Mode == "replay"
	p.Begin(q.Schedule.Seed)
	crash.begin(x.t.Name, x.n, &q.Schedule, q.Input)
	x.outcome = Outcome{}
	o := &x.outcome
	x.t.printed.begin(q.Show)
	for _, renew := range hook.Renewals {
		renew()
	}
	var known sched.Races
	if q.Known != nil {
		known = x.known
	}
	sched.S.Waiting = nil
	if !x.told {
		sched.S.Waiting = x.seeStrangers
	}
	var debug *wire.DebugView
	if q.Record { // by which the one that is looked at differs from those before it
		debug = x.d.debug
	}
	// What heddle keeps of an execution must not look like memory that the next one can reach.
	x.remains = remains.Remains{}
	t := sched.S.Run(func() { x.t.Body(o) }, sched.Options{
		Schedule: &q.Schedule, Policy: p, Steps: steps, Longest: time.Duration(x.d.cfg.Longest),
		Until: q.Until, Full: full, Race: x.d.cfg.Race, Known: known, Visible: mode, Record: q.Record,
		Stacks: q.Stacks,
		Values: q.Values, Plain: q.Plain, Hushed: q.Hushed, PastDeadlock: q.PastDeadlock, Real: q.Real,
		Program: x.t.Kind == "main", Debug: debug,
		Flow: q.Flow || q.Exprs || x.d.cfg.Flow, Exprs: q.Exprs, Few: q.Few, Twins: q.Twins,
		Vouched: q.Vouched,
		BeforeUnwind: func() {
			if o.Mark != nil {
				o.Mark()
			}
		},
	})
	crash.end()
	if x.t.Kind == "main" {
		o.Output = x.t.printed.text()
	}
	ex := engine.Execution{Trace: t, Bereft: bereft, Heir: x.d.others}
	x.counted(q, &ex)
	if q.Exprs && x.d.cfg.LeftAlone {
		t.Flow.Foreign++
	}
	ex.Failed, ex.Skipped, ex.Output = o.Failed, o.Skipped, o.Output
	ex.Timers, ex.Bubble, ex.Outside = sched.S.UsedTimers(), sched.S.InBubble(), sched.S.Outside()
	ex.Common = hook.Common
	if ex.Outside {
		hook.FoundBeyond(hook.BeyondReal)
	}
	if ex.Outside && !x.told {
		x.told = true
		ex.Outsiders = x.outsiders()
	}
	ex.Polled, ex.Learnt = sched.S.Polled(), sched.S.Learnt()
	for _, u := range sched.S.Unseen() {
		at := resolve(u.Site)
		ex.Unseen = append(ex.Unseen, wire.Unseen{Code: u.Code, What: u.What, File: at.File, Line: at.Line})
	}
	if beside := x.besides(); len(beside) > 0 {
		hook.FoundBeyond(hook.BeyondReal)
		ex.Unseen = append(ex.Unseen, beside...)
	}
	ex.Measured = ex.Failed && sched.S.Measured()
	x.takeRemains(t)
	left := judge.Execution{Trace: t, Remains: &x.remains, Outcome: o.judged(), EarlyAsked: early}
	ex.RanOut, ex.FailedEarly = x.judge.RanOut(&left), x.judge.FailedEarly(&left)
	ex.Muted = ex.FailedEarly && x.judge.Mutes(&left)
	ex.Found = x.judge.Findings(&left, q.Known)
	if q.Expect != nil {
		ex.Found = append(ex.Found, judge.Expected(t, q.Expect, resolve)...)
	}
	if d := x.remains.Deadlock; d != nil {
		ex.Cycle = d.Events
	}
	ex.Property, ex.Named = drawn(), namesOf()
	x.excuse(&ex)
	ex.Corpus, ex.Concrete = given.corpus, concrete(q)
	if d := sched.S.Diverged(); d != nil {
		ex.Diverged = &wire.Divergence{Step: d.Step, Got: d.Got, GotOK: d.GotOK, Enabled: d.Enabled,
			NoChoice: d.NoChoice}
	}
	if sched.S.Dozed() && (ex.Failed || len(ex.Found) > 0 || t.Verdict != trace.Finished ||
		t.Spun || len(x.remains.Races) > 0 || ex.Outside || len(ex.Unseen) > 0 || ex.Diverged != nil) {
		ex.Polled = append(ex.Polled, sched.ClockRead)
	}
	return ex, ctx.Err()
}

// besides says, once a test, that there are goroutines outside control: what they have in common
// with the test is not known, even where it did not show.
func (x *local) besides() []wire.Unseen {
	// those of the runtime and of heddle are gone soon, or have no place where they were started
	const looks = 3
	if x.beside == looks || sched.S.Outsiders() == 0 {
		return nil
	}
	x.beside++
	if x.seeStrangers(); len(x.who) == 0 {
		return nil
	}
	x.beside = looks
	names := make([]string, 0, len(x.who))
	for _, w := range x.who {
		fn, _, _ := strings.Cut(w, " (") // its place is where it was at that moment
		names = append(names, fn)
	}
	return []wire.Unseen{{Code: trace.UnseenBeside, What: strings.Join(names, ", ")}}
}

// bereft is asked before an execution, and counts the goroutines from before the tests when asked
// first.
func (d *driver) bereft() bool {
	n := sched.S.Outsiders()
	if !d.counted {
		d.counted, d.outsiders = true, n
	}
	return n < d.outsiders
}

// Resolve implements Executor.
func (x *local) Resolve(s trace.Site) wire.Place { return resolve(s) }

// EventStack implements engine.Stacker.
func (x *local) EventStack(event int) int { return sched.S.EventStack(event) }

// StackFrames implements engine.Stacker.
func (x *local) StackFrames(n int) []wire.Place { return x.d.Frames(sched.S.Stack(n)) }

// execute is Mode execute: one execution, all of which goes to the command.
func (d *driver) execute(t *Test) {
	x := newLocal(d, t)
	ex, err := x.Execute(context.Background(), d.cfg.Request)
	if err != nil {
		fatal("%v", err)
	}
	d.send(&wire.Record{Type: "result", Test: t.Name, Outcome: engine.Whole(&ex, resolve)})
}

// takeRemains takes what the execution just made left behind.
func (x *local) takeRemains(t *trace.Trace) {
	r := &x.remains
	*r = remains.Remains{
		Races: sched.S.Races(), Deadlock: sched.S.Deadlock(), Failures: sched.S.Failures(),
		Early:   sched.S.Early(),
		Outside: sched.S.Outside(), Outsiders: sched.S.Outsiders() > 0, Exited: sched.S.Exited(),
		Measured: sched.S.Measured(), RanOut: sched.S.RanOut(),
		LateWakes: sched.S.LateWakes(), Unstopped: sched.S.Unstopped(), OutsideWait: sched.S.OutsideWait(),
	}
	for _, l := range sched.S.Leftover() {
		switch {
		case l.State == remains.Blocked:
			l.Made = sched.S.MadeHere(l.Pending.Obj)
		case l.State == remains.Parked && (!l.Old || t.Verdict == trace.TimedOut):
			l.Served = sched.S.ServedByTimer(l.G)
		}
		r.Left = append(r.Left, l)
	}
	switch t.Verdict {
	case trace.Livelocked:
		r.PolledUnseen = sched.S.PolledUnseen()
	case trace.TimedOut:
		r.CutOff, r.KeptAsking = sched.S.CutOff(), sched.S.KeptAsking()
	}
}

// Places implements engine.Process.
func (x *local) Places() transition.Places { return &places{vars: x.d.vars} }

// Learnt implements engine.Process.
func (x *local) Learnt() wire.Knowledge {
	m := sched.S.Memory()
	k := wire.Knowledge{HandedOver: m.HandedOver, Waits: m.Waits}
	for key, end := range m.Cycles {
		if k.Cycles == nil {
			k.Cycles = make(map[uint64]uint8)
		}
		k.Cycles[key] = uint8(end)
	}
	return k
}

// Learn implements engine.Process.
func (x *local) Learn(k *wire.Knowledge) {
	m := sched.Memory{Cycles: make(map[uint64]remains.End), HandedOver: k.HandedOver, Waits: k.Waits}
	for key, end := range k.Cycles {
		m.Cycles[key] = remains.End(end)
	}
	sched.S.Remember(m)
}

// Lengths implements engine.Process.
func (x *local) Lengths() (lengths map[string]int) {
	for key, p := range x.policies {
		if l, ok := p.(policy.Lengther); ok && l.Learnt() > 0 {
			if lengths == nil {
				lengths = make(map[string]int)
			}
			lengths[key.name] = l.Learnt()
		}
	}
	return lengths
}

// SetLengths implements engine.Process.
func (x *local) SetLengths(lengths map[string]int, depth int) {
	clear(x.policies)
	for name, length := range lengths {
		if p, err := policy.New(name, depth); err == nil {
			p.(policy.Lengther).SetLength(length)
			x.policies[policyKey{name, depth}] = p
		}
	}
}

// Hurry implements engine.Process.
func (x *local) Hurry() bool { return crash.hurry() }

// Live implements engine.Process.
func (x *local) Live() bool { return hook.Live != 0 }
