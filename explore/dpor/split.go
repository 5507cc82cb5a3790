package dpor

import (
	"bytes"
	"errors"

	"heddle/explore/transition"
)

// Splitting a search. Whoever hands out holds a Tree: wakeup trees whose leaves
// are with those who explore what is below them. Such a strategy has entries, one for each of its
// leaves: the path to it, and what is left below. What it finds that is to be
// inserted above its leaf goes back with the result. docs/rooms/dpor.md says why
// that is exact.

// A part is what a strategy knows that explores entries of a search.
type part struct {
	entries  []*entry
	at       int // the entry that is explored; those before are done
	base     int // length of the path to its leaf: nodes before are somebody else's
	outdated bool

	// led: the next execution has nothing to do with the last one. Its first keep transitions are lead.
	led   bool
	lead  []transition.Transition
	early []transition.Proc // goroutines started before the first step

	held []byte // what is left of the entry, as it was given back; the rest of it is in memory
}

// An entry is one leaf of a Tree.
type entry struct {
	base, keep, made int
	lead             []transition.Transition
	nodes            []node
	branch           []*wakeup
	state            []byte

	found []above // when it is done: what is to be inserted above its leaf
}

// above is what is to be inserted at a node.
type above struct {
	depth int
	trees []*wakeup
}

// What became of an entry.
const (
	untouched = iota
	done
	left
)

var (
	errPart  = errors.New("what is to be explored is no part of a search")
	errOther = errors.New("what leads to a part of the search came out otherwise")
)

// NewPart returns a strategy that explores what Take gives it, and nothing else.
// Table().Know must have been told what whoever began the search knew (Known). It
// does not begin anew when it learns more: it ends, and Outdated says so.
func NewPart(o Options) *Strategy {
	s := New(o)
	s.part, s.over = new(part), true
	return s
}

// Outdated reports whether a strategy that explores a part has learnt that more
// operations depend on each other: the whole search is to begin anew.
func (s *Strategy) Outdated() bool { return s.part != nil && s.part.outdated }

// Broken reports whether a strategy that explores a part ended before everything was explored; the Reason of its Result says why.
func (s *Strategy) Broken() bool { return s.over && s.part != nil && s.part.at < len(s.part.entries) }

// base is how many nodes are not this strategy's.
func (s *Strategy) base() int {
	if s.part == nil {
		return 0
	}
	return s.part.base
}

// shared is how many transitions the next execution shares with the last.
func (s *Strategy) shared() int {
	if s.led() {
		return 0
	}
	return s.keep
}

func (s *Strategy) led() bool { return s.part != nil && s.part.led }

// at returns the i-th transition of the next execution, of those before the branch.
func (s *Strategy) at(i int) *transition.Transition {
	if s.led() {
		return &s.part.lead[i]
	}
	return s.path.At(i)
}

func (s *Strategy) early() []transition.Proc {
	if s.led() {
		return s.part.early
	}
	return s.path.Early()
}

// followed reports as an error that an execution did not begin as it was to.
func (s *Strategy) followed() error {
	if !s.led() {
		return nil
	}
	if s.path.Len() < s.keep {
		return errOther
	}
	for i := range s.keep {
		if !s.part.lead[i].Equal(s.path.At(i)) {
			return errOther
		}
	}
	return nil
}

// arrive notes that the path is the strategy's own from now on.
func (s *Strategy) arrive() {
	if s.part != nil {
		s.part.led = false
	}
}

// insertAbove is insert at a node that somebody else holds: what is not known to
// be explored is to go there. Of two sequences of which one execution has both it is that one's.
func (s *Strategy) insertAbove(at *node, v []*transition.Transition) {
	if s.elsewhere(at.others, append([]*transition.Transition(nil), v...)) {
		return
	}
	tree := &at.found
	for {
		w, rest := s.match(*tree, v)
		if w == nil {
			break
		}
		if v = rest; len(v) == 0 {
			return
		}
		if tree = &w.tree; len(*tree) == 0 {
			w.kind = inner
			break
		}
	}
	s.chain(tree, v)
}

