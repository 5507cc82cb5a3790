package drive

import (
	"context"
	"time"

	"heddle/explore"
	"heddle/explore/branch"
	"heddle/explore/pcr"
	"heddle/explore/reach"
	"heddle/trace"
)

// A portfolio shares what a test may take among strategies, its arms: at first
// in turn, then by what lately found orders that no execution had before, for what that took. It is a bandit whose arms
// change, so it forgets; each keeps a part, since what covers nothing new any more may still
// lead to a bug. Stride scheduling (Waldspurger and Weihl, 1995) makes shares
// of the weights, with no chance in it.
type portfolio struct {
	e    *exploration
	lane int // which of those that explore the test at the same time it is, from 0: each has samples and ways of its own
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

// laneSamples is how many samples there are in a lane; every policy, and free time, comes in turn across its end too.
const laneSamples = 12 << 32

// newPortfolio makes a portfolio of a test. Its samples begin with the given number.
func newPortfolio(e *exploration, lane, first int) *portfolio {
	p := &portfolio{e: e, lane: lane}
	for i := range samplePolicies {
		p.arms = append(p.arms, &arm{pull: p.policy(lane*laneSamples + first + i)})
	}
	if e.real || e.nondet || e.cfg.CheckDeterminism {
		return p // the others follow schedules exactly, or are not executed twice
	}
	if e.cfg.Isolate != "process" { // it chooses while the execution runs
		p.add(p.reach)
	}
	if e.cfg.Visible != "sync" {
		p.add(p.aimed)
		if e.cfg.ForFlow {
			p.add(p.groups)
		}
	}
	return p
}

// add adds an arm that thinks.
func (p *portfolio) add(start func(*arm) func() bool) {
	a := &arm{thinks: true}
	a.pull = start(a)
	p.arms = append(p.arms, a)
}

// policy is the arm of the policy of sample n, with another seed each time.
func (p *portfolio) policy(n int) func() bool {
	return func() bool {
		s := p.e.schedule(n, "")
		s.Free = s.Free || p.free
		p.e.run(s)
		p.next = max(p.next, n+1)
		n += len(samplePolicies)
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
		if p.lane > 0 { // where a variant leaves it open what comes, something else than in the others
			o.Order, o.Seed = reach.Random, mix(e.cfg.Seed, uint64(p.lane))
		}
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
	o.Expired, o.Limit, o.Seed = p.expired(a), autoFormula, mix(e.cfg.Seed, uint64(p.lane)+1)
	s := pcr.New(o)
	return func() bool {
		next := s.Next()
		if next == nil {
			return false
		}
		ex, ok := e.wide(next, true, e.cfg.ForFlow)
		if !ok {
			return false
		}
		s.Done(ex.Trace)
		e.showNarrow(ex, next, s.Sites())
		return true
	}
}

// groups is the arm of the strategy branch, which asks what branches depend on.
func (p *portfolio) groups(a *arm) func() bool {
	e := p.e
	o := branch.Options{Context: until{e.ctx, p.expired(a)}}
	s := branch.New(o)
	return func() bool {
		next := s.Next()
		if next == nil {
			return false
		}
		polled := len(e.polled)
		ex, ok := e.wide(next, false, true)
		if !ok {
			return false
		}
		if len(e.polled) > polled { // schedules have other steps from now on
			s = branch.New(o)
		} else {
			s.Done(ex.Trace)
		}
		e.showNarrow(ex, next, s.Sites())
		return true
	}
}

// wide makes an execution in which every access is a step, with values and data flow where an arm asks for these; ok is false if it was
// ended before the test was.
func (e *exploration) wide(next *trace.Schedule, valued, flow bool) (ex Execution, ok bool) {
	bound := e.bound
	e.all, e.valued, e.flow, e.bound = true, valued, flow, wideSteps
	defer func() { e.all, e.valued, e.flow, e.bound = false, false, false, bound }()
	ex = e.performWide(next)
	return ex, e.err == nil && !ex.Trace.Verdict.Cut()
}

// An until is a context that ends when over says so. (Contexts with timers are the program's under test, in its time.)
type until struct {
	context.Context
	over func() bool
}

func (u until) Err() error {
	if u.over() {
		return context.DeadlineExceeded
	}
	return u.Context.Err()
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
			if e.memory.Reached() {
				p.lighten()
				return
			}
		}
	}
}

// byCoverage lets the arms have the rest. Where other processes can help it returns true: the test was given to them.
func (p *portfolio) byCoverage(result string) (shared bool) {
	for p.goesOn() {
		if p.e.sharePortfolio(p, result) {
			return true
		}
		if !p.best() {
			return false
		}
	}
	return false
}

// best pulls the arm whose turn it is. It returns false if there is none.
func (p *portfolio) best() bool {
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
	if p.e.memory.Reached() {
		p.lighten()
	}
	return true
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

// lighten gives up the arms that think, and what they hold, when that is as much as a search may hold.
func (p *portfolio) lighten() {
	p.arms, p.reached = p.arms[:len(samplePolicies)], nil
	p.e.outgrown = true
	p.e.memory.Release()
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
