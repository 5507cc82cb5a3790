package programs

import (
	"os"
	"testing"
)

// The tests of programs with a bug fail or hang if the bug shows. That is rare without heddle but
// possible, so they run only if HEDDLE_BENCH is set.

func bench(t *testing.T) {
	t.Helper()
	if os.Getenv("HEDDLE_BENCH") == "" {
		t.Skip("HEDDLE_BENCH is not set")
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal(t *testing.T, got, want int) {
	if got != want {
		t.Helper() // not before: it costs as much as a few switches
		t.Fatalf("got %d, want %d", got, want)
	}
}

func TestRing(t *testing.T)       { equal(t, Ring(4, 6), 24) }
func TestYielders(t *testing.T)   { Yielders(4, 12) }
func TestContend(t *testing.T)    { equal(t, Contend(4, 6), 24) }
func TestLocks(t *testing.T)      { Locks(1000) }
func TestAtomics(t *testing.T)    { equal(t, int(Atomics(1000)), 1000) }
func TestBuffered(t *testing.T)   { equal(t, Buffered(100), 4950) }
func TestSingleLock(t *testing.T) { equal(t, SingleLock(4, 2), 8) }

func TestAccesses(t *testing.T) {
	v, w := new(Vars), new(Vars)
	v[0], w[0] = 1, 1
	a := Accesses(v) + Accesses(v)
	equal(t, SharedAccesses(w), a)
}

func TestBoundedBuffer(t *testing.T) { bench(t); BoundedBuffer(2) }
func TestBluetooth3(t *testing.T)    { bench(t); check(t, Bluetooth(3)) }
func TestFib4(t *testing.T)          { bench(t); check(t, Fib(4)) }
func TestFib5(t *testing.T)          { bench(t); check(t, Fib(5)) }
func TestPhilosophers3(t *testing.T) { bench(t); Philosophers(3, 1) }
func TestPhilosophers4(t *testing.T) { bench(t); Philosophers(4, 2) }

func BenchmarkRing(b *testing.B) {
	for b.Loop() {
		Ring(4, 6)
	}
}

func BenchmarkYielders(b *testing.B) {
	for b.Loop() {
		Yielders(4, 12)
	}
}

func BenchmarkLocks(b *testing.B) {
	for b.Loop() {
		Locks(1000)
	}
}

func BenchmarkAccesses(b *testing.B) {
	v := new(Vars)
	for b.Loop() {
		Accesses(v)
	}
}
