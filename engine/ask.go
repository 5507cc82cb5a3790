package engine

import (
	"context"
	"slices"

	"heddle/engine/judge"
	"heddle/explore"
	"heddle/explore/question"
	"heddle/explore/why"
	"heddle/rt/wire"
	"heddle/trace"
)

// kindReached is the kind of what answers a question: no bug, but a moment.
const kindReached = "reached"

// answer is what heddle ask does with a test: a strategy that Asks makes a net of it,
// and whatever execution shows a moment at which the question holds is the answer. If
// none does, the net is asked for such a moment, and only what is executed counts. Where
// the net is complete and has none, there is none.
func (e *exploration) answer() (result string, complete bool, end why.End) {
	q := e.cfg.Ask
	e.expect = &wire.Expectation{Kind: kindReached,
		Message: "there is a moment at which this is so: " + q.Text, Pattern: q.Text, Ask: q}
	e.cfg.FailFast = true
	x := &answers{Executor: e.x, e: e}
	e.x = x
	var s explore.Strategy
	result, complete, end = e.think(e.unit, func() explore.Strategy {
		s = e.unit.New(e.startOf(e.unit))
		return s
	})
	if e.found > 0 || e.ended() || result == "skip" {
		return result, complete, end
	}
	missed, short := false, why.Reason{}
	if a, err := s.(explore.Asker).Ask(q, e.stands); err != nil {
		complete, short = false, why.From(err)
	} else {
		for next := a.Next(); next != nil && !e.ended() && !e.late(); next = a.Next() {
			e.look(e.perform(next, e.needs(e.unit)), next, "")
			if e.found > 0 {
				return "fail", false, end
			}
			missed = true
		}
		if a.Late() || e.late() || e.err != nil {
			complete, short = false, why.With(why.Limit, "not all of the net was looked at")
		} else if missed {
			complete, short = false,
				why.With(why.Limit, "what the net allows is not what an execution showed")
		}
	}
	if !short.None() {
		end = why.Bare(short)
	}
	return result, complete, end
}

// answers is an Executor whose executions show answers and nothing else: findings have other
// commands.
type answers struct {
	Executor
	e *exploration
}

func (x *answers) Execute(ctx context.Context, q *wire.Request) (Execution, error) {
	q.Plain, q.Values = true, true
	ex, err := x.Executor.Execute(ctx, q)
	for i := range ex.Found {
		x.e.raceSites(ex.Found[i].Finding)
	}
	x.e.accessesElsewhere(ex.Trace)
	ex.Found = slices.DeleteFunc(ex.Found, func(f wire.Found) bool { return f.Finding.Kind != kindReached })
	return ex, err
}

// accessesElsewhere makes scheduling points of accesses to the variables of the question that the
// source calls otherwise there: by way of a pointer, say. Without them there would be moments that
// no execution shows.
func (e *exploration) accessesElsewhere(t *trace.Trace) {
	if t == nil || len(t.Plain) == 0 {
		return
	}
	for _, v := range judge.Asked(t, e.cfg.Ask, e.x.Resolve) {
		for i := range t.Plain {
			a := &t.Plain[i]
			if v.Size > 0 && overlap(&t.Objects[v.Obj], v.Size, &a.Mem, a.Size) {
				e.see(a.Site.Plain())
			}
		}
	}
}

// overlap reports whether n bytes of memory and k bytes of memory of one execution have some in
// common.
func overlap(a *trace.Object, n uint32, b *trace.Object, k uint32) bool {
	return a.Addr < b.Addr+uintptr(k) && b.Addr < a.Addr+uintptr(n)
}

// stands reports whether a site is at a place of a question.
func (e *exploration) stands(site trace.Site, p *question.Place) bool {
	return judge.StandsAt(site, p, e.x.Resolve)
}
