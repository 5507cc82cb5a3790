package trace

// Free time in exhaustive executions (Schedule.Exhaustive and Free): a timer that fires is a step
// of the pseudo goroutine "timers". Events on one object of kind ObjClock say what was done to the
// clock:
//
//	OpTimerStart  a timer was started. Arg: see Armed; Val: the ObjID of its channel, 0 if none
//	OpTimerStop   a timer was stopped. Partner: the event that started it
//	OpTimerFire   a timer fired. Partner: the event that started it
//	OpNow         a goroutine looked at the clock

// Timed reports whether an operation of a goroutine is about the clock.
func (op Op) Timed() bool {
	switch op {
	case OpNow, OpSleep, OpTimerStart, OpTimerStop:
		return true
	}
	return false
}

// Armed is the Arg of an event that starts a timer, taken apart.
type Armed struct {
	D     int64 // its deadline, counted from the clock
	Still bool  // it fires only when no goroutine is enabled
	Sleep bool  // all that it does is to wake a goroutine that sleeps
	Ticks bool  // it fires again and again, each time after D
}

// longest bounds Armed.D: 18 years.
const longest = 1 << 59

// Arg returns a as the Arg of an event.
func (a Armed) Arg() int64 {
	return min(a.D, longest)<<3 | int64(flag(a.Ticks))<<2 | int64(flag(a.Still))<<1 | int64(flag(a.Sleep))
}

// ArmedOf is the reverse of Arg.
func ArmedOf(arg int64) Armed {
	return Armed{D: arg >> 3, Ticks: arg&4 != 0, Still: arg&2 != 0, Sleep: arg&1 != 0}
}

// Untimed says what keeps a search from covering free time.
type Untimed uint8

const (
	Timed         Untimed = iota // nothing does
	UntimedTicker                // a ticker may fire early any number of times
	UntimedFar                   // a timer fires early by a minute at most, and may in reality
	UntimedMany                  // more timers were early than an execution may have
	UntimedLeft                  // a timer had not fired at the end
	UntimedPolls                 // a loop looks at the clock until its time is over
	UntimedBubble                // timers run in a bubble of testing/synctest, and outside
	UntimedReset                 // a timer with a channel of Go before 1.23 is reset
	UntimedSocket                // a connection has a deadline
)

var untimed = [...]string{"", "a ticker may be early any number of times",
	"a timer of one to ten minutes is never early (-time=free)", "too many timers are early in one execution",
	"a timer had not fired at the end", "a loop looks at the clock until its time is over",
	"timers run in a bubble of testing/synctest, and beside it",
	"a timer is reset that has a channel of Go before 1.23",
	"a connection has a deadline"}

// String says what it is in words; "" for Timed.
func (u Untimed) String() string { return untimed[u] }
