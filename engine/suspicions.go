package engine

import (
	"slices"

	"heddle/engine/judge"
	"heddle/explore"
	"heddle/rt/states"
	"heddle/trace"
)

// tellBroken says where the locking discipline is broken and no execution has shown a data race.
// Users cannot mend what the standard library does with its own variables.
func (e *exploration) tellBroken(s explore.Suspecting) {
	for _, b := range s.Suspicions() {
		if inStandard(b.Site) || inStandard(b.Other) {
			continue
		}
		if slices.ContainsFunc(e.races(), func(r [2]trace.Site) bool {
			return r == [2]trace.Site{b.Site.Plain(), b.Other.Plain()} ||
				r == [2]trace.Site{b.Other.Plain(), b.Site.Plain()}
		}) {
			continue
		}
		e.note("locking discipline broken: no lock is held at all accesses to the variable, such as %s by goroutine %s%s and %s by goroutine %s%s; no execution has shown a data race of the two",
			b.OtherOp, b.Second, e.where(b.Other), b.Op, b.Goroutine, e.where(b.Site))
	}
}

// inStandard reports whether a scheduling point is in a package of the standard library.
func inStandard(s trace.Site) bool {
	for pkg := range states.Visible {
		if s.Package() == trace.PackageHash(pkg) {
			return true
		}
	}
	return false
}

// races returns where the accesses stand that were found to race.
func (e *exploration) races() (sites [][2]trace.Site) {
	for _, f := range e.seen {
		if f.Kind == judge.Race && len(f.Places) > 1 {
			sites = append(sites,
				[2]trace.Site{trace.Site(f.Places[0].Site).Plain(), trace.Site(f.Places[1].Site).Plain()})
		}
	}
	return sites
}
