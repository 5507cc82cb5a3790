package transition

import (
	"math/rand/v2"
	"testing"
)

// Rows that share blocks are what rows without blocks are, however the goroutines become more and
// rows are taken away.
func TestVectors(t *testing.T) {
	defer func(n int) { ManyGoroutines = n }(ManyGoroutines)
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		var plain, shared vectors
		goroutines, rows, sharing := 1, 0, 0
		for range 150 {
			if goroutines += r.IntN(2) * r.IntN(40); seed%2 == 0 {
				goroutines = 300
			}
			if r.IntN(10) == 0 {
				rows = r.IntN(rows + 1)
				shared.cut(rows)
			}
			ManyGoroutines = 1 << 30
			plain.grow(goroutines, rows)
			ManyGoroutines = 100
			shared.grow(goroutines, rows)
			shared.reserve(rows + r.IntN(3))
			plain.begin(rows)
			shared.begin(rows)
			for range min(rows, r.IntN(4)) {
				i := r.IntN(rows)
				plain.join(rows, i)
				shared.join(rows, i)
			}
			for range r.IntN(3) {
				g, more := Proc(r.IntN(goroutines)), uint32(r.IntN(3))
				plain.set(rows, g, plain.at(rows, g)+more)
				shared.set(rows, g, shared.at(rows, g)+more)
			}
			rows++
			copied := shared.clone(rows)
			for j := range rows {
				for g := range Proc(goroutines) {
					if x, y, z := plain.at(j, g), shared.at(j, g), copied.at(j, g); x != y || x != z {
						t.Fatalf("seed %d, row %d of %d: %d, shared %d, copied %d", seed, j, g, x, y, z)
					}
				}
			}
			i := r.IntN(rows)
			sum := func(v *vectors) (n uint32) {
				v.differ(i, rows-1, func(g Proc, c, d uint32) bool {
					n = n*31 + uint32(g) + 7*c + 3*d
					return g != 50
				})
				return n
			}
			if x, y := sum(&plain), sum(&shared); x != y {
				t.Fatalf("seed %d: rows %d and %d differ by %d, shared %d", seed, i, rows-1, x, y)
			}
			if shared.width > 0 && len(shared.blocks) < rows*shared.width/2 {
				sharing++
			}
		}
		if sharing == 0 {
			t.Errorf("seed %d: no blocks are shared", seed)
		}
	}
}
