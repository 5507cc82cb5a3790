package places

import (
	"hash/fnv"
	"math/rand"
	"slices"
	"testing"
)

// What every interleaving shows, by a search without reduction that shares
// nothing with the net but the programs. Events and conditions are told apart
// by a hash over all that precedes them.
type key [16]byte

type truth struct {
	events    map[key]bool
	locals    map[key]bool // threads' locations with all that they depend on
	deadlocks []map[key]bool
}

func hash(parts ...any) key {
	h := fnv.New128a()
	for _, p := range parts {
		switch p := p.(type) {
		case key:
			h.Write(p[:])
		case int:
			h.Write([]byte{byte(p), byte(p >> 8)})
		case bool:
			h.Write([]byte{map[bool]byte{true: 1}[p]})
		}
	}
	return key(h.Sum(nil))
}

func eventKey(op *Operation, pre []key) key {
	parts := []any{op.Thread, int(op.Kind), op.Object, op.Taken}
	for _, k := range pre {
		parts = append(parts, k)
	}
	return hash(parts...)
}

// brute executes every interleaving for all inputs of two threads from least to most.
func brute(p *Program, least, most int64) *truth {
	b := &truth{events: map[key]bool{}, locals: map[key]bool{}}
	for i := least; i <= most; i++ {
		for j := least; j <= most; j++ {
			var picks []int
			for {
				depth := 0
				var of []int
				e, _ := p.Run(nil, Inputs{{0, 0}: i, {1, 0}: j, {-1, 0}: i}, 0, func(able []int) int {
					if depth == len(picks) {
						picks = append(picks, 0)
					}
					of = append(of, len(able))
					depth++
					return picks[depth-1]
				})
				b.add(p, e)
				k := depth - 1
				for ; k >= 0 && picks[k]+1 == of[k]; k-- {
				}
				if k < 0 {
					break
				}
				picks = picks[:k+1]
				picks[k]++
			}
			if least == most {
				return b
			}
		}
	}
	return b
}

// add follows the marking of Fig. 5 through an execution.
func (b *truth) add(p *Program, e *Execution) {
	k := len(p.Threads)
	marking := make([]key, k*(1+p.Vars)+p.Locks)
	for i := range marking {
		marking[i] = hash(i)
	}
	for i := range k {
		b.locals[marking[i]] = true
	}
	for i := range e.Operations {
		op := &e.Operations[i]
		taken, given := []int{op.Thread}, []int{op.Thread}
		switch op.Kind {
		case Read:
			taken = append(taken, k*(1+op.Object)+op.Thread)
			given = taken
		case Write:
			for t := range k {
				taken = append(taken, k*(1+op.Object)+t)
			}
			given = taken
		case Lock:
			taken = append(taken, k*(1+p.Vars)+op.Object)
		case Unlock:
			given = append(given, k*(1+p.Vars)+op.Object)
		}
		var pre []key
		for _, c := range taken {
			pre = append(pre, marking[c])
		}
		ev := eventKey(op, pre)
		b.events[ev] = true
		for _, c := range given {
			marking[c] = hash(ev, c)
		}
		b.locals[marking[op.Thread]] = true
	}
	if slices.ContainsFunc(e.Next, func(op *Operation) bool { return op != nil }) {
		at := map[key]bool{}
		for i := range k {
			at[marking[i]] = true
		}
		b.deadlocks = append(b.deadlocks, at)
	}
}

// keys returns those of a net's events and conditions.
func keys(n *Net) (events map[key]bool, conds []key) {
	events, conds = map[key]bool{}, make([]key, len(n.conds))
	of := make([]key, len(n.events))
	for c := range n.conds {
		if n.conds[c].producer == none {
			conds[c] = hash(int(n.conds[c].place))
		}
	}
	for e := range n.events {
		x := &n.events[e]
		if !x.shown {
			continue
		}
		done := true
		for _, c := range x.pre {
			done = done && conds[c] != key{}
		}
		if !done {
			panic("an event was added before what produces its preset")
		}
		var pre []key
		for _, c := range x.pre {
			pre = append(pre, conds[c])
		}
		of[e] = eventKey(&x.op, pre)
		events[of[e]] = true
		for _, c := range x.post {
			conds[c] = hash(of[e], int(n.conds[c].place))
		}
	}
	return events, conds
}

// compare checks an exploration of p, and others in different orders, against brute force.
func compare(t *testing.T, p *Program, least, most int64) {
	t.Helper()
	b := brute(p, least, most)
	for seed := range int64(3) {
		r := rand.New(rand.NewSource(seed))
		x := New(p)
		x.Solve = Among(least, most)
		x.Guess = func() int64 { return least + r.Int63n(most-least+1) }
		x.Several = seed == 2
		if seed > 0 {
			x.Choose, x.Free = r.Intn, func(able []int) int { return r.Intn(len(able)) }
		}
		s, err := x.Run()
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		events, conds := keys(x.net)
		if len(events) != s.Events || !same(events, b.events) {
			t.Fatalf("seed %d: %d events (%d different), brute force has %d", seed, s.Events, len(events),
				len(b.events))
		}
		locals := map[key]bool{}
		for c := range x.net.conds {
			if int(x.net.conds[c].place) < len(p.Threads) {
				locals[conds[c]] = true
			}
		}
		if !same(locals, b.locals) {
			t.Fatalf("seed %d: local states differ", seed)
		}
		x.checkDeadlocks(t, b, conds)
		x.checkExtensions(t)
	}
}

