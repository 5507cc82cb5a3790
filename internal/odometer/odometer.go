// Package odometer is exhaustive search without reduction. All reductions are checked against it.
package odometer

import (
	"heddle/rt/policy"
	"heddle/trace"
)

// An Odometer is a policy that makes every possible sequence of choices, one in each execution.
// Next advances to the next sequence. The zero value begins with the first choice everywhere.
type Odometer struct {
	picks []pick
	depth int
}

type pick struct{ choice, of int }

// Name returns "odometer".
func (*Odometer) Name() string { return "odometer" }

// Begin starts an execution.
func (o *Odometer) Begin(uint64) { o.depth = 0 }

// Choose returns the goroutine that is next in the current sequence.
func (o *Odometer) Choose(_ trace.GID, ready *policy.Ready, _ []trace.Pending) trace.GID {
	return ready.Nth(o.Outcome(ready.Len()))
}

// Outcome returns the outcome that is next in the current sequence.
func (o *Odometer) Outcome(n int) int {
	if n <= 1 {
		return 0
	}
	if o.depth == len(o.picks) {
		o.picks = append(o.picks, pick{0, n})
	}
	o.depth++
	return o.picks[o.depth-1].choice
}

// Next advances to the next sequence and reports whether there is one.
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
