// Package ordered has fuzz targets as one writes them for parts of servers, caches, parsers and
// codecs. Each has a bug that needs an input and an order of goroutines, and a twin without the bug
// (Fixed). The file targets.txt says what each needs and has an input that shows the bug in some
// order. The targets were written without knowledge of how heddle looks for inputs (go run ./bench
// -fuzz FILE).
package ordered

import (
	"container/heap"
	"maps"
	"math/bits"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// A blocklist counts the addresses that it has banned.
type blocklist struct {
	mu     sync.Mutex
	banned map[[4]byte]bool
	count  int
}

func (b *blocklist) ban(addr [4]byte, fixed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	known := b.banned[addr]
	if !fixed {
		b.mu.Unlock() // for the time that the log takes
		b.mu.Lock()
	}
	if !known {
		b.banned[addr] = true
		b.count++
	}
}

func arrayEqual(t *testing.T, a, b, c, d byte, fixed bool) {
	addr := [4]byte{a, b, c, d}
	if addr != [4]byte{10, 20, 30, 44} {
		return
	}
	list := blocklist{banned: map[[4]byte]bool{}}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { list.ban(addr, fixed) })
	}
	wg.Wait()
	if list.count != len(list.banned) {
		t.Errorf("%d bans of %d addresses", list.count, len(list.banned))
	}
}

func FuzzArrayEqual(f *testing.F) {
	f.Add(byte(127), byte(0), byte(0), byte(1))
	f.Fuzz(func(t *testing.T, a, b, c, d byte) { arrayEqual(t, a, b, c, d, false) })
}

func FuzzArrayEqualFixed(f *testing.F) {
	f.Add(byte(127), byte(0), byte(0), byte(1))
	f.Fuzz(func(t *testing.T, a, b, c, d byte) { arrayEqual(t, a, b, c, d, true) })
}

// A cell is a place in a warehouse.
type cell struct {
	X, Y  int16
	Floor uint8
}

func structEqual(t *testing.T, x, y int16, floor uint8, fixed bool) {
	dock := cell{X: 12, Y: -7, Floor: 3}
	target := cell{x, y, floor}
	var busy atomic.Bool
	var charging atomic.Int32
	robot := func() {
		if target != dock {
			return
		}
		if fixed {
			if !busy.CompareAndSwap(false, true) {
				return
			}
		} else {
			if busy.Load() {
				return
			}
			busy.Store(true)
		}
		if charging.Add(1) > 1 {
			t.Error("two robots in the dock")
		}
	}
	var wg sync.WaitGroup
	wg.Go(robot)
	wg.Go(robot)
	wg.Wait()
}

func FuzzStructEqual(f *testing.F) {
	f.Add(int16(0), int16(0), uint8(1))
	f.Fuzz(func(t *testing.T, x, y int16, floor uint8) { structEqual(t, x, y, floor, false) })
}

func FuzzStructEqualFixed(f *testing.F) {
	f.Add(int16(0), int16(0), uint8(1))
	f.Fuzz(func(t *testing.T, x, y int16, floor uint8) { structEqual(t, x, y, floor, true) })
}

// A leg is a way between two stations.
type leg struct{ from, to uint8 }

var distances = map[leg]int{{3, 9}: 120, {9, 14}: 75, {14, 200}: 310, {200, 31}: 44}

// structKey sends two trains over a leg in opposite directions. On a long one a train keeps both
// stations.
func structKey(from, to uint8, fixed bool) {
	km, ok := distances[leg{from, to}]
	if !ok || km < 300 {
		return
	}
	var stations [256]sync.Mutex
	ride := func(a, b uint8) {
		if fixed && a > b {
			a, b = b, a
		}
		stations[a].Lock()
		defer stations[a].Unlock()
		stations[b].Lock()
		defer stations[b].Unlock()
	}
	var wg sync.WaitGroup
	wg.Go(func() { ride(from, to) })
	wg.Go(func() { ride(to, from) })
	wg.Wait()
}

