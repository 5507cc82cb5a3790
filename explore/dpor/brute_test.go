package dpor

import (
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"sort"
	"strings"
	"testing"

	"heddle/explore"
	"heddle/explore/transition"
	"heddle/internal/odometer"
	"heddle/rt/hook"
	"heddle/rt/policy"
	"heddle/rt/sched"
	"heddle/trace"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(-1) // as in the program under test
	os.Exit(m.Run())
}

// An executor runs a function under the real scheduler.
type executor struct {
	main   func()
	first  policy.Policy
	n      int
	polled []trace.Site
}

func newExecutor(main func()) *executor {
	p, err := policy.New("first", 0)
	if err != nil {
		panic(err)
	}
	sched.S.SetPolled(nil)
	return &executor{main: main, first: p}
}

func (x *executor) run(s *trace.Schedule, p policy.Policy) *trace.Trace {
	if x.n++; x.n%500 == 0 {
		runtime.GC()
	}
	p.Begin(0)
	t := sched.S.Run(x.main, sched.Options{Schedule: s, Policy: p, Visible: sched.VisibleAll, Steps: 100_000})
	hook.On = false
	return t
}

func (x *executor) Execute(_ context.Context, s *trace.Schedule) (*trace.Trace, error) {
	return x.run(s, x.first), nil
}

// again reports whether sides of channels turned out to be polled: then what was explored is void.
func (x *executor) again() bool {
	p := sched.S.Polled()
	if len(p) == 0 {
		return false
	}
	x.polled = append(x.polled, p...)
	sched.S.SetPolled(x.polled)
	return true
}

// classes maps the canonical form of each class of equivalent executions to what it shows.
type classes map[uint64]string

// brute executes everything. ok is false when that is more than limit executions.
// Dependence is what tab says of WaitGroups and polled channels.
func brute(x *executor, tab *transition.Table, show func(*trace.Trace) string, limit int) (all classes, n int,
	err error) {
again:
	all = classes{}
	o := new(odometer.Odometer)
	for n = 1; ; n++ {
		t := x.run(&trace.Schedule{Exhaustive: true}, o)
		if x.again() {
			goto again
		}
		k, out := canonical(t, tab), show(t)
		if before, known := all[k]; known && before != out {
			return all, n, fmt.Errorf("equivalent executions differ: %s, %s", before, out)
		}
		all[k] = out
		if !o.Next() {
			return all, n, nil
		}
		if n == limit {
			return nil, n, nil
		}
	}
}

// explored executes what dpor says. The error tells of duplicates, and of executions that did not
// go as they should.
func explored(x *executor, s *Strategy, show func(*trace.Trace) string, limit int) (all classes,
	r explore.Result, err error) {
again:
	all = classes{}
	*s = *New(Options{})
	for n := 0; n < limit; n++ {
		schedule := s.Next()
		if schedule == nil {
			break
		}
		t := x.run(schedule, x.first)
		if x.again() {
			goto again
		}
		if t.Verdict == trace.Diverged {
			return all, s.Result(), fmt.Errorf("execution %d diverged at %d: %+v", n, len(t.Steps),
				schedule.Steps)
		}
		restarts, redundant := s.restarts, s.redundant
		out := show(t)
		s.Done(t)
		k := canonical(t, s.tab)
		if s.restarts > restarts {
			all = classes{}
			continue
		}
		if _, known := all[k]; known && s.redundant == redundant {
			return all, s.Result(), fmt.Errorf("execution %d repeats a class: %s", n, out)
		}
		all[k] = out
	}
	return all, s.Result(), nil
}

// canonical is a hash of an execution that is the same for equivalent ones:
// its transitions and the order of those that depend on each other, found
// without package transition, by comparing all pairs.
func canonical(t *trace.Trace, tab *transition.Table) uint64 {
	tab.ReadGoroutines(t)
	d := depends{t, tab}
	ts := transitions(t)
	var lines []string
	for j := range ts {
		line := ts[j].name + " after"
		var before []string
		for i := range j {
			if d.dependent(ts, i, j) {
				before = append(before, ts[i].name)
			}
		}
		sort.Strings(before)
		lines = append(lines, line+fmt.Sprint(before))
	}
	sort.Strings(lines)
	h := fnv.New64a()
	h.Write([]byte(strings.Join(lines, "\n")))
	return h.Sum64()
}

type slowTransition struct {
	name    string
	gs      []trace.GID
	events  []int
	step    int32
	barrier bool
	left    []trace.ObjID // channels at which one of gs was known to come first and does not wait any more
}

