package model

import "heddle/trace"

// clock is the clock in free time. A timer that fires moves it.
var clock = &Primitive{
	Kind: trace.ObjClock,
	Rules: []Rule{
		{Op: trace.OpNow, Outcome: Given, Sign: anySign, Mode: Timed},
		{Op: trace.OpTimerStart, Outcome: Given, Sign: anySign, Mode: Timed},
		{Op: trace.OpTimerStop, Outcome: Given, Sign: anySign, Mode: Timed},
		{Op: trace.OpTimerFire, Outcome: Given, Sign: anySign, Mode: Fire},
	},
}
