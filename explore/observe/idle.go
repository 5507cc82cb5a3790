package observe

import (
	"encoding/binary"
	"slices"

	"heddle/explore/transition"
	"heddle/trace"
)

// Waits for all others (synctest.Wait): such a goroutine, an idler, can go on where no other one
// can, before time passes. What the others had done until then happened before what it does next.
// They have made no step, so a state has for each of them the goroutines that know what it accessed
// in its last step: the idlers since then, and those that they started.

// idles returns the item that stands for a moment in which all are blocked: a goroutine waits for
// it as for a WaitGroup whose counter no goroutine takes to zero while one can make a step.
func (p *program) idles() int32 {
	if p.rest < 0 {
		p.rest = p.allocation(itemKey{obj: -1, n: rests})
	}
	return p.rest
}

// pauses reports whether a goroutine that makes the step from a node has waited for others: what it
// does after it comes after what they do before.
func (n *node) pauses() bool { return n.waits() || n.op.class == idling }

// idler returns the goroutine that waits for all others, NoProc if there is none.
func (s *state) idler() transition.Proc {
	if s.p.rest < 0 {
		return transition.NoProc
	}
	for proc, n := range s.local {
		if n.op.class == idling && s.at[proc] != 0 {
			return transition.Proc(proc)
		}
	}
	return transition.NoProc
}

// alive returns how many goroutines there are that have not ended.
func (s *state) alive() (n int32) {
	for proc, x := range s.local {
		if s.at[proc] != 0 && !s.p.tab.IsTimer(transition.Proc(proc)) && x.op.class != ended &&
			x.op.class != crashed {
			n++
		}
	}
	return n
}

// idle is what the step of an idler does beside its edge: goroutines that wait at channels have
// arrived there, and it knows what they have accessed.
func (s *state) idle(proc transition.Proc) {
	s.rankAll()
	for other, n := range s.local {
		if s.at[other] != 0 && transition.Proc(other) != proc && len(n.window) > 0 {
			s.tell(int32(other), proc)
		}
	}
}

// tell notes that a goroutine knows what another one has accessed in its last step.
func (s *state) tell(of int32, to transition.Proc) {
	old := s.p.knowers[s.past[of]]
	if i, has := slices.BinarySearch(old, to); !has {
		s.rePast(of, s.p.knowing(slices.Insert(slices.Clone(old), i, to)))
	}
}

// inheritsPast makes a goroutine that another one starts know what that knows.
func (s *state) inheritsPast(from, to transition.Proc) {
	for other, k := range s.past {
		if k != 0 && slices.Contains(s.p.knowers[k], from) {
			s.tell(int32(other), to)
		}
	}
}

// rePast gives a goroutine another set of those that know; see knowing.
func (s *state) rePast(of, k int32) {
	s.trail = append(s.trail, change{what: ofPast, i: of, old: s.past[of]})
	s.setPast(of, k)
}

func (s *state) setPast(of, k int32) {
	s.past[of] = k
	if s.census.on {
		s.localState(transition.Proc(of))
	}
}

// knowing returns the number of a set of goroutines, which is in order.
func (p *program) knowing(set []transition.Proc) int32 {
	b := p.text[:0]
	for _, proc := range set {
		b = binary.AppendUvarint(b, uint64(proc))
	}
	p.text = b
	k, has := p.knowersOf[string(b)]
	if !has {
		k = int32(len(p.knowers))
		p.knowers = append(p.knowers, set)
		p.knowersOf[string(b)] = k
	}
	return k
}

// knows reports whether what a goroutine accessed in its last step happened before all that proc
// does. If it does not know, and another goroutine does, it may know by that one in some of the
// orders that lead to the state.
func (s *state) knows(proc, of transition.Proc) bool {
	return slices.Contains(s.p.knowers[s.past[of]], proc)
}

// idled checks the outcome of a step of an idler: how many goroutines had not ended.
func (l *lesson) idled(j int, proc transition.Proc, x *step) (reason string) {
	e := l.eventOf(j, proc)
	if e == nil || e.Op != trace.OpIdle || e.Arg != int64(x.outcome) {
		return "other goroutines have ended than the model expects"
	}
	return ""
}
