// Package window has sums over the last numbers.
package window

import "sync"

// Number is what can be summed.
type Number interface{ ~int32 | ~uint8 | ~float64 }

// Window keeps the last numbers and their sum. Add changes the two in two critical sections.
type Window[N Number] struct {
	mu   sync.RWMutex
	last []N
	size int
	sum  N
}

// NewWindow returns a window over size numbers.
func NewWindow[N Number](size uint) *Window[N] { return &Window[N]{size: int(size)} }

// Add adds a number; the oldest goes if there are too many.
func (w *Window[N]) Add(n N) {
	w.mu.Lock()
	var gone N
	w.last = append(w.last, n)
	if len(w.last) > w.size {
		gone = w.last[0]
		w.last = w.last[1:]
	}
	sum := w.sum
	w.mu.Unlock()
	w.mu.Lock()
	w.sum = sum + n - gone
	w.mu.Unlock()
}

// Sum returns the sum of the numbers.
func (w *Window[N]) Sum() N {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.sum
}

// FixedWindow is the twin.
type FixedWindow[N Number] struct {
	mu   sync.RWMutex
	last []N
	size int
}

// NewFixedWindow returns a window over size numbers.
func NewFixedWindow[N Number](size uint) *FixedWindow[N] { return &FixedWindow[N]{size: int(size)} }

// Add adds a number; the oldest goes if there are too many.
func (w *FixedWindow[N]) Add(n N) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.last = append(w.last, n); len(w.last) > w.size {
		w.last = w.last[1:]
	}
}

// Sum returns the sum of the numbers.
func (w *FixedWindow[N]) Sum() (sum N) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	for _, n := range w.last {
		sum += n
	}
	return sum
}
