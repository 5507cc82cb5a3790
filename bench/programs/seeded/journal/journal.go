// Package journal has a journal that is closed in the end.
package journal

import (
	"errors"
	"sync"
	"sync/atomic"
)

// ErrClosed is returned after Close.
var ErrClosed = errors.New("journal: closed")

// Journal takes lines until it is closed. Append looks whether it is closed before it locks.
type Journal struct {
	mu     sync.Mutex
	lines  []string
	closed atomic.Bool
}

// New returns an empty journal.
func New() *Journal { return &Journal{} }

// Append adds a line.
func (j *Journal) Append(line string) (int, error) {
	if j.closed.Load() {
		return 0, ErrClosed
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, line)
	return len(j.lines), nil
}

// Close closes the journal and returns the number of its lines.
func (j *Journal) Close() (int, error) {
	if j.closed.Swap(true) {
		return 0, ErrClosed
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.lines), nil
}

// FixedJournal is the twin.
type FixedJournal struct {
	mu     sync.Mutex
	lines  []string
	closed bool
}

// NewFixed returns an empty journal.
func NewFixed() *FixedJournal { return &FixedJournal{} }

// Append adds a line.
func (j *FixedJournal) Append(line string) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return 0, ErrClosed
	}
	j.lines = append(j.lines, line)
	return len(j.lines), nil
}

// Close closes the journal and returns the number of its lines.
func (j *FixedJournal) Close() (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return 0, ErrClosed
	}
	j.closed = true
	return len(j.lines), nil
}
