package order

import (
	"sort"

	"heddle/trace"
)

// announced returns the cases that the goroutine of e announced before e, as far as the trace has
// them.
func (p *Problem) announced(e int) (cases []trace.Offer) {
	ev, offers := &p.m.events[e], p.m.t.Offers
	if p.offers == nil && len(offers) > 0 {
		p.offers = make([][]int32, len(p.m.byG))
		for i := range offers {
			if o := &offers[i]; o.Case >= 0 && int(o.G) < len(p.offers) {
				p.offers[o.G] = append(p.offers[o.G], int32(i))
			}
		}
	}
	if len(p.offers) == 0 || ev.Quiet {
		return nil
	}
	own := p.offers[ev.G]
	end := sort.Search(len(own), func(i int) bool { return offers[own[i]].Step >= ev.Step })
	first := end
	for first > 0 && offers[own[first-1]].Step == offers[own[end-1]].Step {
		first--
	}
	for _, i := range own[first:end] {
		cases = append(cases, offers[i])
	}
	return cases
}

// polled returns the channels that event e, a select that took its default, found not ready. e.Obj
// is one of them.
func (p *Problem) polled(e int) (all []trace.ObjID) {
	if ev := &p.m.events[e]; ev.Op != trace.OpSelect || ev.Arg != -1 || e >= p.m.done {
		return nil
	}
	for _, o := range p.announced(e) {
		if o.Poll && o.Obj > 0 && int(o.Obj) < len(p.m.t.Objects) {
			all = append(all, o.Obj)
		}
	}
	return all
}
