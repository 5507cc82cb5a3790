package model

import "heddle/trace"

// waitgroup is sync.WaitGroup. The outcome of Add is its delta. An Add that makes the counter
// negative changes it, then panics.
var waitgroup = &Primitive{
	Kind: trace.ObjWaitGroup, Counters: []string{"counter"},
	Initial:  func(o *Object) State { return State{int32(o.Init)} },
	Blocking: []trace.Op{trace.OpWGWait},
	Rules: []Rule{
		{Op: trace.OpWGAdd, Outcome: Given, Sign: 1, Effects: []Effect{byArg(0)}, Mode: Add, Ordered: Write},
		{Op: trace.OpWGAdd, Outcome: Given, Sign: -1, Effects: []Effect{byArg(0)},
			Mode: Add, Ordered: Write, Order: Releases},
		{Op: trace.OpWGAdd, Outcome: Given, Sign: 0, Unseen: true},
		{Op: trace.OpWGWait, Outcome: Given, Sign: anySign, Needs: []Need{is(0, 0)},
			Mode: Wait, Order: Acquires},
	},
}
