// Package rwrecursive is a telephone directory that is read often and changed seldom.
package rwrecursive

import "sync"

// A Directory maps names to numbers, and further names to names.
type Directory struct {
	mu      sync.RWMutex
	numbers map[string]string
	aliases map[string]string
}

// New returns an empty directory.
func New() *Directory {
	return &Directory{numbers: map[string]string{}, aliases: map[string]string{}}
}

// Set gives name a number.
func (d *Directory) Set(name, number string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.numbers[name] = number
}

// Alias makes name another name of target.
func (d *Directory) Alias(name, target string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.aliases[name] = target
}

// Lookup returns the number of name, or of the name it stands for.
func (d *Directory) Lookup(name string) string {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if target, ok := d.aliases[name]; ok {
		return d.Lookup(target)
	}
	return d.numbers[name]
}
