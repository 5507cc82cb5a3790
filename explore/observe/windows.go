package observe

import (
	"encoding/binary"

	"heddle/trace"
)

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

// appendTo appends all of the touch to b.
func (a *touch) appendTo(b []byte) []byte {
	b = binary.AppendVarint(b, int64(a.cell))
	b = binary.AppendUvarint(b, uint64(a.site))
	b = binary.AppendVarint(b, int64(a.starts))
	b = binary.AppendVarint(b, int64(a.group))
	flags := byte(0)
	for i, is := range [...]bool{a.write, a.update, a.atomic} {
		if is {
			flags |= 1 << i
		}
	}
	return append(b, flags, a.bytes)
}

// allBytes are those of a cell that is accessed as a whole.
const allBytes = 0xff

// races reports whether two accesses, of two goroutines, are a data race if nothing is between
// them.
func (a *touch) races(b *touch) bool {
	return a.cell == b.cell && (a.write || b.write) && a.bytes&b.bytes != 0 && !(a.atomic && b.atomic)
}
