package dpor

import (
	"slices"
	"sort"

	"heddle/explore/transition"
)

// An execution of n transitions may have n²/16 reversals, and n goroutines that lock one mutex lead
// to wakeup sequences of n²/2 transitions. Most are for nodes to which the search comes back much
// later, or never. So a reversal is kept in a few bytes at its node, and becomes a wakeup sequence
// when the search comes back there. Until then the sleep set of the node and its transition are the
// same, and all that is to be inserted there is kept in order. So the wakeup tree is the same too.
//
// Later executions find most reversals of earlier nodes again. One whose sequence has the same
// transitions in the same order as one that is kept is left out: to insert a sequence twice changes
// nothing.

// A reversal is a wakeup sequence that was not made: the transitions of an execution after its
// node, without some that are excluded and all that happen after these; then a candidate.
type reversal struct {
	from      int32            // the execution: index in later.pasts
	candidate int32            // index in later.candidates
	out       [mostApart]int32 // what is excluded besides the transition of the node; else -1
}

// mostApart is up to how many exclusions a reversal may have besides the transition of its node.
const mostApart = 2

// later is what a strategy keeps for nodes to which it comes back.
type later struct {
	pasts []*transition.Past // nil: all reversals of this execution were inserted
	uses  []int              // by past: how many reversals are kept
	now   int32              // the execution of the path; -1 if it is not among pasts

	candidates []transition.Transition
	class      []int32            // by candidate: the first that is Equal to it
	older      []int32            // by candidate: the one before it that is the Same, -1
	newest     map[identity]int32 // of candidates

	kept  int // reversals at all nodes
	words int // memory of pasts, at least
	work  int // of isKept since the last execution

	trail trail
	rest  []int32 // see isKept: the transitions of a sequence from first on; first is -1 if not known
	first int
	found int // where isKept found the last one
}

// identity is what Transition.Same compares.
type identity struct {
	proc, with transition.Proc
	cases      [2]int16
	choice     int32
}

// Bounds on memory: of reversals, to 320 MB; of pasts, in words; of reversals that later executions
// add to one node. And up to how many transitions after a node sequences are inserted at once. They
// are variables for tests.
var (
	mostKept  = 20_000_000
	mostWords = 1 << 24
	mostMore  = 64
	fewKept   = 256
)

// begin forgets everything.
func (l *later) begin() {
	clear(l.newest)
	clear(l.pasts)
	*l = later{pasts: l.pasts[:0], uses: l.uses[:0], now: -1, newest: l.newest, words: 0,
		candidates: l.candidates[:0], class: l.class[:0], older: l.older[:0]}
}

// postpone keeps a reversal of the path for the time when the search comes back to node e. It
// reports whether it did.
func (s *Strategy) postpone(e int, prefix *transition.Prefix, c *transition.Transition) bool {
	at, l := &s.nodes[e], &s.later
	if at.busy || s.part != nil || len(s.others.traces) > 0 || s.path.Len()-e <= fewKept {
		return false
	}
	r := reversal{candidate: l.intern(c)}
	if !prefix.Besides(r.out[:]) {
		return false
	}
	if s.isKept(e, prefix, &r) {
		return true
	}
	if n := len(at.later); n == 0 {
		at.more = 0
	} else if at.later[n-1].from != l.now {
		if at.more++; int(at.more) > mostMore {
			at.busy = true
			return false
		}
	}
	if l.now < 0 {
		l.now = int32(len(l.pasts))
		l.pasts, l.uses = append(l.pasts, s.path.Past()), append(l.uses, 0)
	}
	r.from = l.now
	at.later = append(at.later, r)
	l.uses[l.now]++
	l.kept++
	s.full = s.full || l.kept > mostKept
	return true
}

// intern returns the index of a copy of t in candidates.
func (l *later) intern(t *transition.Transition) int32 {
	id := identity{t.Proc, t.With, [2]int16{t.Case, t.WithCase}, t.Choice}
	newest, ok := l.newest[id]
	if !ok {
		newest = -1
	}
	k := len(l.candidates)
	class := int32(k)
	for i := newest; i >= 0; i = l.older[i] {
		if u := &l.candidates[i]; u.Equal(t) {
			if class = l.class[i]; slices.Equal(u.Accesses, t.Accesses) && slices.Equal(u.Starts, t.Starts) {
				return i
			}
		}
	}
	if k < cap(l.candidates) {
		l.candidates = l.candidates[:k+1]
	} else {
		l.candidates = append(l.candidates, transition.Transition{})
	}
	l.candidates[k].Set(t)
	l.class, l.older = append(l.class, class), append(l.older, newest)
	if l.newest == nil {
		l.newest = make(map[identity]int32)
	}
	l.newest[id] = int32(k)
	return int32(k)
}