func FuzzStructKey(f *testing.F) {
	f.Add(uint8(1), uint8(2))
	f.Fuzz(func(t *testing.T, from, to uint8) { structKey(from, to, false) })
}

func FuzzStructKeyFixed(f *testing.F) {
	f.Add(uint8(1), uint8(2))
	f.Fuzz(func(t *testing.T, from, to uint8) { structKey(from, to, true) })
}

// A currency is a code of ISO 4217.
type currency [3]byte

var decimals = map[currency]int{{'E', 'U', 'R'}: 2, {'J', 'P', 'Y'}: 0, {'K', 'W', 'D'}: 3}

func arrayKey(a, b, c byte, fixed bool) {
	var mu sync.Mutex
	var rounded int
	pay := func(amount int) {
		n, ok := decimals[currency{a, b, c}]
		if !ok || n < 3 {
			return
		}
		if fixed {
			mu.Lock()
			defer mu.Unlock()
		}
		rounded += amount % 5
	}
	var wg sync.WaitGroup
	wg.Go(func() { pay(1003) })
	wg.Go(func() { pay(12) })
	wg.Wait()
}

func FuzzArrayKey(f *testing.F) {
	f.Add(byte('E'), byte('U'), byte('R'))
	f.Fuzz(func(t *testing.T, a, b, c byte) { arrayKey(a, b, c, false) })
}

func FuzzArrayKeyFixed(f *testing.F) {
	f.Add(byte('E'), byte('U'), byte('R'))
	f.Fuzz(func(t *testing.T, a, b, c byte) { arrayKey(a, b, c, true) })
}

// mapLiteral has two operators send the same command. The second of two that shut down must find
// the channel closed.
func mapLiteral(name string, fixed bool) {
	commands := map[string]int{"reload": 1, "drain": 2, "shutdown": 3}
	done := make(chan struct{})
	var once sync.Once
	operator := func() {
		if commands[name] != 3 {
			return
		}
		if fixed {
			once.Do(func() { close(done) })
			return
		}
		select {
		case <-done:
		default:
			close(done)
		}
	}
	var wg sync.WaitGroup
	wg.Go(operator)
	wg.Go(operator)
	wg.Wait()
}

func FuzzMapLiteral(f *testing.F) {
	f.Add("status")
	f.Fuzz(func(t *testing.T, name string) { mapLiteral(name, false) })
}

func FuzzMapLiteralFixed(f *testing.F) {
	f.Add("status")
	f.Fuzz(func(t *testing.T, name string) { mapLiteral(name, true) })
}

// mapRange adds the prices of all tiers that n calls reach. A certain sum comes with a voucher.
func mapRange(t *testing.T, n uint16, fixed bool) {
	tiers := map[uint16]int{100: 5, 250: 10, 700: 20, 4000: 40}
	price := 0
	for from, p := range tiers {
		if n >= from {
			price += p
		}
	}
	if price != 35 || n%64 != 9 {
		return
	}
	vouchers := make(chan int, 2)
	vouchers <- 1
	if fixed {
		close(vouchers)
	}
	var used atomic.Int32
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if fixed {
				if v := <-vouchers; v == 1 {
					used.Add(1)
				}
				return
			}
			if len(vouchers) == 1 {
				<-vouchers // waits for ever where the other was faster
				used.Add(1)
			}
		})
	}
	wg.Wait()
	if used.Load() != 1 {
		t.Errorf("used %d times", used.Load())
	}
}

func FuzzMapRange(f *testing.F) {
	f.Add(uint16(10))
	f.Fuzz(func(t *testing.T, n uint16) { mapRange(t, n, false) })
}

func FuzzMapRangeFixed(f *testing.F) {
	f.Add(uint16(10))
	f.Fuzz(func(t *testing.T, n uint16) { mapRange(t, n, true) })
}

