package sched

import (
	"slices"

	"heddle/trace"
)

// EffectOf tells the effect of the quiet operations in a function; output: it is
// that only for those on the locks of standard output and standard error. It is set by rt/drive.
var EffectOf = func(function string) (e trace.Effect, output bool) { return 0, false }

// Outputs are the addresses of the locks of standard output and standard error. They are set by
// rt/drive.
var Outputs []uintptr

// noteEffects collects the effects of quiet events.
func (t *recorder) noteEffects(pcs *pcTable) {
	t.Affects = t.Affects[:0]
	for i := range t.Events {
		e := &t.Events[i]
		if !e.Quiet || e.Obj == 0 || e.Site.PC() == 0 {
			continue
		}
		info := pcs.look(e.Site.PC())
		if info.effect != 0 && (!info.output || slices.Contains(Outputs, t.Objects[e.Obj].Addr)) {
			t.Affects = append(t.Affects, trace.Affect{Event: int32(i), Effect: info.effect})
		}
	}
}

// loosely reports whether the order that g's operation gives does not count (trace.Schedule.Loose).
func (s *Sched) loosely(g *G) bool { return g.quiet && s.opt.Schedule.Loose }
