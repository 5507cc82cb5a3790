package engine

import (
	"heddle/predict"
	"heddle/trace"
)

// activelyTested returns how many of Config.Active executions by a randomised
// active tester show the anomaly a, by whatever goroutines. They are a baseline for the
// schedules that were made for it: nothing that they show is reported.
func (p *prediction) activelyTested(a *predict.Anomaly) (shown int) {
	for i := range p.cfg.Active {
		if p.ended() || !p.guides() {
			return shown
		}
		key := p.expectation(a)
		if p.expect != nil {
			for k := range p.expect.Places {
				p.expect.Places[k].Goroutine = ""
			}
		}
		seed := mix(p.cfg.Seed, uint64(i+1))
		ex := p.perform(&trace.Schedule{Policy: "first", Exhaustive: true,
			Guide: predict.NewTester(p.graph, a, seed)})
		if key != "" && ex.shows(key) != nil || key == "" && p.showsAny(&ex, a) {
			shown++
		}
	}
	return shown
}
