// Package buffer passes values from producers to consumers.
package buffer

import "sync"

type Buffer struct {
	mu    sync.Mutex
	some  *sync.Cond
	items []int
}

func New() *Buffer {
	b := &Buffer{}
	b.some = sync.NewCond(&b.mu)
	return b
}

func (b *Buffer) Put(v int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.items = append(b.items, v)
	b.some.Broadcast()
}

// Take waits until there is an item.
func (b *Buffer) Take() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.items) == 0 {
		b.some.Wait()
	}
	v := b.items[0]
	b.items = b.items[1:]
	return v
}
