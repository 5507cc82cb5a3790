package model

import "heddle/trace"

// A Mode is what an access does to its object, as far as others can notice.
// Modes of different kinds of objects never meet.
type Mode uint8

const (
	// Read and Write are the modes of memory, atomics, maps and files, and of all objects whose operations are totally
	// ordered: a mutex's Lock and Unlock are writes, a TryLock that fails is a read.
	Read Mode = iota
	Write

	// RWMutex. Readers commute unless one may unlock what is not locked; so do a writer that arrives and a reader that
	// leaves, since the writer takes the lock in a step of its own.
	ReadLock
	ReadUnlock
	WriterArrives
	TryFailed
	TryReadFailed

	// WaitGroup. Add commutes with Add unless the counter may become negative.
	Add
	Wait

	// Channels. Meet is a communication over an unbuffered channel.
	Send
	SendClosed
	Recv
	RecvClosed
	Close
	Length
	Poll    // default was taken: no case was ready
	Meet    // over a channel that nothing polls
	Arrived // at an unbuffered channel that is polled
	Serve   // as Meet, over a channel that is polled
	Left    // a select that had arrived at the channel took another of its cases
	Seen    // whether a case of the channel could be done without a partner mattered

	Modes // how many there are
)

// conflicts[m][n] says whether the order of two accesses with modes m and n matters. covers[m][n] says that a search which looks
// back from an access with mode m, for what it comes after, need not look beyond one with mode n.
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

// Covers reports whether an access with mode n conflicts with all that one with mode m conflicts with, m among it: a search
// that looks back from m for conflicts need not look beyond n.
func Covers(m, n Mode) bool { return covers[m][n] }

// MayConflict reports whether two announced operations of different goroutines on one object may not commute, whatever the
// kind of the object and their outcomes. It errs towards true.
func MayConflict(a, b trace.Op) bool { return !(looks(a) && looks(b)) }

// looks reports whether an operation changes nothing that another one with looks could notice.
func looks(op trace.Op) bool {
	switch op {
	case trace.OpRead, trace.OpAtomicLoad, trace.OpLen, trace.OpRLock, trace.OpWGWait, trace.OpMapLoad, trace.OpMapRange, trace.OpNow:
		return true
	}
	return false
}
