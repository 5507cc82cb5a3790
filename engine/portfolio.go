package engine

import (
	"slices"
	"strings"

	"heddle/explore"
	"heddle/explore/why"
)

// A portfolio shares what a test may take among strategies, its arms: at first in turn, then by
// what lately found orders that no execution had before, for what that took. It is a bandit whose
// arms change, so it forgets; each keeps a part, since what covers nothing new any more may still
// lead to a bug. Stride scheduling (Waldspurger and Weihl, 1995) makes shares of the weights, with
// no chance in it.
type portfolio struct {
	e *exploration
	// which of those that explore the test at the same time it is, from 0: each has samples and
	// ways of its own
	lane int
	arms []*arm
	// how many of the arms are policies; these come first
	policies int
	free     bool // all executions are in free time
	next     int  // number of the first sample that no arm has made

	covers  []*search  // of the arms that would cover every interleaving
	bounded []*search  // of the arms that cover all within bounds
	proved  why.Bounds // by such arms that are gone
}

// An arm is a strategy of a portfolio.
type arm struct {
	pull   func() bool // one execution; false: there is none left
	thinks bool        // between executions
	light  bool        // for a time in proportion to their length
	over   bool
	pulls  int
	begun  float64 // when it was last pulled, as spent counts
	used   float64 // in all

	found, cost float64 // new orders, and what they took, the older the less
	pass        float64 // the arm with the lowest is next
}

const (
	armKeeps   = 0.2  // beside its part of 1 by what it found
	armForgets = 0.95 // of what was found and used, at each pull
	armFound   = 0.1  // less than that counts as nothing

	// pullShare is how much of the time one pull may take, more or less; an arm that takes longer
	// has had its time.
	pullShare = 1. / 16

	// wideSteps bounds executions in which every access is a step. Where they are longer no arm
	// sees them: they would take seconds.
	wideSteps = 1 << 16
)

// laneSamples is how many samples there are in a lane; every policy, and free time, comes in turn
// across its end too.
const laneSamples = 12 << 32

// newPortfolio makes a portfolio of a test. Its samples begin with the given number.
func newPortfolio(e *exploration, lane, first int) *portfolio {
	p := &portfolio{e: e, lane: lane}
	for i, name := range samplePolicies {
		if e.armed(name) {
			p.arms = append(p.arms, &arm{pull: p.policy(lane*laneSamples + first + i)})
		}
	}
	p.policies = len(p.arms)
	p.add(false)
	return p
}

// armed reports whether the strategy of that name is to be an arm: option arms of auto.
func (e *exploration) armed(name string) bool {
	if arms := e.options[armsOption]; arms != "" {
		return slices.Contains(strings.Split(arms, ","), name)
	}
	u := explore.Lookup(name)
	return u.Arm != nil || slices.Contains(samplePolicies, name)
}

// addBounds adds the arms that cover all within bounds.
func (p *portfolio) addBounds() { p.add(true) }

// add adds the arms that think: all those for bounds, or all others.
func (p *portfolio) add(bounds bool) {
	e := p.e
	if e.real || e.nondet || e.cfg.CheckDeterminism {
		return // they follow schedules exactly, or are not executed twice
	}
	arms := slices.DeleteFunc(explore.Units(), func(u *explore.Unit) bool {
		return u.Arm == nil || u.Arm.Bounds != bounds || !e.armed(u.Name) ||
			u.Needs.Guide && e.cfg.Isolate == "process" ||
			u.Needs.Accesses && e.cfg.Visible == "sync" || u.Arm.Flow && !e.cfg.ForFlow
	})
	slices.SortStableFunc(arms, func(u, v *explore.Unit) int { return u.Arm.Order - v.Arm.Order })
	for _, u := range arms {
		p.think(u)
	}
}

// within returns the bounds within which an arm has covered every interleaving.
func (p *portfolio) within() why.Bounds {
	b := p.proved
	for _, x := range p.bounded {
		b = b.Wider(x.within())
	}
	return b
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

// think adds the arm of a strategy that thinks.
func (p *portfolio) think(u *explore.Unit) {
	e, a := p.e, &arm{thinks: true, light: u.Arm.Light}
	x := e.searchFor(u, func() explore.Strategy {
		return u.New(explore.Start{Seed: mix(e.cfg.Seed, uint64(p.lane)+1), Expired: p.expired(a),
			Loose: e.loose, Options: u.With(u.Arm.Options), Lane: p.lane})
	})
	x.brief = true
	if x.needs.Accesses {
		x.needs.Steps = wideSteps
	} else if u.Covers != "" {
		p.covers = append(p.covers, x)
	}
	if u.Arm.Bounds {
		p.bounded = append(p.bounded, x)
	}
	x.again()
	a.pull = func() bool {
		if x.step() {
			return true
		}
		if u.Arm.Resumes && x.over && !e.late() && x.s.Result().Reason.Code == why.TimeOver {
			x.over = false
			return true
		}
		return false
	}
	p.arms = append(p.arms, a)
}

// guess is how many executions would cover every interleaving, as arms that cover them estimate
// it; 0: not known.
func (p *portfolio) guess() (most float64) {
	for _, x := range p.covers {
		most = max(most, x.s.Result().Estimate)
	}
	return most
}

// inTurn lets the arms take turns, for a while or until one has nothing left to do. A slow arm is
// passed over.
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

// byCoverage lets the arms have the rest. Where other processes can help it returns true: the test
// was given to them.
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

// ready reports whether an arm may be pulled: what thinks also follows schedules exactly, which
// wants a test under control.
func (p *portfolio) ready(a *arm) bool {
	return !a.over && (!a.thinks || !p.e.real && !p.e.nondet &&
		(a.light || a.pulls < p.e.allowed(p.e.orders.longest)))
}

// freeTime leaves only executions in which timers may fire early.
func (p *portfolio) freeTime() {
	p.free, p.bounded = true, nil
	p.arms = p.arms[:p.policies]
}

// lighten gives up the arms that think, and what they hold, when that is as much as a search may
// hold.
func (p *portfolio) lighten() {
	p.proved = p.within()
	p.arms, p.covers, p.bounded = p.arms[:p.policies], nil, nil
	p.e.outgrown = true
	p.e.memory.Release()
}

// pull lets an arm execute once, and sees what that has brought. It returns false if the arm had
// nothing left to do.
func (p *portfolio) pull(a *arm) bool {
	e := p.e
	a.begun = e.spent()
	e.orders.take()
	a.over = !a.pull()
	a.pulls++
	cost := e.spent() - a.begun
	a.used += cost
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
