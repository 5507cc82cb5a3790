package rff

import "heddle/explore"

func init() {
	explore.Register(explore.Unit{
		Name: "rff", Order: 90, Compared: true,
		Does: "greybox fuzzing of schedules: mutates what is to be read from where, " +
			"and keeps what shows something new",
		Paper: "Wolff, Shi, Duck, Mathur, Roychoudhury: Greybox Fuzzing for Concurrency Testing, ASPLOS 2024",
		Needs: explore.Needs{Guide: true},
		Arm:   &explore.Arm{Order: 6, Light: true},
		New:   func(s explore.Start) explore.Strategy { return New(s.Seed) },
	})
}
