package agree

import (
	"context"
	"errors"
	"flag"
	"maps"
	"slices"
	"strings"
	"testing"

	"heddle/explore"
	"heddle/explore/dpor"
	"heddle/explore/observe"
	"heddle/internal/progen"
	"heddle/internal/progen/machine"
)

var freeLimit = flag.Int("freelimit", 2000, "skip programs with more interleavings in free time")

var freeObserve = Strategy{Name: "observe", Observed: true, New: func() explore.Strategy {
	return observe.New(observe.Options{Free: true})
}}

// TestAgreeFree tests dpor and observe in free time on random programs of several kinds with
// timers, against search without reduction: the same ends, local states, panics and races. No two
// executions of dpor are equivalent.
func TestAgreeFree(t *testing.T) {
	agreeFree(t, func(seed uint64, size *progen.Size) {})
}

// TestAgreeBubble is TestAgreeFree of bubbles of testing/synctest: no timer is early, and main
// waits for all others.
func TestAgreeBubble(t *testing.T) {
	agreeFree(t, func(seed uint64, size *progen.Size) {
		size.Bubble, size.Still = true, false
		size.Timers = size.Selects || seed%3 > 0
	})
}

// agreeFree is TestAgreeFree, with the programs that change makes of these.
func agreeFree(t *testing.T, change func(seed uint64, size *progen.Size)) {
	strategies := []Strategy{{Name: "dpor", New: func() explore.Strategy {
		return dpor.New(dpor.Options{Free: true})
	}}, freeObserve}
	if *only != "" {
		strategies = slices.DeleteFunc(strategies, func(s Strategy) bool { return s.Name != *only })
	}
	n := *seeds / 2
	if testing.Short() {
		n = min(n, 300)
	}
	checked, skipped, wrong, all, sum := 0, 0, 0, 0, map[string]int{}
	for seed := *from; checked < n && wrong < *stop; seed++ {
		size := progen.Default
		size.Loose, size.Selects, size.Timers = true, seed%8 == 7, true
		size.Goroutines, size.Statements = 2+int(seed%3), 4+int(seed%5)
		flavour := seed / 8 % 10 // 0, 1, 2: as they are
		size.Still = seed/64%2 == 1
		size.Guarded, size.Maps = flavour == 3 || flavour == 5, flavour == 5
		size.Updates = flavour == 4 || flavour == 5
		size.Slots, size.Joins, size.Sections = flavour == 6, flavour == 7, flavour == 3
		size.Loops = flavour >= 8
		change(seed, &size)
		p := progen.Generate(seed, size)
		if !p.Times() && !p.Bubble {
			continue
		}
		r, err := CheckFree(p, *freeLimit, strategies)
		if errors.Is(err, machine.ErrTooMany) || errors.Is(err, ErrLeft) {
			skipped++
			continue
		}
		checked++
		all += r.Interleavings
		for name, n := range r.Executions {
			sum[name] += n
		}
		if len(r.Wrong) == 0 {
			continue
		}
		wrong++
		p = progen.Shrink(p, func(q *progen.Program) bool {
			r, err := CheckFree(q, *freeLimit, strategies)
			return err == nil && len(r.Wrong) > 0
		})
		r, _ = CheckFree(p, *freeLimit, strategies)
		t.Errorf("seed %d:\n%s\n%s", seed, strings.Join(r.Wrong, "\n"), progen.Source(p))
	}
	t.Logf("%d programs, %d were too large or left a timer; %d interleavings, executions %v", checked, skipped, all, sum)
}

