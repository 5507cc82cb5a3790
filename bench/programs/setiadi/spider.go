package setiadi

import (
	"sync"
	"time"
)

// A spider fetches pages until it is told to sleep (JoBo): its loop has no end of its own, and its only
// branch that others affect looks at a flag.
type spider struct {
	mu      sync.Mutex
	asleep  bool
	fetched int
	depth   int // read-shared
}

// Spider runs a robot without end, two who look on, and the user, who sends it to sleep for a while.
func Spider() {
	s := &spider{depth: 3}
	go s.crawl()
	done := make(chan bool)
	go func() {
		s.mu.Lock()
		n := s.fetched
		s.mu.Unlock()
		_ = n
		close(done)
	}()
	time.Sleep(90 * time.Second)
	s.mu.Lock()
	s.asleep = true
	s.mu.Unlock()
	<-done
}

func (s *spider) crawl() {
	for {
		s.mu.Lock()
		asleep := s.asleep
		s.mu.Unlock()
		if !asleep {
			s.mu.Lock()
			s.fetched++
			s.mu.Unlock()
		}
		time.Sleep(time.Minute)
	}
}
