package bound

import (
	"slices"

	"heddle/explore/transition"
)

// seen finds the states of a search that are alike: they have the same cut, the same goroutine made
// the last step, and where delays count goroutines were started in the same order. Memory is used
// again by the next search.
type seen struct {
	slots []slot // open addressing, a power of two
	n     int
	turn  uint32 // the search; slots of others are empty

	orders map[string]int32 // numbers of orders in which goroutines were started
	key    []byte
	order  []int32 // by state, where delays count
}

type slot struct {
	turn uint32
	any  bool  // it stands for all states with its cut: it was looked at first
	at   int32 // index in within.states
}

func (s *seen) reset() {
	if s.turn++; s.turn == 0 || s.slots == nil {
		s.slots, s.turn = make([]slot, max(64, len(s.slots))), 1
	}
	s.n, s.order = 0, s.order[:0]
}

// weight is what one transition of g adds to the hash of a cut.
func weight(g transition.Proc) uint64 {
	x := (uint64(g) + 1) * 0x9e3779b97f4a7c15
	x ^= x >> 29
	return x*0xbf58476d1ce4e5b9 | 1
}

// add adds st, which becomes the next of w.states, unless one that is like it costs no more. It
// reports whether it did.
func (s *seen) add(w *within, st *state) bool {
	order := int32(0)
	if w.opt.Delays >= 0 {
		order = s.started(w, st)
	}
	if 2*(s.n+1) > len(s.slots) {
		s.grow(w)
	}
	i := s.first(st)
	for ; s.slots[i].turn == s.turn; i = (i + 1) & (len(s.slots) - 1) {
		at := s.slots[i].at
		k := &w.states[at]
		if !s.slots[i].any && k.hash == st.hash && k.cur == st.cur && k.draw == st.draw &&
			k.cost.most(st.cost) && slices.Equal(k.cut, st.cut) &&
			(w.opt.Delays < 0 || s.order[at] == order) {
			return false
		}
	}
	s.slots[i] = slot{s.turn, false, int32(len(w.states))}
	s.n++
	if w.opt.Delays >= 0 {
		s.order = append(s.order, order)
	}
	return true
}

// dearer reports whether another state with the same cut costs less than state at, which is about
// to be looked at. From there all that can follow costs at most one more: the switch to what is
// next.
func (s *seen) dearer(w *within, at int32) bool {
	st := w.states[at]
	st.cur = transition.NoProc
	if 2*(s.n+1) > len(s.slots) {
		s.grow(w)
	}
	i := s.first(&st)
	for ; s.slots[i].turn == s.turn; i = (i + 1) & (len(s.slots) - 1) {
		if k := &w.states[s.slots[i].at]; s.slots[i].any && k.hash == st.hash && slices.Equal(k.cut, st.cut) {
			return k.cost.preemptions < st.cost.preemptions
		}
	}
	s.slots[i] = slot{s.turn, true, at}
	s.n++
	return false
}

// first is the slot where st is looked for first.
func (s *seen) first(st *state) int {
	h := (st.hash + uint64(st.cur)*0x94d049bb133111eb) * 0x9e3779b97f4a7c15
	return int(h>>32) & (len(s.slots) - 1)
}

func (s *seen) grow(w *within) {
	old := s.slots
	s.slots = make([]slot, 2*len(old))
	for _, x := range old {
		if x.turn != s.turn {
			continue
		}
		st := w.states[x.at]
		if x.any {
			st.cur = transition.NoProc
		}
		i := s.first(&st)
		for s.slots[i].turn == s.turn {
			i = (i + 1) & (len(s.slots) - 1)
		}
		s.slots[i] = x
	}
}

// started numbers the order in which goroutines were started before st.
func (s *seen) started(w *within, st *state) int32 {
	if s.orders == nil {
		s.orders = map[string]int32{}
	}
	b := s.key[:0]
	for _, g := range w.started(st) {
		b = append(b, byte(g), byte(g>>8))
	}
	s.key = b
	n, ok := s.orders[string(b)]
	if !ok {
		n = int32(len(s.orders))
		s.orders[string(b)] = n
	}
	return n
}
