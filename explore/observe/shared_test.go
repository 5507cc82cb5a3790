package observe

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"

	"heddle/explore/transition"
	"heddle/internal/progen"
	"heddle/internal/progen/machine"
	"heddle/trace"
)

// TestShared compares the search with one that reads each execution from its start, execution by
// execution, on random programs. In every other one an execution is changed somewhere, as that of a
// program that does not do the same again: both must notice it, or both not.
func TestShared(t *testing.T) {
	most := mostCompared
	defer func() { mostCompared = most }()
	n, noticed, shared := uint64(4000), 0, 0
	if testing.Short() {
		n = 800
	}
	for seed := range n {
		size := progen.Default
		size.Loose, size.Statements = true, 8
		kind := seed / 2 % 8
		size.Selects, size.Guarded, size.Updates = kind == 1, kind == 2, kind == 3
		size.Maps, size.Slots, size.Twins, size.Timers = kind == 4, kind == 5, kind == 6, kind == 7
		m := machine.New(progen.Generate(seed, size))
		m.Sync, m.Free = true, size.Timers
		r := rand.New(rand.NewPCG(seed, 7))
		at := -1
		if seed%2 == 1 {
			at = 2 + r.IntN(3)
		}
		o := Options{Free: size.Timers, Twins: size.Twins, States: 1 << 12}
		a, b := New(o), New(o)
		for made := 0; made < 300; made++ {
			x, y := a.Next(), b.Next()
			if !reflect.DeepEqual(x, y) {
				t.Fatalf("seed %d, execution %d: %+v, want %+v", seed, made, x, y)
			}
			if x == nil || a.other != nil {
				break
			}
			tr, err := m.Execute(context.Background(), x)
			if err != nil || m.Restart() {
				break
			}
			tr = transition.Copy(tr)
			if made == at {
				tamper(r, tr)
			}
			mostCompared = most
			a.Done(tr)
			shared += len(a.lesson.last.taken)
			mostCompared = -1
			b.Done(tr)
			if made == at { // no strategy is to go on with that
				a.made.Forget()
				b.made.Forget()
			}
			if a.Why != b.Why {
				t.Fatalf("seed %d, execution %d: %q, want %q", seed, made, a.Why, b.Why)
			}
			if at >= 0 && made >= at && a.Why != "" {
				noticed++
			}
		}
		if p, q := a.Result(), b.Result(); p != q {
			t.Fatalf("seed %d: %+v, want %+v", seed, p, q)
		}
	}
	t.Logf("%d changes were noticed", noticed)
	if noticed < int(n)/80 || shared == 0 {
		t.Errorf("%d changes were noticed, %d transitions kept", noticed, shared)
	}
}

// tamper changes one thing in an execution.
func tamper(r *rand.Rand, t *trace.Trace) {
	for range 20 {
		switch r.IntN(12) {
		case 0, 1:
			switch e := &t.Events[r.IntN(len(t.Events))]; e.Op {
			case trace.OpAtomicLoad, trace.OpAtomicStore, trace.OpAtomicRMW, trace.OpTryLock:
				e.Arg++
				return
			}
		case 2, 3:
			if n := len(t.Plain); n > 0 {
				p := &t.Plain[r.IntN(n)]
				p.Write = !p.Write
				return
			}
		case 4:
			if n := len(t.Plain); n > 0 {
				t.Plain[r.IntN(n)].Mem.Offset += 64
				return
			}
		case 5:
			if n := len(t.Sent); n > 0 {
				t.Sent[r.IntN(n)].Number++
				return
			}
		case 6:
			if n := len(t.Updates); n > 0 {
				t.Updates[r.IntN(n)].By++
				return
			}
		case 7, 8, 9, 10: // an operation is on another object
			e, id := &t.Events[r.IntN(len(t.Events))], trace.ObjID(r.IntN(len(t.Objects)+1))
			if int(id) >= len(t.Objects) {
				continue
			}
			if e.Obj != 0 && id != 0 && id != e.Obj && t.Objects[id].Kind == t.Objects[e.Obj].Kind {
				e.Obj = id
				return
			}
		case 11:
			if n := len(t.Objects); n > 1 {
				t.Objects[1+r.IntN(n-1)].Init++
				return
			}
		}
	}
}
