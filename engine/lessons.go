package engine

import (
	"slices"

	"heddle/engine/judge"
	"heddle/rt/wire"
	"heddle/trace"
)

// lessons are what earlier executions have taught: by them, later ones have other steps.
type lessons struct {
	visible []trace.Site  // sites found to race: scheduling points from then on
	only    bool          // and no others, whatever -visible says
	byNeed  bool          // the same, since memory has no names, see nameless
	early   bool          // Request.Early, beside the configuration's
	polled  []trace.Site  // sides of channels found to be polled, for exhaustive executions
	learnt  int           // executions after which exhaustive ones end sooner, see wire.Result.Learnt
	loose   bool          // the search makes loose executions, see loosen
	oneWay  bool          // accesses were seen to race that are no scheduling points: they go one way only
	unseen  []wire.Unseen // what was not seen of executions
}

// see makes accesses at a site visible from now on.
func (k *lessons) see(x trace.Site) {
	if !slices.Contains(k.visible, x) {
		k.visible = append(k.visible[:len(k.visible):len(k.visible)], x)
	}
}

// raceSites makes the accesses of a race visible from now on, unless what is visible is laid down.
func (e *exploration) raceSites(f *wire.Finding) {
	if f.Kind != judge.Race {
		return
	}
	e.oneWay = e.oneWay || f.Quiet || e.cfg.Visible == "sync"
	if !e.visibleByNeed() || e.only {
		return
	}
	for _, p := range f.Places {
		if x := trace.Site(p.Site); p.Site != 0 && x.PC() == 0 {
			e.see(x)
		}
	}
}

// visibleByNeed reports whether accesses become visible when they were seen to race.
func (e *exploration) visibleByNeed() bool {
	return e.byNeed || e.cfg.Visible != "sync" && e.cfg.Visible != "all"
}

// polls notes which sides of channels an execution has shown to be polled.
func (k *lessons) polls(ex *Execution) {
	for _, x := range ex.Polled {
		if !slices.Contains(k.polled, x) {
			k.polled = append(k.polled[:len(k.polled):len(k.polled)], x)
		}
	}
}

// knowledge is what the next executions go by, but for what the strategy knows.
func (e *exploration) knowledge() wire.Knowledge {
	var k wire.Knowledge
	if x, ok := e.x.(Crew); ok {
		k = x.Learnt()
	} else if e.here != nil {
		k = e.here.Learnt()
	}
	k.Visible, k.Polled, k.Loose, k.OneWay, k.Unseen = slices.Clone(e.visible), slices.Clone(e.polled),
		e.loose, e.oneWay, e.unseen
	return k
}

// know takes knowledge in the place of what is known.
func (e *exploration) know(k *wire.Knowledge) {
	e.here.Learn(k)
	e.visible, e.polled, e.loose = slices.Clone(k.Visible), slices.Clone(k.Polled), k.Loose
	e.oneWay, e.unseen = k.OneWay, slices.Clone(k.Unseen)
}

// notSeen adds what was not seen of an execution, and tells of the first few.
func (e *exploration) notSeen(list []wire.Unseen) {
	const most = 5
	for _, u := range list {
		if slices.Contains(e.unseen, u) {
			continue
		}
		e.unseen = append(e.unseen, u)
		if len(e.unseen) > 1 && len(e.unseen) <= most { // the first one is the reason
			e.note("not every interleaving can be covered: %s", u)
		}
	}
}
