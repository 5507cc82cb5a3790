package model

import "heddle/trace"

// cond is sync.Cond. Wait registers the goroutine, and Signal takes the goroutine that has waited
// longest. A signal between registering and waiting is not lost. Waking up is no access: the signal
// has made it already.
var cond = &Primitive{
	Kind: trace.ObjCond, Counters: []string{"waiters"},
	Rules: []Rule{
		{Op: trace.OpCondWait, Outcome: Given, Sign: anySign, Effects: []Effect{add(0, 1)}, Mode: Write},
		{Op: trace.OpCondWake, Outcome: Given, Sign: anySign, Unseen: true, Order: Acquires | ByPartner},
		{Op: trace.OpSignal, Outcome: Before, Needs: []Need{least(0, 1)}, Effects: []Effect{add(0, -1)},
			Mode: Write, Order: Releases | ByPartner},
		{Op: trace.OpSignal, Arg: 0, Needs: []Need{is(0, 0)}, Mode: Read},
		{Op: trace.OpBroadcast, Outcome: Before, Needs: []Need{least(0, 1)}, Effects: []Effect{set(0, 0)},
			Mode: Write, Order: Releases | ByPartner},
		{Op: trace.OpBroadcast, Arg: 0, Needs: []Need{is(0, 0)}, Mode: Read},
	},
}
