package policy

import (
	"testing"

	"heddle/model"
	"heddle/trace"
)

// plainPOS and plainPCT are pos and pct as their papers have them: they look at each goroutine that
// is ready at each step.
type plainPOS struct {
	pos
	of   []plainEntry
	step int
}

type plainEntry struct {
	prio uint64
	seq  uint32
	step int
}

func (p *plainPOS) Choose(_ trace.GID, ready *Ready, pend []trace.Pending) trace.GID {
	p.of = atLeast(p.of, len(pend))
	p.step++
	best := ready.First()
	for g := range ready.All {
		e := &p.of[g]
		if e.seq != pend[g].Seq || e.step == 0 || e.step != p.step-1 {
			e.seq, e.prio = pend[g].Seq, p.r.Next()
		}
		if e.step = p.step; e.prio > p.of[best].prio {
			best = g
		}
	}
	for g := range ready.All {
		if q := pend[g]; g != best && g != ready.timers-1 && q.Obj != 0 && q.Obj == pend[best].Obj &&
			model.MayConflict(q.Op, pend[best].Op) {
			p.of[g].prio = p.r.Next()
		}
	}
	return best
}

type plainPCT struct {
	*pct
	of []uint64
}

func (p *plainPCT) Choose(cur trace.GID, ready *Ready, pend []trace.Pending) trace.GID {
	p.of = atLeast(p.of, len(pend))
	p.step++
	if cur != trace.NoG && pend[cur].Op == trace.OpGosched {
		p.low--
		p.of[cur] = p.low
	}
	best := p.highest(ready)
	for i, at := range p.changes {
		if at == p.step {
			p.of[best] = changeBand + uint64(i+1)
			best = p.highest(ready)
		}
	}
	return best
}

func (p *plainPCT) highest(ready *Ready) trace.GID {
	best := ready.First()
	for g := range ready.All {
		if p.of[g] == 0 {
			p.of[g] = randomBand | p.r.Next()>>2
		}
		if p.of[g] > p.of[best] {
			best = g
		}
	}
	return best
}

// A policy that looks only at what has changed chooses as one that looks at everything.
func TestPlain(t *testing.T) {
	ops := []trace.Op{trace.OpLock, trace.OpUnlock, trace.OpRead, trace.OpWrite, trace.OpRLock,
		trace.OpGosched}
	const timers = trace.GID(1)
	executions, most := 300, 0
	for _, plain := range []func() (Policy, Policy){
		func() (Policy, Policy) { return new(pos), new(plainPOS) },
		func() (Policy, Policy) { return newPCT(6), &plainPCT{pct: newPCT(6)} },
	} {
		used, _ := plain()
		for seed := range uint64(executions) {
			_, want := plain()
			if p, ok := used.(*pct); ok {
				p.SetLength(100)
				want.(*plainPCT).SetLength(100)
			}
			var r rng
			r.seed(seed)
			used.Begin(seed)
			want.Begin(seed)
			n := 2 + r.below([]int{4, 70, 300}[seed%3])
			objects := 1 + r.below([]int{1, 5, 100}[seed/3%3])
			ready, pend, seq := new(Ready), make([]trace.Pending, 2), uint32(0)
			member := map[trace.GID]bool{}
			announce := func(g trace.GID) {
				seq++
				pend[g] = trace.Pending{Op: ops[r.below(len(ops))], Obj: trace.ObjID(r.below(objects + 1)),
					Seq: seq}
			}
			flip := func(g trace.GID) {
				if g == timers {
					return
				}
				if member[g] = !member[g]; member[g] {
					ready.Insert(g)
				} else {
					ready.Remove(g)
				}
			}
			announce(0)
			flip(0)
			cur := trace.NoG
			for range 200 {
				ready.Timers(trace.NoG)
				for range min(n-len(pend), r.below(6)) {
					pend = append(pend, trace.Pending{})
					announce(trace.GID(len(pend) - 1))
					flip(trace.GID(len(pend) - 1))
				}
				for range r.below(3) {
					flip(trace.GID(r.below(len(pend))))
				}
				var some Bits
				for g, m := range member {
					if seed%2 == 0 && m && pend[g].Obj == 1 { // a crowd
						some.Set(g)
						member[g] = false
					}
				}
				ready.RemoveAll(some)
				if ready.Len() == 0 {
					flip(0)
				}
				pend[timers] = trace.Pending{Op: trace.OpTimerFire, Seq: uint32(r.below(3))}
				if r.below(4) == 0 {
					ready.Timers(timers)
				}
				g := want.Choose(cur, ready, pend)
				if got := used.Choose(cur, ready, pend); got != g {
					t.Fatalf("%s, seed %d: chose %d, want %d", used.Name(), seed, got, g)
				}
				if g != timers {
					cur = g
					announce(g)
				}
				if r.below(9) == 0 { // a step without a choice by the policy
					ready.Timers(trace.NoG)
					if h := ready.First(); h != trace.NoG && cur != trace.NoG {
						ready.Passed(cur)
						cur = h
						announce(h)
					}
				}
				most = max(most, ready.Len())
			}
		}
	}
	if most < 100 {
		t.Errorf("%d goroutines at most were ready", most)
	}
}
