package observe

import (
	"context"
	"slices"
	"testing"

	"heddle/explore"
	"heddle/explore/dpor"
	"heddle/internal/progen"
	"heddle/internal/progen/machine"
	"heddle/rt/sched"
	"heddle/trace"
)

type block = []*progen.Stmt

func op(o progen.Op) *progen.Stmt              { return &progen.Stmt{Op: o, Src: -1} }
func on(o progen.Op, obj int) *progen.Stmt     { return &progen.Stmt{Op: o, Obj: obj, Src: -1} }
func put(o progen.Op, obj, v int) *progen.Stmt { return &progen.Stmt{Op: o, Obj: obj, Val: v, Src: -1} }

// at is a statement about an entry of a map.
func at(o progen.Op, key, v int) *progen.Stmt {
	return &progen.Stmt{Op: o, Val: v, Val2: key, Src: -1}
}

// next is a.Store(r0 + 1).
func next(obj int) *progen.Stmt { return &progen.Stmt{Op: progen.Store, Obj: obj, Val: 1} }

// spawned starts n goroutines.
func spawned(n int, body func(i int) block, after ...*progen.Stmt) (b block) {
	for i := range n {
		b = append(b, &progen.Stmt{Op: progen.Go, Body: body(i)})
	}
	return append(b, after...)
}

// joined starts n goroutines and waits for them.
func joined(n int, body func(i int) block, after ...*progen.Stmt) block {
	b := block{put(progen.GroupAdd, 0, n)}
	b = append(b, spawned(n, func(i int) block { return append(body(i), op(progen.Done)) })...)
	return append(append(b, op(progen.Join)), after...)
}

// index is sigma of the observers literature: main increments an atomic and starts a goroutine, n
// times; each goroutine loads it and stores to another atomic, which goes by the value.
func index(n int) (b block) {
	for i := range n {
		body := block{on(progen.Load, 0)}
		for v := range n {
			body = append(body,
				&progen.Stmt{Op: progen.If, Val: v + 1, Body: block{put(progen.Store, v+1, 1)}})
		}
		b = append(b, put(progen.Store, 0, i+1), &progen.Stmt{Op: progen.Go, Body: body})
	}
	return b
}

