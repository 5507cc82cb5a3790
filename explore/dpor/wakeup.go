package dpor

import "heddle/explore/transition"

// A wakeup is a node of a wakeup tree (section 6.1 of the paper): a transition to execute, and the
// trees to execute after it.
type wakeup struct {
	t    transition.Transition
	tree []*wakeup
	kind kind // in a search in parts
}

// A kind says what is known of the exploration of a wakeup in a search in parts.
type kind uint8

const (
	inner kind = iota // sequences may be inserted below
	whole             // another strategy explores everything that begins with it
)

func (s *Strategy) newWakeup(t *transition.Transition) *wakeup {
	if n := len(s.free); n > 0 {
		w := s.free[n-1]
		s.free = s.free[:n-1]
		w.t.Set(t)
		w.kind = inner
		return w
	}
	w := new(wakeup)
	w.t.Set(t)
	if s.wakeups++; s.wakeups == mostWakeups {
		s.full = true
	}
	return w
}

// mostWakeups bounds the memory of wakeup trees, to about 600 MB. The first execution of n
// goroutines that lock one mutex leads to n²/2. It is a variable for tests.
var mostWakeups = 1 << 22

func (s *Strategy) freeAll(ws []*wakeup) {
	for _, w := range ws {
		s.freeAll(w.tree)
		w.tree = w.tree[:0]
		s.free = append(s.free, w)
	}
}

// initial reports whether q is a weak initial of v: some execution that continues v is equivalent
// to one that begins with q. at is its index in v, -1 if q is not in v but independent of all of
// it.
func initial(tab *transition.Table, q *transition.Transition, v []*transition.Transition) (at int, ok bool) {
	for i, t := range v {
		if q.Meets(t) {
			return i, q.Same(t)
		}
		if tab.Dependent(q, t) {
			return 0, false
		}
	}
	return -1, true
}

// asleep reports whether a transition of a sleep set is a weak initial of v.
func (s *Strategy) asleep(sleep []transition.Transition, v []*transition.Transition) bool {
	for i := range sleep {
		if _, ok := initial(s.tab, &sleep[i], v); ok {
			return true
		}
	}
	return false
}

// insert makes sure that an execution is made that begins with the path up to i and continues with
// v, or with an equivalent of a continuation of v (definition 6.3 of the paper, and the check
// before it in algorithm 2).
func (s *Strategy) insert(i int, v []*transition.Transition) {
	at := &s.nodes[i]
	if _, ok := initial(s.tab, s.path.At(i), v); ok || s.asleep(at.sleep.all(), v) {
		return
	}
	if i < s.base() {
		s.insertAbove(at, v)
		return
	}
	for tree := &at.tree; ; {
		// below thousands of steps, among hundreds of goroutines, this takes long
		if s.lateAfter(len(*tree)*len(v)>>4 + 1) {
			return
		}
		w, rest := s.match(*tree, v)
		switch {
		case w == nil:
			s.chain(tree, v)
			return
		case len(w.tree) == 0 || len(rest) == 0:
			return
		}
		tree, v = &w.tree, rest
	}
}

// match returns the first of trees that is a weak initial of v, nil if none is, and the rest of v
// after it. It changes v.
func (s *Strategy) match(trees []*wakeup, v []*transition.Transition) (w *wakeup,
	rest []*transition.Transition) {
	for _, w := range trees {
		if k, ok := initial(s.tab, &w.t, v); ok {
			return w, without(v, k)
		}
	}
	return nil, v
}

// without returns v without its k-th transition, all of v if k < 0. It changes v. What comes before
// the k-th is little: the rest is not moved.
func without(v []*transition.Transition, k int) []*transition.Transition {
	if k < 0 {
		return v
	}
	copy(v[1:k+1], v[:k])
	return v[1:]
}

// chain adds v to a tree as a branch.
func (s *Strategy) chain(tree *[]*wakeup, v []*transition.Transition) {
	drawFirst(v)
	for _, t := range v {
		w := s.newWakeup(t)
		*tree = append(*tree, w)
		tree = &w.tree
	}
}

// drawFirst moves a draw to the front if v does not have the step of its goroutine: nothing comes
// between a step and its draws.
func drawFirst(v []*transition.Transition) {
	for i, t := range v {
		if t.Choice < 0 {
			continue
		}
		for _, u := range v[:i] {
			if u.Involves(t.Proc) {
				t = nil
				break
			}
		}
		if t != nil {
			copy(v[1:i+1], v[:i])
			v[0] = t
			return
		}
	}
}
