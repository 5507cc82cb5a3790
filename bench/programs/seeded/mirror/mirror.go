// Package mirror has a register with two copies. Its readers take turns with the copies, so that a
// later reader can see an older value: sequentially consistent, and not linearizable.
package mirror

import (
	"sync"
	"sync/atomic"
)

// Register holds a number twice.
type Register struct {
	write  sync.Mutex
	copies [2]atomic.Int64
	turn   atomic.Uint32
}

// Store sets the number.
func (r *Register) Store(v int64) {
	r.write.Lock()
	defer r.write.Unlock()
	r.copies[0].Store(v)
	r.copies[1].Store(v)
}

// Load returns the number.
func (r *Register) Load() int64 { return r.copies[r.turn.Add(1)%2].Load() }

// FixedRegister is the twin.
type FixedRegister struct {
	write  sync.RWMutex
	copies [2]int64
	turn   atomic.Uint32
}

// Store sets the number.
func (r *FixedRegister) Store(v int64) {
	r.write.Lock()
	defer r.write.Unlock()
	r.copies[0], r.copies[1] = v, v
}

// Load returns the number.
func (r *FixedRegister) Load() int64 {
	r.write.RLock()
	defer r.write.RUnlock()
	return r.copies[r.turn.Add(1)%2]
}
