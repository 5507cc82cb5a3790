package pecan

import (
	"runtime"
	"sync"
)

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

func (q *eventQueue) addElement(e int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.events = append(q.events, e)
}

// nextEvent is getNextEvent of Jigsaw's EventManager. It waits until there is an event.
func (q *eventQueue) nextEvent() int {
	for q.size() == 0 {
		runtime.Gosched()
	}
	e := q.elementAt(0)
	q.removeElementAt(0)
	return e
}

// Figure7 is figure 7: of two goroutines that take an event each, one finds it gone, as the second
// event has not come yet.
func Figure7() {
	q := new(eventQueue)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { q.nextEvent() })
	}
	q.addElement(1)
	q.addElement(2)
	wg.Wait()
}
