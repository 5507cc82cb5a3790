package drive

import (
	"fmt"

	"heddle/rt/sched"
	"heddle/rt/wire"
	"heddle/trace"
)

// The first schedule of every test is executed twice. Where the two traces
// differ something is not under control, and what other executions show may
// not replay: it is said, with the place, instead of letting results look
// better than they are.

// Steps are compared, not all events: what the standard library does inside
// (caches that are filled once) offers no choice.
func (e *exploration) compare(a, b *trace.Trace) {
	n := min(len(a.Steps), len(b.Steps))
	for i := range n {
		x, y := &a.Steps[i], &b.Steps[i]
		if x.G != y.G || x.Op != y.Op || x.Site != y.Site || x.Choice != y.Choice {
			e.differ(i, stepText(a, x), stepText(b, y), y.Site)
			return
		}
	}
	switch {
	case len(a.Steps) > n:
		e.differ(n, stepText(a, &a.Steps[n]), "nothing", a.Steps[n].Site)
	case len(b.Steps) > n:
		e.differ(n, "nothing", stepText(b, &b.Steps[n]), b.Steps[n].Site)
	}
}

func (e *exploration) differ(i int, first, second string, at trace.Site) {
	e.nondet = true
	cause := "state left over from the first execution, real time, or a map keyed by pointers"
	if sched.S.Outside() {
		cause = "a goroutine outside control took part"
	}
	p := resolve(at &^ (1 << 63))
	e.d.send(&wire.Record{
		Type: "note", Test: e.t.Name,
		Text:  fmt.Sprintf("not deterministic: the same schedule gave different executions: step %d was %s, then %s; likely cause: %s", i+1, first, second, cause),
		Place: &p,
	})
}

func stepText(t *trace.Trace, ev *trace.Step) string {
	text := ev.Op.String() + " by " + t.Name(ev.G)
	if p := resolve(ev.Site &^ (1 << 63)); p.File != "" {
		text += fmt.Sprintf(" at %s:%d", base(p.File), p.Line)
	}
	return text
}
