package wire

import (
	"fmt"
	"slices"
)

// Predicted is what the prediction from one execution of a test came to.
type Predicted struct {
	Goroutines int
	Locations  int // of memory that goroutines share, one of them writing
	Events     int // of the execution that was recorded
	From       int // executions from which was predicted; the figures of one are of the first

	// Times, in seconds: of an execution without and with memory accesses recorded, of the
	// analysis, of making schedules by moving operations and by the solver, all together.
	Plain, Recorded, Analysis, Scheduling, Solving float64

	First float64 // from the end of the recorded execution to the first verdict

	Moved      int // schedules made by moving operations, or found not to be possible
	Questions  int // to the solver
	Schedules  int // that were executed
	Executions int // of schedules
	Panics     int // in how many of them the program panicked
	All        []Prediction

	Excluded int // candidates of which the solver has proved that no correct order of the trace has them

	Parts []Prediction `json:",omitempty"` // of Tasks: verdicts to be Joined with those of others

	// with Config.Complete: the time was over before all sets of goroutines that could be
	// deadlocked were asked about
	Cut   bool
	Short bool // the time was over, or the memory, before all of the execution was analysed
	// what cut the recording short, so that it holds the first Events only; "": nothing
	Bounded string
}

// A Prediction is something that was predicted.
type Prediction struct {
	Kind, Pattern string
	Places        []Place
	Verdict       string // Confirmed, Refuted, Untried, Unknown
	Reason        string // of a refutation, or why it is not known
	Active        int    // of Config.Active executions by an active tester, how many showed it
}

// Verdicts on predictions.
const (
	Confirmed = "confirmed" // an execution has shown it
	Refuted   = "refuted"   // no schedule could be made, or none that was made fitted
	Untried   = "untried"   // the time was over
	Unknown   = "unknown"   // the solver did not come to an end
	Excluded  = "excluded"  // it has proved that there is none; never told
)

// Add adds what a part of a prediction came to: its verdicts, and what they took.
func (p *Predicted) Add(q *Predicted) {
	p.Scheduling += q.Scheduling
	p.Solving += q.Solving
	p.Moved += q.Moved
	p.Questions += q.Questions
	p.Schedules += q.Schedules
	p.Executions += q.Executions
	p.Panics += q.Panics
	p.Excluded += q.Excluded
	p.All = append(p.All, q.All...)
	p.Cut = p.Cut || q.Cut
	p.Parts = append(p.Parts, q.Parts...)
}

// Joined returns p with one verdict for each of Parts that are on the same: what one part has
// shown counts; else, that one part does not know; and that there is none only if all parts have
// proved it.
func (p *Predicted) Joined() *Predicted {
	q := *p
	q.All, q.Parts = slices.Clip(q.All), nil
	at := make(map[string]int)
	var joined []Prediction
	for _, x := range p.Parts {
		key := ""
		for _, pl := range x.Places {
			key += fmt.Sprintf("%s %s %d %s:%d\n", pl.Goroutine, pl.Op, pl.Site, pl.File, pl.Line)
		}
		i, known := at[key]
		if !known {
			i = len(joined)
			at[key], joined = i, append(joined, x)
		}
		if weight(x.Verdict) > weight(joined[i].Verdict) {
			joined[i] = x
		}
	}
	for _, x := range joined {
		if x.Verdict == Excluded {
			q.Excluded++
		} else {
			q.All = append(q.All, x)
		}
	}
	return &q
}

func weight(verdict string) int {
	return slices.Index([]string{Excluded, Untried, Refuted, Unknown, Confirmed}, verdict)
}

// Predicting is a prediction that others go on with: its tasks are the candidates, in the order in
// which they were found, and parts of the search for sets of goroutines that may wait for one
// another.
type Predicting struct {
	Recorded uint64       // hash of the execution that it is made from: others record it anew
	From, To int          // the tasks that are left
	Told     Predicted    // so far
	Untried  []Prediction // what is told of the candidates from From on whose turn does not come
}

// Tasks are some of a prediction.
type Tasks struct {
	Recorded uint64
	From, To int
	End      int // of all tasks
}

// OfExecution takes what is told of one recorded execution, and not of what was predicted, from q.
func (p *Predicted) OfExecution(q *Predicted) {
	p.Goroutines, p.Locations, p.Events, p.Bounded = q.Goroutines, q.Locations, q.Events, q.Bounded
	p.Plain, p.Recorded, p.Analysis, p.First = q.Plain, q.Recorded, q.Analysis, q.First
	p.Short = q.Short
}
