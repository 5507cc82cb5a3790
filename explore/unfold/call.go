package unfold

import (
	"strconv"

	"heddle/explore/transition"
	"heddle/explore/unfold/net"
	"heddle/symbolic"
	"heddle/trace"
)

// noObject is the object of operations that are about none.
const noObject transition.Object = -1

// A call is what a goroutine does next. It is the value of the goroutine's
// conditions: the same in every execution that reaches one.
type call struct {
	proc     transition.Proc
	op       trace.Op // as announced
	obj      transition.Object
	delta    int32         // of an Add
	choices  int32         // of a draw
	cond     symbolic.Term // of a branch on an input
	want     uint64        // of a CompareAndSwap
	compares bool          // want is known
	sleeps   bool          // goes on when time has passed
	poll     bool          // a select with default
	cases    string        // of a communication, in words
	mail     int32         // what is received quietly, see Strategy.mail; 0
	site     trace.Site
}

// A side is a case of a communication.
type side struct {
	obj  transition.Object
	at   int16 // index + 1 in the select, 0 outside one
	send bool
}

// calls gives numbers to calls. 0 is that of who has ended, or waits for what nothing can bring.
type calls struct {
	list  []call
	sides [][]side
	objs  [][]transition.Object // channels that are arrived at, what a loop looked at
	of    map[call]net.Value
	found [1 << 8]net.Value // some of them, where foundAt says
}

// foundAt returns where a call's number may be in calls.found.
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

// callAt returns what is done next at a goroutine's condition; nil if nothing.
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
	// it waits inside the standard library, for what other executions may bring: they show the call
	hidden
)

// isHidden reports whether c may be what a goroutine was about to do that was left at hidden.
func (c *call) isHidden() bool {
	return c.obj == noObject && c.cases == "" && c.op != trace.OpBranch && c.op != trace.OpAwait && !c.sleeps
}
