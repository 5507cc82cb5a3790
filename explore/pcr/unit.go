package pcr

import "heddle/explore"

func init() {
	needs := explore.Needs{Accesses: true, Values: true, Flow: explore.FlowHelps}
	formula := explore.Option{Name: "formula", Default: DefaultLimit.String(), Check: explore.IsTime,
		Help: "time for one formula; one that takes longer is undecided"}
	rules := explore.Option{Name: "rules", Default: "123456", Check: func(s string) error {
		_, err := ParseRules(s)
		return err
	}, Help: "digits of the rules that exclude patterns"}
	cheap := explore.Option{Name: "cheap", Default: "4", Check: explore.AtLeast(0),
		Help: "random executions before each is examined for patterns"}
	explore.Register(explore.Unit{
		Name: "map", Order: 160, Ends: true, Seeds: true, Compared: true,
		Does:    "aims at patterns of memory accesses that no execution has shown yet",
		Paper:   "Zhao, Wang, Liu, Sun, Chen, Chen: Achieving High MAP-Coverage through Pattern Constraint Reduction",
		Needs:   needs,
		Options: []explore.Option{formula, rules, cheap},
		New: func(s explore.Start) explore.Strategy {
			o := options(Map(), s)
			o.Rules, _ = ParseRules(s.Options["rules"])
			o.Cheap = s.Options.Int("cheap")
			return New(o)
		},
		Expand: expand,
		Arm: &explore.Arm{Order: 2, Resumes: true,
			Options: explore.Values{"formula": "100ms", "cheap": "0"}},
	})
	explore.Register(explore.Unit{
		Name: "mcr", Order: 170, Ends: true, Seeds: true, Compared: true,
		Does:    "makes reads see values that they have not seen yet: maximal causality reduction",
		Paper:   "Huang: Stateless Model Checking Concurrent Programs with Maximal Causality Reduction, PLDI 2015",
		Needs:   needs,
		Options: []explore.Option{formula},
		New:     func(s explore.Start) explore.Strategy { return New(options(MCR(), s)) },
		Expand:  expand,
	})
}

func options(o Options, s explore.Start) Options {
	o.Seed, o.Expired, o.Limit = s.Seed, s.Expired, s.Options.Time("formula")
	return o
}

// expand returns the strategy that explores leads. They are mcr's, since the search for patterns is
// over by then.
func expand(s explore.Start) explore.Leads { return New(options(MCR(), s)) }

// Measure implements explore.Measured.
func (s *Strategy) Measure() explore.Measures {
	f := s.stats.Formulas
	return explore.Measures{Patterns: s.set, Formulas: &f}
}

// ForgetMeasures implements explore.Leads.
func (s *Strategy) ForgetMeasures() { s.stats = Stats{Filtered: make(map[Rules]int)} }
