package machine

import (
	"heddle/internal/progen"
	"heddle/rt/flow"
	"heddle/rt/hook"
	"heddle/trace"
)

// Expressions over inputs: the labels of registers say how they were computed from inputs.

// express executes a statement as code rewritten for expressions would.
func (m *Machine) express(f *frame, s *progen.Stmt) {
	var c flow.Call
	switch s.Op {
	case progen.Take:
		var x, y flow.Val
		flow.Num(m.Inputs[s.Obj], flow.Input(s.Obj, trace.Int, uint64(m.Inputs[s.Obj])), trace.Int, &x)
		flow.Num(f.value(s), f.label(s), trace.Int, &y)
		m.do(f, s)
		f.from[s.Reg] = flow.Two(trace.FlowAdd, trace.Int, &x, &y)
	case progen.If:
		var x flow.Val
		flow.Num(f.regs[s.Reg], f.from[s.Reg], trace.Int, &x)
		flow.B(f.regs[s.Reg] == s.Val, flow.Two1(trace.FlowEq, trace.Bool, &x, uint64(s.Val), trace.Int),
			site(s.ID))
		m.do(f, s)
	case progen.Read:
		var to flow.Slot
		f.regs[s.Reg] = *flow.R(&m.vars[s.Obj], site(s.ID), 0, &to)
		f.from[s.Reg] = to.Get()
	case progen.Write:
		flow.P(&m.vars[s.Obj], site(s.ID), 0).Set(f.value(s), f.label(s))
	case progen.Send:
		flow.Out(0, f.label(s), &c)
		m.do(f, s)
		flow.Back(&c, true)
	case progen.Recv:
		flow.Out(0, 0, &c)
		m.do(f, s)
		f.from[s.Reg] = flow.Back(&c, true)
	case progen.Load:
		m.atomically(f, s, flow.AtomicLoad, 0, 0)
	case progen.Store:
		m.atomically(f, s, flow.AtomicStore, f.label(s), 0)
	case progen.Add:
		m.atomically(f, s, flow.AtomicAdd, 0, 0)
	case progen.CAS:
		m.atomically(f, s, flow.AtomicCAS, 0, 0)
	case progen.SpinLoad, progen.SpinCAS, progen.Fetch, progen.Reread:
		m.polls(f, s)
	case progen.Range:
		for {
			flow.Out(0, 0, &c)
			v, ok := hook.Recv2(m.chans[s.Obj], site(s.ID))
			l := flow.Back(&c, true)
			if !ok {
				break
			}
			var x, y flow.Val
			flow.Num(f.regs[s.Reg], f.from[s.Reg], trace.Int, &x)
			flow.Num(v, l, trace.Int, &y)
			f.regs[s.Reg] += v
			f.from[s.Reg] = flow.Two(trace.FlowAdd, trace.Int, &x, &y)
		}
	case progen.Len, progen.Stop, progen.Reset, progen.TryLock:
		m.do(f, s)
		f.from[s.Reg] = 0
	default:
		m.do(f, s)
	}
}

// polls is doAtomic for loops that poll.
func (m *Machine) polls(f *frame, s *progen.Stmt) {
	p := &m.atomics[s.Obj]
	load := func() (v int, l trace.Label) {
		var c flow.Call
		flow.OutAtomic(0, &c, flow.AtomicLoad, trace.Int, 0, 0)
		v = m.load(p, s.ID)
		return v, flow.Back(&c, true)
	}
	cas := func(from int, l trace.Label, to int) bool {
		var c flow.Call
		flow.OutAtomic(0, &c, flow.AtomicCAS, trace.Int, l, 0)
		ok := m.cas(p, from, to, s.ID)
		return flow.B(ok, flow.Back(&c, true), site(s.ID))
	}
	equal := func(v int, l trace.Label, w int, k trace.Label) bool {
		var x, y flow.Val
		flow.Num(v, l, trace.Int, &x)
		flow.Num(w, k, trace.Int, &y)
		return flow.B(v == w, flow.Two(trace.FlowEq, trace.Bool, &x, &y), site(s.ID))
	}
	switch s.Op {
	case progen.SpinLoad:
		m.spin(f, s, func() bool {
			v, l := load()
			return equal(v, l, s.Val, 0)
		})
	case progen.SpinCAS:
		m.spin(f, s, func() bool { return cas(s.Val, 0, s.Val2) })
	case progen.Fetch:
		m.spin(f, s, func() bool {
			v, l := load()
			if equal(v, l, 0, 0) || !cas(v, l, 0) {
				return false
			}
			f.regs[s.Reg], f.from[s.Reg] = v, l
			return true
		})
	case progen.Reread:
		m.spin(f, &progen.Stmt{Op: s.Op, ID: s.ID, Obj: s.Obj}, func() bool {
			v, l := load()
			m.block(f, s.Body)
			w, k := load()
			if !equal(w, k, v, l) {
				return false
			}
			f.regs[s.Reg], f.from[s.Reg] = v, l
			return true
		})
	}
}

// atomically performs an operation on an atomic whose operands have the labels a and b.
func (m *Machine) atomically(f *frame, s *progen.Stmt, op flow.AtomicOp, a, b trace.Label) {
	var c flow.Call
	flow.OutAtomic(0, &c, op, trace.Int, a, b)
	m.do(f, s)
	if l := flow.Back(&c, true); s.Op != progen.Store {
		f.from[s.Reg] = l
	}
}

// label returns the label of value.
func (f *frame) label(s *progen.Stmt) trace.Label {
	if s.Src < 0 {
		return 0
	}
	var v flow.Val
	flow.Num(f.regs[s.Src], f.from[s.Src], trace.Int, &v)
	return flow.Two1(trace.FlowAdd, trace.Int, &v, uint64(s.Val), trace.Int)
}

// Unknown replaces in local states a value that depends on inputs.
const Unknown = -1 << 40

// known returns the registers for Local.
func (f *frame) known() [progen.Registers]int {
	regs := f.regs
	for i, l := range f.from {
		if l != 0 && flow.Exprs {
			regs[i] = Unknown
		}
	}
	return regs
}
