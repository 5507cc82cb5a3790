package model

import "heddle/trace"

// syncMap is sync.Map. It also stands for files and for state inside the standard library. Loads
// commute; a store happens before the loads that follow it.
var syncMap = &Primitive{
	Kind: trace.ObjMap,
	Rules: []Rule{
		{Op: trace.OpMapLoad, Outcome: Given, Sign: anySign, Mode: Read, Order: Acquires},
		{Op: trace.OpMapRange, Outcome: Given, Sign: anySign, Mode: Read, Order: Acquires},
		{Op: trace.OpMapStore, Outcome: Given, Sign: anySign, Mode: Write, Order: Releases},
		{Op: trace.OpAwait, Outcome: Given, Sign: anySign, Mode: Read, Order: Acquires},
	},
}
