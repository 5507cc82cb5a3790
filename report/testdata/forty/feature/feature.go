// Package feature loads switches once.
package feature

import "sync"

var (
	mu     sync.Mutex
	loaded bool
	on     map[string]bool
)

// On reports whether a feature is on.
func On(name string) bool {
	if !loaded {
		mu.Lock()
		if !loaded {
			on = map[string]bool{"dark": true}
			loaded = true
		}
		mu.Unlock()
	}
	return on[name]
}
