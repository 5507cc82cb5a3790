package access

import (
	"sync"
	"testing"
)

// last ends a test that has no goroutines otherwise: an only interleaving is not executed again.
func last() {
	done := make(chan bool)
	go close(done)
	<-done
}

func product(t *testing.T, goroutines int) {
	a := NewMatrix(60)
	if c := Product(a, a, goroutines); c[1][1] != 990 {
		t.Errorf("the product has %v in its second row", c[1][1])
	}
}

func TestMatrix(t *testing.T)      { product(t, 2) }
func TestMatrixAlone(t *testing.T) { product(t, 0); last() }

func insertAll(tree *Tree, from int) int {
	x := uint32(from)
	for range 2000 {
		x = x*1664525 + 1013904223
		tree.Insert(int(x >> 20))
	}
	found := 0
	for key := range 4096 {
		if tree.Has(key) {
			found++
		}
	}
	return found
}

func TestTree(t *testing.T) {
	var wg sync.WaitGroup
	for g := range 2 {
		wg.Go(func() {
			var tree Tree
			if found := insertAll(&tree, g); found != tree.count {
				t.Errorf("%d of %d were found", found, tree.count)
			}
		})
	}
	wg.Wait()
}

func TestTreeAlone(t *testing.T) {
	defer last()
	var tree Tree
	if found := insertAll(&tree, 1); found != tree.count {
		t.Errorf("%d of %d were found", found, tree.count)
	}
}

func TestSieve(t *testing.T) {
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if n := Sieve(30_000); n != 3245 {
				t.Errorf("%d primes", n)
			}
		})
	}
	wg.Wait()
}
