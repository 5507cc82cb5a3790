// Package sendclosed hands messages to a reader until the feed is closed.
package sendclosed

import "sync"

// A Feed keeps messages until they are read.
type Feed struct {
	messages chan string

	mu     sync.RWMutex // held for reading while sending, for writing while closing
	closed bool
}

// New returns a feed with room for n messages.
func New(n int) *Feed {
	return &Feed{messages: make(chan string, n)}
}

// Publish adds a message. It reports false when the feed is closed.
func (f *Feed) Publish(message string) bool {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if f.closed {
		return false
	}
	f.messages <- message
	return true
}

// Close ends the feed. What was published before can still be read.
func (f *Feed) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.closed {
		f.closed = true
		close(f.messages)
	}
}

// Messages is where to read from.
func (f *Feed) Messages() <-chan string {
	return f.messages
}
