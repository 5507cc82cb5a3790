package trace

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// trimmed returns c without zeros at its end.
func trimmed(c Clock) Clock {
	for len(c) > 0 && c[len(c)-1] == 0 {
		c = c[:len(c)-1]
	}
	return c
}

// Vectors are the clocks that are copied and joined entry by entry, also while they share blocks;
// and when all are reset no block is lost and none is left twice.
func TestVectors(t *testing.T) {
	defer func(n Chain) { LowChains = n }(LowChains)
	defer func(rs []*rest, ts []*table, bs []*block) {
		spareRests, spareTables, spareBlocks = rs, ts, bs
	}(spareRests, spareTables, spareBlocks)
	const n = 12
	for seed := range uint64(150) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		LowChains = 3 + Chain(rnd.IntN(2)*400)
		spareRests, spareTables, spareBlocks = nil, nil, nil
		chains := 1 + rnd.IntN(1500)
		var vs [n]Vector
		var cs [n]Clock
		made := map[*block]bool{}
		for step := range 600 {
			i, j := rnd.IntN(n), rnd.IntN(n)
			k := Chain(rnd.IntN(chains))
			if rnd.IntN(2) == 0 {
				k = Chain(i * chains / n) // one of its own
			}
			what := rnd.IntN(100)
			switch {
			case what < 30:
				k = max(k, 1)
				if cs[i].At(0) == 0 {
					vs[i].Set(0, 1)
					cs[i] = cs[i].Set(0, 1)
				}
				vs[i].Tick(k)
				cs[i] = cs[i].Set(k, cs[i].At(k)+1)
				cs[i][0]++
			case what < 50:
				v := cs[i].At(k) + uint32(rnd.IntN(3))
				vs[i].Set(k, v)
				cs[i] = cs[i].Set(k, v)
			case what < 70:
				vs[i].Copy(&vs[j])
				if i != j {
					cs[i] = cs[i].Copy(cs[j])
				}
			case what < 90:
				vs[i].Join(&vs[j])
				cs[i] = cs[i].Join(cs[j])
			case what < 98 && i != j:
				vs[i].Meet(&vs[j])
				cs[i] = cs[i].Join(cs[j])
				cs[j] = cs[j].Copy(cs[i])
			default:
				vs[i].Reset()
				cs[i] = cs[i][:0]
			}
			for i := range vs {
				if step%16 > 0 {
					break
				}
				if got := vs[i].Clock(); !slices.Equal(trimmed(got), trimmed(cs[i])) {
					t.Fatalf("seed %d, step %d: vector %d is %v, want %v", seed, step, i, got, cs[i])
				}
				if r := vs[i].rest; r != nil {
					for _, b := range r.table.blocks {
						made[b] = true
					}
				}
			}
			for range 20 {
				i, k := rnd.IntN(n), Chain(rnd.IntN(chains+300))
				if got, want := vs[i].At(k), cs[i].At(k); got != want {
					t.Fatalf("seed %d, step %d: vector %d has %d for %d, not %d", seed, step, i, got, k, want)
				}
				if e := NewEpoch(k, cs[i].At(k)); !vs[i].Covers(e) || vs[i].Covers(e+1) {
					t.Fatalf("seed %d, step %d: vector %d covers what it does not have", seed, step, i)
				}
			}
		}
		for i := range vs {
			vs[i].Reset()
			if !vs[i].Empty() {
				t.Fatalf("seed %d: a vector that was reset is %v", seed, vs[i].Clock())
			}
		}
		delete(made, zeros)
		spare := map[*block]bool{}
		for _, b := range spareBlocks {
			if spare[b] {
				t.Fatalf("seed %d: a block is spare twice", seed)
			}
			spare[b] = true
		}
		for b := range made {
			if !spare[b] {
				t.Fatalf("seed %d: of %d blocks that were made one is not spare", seed, len(made))
			}
		}
		if chains > 400 && len(made) == 0 {
			t.Fatalf("seed %d: no blocks", seed)
		}
	}
}
