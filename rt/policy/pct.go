package policy

import (
	"math/bits"

	"heddle/trace"
)

// pct is probabilistic concurrency testing: goroutines have random priorities, the highest goes,
// and at each of d-1 steps drawn beforehand the goroutine that would make the step drops below all
// that never dropped. A bug of depth d needs d ordering constraints between steps. In a program of
// n goroutines and k steps it is hit with probability at least 1/(n*k^(d-1)) (Burckhardt, Kothari,
// Musuvathi and Nagarakatte, "A Randomized Scheduler with Probabilistic Guarantees of Finding
// Bugs", ASPLOS 2010).
//
// As in the paper, the i-th change point drawn gives priority i wherever it falls, so that among
// those that dropped any order is possible. Where we differ:
//
//   - k is not given: it is the largest number of steps seen in earlier executions, see Length.
//   - n is not given: a goroutine draws its priority when it is first ready.
//   - One that gives way (runtime.Gosched) drops below all others, again and again, or a loop that
//     polls would run for ever. The bound is for programs that do not.
type pct struct {
	r       rng
	length  int     // k of the running execution, or of the next
	guessed bool    // nothing was seen yet
	step    int     // steps made in it
	changes []int   // the steps at which a priority drops; the i-th to i+1
	prio    heights // see changeBand
	low     uint64  // below all in use
}

// A priority is 0 for none yet, else one of three bands: random ones above changeBand+d, those of
// change points just above changeBand, and those of goroutines that gave way below it.
const (
	changeBand uint64 = 1 << 32
	randomBand uint64 = 1 << 62
)

func newPCT(depth int) *pct {
	if depth < 1 {
		depth = 3
	}
	return &pct{changes: make([]int, depth-1)}
}

func (*pct) Name() string        { return "pct" }
func (p *pct) Outcome(n int) int { return p.r.below(n) }

// A Lengther is a policy whose choices depend on the length of earlier
// executions too. To have those of an execution again, note Length after its
// Begin and SetLength before the next.
type Lengther interface {
	// Length returns the number of steps that the running execution was expected
	// to have at most, or 0 before the first Begin: the largest that was seen until then.
	Length() int
	// SetLength makes it k for the next Begin, whatever was seen before; after that execution it is
	// learnt on.
	SetLength(k int)
	// Learnt returns what Length will be of the next execution, 0 where nothing was seen.
	Learnt() int
}

// firstLength is taken while nothing was seen.
const firstLength = 32

func (p *pct) Length() int { return p.length }

func (p *pct) SetLength(k int) { p.length, p.step, p.guessed = max(1, k), 0, false }

func (p *pct) Learnt() int {
	if p.length == 0 {
		return 0
	}
	q := *p
	q.learn()
	return q.length
}

func (p *pct) Begin(seed uint64) {
	p.learn()
	p.r.seed(seed)
	p.step, p.low = 0, changeBand
	p.prio.reset()
	for i := range p.changes {
		p.changes[i] = 1 + p.r.below(p.length)
	}
}

// learn sets length to the most steps seen.
func (p *pct) learn() {
	switch {
	case p.length == 0:
		p.length = firstLength
		p.guessed = true
	case p.guessed && p.step > 0:
		p.length, p.guessed = p.step, false
	case p.step > p.length:
		p.length = p.step
	}
}

func (p *pct) Choose(cur trace.GID, ready *Ready, pend []trace.Pending) trace.GID {
	p.prio.grow(len(pend), len(ready.words))
	p.step++
	if cur >= 0 && int(cur) < len(pend) && (pend[cur].Op == trace.OpGosched || pend[cur].Op == trace.OpIdle) {
		p.low--
		p.drop(cur, p.low)
	}
	for i, was := range p.prio.was {
		w := ready.word(i)
		if w == was {
			continue
		}
		for fresh := w &^ was; fresh != 0; fresh &= fresh - 1 {
			p.draw(trace.GID(i<<6 + bits.TrailingZeros64(fresh)))
		}
		p.prio.look(i, w)
	}
	timers := ready.timers - 1
	if timers != trace.NoG {
		p.draw(timers)
	}
	best := p.prio.highest(timers)
	for i, at := range p.changes {
		if at == p.step {
			p.drop(best, changeBand+uint64(i+1))
			best = p.prio.highest(timers)
		}
	}
	return best
}

// draw gives g a priority, unless it has one.
func (p *pct) draw(g trace.GID) {
	if p.prio.of[g] == 0 {
		p.prio.of[g] = randomBand | p.r.Next()>>2
	}
}

// drop gives g another priority.
func (p *pct) drop(g trace.GID, prio uint64) {
	p.prio.of[g] = prio
	if i := int(g >> 6); i < len(p.prio.was) {
		p.prio.look(i, p.prio.was[i])
	}
}
