package flow

import (
	"unsafe"

	"heddle/trace"
)

// A Label says what a value was computed from, see trace.Flow.
type Label = trace.Label

// The data flow of the running execution, as far as it has come. rt/sched
// appends to F.Of; everything else is this package's.
var F trace.Flow

// MaxBytes bounds the memory that one execution takes for nodes and shadow;
// beyond, labels are trace.Everything.
var MaxBytes int64 = 256 << 20

// maxExprs is how many expressions one execution makes: those of a loop that takes longer than them
// are too many to be solved.
const maxExprs = 1 << 20

const (
	maxNodes = 1 << 30 // labels are 32 bits
	nodeSize = int64(unsafe.Sizeof(trace.FlowNode{}))
)

// full reports whether n bytes more would be too many, and notes that they are missing. Expressions
// end with that: all that follows would ask again, a hundred times as slow as without.
func full(n int64) bool {
	most := maxNodes
	if Exprs {
		most = maxExprs
	}
	if int64(len(F.Nodes))*nodeSize+memory.bytes+n <= MaxBytes && len(F.Nodes) < most {
		return false
	}
	F.Full = true
	if Exprs {
		On = false
	}
	return true
}

// made remembers unions, so that what a loop computes again is no new node.
var made [4096]struct {
	a, b, l Label
}

// leaf is the last one made.
var leaf struct {
	event int32
	l     Label
}

// Reset forgets the labels of an execution.
func Reset() {
	if cap(F.Nodes) == 0 {
		F.Nodes = make([]trace.FlowNode, 0, 1024)
	}
	F.Nodes, F.Of = F.Nodes[:1], F.Of[:0]
	F.Foreign, F.Full, F.Timed = 0, false, false
	clear(made[:])
	leaf.event, leaf.l = -1, 0
	memory.reset()
	args, results = call{}, call{}
	resetExprs()
}

// Leaf returns the label of the value that an event gave.
func Leaf(event int32) Label {
	if leaf.event == event {
		return leaf.l
	}
	leaf.event, leaf.l = event, node(trace.FlowRead, uint32(event), 0)
	return leaf.l
}

// node appends a node of a set.
func node(op trace.FlowOp, a, b uint32) Label {
	if full(nodeSize) {
		return trace.Everything
	}
	F.Nodes = append(F.Nodes, trace.FlowNode{Op: op, A: a, B: b})
	return Label(len(F.Nodes) - 1)
}

// U returns the label of what is computed from values with labels a and b.
func U(a, b Label) Label {
	if a == b || b == 0 {
		return a
	}
	if a == 0 {
		return b
	}
	return union(a, b)
}

// union is U of two different labels that are not 0.
func union(a, b Label) Label {
	if Exprs {
		return lost() // computed in a way that is not followed
	}
	if a == trace.Everything || b == trace.Everything {
		return trace.Everything
	}
	if a < b {
		a, b = b, a
	}
	if covers(a, b) {
		return a
	}
	m := &made[(uint32(a)*0x9e3779b1^uint32(b)*0x85ebca6b)>>20]
	if m.a != a || m.b != b {
		m.a, m.b, m.l = a, b, node(trace.FlowUnion, uint32(a), uint32(b))
	}
	return m.l
}

// covers reports whether a was made from b and others, looking at the last few
// unions: x = f(x, y) again and again gives the same label.
func covers(a, b Label) bool {
	for range 8 {
		n := &F.Nodes[a]
		if n.Op != trace.FlowUnion {
			return false
		}
		if Label(n.A) == b || Label(n.B) == b {
			return true
		}
		a = Label(n.A)
		if a < b {
			return false // operands are older than what is made of them
		}
	}
	return false
}
