package dpor

import (
	"math/rand"
	"testing"
	"unsafe"

	"heddle/rt/hook"
	"heddle/trace"
)

// A branch whose leaves are all done is not over while something sleeps there that others explore:
// that exploration finds what is to be inserted below it. Here S sleeps after X, Y was explored
// there, and only S's exploration comes to R's write, which has to be explored before S, after X.
func TestStaysOpen(t *testing.T) {
	var m, n uint64
	load := func(v *uint64) uint64 {
		hook.AtomicBegin(unsafe.Pointer(v), 8, hook.AtomicLoad, 1)
		x := *v
		hook.AtomicEnd(false, x)
		return x
	}
	store := func(v *uint64, x uint64) {
		hook.AtomicBegin(unsafe.Pointer(v), 8, hook.AtomicStore, 1)
		*v = x
		hook.AtomicEnd(true, x)
	}
	main := func() {
		m, n = 0, 0
		hook.Go(1, func() { load(&m) })
		hook.Go(1, func() { load(&n) })
		hook.Go(1, func() { store(&m, 1) })
		hook.Go(1, func() {
			if load(&m) == 0 {
				store(&m, 2)
			}
		})
	}
	show := func(*trace.Trace) string { return "" }
	want, res, err := explored(newExecutor(main), new(Strategy), show, 1000)
	if err != nil || !res.Complete {
		t.Fatal(err, res)
	}
	for seed := range int64(200) {
		p := &splitting{x: newExecutor(main), r: rand.New(rand.NewSource(seed)), show: show, workers: 3,
			most: 2, parts: 6, group: 1}
		if err := p.explore(); err != nil || p.n != len(want) {
			t.Fatalf("seed %d: %d executions (%v), want %d", seed, p.n, err, len(want))
		}
	}
}
