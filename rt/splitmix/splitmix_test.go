package splitmix

import "testing"

// The first numbers of seed 0, as the paper's authors' reference program prints them.
func TestNext(t *testing.T) {
	var s Stream
	for i, want := range []uint64{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f} {
		if got := s.Next(); got != want {
			t.Errorf("number %d is %#x, want %#x", i, got, want)
		}
	}
}
