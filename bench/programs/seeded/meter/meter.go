// Package meter has a meter that is read and reset.
package meter

import "sync/atomic"

// Meter counts. Flush loads and stores, and loses what is marked in between.
type Meter struct{ n atomic.Uint32 }

// Mark counts n events.
func (m *Meter) Mark(n uint16) { m.n.Add(uint32(n)) }

// Flush returns the count and resets it.
func (m *Meter) Flush() uint32 {
	n := m.n.Load()
	m.n.Store(0)
	return n
}

// FixedMeter is the twin.
type FixedMeter struct{ n atomic.Uint32 }

// Mark counts n events.
func (m *FixedMeter) Mark(n uint16) { m.n.Add(uint32(n)) }

// Flush returns the count and resets it.
func (m *FixedMeter) Flush() uint32 { return m.n.Swap(0) }
