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

// RelatedUD returns BranchRelUD of the branch with that index in Branches: the use-defines on which
// its condition may depend (Algorithm 2).
func (x *Execution) RelatedUD(branch int) (uds []UseDefine) {
	b := &x.Branches[branch]
	reads, _ := x.reached(branch)
	slices.Sort(reads)
	for _, use := range reads {
		for _, ud := range x.uses(use) {
			if !x.after(ud.Define, b) {
				uds = append(uds, ud)
			}
		}
	}
	return uds
}

// reached returns the uses and the defines of BranchRelUD, each once. Some of the uses have no
// define: they read an initial value, or only writes after the branch.
func (x *Execution) reached(branch int) (reads, defines []int32) {
	b := &x.Branches[branch]
	f := x.newFollow()
	used, defined := map[int32]bool{}, map[int32]bool{}
	type by struct {
		variable int32
		g        trace.GID
	}
	others := map[by]bool{} // their writes were added
	define := func(e int32) {
		if defined[e] || x.after(e, b) {
			return
		}
		defined[e] = true
		defines = append(defines, e)
		f.from(e)
		switch x.Trace.Events[e].Op {
		case trace.OpAtomicRMW, trace.OpMapStore, trace.OpModel:
			f.work = append(f.work, e) // the new value depends on the old one
		}
	}
	f.from(b.Event)
	for len(f.work) > 0 {
		use := f.work[len(f.work)-1]
		f.work = f.work[:len(f.work)-1]
		if used[use] || x.after(use, b) {
			continue
		}
		used[use] = true
		reads = append(reads, use)
		f.from(use) // its address
		v := x.variable[use]
		if v < 0 {
			continue
		}
		all, g := x.accesses[v], x.Trace.Events[use].G
		at, _ := slices.BinarySearch(all, use)
		for k := at - 1; k >= 0; k-- {
			if e := &x.Trace.Events[all[k]]; e.G == g && changes[e.Op] {
				define(all[k]) // its earlier writes are overwritten
				break
			}
		}
		if key := (by{v, g}); x.vars[v].shared && !others[key] {
			others[key] = true
			for _, w := range all {
				if e := &x.Trace.Events[w]; e.G != g && changes[e.Op] {
					define(w)
				}
			}
		}
	}
	return reads, defines
}

// A follow goes through data flow and visits every read once.
type follow struct {
	x      *Execution
	work   []int32 // events that were reached and not looked at
	before []int32 // by goroutine: its reads before this event were reached
}

func (x *Execution) newFollow() *follow {
	if x.flow != nil {
		x.flow.Forget()
	}
	return &follow{x: x, before: make([]int32, len(x.byG))}
}

// from adds to work what event e was computed from: as Execution.from, without what was added.
func (f *follow) from(e int32) {
	if f.x.flow != nil {
		reads, all := f.x.flow.More(int(e))
		if f.work = append(f.work, reads...); !all {
			return
		}
	}
	g := f.x.Trace.Events[e].G
	for i := f.before[g]; i < e; i++ {
		if ev := &f.x.Trace.Events[i]; ev.G == g && gives[ev.Op] {
			f.work = append(f.work, i)
		}
	}
	f.before[g] = max(f.before[g], e)
}

// after reports whether an event comes after the branch in the same goroutine.
func (x *Execution) after(event int32, b *Branch) bool {
	return x.Trace.Events[event].G == b.G && x.place[event] > x.place[b.Event]
}

// RelatedOP returns BranchRelOP of a branch: the operations that may affect its condition, in order
// of the trace. affected reports whether other goroutines have some of them: if not, no
// interleaving changes its outcome.
func (x *Execution) RelatedOP(branch int) (ops []int32, affected bool) {
	reads, defines := x.reached(branch)
	for _, e := range append(reads, defines...) {
		if op := x.op[e]; op >= 0 {
			ops = append(ops, op)
			affected = affected || x.Ops[op].G != x.Branches[branch].G
		}
	}
	slices.Sort(ops)
	return slices.Compact(ops), affected
}