// TestCounts compares the numbers of executions with those of dpor, which are published for most of
// these programs, and with the number of things that can be observed.
func TestCounts(t *testing.T) {
	for _, c := range []struct {
		name    string
		p       progen.Program
		classes int // by dpor; 0: not counted
		want    int
	}{
		{"a load beside 7 stores", progen.Program{Atomics: 1, Body: spawned(7,
			func(i int) block { return block{put(progen.Store, 0, i+1)} }, on(progen.Load, 0))}, 40320, 8},
		{"the last of 7 stores", progen.Program{Atomics: 1, Groups: 1, Body: joined(7,
			func(i int) block { return block{put(progen.Store, 0, i+1)} }, on(progen.Load, 0))}, 5040, 7},
		{"7 stores of one value", progen.Program{Atomics: 1, Groups: 1, Body: joined(7,
			func(i int) block { return block{put(progen.Store, 0, 1)} }, on(progen.Load, 0))}, 5040, 1},
		{"load, then store load+1, 5 goroutines", progen.Program{Atomics: 1, Groups: 1, Body: joined(5,
			func(int) block { return block{on(progen.Load, 0), next(0)} }, on(progen.Load, 0))}, 14400, 21},
		{"7 Adds", progen.Program{Atomics: 1, Groups: 1, Body: joined(7,
			func(int) block { return block{put(progen.Add, 0, 1)} }, on(progen.Load, 0))}, 5040, 37},
		{"7 Adds whose results go nowhere", progen.Program{Atomics: 1, Groups: 1, Body: joined(7,
			func(i int) block { return block{put(progen.Count, 0, i)} }, on(progen.Load, 0))}, 5040, 1},
		{"6 Adds and a load beside them", progen.Program{Atomics: 1, Groups: 1, Body: joined(7,
			func(i int) block {
				if i == 0 {
					return block{on(progen.Load, 0)}
				}
				return block{put(progen.Count, 0, 1)}
			})}, 5040, 7},
		{"6 critical sections that count", progen.Program{Vars: 1, Mutexes: 1, Groups: 1,
			Body: joined(6, func(i int) block {
				return block{op(progen.Lock), put(progen.Raise, 0, i+1), op(progen.Unlock)}
			}, op(progen.Read))}, 720, 1},
		{"5 critical sections that count and one that reads", progen.Program{Vars: 1, Mutexes: 1, Groups: 1,
			Body: joined(6, func(i int) block {
				if i == 0 {
					return block{op(progen.Lock), op(progen.Read), op(progen.Unlock)}
				}
				return block{op(progen.Lock), put(progen.Raise, 0, 1), op(progen.Unlock)}
			})}, 720, 6},
		{"6 critical sections on different keys of a map", progen.Program{Maps: 1, Mutexes: 1, Groups: 1,
			Body: joined(6, func(i int) block {
				return block{op(progen.Lock), at(progen.MapPut, i, i+1), op(progen.Unlock)}
			}, op(progen.MapLen), at(progen.MapGet, 2, 0))}, 720, 1},
		{"5 critical sections on one key of a map, the last one shows", progen.Program{Maps: 1, Mutexes: 1,
			Groups: 1, Body: joined(5, func(i int) block {
				return block{op(progen.Lock), at(progen.MapPut, 0, i+1), op(progen.Unlock)}
			}, at(progen.MapGet, 0, 0))}, 120, 5},
		{"3 keys of a map, and one that asks how many there are", progen.Program{Maps: 1, Mutexes: 1,
			Groups: 1, Body: joined(4, func(i int) block {
				if i == 3 {
					return block{op(progen.Lock), op(progen.MapLen), op(progen.Unlock)}
				}
				return block{op(progen.Lock), at(progen.MapPut, i, i+1), op(progen.Unlock)}
			})}, 24, 8},
		{"an index and 6 goroutines", progen.Program{Atomics: 7, Body: index(6)}, 0, 16},
		{"6 critical sections on different variables", progen.Program{Vars: 6, Mutexes: 1, Groups: 1,
			Body: joined(6, func(i int) block {
				return block{op(progen.Lock), put(progen.Write, i, 1), op(progen.Unlock)}
			})}, 720, 1},
		{"6 critical sections on one variable, the last one shows", progen.Program{Vars: 1, Mutexes: 1,
			Groups: 1, Body: joined(6, func(i int) block {
				return block{op(progen.Lock), put(progen.Write, 0, i), op(progen.Unlock)}
			}, op(progen.Read))}, 720, 6},
		{"the first of 5 answers", progen.Program{Chans: []int{5}, Body: spawned(5,
			func(i int) block { return block{put(progen.Send, 0, i)} }, op(progen.Recv))}, 120, 5},
		{"reader and writers of a RWMutex", progen.Program{Vars: 1, RWs: 1, Groups: 1,
			Body: joined(4, func(i int) block {
				if i < 2 {
					return block{op(progen.RWLock), put(progen.Write, 0, i+1), op(progen.RWUnlock)}
				}
				return block{op(progen.RLock), op(progen.Read), op(progen.RUnlock)}
			})}, 0, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.p.Number()
			m := machine.New(&c.p)
			m.Sync = true
			if c.classes > 0 {
				r, err := explore.Run(context.Background(), dpor.New(dpor.Options{}), m, 0, nil)
				if err != nil || !r.Complete || r.Executions != c.classes {
					t.Errorf("dpor: %+v, %v; want %d executions", r, err, c.classes)
				}
			}
			s := New(Options{})
			r, err := explore.Run(context.Background(), s, m, 0, nil)
			if err != nil || !r.Complete || s.Why != "" || r.Executions != c.want {
				t.Errorf("observe: %+v (%s), %v; want %d executions", r, s.Why, err, c.want)
			}
			t.Logf("%d local states, %d states, %d passes", s.p.known, s.x.seen.n, s.x.passes)
		})
	}
}

