package cluster

import (
	"slices"
	"time"

	"heddle/rt/wire"
	"heddle/trace"
)

// errands is the plan of an exploration in which one thinks about all executions, and others make them: an Item
// is some executions, or those that it takes to explore an input. Nothing is counted but by who thinks.
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
	inputs  map[int]*wire.Worked // that came
	failed  string
	over    bool
}

// An errand is asked for by somebody who knows something.
type errand struct {
	wire.Errand
	know *wire.Knowledge

	input    *wire.Input // to be explored, and no execution to be made
	deadline time.Time   // of that; zero: none
}

// mostErrands bounds those of an Item: who thinks waits for the first until all are made.
const mostErrands = 4

// next implements plan. Handing out takes time, so an Item is several where there are enough for everybody.
func (p *errands) next() *wire.Item {
	for it := p.hands.again(); it != nil; it = p.hands.again() {
		if it.Input == nil || p.wanted[it.Input.N] {
			return it
		}
		p.hands.done(it.N)
	}
	if len(p.idle) == 0 {
		return nil
	}
	if x := p.idle[0]; x.input != nil {
		p.idle = p.idle[1:]
		return p.inputItem(x)
	}
	n := min(max(1, len(p.idle)/(2*p.workers)), mostErrands)
	p.items++
	it := &wire.Item{N: p.items, Test: p.test, Know: p.idle[0].know.Clone()}
	for know := p.idle[0].know; n > 0 && len(p.idle) > 0 && p.idle[0].know == know && p.idle[0].input == nil; n-- {
		x := p.idle[0].Errand
		if until := &x.Request.Until; !until.IsZero() {
			x.Left, *until = max(1, int64(time.Until(*until))), time.Time{}
		}
		it.Errands, p.idle = append(it.Errands, x), p.idle[1:]
	}
	it.Before = it.Errands[0].N - 1
	p.hands.give(it)
	return it
}

// inputItem returns the Item of an input.
func (p *errands) inputItem(x errand) *wire.Item {
	p.items++
	it := &wire.Item{N: p.items, Test: p.test, Know: x.know.Clone(), Input: x.input}
	if !x.deadline.IsZero() {
		it.Budget = max(1, int64(time.Until(x.deadline)))
	}
	p.hands.give(it)
	return it
}

// back implements plan.
func (p *errands) back(it *wire.Item) { p.hands.back(it) }

// take implements plan.
func (p *errands) take(w *wire.Worked) []*wire.Worked {
	it := p.hands.done(w.N)
	if it == nil {
		return nil
	}
	p.out.Items++
	p.out.Working += w.Elapsed
	p.out.Tally.Executions += len(w.Made)
	p.failed = w.Tally.Failed.String()
	if it.Input != nil && p.failed == "" {
		p.out.Tally.Executions += w.Tally.Executions
		if p.wanted[it.Input.N] {
			p.inputs[it.Input.N] = w
		}
		return nil // who thinks tells of it
	}
	for i := range w.Made {
		if m := &w.Made[i]; p.wanted[m.N] {
			p.came[m.N] = m
		}
	}
	return []*wire.Worked{{N: w.N, Notes: w.Notes}}
}

// drop forgets what nobody waits for any more.
func (p *errands) drop(n int) {
	p.idle = slices.DeleteFunc(p.idle, func(x errand) bool { return x.N == n })
	delete(p.wanted, n)
	delete(p.came, n)
	delete(p.inputs, n)
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
	p := &errands{test: test, workers: max(workers, 1), wanted: make(map[int]bool), came: make(map[int]*wire.Made), inputs: make(map[int]*wire.Worked)}
	r := newRun(p, o)
	r.know(seen)
	return &Errands{r, p}
}

// Ask asks for an execution, by somebody who knows what know says, which must not change. It returns the errand's number.
func (r *Errands) Ask(q *wire.Request, know *wire.Knowledge) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	x := errand{Errand: wire.Errand{N: r.plan.number + 1, Request: *q, Steps: trace.AppendSteps(nil, q.Schedule.Steps)}, know: know}
	x.Request.Schedule.Steps = nil
	return r.ask(x)
}

// AskInput asks for the exploration of an input, until the deadline (zero: none), by somebody who knows what know says.
func (r *Errands) AskInput(in *wire.Input, know *wire.Knowledge, deadline time.Time) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	in.N = r.plan.number + 1
	return r.ask(errand{Errand: wire.Errand{N: in.N}, know: know, input: in, deadline: deadline})
}

// ask asks for the errand of the next number.
func (r *Errands) ask(x errand) int {
	p := r.plan
	p.number = x.N
	p.idle, p.wanted[x.N] = append(p.idle, x), true
	r.wake.Broadcast()
	return x.N
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

// Explored is Answer for an input.
func (r *Errands) Explored(n int) (w *wire.Worked, failed string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.plan.inputs[n] == nil && !r.ended() {
		r.wake.Wait()
	}
	w = r.plan.inputs[n]
	r.plan.drop(n)
	return w, r.plan.failed
}

// Come reports whether it is known what an input has come to.
func (r *Errands) Come(n int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.plan.inputs[n] != nil
}

// Hungry reports whether a worker has nothing to do.
func (r *Errands) Hungry() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.waiting > len(r.plan.idle)
}

// Drop says that what an errand comes to is not wanted any more. Who explores an input stops.
func (r *Errands) Drop(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.plan.drop(n)
	for it, hurry := range r.hands {
		if it.Input != nil && it.Input.N == n && !r.hurried[it] {
			r.hurried[it] = true
			hurry()
		}
	}
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
