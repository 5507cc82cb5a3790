package trace

// An Effect says what an operation inside the standard library (Event.Quiet) means to other
// operations on its object, beside the order that it gives: which facts it may change, and which it
// reads. The zero Effect is that of unknown operations, which may depend on every other.
type Effect uint16

// Known is the effect of an operation that neither changes nor reads a fact, such as appending to a
// test's log.
const Known Effect = 1

// Facts. A fact only ever becomes true, so two operations that make it true commute.
const (
	FactFailed   Effect = 1 << (iota + 1) // a test has failed
	FactFinished                          // the test's function has returned, or called FailNow
	FactEnded                             // the test has been reported
	FactSkipped
)

const looks = 8 // shift from the bit of a fact that is changed to the bit of a fact that is read

// Changes returns the effect of an operation that makes facts true.
func Changes(facts Effect) Effect { return Known | facts }

// Looks returns the effect of an operation that reads facts.
func Looks(facts Effect) Effect { return Known | facts<<looks }

// Commutes reports whether the order of operations with these effects on one object matters to
// happens-before alone.
func (e Effect) Commutes(f Effect) bool {
	return e&Known != 0 && f&Known != 0 && e>>looks&f&^Known == 0 && f>>looks&e&^Known == 0
}

// An Affect is the effect of an event.
type Affect struct {
	Event  int32 // index in Trace.Events
	Effect Effect
}
