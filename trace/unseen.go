package trace

// An Unseen is an action of an execution that the scheduler or the race detector could not observe,
// though it may matter to other goroutines. A search that meets one has not covered every
// interleaving.
type Unseen struct {
	Code UnseenCode
	What string // the called function
	Site Site   // the place of the call
}

// An UnseenCode says what was not observed.
type UnseenCode uint8

const (
	// UnseenMemory: a goroutine lent memory to code that is not rewritten, and another goroutine
	// used it concurrently.
	UnseenMemory UnseenCode = iota + 1
	// UnseenState: a call that is no operation used state of the process or of the system.
	UnseenState
	// UnseenForeign: goroutines concurrently used memory that Go does not manage (from C, or
	// mapped). It may have been freed and reused in between, so it is not checked for data races.
	UnseenForeign
	// UnseenCollected: garbage was collected between two concurrent accesses, so the memory may
	// have become another object's.
	UnseenCollected
	// UnseenBeside: goroutines outside control were running, which may use what the test uses.
	UnseenBeside
	// UnseenRoom: a socket holds large packets, of which Linux, which counts bytes, may drop some.
	UnseenRoom
	// UnseenDraw: more values were drawn than are choices; the later ones come from a seed.
	UnseenDraw
)
