package order

import (
	"fmt"
	"sort"
	"strings"
)

// A Kind is the kind of a constraint.
type Kind uint8

const (
	ProgramOrder Kind = iota // the events of one goroutine, in program order
	Start                    // events of a goroutine follow its go statement
	Clock                    // the clock jumps when no goroutine is enabled
	MustBefore               // the first precedes the second by the three kinds above
	Lock                     // the critical sections of two acquisitions of one lock exclude each other
	TryFailed                // a TryLock fails because a goroutine holds the lock
	Meeting                  // communication over an unbuffered channel
	Capacity                 // the count of a channel, a WaitGroup or a semaphore
	FIFO                     // values leave a channel in the order in which they were sent
	Closed                   // sends to, receives from and polls of a channel that is or was closed
	Wakeup                   // Cond: a Signal or Broadcast wakes a goroutine that waits
	OnceDone                 // Once: calls return after the first has returned
	DataValidity             // a read reads the same value (Huang 2015, section 4.2)
	Target                   // the goal demands it
	Sees                     // reads-from of the goal; the third event is a write that must not come between
)

var kindNames = [...]string{
	"program order", "start", "clock", "must happen before", "lock", "failed try", "meeting", "capacity",
	"fifo", "closed", "wake-up", "once",
	"data validity", "goal", "sees",
}

func (k Kind) String() string { return kindNames[k] }

// A Constraint names a part of the formula: the events that it constrains, and how.
type Constraint struct {
	Kind   Kind
	Events []int // indices in Trace.Events, continued by those in Trace.Left
}

func (c Constraint) String() string {
	words := make([]string, len(c.Events))
	for i, e := range c.Events {
		words[i] = fmt.Sprint(e)
	}
	return c.Kind.String() + " " + strings.Join(words, " ")
}

// names numbers the constraints.
type names struct {
	list  []Constraint
	index map[string]int
	// approximate: constraints that exclude some correct orders. A refutation that uses one of them
	// does not count.
	approximate map[int]bool
}

func (n *names) tag(kind Kind, events ...int) int {
	c := Constraint{Kind: kind, Events: events}
	key := c.String()
	t, ok := n.index[key]
	if !ok {
		t = len(n.list)
		n.list = append(n.list, Constraint{kind, append([]int(nil), events...)})
		n.index[key] = t
	}
	return t
}

// sortConstraints sorts a core, so that it does not depend on the search.
func sortConstraints(cs []Constraint) {
	sort.Slice(cs, func(i, j int) bool {
		a, b := cs[i], cs[j]
		if a.Kind != b.Kind {
			return a.Kind < b.Kind
		}
		for k := 0; k < len(a.Events) && k < len(b.Events); k++ {
			if a.Events[k] != b.Events[k] {
				return a.Events[k] < b.Events[k]
			}
		}
		return len(a.Events) < len(b.Events)
	})
}
