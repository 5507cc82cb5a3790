package oracle

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"heddle/internal/gogen"
)

// A Count sums up reports.
type Count struct {
	strategies                                             []string
	Programs, Failed, Rounds, Racy, Dead, Panicked, Native int
	covered, executions, found                             map[string]int
	races                                                  map[string]int
	pieces, features                                       map[string]int
	groups                                                 map[string]int // of failures
}

// NewCount returns an empty Count.
func NewCount(strategies []string) *Count {
	return &Count{strategies: strategies, covered: map[string]int{}, executions: map[string]int{},
		found: map[string]int{},
		races: map[string]int{}, pieces: map[string]int{}, features: map[string]int{},
		groups: map[string]int{}}
}

// Add adds a report.
func (c *Count) Add(r *Report) {
	c.Programs++
	if len(r.Wrong) > 0 {
		c.Failed++
		c.groups[r.Group()]++
	}
	c.Rounds += r.Native.Rounds
	c.Native += len(r.Native.Outcomes)
	if len(r.Native.Races) > 0 {
		c.Racy++
	}
	if r.Native.Outcomes["DEADLOCK"] || r.Native.Outcomes["LEAK"] {
		c.Dead++
	}
	for o := range r.Native.Outcomes {
		if strings.HasPrefix(o, "PANIC ") || strings.HasPrefix(o, "FATAL ") {
			c.Panicked++
			break
		}
	}
	for s, h := range r.Heddle {
		c.executions[s] += h.Executions
		if h.Complete {
			c.covered[s]++
		}
		if len(h.Findings) > 0 {
			c.found[s]++
		}
		if h.find("data race") != nil {
			c.races[s]++
		}
	}
	for _, p := range r.Program.Pieces() {
		c.pieces[p]++
	}
	for _, f := range r.Program.Features() {
		c.features[f]++
	}
}

func (c *Count) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d programs, covered", c.Programs)
	for _, s := range c.strategies {
		fmt.Fprintf(&b, " %s %d", s, c.covered[s])
	}
	fmt.Fprintf(&b, "; %d failed", c.Failed)
	return b.String()
}

// Seen returns how many programs had failures of r's group.
func (c *Count) Seen(r *Report) int { return c.groups[r.Group()] }

// Table returns all counts as text.
func (c *Count) Table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "programs %d, of %d pieces, with", c.Programs, len(c.pieces))
	for i, f := range gogen.Features() {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, " %s %d", f, c.features[f])
	}
	b.WriteString("\n")
	fmt.Fprintf(&b, "natively %d executions: %d programs with a data race, %d with a deadlock or leak, %d that panicked; %d outcomes\n",
		c.Rounds, c.Racy, c.Dead, c.Panicked, c.Native)
	for _, s := range slices.Sorted(slices.Values(c.strategies)) {
		fmt.Fprintf(&b, "%s: %d covered, %d with findings, %d with a data race, %d executions\n", s, c.covered[s], c.found[s], c.races[s], c.executions[s])
	}
	fmt.Fprintf(&b, "failed %d\n", c.Failed)
	for _, g := range slices.Sorted(maps.Keys(c.groups)) {
		fmt.Fprintf(&b, "%6d %s\n", c.groups[g], g)
	}
	return b.String()
}
