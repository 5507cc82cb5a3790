package trace

// A Head is the place in a loop at which an iteration has ended, and with it all that lives in it
// alone, or at which the loop begins. What the goroutine does from there on follows from what it
// had done when the loop began, from Values, and from the memory that it has written since.
type Head struct {
	G      GID
	Begins bool
	Loop   int32 // the loop is the Loop-th that G has come to, from 1
	Step   int32 // the index of the step in which it is
	Event  int32 // how many events were before
	Plain  int32 // and how many of Trace.Plain
	// Values is a digest of the variables that live on, and that the loop changes, and of what the
	// next allocations and loops of G will be called; 0: unknown.
	Values uint64
	// Frame is how deep the loop's function is on the stack of G, in bytes from its beginning.
	// Wrote is the least depth of what G has written on its stack since the head before.
	Frame, Wrote uint32
}
