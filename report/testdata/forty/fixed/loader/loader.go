// Package loader loads a dictionary in the background.
package loader

import "sync/atomic"

type Dictionary struct {
	ready atomic.Bool
	words map[string]string
}

// Load fills the dictionary.
func (d *Dictionary) Load() {
	d.words = map[string]string{"hund": "dog"}
	d.ready.Store(true)
}

// Translate returns "" until the dictionary is ready.
func (d *Dictionary) Translate(word string) string {
	if !d.ready.Load() {
		return ""
	}
	return d.words[word]
}
