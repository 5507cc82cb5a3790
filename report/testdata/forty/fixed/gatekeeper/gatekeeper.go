// Package gatekeeper limits how many requests run at once.
package gatekeeper

import "errors"

// A Gate lets some requests in.
type Gate struct{ slots chan struct{} }

// New returns a gate for n requests at once.
func New(n int) *Gate { return &Gate{make(chan struct{}, n)} }

// Do runs f in one of the slots.
func (g *Gate) Do(name string, f func()) error {
	g.slots <- struct{}{}
	defer func() { <-g.slots }()
	if name == "" {
		return errors.New("no name")
	}
	f()
	return nil
}
