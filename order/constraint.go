package order

import (
	"fmt"
	"sort"
	"strings"
)

// A Kind says what a constraint is about.
type Kind uint8

const (
	ProgramOrder Kind = iota // events of one goroutine, as the program has them
	Start                    // what a goroutine does comes after the go statement
	Clock                    // the clock jumps when nobody can go on
	MustBefore               // the first comes before the second by the three above
	Lock                     // the critical sections of two acquisitions of one lock exclude each other
	TryFailed                // a TryLock fails because somebody holds the lock
	Meeting                  // communication over an unbuffered channel
	Capacity                 // of a channel, a WaitGroup's or a semaphore's count
	FIFO                     // values leave a channel in the order in which they came
	Closed                   // sends to, receives from and polls of a channel that is or was closed
	Wakeup                   // Cond: who waits is woken by a Signal or Broadcast
	OnceDone                 // Once: calls return when the first has returned
	DataValidity             // a read sees the value that it saw (Huang 2015, section 4.2)
	Target                   // what the goal asks for
	Sees                     // which write a read of the goal sees; the third event is one that must not come between
)

var kindNames = [...]string{
	"program order", "start", "clock", "must happen before", "lock", "failed try", "meeting", "capacity", "fifo", "closed", "wake-up", "once",
	"data validity", "goal", "sees",
}

func (k Kind) String() string { return kindNames[k] }

// A Constraint names a part of the formula: events of the trace, and what is asked of them.
type Constraint struct {
	Kind   Kind
	Events []int // indices in Trace.Events; from len(Trace.Events) on, of Trace.Left
}

func (c Constraint) String() string {
	words := make([]string, len(c.Events))
	for i, e := range c.Events {
		words[i] = fmt.Sprint(e)
	}
	return c.Kind.String() + " " + strings.Join(words, " ")
}

// names gives constraints numbers.
type names struct {
	list  []Constraint
	index map[string]int
	// approximate: constraints that leave orders out which would be correct. What
	// rests on one of them is not refuted.
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

// sortConstraints puts a core into an order that does not depend on the search.
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