func same(a, b map[key]bool) bool {
	for k := range a {
		if !b[k] {
			return false
		}
	}
	return len(a) == len(b)
}

// checkDeadlocks: each that was found is part of one that there is, and of each that there is a
// part was found.
func (x *Explorer) checkDeadlocks(t *testing.T, b *truth, conds []key) {
	t.Helper()
	within := func(set []cond, at map[key]bool) bool {
		return !slices.ContainsFunc(set, func(c cond) bool { return !at[conds[c]] })
	}
	for _, set := range x.deadlocks {
		if !slices.ContainsFunc(b.deadlocks, func(at map[key]bool) bool { return within(set, at) }) {
			t.Fatalf("a deadlock that there is not: %v", set)
		}
	}
	for _, at := range b.deadlocks {
		if !slices.ContainsFunc(x.deadlocks, func(set []cond) bool { return within(set, at) }) {
			t.Fatalf("a deadlock was not found; %d were", len(x.deadlocks))
		}
	}
}

// checkExtensions compares with the naive algorithm of section 4.2.1: whatever
// conditions form a preset and are concurrent have an event.
func (x *Explorer) checkExtensions(t *testing.T) {
	t.Helper()
	n := x.net
	of := map[int32][]cond{}
	for c := range n.conds {
		of[n.conds[c].place] = append(of[n.conds[c].place], cond(c))
	}
	for c := range n.conds {
		op := n.conds[c].next
		if int(n.conds[c].place) >= len(x.p.Threads) || op == nil {
			continue
		}
		var places []int32
		switch op.Kind {
		case Read:
			places = []int32{n.copyPlace(op.Object, op.Thread)}
		case Write:
			for i := range x.p.Threads {
				places = append(places, n.copyPlace(op.Object, i))
			}
		case Lock:
			places = []int32{n.lockPlace(op.Object)}
		default:
			continue
		}
		var choose func(pre []cond)
		choose = func(pre []cond) {
			if !n.concurrent(pre...) {
				return
			}
			if len(pre) == 1+len(places) {
				if n.find(op, pre) == none {
					t.Fatalf("no event is known for %v %d of thread %d at %v", op.Kind, op.Object,
						op.Thread, pre)
				}
				return
			}
			for _, y := range of[places[len(pre)-1]] {
				choose(append(pre[:len(pre):len(pre)], y))
			}
		}
		choose([]cond{cond(c)})
	}
}

// random returns a program of two or three threads that read, write and lock,
// some of it depending on what they read.
func random(r *rand.Rand) *Program {
	p := &Program{Vars: 1 + r.Intn(2), Locks: 1 + r.Intn(2)}
	threads := 2 + r.Intn(2)
	most := []int{0, 0, 4, 3}[threads]
	for range threads {
		var body []func(*Thread)
		held := -1
		for range 1 + r.Intn(most) {
			v, l, c := r.Intn(p.Vars), r.Intn(p.Locks), int64(1+r.Intn(2))
			switch k := r.Intn(9); {
			case k < 2:
				body = append(body, func(t *Thread) { t.Read(v) })
			case k < 5:
				body = append(body, func(t *Thread) { t.Write(v, Const(c)) })
			case k < 6:
				w := r.Intn(p.Vars)
				body = append(body, func(t *Thread) {
					if t.Is(t.Read(v), "=", Const(c)) {
						t.Write(w, Const(3-c))
					}
				})
			case k < 8 && held != l:
				body = append(body, func(t *Thread) { t.Lock(l) })
				held = l
			case held >= 0:
				h := held
				body = append(body, func(t *Thread) { t.Unlock(h) })
				held = -1
			}
		}
		if held >= 0 && r.Intn(4) > 0 {
			body = append(body, func(t *Thread) { t.Unlock(held) })
		}
		p.Threads = append(p.Threads, func(t *Thread) {
			for _, f := range body {
				f(t)
			}
		})
	}
	return p
}

// The net is that of brute force, with the same local states, deadlocks and
// extensions, whatever the order of targets and free steps: 1,000 random programs.
func TestRandom(t *testing.T) {
	n := 1000
	if testing.Short() {
		n = 100
	}
	deadlocks := 0
	for seed := range int64(n) {
		p := random(rand.New(rand.NewSource(seed)))
		compare(t, p, 0, 0)
		if t.Failed() {
			t.Fatalf("program %d", seed)
		}
		if x := New(p); true {
			s, _ := x.Run()
			deadlocks += min(1, s.Deadlocks)
		}
	}
	t.Logf("%d of %d programs may deadlock", deadlocks, n)
	if deadlocks < n/50 {
		t.Error("hardly any program deadlocks")
	}
}
