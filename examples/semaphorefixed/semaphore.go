package semaphore

// A Semaphore has a number of slots.
type Semaphore chan struct{}

// New returns a semaphore with n slots.
func New(n int) Semaphore {
	return make(Semaphore, n)
}

// Acquire waits for a slot and takes it.
func (s Semaphore) Acquire() {
	s <- struct{}{}
}

// Release gives a slot back.
func (s Semaphore) Release() {
	select {
	case <-s:
	default:
		panic("semaphore: released more than was acquired")
	}
}
