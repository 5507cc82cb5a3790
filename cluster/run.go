package cluster

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"heddle/rt/wire"
)

// A Run is the exploration of a test by workers. Its methods may be called at the same time.
type Run struct {
	o    Options
	mu   sync.Mutex
	wake sync.Cond
	plan plan
	log  *Log
	seen map[string]bool // keys of findings
	keys []string        // the same, sorted; what was handed out refers to it

	hands   map[*wire.Item]func() // who has an Item, and how to ask for it back
	hurried map[*wire.Item]bool
	waiting int   // workers without an Item
	over    bool  // nothing is handed out any more
	closed  bool  // and nothing counted
	err     error // of the log
}

// Options are those of a Run.
type Options struct {
	Runs     int           // of samples: number of the one after the last; 0: no end
	Quantum  time.Duration // after which a result is wanted
	Deadline time.Time     // zero: none
	Log      *Log          // nil: none
	FailFast bool          // the first finding is the end
	// Hasten, if not nil, returns for how long a run of samples goes on at most after its first finding.
	Hasten func() time.Duration

	// Count is called with every result that counts, before anything that it leads to is handed out, and not at the same time as
	// another. Of its findings it has those that were not told before. again: it is from the Log.
	Count func(w *wire.Worked, again bool)
}

// ResumeRun is NewRun for results of a Log, which may be of somewhere else though it can be read. The error says that they do not fit the
// Share.
func ResumeRun(test string, s *wire.Share, results []*wire.Worked, o Options) (r *Run, err error) {
	r = NewRun(test, s, results, o)
	if r.err != nil {
		return nil, fmt.Errorf("the log of %s cannot be gone on with, remove it: %w", test, r.err)
	}
	return r, nil
}

// fits lets the plan take results, which come from files and from other machines. Where the plan cannot make sense of one, the run ends
// with an error.
func (r *Run) fits(take func()) {
	defer func() {
		if v := recover(); v != nil {
			r.err = fmt.Errorf("a result does not fit what was handed out: %v", v)
		}
	}()
	take()
}

// NewRun returns the Run of what a test binary gave away. results are those of its
// Log, if it is gone on with.
func NewRun(test string, s *wire.Share, results []*wire.Worked, o Options) *Run {
	var p plan
	switch {
	case s.Predicting != nil:
		p = newPrediction(test, s)
	case s.Closure:
		p = newClosure(test, s, o.Quantum)
	case s.Search:
		p = newSearch(test, s)
	case s.Portfolio:
		p = newPortfolio(test, s)
	default:
		p = newSamples(test, s, o.Runs, o.Quantum)
	}
	r := newRun(p, o)
	r.know(s.Seen)
	for _, w := range results {
		if r.fits(func() { r.plan.replay(w) }); r.err != nil {
			break
		}
		r.count(w, true)
	}
	return r
}

func newRun(p plan, o Options) *Run {
	r := &Run{o: o, plan: p, log: o.Log, seen: make(map[string]bool), hands: make(map[*wire.Item]func()), hurried: make(map[*wire.Item]bool)}
	r.wake.L = &r.mu
	return r
}

func (r *Run) know(keys []string) {
	for _, key := range keys {
		if !r.seen[key] {
			r.seen[key] = true
			r.keys = append(r.keys[:len(r.keys):len(r.keys)], key)
		}
	}
}

// Next waits for an Item; nil: nothing is left, or Stop was called. hurry is called, at most once, when others
// have nothing to do: the Item is to be given back soon, in several pieces.
func (r *Run) Next(hurry func()) *wire.Item {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting++
	defer func() { r.waiting-- }()
	for {
		if r.ended() {
			return nil
		}
		if it := r.pick(hurry); it != nil {
			return it
		}
		r.wake.Wait()
	}
}

// pick returns an Item for one of those who wait; where there is none, others are asked to give back.
func (r *Run) pick(hurry func()) *wire.Item {
	it := r.plan.next()
	if it == nil {
		r.starve()
		return nil
	}
	r.prepare(it)
	r.hands[it] = hurry
	return it
}

// try is Next for who does not wait.
func (r *Run) try(hurry func()) *wire.Item {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended() {
		return nil
	}
	return r.pick(hurry)
}

func (r *Run) ended() bool {
	if r.over || r.err != nil || r.plan.done() {
		return true
	}
	if d := r.o.Deadline; !d.IsZero() && time.Now().After(d) {
		r.stop()
		return true
	}
	return false
}