// mapsKeys counts the requests that have exactly the parameters id and ttl.
func mapsKeys(t *testing.T, query string, fixed bool) {
	params := map[string]string{}
	for part := range strings.SplitSeq(query, "&") {
		if k, v, ok := strings.Cut(part, "="); ok {
			params[k] = v
		}
	}
	keys := slices.Sorted(maps.Keys(params))
	if !slices.Equal(keys, []string{"id", "ttl"}) {
		return
	}
	var hits atomic.Int64
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if fixed {
				hits.Add(1)
			} else {
				hits.Store(hits.Load() + 1)
			}
		})
	}
	wg.Wait()
	if hits.Load() != 2 {
		t.Errorf("%d hits of 2", hits.Load())
	}
}

func FuzzMapsKeys(f *testing.F) {
	f.Add("a=1")
	f.Fuzz(func(t *testing.T, query string) { mapsKeys(t, query, false) })
}

func FuzzMapsKeysFixed(f *testing.F) {
	f.Add("a=1")
	f.Fuzz(func(t *testing.T, query string) { mapsKeys(t, query, true) })
}

// A job waits in a queue.
type job struct{ priority, id byte }

// A jobQueue has the job of the highest priority first.
type jobQueue []job

func (q jobQueue) Len() int           { return len(q) }
func (q jobQueue) Less(i, j int) bool { return q[i].priority > q[j].priority }
func (q jobQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *jobQueue) Push(x any)        { *q = append(*q, x.(job)) }
func (q *jobQueue) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}

// heapOrder takes the first job of a queue, while that job is cancelled. It must not run if it was
// cancelled. Only jobs of a small priority can be.
func heapOrder(t *testing.T, data []byte, fixed bool) {
	var q jobQueue
	for i := 0; i+1 < len(data) && i < 16; i += 2 {
		heap.Push(&q, job{data[i], data[i+1]})
	}
	if q.Len() < 3 {
		return
	}
	first := heap.Pop(&q).(job)
	second := heap.Pop(&q).(job)
	if first.id != 42 || second.priority < 100 || first.priority > second.priority+1 {
		return
	}
	var started, cancelled atomic.Bool
	var state atomic.Int32
	var ran, stopped bool
	var wg sync.WaitGroup
	wg.Go(func() {
		if fixed {
			ran = state.CompareAndSwap(0, 1)
		} else if !cancelled.Load() {
			started.Store(true)
			ran = true
		}
	})
	wg.Go(func() {
		if fixed {
			stopped = state.CompareAndSwap(0, 2)
		} else if !started.Load() {
			cancelled.Store(true)
			stopped = true
		}
	})
	wg.Wait()
	if ran == stopped {
		t.Errorf("job %d: ran %v, cancelled %v", first.id, ran, stopped)
	}
}

func FuzzHeap(f *testing.F) {
	f.Add([]byte{1, 1, 2, 2})
	f.Fuzz(func(t *testing.T, data []byte) { heapOrder(t, data, false) })
}

func FuzzHeapFixed(f *testing.F) {
	f.Add([]byte{1, 1, 2, 2})
	f.Fuzz(func(t *testing.T, data []byte) { heapOrder(t, data, true) })
}

// sortMedian records the median of three measurements that are close to each other.
func sortMedian(a, b, c int, fixed bool) {
	v := []int{a, b, c}
	sort.Ints(v)
	if v[1] != 500 || v[2]-v[0] > 10 || v[2]-v[0] < 0 {
		return
	}
	var mu sync.RWMutex
	histogram := map[int]int{}
	record := func() {
		if fixed {
			mu.Lock()
			defer mu.Unlock()
		} else {
			mu.RLock()
			defer mu.RUnlock()
		}
		histogram[v[1]/100]++
	}
	var wg sync.WaitGroup
	wg.Go(record)
	wg.Go(record)
	wg.Wait()
}

func FuzzSortMedian(f *testing.F) {
	f.Add(1, 2, 3)
	f.Fuzz(func(t *testing.T, a, b, c int) { sortMedian(a, b, c, false) })
}

