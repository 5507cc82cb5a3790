package cluster

import "sync"

// A Hurry tells whoever has an Item that it is to be given back, when that is known by then or as soon as it is.
type Hurry struct {
	mu  sync.Mutex
	now bool
	to  func()
}

// Now is what Run.Next wants: somebody has nothing to do.
func (h *Hurry) Now() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = true
	if h.to != nil {
		h.to()
	}
}

// To says who has the Item: f is called when it is wanted back.
func (h *Hurry) To(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.to = f
	if h.now {
		f()
	}
}
