package cluster

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"heddle/rt/wire"
)

// A Run is the exploration of a test by workers. Its methods may be called concurrently.
type Run struct {
	o    Options
	mu   sync.Mutex
	wake sync.Cond
	plan plan
	log  *Log
	seen map[string]bool // keys of findings
	keys []string        // the same, sorted; Items that were handed out refer to it

	hands   map[*wire.Item]func() // by Item at a worker: how to ask for it back
	hurried map[*wire.Item]bool
	waiting int   // idle workers
	over    bool  // nothing is handed out any more
	closed  bool  // nothing is counted any more
	err     error // of the log
}

// Options are the options of a Run.
type Options struct {
	Runs     int           // of samples: number after the last; 0: unbounded
	Quantum  time.Duration // time after which a worker returns a result
	Deadline time.Time     // zero: none
	Log      *Log          // nil: none
	FailFast bool          // the first finding ends the run
	// Hasten, if not nil, returns how long a run of samples continues at most after its first
	// finding.
	Hasten func() time.Duration

	// Count is called with every result that counts, one at a time, before any work that follows
	// from it is handed out. The result has only findings that were not reported before. again: it
	// is from the Log.
	Count func(w *wire.Worked, again bool)
}

// ResumeRun is NewRun for results of a Log, which may be well-formed but of another search. Then
// the error says that they do not fit the Share.
func ResumeRun(test string, s *wire.Share, results []*wire.Worked, o Options) (r *Run, err error) {
	r = NewRun(test, s, results, o)
	if r.err != nil {
		return nil, fmt.Errorf("the log of %s cannot be resumed, remove it: %w", test, r.err)
	}
	return r, nil
}

// fits runs take, in which the plan takes a result from a file or another machine. If the result
// does not fit the plan, the run ends with an error.
func (r *Run) fits(take func()) {
	defer func() {
		if v := recover(); v != nil {
			r.err = fmt.Errorf("a result does not fit what was handed out: %v", v)
		}
	}()
	take()
}

// NewRun returns the Run of a Share. results are those of its Log if it is resumed.
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
	r := &Run{o: o, plan: p, log: o.Log, seen: make(map[string]bool), hands: make(map[*wire.Item]func()),
		hurried: make(map[*wire.Item]bool)}
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

// Next waits for an Item. It returns nil when nothing is left or Stop was called. hurry is called
// at most once, when other workers are idle: the Item should be given back soon, in several
// pieces.
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

// pick returns an Item for a waiting worker. If there is none, it asks other workers to give work
// back.
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

// try is Next without waiting.
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

// forItem is an upper estimate of the coordinator's time for an Item. Items must not come back
// faster than the coordinator can hand out others.
const forItem = 500 * time.Microsecond

// mostParts bounds the pieces into which a worker splits its rest when others are idle. Below it
// there are two pieces for each worker.
const mostParts = 128

// prepare completes an Item that is about to be handed out.
func (r *Run) prepare(it *wire.Item) {
	it.Least = int64(forItem) * int64(len(r.hands))
	it.Seen, it.Quantum, it.Parts = r.keys, int64(r.o.Quantum), min(mostParts, 2*(r.waiting+len(r.hands)))
	if !r.o.Deadline.IsZero() {
		it.Budget = max(1, int64(time.Until(r.o.Deadline)))
	}
}

// starve asks for as many Items back as there are idle workers, the largest first.
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

// Take counts the result of an Item that Next returned. A result may come twice or never.
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

// count reports the new findings of a result.
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

// Back takes back an Item whose worker has died.
func (r *Run) Back(it *wire.Item) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.letGo(it)
	r.plan.back(it)
	r.wake.Broadcast()
}

// Stop asks for all Items back; Next returns nil from now on. Results still count.
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

// Look returns the state of the run and the approximate number of executions, or 0 if it is
// unknown. Call it periodically: it notices the deadline.
func (r *Run) Look() (o Outcome, estimate float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended() {
		r.wake.Broadcast()
	}
	return r.plan.outcome(), r.plan.estimate()
}

// Seen returns the keys of the findings.
func (r *Run) Seen() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.keys
}

// Finish ends the run; no further result counts. The error is that of writing the Log.
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
