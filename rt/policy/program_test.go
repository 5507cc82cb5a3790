package policy

import "heddle/trace"

// A program is what the tests run policies on: for each goroutine its
// operations one after the other. Locks block; everything else is free to go.
type program [][]op

type op struct {
	op  trace.Op
	obj trace.ObjID
}

var local = op{trace.OpWrite, 0} // concerns no other goroutine

func write(x trace.ObjID) op  { return op{trace.OpWrite, x} }
func read(x trace.ObjID) op   { return op{trace.OpRead, x} }
func lock(x trace.ObjID) op   { return op{trace.OpLock, x} }
func unlock(x trace.ObjID) op { return op{trace.OpUnlock, x} }

func times(n int, o op) []op {
	ops := make([]op, n)
	for i := range ops {
		ops[i] = o
	}
	return ops
}

func (p program) steps() (n int) {
	for _, g := range p {
		n += len(g)
	}
	return n
}

// A run is one execution: at[g][i] is the step at which g did its i-th operation, or never.
type run struct {
	at    [][]int
	order []trace.GID
}

const never = 1 << 30

func (r run) before(g, i, h, j int) bool { return r.at[g][i] < r.at[h][j] }

// execute runs the program under the policy.
func (p program) execute(pol Policy, seed uint64) run {
	pol.Begin(seed)
	r := run{at: make([][]int, len(p))}
	pend := make([]trace.Pending, len(p))
	pc := make([]int, len(p))
	held := map[trace.ObjID]bool{}
	seq := uint32(0)
	announce := func(g int) {
		if pc[g] < len(p[g]) {
			seq++
			pend[g] = trace.Pending{Op: p[g][pc[g]].op, Obj: p[g][pc[g]].obj, Seq: seq}
		}
	}
	for g := range p {
		for range p[g] {
			r.at[g] = append(r.at[g], never)
		}
		announce(g)
	}
	cur := trace.NoG
	for {
		ready := new(Ready)
		for g := range p {
			if pc[g] < len(p[g]) && !(pend[g].Op == trace.OpLock && held[pend[g].Obj]) {
				ready.Insert(trace.GID(g))
			}
		}
		if ready.Len() == 0 {
			return r
		}
		cur = pol.Choose(cur, ready, pend)
		if !ready.Has(cur) {
			panic("chose one that is not ready")
		}
		switch pend[cur].Op {
		case trace.OpLock:
			held[pend[cur].Obj] = true
		case trace.OpUnlock:
			delete(held, pend[cur].Obj)
		}
		r.at[cur][pc[cur]] = len(r.order)
		r.order = append(r.order, cur)
		pc[cur]++
		announce(int(cur))
	}
}

// odds returns how often of n executions the bug shows.
func (p program) odds(pol Policy, n int, bug func(run) bool) float64 {
	hits := 0
	for seed := range n {
		if bug(p.execute(pol, uint64(seed))) {
			hits++
		}
	}
	return float64(hits) / float64(n)
}
