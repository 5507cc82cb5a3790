package detect

import (
	"testing"

	"heddle/trace"
)

func TestClash(t *testing.T) {
	for _, c := range []struct {
		name string
		tell func(s *Shadow)
		p, n uintptr
		k    trace.Chain
		by   *trace.Vector
		want trace.Site
	}{
		{"nothing was told", func(s *Shadow) {}, 64, 8, 1, clock(0, 1), 0},
		{"an unordered read", func(s *Shadow) { s.Read(0, clock(1), 64, 8, 7) }, 70, 1,
			1, clock(0, 1), 7},
		{"an ordered write", func(s *Shadow) { s.Write(0, clock(1), 64, 8, 7) }, 64, 8,
			1, clock(1, 1), 0},
		{"other bytes", func(s *Shadow) { s.Write(0, clock(1), 64, 2, 7) }, 66, 6, 1, clock(0, 1),
			0},
		{"an atomic write", func(s *Shadow) { s.Atomic(0, clock(1), 64, 8, 7, true) }, 64, 8,
			1, clock(0, 1), 7},
		{"far away in a long range", func(s *Shadow) { s.Write(0, clock(1), 9000, 1, 7) }, 61, 9000,
			1, clock(0, 1), 7},
		{"one of many readers", func(s *Shadow) {
			for k := range trace.Chain(20) {
				s.Read(k, alone(k), 64, 8, trace.Site(100+k))
			}
		}, 64, 8, 20, alone(20), 100},
	} {
		s := new(Shadow)
		c.tell(s)
		for range 2 { // nothing is remembered
			if got, ok := s.Clash(c.k, c.by, c.p, c.n); got != c.want || ok != (c.want != 0) {
				t.Errorf("%s: Clash = %d, %v, want %d", c.name, got, ok, c.want)
			}
		}
	}
}
