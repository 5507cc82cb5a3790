// Package lease has a resource that is open as long as it is leased.
package lease

import (
	"errors"
	"sync/atomic"
)

// ErrClosed is returned when the resource was closed.
var ErrClosed = errors.New("lease: closed")

// Resource counts its leases. The last Release closes it. Acquire looks before it counts.
type Resource struct {
	leases atomic.Int32
	closes atomic.Int32
}

// New returns a resource that its maker leases.
func New() *Resource {
	r := &Resource{}
	r.leases.Store(1)
	return r
}

// Acquire leases the resource.
func (r *Resource) Acquire() error {
	if r.leases.Load() <= 0 {
		return ErrClosed
	}
	r.leases.Add(1)
	return nil
}

// Release ends a lease.
func (r *Resource) Release() error {
	n := r.leases.Add(-1)
	if n < 0 {
		r.leases.Add(1)
		return ErrClosed
	}
	if n == 0 {
		r.closes.Add(1)
	}
	return nil
}

// Closes returns how often the resource was closed: at most once.
func (r *Resource) Closes() int { return int(r.closes.Load()) }

// FixedResource is the twin.
type FixedResource struct {
	leases atomic.Int32
	closes atomic.Int32
}

// NewFixedResource returns a resource that its maker leases.
func NewFixedResource() *FixedResource {
	r := &FixedResource{}
	r.leases.Store(1)
	return r
}

func (r *FixedResource) add(d int32) (int32, error) {
	for {
		n := r.leases.Load()
		if n <= 0 {
			return 0, ErrClosed
		}
		if n+d == 0 {
			// closed before a goroutine can see that no lease is left
			if r.leases.CompareAndSwap(n, -1) {
				r.closes.Store(1)
				return 0, nil
			}
		} else if r.leases.CompareAndSwap(n, n+d) {
			return n + d, nil
		}
	}
}

// Acquire leases the resource.
func (r *FixedResource) Acquire() error { _, err := r.add(1); return err }

// Release ends a lease.
func (r *FixedResource) Release() error { _, err := r.add(-1); return err }

// Closed reports whether the last lease has ended.
func (r *FixedResource) Closed() bool { return r.leases.Load() <= 0 }
