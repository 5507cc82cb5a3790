package engine

import (
	"maps"
	"slices"
	"time"

	"heddle/explore"
	"heddle/explore/why"
	"heddle/rt/wire"
)

// Sharing a test: what can be explored in pieces, and takes longer than
// Config.Share, is given back to the command, which hands it out to workers
// (work.go).

// mayShare reports whether it is time to give the test away. Where executions do not
// depend on the schedule alone, or all go into one account, others would not find the same.
// Processes that listen at one port, or write one file, would fail where the test alone does not.
func (e *exploration) mayShare() bool {
	return (e.paths == nil || e.together != nil) && e.mayGive() // else it is one of many inputs
}

// mayGive is mayShare for the search for inputs.
func (e *exploration) mayGive() bool {
	if e.real || e.nondet || e.common || e.ended() || e.cfg.MapCover || e.cfg.Isolate == "process" ||
		e.cfg.CheckDeterminism {
		return false
	}
	if _, ok := e.x.(Crew); ok { // what is left can be handed out in another way
		return true
	}
	wait := time.Duration(e.cfg.Share)
	if _, ok := e.x.(Process); !ok || wait <= 0 {
		return false
	}
	now := time.Now()
	return now.Sub(e.start) > wait && (e.deadline.IsZero() || e.deadline.Sub(now) > wait)
}

// shareSearch gives the rest of a search away and reports whether it did.
func (e *exploration) shareSearch(x *search, result string) bool {
	if e.cfg.Runs > 0 || x.alone || e.byNeed || !e.mayShare() { // -runs are the first that one process makes
		return false
	}
	s := x.s
	if y, ok := s.(explore.Yielding); ok {
		if s = y.Successor(); s == nil {
			return false
		}
	}
	p := e.partOf(s)
	if p == nil {
		x.alone = true
		return false
	}
	made := p.Result()
	pieces := piecesOf(p.Split(1))
	if len(pieces) == 0 {
		return false
	}
	e.share = e.shared(result)
	e.share.Search, e.share.Wakeups = true, p.Wakeups()
	e.share.Tally.Executions, e.share.Tally.Aborted = made.Executions, made.Aborted
	e.share.Others = e.n - made.Executions
	e.share.Tally.Cuts = e.cuts.Since(x.cuts)
	e.share.Tally.Spun, e.share.Tally.Short = x.spun, made.Reason
	e.share.Pieces = pieces
	e.share.Know.Ordered = p.Table().Known()
	return true
}

// shareSamples gives the samples from the next one on away.
func (e *exploration) shareSamples(next int, result string) bool {
	if _, ok := e.x.(Process); !ok || !e.mayShare() {
		return false
	}
	e.share = e.shared(result)
	e.share.State = e.state(next)
	return true
}

// sharePortfolio gives what a portfolio is to do away.
func (e *exploration) sharePortfolio(p *portfolio, result string) bool {
	if e.cfg.Runs > 0 || !e.shareSamples(p.next, result) {
		return false
	}
	e.share.Portfolio, e.share.Free = true, p.free
	return true
}

func (e *exploration) shared(result string) *wire.Share {
	s := &wire.Share{Result: result, Tally: e.tally(), Elapsed: time.Since(e.start).Seconds(), Found: e.found,
		Seen: slices.Sorted(maps.Keys(e.seen)), Know: e.knowledge()}
	if e.found > 0 && !e.whole && !e.deadline.IsZero() {
		s.Left = time.Until(e.deadline).Seconds()
	}
	return s
}

// state is where the samples are before the next one.
func (e *exploration) state(next int) *wire.State {
	return &wire.State{Next: next, Timers: e.timers, Lengths: e.here.Lengths()}
}

// resume goes to where the samples are.
func (e *exploration) resume(s *wire.State) {
	e.timers = s.Timers
	e.here.SetLengths(s.Lengths, e.depth())
}

// hurry reports whether other processes have nothing to do.
func (e *exploration) hurry() bool { return e.here != nil && e.here.Hurry() }

// Sampled is what is said of samples.
func Sampled(t *wire.Tally) why.End {
	switch {
	case t.Cuts != (wire.Cuts{}):
		return why.Bare(t.Cuts.Reason())
	case t.Real:
		return why.Sampled(why.Of(why.Uncontrolled))
	case t.Nondet:
		return why.Sampled(why.Of(why.Varying))
	}
	return why.End{}
}

// Covered says whether a search was complete, of which r is known and what its executions add
// up to, and why not, or what of; more: there are schedules left.
func Covered(cfg *wire.Config, t *wire.Tally, r explore.Result, more bool) (complete bool, end why.End) {
	short := shortfall(cfg, t, r, more)
	if short.None() {
		return true, why.End{Covered: r.Covers}
	}
	end = why.Sampled(short)
	end.Within = within(cfg, t, r)
	return false, end
}

// within returns the bounds within which a search has covered every interleaving.
func within(cfg *wire.Config, t *wire.Tally, r explore.Result) why.Bounds {
	whole := r
	whole.Complete, whole.Reason = true, why.Reason{}
	if !shortfall(cfg, t, whole, false).None() {
		return why.Bounds{}
	}
	return r.Within
}

// shortfall says why a search has not covered every interleaving; none if it has.
func shortfall(cfg *wire.Config, t *wire.Tally, r explore.Result, more bool) why.Reason {
	switch {
	case t.Real:
		return why.Of(why.Uncontrolled)
	case t.Cuts != (wire.Cuts{}):
		return t.Cuts.Reason()
	case t.Spun:
		return why.Of(why.HeldBack)
	case !r.Complete && !r.Reason.None():
		return r.Reason
	case more || !r.Complete:
		return why.Of(why.NotAll)
	case t.Timers && cfg.Time != "virtual":
		return why.Of(why.VirtualOnly)
	}
	return why.Reason{}
}
