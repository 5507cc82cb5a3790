// Package richtest has the programs of Lei & Carver's Table 4 and Fig. 13 in Go: bounded buffer
// (BB), readers and writers (RW), dining philosophers (DP) and distributed mutual exclusion (DME),
// with guarded selects, counting semaphores and monitors of both signalling disciplines. The paper
// prints no programs. These are reconstructions, and their numbers of sequences were enumerated
// independently.
//
// Every function starts its goroutines, waits for them, and returns an error if the result is
// wrong, which never happens. DPDeadlock may not return.
//
// A synchronous port is an unbuffered channel, an asynchronous port a channel with room for all
// its messages, and a closed guard a nil channel in a select.
package richtest
