package cluster

import (
	"slices"

	"heddle/rt/wire"
	"heddle/trace"
)

// errands is the plan of an exploration in which one thinks about all executions, and others make them: an Item
// is some executions. Nothing is counted but by who thinks.
type errands struct {
	test    string
	workers int
	out     Outcome
	number  int      // of what was asked for last
	items   int      // of the last Item
	idle    []errand // that nobody has
	hands   hands
	wanted  map[int]bool
	came    map[int]*wire.Made
	failed  string
	over    bool
}

// An errand is asked for by somebody who knows something.
type errand struct {
	wire.Errand
	know *wire.Knowledge
}

// mostErrands bounds those of an Item: who thinks waits for the first until all are made.
const mostErrands = 4

// next implements plan. Handing out takes time, so an Item is several where there are enough for everybody.
func (p *errands) next() *wire.Item {
	if it := p.hands.again(); it != nil {
		return it
	}
	if len(p.idle) == 0 {
		return nil
	}
	n := min(max(1, len(p.idle)/(2*p.workers)), mostErrands)
	p.items++
	it := &wire.Item{N: p.items, Test: p.test, Know: p.idle[0].know.Clone()}
	for know := p.idle[0].know; n > 0 && len(p.idle) > 0 && p.idle[0].know == know; n-- {
		it.Errands, p.idle = append(it.Errands, p.idle[0].Errand), p.idle[1:]
	}
	it.Before = it.Errands[0].N - 1
	p.hands.give(it)
	return it
}

// back implements plan.
func (p *errands) back(it *wire.Item) { p.hands.back(it) }

// take implements plan.
func (p *errands) take(w *wire.Worked) []*wire.Worked {
	if p.hands.done(w.N) == nil {
		return nil
	}
	p.out.Items++
	p.out.Working += w.Elapsed
	p.out.Tally.Executions += len(w.Made)
	p.failed = w.Tally.Failed
	for i := range w.Made {
		if m := &w.Made[i]; p.wanted[m.N] {
			p.came[m.N] = m
		}
	}
	return []*wire.Worked{{N: w.N, Notes: w.Notes}}
}

// drop forgets what nobody waits for any more, and reports whether somebody has, or had, it.
func (p *errands) drop(n int) (given bool) {
	all := len(p.idle)
	p.idle = slices.DeleteFunc(p.idle, func(x errand) bool { return x.N == n })
	delete(p.wanted, n)
	delete(p.came, n)
	return len(p.idle) == all
}

func (p *errands) replay(*wire.Worked) {} // there is no Log
func (p *errands) done() bool          { return p.over || p.failed != "" }
func (p *errands) end() []*wire.Worked { return nil }
func (p *errands) outcome() Outcome    { return p.out }
func (p *errands) estimate() float64   { return 0 }

// Errands is a Run whose Items are executions that its owner asks for, until it is closed. What they have led to is the owner's to know.
type Errands struct {
	*Run
	plan *errands
}

// NewErrands returns one for a test, by so many workers, more or less; findings with the keys seen need not be told. Of
// Options those about samples and pieces mean nothing, and there is no Log.
func NewErrands(test string, workers int, seen []string, o Options) *Errands {
	p := &errands{test: test, workers: max(workers, 1), wanted: make(map[int]bool), came: make(map[int]*wire.Made)}
	r := newRun(p, o)
	r.know(seen)
	return &Errands{r, p}
}

// Ask asks for an execution, by somebody who knows what know says, which must not change. It returns the errand's number.
func (r *Errands) Ask(q *wire.Request, know *wire.Knowledge) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.plan
	p.number++
	x := errand{wire.Errand{N: p.number, Request: *q, Steps: trace.AppendSteps(nil, q.Schedule.Steps)}, know}
	x.Request.Schedule.Steps = nil
	p.idle, p.wanted[p.number] = append(p.idle, x), true
	r.wake.Broadcast()
	return p.number
}

// Answer waits for what an errand came to. m is nil if the run was stopped before, and failed says why a worker could not make it.
func (r *Errands) Answer(n int) (m *wire.Made, failed string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.plan.came[n] == nil && !r.ended() {
		r.wake.Wait()
	}
	m = r.plan.came[n]
	r.plan.drop(n)
	return m, r.plan.failed
}

// Drop says that what an errand comes to is not wanted any more. It reports whether a worker has, or had, it.
func (r *Errands) Drop(n int) (given bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.plan.drop(n)
}

// Tell says that findings with these keys need not be told any more.
func (r *Errands) Tell(keys []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.know(keys)
}

// Close says that no other execution will be asked for.
func (r *Errands) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.plan.over = true
	r.wake.Broadcast()
}
