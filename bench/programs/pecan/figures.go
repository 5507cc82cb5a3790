package pecan

import "sync"

// The two bugs that the paper shows, as it prints them.

// A managed connection of OpenJMS: its multiplexer is read with the lock, and set without.
type managedConnection struct {
	mu          sync.Mutex
	multiplexer *int
}

func (c *managedConnection) invoke() {
	c.mu.Lock()
	m := c.multiplexer
	c.mu.Unlock()
	if m == nil {
		panic("openjms: no multiplexer")
	}
}

func (c *managedConnection) setInvocationHandler() { c.multiplexer = new(int) }

// Figure6 is figure 6, a race in OpenJMS.
func Figure6() {
	c := new(managedConnection)
	var wg sync.WaitGroup
	wg.Go(c.setInvocationHandler)
	wg.Go(c.invoke)
	wg.Wait()
}

// An eventQueue is like a Vector of Java: each method holds the lock.
type eventQueue struct {
	mu     sync.Mutex
	events []int
}

func (q *eventQueue) size() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.events)
}

func (q *eventQueue) elementAt(i int) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.events[i]
}

func (q *eventQueue) removeElementAt(i int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.events = append(q.events[:i:i], q.events[i+1:]...)
}

// nextEvent is getNextEvent of Jigsaw's EventManager, which waits until there is an event; here it
// gives up instead.
func (q *eventQueue) nextEvent() (int, bool) {
	if q.size() == 0 {
		return 0, false
	}
	e := q.elementAt(0)
	q.removeElementAt(0)
	return e, true
}

// Figure7 is figure 7: of several goroutines that take an event each, one finds it gone.
func Figure7() {
	q := &eventQueue{events: []int{1}}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { q.nextEvent() })
	}
	wg.Wait()
}
