package surw

import "heddle/explore"

func init() {
	explore.Register(explore.Unit{
		Name: "surw", Order: 80, Compared: true,
		Does:  "samples interleavings of the operations on one object uniformly, each time on another one",
		Paper: "Zhao, Wolff, Mathur, Roychoudhury: Selectively Uniform Concurrency Testing, ASPLOS 2025",
		Needs: explore.Needs{Guide: true},
		Options: []explore.Option{
			{Name: "select", Default: "object", Check: explore.OneOf("object", "all"),
				Help: "operations of which the interleavings are uniform: " +
					"those on one shared object, drawn for each execution, or all"},
		},
		Arm: &explore.Arm{Order: 5, Light: true},
		New: func(s explore.Start) explore.Strategy { return New(s.Seed, s.Options["select"] == "all") },
	})
}
