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

func (e *exploration) compare(a, b *trace.Trace) {
	n := min(len(a.Events), len(b.Events))
	for i := range n {
		x, y := &a.Events[i], &b.Events[i]
		if x.G != y.G || x.Op != y.Op || x.Obj != y.Obj || x.Site != y.Site {
			e.differ(i, eventText(a, x), eventText(b, y), y.Site)
			return
		}
	}
	switch {
	case len(a.Events) > n:
		e.differ(n, eventText(a, &a.Events[n]), "nothing", a.Events[n].Site)
	case len(b.Events) > n:
		e.differ(n, "nothing", eventText(b, &b.Events[n]), b.Events[n].Site)
	}
}

func (e *exploration) differ(i int, first, second string, at trace.Site) {
	e.nondet = true
	cause := "state left over from the first execution, real time, or a map keyed by pointers"
	if sched.S.SawForeign() {
		cause = "a goroutine outside control took part"
	}
	p := resolve(at &^ (1 << 63))
	e.d.send(&wire.Record{
		Type: "note", Test: e.t.Name,
		Text:  fmt.Sprintf("not deterministic: the same schedule gave different executions: event %d was %s, then %s; likely cause: %s", i+1, first, second, cause),
		Place: &p,
	})
}

func eventText(t *trace.Trace, ev *trace.Event) string {
	text := ev.Op.String() + " by " + t.Name(ev.G)
	if p := resolve(ev.Site &^ (1 << 63)); p.File != "" {
		text += fmt.Sprintf(" at %s:%d", base(p.File), p.Line)
	}
	return text
}
