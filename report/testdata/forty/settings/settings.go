// Package settings reads its file when it is first needed.
package settings

import "sync"

type Settings struct {
	Colour string
	Lines  int
}

var (
	mu      sync.Mutex
	current *Settings
)

// Get returns the settings, and reads them at its first call.
func Get() *Settings {
	if current == nil {
		mu.Lock()
		defer mu.Unlock()
		if current == nil {
			s := &Settings{}
			s.Colour = "green"
			s.Lines = 40
			current = s
		}
	}
	return current
}
