// Package sample registers the policies of package policy as strategies: executions are sampled by
// them.
package sample

import (
	"fmt"
	"strconv"

	"heddle/explore"
)

// maxDepth bounds option depth, see policy.MaxDepth.
const maxDepth = 10_000

// Depth is the option of what uses policy pct.
var Depth = explore.Option{Name: "depth", Default: "3", Help: "of policy pct: orderings that a bug may need",
	Check: func(s string) error {
		if n, err := strconv.Atoi(s); err != nil || n < 1 || n > maxDepth {
			return fmt.Errorf("want a number, 1 to %d", maxDepth)
		}
		return nil
	}}

func init() {
	explore.Register(explore.Unit{Name: "first", Order: 40, Policy: "first",
		Does: "one policy: the schedule without preemptions"})
	explore.Register(explore.Unit{Name: "random", Order: 50, Policy: "random", Compared: true, Seeds: true,
		Does: "one policy: a random walk"})
	explore.Register(explore.Unit{Name: "pos", Order: 60, Policy: "pos", Compared: true, Seeds: true,
		Does:  "one policy: partial order sampling, a random walk over partial orders",
		Paper: "Yuan, Yang, Gu: Partial Order Aware Concurrency Sampling, CAV 2018"})
	explore.Register(explore.Unit{Name: "pct", Order: 70, Policy: "pct", Compared: true, Seeds: true,
		Options: []explore.Option{Depth},
		Does:    "one policy: random priorities with a few changes, which bounds the odds of missing a bug",
		Paper:   "Burckhardt, Kothari, Musuvathi, Nagarakatte: A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs, ASPLOS 2010"})
}
