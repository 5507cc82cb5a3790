package bound

import "heddle/explore"

func init() {
	explore.Register(explore.Unit{
		Name: "bound", Order: 130, Ends: true, Whole: true,
		Does: "executes every schedule within a bound on preemptions or delays, without reduction; always sampled",
		Options: []explore.Option{
			{Name: "preempt", Check: explore.AtLeast(0),
				Help: "at most so many preemptions; 2 where neither bound is given"},
			{Name: "delay", Check: explore.AtLeast(0), Help: "at most so many delays"},
		},
		Paper: "Musuvathi, Qadeer: Iterative Context Bounding, PLDI 2007; Emmi, Qadeer, Rakamaric: Delay-bounded Scheduling, POPL 2011",
		New: func(s explore.Start) explore.Strategy {
			o := Options{Preemptions: -1, Delays: -1}
			if s.Options["preempt"] != "" {
				o.Preemptions = s.Options.Int("preempt")
			}
			if s.Options["delay"] != "" {
				o.Delays = s.Options.Int("delay")
			}
			if o == (Options{Preemptions: -1, Delays: -1}) {
				o.Preemptions = 2
			}
			return New(o)
		},
	})
}
