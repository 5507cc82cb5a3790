package observe

import (
	"context"
	"testing"

	"heddle/explore"
	"heddle/internal/progen"
	"heddle/internal/progen/machine"
)

// many is how many goroutines TestMany starts.
const many = 1000

// atWork starts n goroutines, each after a send to a channel from which it receives when it is
// done.
func atWork(n int, after ...*progen.Stmt) block {
	b := block{put(progen.GroupAdd, 0, n)}
	for range n {
		b = append(b, &progen.Stmt{Op: progen.Send, Src: -1}, &progen.Stmt{Op: progen.Go,
			Body: block{put(progen.Count, 0, 1), &progen.Stmt{Op: progen.Recv}, op(progen.Done)}})
	}
	return append(append(b, op(progen.Join)), after...)
}

// TestMany: the states of many goroutines that do not observe each other grow with their number,
// and one execution shows all that there is.
func TestMany(t *testing.T) {
	for _, c := range []struct {
		name string
		p    progen.Program
	}{
		{"critical sections on different keys of a map", progen.Program{Maps: 1, Mutexes: 1, Groups: 1,
			Body: joined(many, func(i int) block {
				return block{op(progen.Lock), at(progen.MapPut, i, 1), op(progen.Unlock)}
			})}},
		{"a key that is looked up and set, and how many there are", progen.Program{Maps: 1, Mutexes: 1,
			Groups: 1, Body: joined(many, func(i int) block {
				return block{op(progen.Lock), at(progen.MapGet, i, 0), at(progen.MapPut, i, 1),
					op(progen.Unlock)}
			}, op(progen.MapLen))}},
		{"how much a map grows", progen.Program{Maps: 1, Mutexes: 1, Groups: 1,
			Body: joined(many, func(i int) block {
				return block{op(progen.Lock), &progen.Stmt{Op: progen.MapGrow,
					Body: block{at(progen.MapPut, i, 1), at(progen.MapPut, many+i, 1)}}, op(progen.Unlock)}
			}, op(progen.MapLen))}},
		{"readers", progen.Program{Vars: 1, RWs: 1, Groups: 1, Body: joined(many, func(int) block {
			return block{op(progen.RLock), op(progen.Read), op(progen.RUnlock)}
		})}},
		{"Adds whose results go nowhere", progen.Program{Atomics: 1, Groups: 1, Body: joined(many,
			func(i int) block { return block{put(progen.Count, 0, i)} }, on(progen.Load, 0))}},
		{"a semaphore around variables", progen.Program{Slots: true, Chans: []int{3}, Vars: many, Groups: 1,
			Body: joined(many, func(i int) block {
				return block{put(progen.Send, 0, 1), put(progen.Write, i, 1), on(progen.Recv, 0)}
			})}},
		{"a counter of those at work", progen.Program{Slots: true, Chans: []int{10}, Atomics: 1, Groups: 1,
			Body: atWork(many, on(progen.Load, 0))}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.p.Number()
			m := machine.New(&c.p)
			m.Sync = true
			s := New(Options{})
			r, err := explore.Run(context.Background(), s, m, 0, nil)
			if err != nil || !r.Complete || s.Why != "" || r.Executions != 1 {
				t.Errorf("%+v (%s), %v; want 1 execution", r, s.Why, err)
			}
			if n := s.x.seen.n; n > 10*many {
				t.Errorf("%d states for %d goroutines", n, many)
			}
		})
	}
}
