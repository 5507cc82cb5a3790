package model

import "heddle/trace"

// rwmutex is sync.RWMutex. Lock is two steps: the writer arrives, which blocks new readers, and
// takes the lock when the readers have left.
var rwmutex = &Primitive{
	Kind: trace.ObjRWMutex, Counters: []string{"locked", "readers", "arrived"}, Initial: lockedBefore,
	Blocking: []trace.Op{trace.OpArrive, trace.OpLock, trace.OpRLock},
	Rules: []Rule{
		{
			Op:      trace.OpArrive,
			Outcome: Given,
			Sign:    anySign,
			Needs:   []Need{is(locked, 0), is(arrived, 0)},
			Effects: []Effect{set(arrived, 1)},
			Mode:    WriterArrives,
		},
		{
			Op:      trace.OpLock,
			Arg:     1,
			Needs:   []Need{is(locked, 0), is(readers, 0), is(arrived, 1)},
			Effects: []Effect{set(locked, 1), set(arrived, 0)},
			Mode:    Write,
			Order:   Acquires,
			Section: Enter,
		},
		{
			Op:      trace.OpTryLock,
			Arg:     1,
			Needs:   []Need{is(locked, 0), is(readers, 0), is(arrived, 0)},
			Effects: []Effect{set(locked, 1)},
			Mode:    Write,
			Order:   Acquires,
			Section: Enter,
		},
		{Op: trace.OpTryLock, Arg: 0, Mode: TryFailed},
		{Op: trace.OpUnlock, Arg: 0, Needs: []Need{is(locked, 1)}, Effects: []Effect{set(locked, 0)},
			Mode: Write, Order: Releases, Section: Leave},
		{Op: trace.OpUnlock, Arg: -1, Needs: []Need{is(locked, 0)}, Mode: Write, Panics: true},
		{
			Op:      trace.OpRLock,
			Arg:     1,
			Needs:   []Need{is(locked, 0), is(arrived, 0)},
			Effects: []Effect{add(readers, 1)},
			Mode:    ReadLock,
			Ordered: Write,
			Order:   Acquires,
			Section: EnterShared,
		},
		{
			Op:      trace.OpTryRLock,
			Arg:     1,
			Needs:   []Need{is(locked, 0), is(arrived, 0)},
			Effects: []Effect{add(readers, 1)},
			Mode:    ReadLock,
			Ordered: Write,
			Order:   Acquires,
			Section: EnterShared,
		},
		{Op: trace.OpTryRLock, Arg: 0, Mode: TryReadFailed},
		{Op: trace.OpRUnlock, Arg: 0, Needs: []Need{least(readers, 1)}, Effects: []Effect{add(readers, -1)},
			Mode: ReadUnlock, Ordered: Write, Order: Releases, Section: LeaveShared},
		{Op: trace.OpRUnlock, Arg: -1, Needs: []Need{most(readers, 0)}, Mode: Write, Panics: true},
		{Op: trace.OpAwait, Outcome: Given, Sign: anySign, Mode: TryFailed, Order: Acquires},
	},
}
