// Package plugins calls plugins that may panic.
package plugins

import "sync"

type Host struct {
	mu     sync.Mutex
	calls  int
	failed []any
}

// Call calls a plugin with the host locked.
func (h *Host) Call(plugin func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	defer func() {
		if r := recover(); r != nil {
			h.failed = append(h.failed, r)
		}
	}()
	h.calls++
	plugin()
}

func (h *Host) Calls() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.calls
}
