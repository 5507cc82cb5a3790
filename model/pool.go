package model

import "heddle/trace"

// pool is sync.Pool, of which a Get returns what was put last. The outcome of Get is how many values there were.
var pool = &Primitive{
	Kind: trace.ObjPool,
	Rules: []Rule{
		{Op: trace.OpPoolGet, Outcome: Given, Sign: 1, Mode: Write, Order: Acquires},
		{Op: trace.OpPoolGet, Outcome: Given, Sign: anySign, Mode: Write},
		{Op: trace.OpPoolPut, Outcome: Given, Sign: anySign, Mode: Write, Order: Releases},
	},
}
