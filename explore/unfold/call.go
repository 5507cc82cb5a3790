package unfold

import (
	"strconv"

	"heddle/explore/transition"
	"heddle/explore/unfold/net"
	"heddle/symbolic"
	"heddle/trace"
)

// noObject is the object of an operation that has none.
const noObject transition.Object = -1

// A call is the next operation of a goroutine, and the value of the goroutine's condition. It is
// the same in every execution that reaches the condition.
type call struct {
	proc     transition.Proc
	op       trace.Op // as announced
	obj      transition.Object
	delta    int32         // of an Add
	choices  int32         // number of outcomes of a draw
	cond     symbolic.Term // of a branch on an input
	want     uint64        // of a CompareAndSwap
	compares bool          // want is known
	sleeps   bool          // goes on when time has passed
	poll     bool          // a select with default
	cases    string        // of a communication, as text: calls are compared by ==
	mail     int32         // the message of a quiet receive, see Strategy.mail; 0: none
	site     trace.Site
}

// A side is a case of a communication.
type side struct {
	obj  transition.Object
	at   int16 // index + 1 in the select, 0 outside one
	send bool
}

// calls numbers the calls. 0 stands for a goroutine that has ended, or that nothing can enable.
type calls struct {
	list  []call
	sides [][]side
	objs  [][]transition.Object // the channels of an arrival, or what a loop read
	of    map[call]net.Value
	found [1 << 8]net.Value // a cache, see foundAt
}

// foundAt returns the index in calls.found at which a call may be.
func foundAt(c *call) uint8 {
	return uint8((uint64(c.site)*31 + uint64(c.obj)*7 + uint64(c.proc)) * 0x9e3779b97f4a7c15 >> 56)
}

func newCalls() calls {
	return calls{list: make([]call, 1), sides: make([][]side, 1), objs: make([][]transition.Object, 1),
		of: map[call]net.Value{}}
}

func (cs *calls) number(c call, sides []side, objs ...transition.Object) net.Value {
	var b []byte
	for _, x := range sides {
		b = append(strconv.AppendInt(b, int64(x.obj), 36), ' ')
		b = strconv.AppendInt(b, int64(x.at), 36)
		if x.send {
			b = append(b, '!')
		}
	}
	for _, o := range objs {
		b = append(strconv.AppendInt(b, int64(o), 36), '+')
	}
	c.cases = string(b)
	at := foundAt(&c)
	if n := cs.found[at]; n > 0 && cs.list[n] == c {
		return n
	}
	n, ok := cs.of[c]
	if !ok {
		n = net.Value(len(cs.list))
		cs.list, cs.sides, cs.objs = append(cs.list, c), append(cs.sides, append([]side(nil), sides...)),
			append(cs.objs, objs)
		cs.of[c] = n
	}
	cs.found[at] = n
	return n
}

// callAt returns the next operation at a goroutine's condition; nil if there is none.
func (s *Strategy) callAt(t net.Cond) (*call, []side) {
	n := s.net.Value(t)
	if n <= 0 {
		return nil, nil
	}
	return &s.calls.list[n], s.calls.sides[n]
}

func (s *Strategy) sidesAt(t net.Cond) []side { return s.calls.sides[max(s.net.Value(t), 0)] }

// Values of goroutines' conditions that are no calls.
const (
	crashed net.Value = -1 - iota // the goroutine's panic has ended the program
	// blocked inside the standard library in a call that only other executions can show
	hidden
)

// isHidden reports whether c can be the call of a goroutine that was left at hidden.
func (c *call) isHidden() bool {
	return c.obj == noObject && c.cases == "" && c.op != trace.OpBranch && c.op != trace.OpAwait && !c.sleeps
}
