package drive

import (
	"fmt"
	"slices"

	"heddle/explore/branch"
	"heddle/rt/wire"
	"heddle/trace"
)

// branchSteps bounds the executions of strategy branch where the configuration does
// not, more than what lets everybody have a turn (see rt/sched/spin.go): what comes after it is not analysed, and of a loop without end a few rounds tell all there is.
const branchSteps = 10000

// raceEquivalent is the strategy "branch": one execution of every branch-affect
// group, with all memory accesses as steps. What is found is shown again with steps at shared memory alone.
func (e *exploration) raceEquivalent() (result string, complete bool, reason string) {
	o := branch.Options{Context: until{e.ctx, e.late}}
	if e.bound = e.cfg.Steps; e.bound == 0 {
		e.bound = branchSteps
	}
	defer func() { e.all, e.bound = false, 0 }()
	s := branch.New(o)
	result, ok := e.twice(s.Next())
	if !ok {
		return e.sampleInstead(result)
	}
	e.all = true
	var last *trace.Trace
	for !e.ended() && !e.stop(e.n) {
		if last != nil && e.shareErrands(s, last, result) {
			return result, false, ""
		}
		next := s.Next()
		if next == nil {
			break
		}
		e.prepare(s, next)
		polled := len(e.polled)
		ex := e.perform(next)
		if e.err != nil || e.expired(&ex, next) {
			break
		}
		last = ex.Trace
		if len(e.polled) > polled { // schedules have other steps from now on
			s = branch.New(o)
			continue
		}
		s.Done(ex.Trace)
		e.showNarrow(ex, next, s.Sites())
		e.tell()
	}
	e.tellBroken(s)
	c := s.Counts()
	e.groups = &wire.Groups{
		Goroutines: c.Goroutines, Accesses: c.Accesses, Shared: c.Shared, ReadShared: c.ReadShared, Branches: c.Branches,
		Pairs: c.Pairs, Affected: c.Affected, Groups: c.Groups, Manners: c.Manners, Settled: c.Settled,
	}
	if e.found > 0 {
		result = "fail"
	}
	return result, false, e.equivalence(s, c)
}

// equivalence says how far the strategy came.
func (e *exploration) equivalence(s *branch.Strategy, c branch.Counts) string {
	if c.Affected == 0 && c.Choices == 0 && c.Settled > 0 && s.Result().Reason == "" && !e.real && e.cuts == (wire.Cuts{}) {
		return fmt.Sprintf("sampled; none of %d branches is affected by interleaving", c.Branches)
	}
	choices := ""
	if c.Choices > 0 {
		choices = fmt.Sprintf(", other cases of selects %d times", c.Choices)
	}
	text := fmt.Sprintf("%d of %d branches are affected by interleaving, %d orders of what they depend on", c.Affected, max(c.Branches, c.Affected), c.Groups)
	switch bad := s.Result().Reason; {
	case e.real:
		return "sampled; partly uncontrolled"
	case e.cuts.Early():
		return "sampled; " + e.cuts.String()
	case bad != "":
		return "sampled; " + bad
	case c.Settled == 0:
		return "sampled; " + text + ", not all tested"
	case e.cuts.Steps > 0:
		return "sampled; " + text + ", all tested as far as the step bound" + choices
	}
	return "sampled; " + text + ", all tested" + choices
}

// tellBroken says where the locking discipline is broken and no execution has shown a data race. What the
// standard library does with its own variables is nobody's to mend.
func (e *exploration) tellBroken(s *branch.Strategy) {
	for _, b := range s.Suspicions() {
		if inStandard(b.Site) || inStandard(b.Other) {
			continue
		}
		if slices.ContainsFunc(e.races(), func(r [2]trace.Site) bool {
			return r == [2]trace.Site{b.Site.Plain(), b.Other.Plain()} || r == [2]trace.Site{b.Other.Plain(), b.Site.Plain()}
		}) {
			continue
		}
		e.note("locking discipline broken: no lock is held at all accesses to the variable, such as %s by goroutine %s%s and %s by goroutine %s%s; no execution has shown a data race of the two",
			b.OtherOp, b.Second, e.where(b.Other), b.Op, b.Goroutine, e.where(b.Site))
	}
}

// inStandard reports whether a scheduling point is in a package of the standard library.
func inStandard(s trace.Site) bool {
	for pkg := range choiceGiving {
		if s.Package() == trace.PackageHash(pkg) {
			return true
		}
	}
	return false
}

// races returns where the accesses stand that were found to race.
func (e *exploration) races() (sites [][2]trace.Site) {
	for _, f := range e.seen {
		if f.Kind == kindRace && len(f.Places) > 1 {
			sites = append(sites, [2]trace.Site{trace.Site(f.Places[0].Site).Plain(), trace.Site(f.Places[1].Site).Plain()})
		}
	}
	return sites
}
