package engine

import (
	"fmt"
	"slices"
	"strings"

	"heddle/explore"
	_ "heddle/explore/all" // the strategies of this binary
	"heddle/explore/sample"
	"heddle/explore/why"
)

// The strategies that the loop makes of others.
func init() {
	options := []explore.Option{sample.Depth}
	arms := explore.Option{Name: armsOption, Many: true, Check: func(s string) error {
		for _, name := range strings.Split(s, ",") {
			if u := explore.Lookup(name); u == nil || u.Arm == nil && !slices.Contains(samplePolicies, name) {
				return fmt.Errorf("want strategies that can take turns: %s", strings.Join(ArmNames(), ", "))
			}
		}
		return nil
	}, Help: "a strategy that takes turns; all that can if none is given"}
	explore.Register(explore.Unit{Name: "auto", Order: 10, Compared: true, Options: append(options, arms),
		Needs: explore.Needs{Flow: explore.FlowBeside},
		Does:  "several strategies in turn, then all interleavings if there are not too many, then what finds new orders"})
	explore.Register(explore.Unit{Name: "sample", Order: 20, Compared: true, Seeds: true, Options: options,
		Does: "the policies in turn, after the schedule without preemptions"})
	explore.Register(explore.Unit{Name: PredictUnit, Order: 30, Compared: true, Whole: true,
		Command: "heddle predict",
		Does:    "one execution, and then only what shows the bugs which that lets expect",
		Paper:   "Huang, Zhang: PECAN, ISSTA 2011"})
}

// PredictUnit is the name of the strategy of heddle predict.
const PredictUnit = "predict"

// armsOption names the strategies that auto lets take turns.
const armsOption = "arms"

// ArmNames returns the strategies that can be named so.
func ArmNames() []string {
	names := slices.Clone(samplePolicies)
	for _, u := range explore.Units() {
		if u.Arm != nil {
			names = append(names, u.Name)
		}
	}
	return names
}

// composed returns how such a strategy explores a test; nil: by samples.
func (e *exploration) composed() func() (result string, complete bool, end why.End) {
	switch e.unit.Name {
	case "auto":
		return e.auto
	case PredictUnit:
		return e.predictOnly
	}
	return nil
}
