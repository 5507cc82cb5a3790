package drive

import (
	"heddle/rt/policy"
	"heddle/rt/sched"
	"heddle/rt/wire"
	"heddle/trace"
)

type devKey struct {
	g      trace.GID
	n      int32
	choice bool
}

// devPolicy follows deviations. It implements policy.Policy.
type devPolicy struct {
	first   policy.Policy
	devs    []wire.Deviation
	at      map[devKey][]int32
	choices map[trace.GID]int32
}

func newDevPolicy(devs []wire.Deviation) *devPolicy {
	first, err := policy.New("first", 0)
	if err != nil {
		panic(err)
	}
	return &devPolicy{first: first, devs: devs, at: make(map[devKey][]int32),
		choices: make(map[trace.GID]int32)}
}

func (p *devPolicy) Name() string { return "deviations" }

func (p *devPolicy) Begin(seed uint64) {
	p.first.Begin(seed)
	clear(p.at)
	clear(p.choices)
	for _, d := range p.devs {
		k := devKey{d.G, d.N, d.Choice}
		p.at[k] = append(p.at[k], d.To)
	}
}

func (p *devPolicy) Choose(cur trace.GID, ready *policy.Ready, pend []trace.Pending) trace.GID {
	def := sched.S.Fallback()
	k := devKey{def, sched.S.StepsOf(def), false}
	if q := p.at[k]; len(q) > 0 {
		p.at[k] = q[1:]
		if to := trace.GID(q[0]); ready.Has(to) {
			return to
		}
	}
	return def
}

func (p *devPolicy) Outcome(n int) int {
	g := sched.S.Current()
	k := devKey{g, p.choices[g], true}
	p.choices[g]++
	if q := p.at[k]; len(q) > 0 && int(q[0]) < n {
		return int(q[0])
	}
	return 0
}
