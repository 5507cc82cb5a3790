package model

import "heddle/trace"

// semaphore is a counting semaphore. Go has none; models of papers do. The outcome of both
// operations is the new count.
var semaphore = &Primitive{
	Kind: trace.ObjSemaphore, Counters: []string{"count"},
	Initial:  func(o *Object) State { return State{int32(o.Init)} },
	Blocking: []trace.Op{trace.OpAcquire},
	Rules: []Rule{
		{Op: trace.OpAcquire, Outcome: After, Needs: []Need{least(0, 1)}, Effects: []Effect{add(0, -1)},
			Mode: Write, Order: Acquires},
		{Op: trace.OpRelease, Outcome: After, Effects: []Effect{add(0, 1)}, Mode: Write, Order: Releases},
	},
}
