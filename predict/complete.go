package predict

import (
	"iter"
	"sort"

	"heddle/trace"
)

// Races returns every pair of sites at which two goroutines access one location, at least one of
// them writing, and hold no lock that excludes the other. It ignores the order relation, which
// lacks orders in which a channel or an atomic passes the same values otherwise. The candidates are
// for a Solver: it finds a race in one of the instances if any correct order of the trace has it
// there.
func (g *Graph) Races() []Candidate {
	s := &search{g: g}
	at := make(map[pairKey]int)
	var out []Candidate
	var runs [][][2][]int32
	for loc := range g.access.locs {
		s.split(int32(loc))
		for i := range s.runs {
			for j := i + 1; j < len(s.runs); j++ {
				a, b := &s.runs[i], &s.runs[j]
				if a.g == b.g || !a.write && !b.write || g.excludeSets(a.locks, b.locks) {
					continue
				}
				k := keyOf(a, b)
				c, known := at[k]
				if !known {
					c = len(out)
					at[k] = c
					out = append(out, Candidate{Pattern: Race, Sites: []trace.Site{k.a, k.b}})
					runs = append(runs, nil)
				}
				runs[c] = append(runs[c], [2][]int32{append([]int32(nil), a.nodes...),
					append([]int32(nil), b.nodes...)})
			}
		}
	}
	for i := range out {
		out[i].More = pairs(runs[i])
		for a := range out[i].More {
			out[i].Instances = []Anomaly{a}
			break
		}
	}
	return out
}

// pairs yields the pairs of nodes of two runs, those adjacent in the trace first.
func pairs(runs [][2][]int32) iter.Seq[Anomaly] {
	return func(yield func(Anomaly) bool) {
		for k, more := 0, true; more; k++ {
			more = false
			for _, r := range runs {
				for _, x := range r[0] {
					y, ok := nth(r[1], x, k)
					if !ok {
						continue
					}
					more = true
					if !yield(Anomaly{Pattern: Race, Nodes: []int32{min(x, y), max(x, y)}}) {
						return
					}
				}
			}
		}
	}
}

// nth returns the k-th entry of sorted, counted from the position of x, alternately after and
// before it.
func nth(sorted []int32, x int32, k int) (int32, bool) {
	mid := sort.Search(len(sorted), func(i int) bool { return sorted[i] >= x })
	after, before := len(sorted)-mid, mid
	both := min(after, before)
	switch {
	case k >= len(sorted):
		return 0, false
	case k < 2*both && k%2 == 0:
		return sorted[mid+k/2], true
	case k < 2*both:
		return sorted[mid-1-k/2], true
	case after > before:
		return sorted[mid+k-both], true
	}
	return sorted[mid-1-(k-both)], true
}