func FuzzSortMedianFixed(f *testing.F) {
	f.Add(1, 2, 3)
	f.Fuzz(func(t *testing.T, a, b, c int) { sortMedian(a, b, c, true) })
}

// slicesSort plans meetings. Where three overlap, two parties take two rooms each of three.
func slicesSort(data []byte, fixed bool) {
	type meeting struct{ start, end int }
	var plan []meeting
	for i := 0; i+1 < len(data) && i < 12; i += 2 {
		if data[i+1] > 0 {
			plan = append(plan, meeting{int(data[i]), int(data[i]) + int(data[i+1])})
		}
	}
	slices.SortFunc(plan, func(a, b meeting) int { return a.start - b.start })
	most := 0
	for i, m := range plan {
		n := 1
		for _, o := range plan[:i] {
			if o.end > m.start {
				n++
			}
		}
		most = max(most, n)
	}
	if most < 3 || plan[0].start < 60 {
		return
	}
	rooms := make(chan int, 2)
	rooms <- 1
	rooms <- 2
	var mu sync.Mutex
	party := func() {
		if fixed {
			mu.Lock()
			defer mu.Unlock()
		}
		a := <-rooms
		b := <-rooms
		rooms <- a
		rooms <- b
	}
	var wg sync.WaitGroup
	wg.Go(party)
	wg.Go(party)
	wg.Wait()
}

func FuzzSlicesSort(f *testing.F) {
	f.Add([]byte{9, 1, 10, 1})
	f.Fuzz(func(t *testing.T, data []byte) { slicesSort(data, false) })
}

func FuzzSlicesSortFixed(f *testing.F) {
	f.Add([]byte{9, 1, 10, 1})
	f.Fuzz(func(t *testing.T, data []byte) { slicesSort(data, true) })
}

// onesCount elects a leader if seven of eight voted.
func onesCount(t *testing.T, votes uint8, fixed bool) {
	if bits.OnesCount8(votes) != 7 {
		return
	}
	var mu sync.Mutex
	leader := 0
	elect := func(id int) int {
		mu.Lock()
		defer mu.Unlock()
		if leader == 0 {
			if !fixed {
				mu.Unlock()
				mu.Lock()
			}
			leader = id
		}
		return leader
	}
	var got [2]int
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i] = elect(i + 1) })
	}
	wg.Wait()
	if got[0] != got[1] {
		t.Errorf("leaders %v", got)
	}
}

func FuzzOnesCount(f *testing.F) {
	f.Add(uint8(3))
	f.Fuzz(func(t *testing.T, votes uint8) { onesCount(t, votes, false) })
}

func FuzzOnesCountFixed(f *testing.F) {
	f.Add(uint8(3))
	f.Fuzz(func(t *testing.T, votes uint8) { onesCount(t, votes, true) })
}

// bitMixing puts two values with one hash into a table. Slot 90 of a page that is often used has
// no lock.
func bitMixing(t *testing.T, key uint32, fixed bool) {
	h := bits.RotateLeft32(bits.ReverseBytes32(key)^0x9e3779b9, 7) + 0x1234567
	if bits.LeadingZeros32(h) != 12 || h&0xff != 90 {
		return
	}
	var slots [2]atomic.Uint32
	insert := func(v uint32) {
		for i := range slots {
			if fixed {
				if slots[i].CompareAndSwap(0, v) {
					return
				}
			} else if slots[i].Load() == 0 {
				slots[i].Store(v)
				return
			}
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() { insert(7) })
	wg.Go(func() { insert(8) })
	wg.Wait()
	if slots[0].Load()+slots[1].Load() != 15 {
		t.Errorf("%d and %d", slots[0].Load(), slots[1].Load())
	}
}

func FuzzBitMixing(f *testing.F) {
	f.Add(uint32(1))
	f.Fuzz(func(t *testing.T, key uint32) { bitMixing(t, key, false) })
}

func FuzzBitMixingFixed(f *testing.F) {
	f.Add(uint32(1))
	f.Fuzz(func(t *testing.T, key uint32) { bitMixing(t, key, true) })
}
