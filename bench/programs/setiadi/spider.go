package setiadi

import (
	"runtime"
	"sync"
)

// A spider fetches pages until it is told to sleep (JoBo): its loop has no end of its own, and its only
// branch that others affect looks at a flag.
type spider struct {
	mu      sync.Mutex
	asleep  bool
	fetched int
	shown   int
}

// Spider runs a robot without end, somebody who looks on, and the user, who sends it to sleep.
func Spider() {
	s := new(spider)
	go s.crawl()
	done := make(chan bool)
	go func() {
		s.mu.Lock()
		s.shown = s.fetched
		s.mu.Unlock()
		close(done)
	}()
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
		runtime.Gosched()
	}
}
