package observe

import "heddle/trace"

// What a goroutine accesses within a step, for races.

// A window is the memory that a goroutine accessed within a step, for races.
type window []touch

// A touch is an access to memory within a step.
type touch struct {
	cell   int32
	write  bool
	site   trace.Site
	starts int16 // how many goroutines the step had started before
	update bool  // it is the read, or the write, of an update
	atomic bool  // it is that of an atomic operation
	bytes  uint8 // of the cell that it accesses, a bit each
	group  int32 // of an Add and a Wait: the WaitGroup, as item + 1; else 0
}

// allBytes are those of a cell that is accessed as a whole.
const allBytes = 0xff

// races reports whether two accesses, of two goroutines, are a data race if nothing is between
// them.
func (a *touch) races(b *touch) bool {
	return a.cell == b.cell && (a.write || b.write) && a.bytes&b.bytes != 0 && !(a.atomic && b.atomic)
}