// perform makes all executions that a strategy asks for, and calls see with each.
func perform(t *testing.T, s *Strategy, x explore.Executor, see func(*trace.Trace)) {
	t.Helper()
	for schedule := s.Next(); schedule != nil; schedule = s.Next() {
		tr, err := x.Execute(context.Background(), schedule)
		if err != nil {
			t.Fatal(err)
		}
		see(tr)
		s.Done(tr)
	}
}

// TestStates: beyond the bound on states dpor goes on, and has the executions so far.
func TestStates(t *testing.T) {
	p := &progen.Program{Atomics: 1, Groups: 1, Body: joined(4,
		func(int) block { return block{on(progen.Load, 0), next(0)} })}
	p.Number()
	m := machine.New(p)
	s := New(Options{States: 50})
	made := 0
	perform(t, s, m, func(*trace.Trace) { made++ })
	want, err := explore.Run(context.Background(), dpor.New(dpor.Options{}), m, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r := s.Result(); s.Successor() == nil || !r.Complete || r.Executions != want.Executions {
		t.Errorf("%+v after %q; dpor alone makes %d executions", r, s.Yields(), want.Executions)
	}
	if made > want.Executions+5 {
		t.Errorf("%d executions were made, dpor alone makes %d", made, want.Executions)
	}
}

// TestJoin: main adds to a WaitGroup before it starts each of six pairs of goroutines, and waits.
// The pairs are independent: states grow with their number, not with its power.
func TestJoin(t *testing.T) {
	p := &progen.Program{Atomics: 6, Groups: 1}
	start := func(s *progen.Stmt) {
		p.Body = append(p.Body, put(progen.GroupAdd, 0, 1),
			&progen.Stmt{Op: progen.Go, Body: block{s, op(progen.Done)}})
	}
	for i := range p.Atomics {
		start(put(progen.Store, i, 1))
		start(on(progen.Load, i))
	}
	p.Body = append(p.Body, op(progen.Join))
	p.Number()
	m := machine.New(p)
	m.Sync = true
	s := New(Options{})
	r, err := explore.Run(context.Background(), s, m, 0, nil)
	if err != nil || !r.Complete || s.Why != "" || r.Executions != 7 || s.x.seen.n > 100 {
		t.Errorf("%+v (%s), %v, %d states; want 7 executions, 100 states at most", r, s.Why, err,
			s.x.seen.n)
	}
}

// TestSections: the critical sections of a hundred goroutines, in which nothing is accessed that
// another one accesses, take one execution, and states as many as steps.
func TestSections(t *testing.T) {
	const n = 100
	p := &progen.Program{Vars: n, Mutexes: 1, RWs: 1, Groups: 1, Body: joined(n, func(i int) block {
		if i%2 == 0 {
			return block{op(progen.Lock), put(progen.Write, i, 1), op(progen.Unlock)}
		}
		return block{op(progen.RWLock), put(progen.Write, i, 1), op(progen.RWUnlock)}
	}, on(progen.Read, 7))}
	p.Number()
	m := machine.New(p)
	m.Sync = true
	s := New(Options{})
	r, err := explore.Run(context.Background(), s, m, 0, nil)
	if err != nil || !r.Complete || s.Why != "" || r.Executions != 1 || s.x.seen.n > 4*n {
		t.Errorf("%+v (%s), %v, %d states; want 1 execution, %d states at most", r, s.Why, err,
			s.x.seen.n, 4*n)
	}
}

// TestUpdateRaces: two updates of a variable without a lock race, though they commute. The order of
// the critical sections after the one and before the other hides that.
func TestUpdateRaces(t *testing.T) {
	raise := put(progen.Raise, 0, 1)
	for _, first := range []bool{true, false} {
		after := block{raise, op(progen.Lock), op(progen.Unlock)}
		before := block{op(progen.Lock), op(progen.Unlock), raise}
		p := &progen.Program{Vars: 1, Mutexes: 1, Body: spawned(2, func(i int) block {
			if (i == 0) == first {
				return slices.Clone(after)
			}
			return slices.Clone(before)
		})}
		p.Number()
		races, why := racesIn(t, p)
		if races == 0 || why != "" {
			t.Errorf("%v: %d races; %s", first, races, why)
		}
	}
}

// TestMapRaces is TestUpdateRaces for accesses to different keys of a map, at least one of which
// changes it.
func TestMapRaces(t *testing.T) {
	for _, one := range []*progen.Stmt{at(progen.MapPut, 0, 1), at(progen.MapGet, 0, 0),
		op(progen.MapLen)} {
		for way := range 6 {
			two := at(progen.MapPut, 1, 1)
			a, b := one, two
			if way%2 == 1 {
				a, b = b, a
			}
			lock, unlock := op(progen.Lock), op(progen.Unlock)
			bodies := [3][2]block{
				{{a, lock, unlock}, {lock, unlock, b}},
				{{lock, a, unlock}, {lock, unlock, b}},
				{{lock, a, unlock}, {b, lock, unlock}},
			}[way/2]
			p := (&progen.Program{Maps: 1, Mutexes: 1,
				Body: spawned(2, func(i int) block { return bodies[i] })}).Clone()
			p.Number()
			races, why := racesIn(t, p)
			if races == 0 || why != "" {
				t.Errorf("%v, %d: %d races; %s", one.Op, way, races, why)
			}
		}
	}
}

// TestNegative: two goroutines leave a WaitGroup if they see a flag. No execution that is made for
// something else shows that both do, before another one adds to it.
func TestNegative(t *testing.T) {
	leave := func(flag int) *progen.Stmt {
		return &progen.Stmt{Op: progen.Go, Body: block{on(progen.Load, flag),
			&progen.Stmt{Op: progen.If, Val: 1, Body: block{op(progen.Done)}}}}
	}
	p := &progen.Program{Atomics: 2, Groups: 1, Body: block{put(progen.GroupAdd, 0, 1), leave(0), leave(1),
		&progen.Stmt{Op: progen.Go, Body: block{put(progen.Store, 0, 1)}},
		&progen.Stmt{Op: progen.Go, Body: block{put(progen.Store, 1, 1)}},
		&progen.Stmt{Op: progen.Go, Body: block{put(progen.GroupAdd, 0, 1)}}}}
	p.Number()
	s := New(Options{})
	crashes := 0
	m := machine.New(p)
	perform(t, s, m, func(x *trace.Trace) { crashes += len(x.Crashed) })
	if s.Yields() != "" || !s.Result().Complete || crashes == 0 {
		t.Errorf("%d executions had a negative counter; %+v, %q", crashes, s.Result(), s.Yields())
	}
}

// TestExpired: when the time is up the result says that not everything was explored.
func TestExpired(t *testing.T) {
	p := &progen.Program{Atomics: 1, Groups: 1, Body: joined(7,
		func(int) block { return block{on(progen.Load, 0), next(0)} })}
	p.Number()
	s := New(Options{Expired: func() bool { return true }})
	r, err := explore.Run(context.Background(), s, machine.New(p), 0, nil)
	if err != nil || r.Complete || r.Reason.None() {
		t.Errorf("%+v, %v; want a result that is not complete, with a reason", r, err)
	}
}

// TestTrial: goroutines that each set their element to one more than the element before, beside
// one that looks for the last element that is 0 (lastzero of the literature): there are more states
// than interleavings. The search hands over, and what was executed counts.
func TestTrial(t *testing.T) {
	const n = 11
	look := block{}
	for i := range n {
		look = block{on(progen.Load, i), &progen.Stmt{Op: progen.If, Val: 0, Else: look}}
	}
	p := &progen.Program{Atomics: n, Body: block{&progen.Stmt{Op: progen.Go, Body: look}}}
	for i := 1; i < n; i++ {
		p.Body = append(p.Body, &progen.Stmt{Op: progen.Go, Body: block{on(progen.Load, i-1), next(i)}})
	}
	p.Number()
	m := machine.New(p)
	m.Sync = true
	want, err := explore.Run(context.Background(), dpor.New(dpor.Options{}), m, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := New(Options{States: 1 << 14})
	r, err := explore.Run(context.Background(), s, m, 0, nil)
	if err != nil || !r.Complete || s.Why == "" || r.Executions != want.Executions {
		t.Errorf("%+v after %q, %v; dpor alone makes %d executions", r, s.Why, err, want.Executions)
	}
	if k := s.x.seen.n; k > 2*firstDoubt {
		t.Errorf("%d states before it handed over", k)
	}
}

// TestTrialGrows: two goroutines store to an atomic and load it. dpor's estimate is a small part of
// what it comes to, and grows: the search goes on.
func TestTrialGrows(t *testing.T) {
	p := &progen.Program{Atomics: 1}
	for i := range 2 {
		var body block
		for range 6 {
			body = append(body, put(progen.Store, 0, i), on(progen.Load, 0))
		}
		p.Body = append(p.Body, &progen.Stmt{Op: progen.Go, Body: body})
	}
	p.Number()
	m := machine.New(p)
	m.Sync = true
	s := New(Options{States: 1 << 15, Doubt: 256})
	r, err := explore.Run(context.Background(), s, m, 0, nil)
	t.Logf("%d states, %d executions, %d in the trial", s.x.seen.n, r.Executions, s.trial.made)
	if err != nil || !r.Complete || s.Why != "" || s.trial.s == nil {
		t.Errorf("%+v after %q, %v; want a trial that is not believed", r, s.Why, err)
	}
}

// TestTrials: whether a search goes on after a trial or hands over, it comes to its end.
func TestTrials(t *testing.T) {
	on, over := 0, 0
	for seed := range uint64(400) {
		p := progen.Generate(seed, progen.Default)
		if p.Spins() || p.Times() {
			continue
		}
		m := machine.New(p)
		if r, err := explore.Run(context.Background(), dpor.New(dpor.Options{}), m, 2000, nil); err != nil ||
			!r.Complete {
			continue
		}
		if m.Restart() {
			continue
		}
		s := New(Options{States: 60, Doubt: 10})
		r, err := explore.Run(context.Background(), s, m, 0, nil)
		if err != nil || !r.Complete {
			t.Errorf("seed %d: %+v after %q, %v", seed, r, s.Why, err)
		}
		switch {
		case s.Why == "too many states":
			over++
		case s.trial.s != nil:
			on++
		}
	}
	if on == 0 || over == 0 {
		t.Errorf("%d went on, %d handed over; want some of both", on, over)
	}
	t.Logf("%d went on, %d handed over", on, over)
}

// racesIn explores a program and returns how many races its executions showed, and why another
// strategy went on, if one did.
func racesIn(t *testing.T, p *progen.Program) (races int, why string) {
	t.Helper()
	m := machine.New(p)
	m.Sync = true
	s := New(Options{})
	perform(t, s, m, func(*trace.Trace) { races += len(sched.S.Races()) })
	return races, s.Why
}

// TestNumbers: by which step a number was written is no observation. Where every order is one dpor
// goes on: script even.
func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		name  string
		reads bool // the sections read what they write
		want  int
	}{
		{"sections that read and write", true, 49},
		{"sections that write, the last one shows", false, 4},
	} {
		p := &progen.Program{Mutexes: 1, Vars: 1, Groups: 1, Body: joined(4, func(i int) (b block) {
			for range 2 {
				b = append(b, op(progen.Lock))
				if c.reads {
					b = append(b, op(progen.Read))
				}
				b = append(b, put(progen.Write, 0, i), op(progen.Unlock))
			}
			return b
		}, op(progen.Read))}
		p.Number()
		m := machine.New(p)
		m.Sync = true
		made, s := 0, New(Options{})
		perform(t, s, m, func(*trace.Trace) { made++ })
		if r := s.Result(); !r.Complete || r.Executions != c.want || made != c.want || s.Why != "" {
			t.Errorf("%s: %d executions, %+v (%s); want %d", c.name, made, r, s.Why, c.want)
		}
	}
}
