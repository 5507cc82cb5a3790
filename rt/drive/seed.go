package drive

import (
	"math/rand/v2"
	"slices"

	"heddle/explore"
	"heddle/explore/branch"
	"heddle/explore/dpor"
	"heddle/explore/reach"
	"heddle/explore/unfold"
	"heddle/trace"
)

// unfold returns the strategy unfold.
func (e *exploration) unfold() explore.Strategy { return e.unfolding() }

func (e *exploration) unfolding() *unfold.Strategy {
	e.plain = e.cfg.Race
	o := unfold.Options{Expired: e.late, Loose: e.loose, Inputs: e.together}
	switch e.cfg.Targets {
	case "oldest":
		o.Choose = func(int) int { return 0 }
	case "newest":
		o.Choose = func(n int) int { return n - 1 }
	case "random":
		o.Choose = rand.New(rand.NewPCG(e.cfg.Seed, 1)).IntN
	}
	return unfold.New(o)
}

// seeded begins a search. A net starts from executions of another strategy
// (section 4.6 of Kähkönen et al.), if the configuration says so.
func (e *exploration) seeded(start func(*exploration) explore.Strategy) explore.Strategy {
	s := start(e)
	u, ok := s.(*unfold.Strategy)
	if !ok || e.cfg.SeedWith == "" {
		return s
	}
	next, done := e.seeds()
	for i := 0; i < e.cfg.SeedRuns && !e.ended() && !e.late(); i++ {
		sc := next(i)
		if sc == nil {
			break
		}
		visible, polled := len(e.visible), len(e.polled)
		ex := e.perform(sc)
		if len(e.polled) > polled || ex.Learnt || ex.Diverged != nil || ex.Trace.Verdict.Early() {
			continue // what it shows is not yet what others will
		}
		done(ex.Trace)
		if !u.Seed(ex.Trace) {
			return start(e) // it meets the same by itself, and says what it makes of that
		}
		e.look(ex, sc, "")
		if len(e.visible) > visible {
			return e.seeded(start)
		}
		e.tell()
	}
	return s
}

// seeds returns what makes the schedules of the executions that a net is to
// start from, and what is to be told of each.
func (e *exploration) seeds() (next func(i int) *trace.Schedule, done func(*trace.Trace)) {
	var other explore.Strategy
	switch name := e.cfg.SeedWith; name {
	case "dpor":
		other = dpor.New(dpor.Options{Expired: e.late, Loose: e.loose})
	case "reach":
		o := reachOptions(e)
		other = reach.New(o)
	case "branch":
		return e.wideSeeds(branch.New(branch.Options{Context: until{e.ctx, e.late}}), false), func(*trace.Trace) {}
	case "map", "mcr", "maptest":
		s := aims[name](e)
		if _, guides := s.(trace.Guide); guides && e.cfg.Isolate == "process" {
			e.note("-seed-with %s chooses while the execution runs, which it cannot in processes of their own (-isolate=process): the net starts from none", name)
			return func(int) *trace.Schedule { return nil }, nil
		}
		return e.wideSeeds(s, true), func(*trace.Trace) {}
	default:
		return e.sampledSeed, func(*trace.Trace) {}
	}
	return func(int) *trace.Schedule { return other.Next() }, other.Done
}

// wideSeeds returns what makes schedules of the executions of a strategy that sees every access to memory: with their steps, but for those at memory that is no scheduling
// point to the net. Its own execution counts for nothing but what it finds.
func (e *exploration) wideSeeds(s sighted, valued bool) func(int) *trace.Schedule {
	return func(int) *trace.Schedule {
		next := s.Next()
		if next == nil || e.err != nil {
			return nil
		}
		polled := len(e.polled)
		ex, ok := e.wide(next, valued, e.cfg.ForFlow)
		if !ok || len(e.polled) > polled { // schedules have other steps from now on
			return nil
		}
		seed := &trace.Schedule{Steps: e.withoutHidden(ex.Trace.Steps), Policy: "first", Exhaustive: true, Loose: e.loose}
		s.Done(ex.Trace)
		e.showNarrow(ex, next, s.Sites())
		return seed
	}
}

// sampledSeed makes the i-th schedule of a policy. What is drawn from the seed in an
// execution has to be the same in all of a net, so the policy's choices are made
// beforehand, in an execution that counts for nothing.
func (e *exploration) sampledSeed(i int) *trace.Schedule {
	name := e.cfg.SeedWith
	if name == "sample" {
		name = samplePolicies[i%len(samplePolicies)]
	}
	ex := e.perform(&trace.Schedule{Policy: name, Depth: e.cfg.Depth, Seed: mix(e.cfg.Seed, uint64(i+1)), Exhaustive: true, Awaits: true})
	return &trace.Schedule{Steps: slices.Clone(ex.Trace.Steps), Policy: "first", Exhaustive: true, Loose: e.loose, Awaits: true}
}
