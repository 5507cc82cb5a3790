package setiadi

import (
	"runtime"
	"sync"
)

// A spider fetches pages until it is told to sleep (JoBo). Its loop has no end of its own, and the
// only branch that other goroutines affect reads a flag.
type spider struct {
	mu      sync.Mutex
	asleep  bool
	fetched int
	shown   int
}

// Spider runs an endless robot, an observer, and the user, which sends the robot to sleep.
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
