// Package config holds the settings of a shop.
package config

import "sync"

// A Settings is read from a file when it is first needed.
type Settings struct {
	Currency string
	Limit    int
}

var (
	mu       sync.Mutex
	settings *Settings
)

// Get returns the settings.
func Get() *Settings {
	if settings == nil { // not under the lock
		mu.Lock()
		defer mu.Unlock()
		if settings == nil {
			settings = &Settings{}
			settings.Currency = "EUR"
			settings.Limit = 100
		}
	}
	return settings
}
