package model

import "heddle/trace"

// pool is sync.Pool. A Get returns the value that was put last; its outcome is the number of values
// before it.
var pool = &Primitive{
	Kind: trace.ObjPool,
	Rules: []Rule{
		{Op: trace.OpPoolGet, Outcome: Given, Sign: 1, Mode: Write, Order: Acquires | Takes},
		{Op: trace.OpPoolGet, Outcome: Given, Sign: anySign, Mode: Write},
		{Op: trace.OpPoolPut, Outcome: Given, Sign: anySign, Mode: Write, Order: Releases},
	},
}
