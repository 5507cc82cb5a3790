package maptest

import "heddle/explore"

func init() {
	explore.Register(explore.Unit{
		Name: "maptest", Order: 180, Seeds: true,
		Does:  "steers executions to patterns of memory accesses at random: the baseline of map",
		Paper: "Wang, Zhao, Liu, Sun, Chen: MAPTest, cited by Zhao et al.",
		Needs: explore.Needs{Accesses: true, Values: true, Guide: true},
		New:   func(s explore.Start) explore.Strategy { return New(s.Seed) },
	})
}

// Measure implements explore.Measured.
func (s *Strategy) Measure() explore.Measures {
	return explore.Measures{Patterns: s.set, Intended: s.intends, Shown: s.covers}
}
