package cluster

import "sync"

// A Hurry tells the worker that has an Item when the Item is wanted back, also if it was wanted
// before To was called.
type Hurry struct {
	mu  sync.Mutex
	now bool
	to  func()
}

// Now says that the Item is wanted back: another worker is idle. It is the hurry of Run.Next.
func (h *Hurry) Now() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = true
	if h.to != nil {
		h.to()
	}
}

// To sets the function to call when the Item is wanted back.
func (h *Hurry) To(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.to = f
	if h.now {
		f()
	}
}
