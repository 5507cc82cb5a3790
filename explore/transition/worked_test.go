package transition

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"heddle/trace"
)

// Worked traces: executions written down, one step a line, with what happens before what and which
// reversals a search must try. What is expected was reasoned out from the definitions, for each
// trace in the comment beside it.
//
//	main    go 1             a step of main, which starts main/1
//	main/1  lock mu          a step of main/1, with the usual outcome
//	main    trylock mu =0    with that outcome
//	main    send c > main/1  over an unbuffered channel, to main/1
//	main/1  ? recv c         main/1 announces a receive at this point; no step
//	main/1  ? poll send c    a case of a select with default
//	main/1  left lock mu     what main/1 was about to do at the end

var worked = []struct {
	name  string
	trace string

	// hb are the immediate predecessors of each step in other goroutines: "2<4" says that step 2
	// happens before step 4.
	hb string
	// reversals are the candidates: "4 for 2" says that what step 4 did could come where step 2
	// came, without it.
	reversals string
}{
	{
		// The second Lock can come first. It cannot come between Lock and Unlock.
		name: "two critical sections",
		trace: `
			main   go 1
			main/1 lock mu
			main/1 unlock mu
			main   lock mu
			main   unlock mu`,
		hb:        "0<1 2<3",
		reversals: "3 for 1",
	},
	{
		name: "loads commute, a store does not",
		trace: `
			main   go 1
			main/1 load x
			main   load x
			main   store x
			main/1 load x`,
		hb:        "0<1 1<3 3<4",
		reversals: "3 for 1; 4 for 3",
	},
	{
		// A send and a receive of a buffered channel commute but for the message; two sends do not
		// commute.
		name: "buffered channel",
		trace: `
			main   go 1
			main/1 send c/2
			main   send c/2
			main   recv c/2`,
		hb:        "0<1 1<2",
		reversals: "2 for 1",
	},
	{
		// Wait needs both Dones, which commute. Nothing can be reversed.
		name: "WaitGroup",
		trace: `
			main   wgadd wg =2
			main   go 1
			main   go 2
			main/1 wgadd wg =-1
			main/2 wgadd wg =-1
			main   wgwait wg`,
		hb:        "1<3 2<4 3<5 4<5",
		reversals: "",
	},
	{
		// The TryLock fails where the lock is held. It succeeds before the Lock, and after the
		// Unlock: the Unlock can come before it.
		name: "TryLock that fails",
		trace: `
			main   go 1
			main/1 lock mu
			main   trylock mu =0
			main/1 unlock mu`,
		hb:        "0<1 1<2 2<3",
		reversals: "2 for 1; 3 for 2",
	},
	{
		// Readers commute; the writer arrives before a reader, or after it has left.
		name: "RWMutex",
		trace: `
			main   go 1
			main/1 rlock rw
			main   rlock rw
			main   runlock rw
			main/1 runlock rw
			main   arrive rw
			main   wlock rw`,
		hb:        "0<1 1<5 4<6",
		reversals: "5 for 1",
	},
	{
		// Each has one lock and waits for the other's: either could have had both.
		name: "lock order, deadlocked",
		trace: `
			main   go 1
			main   lock a
			main/1 lock b
			main   left lock b
			main/1 left lock a`,
		hb:        "0<2",
		reversals: "left 0 for 2; left 1 for 1",
	},
	{
		// The receive from the closed channel must come after the close; a send on it panics where
		// it came after, and is sent where it came before.
		name: "close, and a send that panics",
		trace: `
			main   go 1
			main/1 close c/1
			main   send c/1 =-1`,
		hb:        "0<1 1<2",
		reversals: "2 for 1",
	},
	{
		name: "receive from a closed channel",
		trace: `
			main   go 1
			main/1 close c/1
			main   recv c/1 =0`,
		hb:        "0<1 1<2",
		reversals: "",
	},
	{
		// Either call may run the function; the second waits until it has run.
		name: "Once",
		trace: `
			main   go 1
			main   once o =1
			main   oncedone o
			main/1 once o =0`,
		hb:        "2<3",
		reversals: "3 for 1",
	},
	{
		// The signal comes before the Wait, and is lost.
		name: "a signal that is lost",
		trace: `
			main   go 1
			main/1 signal c =0
			main   condwait c`,
		hb:        "0<1 1<2",
		reversals: "2 for 1",
	},
	{
		// Of one permit either may have it first.
		name: "semaphore",
		trace: `
			main   go 1
			main/1 acquire s/1 =0
			main/1 release s/1 =1
			main   acquire s/1 =0`,
		hb:        "0<1 2<3",
		reversals: "3 for 1",
	},
	{
		// main receives from main/1; it could have met main/2, whose send is left over.
		name: "two senders, one receiver",
		trace: `
			main   go 1
			main   go 2
			main/1 start
			main/1 ? send c
			main/2 start
			main/2 ? send c
			main   gosched
			main   ? recv c
			main/1 send c > main`,
		hb:        "0<2 1<3",
		reversals: "alternative for 5",
	},
}

