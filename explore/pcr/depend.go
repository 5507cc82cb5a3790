package pcr

import "heddle/trace"

// A view is what the strategy knows of how the events of a trace depend on each
// other. It is the one place where data flow comes in.
type view struct {
	t     *trace.Trace
	next  []int32 // by event: the next one of its goroutine, -1
	first []int32 // by event: see dependent
}

// newView reads the data flow of t, where it was recorded. Where it was not,
// everything depends on every earlier read of its goroutine.
func newView(t *trace.Trace) *view {
	v := &view{t: t, next: make([]int32, len(t.Events)), first: make([]int32, len(t.Events))}
	last := make([]int32, len(t.Goroutines))
	for g := range last {
		last[g] = -1
	}
	for i := range t.Events {
		v.next[i] = -1
		if g := t.Events[i].G; last[g] >= 0 {
			v.next[last[g]] = int32(i)
			last[g] = int32(i)
		} else {
			last[g] = int32(i)
		}
	}
	if t.Flow == nil {
		copy(v.first, v.next)
		return v
	}
	for i := range v.first {
		v.first[i] = -1
	}
	everything := make([]bool, len(t.Goroutines)) // depends on all reads before, from here on
	r := t.Flow.Reader()
	for i := len(t.Events) - 1; i >= 0; i-- {
		g := t.Events[i].G
		if everything[g] {
			v.first[i] = v.next[i]
		}
		reads, all := r.Deps(i)
		everything[g] = everything[g] || all
		for _, e := range reads {
			if t.Events[e].G == g {
				v.first[e] = int32(i)
			}
		}
	}
	return v
}

// dependent returns the first event of its goroutine that may be another, or not be at all, if
// event e sees another value; -1 if there is none. Branches are taken within the step of a read:
// what they decide is what the goroutine does next.
func (v *view) dependent(e int) int {
	f := int(v.first[e])
	for f >= 0 && v.t.Events[f].Op == trace.OpBranch && v.t.Events[f].Step == v.t.Events[e].Step {
		f = int(v.next[f])
	}
	return f
}
