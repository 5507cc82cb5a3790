package explore

import (
	"heddle/explore/transition"
	"heddle/trace"
)

// A Handover keeps the executions of a Yielding strategy for the strategy that takes over.
type Handover struct {
	made []*trace.Trace
	size int // in bytes, about
}

// mostHanded bounds the memory, in bytes, of the executions that are kept.
const mostHanded = 8 << 20

// Keep keeps an execution. Those beyond the bound on memory are not kept: they are repeated if they
// are needed.
func (h *Handover) Keep(t *trace.Trace) {
	if h.size > mostHanded {
		return
	}
	h.made = append(h.made, transition.Copy(t))
	h.size += transition.Size(t)
}

// Kept returns the executions that are kept. They are not changed.
func (h *Handover) Kept() []*trace.Trace { return h.made }

// Forget drops what was kept.
func (h *Handover) Forget() { *h = Handover{} }

// Len returns the number of executions that are kept.
func (h *Handover) Len() int { return len(h.made) }

// Try returns the strategy that covers every program, with the executions as its own; nil if the
// binary has none. The executions are kept.
func (h *Handover) Try(s Start) Strategy {
	heir := Cover()
	if heir == nil {
		return nil
	}
	other := heir.New(s)
	made := make([]*trace.Trace, len(h.made))
	for i, t := range h.made {
		plain := *t
		plain.Twins = nil // they may be in an order that the heir does not expect of such goroutines
		made[i] = &plain
	}
	other.(Heir).Made(made)
	return other
}

// Over returns the strategy that covers every program, with the executions as its own, and forgets
// them; nil if the binary has none.
func (h *Handover) Over(s Start) Strategy {
	other := h.Try(s)
	if other != nil {
		h.Forget()
	}
	return other
}
