package trace

// An Effect says what an operation inside the standard library (Event.Quiet)
// means to others on its object, beside the order that it gives: facts that it
// may change, and facts that it looks at. The zero Effect is that of operations
// of which nothing is known: they may mean anything to any other.
type Effect uint16

// Known is the effect of what neither changes nor looks at anything that others
// could tell, such as appending to a test's log.
const Known Effect = 1

// Facts. A fact only ever becomes true, so that who makes it true commutes with who does so too.
const (
	FactFailed   Effect = 1 << (iota + 1) // a test has failed
	FactFinished                          // its function has returned, or it called FailNow
	FactEnded                             // it has been reported
	FactSkipped
)

const looks = 8 // bits from a fact that is changed to one that is looked at

// Changes returns the effect of an operation that makes facts true.
func Changes(facts Effect) Effect { return Known | facts }

// Looks returns the effect of an operation that looks at facts.
func Looks(facts Effect) Effect { return Known | facts<<looks }

// Commutes reports whether it makes no difference but to what happened before
// what in which order operations with these effects come on one object.
func (e Effect) Commutes(f Effect) bool {
	return e&Known != 0 && f&Known != 0 && e>>looks&f&^Known == 0 && f>>looks&e&^Known == 0
}

// An Affect tells the effect of an event.
type Affect struct {
	Event  int32 // its index
	Effect Effect
}
