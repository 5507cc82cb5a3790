package sched

import (
	"heddle/rt/sched/siteset"
	"heddle/trace"
)

// VisibleMode says which memory accesses are scheduling points.
type VisibleMode uint8

// The modes.
const (
	VisibleSync VisibleMode = iota // none
	VisibleAuto                    // those at sites given to SetVisible
	VisibleAll
)

// visibility says which accesses to memory are operations. It outlasts executions.
type visibility struct {
	visible siteset.Set
	watched siteset.Set
}

// point reports whether an access at a site is a scheduling point, in a mode that has some. It is
// inlined.
func (v *visibility) point(mode VisibleMode, site trace.Site) bool {
	return mode == VisibleAll || v.visible.Has(site)
}

// none reports whether no access is a scheduling point.
func (v *visibility) none(mode VisibleMode) bool {
	return mode == VisibleSync || mode == VisibleAuto && v.visible.Empty()
}

// SetVisible makes the memory accesses at the given sites, and no others, scheduling points under
// VisibleAuto.
func (s *Sched) SetVisible(sites []trace.Site) {
	s.sites.visible = siteset.Of(sites)
}

// SetWatched makes events of the memory accesses at the given sites when values
// are recorded, without making them scheduling points: a replay shows them.
func (s *Sched) SetWatched(sites []trace.Site) {
	s.sites.watched = siteset.Of(sites)
}
