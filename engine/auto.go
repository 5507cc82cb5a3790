package engine

import (
	"slices"
	"time"

	"heddle/explore"
	"heddle/explore/succession"
	"heddle/explore/why"
	"heddle/rt/wire"
	"heddle/trace"
)

// How the default strategy shares what it may spend: executions where the user bounds these, else
// time.
const (
	autoFirst      = 100   // executions in turn, before it tries to cover everything
	autoFirstShare = 0.125 // or that share of the time
	autoFirstRuns  = 0.25  // or of the executions

	// While coverTrial of all was not spent on it, the attempt to cover everything is not judged
	// by its estimate; from coverHalf on it goes on only if half of what is left will do.
	coverTrial = 1. / 8
	coverHalf  = 0.5

	// coverGlance is what observe gets before dpor does, or leastGlance if that is more.
	coverGlance = 1. / 64
	leastGlance = 250 * time.Millisecond

	// A search that has left so few steps aside goes straight ahead.
	coverAside = 16

	// shareAfter is how many executions the attempt has made at least before others take part.
	shareAfter = 64

	// autoFar is how many times the executions made an estimate must be to be told: estimates
	// begin low, and one nearby says nothing.
	autoFar = 10
)

// auto is the default strategy. After the opening that it has in common with sample
//
//   - a portfolio of strategies takes turns for a while: most bugs need no more;
//   - every interleaving is covered, if that takes few enough executions: by observe where it
//     applies, or by dpor, if its estimate says that it will come to an end. Then the test is over;
//   - else the portfolio goes on, with an arm that covers all interleavings with at most 0
//     preemptions, then 1, then 2, ... The time left goes to the arms that find orders that no
//     execution had yet.
func (e *exploration) auto() (result string, complete bool, end why.End) {
	e.countOrders()
	result, alone := e.opening("")
	if alone {
		return result, false, e.nothing()
	}
	p := newPortfolio(e, 0, len(samplePolicies))
	p.inTurn()
	c := e.coverAll(p, result)
	if e.share != nil {
		return result, false, end
	}
	if c.complete {
		e.covering = c.executions
		return e.result(result), true, why.End{EarlyFailures: c.failures}
	}
	if c.virtual { // what is left are timers that fire early
		p.freeTime()
	} else if e.coverable() {
		p.addBounds()
	}
	shared := p.byCoverage(result)
	if c.estimate < autoFar*float64(e.n) {
		c.estimate = 0
	}
	if shared {
		e.share.Why, e.share.Estimate = c.sampled(why.End{}), c.estimate
		return result, false, end
	}
	e.estimate = c.estimate
	t := e.tally()
	end = c.sampled(Sampled(&t))
	end.Within = p.within()
	return e.result(result), false, end
}

// A covering is what became of the attempt to cover every interleaving.
type covering struct {
	complete   bool
	virtual    bool       // it is, in virtual time
	early      why.Reason // why not in free time
	short      why.Reason // why the search, which came to an end, is not complete
	executions int        // of the search
	failures   int        // executions in which the test fails after an early timer
	estimate   float64    // of the executions that it would have taken; 0: not known
}

// sampled says why the test was only sampled, and what was covered all the same.
func (c *covering) sampled(plain why.End) why.End {
	switch {
	case !plain.Open():
		return plain
	case c.virtual:
		return why.Bare(untimed(why.Early, c.early))
	case c.short.Code == why.NotAll, c.short.None():
		return why.Sampled(c.short)
	}
	short := c.short
	short.Outer = true
	return why.Sampled(short)
}

// coverAhead lets the unit that comes before dpor cover every interleaving. done: it has, or dpor.
// It has no estimate. So it gets a glance, and then dpor, since some programs have more states than
// classes; then as much time as dpor does before that is judged; and more while it goes straight
// ahead. In free time it gets that time at once.
func (e *exploration) coverAhead(u *explore.Unit, free bool) (c covering, done bool) {
	begin, first, until := e.spent(), e.n, e.atGlance()
	var x *search
	expired := func() bool {
		if e.late() || e.cfg.Runs > 0 {
			return e.late()
		}
		used := e.spent() - begin
		return used > coverHalf || used > until && !promising(x.s, until)
	}
	if free {
		if x = e.inFreeTime(u, expired); x == nil {
			return c, false
		}
		until = coverTrial
	} else {
		x = e.searchFor(u, func() explore.Strategy {
			s := e.startOf(u)
			s.Expired = expired
			return u.New(s)
		})
	}
	x.again()
	most := first + e.allowed(e.orders.longest)
	goesOn := func() bool {
		return !e.ended() && !e.stop(e.n) && e.n < most && x.s.(explore.Yielding).Successor() == nil
	}
	for goesOn() && x.step() {
		e.tell()
	}
	if goesOn() && x.over && !free && !x.s.Result().Complete {
		if c, done := e.glance(); done || !goesOn() {
			return c, done
		}
		until, x.over = coverTrial, false
		for goesOn() && x.step() {
			e.tell()
		}
	}
	if e.ended() || x.s.(explore.Yielding).Successor() != nil && !(x.over && x.s.Result().Complete) {
		return c, false // if it has come to its end, what took over has tried before, and covered all
	}
	return x.covered()
}

