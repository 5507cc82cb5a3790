// Package roster keeps the members of a team.
package roster

import (
	"slices"
	"sync"
)

type Roster struct {
	mu    sync.Mutex
	names []string
}

func (r *Roster) Add(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.names = append(r.names, name)
}

// Rename changes the name of a member.
func (r *Roster) Rename(from, to string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.Index(r.names, from); i >= 0 {
		r.names[i] = to
	}
}

// Names returns all members.
func (r *Roster) Names() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.names
}
