package observe

import (
	"encoding/binary"

	"heddle/trace"
)

// Tails: local states from which a goroutine observes nothing any more.

// tie finds the tails of the nodes from index from on. In a tail a goroutine observes nothing and
// leaves nothing that others can observe, but that it was there: locks, a WaitGroup, its end.
func (p *program) tie(from int32) {
	for i := p.known - 1; i >= from; i-- {
		n := p.node(i)
		next := int32(0)
		switch {
		case !n.known || n.tail != 0:
			continue
		case n.op.class == ended || n.op.class == stuck:
		case len(n.edges) != 1 || !n.op.certain():
			continue
		default:
			e := &n.edges[0]
			if next = p.node(e.to).tail; next == 0 ||
				len(e.reads)+len(e.writes)+len(e.updates)+len(e.starts) > 0 {
				continue
			}
		}
		b := binary.AppendUvarint(p.text[:0], uint64(n.proc))
		b = binary.AppendUvarint(b, uint64(next))
		b = append(b, byte(n.op.class), byte(n.op.op))
		b = binary.AppendVarint(b, int64(n.op.obj))
		b = binary.AppendVarint(b, int64(n.op.arg))
		b = binary.AppendUvarint(b, uint64(n.op.site))
		for i := range n.window {
			b = n.window[i].appendTo(b)
		}
		p.text = b
		k, ok := p.tails[string(b)]
		if !ok {
			k = int32(len(p.tails)) + 1
			p.tails[string(b)] = k
		}
		n.tail = k
	}
}

// certain reports whether an operation has one outcome, if it is enabled.
func (op *pending) certain() bool {
	switch op.op {
	case trace.OpStart, trace.OpResume, trace.OpGosched, trace.OpLock, trace.OpRLock, trace.OpWGWait:
		return op.class == free || op.class == ruled
	case trace.OpUnlock, trace.OpRUnlock, trace.OpWGAdd: // another outcome ends the goroutine
		return op.class == ruled
	}
	return false
}
