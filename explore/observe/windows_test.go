package observe

import (
	"math/rand/v2"
	"testing"

	"heddle/trace"
)

// Of long windows the same pairs of one cell are looked at as where each pair is, but for
// repetitions; also when a window has grown in place.
func TestEachPair(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		cells := 1 + rng.IntN(40)
		make := func(n int) (w window) {
			for range n {
				w = append(w, touch{cell: int32(rng.IntN(cells)), write: rng.IntN(3) == 0,
					site: trace.Site(rng.IntN(3)), starts: int16(rng.IntN(2)), update: rng.IntN(4) == 0,
					atomic: rng.IntN(4) == 0, bytes: uint8(1 + rng.IntN(3)), group: int32(rng.IntN(2))})
			}
			return w
		}
		v, w := make(1+rng.IntN(300)), make(1+rng.IntN(300))
		x := newSearch(nil)
		for range 2 {
			want, got := map[[2]touch]bool{}, map[[2]touch]bool{}
			for _, a := range v {
				for _, b := range w {
					if a.cell == b.cell {
						want[[2]touch{a, b}] = true
					}
				}
			}
			x.eachPair(v, w, func(a, b *touch) {
				if a.cell == b.cell {
					got[[2]touch{*a, *b}] = true
				}
			})
			for p := range want {
				if !got[p] {
					t.Fatalf("%d and %d touches: %+v is left out", len(v), len(w), p)
				}
			}
			if len(got) != len(want) {
				t.Fatalf("%d and %d touches: %d pairs, want %d", len(v), len(w), len(got), len(want))
			}
			w = append(w, make(1)...)
		}
	}
}
