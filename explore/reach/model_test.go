package reach

import (
	"context"
	"testing"

	"heddle/bench/model"
	"heddle/explore"
	"heddle/rt/hook"
	"heddle/rt/sched"
)

func bbMonitor(n, slots int, d model.Discipline) func() {
	return func() {
		m := model.NewMonitor(d)
		notFull, notEmpty := m.NewCond(), m.NewCond()
		full := 0
		signal := (*model.Cond).Signal
		if d == model.SC {
			signal = (*model.Cond).SignalAll
		}
		for range n {
			spawn(func() {
				var deposit model.Body
				deposit = func() model.Next {
					if full == slots {
						return notFull.Wait(deposit)
					}
					full++
					signal(notEmpty)
					return model.Done
				}
				m.Do(deposit)
			})
		}
		for range n {
			spawnAt(2, func() {
				var withdraw model.Body
				withdraw = func() model.Next {
					if full == 0 {
						return notEmpty.Wait(withdraw)
					}
					full--
					signal(notFull)
					return model.Done
				}
				m.Do(withdraw)
			})
		}
	}
}

func TestBoundedBufferMonitors(t *testing.T) {
	for _, c := range []struct {
		n, slots int
		d        model.Discipline
		want     int
	}{
		{1, 1, model.SU, 2}, {1, 1, model.SC, 2}, {2, 1, model.SU, 24}, {2, 1, model.SC, 80},
		{2, 2, model.SU, 24}, {2, 2, model.SC, 60},
		{3, 2, model.SU, 720},
	} {
		if st := count(t, Options{}, bbMonitor(c.n, c.slots, c.d), nil); st.Sequences != c.want ||
			st.Partial != 0 {
			t.Errorf("%d producers and consumers, %d slots, discipline %d: %+v, want %d", c.n, c.slots, c.d,
				st, c.want)
		}
	}
}

func bbSemaphore(n, slots int) func() {
	return func() {
		notFull, notEmpty := model.NewSemaphore(slots), model.NewSemaphore(0)
		mutexD, mutexW := model.NewSemaphore(1), model.NewSemaphore(1)
		for range n {
			spawn(func() {
				mutexD.P()
				notFull.P()
				notEmpty.V()
				mutexD.V()
			})
		}
		for range n {
			spawnAt(2, func() {
				mutexW.P()
				notEmpty.P()
				notFull.V()
				mutexW.V()
			})
		}
	}
}

// search is count for searches that leave something out and say so.
func search(t *testing.T, opt Options, main func()) Stats {
	t.Helper()
	sched.S.SetPolled(nil)
	s := New(opt)
	r, err := explore.Run(context.Background(), s, &executor{main: main}, 2_000_000, nil)
	if err != nil || !s.failed.None() || r.Complete && opt.Symmetry {
		t.Fatalf("%v, %+v", err, r)
	}
	return s.Stats()
}

// Sections 7 and 8: what reductions leave of Table 4.
func TestReductions(t *testing.T) {
	for _, c := range []struct {
		name        string
		opt         Options
		main        func()
		least, most int
	}{
		{"BB-monitorSU, symmetry", Options{Symmetry: true}, bbMonitor(3, 2, model.SU), 20, 20},
		{"BB-monitorSC, symmetry", Options{Symmetry: true}, bbMonitor(3, 2, model.SC), 132, 132},
		{"BB-semaphore, P/V", Options{PV: true}, bbSemaphore(3, 2), 36, 323},
		{"BB-semaphore, P/V, round robin", Options{PV: true, Order: RoundRobin}, bbSemaphore(3, 2), 36, 323},
		{"BB-semaphore, P/V and symmetry", Options{PV: true, Symmetry: true}, bbSemaphore(3, 2), 1, 3},
		{"BB-semaphore, P/V and symmetry, five of each", Options{PV: true, Symmetry: true}, bbSemaphore(5, 2),
			1, 3},
		{"BB-semaphore, P/V and symmetry, eight of each", Options{PV: true, Symmetry: true},
			bbSemaphore(8, 2), 1, 3},
		{"philosophers, P/V", Options{PV: true}, philosophers(5), 31, 31}, // one V at a time
	} {
		if st := search(t, c.opt, c.main); st.Sequences < c.least || st.Sequences > c.most || st.Partial > 0 {
			t.Errorf("%s: %+v, want %d to %d sequences", c.name, st, c.least, c.most)
		} else {
			t.Logf("%s: %d", c.name, st.Sequences)
		}
	}
}

// A binary semaphore is never reduced.
func TestPVLeavesMutexes(t *testing.T) {
	main := func() {
		var m mutex
		for range 3 {
			spawn(func() {
				m.Lock()
				m.Unlock()
			})
		}
	}
	if a, b := count(t, Options{}, main, nil), search(t, Options{PV: true}, main); a != b ||
		a.Sequences != 6 {
		t.Errorf("%+v without the reduction, %+v with it, want 6 sequences", a, b)
	}
}

// Goroutines are interchangeable only if their arguments are equal.
func TestSymmetryComparesArguments(t *testing.T) {
	same, other := new(int), new(int)
	values := map[string]int{}
	twice := func() {}
	for _, c := range []struct {
		name string
		args [3]any
		want int
	}{
		{"three numbers", [3]any{1, 2, 3}, 6},
		{"one number", [3]any{1, 1, 1}, 1},
		{"two of three", [3]any{1, 2, 1}, 3},
		{"numbers of two types", [3]any{1, int8(1), 1}, 3},
		{"pointers", [3]any{same, other, same}, 3},
		{"one map", [3]any{values, values, values}, 1},
		{"maps", [3]any{map[int]int{}, map[int]int{}, map[int]int{}}, 6},
		{"one function", [3]any{twice, twice, twice}, 1},
		{"slices", [3]any{[]int{1}, []int{1}, []int{1}}, 6},
	} {
		main := func() {
			var m mutex
			for _, x := range c.args {
				spawnWith(x, func() {
					m.Lock()
					m.Unlock()
				})
			}
		}
		if st := search(t, Options{Symmetry: true}, main); st.Sequences != c.want || st.Partial > 0 {
			t.Errorf("%s: %+v, want %d sequences", c.name, st, c.want)
		}
	}
}

type bound struct{ n int }

func (b *bound) add() { b.n++ }

// Method values are functions, which cannot be compared: what they hold can.
func TestMethodValues(t *testing.T) {
	x, y := new(bound), new(bound)
	if hook.Method(x.add) != hook.Method(x.add) || hook.Method(x.add) == hook.Method(y.add) {
		t.Error("method values do not compare as their receivers do")
	}
}
