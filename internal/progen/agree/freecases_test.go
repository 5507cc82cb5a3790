package agree

import (
	"context"
	"slices"
	"testing"

	"heddle/explore/dpor"
	"heddle/internal/progen"
	"heddle/internal/progen/machine"
)

// TestFreeCases has programs with the ends that free time gives them, counted by hand: how often
// each of the goroutines' registers can differ.
func TestFreeCases(t *testing.T) {
	type body = []*progen.Stmt
	receiver := &progen.Stmt{Op: progen.Go, Src: -1, Body: body{{Op: progen.Recv, Reg: 0, Src: -1}}}
	still := &progen.Stmt{Op: progen.Sleep, Val: 600_000, Src: -1}
	late := &progen.Stmt{Op: progen.Go, Src: -1, Body: body{{Op: progen.Lock, Src: -1}, still,
		{Op: progen.Unlock, Src: -1}, {Op: progen.Recv, Reg: 0, Src: -1}}}
	send := func(v int) *progen.Stmt { return &progen.Stmt{Op: progen.Send, Val: v, Src: -1} }
	for _, c := range []struct {
		name string
		p    progen.Program
		ends int // different ends
		most int // executions
	}{
		{"stopped before or after it fires", progen.Program{Timers: []int{10}, Body: body{
			{Op: progen.Stop, Reg: 0, Src: -1},
		}}, 1, 2}, // since Go 1.23 a timer whose value was not received counts as active
		{"AfterFunc beside a write", progen.Program{Vars: 0, Atomics: 1, Body: body{
			{Op: progen.After, Val: 10, Src: -1, Body: body{{Op: progen.Store, Val: 1, Src: -1}}},
			{Op: progen.Load, Reg: 0, Src: -1},
		}}, 2, 2},
		{"the later timer of the earlier start is second", progen.Program{Atomics: 1, Body: body{
			{Op: progen.After, Val: 20, Src: -1, Body: body{{Op: progen.Clock, Reg: 0, Src: -1}}},
			{Op: progen.After, Val: 10, Src: -1, Body: body{{Op: progen.Clock, Reg: 0, Src: -1}}},
			// the clocks seen: (2,1) (2,2), the first fires before the second starts: (2,3) (3,3)
		}}, 4, 8},
		{"a look before, between and after two timers", progen.Program{Body: body{
			{Op: progen.Sleep, Val: 10, Src: -1},
			{Op: progen.After, Val: 10, Src: -1, Body: body{}},
			{Op: progen.Clock, Reg: 0, Src: -1},
		}}, 2, 2},
		{"stop loses the value or not", progen.Program{Timers: []int{10}, Body: body{
			{Op: progen.Go, Src: -1, Body: body{{Op: progen.Fired, Src: -1}}},
			{Op: progen.Stop, Reg: 0, Src: -1},
		}}, 2, 3}, // the goroutine has received, and Stop is false; or it waits, and Stop is true
		{"sleeps of one deadline are one step", progen.Program{Body: body{
			{Op: progen.Go, Src: -1, Body: body{{Op: progen.Sleep, Val: 10, Src: -1}}},
			{Op: progen.Go, Src: -1, Body: body{{Op: progen.Sleep, Val: 10, Src: -1}}},
		}}, 1, 4}, // both in one step, or one after the other
		{"reset to one that is never early", progen.Program{Timers: []int{10}, Body: body{
			{Op: progen.Go, Src: -1, Body: body{{Op: progen.Reset, Val: 600_000, Reg: 0, Src: -1}}},
			{Op: progen.Fired, Src: -1},
		}}, 2, 3}, // main receives before, or Reset takes the value away, or nothing has fired yet
		{"time.After in a select with a send", progen.Program{Chans: []int{1}, Body: body{
			{Op: progen.Go, Src: -1, Body: body{{Op: progen.Send, Val: 7, Src: -1}}},
			{Op: progen.Select, Src: -1, Cases: []progen.Case{{Reg: 0}, {After: 10, Reg: 1}}},
		}}, 2, 4},
		{"one that waits while time passes is served first", progen.Program{Chans: []int{0}, Body: body{
			receiver, still, receiver, send(7), send(8),
		}}, 1, 2},
		{"also at a channel with a buffer", progen.Program{Chans: []int{2}, Body: body{
			receiver, still, receiver, send(7), send(8),
		}}, 1, 2},
		{"of two that wait while time passes each may be first", progen.Program{Chans: []int{0}, Body: body{
			receiver, receiver, still, receiver, send(7), send(8), send(9),
		}}, 2, 3},
		{"each is before those that come after the next time", progen.Program{Chans: []int{1}, Body: body{
			receiver, still, receiver, still, receiver, send(7), send(8), send(9),
		}}, 1, 2},
		{"one that waits at two channels leaves both", progen.Program{Chans: []int{0, 0}, Body: body{
			{Op: progen.Go, Src: -1, Body: body{{Op: progen.Select, Src: -1,
				Cases: []progen.Case{{Reg: 0}, {Obj: 1, Reg: 0}}}}},
			still, receiver,
			{Op: progen.Go, Src: -1, Body: body{{Op: progen.Send, Obj: 1, Val: 9, Src: -1}}},
			send(7),
		}}, 2, 3}, // 7 to the first, and 9 to none; 9 to the first, and then 7 to the second
		{"either of two comes first, and nothing else tells", progen.Program{Mutexes: 1, Chans: []int{0},
			Body: body{late, late, still, still, still, send(7), send(8)}}, 2, 3},
		{"three timers of one moment", progen.Program{Atomics: 1, Body: body{
			{Op: progen.After, Val: 600_000, Src: -1, Body: body{{Op: progen.Store, Val: 1, Src: -1}}},
			{Op: progen.After, Val: 600_000, Src: -1, Body: body{{Op: progen.Store, Val: 2, Src: -1}}},
			{Op: progen.Sleep, Val: 600_000, Src: -1},
			{Op: progen.Load, Reg: 0, Src: -1},
		}}, 6, 6}, // what is loaded, and what is left
	} {
		t.Run(c.name, func(t *testing.T) {
			p := c.p
			p.Number()
			m := machine.New(&p)
			m.Free = true
			brute, n, err := m.Exhaust(true, 100000, nil)
			if err != nil {
				t.Fatal(err)
			}
			s, got, made := dpor.New(dpor.Options{Free: true}), machine.NewOutcomes(), 0
			again := true // once, with sleeps that are timers
			for x := s.Next(); x != nil; x = s.Next() {
				tr, err := m.Execute(context.Background(), x)
				if err != nil {
					t.Fatal(err)
				}
				if m.Restart() {
					if !again {
						t.Fatal("polls")
					}
					s, got, made, again = dpor.New(dpor.Options{Free: true}), machine.NewOutcomes(), 0, false
					continue
				}
				got.Add(m)
				s.Done(tr)
				made++
			}
			if r := s.Result(); !r.Complete {
				t.Errorf("not complete: %s", r.Reason)
			}
			if ds := brute.Differ(got, "without reduction", "by dpor"); len(ds) > 0 {
				t.Error(ds)
			}
			if len(brute.Ends) != c.ends {
				ends := []string{}
				for e := range brute.Ends {
					ends = append(ends, e)
				}
				slices.Sort(ends)
				t.Errorf("%d ends, want %d: %q", len(brute.Ends), c.ends, ends)
			}
			if made > c.most {
				t.Errorf("%d executions, want at most %d", made, c.most)
			}
			t.Logf("%d interleavings, %d executions", n, made)
			r, err := CheckFree(&p, 100000, []Strategy{freeObserve})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Wrong) > 0 {
				t.Error(r.Wrong)
			}
			if n := r.Executions[freeObserve.Name]; n > made {
				t.Errorf("%d executions by observe, %d by dpor", n, made)
			}
		})
	}
}
