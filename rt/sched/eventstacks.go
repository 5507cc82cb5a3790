package sched

import (
	"runtime"
	"slices"
)

// An execution that is shown (Options.Stacks) keeps the stacks of its events: that of the goroutine
// when the event happened or, where another goroutine completed its operation, when it announced
// that.

// mostStacked bounds the events with stacks: walking one costs more than most operations.
const mostStacked = 100_000

type eventStacks struct {
	of    []int32 // by event: a number, index + 1 in all; 0: not known
	all   [][]uintptr
	known map[uintptr][]int32 // the numbers of stacks, by hash
}

// announced keeps the stack of g, which announces an operation.
func (s *Sched) announced(g *G) {
	if g == s.cur && len(s.stacks.of) < mostStacked {
		g.stack = s.stacks.here()
	}
}

// stacked keeps the stack of event i, of g.
func (s *Sched) stacked(g *G, i int) {
	if i >= mostStacked {
		return
	}
	for len(s.stacks.of) <= i {
		s.stacks.of = append(s.stacks.of, 0)
	}
	if g == s.cur {
		g.stack = s.stacks.here()
	}
	s.stacks.of[i] = g.stack
}

// here returns the number of the stack of the goroutine that runs.
func (e *eventStacks) here() int32 {
	var pcs [64]uintptr
	stack := pcs[:runtime.Callers(4, pcs[:])]
	var key uintptr = 1469598103 // of FNV, more or less
	for _, pc := range stack {
		key = (key ^ pc) * 1099511627
	}
	for _, n := range e.known[key] {
		if slices.Equal(e.all[n-1], stack) {
			return n
		}
	}
	if e.known == nil {
		e.known = make(map[uintptr][]int32)
	}
	e.all = append(e.all, append([]uintptr(nil), stack...))
	n := int32(len(e.all))
	e.known[key] = append(e.known[key], n)
	return n
}

// EventStack returns the number of the stack of an event of the last execution, 0 if it was not
// kept. Equal stacks have equal numbers.
func (s *Sched) EventStack(event int) int {
	if event < 0 || event >= len(s.stacks.of) {
		return 0
	}
	return int(s.stacks.of[event])
}

// Stack returns the stack of that number.
func (s *Sched) Stack(n int) []uintptr {
	if n < 1 || n > len(s.stacks.all) {
		return nil
	}
	return s.stacks.all[n-1]
}