// atGlance is the share of the budget for a glance.
func (e *exploration) atGlance() float64 {
	if e.deadline.IsZero() {
		return coverGlance
	}
	least := float64(leastGlance) / float64(max(e.deadline.Sub(e.start), 1))
	return min(coverTrial, max(coverGlance, least))
}

// glance lets dpor cover every interleaving if that takes hardly more time than the glance before
// did.
func (e *exploration) glance() (c covering, done bool) {
	begin, u, most := e.spent(), explore.Cover(), e.atGlance()
	x := e.search(u, func() explore.Strategy {
		s := e.startOf(u)
		s.Expired = func() bool { return e.late() || e.spent()-begin > most }
		return u.New(s)
	})
	for !e.ended() && !e.stop(e.n) && e.spent()-begin <= most && x.step() {
		e.tell()
	}
	if e.ended() {
		return c, false
	}
	return x.covered()
}

// covered returns what a search has covered, if it has covered everything.
func (x *search) covered() (c covering, done bool) {
	r, short := x.result()
	switch {
	case x.left.None() && short.None():
		return covering{complete: true, executions: r.Executions, failures: r.EarlyFailures}, true
	case x.left.None() && short.Code == why.VirtualOnly:
		return covering{virtual: true, executions: r.Executions}, true
	}
	return c, false
}

// promising reports whether a search that has had its time goes straight ahead, or, once dpor has
// had its glance, finds that many ways come together.
func promising(s explore.Strategy, until float64) bool {
	x, ok := s.(explore.Narrow)
	return ok && (x.Aside() < coverAside || until >= coverTrial && x.Folds())
}

// coverAll lets dpor cover every interleaving: in virtual time, then in free time. With -time=free
// it is free time, and virtual time if that cannot be covered.
func (e *exploration) coverAll(p *portfolio, result string) (c covering) {
	if e.cfg.Time == "free" {
		f := e.coverTime(p, result, true)
		if f.short.Code != why.Untimed {
			return f
		}
		c = e.coverTime(p, result, false)
		c.early = f.short
		return c
	}
	if c = e.coverTime(p, result, false); !c.virtual || e.share != nil {
		return c
	}
	f := e.coverTime(p, result, true)
	c.complete, c.virtual, c.early = f.complete, !f.complete, f.short
	c.executions += f.executions
	c.failures = f.failures
	return c
}

// coverTime lets dpor cover every interleaving in virtual or free time, as long as that looks worth
// it: by its own estimate, which is low as long as it has changed only the ends of executions, and
// by that of p's arm reach. Where other processes can help, they take over soon.
func (e *exploration) coverTime(p *portfolio, result string, free bool) (c covering) {
	if !e.coverable() {
		return c
	}
	if u := explore.Ahead(); u != nil {
		if c, done := e.coverAhead(u, free); done || e.ended() || !e.coverable() {
			return c
		}
		if (e.timers || e.bubble) && !free { // what free time covers virtual time does
			if !e.timers { // there is no other time than virtual time
				if c, done := e.glance(); done || e.ended() || !e.coverable() {
					return c
				}
			}
			if c, done := e.coverAhead(u, true); done || e.ended() || !e.coverable() {
				return c
			}
		}
	}
	guess := p.guess
	begin, first := e.spent(), e.n
	expired := func() bool { return e.late() || e.cfg.Runs == 0 && e.spent()-begin > coverHalf }
	u := explore.Cover()
	var x *search
	if free {
		if x = e.inFreeTime(u, expired); x == nil {
			return c
		}
		x.again()
	} else {
		x = e.search(u, func() explore.Strategy {
			s := e.startOf(u)
			s.Expired = expired
			return u.New(s)
		})
	}
	most := first + e.allowed(e.orders.longest)
	for !e.ended() && !e.stop(e.n) && e.n < most && x.step() {
		if n := e.n - first; n%16 == 0 || n < 64 {
			r := x.s.Result()
			r.Estimate = max(r.Estimate, guess())
			e.estimate = float64(first) + r.Estimate
			used := e.spent() - begin
			if !Worth(r, used, 1-used-begin) {
				break
			}
			if n >= shareAfter && e.found == 0 && e.shareSearch(x, result) {
				e.share.State, e.share.Began, e.share.Guess = e.state(p.next), begin, known(guess())
				return c
			}
		}
		e.tell()
	}
	e.estimate = 0 // the rest has no end to estimate
	if e.ended() {
		return c
	}
	r, short := x.result()
	if e.memory.Reached() {
		x.s = nil
		p.lighten()
	}
	c.executions, c.failures = r.Executions, r.EarlyFailures
	switch {
	case !x.left.None():
		c.short = x.left
	case short.None():
		c.complete = true
	case short.Code == why.VirtualOnly:
		c.virtual = true
	case x.over && !expired():
		c.short = short
	default:
		c.estimate = max(known(r.Estimate), known(guess()))
	}
	return c
}

