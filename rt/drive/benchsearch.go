package drive

import (
	"context"
	"runtime"
	"time"

	"heddle/explore"
	"heddle/rt/wire"
)

// benchSearch lets an exhaustive strategy cover one test twice: for the time,
// and, when everything that executions keep is there, for the memory that the
// strategy holds.
func (d *driver) benchSearch(t *Test, start func(*exploration) explore.Strategy) {
	e := newExploration(context.Background(), &d.cfg, t.Name, newLocal(d, t), func(*wire.Record) {})
	var marks []time.Duration // after each execution
	begin := time.Now()
	n := e.searchAll(start, func(i int) {
		if i == 1 { // it begins, or begins anew
			marks, begin = marks[:0], time.Now()
		}
		marks = append(marks, time.Since(begin))
	})
	b := &wire.Bench{Executions: n}
	if n > 0 {
		tenth := max(n/10, 1)
		b.Nanoseconds = float64(marks[n-1]) / float64(n)
		b.Early = float64(marks[tenth-1]) / float64(tenth)
		b.Late = b.Early
		if n > tenth {
			b.Late = float64(marks[n-1]-marks[n-tenth-1]) / float64(tenth)
		}
	}
	marks = nil
	b.Before = heapInUse()
	e.searchAll(start, func(i int) {
		if i%max(n/50, 1) == 0 {
			b.After = max(b.After, heapInUse())
		}
	})
	d.send(&wire.Record{Type: "bench", Test: t.Name, Bench: b})
}

// searchAll executes all schedules of a strategy and calls each after every
// execution with its number. It returns how many there were.
func (e *exploration) searchAll(start func(*exploration) explore.Strategy, each func(n int)) int {
restart:
	s, n, polled := start(e), 0, len(e.polled)
	for next := s.Next(); next != nil; next = s.Next() {
		ex := e.perform(next)
		if e.err != nil {
			fatal("%v", e.err)
		}
		if len(e.polled) > polled {
			goto restart
		}
		s.Done(ex.Trace)
		n++
		each(n)
	}
	return n
}

// heapInUse is how many bytes are in use when everything else is collected.
func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
