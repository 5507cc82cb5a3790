package machine

import (
	"context"
	"errors"

	"heddle/rt/sched"
	"heddle/trace"
)

// An Odometer is a policy that makes every sequence of choices there is, one
// an execution: exhaustive search without any reduction.
type Odometer struct {
	picks []pick
	depth int
}

type pick struct{ choice, of int }

// Name is "odometer".
func (*Odometer) Name() string { return "odometer" }

// Begin starts an execution.
func (o *Odometer) Begin(uint64) { o.depth = 0 }

// Choose takes the goroutine whose turn it is.
func (o *Odometer) Choose(_ trace.GID, ready []trace.GID, _ []trace.Pending) trace.GID {
	return ready[o.Outcome(len(ready))]
}

// Outcome takes the outcome whose turn it is.
func (o *Odometer) Outcome(n int) int {
	if n == 1 {
		return 0
	}
	if o.depth == len(o.picks) {
		o.picks = append(o.picks, pick{0, n})
	}
	o.depth++
	return o.picks[o.depth-1].choice
}

// Next goes on to the next sequence and reports whether there is one.
func (o *Odometer) Next() bool {
	o.picks = o.picks[:o.depth]
	for n := len(o.picks); n > 0; n-- {
		if p := &o.picks[n-1]; p.choice+1 < p.of {
			p.choice++
			o.picks = o.picks[:n]
			return true
		}
	}
	return false
}

// ErrTooMany says that a program has more interleavings than were allowed.
var ErrTooMany = errors.New("machine: too many interleavings")

// Exhaust makes all executions of m's program, at most limit, and returns what
// came out of them. exhaustive: with the semantics of Schedule.Exhaustive, else with the native ones. each, if not nil, is called after every execution.
func (m *Machine) Exhaust(exhaustive bool, limit int, each func(*trace.Trace)) (*Outcomes, int, error) {
	o := NewOutcomes()
	odo := new(Odometer)
	m.Policy, m.OneShot = odo, !exhaustive
	defer func() { m.Policy, m.OneShot = nil, false }()
	s := &trace.Schedule{Exhaustive: exhaustive}
	for n := 1; ; n++ {
		t, err := m.Execute(context.Background(), s)
		if m.Restart() {
			*odo = Odometer{}
			o, n = NewOutcomes(), 0
			continue
		}
		if err != nil {
			return o, n, err
		}
		o.Add(m)
		if each != nil {
			each(t)
		}
		if !odo.Next() {
			return o, n, nil
		}
		if n >= limit {
			return o, n, ErrTooMany
		}
	}
}

// Restart reports whether the last execution polled a channel of which that was not known: a search starts again then.
func (m *Machine) Restart() bool {
	p := sched.S.Polled()
	m.polled = append(m.polled, p...)
	return len(p) > 0
}
