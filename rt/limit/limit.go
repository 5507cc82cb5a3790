// Package limit says when a search has to end before it is through: its time is
// over, or it holds as much memory as it may. What heddle does between two
// executions can take long, so every loop of it asks a Limit.
//
//	if l.Spent() {
//		return // and the search says that it is not through
//	}
//
// Deep inside, where there is nothing sensible to return:
//
//	whole := l.Within(func() { ... l.Check() ... })
package limit

import "time"

// A Limit asks whether a search has to end, about once a millisecond however often it is asked
// itself. A nil Limit never ends anything. It belongs to one goroutine.
type Limit struct {
	over  func() bool
	now   func() time.Time
	spent bool

	calls int       // until over is asked
	every int       // calls between two times
	asked time.Time // the last time
}

// How often over is asked: after that many calls at most, and more rarely as long as that takes
// less than often.
const (
	most  = 256
	often = time.Millisecond
)

// New returns a Limit that is spent from when over, which may be nil, first returns true.
func New(over func() bool) *Limit {
	if over == nil {
		return nil
	}
	return &Limit{over: over, now: time.Now, every: 1, calls: 1}
}

// Always returns a Limit that asks over each time it is asked itself, for tests.
func Always(over func() bool) *Limit {
	l := &Limit{over: over, every: 1, calls: 1}
	l.now = func() time.Time { return l.asked.Add(often) }
	return l
}

// Spent reports whether the search has to end, as of a millisecond ago, or of 256 calls if these
// took longer.
func (l *Limit) Spent() bool {
	if l == nil {
		return false
	}
	if l.calls--; l.calls > 0 || l.spent {
		return l.spent
	}
	now := l.now()
	if now.Sub(l.asked) < often {
		l.every = min(2*l.every, most)
	} else {
		l.every = max(1, l.every/2)
	}
	l.asked, l.calls = now, l.every
	return l.Now()
}

// Now is Spent as of now.
func (l *Limit) Now() bool {
	if l == nil {
		return false
	}
	l.spent = l.spent || l.over()
	return l.spent
}

// A stop is what Check panics with.
type stop struct{ l *Limit }

// Check ends what Within calls if the search has to end. Nothing may be counted on that was being
// changed.
func (l *Limit) Check() {
	if l.Spent() {
		panic(stop{l})
	}
}

// Within calls f, and reports whether Check has not ended it.
func (l *Limit) Within(f func()) (whole bool) {
	defer func() {
		if whole {
			return
		}
		if v := recover(); v != nil && v != (any)(stop{l}) {
			panic(v)
		}
	}()
	f()
	return true
}

// CollectWithin is how many bytes a process may use before garbage is collected within an execution
// too.
const CollectWithin = 3 << 30

// MostHeap is how many bytes of heap objects end an execution: what is left of them where garbage
// is collected within it.
const MostHeap = CollectWithin + 1<<30
