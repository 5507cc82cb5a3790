package engine

import (
	"slices"
	"time"
)

// Inputs by chance are others with every number of processes, so where some are made by others
// nothing is to be the same as in one process. Then questions are asked by several solvers, inputs
// explored, and others made by chance, all beside each other, and what comes first is taken first.

// campaignTime is how long a worker with nothing else to do makes inputs by chance.
const campaignTime = 100 * time.Millisecond

// asItComes explores inputs as long as there are new ones, and makes others by chance on workers
// that have nothing to do.
func (x *inputSearch) asItComes() {
	for !x.over() && !x.shares() && x.step() {
	}
}

// step takes what has come and begins what can be begun. It reports false when the solver has
// nothing more to offer.
func (x *inputSearch) step() bool {
	p, s := x.p, x.p.solvers
	some := x.takeCome()
	for t := s.collect(always); t != nil; t = s.collect(always) {
		x.solved(t)
		some = true
	}
	for p.ready() && len(x.begun) <= x.crew.Beside() {
		if !x.maySolve() && !p.closed() {
			x.draw()
			some = true
			continue
		}
		j := p.take()
		x.note(j)
		x.begin(j, x.bound(perInput))
		some = true
	}
	for len(p.queue) == 0 && !s.full() && x.maySolve() {
		t, ok := p.turns.Next()
		if !ok {
			break
		}
		if some = true; p.idle(t) {
			continue
		}
		p.charge(t)
		if p.begin(t) {
			s.give(t)
		} else {
			x.solved(t)
		}
	}
	more := s.busy > 0 || p.waiting() > 0 ||
		slices.ContainsFunc(x.begun, func(b begun) bool { return !b.drawn })
	if !more && len(x.begun) == 0 {
		return false
	}
	for more && !p.closed() && len(x.begun) <= x.crew.Beside() && x.crew.Hungry() {
		x.draw()
	}
	if !some { // that came since
		if t := s.collect(x.come); t != nil {
			x.solved(t)
		} else if s.busy == 0 && !x.come() {
			time.Sleep(time.Millisecond)
		}
	}
	return p.err == nil
}

// maySolve reports whether inputs of the solver have had no more than their share of the time, see
// pay. What is under way counts when it comes, but for inputs by chance, as their time is known.
func (x *inputSearch) maySolve() bool {
	drawing := x.drawing + campaignTime
	for _, b := range x.begun {
		if b.drawn {
			drawing += campaignTime
		}
	}
	return x.solving*time.Duration(min(1+x.idle/perIdle, mostIdle)) <= drawing
}

// solved takes the answer to a turn's question.
func (x *inputSearch) solved(t *turn) {
	x.p.settle(t)
	x.solving += t.question.Took()
	x.p.solved(t)
}

// draw lets a worker make inputs by chance.
func (x *inputSearch) draw() {
	x.begun = append(x.begun, begun{n: x.campaign(16*64*perInput, campaignTime), drawn: true})
}

// come reports whether something has come.
func (x *inputSearch) come() bool {
	return slices.ContainsFunc(x.begun, func(c begun) bool { return x.crew.Come(c.n) })
}

// takeCome takes what has come, and reports whether there was something. If that has shown that
// what was taken for granted is not so, the inputs under way are begun again.
func (x *inputSearch) takeCome() (some bool) {
	for i := 0; i < len(x.begun); {
		b := x.begun[i]
		if !x.crew.Come(b.n) {
			i++
			continue
		}
		x.begun, some = slices.Delete(x.begun, i, i+1), true
		w, err := x.crew.Explored(b.n)
		if err != nil {
			x.e.err = err
			return true
		}
		under := slices.Clone(x.begun)
		switch {
		case b.drawn:
			x.drawing += seconds(w.Elapsed)
			x.takeCampaign(w)
		case x.foundBefore(w):
			x.begin(b.job, b.most)
			continue
		default:
			x.solving += seconds(w.Elapsed)
			x.p.current = b.job
			x.take(b.job, w)
		}
		if len(x.begun) < len(under) { // they were dropped
			for _, u := range under {
				if !u.drawn {
					x.begin(u.job, u.most)
				}
			}
		}
	}
	return some
}
