package pcr

import "heddle/trace"

// A view is how the events of a trace depend on each other. Only here the strategy uses data flow.
type view struct {
	t     *trace.Trace
	next  []int32 // by event: the next one of its goroutine, or -1
	first []int32 // by event: see dependent
}

// newView reads the data flow of t. Without data flow an event depends on every earlier read of its
// goroutine.
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
	everything := make([]bool, len(t.Goroutines)) // from here on events depend on all earlier reads
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

// dependent returns the first event of the same goroutine that may change or vanish if event e sees
// another value; -1 if there is none. Branches belong to the step of a read: they decide what the
// goroutine does next.
func (v *view) dependent(e int) int {
	f := int(v.first[e])
	for f >= 0 && v.t.Events[f].Op == trace.OpBranch && v.t.Events[f].Step == v.t.Events[e].Step {
		f = int(v.next[f])
	}
	return f
}
