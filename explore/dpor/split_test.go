package dpor

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand"
	"testing"

	"heddle/explore"
	"heddle/explore/transition"
	"heddle/rt/sched"
	"heddle/trace"
)

// A splitting search is made by strategies that know nothing of each other: each
// explores leaves of a Tree for some executions, and says what became of them. One of them may die.
type splitting struct {
	x       *executor
	r       *rand.Rand
	show    func(*trace.Trace) string
	workers int
	most    int // executions before a worker says what became of its leaves

	die   bool
	parts int // in which what is left is split, at most
	group int // leaves that a worker has, at most

	all   classes
	n     int
	items int
	log   [][2]any // what a resumed Tree is made of: leaves, report
}

type hand struct {
	leaves []int
	s      *Strategy
}

func (p *splitting) explore() error {
	known := []trace.Identity(nil)
anew:
	p.all, p.n, p.items, p.log = classes{}, 0, 0, nil
	tree := NewTree()
	tree.Know(known)
	idle := []int{1}
	hands := make([]hand, p.workers)
	for !tree.Done() {
		w := &hands[p.r.Intn(p.workers)]
		if w.s == nil {
			w.s = NewPart(Options{})
			w.s.Table().Know(known)
		}
		if w.leaves == nil {
			if len(idle) == 0 {
				continue
			}
			p.r.Shuffle(len(idle), func(i, j int) { idle[i], idle[j] = idle[j], idle[i] })
			k := 1 + p.r.Intn(min(p.group, len(idle)))
			w.leaves, idle = idle[:k:k], append([]int(nil), idle[k:]...)
			if err := w.s.Take(tree.Item(w.leaves)); err != nil {
				return err
			}
			p.items++
		}
		if p.die && p.r.Intn(20) == 0 { // it dies, and what it did counts for nothing
			idle = append(idle, w.leaves...)
			*w = hand{}
			continue
		}
		classes, err := p.some(w.s, 1+p.r.Intn(p.most))
		if err != nil {
			return err
		}
		if p.x.again() {
			goto anew
		}
		if w.s.Outdated() {
			known = w.s.Table().Known()
			goto anew
		}
		if w.s.Broken() {
			return fmt.Errorf("broken: %s", w.s.Result().Reason)
		}
		for k, out := range classes {
			if _, known := p.all[k]; known {
				return fmt.Errorf("a class is repeated: %s", out)
			}
			p.all[k] = out
		}
		p.n += len(classes)
		report := w.s.Split(1 + p.r.Intn(p.parts))
		p.log = append(p.log, [2]any{w.leaves, report})
		fresh, err := tree.Take(w.leaves, report, len(classes))
		if err != nil {
			return err
		}
		w.leaves = nil
		for _, l := range fresh {
			idle = append(idle, l.N)
		}
		if p.die && p.r.Intn(10) == 0 { // the process that hands out dies, and all that work for it
			if tree, idle, err = p.resumed(known); err != nil {
				return err
			}
			clear(hands)
		}
	}
	if len(idle) > 0 {
		return fmt.Errorf("leaves %v are left", idle)
	}
	return nil
}

// resumed is the Tree that the reports that count lead to.
func (p *splitting) resumed(known []trace.Identity) (tree *Tree, idle []int, err error) {
	tree = NewTree()
	tree.Know(known)
	left := map[int]bool{1: true}
	for _, l := range p.log {
		for _, n := range l[0].([]int) {
			delete(left, n)
		}
		fresh, err := tree.Take(l[0].([]int), l[1].([]byte), 0)
		if err != nil {
			return nil, nil, err
		}
		for _, f := range fresh {
			left[f.N] = true
		}
	}
	for n := range tree.last + 1 {
		if left[n] {
			idle = append(idle, n)
		}
	}
	return tree, idle, nil
}

// some makes executions of s, n at most.
func (p *splitting) some(s *Strategy, n int) (classes, error) {
	all := classes{}
	for ; n > 0; n-- {
		schedule := s.Next()
		if schedule == nil {
			break
		}
		t := p.x.run(schedule, p.x.first)
		if len(sched.S.Polled()) > 0 {
			break
		}
		if t.Verdict == trace.Diverged {
			return nil, fmt.Errorf("an execution diverged at %d: %+v", len(t.Steps), schedule.Steps)
		}
		out := p.show(t)
		redundant := s.redundant
		s.Done(t)
		if s.Outdated() {
			break
		}
		if s.redundant > redundant {
			return nil, fmt.Errorf("a redundant execution: %s", out)
		}
		k := canonical(t, s.tab)
		if _, known := all[k]; known {
			return nil, fmt.Errorf("a class is repeated at once: %s", out)
		}
		all[k] = out
	}
	return all, nil
}

