package branch

import (
	"slices"

	"heddle/trace"
)

// A UseDefine is a read and a write that it may read from, as events. It is extended if they are of
// two goroutines, so that it depends on the interleaving (Yang & Pollock), and conventional if they
// are of one.
type UseDefine struct {
	Use, Define int32 // events
	Extended    bool
}

// uses returns the use-defines of the event use.
func (x *Execution) uses(use int32) (uds []UseDefine) {
	v := x.variable[use]
	if v < 0 {
		return nil
	}
	g := x.Trace.Events[use].G
	own := int32(-1)
	for _, e := range x.accesses[v] {
		ev := &x.Trace.Events[e]
		switch {
		case !changes[ev.Op] || e == use:
		case ev.G != g:
			if x.vars[v].shared {
				uds = append(uds, UseDefine{use, e, true})
			}
		case e < use:
			own = e // its earlier writes are overwritten
		}
	}
	if own >= 0 {
		uds = append(uds, UseDefine{use, own, false})
	}
	return uds
}

// SetUD returns the use-defines of an execution.
func (x *Execution) SetUD() (uds []UseDefine) {
	for i := range x.Trace.Events {
		if gives[x.Trace.Events[i].Op] {
			uds = append(uds, x.uses(int32(i))...)
		}
	}
	return uds
}

// from returns the reads that an event was computed from: the value of a write, the address of a
// read, the condition of a branch. If they are unknown it returns all reads before.
func (x *Execution) from(event int32) []int32 {
	if x.flow == nil {
		return x.before(event)
	}
	reads, all := x.flow.Deps(int(event))
	if all {
		return x.before(event)
	}
	return slices.Clone(reads)
}

// before returns the earlier events of the same goroutine that gave a value.
func (x *Execution) before(event int32) (reads []int32) {
	g := x.Trace.Events[event].G
	for i := range x.Trace.Events[:event] {
		if e := &x.Trace.Events[i]; e.G == g && gives[e.Op] {
			reads = append(reads, int32(i))
		}
	}
	return reads
}

// RelatedUD returns BranchRelUD of the branch with that index in Branches: the use-defines on which
// its condition may depend (Algorithm 2).
func (x *Execution) RelatedUD(branch int) []UseDefine {
	uds, _ := x.closure(branch)
	return uds
}

// closure returns BranchRelUD and the reads that it comes from. Some of them have no use-define:
// they read an initial value, or only writes after the branch.
func (x *Execution) closure(branch int) (uds []UseDefine, reads []int32) {
	b := &x.Branches[branch]
	seen := map[int32]bool{}
	work := x.from(b.Event)
	for len(work) > 0 {
		use := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[use] || x.after(use, b) {
			continue
		}
		seen[use] = true
		reads = append(reads, use)
		work = append(work, x.from(use)...) // its address
		for _, ud := range x.uses(use) {
			if x.after(ud.Define, b) {
				continue
			}
			uds = append(uds, ud)
			work = append(work, x.from(ud.Define)...)
			switch x.Trace.Events[ud.Define].Op {
			case trace.OpAtomicRMW, trace.OpMapStore, trace.OpModel:
				work = append(work, ud.Define) // the new value depends on the old one
			}
		}
	}
	return uds, reads
}

// after reports whether an event comes after the branch in the same goroutine.
func (x *Execution) after(event int32, b *Branch) bool {
	return x.Trace.Events[event].G == b.G && x.place[event] > x.place[b.Event]
}

// RelatedOP returns BranchRelOP of a branch: the operations that may affect its condition, in order
// of the trace. affected reports whether other goroutines have some of them: if not, no
// interleaving changes its outcome.
func (x *Execution) RelatedOP(branch int) (ops []int32, affected bool) {
	uds, events := x.closure(branch)
	for _, ud := range uds {
		events = append(events, ud.Define)
	}
	for _, e := range events {
		if op := x.op[e]; op >= 0 {
			ops = append(ops, op)
			affected = affected || x.Ops[op].G != x.Branches[branch].G
		}
	}
	slices.Sort(ops)
	return slices.Compact(ops), affected
}
