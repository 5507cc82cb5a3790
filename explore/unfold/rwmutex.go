package unfold

import (
	"slices"

	"heddle/explore/unfold/net"
	"heddle/trace"
)

// The state of an RWMutex: the writer, and the number of readers if their order matters.
const (
	rwLocked net.Value = 1
	rwWanted net.Value = 2 // bit: a writer has arrived
	rwReader net.Value = 4 // added for each reader
)

// useRW returns what an operation does to the state v of an RWMutex whose readers are part of the
// state. ok is false if the operation is blocked.
func useRW(op trace.Op, v net.Value) (u net.Use, ok bool) {
	free := v&(rwLocked|rwWanted) == 0
	switch op {
	case trace.OpRLock, trace.OpArrive:
		return net.Takes, free
	case trace.OpLock:
		return net.Takes, v < rwReader
	case trace.OpTryRLock:
		if !free {
			return net.Reads, true
		}
	}
	return net.Takes, true
}

// afterRW returns the state that an operation leaves. apart: readers are no part of the state.
func afterRW(op trace.Op, v net.Value, apart bool) net.Value {
	switch op {
	case trace.OpArrive:
		return v | rwWanted
	case trace.OpLock, trace.OpTryLock:
		return v&^rwWanted | rwLocked
	case trace.OpUnlock:
		return v &^ rwLocked
	case trace.OpRLock, trace.OpTryRLock:
		if !apart {
			return v + rwReader
		}
	case trace.OpRUnlock:
		if !apart && v >= rwReader {
			return v - rwReader
		}
	}
	return v
}

// rwMutex adds the arcs of an operation on an RWMutex whose readers are beside its state. A reader
// reads a state without a writer; it gives +1 beside the mutex and -1 when it leaves. A writer that
// arrives follows some of the readers and seals the state that they read, so no other reader
// precedes it. It locks after those readers have left.
func (s *Strategy) rwMutex(c *call, o *object, in *net.Config, arcs []net.Arc) ([]net.Arc, bool) {
	x := in.Last(o.state)
	v := s.net.Value(x)
	switch c.op {
	case trace.OpRLock:
		return append(arcs, net.To(x, net.Joins)), v == 0
	case trace.OpTryRLock:
		if v == 0 {
			return append(arcs, net.To(x, net.Joins)), true
		}
		return append(arcs, net.To(x, net.Reads)), true
	case trace.OpRUnlock:
		return arcs, true
	case trace.OpArrive:
		var readers []net.Cond
		in.Aside(o.beside, func(y net.Cond) {
			if slices.Contains(s.net.Arcs(s.net.By(y)), net.To(x, net.Joins)) {
				readers = append(readers, y)
			}
		})
		slices.Sort(readers)
		return s.followAll(append(arcs, net.To(x, net.Seals)), readers), v == 0
	case trace.OpLock:
		sum, tokens := s.balance(o, in)
		return s.followAll(append(arcs, net.To(x, net.Takes)), tokens), sum == 0
	case trace.OpTryLock:
		if v != 0 {
			return append(arcs, net.To(x, net.Reads)), true
		}
		sum, tokens := s.balance(o, in)
		if sum == 0 {
			return s.followAll(append(arcs, net.To(x, net.Seals)), tokens), true
		}
		return s.followAll(append(arcs, net.To(x, net.Reads), net.To(s.net.Root(o.beside), net.Watches)),
			tokens), true
	}
	return append(arcs, net.To(x, net.Takes)), true // Unlock
}

// aside returns what a call with these arcs gives beside its object; 0 for nothing.
func (s *Strategy) aside(c *call, o *object, arcs []net.Arc) net.Value {
	if o.beside == net.None {
		return 0
	}
	switch c.op {
	case trace.OpWGAdd:
		return net.Value(c.delta)
	case trace.OpRUnlock:
		return -1
	case trace.OpRLock, trace.OpTryRLock:
		if arcs[len(arcs)-1].Use() == net.Joins {
			return 1
		}
	}
	return 0
}
