package engine

import (
	"encoding/binary"
	"slices"
	"time"

	"heddle/predict"
	"heddle/trace"
)

// Every execution that a strategy makes is a trace to predict from. Most of them do nothing that
// those before did not do in another order, and predict the same. So it is predicted from an
// execution only if it has a step at a place in the source at which no execution had one from which
// was predicted: code that the first execution left out. The check costs one look-up for
// each step.

const (
	foretellMost  = 20                     // predictions of one test, beside the first
	foretellShare = 10                     // of the time so far: what they may take together
	foretellLeast = 20 * time.Millisecond  // what one may take in any case
	foretellTime  = 500 * time.Millisecond // and at most
	// after so many executions without a new place only one in foretellEvery is looked at
	foretellIdle  = 256
	foretellEvery = 16
)

// A foreteller predicts from the executions of an exploration after the first.
type foreteller struct {
	// sites of steps of executions from which was predicted
	places map[trace.Site]struct{}
	tried  map[string]bool // candidates, by pattern and places
	made   int
	spent  time.Duration
	idle   int // executions since the last new place
	busy   bool
	into   *prediction // heddle predict: whose verdicts theirs are added to
}

func newForeteller() *foreteller {
	return &foreteller{places: make(map[trace.Site]struct{}), tried: make(map[string]bool)}
}

// learn notes the places of t, and reports whether there are new ones.
func (f *foreteller) learn(t *trace.Trace) bool {
	fresh := false
	for i := range t.Steps {
		st := &t.Steps[i]
		if accessOf(st.Op) { // whether these are steps depends on the strategy
			continue
		}
		p := st.Site.Plain()
		if _, known := f.places[p]; !known {
			f.places[p], fresh = struct{}{}, true
		}
	}
	return fresh
}

func accessOf(op trace.Op) bool { return op == trace.OpRead || op == trace.OpWrite }

// untried returns the candidates that were not tried yet.
func (f *foreteller) untried(cs []predict.Candidate) []predict.Candidate {
	return slices.DeleteFunc(cs, func(c predict.Candidate) bool {
		key := []byte(c.Pattern.Name)
		for _, s := range c.Sites {
			key = binary.LittleEndian.AppendUint64(key, uint64(s))
		}
		known := f.tried[string(key)]
		f.tried[string(key)] = true
		return known
	})
}

// foretell predicts from ex, an execution that showed nothing new, if it reached new places and
// there is time. It returns ex with a trace that the executions made for that did not overwrite.
func (e *exploration) foretell(ex Execution) Execution {
	f := e.foretold
	if f == nil || f.busy || e.keeping || e.real || e.nondet || ex.Broken || ex.Diverged != nil ||
		f.made >= foretellMost || ex.Trace.Verdict == trace.Diverged || ex.Trace.Verdict == trace.Aborted {
		return ex
	}
	if f.idle++; f.idle > foretellIdle && f.idle%foretellEvery != 0 || !f.learn(ex.Trace) {
		return ex
	}
	f.idle = 0
	if f.spent > foretellLeast+time.Since(e.start)/foretellShare || e.late() {
		return ex
	}
	t := ex.Trace.Clone()
	ex.Trace = t
	f.busy = true
	began := time.Now()
	defer func(n int) {
		e.n, f.busy = n, false
		f.made++
		f.spent += time.Since(began)
	}(e.n)
	s := &trace.Schedule{Policy: "first", Exhaustive: true, Insert: true, Steps: slices.Clone(t.Steps)}
	for i := range t.Steps {
		s.Names = append(s.Names, t.Name(t.Steps[i].G))
	}
	p := &prediction{exploration: e, from: s, deadline: began.Add(foretellTime)}
	if f.into != nil {
		first := *f.into.told
		p.alone, p.told = true, f.into.told
		defer func() { p.told.OfExecution(&first) }()
	}
	if e.deadline.Before(p.deadline) && !e.deadline.IsZero() {
		p.deadline = e.deadline
	}
	p.run()
	return ex
}
