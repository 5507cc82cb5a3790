package pecan

import (
	"os"
	"slices"
	"testing"
)

// The programs have races and may panic. That is rare without heddle, but the tests run only if
// HEDDLE_BENCH is set.
func run(t *testing.T, f func()) {
	t.Helper()
	if os.Getenv("HEDDLE_BENCH") == "" {
		t.Skip("HEDDLE_BENCH is not set")
	}
	f()
}

func TestAccount(t *testing.T)         { run(t, Account) }
func TestBuggyProgram(t *testing.T)    { run(t, BuggyProgram) }
func TestCriticalSection(t *testing.T) { run(t, CriticalSection) }
func TestLoader(t *testing.T)          { run(t, Loader) }
func TestManager(t *testing.T)         { run(t, Manager) }
func TestMergeSort(t *testing.T)       { run(t, MergeSort) }
func TestShop(t *testing.T)            { run(t, Shop) }
func TestStringBuf(t *testing.T)       { run(t, StringBuf) }
func TestArrayList(t *testing.T)       { run(t, ArrayList) }
func TestLinkedList(t *testing.T)      { run(t, LinkedList) }
func TestHashSet(t *testing.T)         { run(t, HashSet) }
func TestTreeSet(t *testing.T)         { run(t, TreeSet) }

// Stores of four clients. The number is about that of the events of one execution.
func TestStore10k(t *testing.T)  { run(t, func() { Store(10_000 / storeEvents) }) }
func TestStore100k(t *testing.T) { run(t, func() { Store(100_000 / storeEvents) }) }
func TestStore450k(t *testing.T) { run(t, func() { Store(450_000 / storeEvents) }) }
func TestStore1M(t *testing.T)   { run(t, func() { Store(1_000_000 / storeEvents) }) }

const storeEvents = 4 * 16 // of one transaction of each client

// The collections work as long as only one goroutine uses them.
func TestCollections(t *testing.T) {
	for name, c := range map[string]collection{
		"array": &arrayList{elements: make([]int, 1)}, "linked": newLinkedList(),
		"hash": &hashSet{buckets: make([]*entry, 2)}, "tree": new(treeSet),
	} {
		for _, n := range []int{5, 2, 8, 1, 3, 7} {
			c.Add(n)
		}
		c.Remove(5)
		c.Remove(4)
		var got []int
		for it := c.Iterator(); it.HasNext(); {
			got = append(got, it.Next())
		}
		slices.Sort(got)
		if want := []int{1, 2, 3, 7, 8}; !slices.Equal(got, want) || c.Contains(5) || !c.Contains(7) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
		it := c.Iterator()
		c.Clear()
		if c.Contains(2) {
			t.Errorf("%s: not empty", name)
		}
		if panics(func() { it.Next() }) == false {
			t.Errorf("%s: the iterator did not notice", name)
		}
	}
	b := NewStringBuffer("warp")
	b.Append(NewStringBuffer("weft"))
	if got := string(b.value[:b.Length()]); got != "warpweft" {
		t.Errorf("got %q", got)
	}
}

func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return
}
