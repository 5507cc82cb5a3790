package trace

// An Unseen is something that happened in an execution and that the scheduler or the race detector could not see,
// though it may matter to other goroutines. A search that meets one has not covered every interleaving.
type Unseen struct {
	Code UnseenCode
	What string // the function that was called
	Site Site   // where it was called
}

// An UnseenCode says what was not seen.
type UnseenCode uint8

const (
	// UnseenMemory: memory was lent to code that is not rewritten, and another goroutine used it with no order between the two.
	UnseenMemory UnseenCode = iota + 1
	// UnseenState: state of the process, or of the system, was used by a call that is no operation.
	UnseenState
	// UnseenForeign: goroutines used memory that Go does not look after (from C, or mapped) with no order between them. It may
	// have been freed and given out again in between, so it is not checked for data races.
	UnseenForeign
	// UnseenCollected: garbage was collected between two accesses with no order between them, so the memory may have become another object's.
	UnseenCollected
	// UnseenBeside: goroutines outside control were there, which may use what the test uses.
	UnseenBeside
)
