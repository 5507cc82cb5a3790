// Package pool has a pool of buffers.
package pool

import "sync"

// A Buffer is lent by a pool.
type Buffer struct{ Bytes [4]byte }

// Pool lends buffers. Get looks for a free one in one critical section and removes it in another.
type Pool struct {
	mu   sync.Mutex
	free []*Buffer
}

// NewPool returns a pool of one buffer.
func NewPool() *Pool { return &Pool{free: []*Buffer{{}}} }

// Get lends a buffer.
func (p *Pool) Get() *Buffer {
	p.mu.Lock()
	if len(p.free) == 0 {
		p.mu.Unlock()
		return &Buffer{}
	}
	b := p.free[len(p.free)-1]
	p.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.free); n > 0 {
		p.free = p.free[:n-1]
	}
	return b
}

// Put takes a buffer back.
func (p *Pool) Put(b *Buffer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, b)
}

// FixedPool is the twin.
type FixedPool struct {
	mu   sync.Mutex
	free []*Buffer
}

// NewFixedPool returns a pool of one buffer.
func NewFixedPool() *FixedPool { return &FixedPool{free: []*Buffer{{}}} }

// Get lends a buffer.
func (p *FixedPool) Get() *Buffer {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.free)
	if n == 0 {
		return &Buffer{}
	}
	b := p.free[n-1]
	p.free = p.free[:n-1]
	return b
}

// Put takes a buffer back.
func (p *FixedPool) Put(b *Buffer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, b)
}
