// Package policy holds what chooses who goes on when a schedule's prefix is
// used up: one file a policy. A policy decides at every step, so it runs inside
// the program under test and allocates nothing per step; what thinks between
// executions is a strategy (package explore).
//
// A policy's choices are a function of the seed given to Begin and of what it
// is asked, and for pct of Length, which it learns from earlier executions.
package policy

import (
	"fmt"
	"strings"

	"heddle/trace"
)

// A Policy chooses at every step.
type Policy interface {
	// Name is the name that New knows it by.
	Name() string
	// Begin starts an execution.
	Begin(seed uint64)
	// Choose returns one of ready: the goroutines that can go on, in order of
	// creation (the pseudo goroutine of early timers last), never empty. cur
	// made the last step; it may be NoG or not ready. pend[g] is what g is about to do.
	Choose(cur trace.GID, ready []trace.GID, pend []trace.Pending) trace.GID
	// Outcome returns a number below n: the case of a select, a draw.
	Outcome(n int) int
}

// names lists the policies; New and its error are made from it.
var names = []struct {
	name string
	make func(depth int) Policy
}{
	{"first", func(int) Policy { return first{} }},
	{"random", func(int) Policy { return &random{} }},
	{"pos", func(int) Policy { return &pos{} }},
	{"pct", func(depth int) Policy { return newPCT(depth) }},
	{"rr", func(int) Policy { return &roundRobin{} }},
}

// New returns the policy of that name. depth is for pct: the number of
// ordering constraints of the bugs that it is to find, at least 1; 0 is 3.
func New(name string, depth int) (Policy, error) {
	for _, p := range names {
		if p.name == name {
			return p.make(depth), nil
		}
	}
	return nil, fmt.Errorf("unknown policy %q; want one of: %s", name, strings.Join(Names(), ", "))
}

// Names returns the names that New knows.
func Names() []string {
	var ns []string
	for _, p := range names {
		ns = append(ns, p.name)
	}
	return ns
}

// rng is splitmix64 (Steele, Lea and Flood, OOPSLA 2014).
type rng uint64

func (r *rng) seed(s uint64) { *r = rng(s ^ 0x5deece66d1234567) }

func (r *rng) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below returns a number below n. The bias is n/2^32, which nobody can see.
func (r *rng) below(n int) int { return int(r.next() >> 32 * uint64(n) >> 32) }

func contains(ready []trace.GID, g trace.GID) bool {
	for _, r := range ready {
		if r == g {
			return true
		}
	}
	return false
}
