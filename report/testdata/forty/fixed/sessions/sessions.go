// Package sessions keeps one session for each user.
package sessions

import "sync"

type Session struct{ User string }

type Store struct{ byUser sync.Map }

// Get returns the session of a user, and opens one if there is none.
func (s *Store) Get(user string) *Session {
	v, _ := s.byUser.LoadOrStore(user, &Session{User: user})
	return v.(*Session)
}
