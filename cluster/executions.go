package cluster

import (
	"slices"
	"time"

	"heddle/rt/wire"
	"heddle/trace"
)

// remoteExecutions is the plan of an exploration with remote executions: one process decides about
// all executions and others make them. An Item has some executions, or an input to explore. Only
// the deciding process counts.
type remoteExecutions struct {
	test    string
	workers int
	out     Outcome
	number  int               // of the last request
	items   int               // number of the last Item
	idle    []remoteExecution // those that no worker has
	hands   hands
	wanted  map[int]bool
	came    map[int]*wire.Made
	inputs  map[int]*wire.Worked // results of inputs
	failed  string
	over    bool
}

// remoteExecution is a request for a remote execution, with the knowledge of the requesting
// search.
type remoteExecution struct {
	wire.RemoteExecution
	know *wire.Knowledge

	input    *wire.Input // to be explored, instead of one execution
	deadline time.Time   // of exploring the input; zero: none
}

// mostRemote bounds the remote executions of an Item: the requesting process waits for the first
// until all are done.
const mostRemote = 4

// next implements plan. Handing out takes time, so an Item has several remote executions if there
// are enough for every worker.
func (p *remoteExecutions) next() *wire.Item {
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
	n := min(max(1, len(p.idle)/(2*p.workers)), mostRemote)
	p.items++
	it := &wire.Item{N: p.items, Test: p.test, Know: p.idle[0].know.Clone()}
	for know := p.idle[0].know; n > 0 && len(p.idle) > 0 && p.idle[0].know == know &&
		p.idle[0].input == nil; n-- {
		x := p.idle[0].RemoteExecution
		if until := &x.Request.Until; !until.IsZero() {
			x.Left, *until = max(1, int64(time.Until(*until))), time.Time{}
		}
		it.RemoteExecutions, p.idle = append(it.RemoteExecutions, x), p.idle[1:]
	}
	it.Before = it.RemoteExecutions[0].N - 1
	p.hands.give(it)
	return it
}

// inputItem returns the Item of an input.
func (p *remoteExecutions) inputItem(x remoteExecution) *wire.Item {
	p.items++
	it := &wire.Item{N: p.items, Test: p.test, Know: x.know.Clone(), Input: x.input}
	if !x.deadline.IsZero() {
		it.Budget = max(1, int64(time.Until(x.deadline)))
	}
	p.hands.give(it)
	return it
}

// back implements plan.
func (p *remoteExecutions) back(it *wire.Item) { p.hands.back(it) }

// take implements plan.
func (p *remoteExecutions) take(w *wire.Worked) []*wire.Worked {
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
		return nil // the requesting process reports the failure
	}
	for i := range w.Made {
		if m := &w.Made[i]; p.wanted[m.N] {
			p.came[m.N] = m
		}
	}
	return []*wire.Worked{{N: w.N, Notes: w.Notes}}
}

// drop removes a remote execution whose result is not needed any more.
func (p *remoteExecutions) drop(n int) {
	p.idle = slices.DeleteFunc(p.idle, func(x remoteExecution) bool { return x.N == n })
	delete(p.wanted, n)
	delete(p.came, n)
	delete(p.inputs, n)
}

func (p *remoteExecutions) replay(*wire.Worked) {} // there is no Log
func (p *remoteExecutions) done() bool          { return p.over || p.failed != "" }
func (p *remoteExecutions) end() []*wire.Worked { return nil }
func (p *remoteExecutions) outcome() Outcome    { return p.out }
func (p *remoteExecutions) estimate() float64   { return 0 }

// RemoteExecutions is a Run whose Items are remote executions, requested by its owner until it is
// closed. The owner interprets their results.
type RemoteExecutions struct {
	*Run
	plan *remoteExecutions
}

// NewRemoteExecutions returns the RemoteExecutions of a test for about the given number of workers.
// Findings with the keys seen are not reported. Options for samples and pieces have no effect, and
// there is no Log.
func NewRemoteExecutions(test string, workers int, seen []string, o Options) *RemoteExecutions {
	p := &remoteExecutions{test: test, workers: max(workers, 1), wanted: make(map[int]bool),
		came: make(map[int]*wire.Made), inputs: make(map[int]*wire.Worked)}
	r := newRun(p, o)
	r.know(seen)
	return &RemoteExecutions{r, p}
}

// Ask requests an execution. know is the knowledge of the requesting search, which must not
// change. Ask returns the remote execution's number.
func (r *RemoteExecutions) Ask(q *wire.Request, know *wire.Knowledge) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	x := remoteExecution{RemoteExecution: wire.RemoteExecution{N: r.plan.number + 1, Request: *q,
		Steps: trace.AppendSteps(nil, q.Schedule.Steps)}, know: know}
	x.Request.Schedule.Steps = nil
	return r.ask(x)
}

// AskInput requests the exploration of an input until the deadline (zero: none).
func (r *RemoteExecutions) AskInput(in *wire.Input, know *wire.Knowledge, deadline time.Time) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	in.N = r.plan.number + 1
	return r.ask(remoteExecution{RemoteExecution: wire.RemoteExecution{N: in.N}, know: know, input: in,
		deadline: deadline})
}

// ask queues a remote execution and returns its number.
func (r *RemoteExecutions) ask(x remoteExecution) int {
	p := r.plan
	p.number = x.N
	p.idle, p.wanted[x.N] = append(p.idle, x), true
	r.wake.Broadcast()
	return x.N
}

// Answer waits for the result of a remote execution. m is nil if the run was stopped before. failed
// says why a worker could not make it.
func (r *RemoteExecutions) Answer(n int) (m *wire.Made, failed string) {
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
func (r *RemoteExecutions) Explored(n int) (w *wire.Worked, failed string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.plan.inputs[n] == nil && !r.ended() {
		r.wake.Wait()
	}
	w = r.plan.inputs[n]
	r.plan.drop(n)
	return w, r.plan.failed
}

// Come reports whether the result of an input is there.
func (r *RemoteExecutions) Come(n int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.plan.inputs[n] != nil
}

// Hungry reports whether a worker is idle.
func (r *RemoteExecutions) Hungry() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.waiting > len(r.plan.idle)
}

// Drop discards the result of a remote execution. A worker that explores the input stops.
func (r *RemoteExecutions) Drop(n int) {
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

// Tell adds keys of findings that need not be reported any more.
func (r *RemoteExecutions) Tell(keys []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.know(keys)
}

// Close says that no further execution will be requested.
func (r *RemoteExecutions) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.plan.over = true
	r.wake.Broadcast()
}
