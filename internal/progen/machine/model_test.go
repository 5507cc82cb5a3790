package machine

import (
	"errors"
	"fmt"
	"testing"

	"heddle/internal/progen"
	"heddle/model"
	"heddle/trace"
)

// TestModel compares rt/sched, which has its own representation of every primitive, with package
// model. In native and exhaustive executions of random programs every event must have an
// applicable rule with the same outcome, and in a deadlock no rule may apply to a pending
// operation.
func TestModel(t *testing.T) {
	ops := map[trace.Op]int{}
	for seed := *from; seed < *from+uint64(*seeds); seed++ {
		p := progen.Generate(seed, size(seed))
		for _, exhaustive := range []bool{false, true} {
			n, bad := 0, ""
			_, _, err := New(p).Exhaust(exhaustive, 300, func(t *trace.Trace) {
				if n++; bad == "" && n <= 300 {
					bad = breaks(t, exhaustive, ops)
				}
			})
			if err != nil && !errors.Is(err, ErrTooMany) {
				t.Fatal(err)
			}
			if bad != "" {
				t.Fatalf("seed %d, exhaustive %v: %s\n%s", seed, exhaustive, bad, progen.Source(p))
			}
		}
	}
	for _, op := range []trace.Op{
		trace.OpLock, trace.OpTryLock, trace.OpUnlock, trace.OpRLock, trace.OpRUnlock, trace.OpTryRLock,
		trace.OpArrive, trace.OpSend, trace.OpRecv,
		trace.OpClose, trace.OpWGAdd, trace.OpWGWait, trace.OpOnce, trace.OpOnceDone, trace.OpCondWait,
		trace.OpSignal, trace.OpBroadcast,
	} {
		if ops[op] == 0 {
			t.Errorf("no execution has %v", op)
		}
	}
}

// breaks returns where an execution differs from the model, or "".
func breaks(t *trace.Trace, exhaustive bool, ops map[trace.Op]int) string {
	states := make([]model.State, len(t.Objects))
	objects := make([]model.Object, len(t.Objects))
	for i := range t.Objects {
		o := &t.Objects[i]
		objects[i] = model.Object{Kind: o.Kind, Cap: o.Cap, Init: o.Init}
		states[i] = model.Of(o.Kind).Start(&objects[i])
	}
	for i := range t.Events {
		e := &t.Events[i]
		if e.Obj == 0 || e.Op == trace.OpSelect || e.Op == trace.OpResume {
			continue
		}
		def, o := model.Of(objects[e.Obj].Kind), &objects[e.Obj]
		r, outcome, next := def.Step(o, states[e.Obj], e.Op, int32(e.Arg))
		if !exhaustive && r == nil && e.Op == trace.OpRecv && e.Partner >= 0 {
			// The receiver was waiting: the sender's value never enters the buffer.
			r, outcome, next = def.Rule(o, e.Op, int32(e.Arg)), int32(e.Arg),
				def.After(o, states[e.Obj], e.Op, int32(e.Arg))
		}
		ops[e.Op]++
		switch {
		case r == nil:
			return fmt.Sprintf("event %d, %v by %s: %v in state %v would wait", i, e.Op, t.Name(e.G), o.Kind,
				states[e.Obj])
		case outcome != int32(e.Arg):
			return fmt.Sprintf("event %d, %v by %s: outcome %d, %v in state %v has %d", i, e.Op, t.Name(e.G),
				e.Arg, o.Kind, states[e.Obj], outcome)
		}
		states[e.Obj] = next
	}
	if t.Verdict != trace.Deadlocked && t.Verdict != trace.Finished {
		return ""
	}
	for i := range t.Left {
		l := &t.Left[i]
		def, o := model.Of(objects[l.Obj].Kind), &objects[l.Obj]
		if l.Obj == 0 || !def.Waits(l.Op) {
			continue
		}
		if r, _, _ := def.Step(o, states[l.Obj], l.Op, 0); r != nil && !r.Meets {
			return fmt.Sprintf("%s waits for %v for ever, which is possible in state %v of the %v",
				t.Name(l.G), l.Op, states[l.Obj], o.Kind)
		}
	}
	return ""
}
