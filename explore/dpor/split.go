package dpor

import (
	"bytes"
	"errors"

	"heddle/explore/transition"
)

// A search in parts. The coordinator holds a Tree: wakeup trees whose leaves are work for
// strategies. Such a strategy has entries, one for each of its leaves: the path to the leaf, and
// what is left below. Sequences that it finds for nodes above its leaf go back with the result.
// docs/design/dpor.md says why that is exact.

// A part is the state of a strategy that explores entries.
type part struct {
	entries  []*entry
	at       int // index of the entry in work; those before are done
	base     int // length of the path to its leaf: the nodes before belong to the coordinator
	outdated bool

	// led: the next execution shares nothing with the last. Its first keep transitions are lead.
	led   bool
	lead  []transition.Transition
	early []transition.Proc // goroutines started before the first step

	held []byte // what is left of the entry, as it was given back; the rest is in memory
}

// An entry is one leaf of a Tree.
type entry struct {
	base, keep, made int
	lead             []transition.Transition
	nodes            []node
	branch           []*wakeup
	state            []byte

	found []above // when done: the sequences for nodes above its leaf
}

// above is a set of sequences to insert at one node.
type above struct {
	depth int
	trees []*wakeup
}

// The states of an entry.
const (
	untouched = iota
	done
	left
)

var (
	errPart  = errors.New("what is to be explored is no part of a search")
	errOther = errors.New("what leads to a part of the search came out otherwise")
)

// NewPart returns a strategy that explores only what Take gives it. Its Table().Know must be called
// first, with Known of the search that was split. If it learns that more operations are dependent
// it does not begin anew: it ends, and Outdated returns true.
func NewPart(o Options) *Strategy {
	s := New(o)
	s.part, s.over = new(part), true
	return s
}

// Outdated reports whether the part has learnt that more operations are dependent: the whole search
// must begin anew.
func (s *Strategy) Outdated() bool { return s.part != nil && s.part.outdated }

// Broken reports whether the part ended before everything was explored. The Reason of its Result
// says why.
func (s *Strategy) Broken() bool { return s.over && s.part != nil && s.part.at < len(s.part.entries) }

// base returns the number of nodes that belong to the coordinator.
func (s *Strategy) base() int {
	if s.part == nil {
		return 0
	}
	return s.part.base
}

// shared returns the number of transitions that the next execution shares with the last.
func (s *Strategy) shared() int {
	if s.led() {
		return 0
	}
	return s.keep
}

func (s *Strategy) led() bool { return s.part != nil && s.part.led }

// at returns the i-th transition of the next execution, before the branch.
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

// followed returns an error if an execution did not begin with its lead.
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

// arrive records that the path is the strategy's own from now on.
func (s *Strategy) arrive() {
	if s.part != nil {
		s.part.led = false
	}
}

// insertAbove is insert at a node of the coordinator. It records the sequences to be inserted
// there, unless they are known to be explored. If one execution extends two wakeup sequences, it
// keeps one sequence for both.
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

// elsewhere reports whether another strategy explores what begins with v, or with an equivalent
// sequence. It changes v.
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

// nextEntry continues with the next entry when nothing is left of the last. It reports whether
// there is one.
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

// found returns the sequences for nodes above the leaf.
func (s *Strategy) found() (all []above) {
	for i := range s.base() {
		if trees := s.nodes[i].found; len(trees) > 0 {
			all = append(all, above{i, trees})
		}
	}
	return all
}

// load makes x the entry that is explored.
func (s *Strategy) load(x *entry) {
	p := s.part
	clear(s.nodes)
	s.free = nil // together with the memory of what was read, it would grow from entry to entry
	for len(s.nodes) < len(x.nodes) {
		s.nodes = append(s.nodes, node{})
	}
	copy(s.nodes, x.nodes)
	s.keep, s.branch, s.made, s.over = x.keep, x.branch, x.made, false
	p.base, p.led, p.lead, p.held = x.base, true, x.lead, nil
	x.lead, x.nodes, x.branch = nil, nil, nil
}

// Split returns, for Tree.Take, what became of the entries of s, with what is left divided into at
// least n pieces if possible. s keeps one of them: Take, if it is the next call, continues with it.
// Split must not be called between Next and Done.
func (s *Strategy) Split(n int) []byte {
	if s.part == nil {
		s.settleAll()
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

// give encodes what is left of the entry, in n pieces if possible: all branches of its first nodes,
// which are given away, and the rest, which s keeps. It begins with the path to the leaf, since the
// goroutines that an operation starts are known only after it was executed.
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

// forget excludes n executions from the estimate.
func (s *Strategy) forget(n int) {
	s.made -= n
	for i := range s.nodes {
		s.nodes[i].since -= n
	}
}

// most bounds the estimate.
const most = 1e15

// handOut marks the leaves as explored by others.
func handOut(trees []*wakeup) {
	for _, w := range trees {
		if len(w.tree) == 0 {
			w.kind = whole
		}
		handOut(w.tree)
	}
}

// boundary returns how many nodes to give away for at least n-1 leaves, or all nodes.
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

// advance makes the beginning of the branch part of the prefix, so that the nodes before i are
// complete.
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
		s.inheritSleep(s.keep, &p.lead[s.keep-1])
	}
}

// sizes returns, for each node after the base, the expected number of executions of one branch.
func (s *Strategy) sizes() (sizes []float64) {
	all, share := s.estimate(), 1.0
	for i := s.base(); i <= s.keep+len(s.branch) && i < len(s.nodes); i++ {
		share /= float64(s.nodes[i].done + len(s.nodes[i].tree) + 1)
		sizes = append(sizes, min(max(all*share, 1), most))
	}
	return sizes
}

// Take replaces what s explores by what Tree.Item returned. It is an error if item is something
// else.
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
	if x := entries[0]; s.holds(x) {
		copy(s.nodes, x.nodes[:x.base]) // other strategies have reported what they found there
		s.over = false
		return nil
	}
	s.over = true
	p.early = early
	s.load(entries[0])
	return nil
}

// holds reports whether memory has what is left of x.
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
