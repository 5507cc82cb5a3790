package trace

// An Update is a change to an integer that looks at nothing: x++, or an atomic Add whose result is
// not used. Updates of one kind commute.
type Update struct {
	Kind UpdateKind
	By   uint64 // the operand; see Plain.Update for reads
}

// An UpdateKind is an operator.
type UpdateKind uint8

const (
	NoUpdate  UpdateKind = iota
	UpdateAdd            // x += by; x -= y adds -y
	UpdateOr             // x |= by
	UpdateAnd            // x &= by; x &^= y has ^y
	UpdateXor            // x ^= by
)

// Of returns what an update by by makes of v, an integer of size bytes. Two updates of one kind
// are one, by what the first makes of the second.
func (k UpdateKind) Of(v, by uint64, size uint32) uint64 {
	switch k {
	case UpdateAdd:
		v += by
	case UpdateOr:
		v |= by
	case UpdateAnd:
		v &= by
	case UpdateXor:
		v ^= by
	}
	if size < 8 {
		v &= 1<<(8*size) - 1
	}
	return v
}

// An Updated is an update by an atomic.
type Updated struct {
	Event int32 // index of its event, an OpAtomicRMW
	Size  uint32
	Update
}
