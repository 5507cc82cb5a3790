package unfold

import (
	"math/rand/v2"

	"heddle/explore"
	"heddle/symbolic"
)

func init() {
	explore.Register(explore.Unit{
		Name: "unfold", Order: 140, Covers: "local states", Ends: true, Whole: true, Inputs: true,
		Asks: true, Heavy: true, Compared: true,
		Does:  "covers every local state, in fewer executions than there are interleavings",
		Paper: "Kähkönen, Saarikivi, Heljanko: Unfolding Based Automated Testing of Multithreaded Programs, ASE Journal 2015",
		Needs: explore.Needs{Plain: true, Hushed: true},
		Options: []explore.Option{
			{Name: "targets", Default: "auto", Check: explore.OneOf("auto", "newest", "oldest", "random"),
				Help: "which event that no execution has shown is next: newest, oldest, random; auto: classes of branches in turn with -fuzz, else the newest"},
			explore.SeedWith, explore.SeedRuns,
		},
		New: func(s explore.Start) explore.Strategy {
			o := Options{Expired: s.Expired, Loose: s.Loose}
			switch s.Options["targets"] {
			case "oldest":
				o.Choose = func(int) int { return 0 }
			case "newest":
				o.Choose = func(n int) int { return n - 1 }
			case "random":
				o.Choose = rand.New(rand.NewPCG(s.Seed, 1)).IntN
			}
			return New(o)
		},
	})
}

// Yields implements explore.Yielding and explore.InputSearch.
func (s *Strategy) Yields() string { return s.Why }

// Search makes inputs part of the exploration. It must precede the first Next.
func (s *Strategy) Search(in *symbolic.Inputs) {
	s.opt.Inputs = in
	s.begin()
}
