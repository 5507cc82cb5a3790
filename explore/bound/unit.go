package bound

import "heddle/explore"

func init() {
	explore.Register(explore.Unit{
		Name: "bound", Order: 130, Ends: true, Whole: true,
		Does: "covers every interleaving within a bound on preemptions or delays; always sampled",
		Options: []explore.Option{
			{Name: "preempt", Check: explore.AtLeast(0),
				Help: "at most so many preemptions; 2 where neither bound is given"},
			{Name: "delay", Check: explore.AtLeast(0), Help: "at most so many delays"},
			{Name: "rising", Switch: true, Check: explore.IsSwitch,
				Help: "go on with the next greater bound on preemptions, as long as there is time"},
			{Name: "plain", Switch: true, Check: explore.IsSwitch,
				Help: "without reduction, to check the reduction by: many more executions, and no claim"},
		},
		Arm: &explore.Arm{Order: 4, Bounds: true,
			Options: explore.Values{"preempt": "0", "rising": "true"}},
		Paper: "Musuvathi, Qadeer: Iterative Context Bounding, PLDI 2007; Emmi, Qadeer, Rakamaric: Delay-bounded Scheduling, POPL 2011",
		New: func(s explore.Start) explore.Strategy {
			o := Options{Preemptions: 2, Delays: -1, Loose: s.Loose, Expired: s.Expired}
			if s.Options["delay"] != "" {
				o.Preemptions, o.Delays = -1, s.Options.Int("delay")
			}
			if s.Options["preempt"] != "" {
				o.Preemptions = s.Options.Int("preempt")
			}
			if s.Options.On("plain") {
				return NewPlain(o)
			}
			o.Rising = s.Options.On("rising")
			return New(o)
		},
	})
}
