package drive

import (
	"context"
	"fmt"
	"slices"
	"time"

	"heddle/rt/policy"
	"heddle/rt/sched"
	"heddle/rt/wire"
	"heddle/trace"
)

func nil2ctx() context.Context { return context.Background() }

// A deviation is one point where an execution did something else than the
// non-preemptive policy would: before goroutine G's n-th step somebody else
// (To) went on, or G's n-th choice had outcome To. An execution is the
// non-preemptive one and a list of deviations, and fewer deviations are fewer
// switches: that is what minimising removes.
type deviation struct {
	g      trace.GID
	n      int32
	choice bool
	to     int32
}

type devKey struct {
	g      trace.GID
	n      int32
	choice bool
}

// deviations reads them off a trace.
func deviations(t *trace.Trace) []deviation {
	var ds []deviation
	steps := make([]int32, len(t.Goroutines))
	choices := make([]int32, len(t.Goroutines))
	for _, s := range t.Steps {
		if s.Op == trace.OpChoose {
			if s.Choice != 0 {
				ds = append(ds, deviation{s.G, choices[s.G], true, s.Choice})
			}
			choices[s.G]++
			continue
		}
		if s.G != s.Default {
			ds = append(ds, deviation{s.Default, steps[s.Default], false, int32(s.G)})
		}
		steps[s.G]++
	}
	return ds
}

// devPolicy follows deviations. It implements policy.Policy.
type devPolicy struct {
	first   policy.Policy
	devs    []deviation
	at      map[devKey][]int32
	choices map[trace.GID]int32
}

func newDevPolicy(devs []deviation) *devPolicy {
	first, err := policy.New("first", 0)
	if err != nil {
		panic(err)
	}
	return &devPolicy{first: first, devs: devs, at: make(map[devKey][]int32), choices: make(map[trace.GID]int32)}
}

func (p *devPolicy) Name() string { return "deviations" }

func (p *devPolicy) Begin(seed uint64) {
	p.first.Begin(seed)
	clear(p.at)
	clear(p.choices)
	for _, d := range p.devs {
		k := devKey{d.g, d.n, d.choice}
		p.at[k] = append(p.at[k], d.to)
	}
}

