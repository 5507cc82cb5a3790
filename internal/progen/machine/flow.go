package machine

import (
	"heddle/internal/progen"
	"heddle/rt/flow"
	"heddle/trace"
)

// Data flow: registers have labels. The value of a statement has the label of the register that it
// uses, and its result gets the label of that value.

// follow executes a statement and keeps the labels of registers.
func (m *Machine) follow(f *frame, s *progen.Stmt) {
	switch s.Op {
	case progen.Go, progen.If, progen.Repeat, progen.Work, progen.Select, progen.Once, progen.After,
		progen.MapGrow:
		m.do(f, s) // nested statements are followed
		return
	}
	g := flow.Running()
	g.Amb, g.Leaf = 0, 0
	if takes(s.Op) && s.Src >= 0 {
		g.Amb = f.from[s.Src]
	}
	m.do(f, s)
	leaf := g.Leaf
	g.Amb = 0
	switch s.Op {
	case progen.Range:
		f.from[s.Reg] = flow.U(f.from[s.Reg], leaf)
	case progen.Read, progen.Load, progen.Add, progen.CAS, progen.TryLock, progen.RWTry, progen.RTry,
		progen.Recv, progen.Len, progen.Stop, progen.Reset, progen.Draw:
		f.from[s.Reg] = leaf
	}
}

// takes reports whether a statement uses the register Src.
func takes(op progen.Op) bool { return op == progen.Write || op == progen.Store || op == progen.Send }

// branch makes the event of an if whose condition depends on what was read.
func (m *Machine) branch(f *frame, s *progen.Stmt) {
	if l := f.from[s.Reg]; m.Flow && l != 0 {
		flow.Branched(int64(bit(f.regs[s.Reg] == s.Val)), l, site(s.ID))
	}
}

// chosen makes the event of a select that took case i, and returns the label of the received
// value.
func (m *Machine) chosen(i int, s *progen.Stmt, c *flow.Call) (l trace.Label) {
	if m.Exprs {
		return flow.Back(c, true)
	}
	if !m.Flow {
		return 0
	}
	g := flow.Running()
	l = g.Leaf
	g.Amb = 0
	if l != 0 {
		flow.Branched(int64(i+1), l, site(s.ID))
	}
	return l
}