// isKept reports whether node e has a reversal with the sequence of r, which prefix has without its
// candidate. It looks first where it found the last one, then at the newest ones, and at none where
// that takes long.
func (s *Strategy) isKept(e int, prefix *transition.Prefix, r *reversal) bool {
	l, rs := &s.later, s.nodes[e].later
	l.first = -1
	for i := l.found + 1; i >= max(0, l.found-1); i-- {
		if i < len(rs) && s.isSame(e, prefix, r, &rs[i]) {
			l.found = i
			return true
		}
	}
	for i := len(rs) - 1; i >= 0 && l.work < 1<<24; i-- {
		if rs[i].from == l.now && i < len(rs)-2 {
			break // the path finds most only once, or twice in a row
		}
		if s.isSame(e, prefix, r, &rs[i]) {
			l.found = i
			return true
		}
	}
	return false
}

// isSame is isKept for one reversal.
func (s *Strategy) isSame(e int, prefix *transition.Prefix, r, q *reversal) bool {
	l := &s.later
	l.work++
	if l.class[q.candidate] != l.class[r.candidate] {
		return false
	}
	if q.from == l.now {
		return q.out == r.out
	}
	past := l.pasts[q.from]
	shared := past.Shared()
	if before(q.out, shared) != before(r.out, shared) {
		return false
	}
	if l.first != shared {
		l.first, l.rest = shared, prefix.Indices(l.rest[:0], shared)
	}
	l.work += 8 + len(l.rest)
	return past.Goes(l.rest, int32(e), q.out[0], q.out[1])
}

// before returns those of out that are less than end.
func before(out [mostApart]int32, end int) [mostApart]int32 {
	for i, x := range out {
		if int(x) >= end {
			out[i] = -1
		}
	}
	if out[0] < 0 {
		out[0], out[1] = out[1], out[0]
	}
	return out
}

// replace prepares what is kept for a path that shares only its first keep transitions with the
// present one.
func (s *Strategy) replace(keep int) {
	l := &s.later
	if l.now >= 0 && l.uses[l.now] == 0 {
		l.pasts[l.now] = nil
	}
	l.now, l.work = -1, 0
	for n := len(l.pasts); n > 0 && l.pasts[n-1] == nil; n-- {
		l.pasts, l.uses = l.pasts[:n-1], l.uses[:n-1]
	}
	first, end := len(l.pasts), keep
	for first > 0 && (l.pasts[first-1] == nil || l.pasts[first-1].Shared() > keep) {
		if first--; l.pasts[first] != nil {
			end = max(end, l.pasts[first].Shared())
		}
	}
	if l.words += s.path.Words(end - keep); l.words > mostWords {
		l.words = s.path.Words(end - keep)
		for _, p := range l.pasts {
			if p != nil {
				l.words += p.Words()
			}
		}
		if l.words > mostWords/2 {
			s.settleAll()
			return
		}
	}
	s.path.Replace(keep, l.pasts[first:])
}

// settleAll inserts the reversals of all nodes.
func (s *Strategy) settleAll() {
	for e := range s.nodes {
		s.settle(e)
	}
}

// settle inserts the reversals that were kept for node e.
func (s *Strategy) settle(e int) {
	at, l := &s.nodes[e], &s.later
	for rs := at.later; len(rs) > 0; {
		n, from := 1, rs[0].from
		for n < len(rs) && rs[n].from == from {
			n++
		}
		s.settleOf(e, l.pasts[from], rs[:n])
		l.kept -= n
		if l.uses[from] -= n; l.uses[from] == 0 && from != l.now {
			l.pasts[from] = nil
		}
		rs = rs[n:]
	}
	if at.later = nil; l.kept == 0 {
		l.begin()
	}
}

// settleOf is settle for reversals of one execution.
func (s *Strategy) settleOf(e int, past *transition.Past, rs []reversal) {
	l, t := &s.later, &s.later.trail
	*t = trail{0, append(t.stops[:0], stop{&s.nodes[e].tree, e + 1}), t.met[:0]}
	for range s.nodes[e].sleep.n {
		t.met = append(t.met, many)
	}
	for i := range rs {
		r := &rs[i]
		whole := past.Len()
		for _, x := range r.out {
			if x >= 0 {
				whole = min(whole, int(x))
			}
		}
		at := sort.Search(len(t.stops), func(i int) bool { return t.stops[i].next > whole }) - 1
		s.index, s.v = past.Without(s.index[:0], t.stops[at].next, int32(e), r.out[0], r.out[1]), s.v[:0]
		for _, k := range s.index {
			s.v = append(s.v, past.At(int(k)))
		}
		s.v = append(s.v, &l.candidates[r.candidate])
		if s.lateAfter(len(s.v)) {
			return
		}
		s.goAlong(t, at, whole, e)
	}
}

// branches returns how many branches the wakeup tree has, as far as it was made.
func (at *node) branches() int {
	if len(at.tree) == 0 && len(at.later) > 0 {
		return 1
	}
	return len(at.tree)
}
