package branch

import (
	"slices"
	"strings"

	"heddle/model"
	"heddle/trace"
)

// An access-manner is what a goroutine does from its first lock until it holds none: locks,
// unlocks, and accesses to shared variables. An access without a lock is an access-manner by
// itself, as is an unlock of a lock that is not held (section IV.A).
//
// MANNERS is the set of access-manners of each goroutine, without their order and number.
// Executions with equal MANNERS are race-equivalent: both break consistent locking, or neither
// does.

// Manners returns MANNERS of a trace as text, by name of the goroutine, sorted and without
// duplicates. shared reports which objects are shared variables.
func Manners(t *trace.Trace, shared func(trace.ObjID) bool) map[string][]string {
	return newNames(t).manners(shared)
}

func (names *names) manners(shared func(trace.ObjID) bool) map[string][]string {
	t := names.t
	m := map[string][]string{}
	open := make([]manner, len(t.Goroutines)+1)
	for len(open) <= maxG(t) {
		open = append(open, manner{})
	}
	for i := range t.Events {
		e := &t.Events[i]
		a := &open[e.G]
		switch section := sectionOf(t, e); {
		case section.Enters():
			a.held = append(a.held, e.Obj)
		case section.Leaves():
			if k := lastOf(a.held, e.Obj); k >= 0 {
				a.held = slices.Delete(a.held, k, k+1)
			}
		case IsAccess(e.Op) && shared(e.Obj):
		default:
			continue
		}
		a.ops = append(a.ops, names.op(i))
		if len(a.held) == 0 {
			g := t.Name(e.G)
			m[g] = append(m[g], strings.Join(a.ops, ", "))
			a.ops = nil
		}
	}
	for g := range open { // the trace ends
		if a := &open[g]; len(a.ops) > 0 {
			name := t.Name(trace.GID(g))
			m[name] = append(m[name], strings.Join(a.ops, ", "))
		}
	}
	for g, list := range m {
		slices.Sort(list)
		m[g] = slices.Compact(list)
	}
	return m
}

// MannersText returns MANNERS as one text, which is equal exactly for race-equivalent executions.
func MannersText(m map[string][]string) string {
	var gs []string
	for g := range m {
		gs = append(gs, g)
	}
	slices.Sort(gs)
	var b strings.Builder
	for _, g := range gs {
		b.WriteString(g + ": {" + strings.Join(m[g], "} {") + "}\n")
	}
	return b.String()
}

// A manner is an access-manner under construction.
type manner struct {
	held []trace.ObjID
	ops  []string
}

func maxG(t *trace.Trace) int {
	n := 0
	for i := range t.Events {
		n = max(n, int(t.Events[i].G))
	}
	return n
}

// sectionOf returns what an event does to the locks of its goroutine; Outside if it is about no
// lock.
func sectionOf(t *trace.Trace, e *trace.Event) model.Section {
	if def, o := model.ObjectOf(t, e.Obj); o.Kind == trace.ObjMutex || o.Kind == trace.ObjRWMutex {
		return def.SectionOf(&o, e.Op, int32(e.Arg))
	}
	return model.Outside
}

func lastOf(held []trace.ObjID, o trace.ObjID) int {
	for k := len(held) - 1; k >= 0; k-- {
		if held[k] == o {
			return k
		}
	}
	return -1
}
