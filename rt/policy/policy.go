// Package policy chooses the goroutine that goes on when a schedule's prefix is used up: one file a
// policy. A policy decides at every step, so it runs inside the program under test, imports trace
// and model only, looks at what has changed since the last step and allocates nothing once it has
// seen as many goroutines as an execution has. What thinks between executions is a strategy
// (package explore).
//
// A policy's choices are a function of its depth, of the seed given to Begin, and of what it was
// asked since then; those of pct of Length too, which it learns from earlier executions.
package policy

import "heddle/trace"

// A Policy chooses at every step.
type Policy interface {
	// Name is the name that New knows it by.
	Name() string

	// Begin starts an execution.
	Begin(seed uint64)

	// Choose returns one of ready, the goroutines that can go on, never empty. cur
	// made the last step; it may be NoG or not ready. pend[g] is what g is
	// about to do. What Choose returns is done before the next call.
	Choose(cur trace.GID, ready *Ready, pend []trace.Pending) trace.GID

	// Outcome returns a number below n: the case of a select, a draw.
	Outcome(n int) int
}

// policies is what New knows.
var policies = []struct {
	name string
	make func(depth int) Policy
}{
	{"first", func(int) Policy { return first{} }},
	{"random", func(int) Policy { return new(random) }},
	{"pos", func(int) Policy { return new(pos) }},
	{"pct", func(depth int) Policy { return newPCT(depth) }},
	{"rr", func(int) Policy { return new(roundRobin) }},
}

// MaxDepth bounds the depth of pct.
const MaxDepth = 10_000

// New returns the policy of that name; "" is "first". depth is for pct: the
// number of ordering constraints of the bugs that it is to find; less than 1 means 3.
// It fails for other names, and for a depth above MaxDepth.
func New(name string, depth int) (Policy, error) {
	if depth > MaxDepth {
		return nil, tooDeep{}
	}
	if name == "" {
		name = "first"
	}
	for _, p := range policies {
		if p.name == name {
			return p.make(depth), nil
		}
	}
	return nil, unknown(name)
}

// Names returns the names that New knows.
func Names() []string {
	names := make([]string, len(policies))
	for i, p := range policies {
		names[i] = p.name
	}
	return names
}

// tooDeep is the error of New for a depth.
type tooDeep struct{}

func (tooDeep) Error() string { return "the depth of a policy is 10,000 at most" }

// unknown is the error of New for a name.
type unknown string

func (name unknown) Error() string {
	s := "unknown policy \"" + string(name) + "\": want one of "
	for i, n := range Names() {
		if i > 0 {
			s += ", "
		}
		s += n
	}
	return s
}

// atLeast returns s with n entries or more, the new ones zero.
func atLeast[T any](s []T, n int) []T {
	for len(s) < n {
		var zero T
		s = append(s, zero)
	}
	return s
}
