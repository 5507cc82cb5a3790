package branch

import (
	"heddle/explore"
	"heddle/rt/splitmix"
	"heddle/trace"
)

// When nothing is left to test and time is, executions are sampled, by each policy in turn. Draws
// from wide ranges, the orders of maps, and, where timers run, the time vary only there. A sample
// with new MANNERS is analysed like any other execution, unless timers fired early in it.

type samples struct {
	sampled  int  // number of samples
	sampling bool // the execution under way is one
	unlike   bool // and is not analysed
	timed    bool // an execution has looked at the clock or started a timer
}

// earlyEvery is how many samples there are for one in which timers may fire early.
const earlyEvery = 4

// sample returns the next sample, nil if none is wanted.
func (s *Strategy) sample() *trace.Schedule {
	if s.opt.Spare == nil || !s.opt.Spare() {
		return nil
	}
	var policies []string
	for _, u := range explore.Units() {
		if u.Policy != "" && u.Seeds {
			policies = append(policies, u.Policy)
		}
	}
	if len(policies) == 0 {
		return nil
	}
	s.sampled++
	seeds := splitmix.Stream(s.opt.Seed + uint64(s.sampled))
	s.sampling = true
	s.unlike = s.timed && s.opt.Early && s.sampled%earlyEvery == 0
	return &trace.Schedule{Policy: policies[(s.sampled/2)%len(policies)], Seed: seeds.Next() | 1,
		Depth: 3, Exhaustive: true, Free: s.unlike}
}

// looks notes whether an execution depends on time.
func (s *samples) looks(t *trace.Trace) {
	for i := range t.Events {
		switch t.Events[i].Op {
		case trace.OpNow, trace.OpTimerStart, trace.OpSleep:
			s.timed = true
			return
		}
	}
}
