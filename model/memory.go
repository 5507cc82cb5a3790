package model

import "heddle/trace"

// memory is plain variables, where accesses are steps. They give no order; two in conflict without one are a data race.
var memory = &Primitive{
	Kind: trace.ObjMemory,
	Rules: []Rule{
		{Op: trace.OpRead, Outcome: Given, Sign: anySign, Mode: Read},
		{Op: trace.OpWrite, Outcome: Given, Sign: anySign, Mode: Write},
		{Op: trace.OpAwait, Outcome: Given, Sign: anySign, Mode: Read},
	},
}

// atomic is a variable of package sync/atomic. All operations on it behave as though executed in one order (Go memory model).
// Values are not counted here: whether a CompareAndSwap finds what it compares with is decided by the strategy, which has them.
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
