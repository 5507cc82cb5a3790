package engine

import (
	"context"
	"runtime"
	"time"

	"heddle/explore"
	"heddle/explore/transition"
	"heddle/rt/limit"
	"heddle/rt/wire"
	"heddle/trace"
)

// mostCollected is up to how many executions of a search are told apart.
const mostCollected = 100_000

// Bench measures how a strategy that thinks covers one test, executed by x. The error is x's.
func Bench(cfg *wire.Config, test string, x Executor) (*wire.Bench, error) {
	c := *cfg
	if c.Begun {
		c.Budget = 0 // a search that knows of a budget ends with it
	}
	e := newExploration(context.Background(), &c, test, x, func(*wire.Record) {})
	if cfg.Depths {
		return e.depths(), e.err
	}
	if cfg.Begun {
		return e.benchBegun(time.Duration(cfg.Budget)), e.err
	}
	return benchSearch(e), e.err
}

// benchBegun measures the first executions of a search, as many as begin within the budget. A
// search that ends within it is made again and again. What comes first is left out where it is
// short, since tables grow then.
func (e *exploration) benchBegun(budget time.Duration) *wire.Bench {
	b := new(wire.Bench)
	var before, after runtime.MemStats
	var used time.Duration
	counted := 0
	mark := func() {
		runtime.ReadMemStats(&before)
		used, counted = limit.ProcessorTime(), 0
	}
	mark()
	begin := time.Now()
	for n := 0; n == 0 || time.Since(begin) < budget; {
		s := e.unit.New(e.startOf(e.unit))
		next := s.Next()
		for ; next != nil && (n == 0 || time.Since(begin) < budget); next = s.Next() {
			if n == 1 && time.Since(begin) < budget/8 {
				mark()
			}
			ex := e.perform(next, needsNow(s, e.needs(e.unit)))
			if e.err != nil {
				return b
			}
			b.Steps = len(ex.Trace.Steps)
			s.Done(ex.Trace)
			n++
			counted++
		}
		b.Executions = n
		b.Complete, b.Yielded = endOf(s)
		if next == nil && !b.Complete {
			b.Reason = s.Result().Reason.String()
			break
		}
	}
	b.Processor = float64(limit.ProcessorTime()-used) / float64(max(1, counted))
	runtime.ReadMemStats(&after)
	b.Bytes = float64(after.TotalAlloc-before.TotalAlloc) / float64(max(1, counted))
	return b
}

// benchSearch lets an exhaustive strategy cover one test several times: for the
// time; when everything that executions keep is there, for the memory that the
// strategy holds; and to see that no two executions are equivalent.
func benchSearch(e *exploration) *wire.Bench {
	var marks []time.Duration // processor time after every markEach executions
	begin := time.Now()
	n, last := e.searchAll(func(i int, _ *trace.Trace) {
		if i == 1 { // it begins, or begins anew
			marks, begin = append(marks[:0], limit.ProcessorTime()), time.Now()
		}
		if i%markEach == 0 {
			marks = append(marks, limit.ProcessorTime())
		}
	})
	b := &wire.Bench{Executions: n}
	b.Complete, b.Yielded = endOf(last)
	if n > 0 {
		b.Nanoseconds = float64(time.Since(begin)) / float64(n)
		b.Processor = float64(limit.ProcessorTime()-marks[0]) / float64(n)
		b.Early, b.Late = b.Processor, b.Processor
	}
	if k := len(marks) - 1; k >= 10 {
		tenth := k / 10
		b.Early = float64(marks[tenth]-marks[0]) / float64(tenth*markEach)
		b.Late = float64(marks[k]-marks[k-tenth]) / float64(tenth*markEach)
	}
	marks = nil
	b.Before = heapInUse()
	e.searchAll(func(i int, _ *trace.Trace) {
		if i%max(n/50, 1) == 0 {
			b.After = max(b.After, heapInUse())
		}
	})
	if n <= mostCollected {
		var forms *transition.Forms
		e.searchAll(func(i int, tr *trace.Trace) {
			if i == 1 {
				forms = transition.NewForms(transition.NewTable())
			}
			if tr.Verdict != trace.Aborted {
				forms.Add(tr)
			}
		})
		if forms != nil {
			b.Distinct = forms.Len()
		}
	}
	return b
}

// markEach is how often the processor time is asked for, which costs something.
const markEach = 16

// searchAll executes all schedules of a strategy and calls each after every
// execution with its number. It returns how many there were, and the strategy.
func (e *exploration) searchAll(each func(n int, t *trace.Trace)) (n int, s explore.Strategy) {
restart:
	polled := len(e.polled)
	s, n = e.unit.New(e.startOf(e.unit)), 0
	for next := s.Next(); next != nil; next = s.Next() {
		ex := e.perform(next, needsNow(s, e.needs(e.unit)))
		if e.err != nil {
			return n, s
		}
		if len(e.polled) > polled {
			goto restart
		}
		n++
		each(n, ex.Trace)
		s.Done(ex.Trace)
	}
	return n, s
}

// endOf returns whether a search covered everything, and why another strategy took over.
func endOf(s explore.Strategy) (complete bool, yielded string) {
	if y, ok := s.(explore.Yielding); ok {
		yielded = y.Yields()
	}
	return s.Result().Complete, yielded
}

// depths makes a search by a strategy that knows its depth, and tells what it looks like as a tree.
func (e *exploration) depths() *wire.Bench {
	b := new(wire.Bench)
	began := limit.ProcessorTime()
	s := e.unit.New(e.startOf(e.unit))
	deep := s.(interface{ Depth() int })
	for next := s.Next(); next != nil; next = s.Next() {
		ex := e.perform(next, needsNow(s, e.needs(e.unit)))
		if e.err != nil {
			return b
		}
		s.Done(ex.Trace)
		b.Depths = append(b.Depths, byte(min(deep.Depth(), 255)))
	}
	b.Executions = len(b.Depths)
	b.Processor = float64(limit.ProcessorTime()-began) / float64(b.Executions)
	return b
}

// heapInUse is how many bytes are in use when everything else is collected.
func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
