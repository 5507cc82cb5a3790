package policy

// rng is splitmix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom
// Number Generators", OOPSLA 2014). math/rand may be under test.
type rng uint64

// seed starts a stream. Seeds are often 0, 1, 2, ...: they are mixed first, so that their streams do not overlap.
func (r *rng) seed(s uint64) { *r = rng(mix(s ^ 0x5deece66d1234567)) }

func (r *rng) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	return mix(uint64(*r))
}

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below returns a number below n, at most 2^32. The bias is n/2^32, which nobody can see.
func (r *rng) below(n int) int { return int(r.next() >> 32 * uint64(n) >> 32) }
