package model

import "heddle/trace"

// lockedBefore returns the initial state of a lock that is older than the execution.
func lockedBefore(o *Object) (s State) {
	if o.Init != 0 {
		s[locked] = 1
	}
	return s
}

// Counters of Mutex and RWMutex.
const (
	locked  Counter = iota
	readers         // RWMutex
	arrived         // RWMutex: a writer waits for the readers to leave, and blocks new readers
)

// mutex is sync.Mutex. Any goroutine may unlock it; unlocking an unlocked one ends the program.
var mutex = &Primitive{
	Kind: trace.ObjMutex, Counters: []string{"locked"}, Initial: lockedBefore,
	Blocking: []trace.Op{trace.OpLock},
	Rules: []Rule{
		{Op: trace.OpLock, Arg: 1, Needs: []Need{is(locked, 0)}, Effects: []Effect{set(locked, 1)},
			Mode: Write, Order: Acquires, Section: Enter},
		{Op: trace.OpTryLock, Arg: 1, Needs: []Need{is(locked, 0)}, Effects: []Effect{set(locked, 1)},
			Mode: Write, Order: Acquires, Section: Enter},
		{Op: trace.OpTryLock, Arg: 0, Needs: []Need{is(locked, 1)}, Mode: Read},
		{Op: trace.OpUnlock, Arg: 0, Needs: []Need{is(locked, 1)}, Effects: []Effect{set(locked, 0)},
			Mode: Write, Order: Releases, Section: Leave},
		{Op: trace.OpUnlock, Arg: -1, Needs: []Need{is(locked, 0)}, Mode: Write, Panics: true},
	},
}
