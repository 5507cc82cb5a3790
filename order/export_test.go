package order

import (
	"math/rand"

	"heddle/trace"
)

// Twin is the search through all orders that others check their predictions against.
type Twin = twin

// RandomTrace returns a random trace and its twin.
func RandomTrace(seed int64) (*trace.Trace, *Twin) {
	r := rand.New(rand.NewSource(seed))
	s := randomScript(r)
	t := s.execute(r)
	return t, newTwin(s, t)
}

// Scripts is how many random traces are compared.
func Scripts() int { return *scripts }

// EachState calls f for every state that a correct order of the trace leads to: with the events
// that come next in goroutines which go on, and with whether a set of them is deadlocked.
func (w *twin) EachState(f func(next []int, deadlocked func(set []int) bool)) {
	w.search(Goal{}, func(st *state) bool {
		var next []int
		for g := range w.byG {
			if e := w.next(st, g); e >= 0 && !st.odd[g] && w.started(st, g) {
				next = append(next, e)
			}
		}
		f(next, func(set []int) bool { return w.shows(st, Deadlock(set...)) })
		return false
	})
}
