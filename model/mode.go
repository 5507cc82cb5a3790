package model

import "heddle/trace"

// A Mode is what an access does to its object, as far as conflicts go. Accesses with modes of
// different kinds of objects are never to one object.
type Mode uint8

const (
	// Read and Write are the modes of memory, atomics, maps and files, and of all objects whose
	// operations are totally ordered. A mutex's Lock and Unlock are writes; a TryLock that fails is
	// a read.
	Read Mode = iota
	Write

	// RWMutex. Readers commute unless an RUnlock may come without its RLock. The arrival of a
	// writer commutes with an RUnlock, since the writer takes the lock in a step of its own.
	ReadLock
	ReadUnlock
	WriterArrives
	TryFailed
	TryReadFailed

	// WaitGroup. Two Adds commute unless the counter may become negative.
	Add
	Wait

	// Channels. Meet is a communication over an unbuffered channel.
	Send
	SendClosed
	Recv
	RecvClosed
	Close
	Length
	Poll    // a select took its default: no case was ready
	Meet    // a communication over a channel that no goroutine polls
	Arrived // an arrival at an unbuffered channel that a goroutine polls
	Serve   // as Meet, over a channel that a goroutine polls
	Left    // a select that had arrived at the channel took another case
	Seen    // it mattered whether a case of the channel was ready without a partner

	// Sockets that carry packets.
	Packet // a packet arrives or is read
	Usable // it mattered that the socket was open, closed, expired or the kernel's

	// The clock, in free time.
	Timed // looks at the clock, starts or stops a timer
	Fire  // a timer fires

	Modes // the number of modes
)

// conflicts[m][n] reports whether the order of accesses with modes m and n matters. covers[m][n]
// reports whether a search for the latest conflict of an access with mode m, backwards in time, may
// stop at an access with mode n.
var conflicts, covers = conflictTables()

func conflictTables() (c, s [Modes][Modes]bool) {
	set := func(m Mode, ns ...Mode) {
		for _, n := range ns {
			c[m][n], c[n][m] = true, true
		}
	}
	for n := range Modes {
		set(Write, n)
	}
	set(ReadLock, WriterArrives, TryFailed)
	set(ReadUnlock, TryFailed)
	set(WriterArrives, WriterArrives, TryFailed, TryReadFailed)
	set(Add, Wait)
	set(Send, Send, Length, Poll, Close)
	set(SendClosed, Close)
	set(Recv, Recv, RecvClosed, Length, Poll)
	set(RecvClosed, Close)
	set(Close, Close, Poll, Meet, Serve)
	set(Poll, Arrived, Serve)
	set(Arrived, Arrived)
	set(Serve, Serve)
	set(Left, Poll, Serve, Send, Recv)
	set(Seen, Send, Recv, Close)
	set(Packet, Packet)
	set(Fire, Fire, Timed)
	for m := range Modes {
		for n := range Modes {
			s[m][n] = c[m][n]
			for k := range Modes {
				if c[m][k] && !c[n][k] {
					s[m][n] = false
				}
			}
		}
	}
	return c, s
}

// Conflict reports whether the order of two accesses to one object, with these modes, matters.
func Conflict(m, n Mode) bool { return conflicts[m][n] }

// Covers reports whether an access with mode n conflicts with m and with every mode that m
// conflicts with. A search for conflicts with m, backwards in time, may stop there: all earlier
// ones happen before n.
func Covers(m, n Mode) bool { return covers[m][n] }

// MayConflict reports whether two pending operations of different goroutines on one object may fail
// to commute, whatever the kind of the object and their outcomes. It errs towards true.
func MayConflict(a, b trace.Op) bool { return !(looks(a) && looks(b)) }

// looks reports whether an operation changes nothing that another operation with looks can observe.
func looks(op trace.Op) bool {
	switch op {
	case trace.OpRead,
		trace.OpAtomicLoad,
		trace.OpLen,
		trace.OpRLock,
		trace.OpWGWait,
		trace.OpMapLoad,
		trace.OpMapRange,
		trace.OpNow:
		return true
	}
	return false
}