func transitions(t *trace.Trace) []slowTransition {
	var ts []slowTransition
	count := map[trace.GID]int{}
	ev := 0
	for ev < len(t.Events) && t.Events[ev].Step < 0 {
		ev++
	}
	for i := range t.Steps {
		st := &t.Steps[i]
		count[st.G]++
		x := slowTransition{gs: []trace.GID{st.G}, step: int32(i),
			name: fmt.Sprint(t.Name(st.G), "#", count[st.G], "c", st.Case)}
		if st.Op == trace.OpChoose {
			x.name += fmt.Sprint("d", st.Choice)
		} else if st.With > 0 {
			g := trace.GID(st.With - 1)
			count[g]++
			x.gs = append(x.gs, g)
			x.name += fmt.Sprint("+", t.Name(g), "#", count[g], "c", st.WithCase)
		}
		for ; ev < len(t.Events) && t.Events[ev].Step == int32(i) && t.Events[ev].G != 1; ev++ {
			x.events = append(x.events, ev)
		}
		for _, g := range x.gs {
			x.left = append(x.left, leaves(t, ts, g, x.events)...)
		}
		ts = append(ts, x)
		if ev < len(t.Events) && t.Events[ev].Step == int32(i) {
			count[1]++
			b := slowTransition{name: fmt.Sprint("barrier", count[1]), barrier: true, gs: []trace.GID{1}}
			for ; ev < len(t.Events) && t.Events[ev].Step == int32(i); ev++ {
				b.events = append(b.events, ev)
			}
			ts = append(ts, b)
		}
	}
	return ts
}

// depends tells which events of t depend on each other.
type depends struct {
	t   *trace.Trace
	tab *transition.Table
}

func (d depends) ordered(id trace.ObjID) bool { return d.tab.Ordered(d.tab.ObjectOf(d.t, id)) }

// leaves returns the channels that are not among events at which g arrived in
// its last transition, or waited while time passed since.
func leaves(t *trace.Trace, ts []slowTransition, g trace.GID, events []int) (objs []trace.ObjID) {
	add := func(id trace.ObjID) {
		if !slices.ContainsFunc(events, func(k int) bool {
			return t.Events[k].Obj == id &&
				t.Events[k].Op != trace.OpSelect
		}) {
			objs = append(objs, id)
		}
	}
	i, step, jumped := len(ts)-1, int32(-1), false
	for ; i >= 0 && !slices.Contains(ts[i].gs, g); i-- {
		jumped = jumped || ts[i].barrier
	}
	if i >= 0 {
		step = ts[i].step
		for _, ev := range ts[i].events {
			if e := &t.Events[ev]; e.Op == trace.OpArrive && t.Objects[e.Obj].Kind == trace.ObjChan {
				add(e.Obj)
			}
		}
	}
	for _, o := range t.Offers {
		if jumped && o.G == g && o.Step == step && o.Case >= 0 && !o.Poll {
			add(o.Obj)
		}
	}
	return objs
}

// leaving reports whether an event of y observes that a goroutine no longer waits after x.
func (d depends) leaving(x, y *slowTransition) bool {
	for _, o := range x.left {
		if !d.ordered(o) {
			continue
		}
		for _, ev := range y.events {
			e := &d.t.Events[ev]
			if e.Obj == o && (e.Op == trace.OpSend && e.Arg == 0 || e.Op == trace.OpRecv && e.Arg == 1) ||
				e.Op == trace.OpSelect && e.Arg < 0 && polls(d.t, ev)[o] {
				return true
			}
		}
	}
	return false
}

func (d depends) dependent(ts []slowTransition, i, j int) bool {
	if ts[i].barrier || ts[j].barrier {
		return true
	}
	for _, g := range ts[i].gs {
		for _, h := range ts[j].gs {
			if g == h {
				return true
			}
		}
	}
	if d.leaving(&ts[i], &ts[j]) || d.leaving(&ts[j], &ts[i]) {
		return true
	}
	for _, a := range ts[i].events {
		for _, b := range ts[j].events {
			if d.events(a, b) {
				return true
			}
		}
	}
	return false
}

// polls returns the channels that the event of a default looked at.
func polls(t *trace.Trace, ev int) map[trace.ObjID]bool {
	e := &t.Events[ev]
	step := int32(-1)
	for i := e.Step - 1; i >= 0; i-- {
		if s := t.Steps[i]; s.G == e.G || s.Op != trace.OpChoose && s.With == int32(e.G)+1 {
			step = i
			break
		}
	}
	set := map[trace.ObjID]bool{}
	for _, o := range t.Offers {
		if o.G == e.G && o.Step == step && o.Poll {
			set[o.Obj] = true
		}
	}
	return set
}

