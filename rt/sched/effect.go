package sched

import (
	"slices"

	"heddle/trace"
)

// EffectOf tells the effect of the quiet operations in a function, and on which objects. It is set
// by rt/drive.
var EffectOf = func(function string) (e trace.Effect, of Scope) { return 0, AllObjects }

// A Scope says for the operations on which objects an effect holds.
type Scope uint8

const (
	AllObjects Scope = iota
	OutputsOnly
	FilesWritten // Outputs, and Captured in a step that writes a file
)

// Outputs are the addresses of the locks of standard output and standard error, Captured is that of
// the lock of the file that an example has in place of standard output. They are set by rt/drive.
var (
	Outputs  []uintptr
	Captured uintptr
)

func (of Scope) has(addr uintptr, writes bool) bool {
	return of == AllObjects || slices.Contains(Outputs, addr) ||
		of == FilesWritten && addr == Captured && writes
}

// noteEffects collects the effects of quiet events.
func (t *recorder) noteEffects(pcs *pcTable) {
	t.Affects = t.Affects[:0]
	written := trace.Event{Step: -1} // a file: by the last step that did so
	for i := range t.Events {
		e := &t.Events[i]
		if e.Op == trace.OpMapStore && e.Site.File() {
			written = *e
		}
		if !e.Quiet || e.Obj == 0 || e.Site.PC() == 0 {
			continue
		}
		info := pcs.look(e.Site.PC())
		writes := e.G == written.G && e.Step == written.Step
		if info.effect != 0 && info.scope.has(t.Objects[e.Obj].Addr, writes) {
			t.Affects = append(t.Affects, trace.Affect{Event: int32(i), Effect: info.effect})
		}
	}
}

// loosely reports whether the order that g's operation gives does not count (trace.Schedule.Loose).
func (s *Sched) loosely(g *G) bool { return g.quiet && s.opt.Schedule.Loose }