// TestOutranked has a goroutine that has to wait at a channel of empty values, though there are
// values enough: another one has waited there since time passed. So neither of the two comes first
// for all that others do: in a set of goroutines whose steps are taken the one needs the other.
func TestOutranked(t *testing.T) {
	type body = []*progen.Stmt
	one := func(o progen.Op, obj int) *progen.Stmt {
		return &progen.Stmt{Op: o, Obj: obj, Reg: 1, Src: -1}
	}
	put := func(o progen.Op) *progen.Stmt { return &progen.Stmt{Op: o, Val: 1, Src: -1} }
	goes := func(b ...*progen.Stmt) *progen.Stmt { return &progen.Stmt{Op: progen.Go, Src: -1, Body: b} }
	still := &progen.Stmt{Op: progen.Sleep, Val: 600_000, Src: -1}
	recv, gate := one(progen.Recv, 0), one(progen.Recv, 1)
	send, load := put(progen.Send), &progen.Stmt{Op: progen.Load, Src: -1}
	room := body{{Op: progen.Send, Val: 1, Src: -1}, {Op: progen.Send, Val: 1, Src: -1}}
	for name, p := range map[string]*progen.Program{
		"receives": {Slots: true, Chans: []int{2, 0}, Atomics: 1, Mutexes: 1, Vars: 1, Body: body{
			goes(gate, put(progen.Store)),
			goes(one(progen.Lock, 0), recv, one(progen.Read, 0), one(progen.Unlock, 0)),
			goes(gate, one(progen.Lock, 0), put(progen.Write), one(progen.Unlock, 0)),
			still, goes(recv, load), send, send, one(progen.Close, 1),
		}},
		"sends": {Slots: true, Chans: []int{2, 0}, Atomics: 1, Mutexes: 1, Vars: 1, Body: append(room,
			goes(gate, put(progen.Store)),
			goes(one(progen.Lock, 0), send, one(progen.Read, 0), one(progen.Unlock, 0)),
			goes(gate, one(progen.Lock, 0), put(progen.Write), one(progen.Unlock, 0)),
			still, goes(send, load), recv, recv, one(progen.Close, 1),
		)},
	} {
		t.Run(name, func(t *testing.T) {
			p.Number()
			m := machine.New(p)
			m.Free, m.Sync = true, true
			want, n := localsOf(m, dpor.New(dpor.Options{Free: true}))
			got, k := localsOf(m, freeObserve.New())
			if !maps.Equal(want, got) {
				t.Errorf("%d local states in %d executions, expected %d, as in %d by dpor",
					len(got), k, len(want), n)
			}
		})
	}
}

// localsOf returns the local states that a strategy shows, and how many executions it makes.
func localsOf(m *machine.Machine, s explore.Strategy) (locals map[string]bool, n int) {
	locals = map[string]bool{}
	got := machine.NewOutcomes()
	got.Watch(m)
	for schedule := s.Next(); schedule != nil; schedule = s.Next() {
		t, _ := m.Execute(context.Background(), schedule)
		s.Done(t)
		n++
	}
	for state := range got.Locals {
		locals[state] = true
	}
	return locals, n
}

// TestTickerServesAfterMain has a goroutine that waits for a ticker when main is over. Where it is
// left depends on whether it had waited for that, or for a lock, when main ended.
func TestTickerServesAfterMain(t *testing.T) {
	one := func(o progen.Op) *progen.Stmt { return &progen.Stmt{Op: o, Src: -1} }
	p := &progen.Program{Bubble: true, Ticks: true, Timers: []int{10}, Mutexes: 1, Body: []*progen.Stmt{
		{Op: progen.Go, Src: -1, Body: []*progen.Stmt{one(progen.Lock),
			{Op: progen.Repeat, Val: 2, Src: -1, Body: []*progen.Stmt{
				one(progen.Fired), one(progen.Unlock), one(progen.Lock)}},
			one(progen.Unlock)}},
		one(progen.Idle), one(progen.Lock), one(progen.Unlock),
	}}
	p.Number()
	r, err := CheckFree(p, *freeLimit, []Strategy{freeObserve})
	if err != nil || len(r.Wrong) > 0 {
		t.Fatal(err, r.Wrong)
	}
}

// TestGoesOnAfterIdle has a goroutine that accesses memory before main waits for all others, and
// other memory when it goes on: main knows of the one, and races on the other in one order.
func TestGoesOnAfterIdle(t *testing.T) {
	type body = []*progen.Stmt
	goes := func(b ...*progen.Stmt) *progen.Stmt { return &progen.Stmt{Op: progen.Go, Src: -1, Body: b} }
	on := func(o progen.Op, obj int) *progen.Stmt {
		return &progen.Stmt{Op: o, Obj: obj, Val: 1, Reg: 1, Src: -1}
	}
	recv := func() *progen.Stmt { return &progen.Stmt{Op: progen.Recv, Src: -1} }
	sleep := func() *progen.Stmt { return &progen.Stmt{Op: progen.Sleep, Val: 10, Src: -1} }
	writes := func(if1 int) *progen.Stmt {
		return &progen.Stmt{Op: progen.If, Reg: 1, Val: if1, Src: -1, Body: body{on(progen.Write, 0)}}
	}
	p := &progen.Program{Bubble: true, Atomics: 2, Vars: 2, Chans: []int{0}, Body: body{
		goes(on(progen.Store, 0)),
		goes(recv(), sleep(), on(progen.Store, 1)),
		goes(on(progen.Load, 0), &progen.Stmt{Op: progen.Read, Obj: 1, Src: -1}, recv(), writes(0)),
		on(progen.Idle, 0), on(progen.Write, 1), on(progen.Close, 0), sleep(),
		on(progen.Load, 1), writes(1),
	}}
	p.Number()
	r, err := CheckFree(p, 100_000, []Strategy{freeObserve})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Wrong) > 0 {
		t.Error(r.Wrong)
	}
}
