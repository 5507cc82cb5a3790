// Package mailbox keeps one message until it is fetched.
package mailbox

import "sync"

type Box struct {
	mu      sync.Mutex
	arrived *sync.Cond
	message string
}

func New() *Box {
	b := &Box{}
	b.arrived = sync.NewCond(&b.mu)
	return b
}

func (b *Box) Put(message string) {
	b.mu.Lock()
	b.message = message
	b.mu.Unlock()
	b.arrived.Signal()
}

// Fetch waits for the message.
func (b *Box) Fetch() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.message == "" {
		b.arrived.Wait()
	}
	return b.message
}
