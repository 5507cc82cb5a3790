package engine

import (
	"slices"

	"heddle/rt/wire"
	"heddle/trace"
)

// Leaving out deviations ends at a list of which each is needed, and that can
// be far from the shortest: the others may be needed because of the first. So what a few
// switches can lead to is tried out, those of one switch first (iterative context
// bounding: Musuvathi & Qadeer, PLDI 2007).

// fewestTries bounds the executions of that search, and fewestLength the lists that it is for: all
// of a level are kept.
const (
	fewestTries  = 2000
	fewestLength = 500
)

// fewest looks for a list with fewer switches than ds that shows the finding,
// among the goroutines that ds switches between, and returns it, or ds.
func (m *minimiser) fewest(ds []wire.Deviation) []wire.Deviation {
	if len(ds) > fewestLength {
		return ds
	}
	var fixed []wire.Deviation // outcomes of choices stay as they are
	var among []trace.GID
	for _, d := range ds {
		if d.Choice {
			fixed = append(fixed, d)
			continue
		}
		among = append(among, d.G, trace.GID(d.To))
	}
	slices.Sort(among)
	among = slices.Compact(among)
	tries := 0
	level := [][]wire.Deviation{fixed}
	for range len(ds) - len(fixed) - 1 {
		var next [][]wire.Deviation
		for _, base := range level {
			_, t := m.execute(&wire.Request{Deviate: true, Deviations: base})
			for _, d := range m.further(t, among) {
				if tries++; tries > fewestTries || m.late() {
					return ds
				}
				more := append(slices.Clone(base), d)
				if m.shows(more) != nil {
					return more
				}
				next = append(next, more)
			}
		}
		level = next
	}
	return ds
}

// further returns the switches that can be added to an execution after the last one that it has,
// as many as can be tried.
func (m *minimiser) further(t *trace.Trace, among []trace.GID) []wire.Deviation {
	steps := make([]int32, len(t.Goroutines))
	var ds []wire.Deviation
	for _, s := range t.Steps {
		if s.Op == trace.OpChoose {
			continue
		}
		if s.G != s.Default {
			ds = ds[:0]
		}
		for _, g := range among {
			if g != s.Default && int(g) < len(steps) && len(ds) <= fewestTries {
				ds = append(ds, wire.Deviation{G: s.Default, N: steps[s.Default], To: int32(g)})
			}
		}
		steps[s.G]++
	}
	return ds
}
