package machine

import (
	"unsafe"

	"heddle/internal/progen"
	"heddle/rt/sched"
)

// older gives the objects of the package their state before the test. The objects keep their
// addresses, by which executions agree on them.
func (m *Machine) older(o *progen.Older) {
	for i, c := range m.chans {
		sched.Reopen(*(*unsafe.Pointer)(unsafe.Pointer(&c)))
		for v := range o.Held[i] {
			c <- v + 1
		}
		if o.Closed[i] {
			close(c)
		}
	}
	for i, locked := range o.Locked {
		m.mutexes[i].held = locked
	}
	for i, locked := range o.Writes {
		if locked {
			*(*int32)(unsafe.Pointer(&m.rws[i].object[16])) = -1 // readerCount
		}
	}
	for i, n := range o.Counts {
		m.groups[i].n = n
	}
}
