// Package atomicact lets a limited number of guests in.
package atomicact

import "sync/atomic"

// A Door counts the guests inside.
type Door struct {
	limit  int32
	inside atomic.Int32
}

// New returns a door that lets limit guests in.
func New(limit int) *Door {
	return &Door{limit: int32(limit)}
}

// Enter lets one more guest in if there is room, and reports whether there was.
func (d *Door) Enter() bool {
	if d.inside.Load() >= d.limit {
		return false
	}
	d.inside.Add(1)
	return true
}

// Leave lets a guest out.
func (d *Door) Leave() {
	d.inside.Add(-1)
}

// Inside returns how many guests are inside.
func (d *Door) Inside() int {
	return int(d.inside.Load())
}