// forItem is what an Item takes of the coordinator's time, and more. Items must not come
// back faster than it can hand out others.
const forItem = 500 * time.Microsecond

// mostParts is in how many pieces what is left is split at most where others have nothing to do: else it is two for each who is there.
const mostParts = 128

// prepare completes an Item that is about to be handed out.
func (r *Run) prepare(it *wire.Item) {
	it.Least = int64(forItem) * int64(len(r.hands))
	it.Seen, it.Quantum, it.Parts = r.keys, int64(r.o.Quantum), min(mostParts, 2*(r.waiting+len(r.hands)))
	if !r.o.Deadline.IsZero() {
		it.Budget = max(1, int64(time.Until(r.o.Deadline)))
	}
}

// starve asks for as many Items back as there are workers without one, the largest first.
func (r *Run) starve() {
	want := r.waiting - len(r.hurried)
	if want <= 0 || len(r.hands) == 0 {
		return
	}
	var held []*wire.Item
	for it := range r.hands {
		if it.Piece != nil && !r.hurried[it] { // ranges of samples and tasks are short
			held = append(held, it)
		}
	}
	slices.SortFunc(held, func(a, b *wire.Item) int {
		switch {
		case a.Piece.Size > b.Piece.Size:
			return -1
		case a.Piece.Size < b.Piece.Size:
			return 1
		}
		return a.N - b.N
	})
	for _, it := range held[:min(want, len(held))] {
		r.hurried[it] = true
		r.hands[it]()
	}
}

// Take counts the result of an Item that Next returned. Results that were lost or came twice do no harm.
func (r *Run) Take(it *wire.Item, w *wire.Worked) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.letGo(it)
	if r.closed {
		return
	}
	r.fits(func() { r.certain(r.plan.take(w)) })
	r.wake.Broadcast()
}

func (r *Run) letGo(it *wire.Item) {
	delete(r.hands, it)
	delete(r.hurried, it)
}

func (r *Run) certain(ws []*wire.Worked) {
	for _, w := range ws {
		if r.log != nil && r.err == nil {
			r.err = r.log.write(w)
		}
		r.count(w, false)
	}
}

// count tells of what is new in a result.
func (r *Run) count(w *wire.Worked, again bool) {
	told := *w
	told.Found = slices.DeleteFunc(slices.Clone(w.Found), func(f wire.Found) bool { return r.seen[f.Key] })
	r.know(w.Seen)
	if r.o.Count != nil {
		r.o.Count(&told, again)
	}
	if len(told.Found) == 0 || again {
		return
	}
	if r.o.FailFast {
		r.closed = true
		r.stop()
	}
	if r.o.Hasten != nil {
		if d := time.Now().Add(r.o.Hasten()); r.o.Deadline.IsZero() || d.Before(r.o.Deadline) {
			r.o.Deadline = d
		}
		r.o.Hasten = nil
	}
}

// Back takes an Item again whose worker has died.
func (r *Run) Back(it *wire.Item) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.letGo(it)
	r.plan.back(it)
	r.wake.Broadcast()
}

// Stop asks for all Items back, and Next returns nil from now on. What comes back still counts.
func (r *Run) Stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stop()
}

func (r *Run) stop() {
	r.over = true
	for it, hurry := range r.hands {
		if !r.hurried[it] {
			r.hurried[it] = true
			hurry()
		}
	}
	r.wake.Broadcast()
}

// Over reports whether Next returns nil.
func (r *Run) Over() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended()
}

// Done reports whether no result can add anything.
func (r *Run) Done() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closed || r.err != nil || r.plan.done()
}

// Look returns how far the run is, and about how many executions there will be, 0
// where that is not known. It is to be called now and then: it notices that time is over.
func (r *Run) Look() (o Outcome, estimate float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended() {
		r.wake.Broadcast()
	}
	return r.plan.outcome(), r.plan.estimate()
}

// Seen returns the keys of what was found.
func (r *Run) Seen() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.keys
}

// Finish ends the run, of which nothing is counted any more. The error is that of writing the Log.
func (r *Run) Finish() (Outcome, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stop()
	if !r.closed {
		r.closed = true
		r.fits(func() { r.certain(r.plan.end()) })
	}
	return r.plan.outcome(), r.err
}