// splitsAs compares a search of p that is split with one that is not: how many executions it made,
// in how many items. Larger ones than limit are left out.
func splitsAs(t *testing.T, name string, p *program, seed int64, limit int) (n, items int) {
	t.Helper()
	var w *world
	show := func(tr *trace.Trace) string { return w.outcome(tr) }
	s := new(Strategy)
	want, res, err := explored(newExecutor(p.main(&w)), s, show, limit)
	if err != nil || !res.Complete {
		return 0, 0 // too large, or what is wrong is not this
	}
	r := rand.New(rand.NewSource(seed))
	sp := &splitting{x: newExecutor(p.main(&w)), r: r, show: show, workers: 1 + r.Intn(4),
		most: 1 << r.Intn(7), die: true, parts: 4, group: 3}
	if err := sp.explore(); err != nil {
		t.Errorf("%s, seed %d: %v\n%v", name, seed, err, p)
		return 0, 0
	}
	if sp.n != len(want) {
		t.Errorf("%s, seed %d: %d executions, want %d\n%v", name, seed, sp.n, len(want), p)
	}
	for k, out := range want {
		if _, ok := sp.all[k]; !ok {
			t.Errorf("%s, seed %d: missing: %s\n%v", name, seed, out, p)
			break
		}
	}
	return sp.n, sp.items
}

// However a search is split, in whatever order strategies explore its leaves, and whichever of them
// die: every class of executions is executed exactly once.
func TestSplit(t *testing.T) {
	for _, c := range []struct {
		name string
		p    *program
	}{
		{"four critical sections, joined", joined(4)},
		{"three philosophers", philosophers()},
		{"fib 2", fib(2)},
		{"fib 3", fib(3)},
	} {
		for seed := range int64(12) {
			if n, _ := splitsAs(t, c.name, c.p, seed, 2000); n == 0 {
				t.Errorf("%s was not explored", c.name)
			}
		}
	}
}

// constructs are kinds of operations that random programs are made of.
var constructs = [][]string{
	{"read", "write", "incr", "load", "store", "swap", "cas", "cas"},
	{"rw", "rw", "halfrw", "trywlock", "tryrlock", "read", "mutex"},
	{"rw", "runlock", "tryrlock", "write"},
	{"join", "add", "read", "mutex"},
	{"condwait", "signal", "broadcast", "mutex", "once"},
	{"draw", "write", "mutex"},
	{"send", "recv", "send", "recv", "close", "len"},
	{"send", "recv", "select", "select", "close"},
	{"send", "recv", "poll", "select"},
	{"sleep", "send", "recv", "mutex"},
	{"mutex", "two", "halflock", "trylock", "read"},
	{"read", "write", "incr", "load", "store", "swap", "cas", "mutex", "two", "trylock", "rw", "halfrw",
		"join", "once",
		"condwait", "signal", "broadcast", "send", "recv", "close", "len", "select", "poll", "draw",
		"sleep"},
}

// The same on random programs over all constructs.
func TestSplitRandomPrograms(t *testing.T) {
	for i, kinds := range constructs {
		programs, executions, items := 0, 0, 0
		for seed := range int64(30) {
			r := rand.New(rand.NewSource(1000*int64(i) + seed))
			p := random(r, kinds, 3+r.Intn(2), 3)
			n, k := splitsAs(t, fmt.Sprint(kinds), p, 1000*int64(i)+seed, 600)
			if n > 1 {
				programs++
			}
			executions += n
			items += k
			if t.Failed() {
				return
			}
		}
		t.Logf("%v: %d programs, %d executions in %d items", kinds, programs, executions, items)
	}
}

// A kept search is one of which a strategy has its leaf in memory, and another one made the leaf
// again from what the Tree says of it.
type kept struct {
	p    *splitting
	tree *Tree
	s    *Strategy
}

// leaf returns that one of some leaves that the strategy has in memory; 0: none.
func (k *kept) leaf(fresh []explore.Leaf) int {
	for _, l := range fresh {
		d := transition.NewDecoder(k.s.tab, k.tree.Item([]int{l.N}))
		d.Procs()
		d.Count()
		if x := readEntry(d); len(x.state) > 0 && x.restore(k.s.tab) && k.s.holds(x) {
			return l.N
		}
	}
	return 0
}

// round gives the leaf to both strategies for n executions and splits what is left. It returns the
// leaf that is in memory after that. The error says in what they differ. over: nothing is to be
// compared any more.
func (k *kept) round(leaf, n, parts int) (next int, over bool, err error) {
	item := k.tree.Item([]int{leaf})
	other := NewPart(Options{})
	other.Table().Know(k.s.Table().Known())
	if err := errors.Join(k.s.Take(item), other.Take(item)); err != nil {
		return 0, false, err
	}
	if len(k.s.part.held) == 0 || len(other.part.held) > 0 {
		return 0, false, errors.New("the wrong strategy has the leaf in memory")
	}
	want, err := k.p.some(other, n)
	if err != nil || k.p.x.again() || other.Outdated() {
		return 0, true, err
	}
	got, err := k.p.some(k.s, n)
	if err != nil || k.p.x.again() || k.s.Outdated() {
		return 0, true, err
	}
	if !maps.Equal(got, want) {
		return 0, false, fmt.Errorf("%d executions, %d where the leaf was made again, or others",
			len(got), len(want))
	}
	a, b := k.s.Split(parts), other.Split(parts)
	if !bytes.Equal(a, b) {
		return 0, false, fmt.Errorf("another report in memory (%d bytes) than where the leaf was made again (%d)",
			len(a), len(b))
	}
	fresh, err := k.tree.Take([]int{leaf}, a, len(got))
	return k.leaf(fresh), len(fresh) == 0, err
}

