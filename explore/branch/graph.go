package branch

import (
	"encoding/binary"

	"heddle/trace"
)

// A Variant is an execution that was not made: operations as in the trace, then one that sees
// another version than in the trace. (The paper calls it an execution-variant, reachability testing
// a race variant.)
type Variant struct {
	Cut     []int32 // by goroutine: number of ops before the changed one
	Changed int32   // the op
	Order   []int32 // the ops before it, in a possible order
}

// A Graph is the variant graph of an execution (Algorithm 1 with section IV.C). A node is a set of
// ops, by index, with the versions, locks and wait flags after them; paths to the same node are
// merged.
type Graph struct {
	Nodes      int // number of feasible nodes, without variants
	Variants   []Variant
	Infeasible []Infeasible
}

// An Infeasible node cannot be reached: after Cut, Op would take a lock that is held, or its
// goroutine waits.
type Infeasible struct {
	Cut []int32
	Op  int32
}

// A move has the ops of one step: of one goroutine, or of both sides of a communication.
type move struct {
	ops []int32
	gs  []trace.GID
}

// moves returns the moves of x in order, and by goroutine.
func (x *Execution) moves() (all []move, byG [][]int32) {
	byG = make([][]int32, len(x.byG))
	at := map[int32]int32{} // by step
	for i := range x.Ops {
		o := &x.Ops[i]
		m, ok := at[o.Step]
		if !ok || o.Step < 0 {
			m = int32(len(all))
			all = append(all, move{})
			at[o.Step] = m
		}
		mv := &all[m]
		mv.ops = append(mv.ops, int32(i))
		if n := len(byG[o.G]); n == 0 || byG[o.G][n-1] != m {
			byG[o.G] = append(byG[o.G], m)
			mv.gs = append(mv.gs, o.G)
		}
	}
	return all, byG
}

// Drawable reports whether the graph has all ways in which the execution can synchronise. In the
// graph the partners over a channel, and the values received, are those of the trace: with several
// senders or receivers there may be others.
func (x *Execution) Drawable() bool {
	for i := range x.Ops {
		switch e := x.event(i); e.Op {
		case trace.OpRead, trace.OpWrite, trace.OpAtomicLoad, trace.OpAtomicStore, trace.OpAtomicRMW,
			trace.OpLock, trace.OpUnlock, trace.OpRLock, trace.OpRUnlock, trace.OpArrive, trace.OpCondWait,
			trace.OpCondWake, trace.OpSignal, trace.OpBroadcast,
			trace.OpGo, trace.OpStart, trace.OpWGAdd, trace.OpWGWait:
		default:
			return false
		}
	}
	return true
}

// Draw draws the variant graph. ok is false if it has more than limit nodes.
func Draw(x *Execution, limit int) (g *Graph, ok bool) {
	d := &drawing{x: x, m: newRules(x), g: &Graph{}, limit: limit, marked: map[string]bool{}}
	d.moves, d.byG = x.moves()
	d.cut = make([]int32, len(x.byG))
	d.done = make([]int32, len(x.byG))
	d.expand(d.m.initial())
	return d.g, d.g.Nodes <= limit
}

type drawing struct {
	x      *Execution
	m      *rules
	g      *Graph
	limit  int
	moves  []move
	byG    [][]int32
	marked map[string]bool

	// the path to the present node
	cut  []int32 // by goroutine: ops done
	done []int32 // by goroutine: moves done
	path []int32
}

// expand makes the children of the present node, whose state is s, in order of the goroutines.
func (d *drawing) expand(s *state) {
	if d.g.Nodes++; d.g.Nodes > d.limit {
		return
	}
	for g := range d.byG {
		if int(d.done[g]) == len(d.byG[g]) {
			continue
		}
		mv := &d.moves[d.byG[g][d.done[g]]]
		if mv.gs[0] != trace.GID(g) || !d.meet(mv) {
			continue // a communication is a move of the sender
		}
		d.child(s, mv)
	}
}

// meet reports whether a move is the next one of all its goroutines.
func (d *drawing) meet(mv *move) bool {
	for _, g := range mv.gs {
		if n := d.done[g]; int(n) == len(d.byG[g]) || &d.moves[d.byG[g][n]] != mv {
			return false
		}
	}
	return true
}

// child makes the node after a move, and its descendants.
func (d *drawing) child(s *state, mv *move) {
	next, n := s.clone(), len(d.path)
	undo := func() {
		for _, op := range d.path[n:] {
			d.cut[d.x.Ops[op].G]--
		}
		d.path = d.path[:n]
	}
	for _, op := range mv.ops {
		feasible, changed := d.m.can(next, op)
		if !feasible || changed {
			undo() // none of the move's ops is performed
			cut := append([]int32(nil), d.cut...)
			if !feasible {
				d.g.Infeasible = append(d.g.Infeasible, Infeasible{cut, op})
			} else {
				d.g.Variants = append(d.g.Variants, Variant{Cut: cut, Changed: op,
					Order: append([]int32(nil), d.path...)})
			}
			return
		}
		d.m.do(next, op)
		d.cut[d.x.Ops[op].G]++
		d.path = append(d.path, op)
	}
	for _, g := range mv.gs {
		d.done[g]++
	}
	if key := d.key(next); !d.marked[key] {
		d.marked[key] = true
		d.expand(next)
	}
	for _, g := range mv.gs {
		d.done[g]--
	}
	undo()
}

// key identifies a node. Versions and locks follow from the index; the queues of waiters do not.
func (d *drawing) key(s *state) string {
	var b []byte
	for _, n := range d.cut {
		b = binary.AppendUvarint(b, uint64(n))
	}
	for _, f := range d.m.flags {
		b = append(b, byte(s.cells[f]))
	}
	for _, w := range s.queue {
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(w.cond)), uint64(w.flag))
	}
	return string(b)
}
