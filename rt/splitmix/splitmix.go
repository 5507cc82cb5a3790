// Package splitmix is the generator splitmix64 (Steele, Lea and Flood, "Fast
// Splittable Pseudorandom Number Generators", OOPSLA 2014), for whatever heddle
// draws by lot: math/rand may be under test.
package splitmix

// A Stream is a generator; its value is its state, and any value is a seed.
// Streams of neighbouring seeds overlap: Mix seeds that are counted up.
type Stream uint64

// Next returns the next number.
func (s *Stream) Next() uint64 {
	*s += 0x9e3779b97f4a7c15
	return Mix(uint64(*s))
}

// Skip leaves out n numbers.
func (s *Stream) Skip(n int) { *s += Stream(n) * 0x9e3779b97f4a7c15 }

// Mix returns z with its bits mixed; no two numbers give the same.
func Mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
