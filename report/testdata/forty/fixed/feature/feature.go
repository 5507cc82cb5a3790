// Package feature loads switches once.
package feature

import "sync"

var (
	once sync.Once
	on   map[string]bool
)

// On reports whether a feature is on.
func On(name string) bool {
	once.Do(func() { on = map[string]bool{"dark": true} })
	return on[name]
}