func (p *devPolicy) Choose(cur trace.GID, ready []trace.GID, pend []trace.Pending) trace.GID {
	def := sched.S.Fallback()
	k := devKey{def, sched.S.StepsOf(def), false}
	if q := p.at[k]; len(q) > 0 {
		p.at[k] = q[1:]
		if to := trace.GID(q[0]); slices.Contains(ready, to) {
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

// minimiseTime bounds the time spent on making one clip simpler.
const minimiseTime = 2 * time.Second

// keep makes a clip of a finding: the fewest deviations that still show it
// are searched for, then executed once more with values recorded.
//
// It returns false, and the finding is not reported, if the same schedule does
// not show it again.
func (e *exploration) keep(f keyed, t *trace.Trace, s *trace.Schedule, fromClip string) bool {
	before := e.n
	var again *keyed
	if f.steps > 0 {
		t.Steps = t.Steps[:f.steps] // what others did after it formed says nothing about a deadlock
	}
	e.pastDeadlock = f.Kind != kindDeadlock // it may show after a deadlock that is known by now
	defer func() { e.pastDeadlock = false }()
	if v, vs := e.inVirtualTime(f, s); v != nil {
		t, s = v, vs
	}
	devs := deviations(t)
	free, seed := s.Free, s.Seed
	shows := func(ds []deviation, free bool, seed uint64) (*trace.Trace, *keyed) {
		sc := &trace.Schedule{Seed: seed, Free: free}
		t := e.executeWith(sc, newDevPolicy(ds))
		for _, g := range e.findings(t, sc) {
			if g.key == f.key {
				return t, &g
			}
		}
		return t, nil
	}
	deadline := time.Now().Add(minimiseTime)
	if _, g := shows(devs, free, seed); g != nil {
		try := func(ds []deviation) bool {
			if time.Now().After(deadline) {
				return false
			}
			_, g := shows(ds, free, seed)
			return g != nil
		}
		devs = reduce(devs, try)
		if seed != 0 {
			if _, g := shows(devs, free, 0); g != nil {
				seed = 0
			}
		}
		if free {
			if _, g := shows(devs, false, seed); g != nil {
				free = false
			}
		}
		e.record = true
		t, again = shows(devs, free, seed)
		e.record = false
	} else {
		// The deviations alone do not lead there (a policy that the fairness
		// rule interrupted): keep every step.
		again = e.follow(f.key, &trace.Schedule{Steps: slices.Clone(t.Steps), Seed: seed, Free: free}, &t)
	}
	e.n = before
	if again == nil {
		e.nondet = true
		e.d.send(&wire.Record{
			Type: "note", Test: e.t.Name,
			Text: fmt.Sprintf("not deterministic: execution %d showed a %s (%s), but the same schedule does not show it again, so it is not reported; likely cause: real time, state left over, or goroutines outside control", before, f.Kind, f.Message),
		})
		return false
	}
	if f.Kind == kindRace {
		if better := e.showAccesses(f, &t, seed, free); better != nil {
			again = better
		}
		e.n = before
	}
	*f.Finding = *again.Finding
	f.Finding.Executions, f.Finding.FromClip = before, fromClip
	f.Finding.Clip = e.clipOf(f.Finding, t, seed, free)
	f.Finding.Switches = t.Switches()
	e.d.send(&wire.Record{Type: "finding", Test: e.t.Name, Executions: f.Finding.Executions, Elapsed: time.Since(e.start).Seconds(), Finding: f.Finding})
	return true
}

// inVirtualTime looks for an execution that shows f without timers that fire
// early, which makes a simpler clip; nil if f came up in virtual time, or no such
// execution came up in virtualTries.
func (e *exploration) inVirtualTime(f keyed, s *trace.Schedule) (*trace.Trace, *trace.Schedule) {
	if !s.Free || e.d.cfg.Time == "free" {
		return nil, nil
	}
	for i := range virtualTries {
		sc := &trace.Schedule{Policy: samplePolicies[i%len(samplePolicies)], Seed: mix(s.Seed, uint64(i)), Depth: e.d.cfg.Depth}
		t, _ := e.Execute(nil2ctx(), sc)
		for _, g := range e.findings(t, sc) {
			if g.key == f.key {
				t = t.Clone()
				if g.steps > 0 {
					t.Steps = t.Steps[:g.steps]
				}
				return t, sc
			}
		}
	}
	return nil, nil
}

const virtualTries = 100

// follow executes a schedule with values recorded, and returns the finding of that key if it shows.
func (e *exploration) follow(key string, s *trace.Schedule, t **trace.Trace) *keyed {
	e.record = true
	*t, _ = e.Execute(nil2ctx(), s)
	e.record = false
	for _, g := range e.findings(*t, s) {
		if g.key == key {
			return &g
		}
	}
	return nil
}

// showAccesses executes a race once more with its two accesses as steps of
// their own, put in where they come, so that the clip shows them. nil: it did
// not show again that way.
func (e *exploration) showAccesses(f keyed, t **trace.Trace, seed uint64, free bool) *keyed {
	if e.executor.visible != sched.VisibleAuto {
		return nil
	}
	sites := slices.Clone(e.visible)
	for _, p := range f.Places {
		if x := trace.Site(p.Site); p.Site != 0 && x.PC() == 0 {
			sites = append(sites, x)
		}
	}
	old := (*t).Clone()
	sched.S.SetVisible(sites)
	g := e.follow(f.key, &trace.Schedule{Steps: old.Steps, Seed: seed, Free: free, Insert: true}, t)
	sched.S.SetVisible(e.visible)
	if g == nil {
		*t = old
	}
	return g
}

// reduce removes deviations while try still succeeds: halves, quarters, ... single ones
// (Zeller & Hildebrandt's ddmin, TSE 2002, without its complements).
func reduce(ds []deviation, try func([]deviation) bool) []deviation {
	if len(ds) > 0 && try(nil) {
		return nil
	}
	for size := (len(ds) + 1) / 2; size >= 1; {
		removed := false
		for i := 0; i < len(ds); {
			cand := append(slices.Clone(ds[:i]), ds[min(i+size, len(ds)):]...)
			if try(cand) {
				ds = cand
				removed = true
			} else {
				i += size
			}
		}
		if size == 1 && !removed {
			break
		}
		if size > 1 {
			size /= 2
		}
	}
	return ds
}

// clipOf writes down the execution just recorded.
func (e *exploration) clipOf(f *wire.Finding, t *trace.Trace, seed uint64, free bool) wire.Clip {
	c := wire.Clip{Test: e.t.Name, Kind: f.Kind, Message: f.Message, Policy: "first", Seed: seed, Free: free, Places: corePlaces(f)}
	for _, st := range t.Steps {
		if st.Op == trace.OpRead || st.Op == trace.OpWrite {
			// What was a step then must be one when the clip is replayed, with whatever -visible.
			if v := uint64(st.Site); !slices.Contains(c.Visible, v) {
				c.Visible = append(c.Visible, v)
			}
		}
		c.Steps = append(c.Steps, wire.Step{
			G: t.Name(st.G), Op: st.Op.String(), Choice: int(st.Choice), Switch: st.G != st.Default, Where: resolve(st.Site &^ (1 << 63)),
		})
	}
	return c
}