// events says whether the order of two events matters, a before b.
func (d depends) events(a, b int) bool {
	t := d.t
	e, f := &t.Events[a], &t.Events[b]
	if e.Op == trace.OpGo && trace.GID(e.Arg) == f.G || f.Partner == int32(a) && f.Op == trace.OpCondWake {
		return true
	}
	for x, y := e, f; ; x, y = f, e {
		if x.Op == trace.OpSelect && x.Arg == -2 {
			return y.Obj == x.Obj && (y.Op == trace.OpSend && y.Arg == 0 ||
				y.Op == trace.OpRecv && y.Arg == 1 || y.Op == trace.OpClose) && (t.Objects[x.Obj].Cap > 0 ||
				y.Op == trace.OpClose)
		}
		if x == f {
			break
		}
	}
	if e.Op == trace.OpSelect || f.Op == trace.OpSelect {
		p, o := e, f
		at := a
		if f.Op == trace.OpSelect {
			p, o, at = f, e, b
		}
		return p.Arg < 0 && o.Op != trace.OpSelect && o.Op != trace.OpLen && o.Obj != 0 && polls(t, at)[o.Obj]
	}
	if e.Obj == 0 || e.Obj != f.Obj {
		return false
	}
	either := func(ops ...trace.Op) bool {
		for _, op := range ops {
			if e.Op == op || f.Op == op {
				return true
			}
		}
		return false
	}
	reads := func(x *trace.Event) bool {
		switch x.Op {
		case trace.OpRead, trace.OpAtomicLoad:
			return true
		case trace.OpTryLock, trace.OpTryRLock, trace.OpOnce, trace.OpSignal, trace.OpBroadcast:
			return x.Arg == 0
		}
		return false
	}
	switch t.Objects[e.Obj].Kind {
	case trace.ObjWaitGroup:
		return either(trace.OpWGWait) && e.Op != f.Op || !either(trace.OpWGWait) && d.ordered(e.Obj)
	case trace.ObjRWMutex:
		if either(trace.OpLock, trace.OpUnlock) || reads(e) && reads(f) {
			return !(reads(e) && reads(f))
		}
		shares := func(x *trace.Event) bool {
			return x.Op == trace.OpRLock || x.Op == trace.OpRUnlock || x.Op == trace.OpTryRLock
		}
		if shares(e) && shares(f) {
			return d.ordered(e.Obj)
		}
		return d.ordered(e.Obj) || !(either(trace.OpArrive) && either(trace.OpRUnlock))
	case trace.ObjChan:
		return d.channel(a, b)
	}
	if either(trace.OpCondWake) {
		return false
	}
	return !(reads(e) && reads(f))
}

func (d depends) channel(a, b int) bool {
	t := d.t
	e, f := &t.Events[a], &t.Events[b]
	o := &t.Objects[e.Obj]
	is := func(x *trace.Event, op trace.Op, ok bool) bool {
		return x.Op == op && (x.Arg >= 0 && x.Arg != 0 || op == trace.OpSend && x.Arg == 0) == ok
	}
	sends, sendsF := is(e, trace.OpSend, true), is(f, trace.OpSend, true)
	recvs, recvsF := is(e, trace.OpRecv, true), is(f, trace.OpRecv, true)
	if o.Cap == 0 {
		meetE, meetF := sends || recvs, sendsF || recvsF
		switch {
		case e.Op == trace.OpLen || f.Op == trace.OpLen:
			return false
		case e.Op == trace.OpArrive || f.Op == trace.OpArrive:
			return e.Op == f.Op
		case meetE && meetF:
			return d.ordered(e.Obj)
		}
		return e.Op == trace.OpClose || f.Op == trace.OpClose
	}
	switch {
	case sends && sendsF || recvs && recvsF:
		return true
	case sends && recvsF:
		return f.Partner == int32(a)
	case recvs && sendsF: // the k-th receive made room for the (k+C)-th send
		return ordinal(t, b, trace.OpSend)-ordinal(t, a, trace.OpRecv) == int(o.Cap)
	case e.Op == trace.OpLen || f.Op == trace.OpLen:
		return sends || sendsF || recvs || recvsF
	case e.Op == trace.OpClose || f.Op == trace.OpClose:
		return !recvs && !recvsF
	case recvs || recvsF: // and one that found the channel closed
		return e.Op == f.Op
	}
	return false
}

func ordinal(t *trace.Trace, ev int, op trace.Op) (n int) {
	for i := range ev {
		if e := &t.Events[i]; e.Op == op && e.Obj == t.Events[ev].Obj &&
			(op == trace.OpSend && e.Arg == 0 || op == trace.OpRecv && e.Arg == 1) {
			n++
		}
	}
	return n
}
