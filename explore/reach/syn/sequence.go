// Package syn is the model of Lei and Carver (IEEE TSE 32(6), 2006) as they state it: SYN-sequences
// of sending and receiving events with descriptors (section 3), vector timestamps (4), race sets
// (5), race tables and variants (6), and the algorithm of Fig. 9 and 10 for programs that pass
// messages (7).
//
// It is written for clarity, not for speed. Package reach does the same for traces of Go programs.
// Its tests and the examples of the paper compare the two.
package syn

import "slices"

// A Sequence is a SYN-sequence (Definition 1) under construction. Its methods add events, in an
// order in which they could have happened.
type Sequence struct {
	Events  []*Event
	threads []clock
	objects map[string]clock
	indices map[string]int
}

// An Event is a sending or a receiving event.
type Event struct {
	Name   string
	Sends  bool
	Thread int // the thread that executes it; for a completion or entry, the caller

	// Descriptor (Tables 1 and 2).
	Owner     string   // Sender or Receiver: "T1", or the semaphore or monitor
	Dest      string   // sending events: port, semaphore or monitor
	Operation string   // sending events
	OpenList  []string // receiving events: ports, or operations of its owner
	Index     int      // it is the Index-th event of its owner, from 1

	TS      []int // vector timestamp
	Partner *Event
	black   bool

	prev *Event // the event that its owner executed immediately before
}

type clock []int

// New returns an empty sequence of threads T1 to Tn.
func New(n int) *Sequence {
	q := &Sequence{objects: map[string]clock{}, indices: map[string]int{}}
	for range n {
		q.threads = append(q.threads, make(clock, n))
	}
	return q
}

// ThreadName returns "T1" for 1.
func ThreadName(t int) string { return "T" + string(rune('0'+t)) }

func (q *Sequence) add(e *Event) *Event {
	q.indices[e.Owner]++
	e.Index = q.indices[e.Owner]
	for _, f := range slices.Backward(q.Events) {
		if f.Owner == e.Owner {
			e.prev = f
			break
		}
	}
	q.Events = append(q.Events, e)
	return e
}

func (v clock) join(w []int) {
	for i := range v {
		v[i] = max(v[i], w[i])
	}
}

// Send adds a sending event of thread t (rule 1 of all schemes of section 4): a send to a port, or
// a call of op on a semaphore or monitor.
func (q *Sequence) Send(name string, t int, dest, op string) *Event {
	v := q.threads[t-1]
	v[t-1]++
	return q.add(&Event{Name: name, Sends: true, Thread: t, Owner: ThreadName(t), Dest: dest, Operation: op,
		TS: slices.Clone(v)})
}

// Receive adds a receiving event of thread t with sending partner s. open has the ports whose
// receive-alternatives were open. If the send is blocking, its thread learns what the receiver
// knows (rule 3 of synchronous message passing).
func (q *Sequence) Receive(name string, t int, s *Event, blocking bool, open ...string) *Event {
	v := q.threads[t-1]
	v[t-1]++
	v.join(s.TS)
	r := q.add(&Event{Name: name, Thread: t, Owner: ThreadName(t), OpenList: open, TS: slices.Clone(v)})
	q.pair(s, r)
	if blocking {
		q.threads[s.Thread-1].join(v)
	}
	return r
}

// Complete adds a receiving event of a semaphore or monitor: call c is completed, or its caller
// enters. open has the operations that could have been completed.
func (q *Sequence) Complete(name string, c *Event, open ...string) *Event {
	o := q.objects[c.Dest]
	if o == nil {
		o = make(clock, len(q.threads))
		q.objects[c.Dest] = o
	}
	o.join(c.TS)
	r := q.add(&Event{Name: name, Thread: c.Thread, Owner: c.Dest, OpenList: open, TS: slices.Clone(o)})
	q.pair(c, r)
	return r
}

// Learn is rule 3 of semaphores and monitors: thread t finishes an operation
// on the object, or is signalled while it waits there.
func (q *Sequence) Learn(t int, object string) { q.threads[t-1].join(q.objects[object]) }

func (q *Sequence) pair(s, r *Event) { s.Partner, r.Partner = r, s }

// Before is Proposition 1: it reports whether e happened before f.
func Before(e, f *Event) bool {
	if e == f {
		return false
	}
	if e.Partner == f && e.Sends {
		return true
	}
	i, j := e.Thread-1, f.Thread-1
	return e.TS[i] <= f.TS[i] && e.TS[j] < f.TS[j]
}

// ControlStructure returns the events of c-struct(e) (Definition 3): the event that e's thread
// executed immediately before e, and all that happened before that. For a receiving event of an
// object the owner replaces the thread.
func (q *Sequence) ControlStructure(e *Event) []*Event {
	if e.prev == nil {
		return nil
	}
	var c []*Event
	for _, f := range q.Events {
		if f == e.prev || q.before(f, e.prev) {
			c = append(c, f)
		}
	}
	return c
}

// before is happened-before by its definition: the order of each owner's events, of pairs, and of
// what a thread learns. It compares timestamps, except where events of objects have equal
// timestamps: then their owner's order decides.
func (q *Sequence) before(e, f *Event) bool {
	return Before(e, f) || e.Owner == f.Owner && e.Index < f.Index
}

func (q *Sequence) inControl(r, e *Event) bool { return slices.Contains(q.ControlStructure(e), r) }

// Equal is Definition 4: it reports whether the control structures of two events are equal as
// SYN-sequences.
func Equal(q *Sequence, e *Event, p *Sequence, f *Event) bool {
	if e.Owner != f.Owner || e.Sends != f.Sends {
		return false
	}
	return slices.Equal(q.shape(q.ControlStructure(e)), p.shape(p.ControlStructure(f)))
}

// SameAs is Definition 2: it reports whether two sequences are equal.
func (q *Sequence) SameAs(p *Sequence) bool {
	return slices.Equal(q.shape(q.Events), p.shape(p.Events))
}

// shape returns what Definition 2 compares: the events, identified by owner and index, with their
// partners.
func (q *Sequence) shape(events []*Event) []string {
	var out []string
	for _, e := range events {
		s := key(e)
		if !e.Sends && e.Partner != nil && slices.Contains(events, e.Partner) {
			s += "<" + key(e.Partner)
		}
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}

func key(e *Event) string {
	n := ""
	for i := e.Index; i > 0; i /= 10 {
		n = string(rune('0'+i%10)) + n
	}
	return e.Owner + "." + n
}

// Find returns the event with that name.
func (q *Sequence) Find(name string) *Event {
	for _, e := range q.Events {
		if e.Name == name {
			return e
		}
	}
	return nil
}