// elsewhere reports whether somebody explores what begins with v, or with something equivalent. It changes v.
func (s *Strategy) elsewhere(tree []*wakeup, v []*transition.Transition) bool {
	for {
		w, rest := s.match(tree, v)
		switch {
		case w == nil:
			return false
		case w.kind == whole || len(rest) == 0:
			return true
		}
		tree, v = w.tree, rest
	}
}

// nextEntry goes on with the next entry, when nothing is left of the last, and reports whether there is one.
func (s *Strategy) nextEntry() bool {
	p := s.part
	p.entries[p.at].found = s.found()
	p.at++
	if p.at == len(p.entries) {
		return false
	}
	s.load(p.entries[p.at])
	return true
}

// found returns what is to be inserted above the leaf and was not told yet.
func (s *Strategy) found() (all []above) {
	for i := range s.base() {
		if trees := fresh(s.nodes[i].found); len(trees) > 0 {
			all = append(all, above{i, trees})
		}
	}
	return all
}

// fresh returns those of trees that have leaves that were not told, without the others; they are from now on.
func fresh(trees []*wakeup) (some []*wakeup) {
	for _, w := range trees {
		if len(w.tree) > 0 {
			if below := fresh(w.tree); len(below) > 0 {
				some = append(some, &wakeup{t: w.t, tree: below})
			}
		} else if w.kind != told {
			some = append(some, &wakeup{t: w.t})
			w.kind = told
		}
	}
	return some
}

// load makes an entry what is explored.
func (s *Strategy) load(x *entry) {
	p := s.part
	clear(s.nodes)
	s.free = nil // with what was read, it would grow from one entry to the next
	for len(s.nodes) < len(x.nodes) {
		s.nodes = append(s.nodes, node{})
	}
	copy(s.nodes, x.nodes)
	s.keep, s.branch, s.made, s.over = x.keep, x.branch, x.made, false
	p.base, p.led, p.lead, p.held = x.base, true, x.lead, nil
	x.lead, x.nodes, x.branch = nil, nil, nil
}

// Split says what became of what s was to explore, for Tree.Take, when what is
// left is to be in n pieces at least, if that can be. s goes on with one of them if it is told to (Take) before
// it is told to do something else. It must not be called between Next and Done.
func (s *Strategy) Split(n int) []byte {
	if s.part == nil {
		s.part = &part{entries: []*entry{{}}}
		if s.over && s.result.Reason.None() {
			s.part.at = 1
		}
	}
	p := s.part
	e := transition.NewEncoder(s.tab)
	e.Procs(s.early())
	e.Uint(len(p.entries))
	for i, x := range p.entries {
		switch {
		case i < p.at:
			e.Uint(done)
			putAbove(e, x.found)
		case i == p.at:
			e.Uint(left)
			putAbove(e, s.found())
			s.give(e, n-len(p.entries)+p.at+1)
		default:
			e.Uint(untouched)
		}
	}
	return e.B
}

// give writes down what is left of the entry, as n pieces if that can be: all branches of
// its first nodes, which are somebody else's from then on, and what s goes on with. First comes what leads to the
// leaf: whom an operation starts is known only once it was done.
func (s *Strategy) give(e *transition.Encoder, n int) {
	p := s.part
	if p.base > 0 {
		e.Transition(s.at(p.base - 1))
	}
	to := s.boundary(n)
	s.advance(to)
	sizes := s.sizes()
	e.Uint(to - p.base)
	var last []transition.Transition
	for i := p.base; i < to; i++ {
		at := &s.nodes[i]
		putSleep(e, last, at.sleep.all())
		last = at.sleep.all()
		e.Uint(int(sizes[i-p.base]))
		putTrees(e, at.tree)
		e.Transition(s.at(i))
	}
	for i := p.base; i < to; i++ {
		at := &s.nodes[i]
		handOut(at.tree)
		at.others, at.tree = at.tree, nil
	}
	if to > p.base {
		s.forget(s.nodes[to].since)
	}
	rest := s.estimate()
	if s.made == 0 && to > p.base {
		rest = sizes[to-1-p.base]
	}
	e.Uint(int(min(max(rest-float64(s.made), 1), most)))
	p.base = to
	p.held = s.state()
	e.Bytes(p.held)
}

