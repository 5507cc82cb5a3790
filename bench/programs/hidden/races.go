package hidden

import (
	"sync"
	"sync/atomic"
)

// OtherSender: two goroutines tell that they are ready. The receiver goes on at the first, and
// takes it for that of the goroutine that writes.
func OtherSender(f bool) {
	var (
		x     int
		ready = make(chan struct{})
		wg    sync.WaitGroup
	)
	wg.Go(func() {
		x = 1
		ready <- struct{}{}
	})
	wg.Go(func() { ready <- struct{}{} })
	wg.Go(func() {
		<-ready
		if f {
			<-ready
		}
		_ = x
		if !f {
			<-ready
		}
	})
	wg.Wait()
}

// OtherSenderBuffered: the same with room for both messages.
func OtherSenderBuffered(f bool) {
	var (
		x     int
		ready = make(chan bool, 2)
		wg    sync.WaitGroup
	)
	wg.Go(func() {
		x = 1
		ready <- true
	})
	wg.Go(func() { ready <- true })
	wg.Go(func() {
		<-ready
		if f {
			<-ready
		}
		x++
	})
	wg.Wait()
}

// OtherPermit: a semaphore of two: what the second holder of a permit does is not what makes room.
func OtherPermit(f bool) {
	var (
		x   int
		sem = make(chan struct{}, 2)
		wg  sync.WaitGroup
	)
	if f {
		sem = make(chan struct{}, 1)
	}
	for range 3 {
		wg.Go(func() {
			sem <- struct{}{}
			x++
			<-sem
		})
	}
	wg.Wait()
}

// SemaphoreRead: in the other order of two sections of a semaphore a read has another value, which
// nothing depends on.
func SemaphoreRead(f bool) {
	var (
		x, y int
		sem  = make(chan struct{}, 1)
		wg   sync.WaitGroup
	)
	wg.Go(func() {
		if !f {
			y = 1
		}
		sem <- struct{}{}
		x = 1
		if f {
			y = 1
		}
		<-sem
	})
	wg.Go(func() {
		sem <- struct{}{}
		v := x
		if f {
			y = 2
		}
		<-sem
		_ = v
		if !f {
			y = 2
		}
	})
	wg.Wait()
	_ = y
}

// SemaphoreCounts: the value that changes is stored elsewhere.
func SemaphoreCounts(f bool) {
	var (
		hits, last int
		seen       int
		sem        = make(chan struct{}, 1)
		wg         sync.WaitGroup
	)
	wg.Go(func() {
		if !f {
			last = 1
		}
		sem <- struct{}{}
		hits++
		if f {
			last = 1
		}
		<-sem
	})
	wg.Go(func() {
		sem <- struct{}{}
		hits++
		seen = hits
		if f {
			last = 2
		}
		<-sem
		if !f {
			last = 2
		}
	})
	wg.Wait()
	_, _ = seen, last
}

// SemaphoreBranch: the read decides whether the access is made, so that with the semaphore, which
// orders the two, all is well; the bug is that the flag is set too soon.
func SemaphoreBranch(f bool) {
	var (
		done bool
		y    int
		sem  = make(chan struct{}, 1)
		wg   sync.WaitGroup
	)
	wg.Go(func() {
		if f {
			y = 1
		}
		sem <- struct{}{}
		done = true
		<-sem
		if !f {
			y = 1
		}
	})
	wg.Go(func() {
		sem <- struct{}{}
		ok := done
		<-sem
		if ok {
			y = 2
		}
	})
	wg.Wait()
	_ = y
}

// MutexRead is SemaphoreRead with a mutex.
func MutexRead(f bool) {
	var (
		x, y int
		mu   sync.Mutex
		wg   sync.WaitGroup
	)
	wg.Go(func() {
		if !f {
			y = 1
		}
		mu.Lock()
		x = 1
		if f {
			y = 1
		}
		mu.Unlock()
	})
	wg.Go(func() {
		mu.Lock()
		v := x
		if f {
			y = 2
		}
		mu.Unlock()
		_ = v
		if !f {
			y = 2
		}
	})
	wg.Wait()
	_ = y
}

// LateRace: the access without the lock is made only by the goroutine that comes first.
func LateRace(f bool) {
	var (
		turn atomic.Int32
		mu   sync.Mutex
		x    int
		wg   sync.WaitGroup
	)
	for i := range 2 {
		wg.Go(func() {
			if first := turn.Add(1) == 1; first && i == 1 && !f {
				x++
				return
			}
			mu.Lock()
			x++
			mu.Unlock()
		})
	}
	wg.Wait()
}

// Long: a race between the beginning of one goroutine and the end of another one, with n critical
// sections of each in between.
func Long(n int, f bool) {
	var (
		mu, late sync.Mutex
		sum, x   int
		wg       sync.WaitGroup
	)
	write := func(v int) {
		if f {
			late.Lock()
			defer late.Unlock()
		}
		x = v
	}
	wg.Go(func() {
		write(1)
		for range n {
			mu.Lock()
			sum++
			mu.Unlock()
		}
	})
	wg.Go(func() {
		for range n {
			mu.Lock()
			sum--
			mu.Unlock()
		}
		write(2)
	})
	wg.Wait()
	_ = x
}

// LongChannel: n messages over one channel, and a race of what comes before a message with what
// comes after an earlier one.
func LongChannel(n int, f bool) {
	var (
		c  = make(chan int, 8)
		x  int
		wg sync.WaitGroup
	)
	wg.Go(func() {
		for i := range n {
			if i == n-1 && f {
				x = 1
			}
			c <- i
		}
		if !f {
			x = 1
		}
	})
	wg.Go(func() {
		for range n {
			<-c
		}
		x = 2
	})
	wg.Wait()
	_ = x
}