// known returns an estimate, 0 where it is so large that it says nothing.
func known(estimate float64) float64 {
	if estimate > 1e100 {
		return 0
	}
	return estimate
}

// coverable reports whether a search can be complete at all.
func (e *exploration) coverable() bool {
	return !e.ended() && !e.stop(e.n) && !e.real && !e.nondet && !e.cfg.CheckDeterminism &&
		(e.cfg.Race || e.cfg.Visible == "all")
}

// Worth reports whether a search is to go on that has come to r, has used a share of all there is
// to spend, and has a share left.
func Worth(r explore.Result, used, left float64) bool {
	if used < coverTrial || r.Executions < 8 && used < 2*coverTrial {
		return true
	}
	if used < coverHalf {
		return remaining(r, used) <= left
	}
	return remaining(r, used) <= left/2
}

// remaining is what a search will still use, as a share of all there is to spend.
func remaining(r explore.Result, used float64) float64 {
	return used * (r.Estimate/float64(max(r.Executions, 1)) - 1)
}

// AfterSearch says of a test what became of the attempt to cover every interleaving, when that
// came to r and t: for the summary of the samples that follow. more: there are schedules left.
// estimate is 0 where it says nothing. free: only executions in free time are left.
func AfterSearch(cfg *wire.Config, t *wire.Tally, r explore.Result, more bool) (end why.End, estimate float64,
	free bool) {
	var c covering
	switch short := shortfall(cfg, t, r, more); {
	case short.Code == why.VirtualOnly:
		c.virtual = true
	case !t.Failed.None() || !more:
		c.short = short
	default:
		estimate = known(r.Estimate)
	}
	if estimate < autoFar*float64(r.Executions) {
		estimate = 0
	}
	return c.sampled(why.End{}), estimate, c.virtual
}

// spent is the share of what the test may take that was spent: executions where the user bounds
// them, so that equal seeds give equal explorations, and time.
func (e *exploration) spent() float64 {
	share := 0.0
	if e.cfg.Runs > 0 {
		share = float64(e.n) / float64(e.cfg.Runs)
	}
	if !e.deadline.IsZero() {
		share = max(share, e.elapsedShare())
	}
	return share
}

// allowed bounds the executions by a strategy that thinks about each for a time that grows faster
// than its length: where no time is given nothing else would. A constant is there for each length,
// so that equal seeds give equal explorations.
func (e *exploration) allowed(events int) int {
	if e.cfg.Budget > 0 || events == 0 {
		return 1 << 60
	}
	return max(1, 30_000_000/(events*events))
}

// orders are the orders of operations that executions have shown.
type orders struct {
	set     *succession.Set
	fresh   int // that were new since it was last asked
	longest int // execution, in events
}

// countOrders begins to count them.
func (e *exploration) countOrders() {
	set := succession.NewSet()
	set.Memory = func(x trace.Site) bool {
		return slices.ContainsFunc(e.visible, func(v trace.Site) bool { return v.Plain() == x })
	}
	e.orders = &orders{set: set}
}

// add takes an execution.
func (o *orders) add(ex *Execution) {
	o.fresh += o.set.Add(ex.Trace)
	o.longest = max(o.longest, len(ex.Trace.Events))
}

// take returns how many were new since it was last called.
func (o *orders) take() int {
	n := o.fresh
	o.fresh = 0
	return n
}
