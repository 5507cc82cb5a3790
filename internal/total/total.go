// Package total divides the time of a run among its tests (-total):
//
//	seconds := total.Allocate(600, 0, wants)
//
// Tests that are new, that changed, or that promise something come first: each gets what -budget
// gives by default. A test that was covered gets what it took. All that were not covered share the
// rest, but one that an estimate says can be covered gets no more than that, as long as others want
// more. Allocate is a function of its arguments; the command says what is left when a package
// begins, so that time which a test did not need goes to the next ones.
package total

import (
	"cmp"
	"slices"
)

// A Past is what the last run with -total found out about a test.
type Past struct {
	Code     string  // hash of the sources of its binary
	Covered  bool    // all interleavings, without a finding
	Findings int     // distinct ones
	Seconds  float64 // that it took
	Need     float64 // seconds that covering it takes, by an estimate; 0: unknown
}

// A Class says why a test gets time.
type Class int

// The classes, in the order in which they are served.
const (
	New       Class = iota // it was not explored before
	Changed                // its sources, or those of a dependency, are others
	Promising              // it had findings, or is near to being covered
	Covered                // it was covered, and nothing has changed
	Open                   // it was sampled, and nothing has changed
)

func (c Class) String() string {
	return [...]string{"new", "changed", "promising", "covered", "open"}[c]
}

// first reports whether a class is served before the others.
func (c Class) first() bool { return c <= Promising }

// near is how many times as long as it took a test may need to be promising.
const near = 10

// ClassOf returns the class of a test whose sources have a hash; past nil: there is none.
func ClassOf(past *Past, code string) Class {
	switch {
	case past == nil:
		return New
	case past.Code != code:
		return Changed
	case past.Findings > 0:
		return Promising
	case past.Covered:
		return Covered
	case past.Need > 0 && past.Need <= near*past.Seconds:
		return Promising
	}
	return Open
}

// A Want is a test that is to get time.
type Want struct {
	Class Class
	Past  Past
}

// usual is what a test gets that comes first, in seconds, before the others get something: the
// default of -budget.
const usual = 10

// again is what a covered test gets: times what it took, and seconds beside. It ends when it is
// covered; with too little time it might not be.
const (
	againFactor = 4
	againBeside = 1
)

// needFactor is how much longer than an estimate a search may take.
const needFactor = 1.5

// Allocate returns the seconds of each test; their sum is at most the seconds that there are. most
// is what a test may get at most; 0: any time.
func Allocate(seconds, most float64, tests []Want) []float64 {
	out := make([]float64, len(tests))
	if most <= 0 {
		most = seconds
	}
	give := func(of func(*Want) bool, want func(*Want) float64) {
		var at []int
		var caps []float64
		for i := range tests {
			if of(&tests[i]) {
				at = append(at, i)
				caps = append(caps, max(0, min(most, want(&tests[i]))-out[i]))
			}
		}
		for i, s := range fill(seconds, caps) {
			out[at[i]] += s
			seconds -= s
		}
		seconds = max(seconds, 0)
	}
	give(func(w *Want) bool { return w.Class.first() }, func(w *Want) float64 {
		return max(usual, w.Past.Need*needFactor)
	})
	give(func(w *Want) bool { return w.Class == Covered }, func(w *Want) float64 {
		return w.Past.Seconds*againFactor + againBeside
	})
	left := func(w *Want) bool { return w.Class != Covered }
	give(left, func(w *Want) float64 {
		if w.Class == Open && w.Past.Need > 0 {
			return w.Past.Need * needFactor
		}
		return most
	})
	give(left, func(w *Want) float64 { return most })
	return out
}

// fill divides seconds fairly: each gets the same, but none more than its cap, and what one does
// not take is divided among the others.
func fill(seconds float64, caps []float64) []float64 {
	out := make([]float64, len(caps))
	order := make([]int, len(caps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(caps[a], caps[b]) })
	for k, i := range order {
		out[i] = min(caps[i], seconds/float64(len(order)-k))
		seconds -= out[i]
	}
	return out
}
