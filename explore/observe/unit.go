package observe

import "heddle/explore"

func init() {
	explore.Register(explore.Unit{
		Name: "observe", Order: 105, Covers: "interleavings", Ends: true, Whole: true, Compared: true,
		Ahead: true, Free: true,
		Does:    "covers every interleaving: about one execution for each thing that goroutines can observe",
		Needs:   explore.Needs{Plain: true, Hushed: true, Twins: true},
		Options: []explore.Option{explore.Symmetry},
		Adapt:   func(v explore.Values, n *explore.Needs) { n.Twins = v.On("symmetry") },
		New: func(s explore.Start) explore.Strategy {
			return New(Options{Loose: s.Loose, Expired: s.Expired, Free: s.Free,
				Twins: s.Options.On("symmetry")})
		},
	})
}

// Yields implements explore.Yielding.
func (s *Strategy) Yields() string { return s.Why }
