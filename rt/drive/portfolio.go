package drive

import (
	"time"

	"heddle/explore"
	"heddle/explore/pcr"
	"heddle/explore/reach"
)

// A portfolio shares what a test may take among strategies, its arms: at first
// in turn, then by what lately found orders that no execution had before, for what that took. It is a bandit whose arms
// change, so it forgets; each keeps a part, since what covers nothing new any more may still
// lead to a bug. Stride scheduling (Waldspurger and Weihl, 1995) makes shares
// of the weights, with no chance in it.
type portfolio struct {
	e    *exploration
	arms []*arm
	free bool // all executions are in free time
	next int  // number of the first sample that no arm has made

	reached *search // of the arm reach, if there is one
}

// An arm is a strategy of a portfolio.
type arm struct {
	pull   func() bool // one execution; false: there is none left
	thinks bool        // between executions
	over   bool
	pulls  int
	begun  float64 // when it was last pulled, as spent counts
	used   float64 // in all

	found, cost float64 // new orders, and what they took, the older the less
	pass        float64 // who has the lowest is next
}

const (
	armKeeps   = 0.2  // beside its part of 1 by what it found
	armForgets = 0.95 // of what was found and used, at each pull
	armFound   = 0.1  // less than that counts as nothing

	// pullShare is how much of the time one pull may take, more or less; who takes longer has had its time.
	pullShare = 1. / 16

	// wideSteps bounds executions in which every access is a step. Where they are longer no arm sees them.
	wideSteps = 300

	autoFormula = 100 * time.Millisecond // for one formula of map
)

// newPortfolio makes the portfolio of a test.
func newPortfolio(e *exploration) *portfolio {
	p := &portfolio{e: e}
	for i := range samplePolicies {
		p.arms = append(p.arms, &arm{pull: p.policy(i)})
	}
	if e.real || e.nondet || e.cfg.CheckDeterminism {
		return p // the others follow schedules exactly, or are not executed twice
	}
	if e.cfg.Isolate != "process" { // it chooses while the execution runs
		p.add(p.reach)
	}
	if e.cfg.Visible != "sync" {
		p.add(p.aimed)
	}
	return p
}

// add adds an arm that thinks.
func (p *portfolio) add(start func(*arm) func() bool) {
	a := &arm{thinks: true}
	a.pull = start(a)
	p.arms = append(p.arms, a)
}

// policy is the arm of the i-th policy, with another seed each time.
func (p *portfolio) policy(i int) func() bool {
	n := i
	return func() bool {
		n += len(samplePolicies)
		p.next = max(p.next, n+1)
		s := p.e.schedule(n, "")
		s.Free = s.Free || p.free
		p.e.run(s)
		return true
	}
}

// expired returns what ends the thinking of an arm that has taken too long.
func (p *portfolio) expired(a *arm) func() bool {
	return func() bool { return p.e.late() || p.e.cfg.Runs == 0 && p.e.spent()-a.begun > pullShare }
}

// reach is the arm of reachability testing: from one execution to the next it changes
// everything that can be changed together, which leads to rare orders of many goroutines soon.
func (p *portfolio) reach(a *arm) func() bool {
	x := p.e.search(func(e *exploration) explore.Strategy {
		o := reachOptions(e)
		o.Expired = p.expired(a)
		return reach.New(o)
	})
	p.reached = x
	return x.step
}

// guess is how many executions would cover every interleaving, as reachability testing estimates it; 0: not known.
func (p *portfolio) guess() float64 {
	if p.reached == nil {
		return 0
	}
	return p.reached.s.Result().Estimate
}

// aimed is the arm of the strategy map, which aims at patterns of memory accesses, and sees all of these.
func (p *portfolio) aimed(a *arm) func() bool {
	e := p.e
	o := e.aimOptions(pcr.Map())
	o.Expired, o.Limit = p.expired(a), autoFormula
	s := pcr.New(o)
	return func() bool {
		next := s.Next()
		if next == nil {
			return false
		}
		bound := e.bound
		e.all, e.valued, e.bound = true, true, wideSteps
		defer func() { e.all, e.valued, e.bound = false, false, bound }()
		ex := e.performWide(next)
		if e.err != nil || ex.Trace.Verdict.Cut() {
			return false
		}
		s.Done(ex.Trace)
		e.showNarrow(ex, next, s.Sites())
		return true
	}
}

// inTurn lets the arms take turns, for a while or until one has nothing left to do. Who is slow is passed over.
func (p *portfolio) inTurn() {
	e, share := p.e, autoFirstShare
	if e.cfg.Runs > 0 {
		share = autoFirstRuns
	}
	for pulled := true; pulled; {
		pulled = false
		for _, a := range p.arms {
			if !p.goesOn() || e.n >= autoFirst || e.spent() > share {
				return
			}
			if !p.ready(a) || a.used > share/float64(len(p.arms)) {
				continue
			}
			if pulled = true; !p.pull(a) {
				return
			}
		}
	}
}

// byCoverage lets the arms have the rest. Where other processes can help they make samples for the second half of
// the time, and it returns true: the test was given to them.
func (p *portfolio) byCoverage(result string) (shared bool) {
	for p.goesOn() {
		if p.e.cfg.Runs == 0 && !p.free && p.e.spent() > 0.5 && p.e.shareSamples(p.next, result) {
			return true
		}
		var next *arm
		for _, a := range p.arms {
			if p.ready(a) && (next == nil || a.pass < next.pass) {
				next = a
			}
		}
		if next == nil {
			return false
		}
		p.pull(next)
	}
	return false
}

// goesOn reports whether there is to be another execution.
func (p *portfolio) goesOn() bool { return !p.e.ended() && !p.e.stop(p.e.n) }

// ready reports whether an arm may be pulled: what thinks also follows schedules exactly, which wants a test under control.
func (p *portfolio) ready(a *arm) bool {
	return !a.over && (!a.thinks || !p.e.real && !p.e.nondet && a.pulls < p.e.allowed(p.e.orders.longest))
}

// freeTime leaves only executions in which timers may fire early.
func (p *portfolio) freeTime() {
	p.free = true
	p.arms = p.arms[:len(samplePolicies)]
}

// pull lets an arm execute once, and sees what that has brought. It returns false if the arm had nothing left to do.
func (p *portfolio) pull(a *arm) bool {
	e := p.e
	a.begun = e.spent()
	e.orders.take()
	a.over = !a.pull()
	a.pulls++
	cost := e.spent() - a.begun
	a.used += cost
	a.over = a.over || a.thinks && e.cfg.Runs == 0 && cost > pullShare
	a.found = a.found*armForgets + float64(e.orders.take())
	a.cost = a.cost*armForgets + cost
	a.pass += cost / p.weight(a)
	e.tell()
	return !a.over
}

// weight is an arm's part of what there is to spend.
func (p *portfolio) weight(a *arm) float64 {
	all := 0.0
	for _, b := range p.arms {
		all += b.rate()
	}
	if all == 0 {
		return 1
	}
	return armKeeps + a.rate()/all
}

// rate is how much an arm has lately found, for what it took.
func (a *arm) rate() float64 {
	if a.over || a.cost == 0 || a.found < armFound {
		return 0
	}
	return a.found / a.cost
}