// beside gives another leaf to another strategy: what it finds for nodes above the leaf in memory
// is to be known there too.
func (k *kept) beside(leaf, n int) error {
	first := 0
	for l := range k.tree.leaves {
		if l != leaf && (first == 0 || l < first) {
			first = l
		}
	}
	if first == 0 {
		return nil
	}
	s := NewPart(Options{})
	s.Table().Know(k.s.Table().Known())
	if err := s.Take(k.tree.Item([]int{first})); err != nil {
		return err
	}
	did, err := k.p.some(s, n)
	if err != nil || k.p.x.again() || s.Outdated() {
		return err
	}
	_, err = k.tree.Take([]int{first}, s.Split(2), len(did))
	return err
}

// keeps compares a program's leaves in memory with those that are made again after fewer
// than most executions. It returns how often there was something to compare.
func keeps(t *testing.T, name string, p *program, seed int64, most int) (rounds int) {
	t.Helper()
	var w *world
	sched.S.SetPolled(nil)
	r := rand.New(rand.NewSource(seed))
	k := kept{tree: NewTree(), s: New(Options{}), p: &splitting{x: newExecutor(p.main(&w)),
		show: func(tr *trace.Trace) string { return w.outcome(tr) }}}
	k.tree.Know(nil)
	known := k.s.tab.Known()
	_, err := k.p.some(k.s, 1+r.Intn(4))
	if err != nil || k.p.x.again() || len(k.s.tab.Known()) != len(known) {
		return 0
	}
	fresh, err := k.tree.Take([]int{1}, k.s.Split(1+r.Intn(6)), 0)
	if err != nil {
		t.Fatal(err)
	}
	for leaf := k.leaf(fresh); leaf > 0; rounds++ {
		next, over, err := k.round(leaf, r.Intn(most), 1+r.Intn(6))
		if err == nil && r.Intn(2) == 0 {
			err = k.beside(next, r.Intn(most))
		}
		if err != nil {
			t.Errorf("%s, seed %d, round %d: %v\n%v", name, seed, rounds, err, p)
		}
		if over || err != nil {
			return rounds
		}
		leaf = next
	}
	return rounds
}

// A strategy that has its leaf in memory and one that made it again split what is left alike: a
// worker's result is checked by making it again elsewhere.
func TestKeptPiece(t *testing.T) {
	for _, c := range []struct {
		name string
		p    *program
	}{
		{"four critical sections, joined", joined(4)},
		{"three philosophers", philosophers()},
		{"fib 2", fib(2)},
		{"fib 3", fib(3)},
	} {
		rounds := 0
		for seed := range int64(80) {
			rounds += keeps(t, c.name, c.p, seed, 8)
		}
		if rounds < 40 {
			t.Errorf("%s: only %d splits were compared", c.name, rounds)
		}
	}
}

// The same on random programs over all constructs.
func TestKeptPieceRandomPrograms(t *testing.T) {
	rounds := 0
	for i, kinds := range constructs {
		for seed := range int64(36) {
			r := rand.New(rand.NewSource(1000*int64(i) + seed))
			rounds += keeps(t, fmt.Sprint(kinds), random(r, kinds, 3+r.Intn(2), 3), seed, 4)
			if t.Failed() {
				return
			}
		}
	}
	if rounds < 200 {
		t.Errorf("only %d splits were compared", rounds)
	}
}

// What is no part of a search is refused, or ends as one that comes out otherwise; and what is no
// report leaves no Tree to go on with.
func FuzzTake(f *testing.F) {
	sched.S.SetPolled(nil)
	var w *world
	x := newExecutor(fib(2).main(&w))
	begun, tree := New(Options{}), NewTree()
	for range 20 {
		begun.Done(x.run(begun.Next(), x.first))
	}
	report := begun.Split(3)
	fresh, err := tree.Take([]int{1}, report, 20)
	if err != nil {
		f.Fatal(err)
	}
	for _, l := range fresh {
		f.Add(tree.Item([]int{l.N}), report)
	}
	f.Add([]byte{}, []byte{})
	f.Fuzz(func(t *testing.T, item, report []byte) {
		NewTree().Take([]int{1}, report, 1)
		s := NewPart(Options{})
		if s.Take(item) != nil {
			return
		}
		for n := 0; n < 50; n++ {
			sc := s.Next()
			if sc == nil {
				return
			}
			tr := x.run(sc, x.first)
			if tr.Verdict == trace.Diverged {
				return
			}
			s.Done(tr)
		}
		s.Split(3)
	})
}