func TestWorked(t *testing.T) {
	for _, w := range worked {
		t.Run(w.name, func(t *testing.T) {
			tr := written(t, w.trace)
			p := NewPath(NewTable())
			if err := p.Read(tr, 0); err != nil {
				t.Fatal(err)
			}
			if got := predecessors(p); got != w.hb {
				t.Errorf("happens before: %s, want %s", got, w.hb)
			}
			if got := reversals(p); got != w.reversals {
				t.Errorf("reversals: %s, want %s", got, w.reversals)
			}
		})
	}
}

// predecessors lists the immediate predecessors that steps have in other goroutines.
func predecessors(p *Path) string {
	var out []string
	for j := range p.Len() {
		for i := range j {
			if p.At(i).Meets(p.At(j)) || !p.Before(i, j) {
				continue
			}
			between := false
			for k := i + 1; k < j; k++ {
				between = between || p.Before(i, k) && p.Before(k, j)
			}
			if !between {
				out = append(out, fmt.Sprintf("%d<%d", i, j))
			}
		}
	}
	return strings.Join(out, " ")
}

// reversals lists what a search must try after an execution, as strategy dpor does.
func reversals(p *Path) string {
	var out []string
	var c Candidate
	var prefix Prefix
	look := func(name string, e int) {
		p.Begin(&prefix, &c, e)
		for !prefix.May(&c, false) {
			if prefix.Blocker < 0 {
				return
			}
			prefix.Exclude(prefix.Blocker)
		}
		if line := fmt.Sprintf("%s for %d", name, e); p.Tab.Dependent(p.At(e), &c.Transition) &&
			!slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	rivals := func(name string) {
		p.Rivals(&c, func(r Rival) bool {
			look(name, r.At)
			return false
		})
	}
	for j := range p.Len() {
		if len(p.At(j).Accesses) > 0 {
			p.Executed(&c, j)
			rivals(strconv.Itoa(j))
		}
	}
	for k := range p.Left() {
		p.Leftover(&c, k)
		rivals(fmt.Sprintf("left %d", k))
	}
	p.Alternatives(&c, func() bool { return false }, func(*Candidate) {
		if c.Done < p.Len() {
			look("alternative", c.Done)
		}
		rivals("alternative")
	})
	return strings.Join(out, "; ")
}

var wordOps = map[string]struct {
	op   trace.Op
	kind trace.ObjKind
	arg  int64
}{
	"lock": {trace.OpLock, trace.ObjMutex, 1}, "unlock": {trace.OpUnlock, trace.ObjMutex, 0},
	"trylock": {trace.OpTryLock, trace.ObjMutex, 1},
	"rlock":   {trace.OpRLock, trace.ObjRWMutex, 1}, "runlock": {trace.OpRUnlock, trace.ObjRWMutex, 0},
	"arrive": {trace.OpArrive, trace.ObjRWMutex, int64(trace.OpLock)},
	"wlock":  {trace.OpLock, trace.ObjRWMutex, 1},
	"load":   {trace.OpAtomicLoad, trace.ObjAtomic, 0}, "store": {trace.OpAtomicStore, trace.ObjAtomic, 0},
	"send": {trace.OpSend, trace.ObjChan, 0}, "recv": {trace.OpRecv, trace.ObjChan, 1},
	"close": {trace.OpClose, trace.ObjChan, 0},
	"wgadd": {trace.OpWGAdd, trace.ObjWaitGroup, 1}, "wgwait": {trace.OpWGWait, trace.ObjWaitGroup, 0},
	"once": {trace.OpOnce, trace.ObjOnce, 1}, "oncedone": {trace.OpOnceDone, trace.ObjOnce, 0},
	"condwait": {trace.OpCondWait, trace.ObjCond, 0}, "signal": {trace.OpSignal, trace.ObjCond, 1},
	"acquire": {trace.OpAcquire, trace.ObjSemaphore, 0}, "release": {trace.OpRelease, trace.ObjSemaphore, 0},
	"start": {trace.OpStart, 0, 0}, "gosched": {trace.OpGosched, 0, 0},
}

// written makes a trace of a text.
func written(t *testing.T, text string) *trace.Trace {
	t.Helper()
	tr := &trace.Trace{Goroutines: []trace.Goroutine{{Parent: trace.NoG}}, Objects: make([]trace.Object, 1)}
	names := map[string]trace.GID{"main": 0}
	objects := map[string]trace.ObjID{}
	object := func(word string, kind trace.ObjKind) trace.ObjID {
		if kind == 0 {
			return 0
		}
		id, ok := objects[word]
		if !ok {
			id = trace.ObjID(len(tr.Objects))
			objects[word] = id
			o := trace.Object{Kind: kind, G: trace.NoG, Addr: uintptr(0x1000 * int(id))}
			if _, n, ok := strings.Cut(word, "/"); ok {
				size, _ := strconv.Atoi(n)
				if kind == trace.ObjChan {
					o.Cap = int32(size)
				} else {
					o.Init = uint64(size)
				}
			}
			tr.Objects = append(tr.Objects, o)
		}
		return id
	}
	buffered := map[trace.ObjID][]int32{} // sends that were not received
	for line := range strings.Lines(strings.TrimSpace(text)) {
		f := strings.Fields(line)
		g, ok := names[f[0]]
		if !ok {
			t.Fatalf("%q: no such goroutine", line)
		}
		site := trace.Site(100 + len(tr.Steps) + len(tr.Offers))
		step := int32(len(tr.Steps))
		switch f[1] {
		case "go":
			n, _ := strconv.Atoi(f[2])
			child := trace.GID(len(tr.Goroutines))
			names[f[0]+"/"+f[2]] = child
			tr.Goroutines = append(tr.Goroutines, trace.Goroutine{Parent: g, N: int32(n), Site: site})
			tr.Steps = append(tr.Steps, trace.Step{G: g, Op: trace.OpGosched, Choice: -1, Site: site})
			tr.Events = append(tr.Events, trace.Event{G: g, Op: trace.OpGo, Arg: int64(child), Partner: -1,
				Site: site, Step: step})
			continue
		case "?":
			poll := f[2] == "poll"
			word := f[len(f)-2]
			w := wordOps[word]
			tr.Offers = append(tr.Offers, trace.Offer{G: g, Step: step - 1, Send: word == "send", Poll: poll,
				Obj: object(f[len(f)-1], w.kind)})
			continue
		case "left":
			w := wordOps[f[2]]
			tr.Left = append(tr.Left, trace.Left{G: g,
				Pending: trace.Pending{Op: w.op, Obj: object(f[3], w.kind), Site: site}, Step: step - 1})
			continue
		}
		w, ok := wordOps[f[1]]
		if !ok {
			t.Fatalf("%q: no such operation", line)
		}
		e := trace.Event{G: g, Op: w.op, Arg: w.arg, Partner: -1, Site: site, Step: step}
		st := trace.Step{G: g, Op: w.op, Choice: -1, Site: site}
		if len(f) > 2 {
			e.Obj = object(f[2], w.kind)
		}
		if last := f[len(f)-1]; last[0] == '=' {
			e.Arg, _ = strconv.ParseInt(last[1:], 10, 64)
		}
		ev := int32(len(tr.Events))
		if len(f) > 4 && f[3] == ">" {
			with := names[f[4]]
			st.With = int32(with) + 1
			e.Partner = ev + 1
			tr.Events = append(tr.Events, e, trace.Event{G: with, Op: trace.OpRecv, Arg: 1, Obj: e.Obj,
				Partner: ev, Site: site, Step: step})
			tr.Steps = append(tr.Steps, st)
			continue
		}
		switch {
		case w.op == trace.OpSend && e.Arg == 0:
			buffered[e.Obj] = append(buffered[e.Obj], ev)
		case w.op == trace.OpRecv && e.Arg == 1:
			e.Partner = buffered[e.Obj][0]
			buffered[e.Obj] = buffered[e.Obj][1:]
		}
		if w.kind == trace.ObjChan {
			tr.Offers = append(tr.Offers, trace.Offer{G: g, Step: announcedAt(tr, g),
				Send: w.op == trace.OpSend, Obj: e.Obj})
			if w.op == trace.OpClose {
				tr.Offers = tr.Offers[:len(tr.Offers)-1]
			}
		}
		tr.Events = append(tr.Events, e)
		tr.Steps = append(tr.Steps, st)
	}
	slices.SortStableFunc(tr.Offers, func(a, b trace.Offer) int { return int(a.Step - b.Step) })
	return tr
}

// announcedAt returns the last step of g, or the one that started it: at its end g announced what
// it does next.
func announcedAt(t *trace.Trace, g trace.GID) int32 {
	for i := len(t.Events) - 1; i >= 0; i-- {
		if e := &t.Events[i]; e.G == g || e.Op == trace.OpGo && trace.GID(e.Arg) == g {
			return e.Step
		}
	}
	return -1
}
