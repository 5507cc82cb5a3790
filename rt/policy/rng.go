package policy

import "heddle/rt/splitmix"

// rng is what a policy draws from.
type rng struct{ splitmix.Stream }

// seed starts a stream. Seeds are often 0, 1, 2, ...: they are mixed first, so that their streams
// do not overlap.
func (r *rng) seed(s uint64) { r.Stream = splitmix.Stream(splitmix.Mix(s ^ 0x5deece66d1234567)) }

// below returns a number below n, at most 2^32. The bias is n/2^32, which is too little to show.
func (r *rng) below(n int) int { return int(r.Next() >> 32 * uint64(n) >> 32) }
