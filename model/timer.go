package model

import "heddle/trace"

// timer is the timer of time.AfterFunc; timers with a channel are channels. It fires when no
// goroutine is enabled.
var timer = &Primitive{
	Kind: trace.ObjTimer,
	Rules: []Rule{
		{Op: trace.OpTimerStart, Outcome: Given, Sign: anySign, Mode: Write, Order: Releases},
		{Op: trace.OpTimerStop, Outcome: Given, Sign: anySign, Mode: Write},
		{Op: trace.OpTimerFire, Outcome: Given, Sign: anySign, Unseen: true, Order: Acquires},
	},
}
