package model

import "heddle/trace"

// memory is a plain variable whose accesses are steps. Its accesses order nothing: two that
// conflict and are concurrent are a data race.
var memory = &Primitive{
	Kind: trace.ObjMemory,
	Rules: []Rule{
		{Op: trace.OpRead, Outcome: Given, Sign: anySign, Mode: Read},
		{Op: trace.OpWrite, Outcome: Given, Sign: anySign, Mode: Write},
		{Op: trace.OpAwait, Outcome: Given, Sign: anySign, Mode: Read},
	},
}

// atomic is a variable of package sync/atomic. All operations on it behave as though executed in
// one order (Go memory model). The state has no values: the strategy, which knows them, decides
// whether a CompareAndSwap succeeds.
var atomic = &Primitive{
	Kind: trace.ObjAtomic,
	Rules: []Rule{
		{Op: trace.OpAtomicLoad, Outcome: Given, Sign: anySign, Mode: Read, Order: Acquires},
		{Op: trace.OpAtomicStore, Outcome: Given, Sign: anySign, Mode: Write, Order: Replaces},
		{Op: trace.OpAtomicRMW, Outcome: Given, Sign: anySign, Mode: Write, Order: Acquires | Releases},
		{Op: trace.OpAtomicCAS, Outcome: Given, Sign: anySign, Mode: Write, Order: Acquires | Releases},
		{Op: trace.OpAwait, Outcome: Given, Sign: anySign, Mode: Read, Order: Acquires},
	},
}
