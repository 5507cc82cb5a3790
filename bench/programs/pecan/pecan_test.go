package pecan

import (
	"math"
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
func TestMoldyn(t *testing.T)          { run(t, Moldyn) }
func TestRayTracer(t *testing.T)       { run(t, RayTracer) }
func TestMonteCarlo(t *testing.T)      { run(t, MonteCarlo) }
func TestCache(t *testing.T)           { run(t, Cache) }
func TestWarehouses(t *testing.T)      { run(t, func() { Warehouses(1000) }) }
func TestCrawler(t *testing.T)         { run(t, Crawler) }
func TestMirror(t *testing.T)          { run(t, Mirror) }
func TestFigure6(t *testing.T)         { run(t, Figure6) }
func TestFigure7(t *testing.T)         { run(t, Figure7) }

// Stores of four clients. The number is about that of the events of one execution.
func TestStore10k(t *testing.T)  { run(t, func() { Store(10_000 / storeEvents) }) }
func TestStore100k(t *testing.T) { run(t, func() { Store(100_000 / storeEvents) }) }
func TestStore450k(t *testing.T) { run(t, func() { Store(450_000 / storeEvents) }) }
func TestStore1M(t *testing.T)   { run(t, func() { Store(1_000_000 / storeEvents) }) }

// Databases of four clients, in the same way.
func TestDatabase100k(t *testing.T) { run(t, func() { Database(100_000 / databaseEvents) }) }
func TestDatabase450k(t *testing.T) { run(t, func() { Database(450_000 / databaseEvents) }) }
func TestDatabase2M(t *testing.T)   { run(t, func() { Database(2_000_000 / databaseEvents) }) }

const databaseEvents = 4 * 16 // of one transaction of each client

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

// The kernels compute what they are to: energy is kept, a sphere in the middle of a quarter is
// brightest there, and the mean price goes where drift and volatility say.
func TestKernels(t *testing.T) {
	m := NewMolecules(4)
	m.Run(40)
	first, last := m.Energy[0], m.Energy[len(m.Energy)-1]
	if math.Abs(last-first) > 0.02*math.Abs(first) || m.interactions == 0 {
		t.Errorf("the energy goes from %v to %v, after %d interactions", first, last, m.interactions)
	}
	p := NewPicture(24)
	p.Draw()
	sum := 0
	for _, row := range p.rows {
		for _, v := range row {
			sum += v
		}
	}
	if sum != p.checksum || p.drawn != 24 || sum == 0 {
		t.Errorf("the sum is %d of %d rows, and %d of all points", p.checksum, p.drawn, sum)
	}
	if edge, inside := p.trace(0, 0), p.trace(8, 8); edge != 0 || inside == 0 {
		t.Errorf("brightness %d at the edge, %d inside", edge, inside)
	}
	r := NewRates()
	want := 100 * math.Exp(50*(r.drift+r.volatility*r.volatility/2))
	if got := r.Estimate(4000, 50); math.Abs(got-want) > 0.02*want {
		t.Errorf("a mean price of %v, want about %v", got, want)
	}
}

func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return
}
