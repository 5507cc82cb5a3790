package model

import "heddle/trace"

// syncMap is sync.Map, and what stands for files and for state inside the standard library: loads commute, and what a
// store did happens before the loads that come after it.
var syncMap = &Primitive{
	Kind: trace.ObjMap,
	Rules: []Rule{
		{Op: trace.OpMapLoad, Outcome: Given, Sign: anySign, Mode: Read, Order: Acquires},
		{Op: trace.OpMapRange, Outcome: Given, Sign: anySign, Mode: Read, Order: Acquires},
		{Op: trace.OpMapStore, Outcome: Given, Sign: anySign, Mode: Write, Order: Releases},
		{Op: trace.OpAwait, Outcome: Given, Sign: anySign, Mode: Read, Order: Acquires},
	},
}
