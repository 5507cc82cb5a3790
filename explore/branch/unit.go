package branch

import "heddle/explore"

// mostSteps bounds the executions if the user does not. It is more than enough for every goroutine
// to have a turn (rt/sched/spin.go). What comes later is not analysed, and a few rounds of an
// endless loop show all there is.
const mostSteps = 10000

func init() {
	explore.Register(explore.Unit{
		Name: "branch", Order: 150, Ends: true, Whole: true, Seeds: true, Compared: true,
		Does:  "executes only orders that may send a branch another way",
		Paper: "Setiadi, Ohsuga, Maekawa: Efficient Execution Path Exploration for Detecting Races in Concurrent Programs",
		Needs: explore.Needs{Accesses: true, Flow: explore.FlowNeeded, Steps: mostSteps, Anew: true},
		Options: []explore.Option{{Name: "samples", Default: "true", Switch: true, Check: explore.IsSwitch,
			Help: "go on sampling when nothing else is left to test and time is"}},
		New: func(s explore.Start) explore.Strategy {
			o := Options{Context: s.Context(), Early: s.Early, Seed: s.Seed}
			if s.Options["samples"] == "true" {
				o.Spare = s.Spare
			}
			return New(o)
		},
		Arm: &explore.Arm{Order: 3, Flow: true, Options: explore.Values{"samples": "false"}},
	})
}

// Measure implements explore.Measured.
func (s *Strategy) Measure() explore.Measures {
	c := s.Counts()
	return explore.Measures{Groups: &explore.Groups{
		Goroutines: c.Goroutines, Accesses: c.Accesses, Shared: c.Shared, ReadShared: c.ReadShared,
		Branches: c.Branches,
		Pairs:    c.Pairs, Affected: c.Affected, Groups: c.Groups, Manners: c.Manners, Settled: c.Settled,
	}}
}