// forget takes n executions out of those that count for the estimate.
func (s *Strategy) forget(n int) {
	s.made -= n
	for i := range s.nodes {
		s.nodes[i].since -= n
	}
}

// most bounds what is said of how many executions there will be.
const most = 1e15

// handOut notes that the leaves are explored by others.
func handOut(trees []*wakeup) {
	for _, w := range trees {
		if len(w.tree) == 0 {
			w.kind = whole
		}
		handOut(w.tree)
	}
}

// boundary returns how many nodes are to be given away, so that n-1 leaves are at least, or all.
func (s *Strategy) boundary(n int) int {
	to := s.base()
	for i, count := to, 0; i < s.keep+len(s.branch) && i < len(s.nodes) && count < n-1; i++ {
		if k := countLeaves(s.nodes[i].tree); k > 0 {
			count += k
			to = i + 1
		}
	}
	return to
}

func countLeaves(trees []*wakeup) (n int) {
	for _, w := range trees {
		if len(w.tree) == 0 {
			n++
		}
		n += countLeaves(w.tree)
	}
	return n
}

// advance makes the first of the branch part of what the next execution begins with, so that
// nodes before i are complete.
func (s *Strategy) advance(i int) {
	if i <= s.keep {
		return
	}
	p := s.part
	if !p.led {
		p.early = append(p.early[:0], s.path.Early()...)
		p.lead = make([]transition.Transition, s.keep)
		for k := range p.lead {
			p.lead[k].Set(s.path.At(k))
		}
		p.led = true
	}
	for s.keep < i {
		p.lead = append(p.lead, transition.Transition{})
		p.lead[s.keep].Set(&s.branch[0].t)
		s.free = append(s.free, s.branch[0])
		s.branch = s.branch[1:]
		s.keep++
		for len(s.nodes) <= s.keep {
			s.nodes = append(s.nodes, node{})
		}
		at := &s.nodes[s.keep]
		at.sleep.n, at.done, at.since = 0, 0, s.made
		if len(s.branch) == 0 {
			at.tree = at.tree[:0]
		}
		s.fallAsleep(s.keep, &p.lead[s.keep-1])
	}
}

// sizes returns about how many executions a branch of each node after the base leads to.
func (s *Strategy) sizes() (sizes []float64) {
	all, share := s.estimate(), 1.0
	for i := s.base(); i <= s.keep+len(s.branch) && i < len(s.nodes); i++ {
		share /= float64(s.nodes[i].done + len(s.nodes[i].tree) + 1)
		sizes = append(sizes, min(max(all*share, 1), most))
	}
	return sizes
}

// Take gives s what Tree.Item returned, in the place of what it explored. The error tells that it is something else.
func (s *Strategy) Take(item []byte) error {
	d := transition.NewDecoder(s.tab, item)
	early := d.Procs()
	entries := make([]*entry, d.Count())
	for i := range entries {
		if entries[i] = readEntry(d); d.Bad || len(entries[i].state) > 0 && !entries[i].restore(s.tab) {
			return errPart
		}
	}
	if len(entries) == 0 || len(d.B) > 0 {
		return errPart
	}
	p := s.part
	p.entries, p.at = entries, 0
	if s.holds(entries[0]) {
		s.over = false
		return nil
	}
	s.over = true
	p.early = early
	s.load(entries[0])
	return nil
}

// holds reports whether what is in memory is what is left of x.
func (s *Strategy) holds(x *entry) bool {
	p := s.part
	if len(p.held) == 0 || x.base != p.base || x.keep != s.keep || !bytes.Equal(p.held, x.state) {
		return false
	}
	for i := range x.base {
		if !x.lead[i].Equal(s.at(i)) {
			return false
		}
	}
	return true
}
