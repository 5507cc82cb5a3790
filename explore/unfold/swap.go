package unfold

import (
	"heddle/explore/unfold/net"
	"heddle/model"
	"heddle/symbolic"
	"heddle/trace"
)

// CompareAndSwaps whose outcome depends on the input: the value in the atomic, or the one that it
// is compared with, was computed from the input. Such a CompareAndSwap has two outcomes, as a
// branch has: it reads the atomic's condition, or takes it. The condition on the input depends on
// the write that it reads, so it is known once an execution has shown one of the two outcomes.

// A swap is a CompareAndSwap by the goroutine at t that reads condition x.
type swap struct{ t, x net.Cond }

// varies reports whether c is a CompareAndSwap whose outcome depends on the input.
func (s *Strategy) varies(c *call) bool { return c.op == trace.OpAtomicCAS && s.varying[c.obj] }

// swapAt returns the swap of event e, whatever its outcome; ok is false if e is none.
func (s *Strategy) swapAt(e net.Event) (x swap, ok bool) {
	if len(s.varying) == 0 {
		return x, false
	}
	arcs := s.net.Arcs(e)
	if c, _ := s.callAt(arcs[0].Cond()); !s.varies(c) {
		return x, false
	}
	return swap{arcs[0].Cond(), arcs[1].Cond()}, true
}

// swapping returns the condition on the input under which e swaps; ok is false if e is no such
// CompareAndSwap, or the condition is not known yet.
func (s *Strategy) swapping(e net.Event) (c symbolic.Term, ok bool) {
	x, ok := s.swapAt(e)
	if ok {
		c, ok = s.inputs.swaps[x]
	}
	return c, ok
}

// undecided reports whether e is a CompareAndSwap whose condition is not known yet.
func (s *Strategy) undecided(e net.Event) bool {
	x, ok := s.swapAt(e)
	_, known := s.inputs.swaps[x]
	return ok && !known
}

// cameOutOtherwise reports whether e was not shown, but the other outcome of its CompareAndSwap
// was.
func (s *Strategy) cameOutOtherwise(e net.Event) bool {
	_, ok := s.swapping(e)
	return ok && !s.net.Shown(e)
}

// noteSwap records the condition of e, transition j, if it is a CompareAndSwap whose outcome
// depends on the input. It is no branch if the compared values do not depend on the input, or an
// earlier branch implies the outcome.
func (s *Strategy) noteSwap(e net.Event, j int) {
	x, ok := s.swapAt(e)
	if !ok {
		return
	}
	if b := s.read.swap[int32(s.path.Step(j))]; b != nil {
		s.inputs.swaps[x] = b.If
	} else {
		s.inputs.swaps[x] = s.opt.Inputs.Table.Bool(s.path.At(j).Accesses[0].Mode == model.Write)
	}
}

// decidesSwap reports whether an event of t is the branch of a CompareAndSwap, of an atomic in
// varying.
func (s *Strategy) decidesSwap(t *trace.Trace, event int) bool {
	if event == 0 || len(s.varying) == 0 {
		return false
	}
	e := &t.Events[event-1]
	return s.branchOfSwap(t, event-1) && s.varying[s.tab.Looked(t, e.Obj)]
}

// branchOfSwap reports whether an event of t is a CompareAndSwap followed by the branch on its
// outcome.
func (s *Strategy) branchOfSwap(t *trace.Trace, event int) bool {
	if event+1 == len(t.Events) {
		return false
	}
	e, b := &t.Events[event], &t.Events[event+1]
	if e.Step < 0 || t.Steps[e.Step].Op != trace.OpAtomicCAS || e.Op != trace.OpAtomicLoad &&
		e.Op != trace.OpAtomicRMW {
		return false
	}
	return b.Op == trace.OpBranch && b.G == e.G && b.Site == e.Site
}

// learnVarying reports whether a CompareAndSwap turned out to depend on the input where that was
// not known.
func (s *Strategy) learnVarying(t *trace.Trace) (changed bool) {
	if s.opt.Inputs == nil {
		return false
	}
	for _, c := range t.Compares {
		if !s.branchOfSwap(t, int(c.Event)) {
			continue
		}
		if obj := s.tab.Looked(t, t.Events[c.Event].Obj); !s.varying[obj] {
			s.varying[obj], changed = true, true
		}
	}
	return changed
}
