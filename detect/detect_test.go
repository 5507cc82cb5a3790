package detect

import (
	"slices"
	"testing"
	"unsafe"

	"heddle/trace"
)

const (
	siteA trace.Site = iota + 1
	siteB
	siteC
	siteD
)

// Clocks of goroutines that know nothing of each other.
var (
	c0 = clock(1)
	c1 = clock(0, 1)
	c2 = clock(0, 0, 1)
	c3 = clock(0, 0, 0, 1)
)

// clock returns a vector clock with these entries.
func clock(entries ...uint32) *trace.Vector {
	c := new(trace.Vector)
	for k, v := range entries {
		c.Set(trace.Chain(k), v)
	}
	return c
}

// alone returns the clock of the goroutine of chain k, which knows of no other one.
func alone(k trace.Chain) *trace.Vector {
	c := new(trace.Vector)
	c.Set(k, 1)
	return c
}

const at = uintptr(0xc000012340)

func prevs(rs []Race) (sites []trace.Site) {
	for _, r := range rs {
		sites = append(sites, r.Prev)
	}
	slices.Sort(sites)
	return sites
}

func TestRaceWriteRead(t *testing.T) {
	var s Shadow
	s.Write(0, c0, at, 8, siteA)
	r := s.Read(1, c1, at+4, 1, siteB)
	want := Race{Addr: at + 4, Size: 1, At: siteB, Prev: siteA, PrevWrite: true,
		PrevEpoch: trace.NewEpoch(0, 1)}
	if r == nil || *r != want {
		t.Fatalf("got %+v, want %+v", r, want)
	}
}

func TestNoRaceOrdered(t *testing.T) {
	var s Shadow
	s.Write(0, c0, at, 8, siteA)
	if r := s.Write(1, clock(1, 1), at, 8, siteB); r != nil {
		t.Fatalf("%+v", r)
	}
	if r := s.Read(0, clock(2, 1), at, 8, siteC); r != nil {
		t.Fatalf("%+v", r)
	}
}

// FastTrack's figure 4 and its read vectors: a write after reads by two goroutines that know of the
// write but not of each other. With both reads ordered before it there is no race; with neither, it
// races with both.
func TestRaceReadShared(t *testing.T) {
	var s Shadow
	s.Write(0, c0, at, 8, siteA)
	for _, r := range []*Race{
		s.Read(1, clock(1, 1), at, 8, siteB),
		s.Read(2, clock(1, 0, 1), at, 8, siteC),
	} {
		if r != nil {
			t.Fatalf("%+v", r)
		}
	}
	if s.Write(3, clock(1, 0, 0, 1), at, 8, siteD) == nil {
		t.Fatal("missed")
	}
	if got := prevs(s.Races()); !slices.Equal(got, []trace.Site{siteB, siteC}) {
		t.Fatalf("races with %v", got)
	}
	s.Reset()
	s.Read(1, clock(1, 1), at, 8, siteB)
	s.Read(2, clock(1, 0, 1), at, 8, siteC)
	if r := s.Write(3, clock(1, 1, 1, 1), at, 8, siteD); r != nil {
		t.Fatalf("%+v", r)
	}
}

// A write, unordered reads by two others, then another write: all pairs.
func TestRaceAllPairs(t *testing.T) {
	var s Shadow
	s.Write(0, c0, at, 8, siteA)
	if r := s.Read(1, c1, at, 8, siteB); r == nil || r.Prev != siteA {
		t.Fatalf("%+v", r)
	}
	if r := s.Read(2, c2, at, 8, siteC); r == nil || r.Prev != siteA {
		t.Fatalf("%+v", r)
	}
	s.Write(3, c3, at, 8, siteD)
	if got := prevs(s.Races()); !slices.Equal(got, []trace.Site{siteA, siteB, siteC}) {
		t.Fatalf("races with %v", got)
	}
}

// FastTrack forgets the first write here when it reports the second, and misses the race of the
// third with it.
func TestRaceBehindARace(t *testing.T) {
	var s Shadow
	s.Write(0, c0, at, 8, siteA)
	s.Write(1, c1, at, 8, siteB)
	r := s.Write(2, clock(0, 1, 1), at, 8, siteC) // ordered after the second only
	if r == nil || r.Prev != siteA || len(s.Races()) != 1 {
		t.Fatalf("%+v", s.Races())
	}
}

func TestReportedOnce(t *testing.T) {
	var s Shadow
	n := 0
	for i := range uint32(100) {
		for v := range uintptr(100) {
			if s.Write(0, clock(1+i), at+8*v, 8, siteA) != nil {
				n++
			}
			if s.Write(1, clock(0, 1+i), at+8*v, 8, siteB) != nil {
				n++
			}
		}
	}
	if n != 2 { // A before B and B before A
		t.Errorf("%d reports", n)
	}
	s.Reset()
	s.Write(0, c0, at, 8, siteA)
	if s.Write(1, c1, at, 8, siteB) == nil {
		t.Error("not reported in the next execution")
	}
}

func TestSecondPlaceOfAnEpoch(t *testing.T) {
	var s Shadow
	s.Write(0, c0, at, 8, siteA)
	s.Read(1, c1, at, 8, siteB)
	if r := s.Read(1, c1, at, 8, siteC); r == nil || r.At != siteC {
		t.Errorf("the second place that races was not reported: %+v", r)
	}
}

func TestAtomic(t *testing.T) {
	for _, test := range []struct {
		name        string
		first, then kind
		want        bool
	}{
		{"NoRaceLoadLoad", 0, 0, false},
		{"NoRaceStoreLoad", write, 0, false},
		{"NoRaceStoreStore", write, write, false},
		{"NoRaceLoadRead", 0, plain, false},
		{"RaceStoreRead", write, plain, true},
		{"RaceReadStore", plain, write, true},
		{"RaceLoadWrite", 0, plain | write, true},
		{"RaceWriteLoad", plain | write, 0, true},
		{"RaceWriteStore", plain | write, write, true},
		{"NoRaceReadRead", plain, plain, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := world{s: new(Shadow)}
			w.tell(&access{g: 0, c: trace.Clock{1}, p: at, n: 4, k: test.first, at: siteA})
			if got := len(w.tell(&access{g: 1, c: trace.Clock{0, 1}, p: at, n: 4, k: test.then,
				at: siteB})) > 0; got != test.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

// An atomic store does not take the place of an unordered one: a plain read that saw only the
// second races with the first.
func TestRaceWithEarlierStore(t *testing.T) {
	var s Shadow
	s.Atomic(0, c0, at, 8, siteA, true)
	s.Atomic(1, c1, at, 8, siteB, true)
	if r := s.Read(2, clock(0, 1, 1), at, 8, siteC); r == nil || r.Prev != siteA || !r.PrevAtomic {
		t.Errorf("%+v", r)
	}
}

// A layout as Go programs have it: the fields of a struct, each with its own goroutine.
func TestFields(t *testing.T) {
	var v struct {
		a, b bool
		c    uint16
		d    uint32
		e    [3]byte
		f    string
	}
	base := at - 4 // not at the start of a word
	fields := []struct{ off, n uintptr }{
		{unsafe.Offsetof(v.a), 1}, {unsafe.Offsetof(v.b), 1}, {unsafe.Offsetof(v.c), 2},
		{unsafe.Offsetof(v.d), 4}, {unsafe.Offsetof(v.e), 3}, {unsafe.Offsetof(v.f), 16},
	}
	var s Shadow
	clocks := make([]*trace.Vector, len(fields))
	for i := range clocks {
		clocks[i] = alone(trace.Chain(i))
	}
	for range 3 {
		for i, f := range fields {
			if r := s.Write(trace.Chain(i), clocks[i], base+f.off, f.n, trace.Site(i+1)); r != nil {
				t.Fatalf("field %d: false race %+v", i, r)
			}
			clocks[i].Tick(trace.Chain(i))
		}
	}
	// Copying the struct races with every field.
	g := trace.Chain(len(fields))
	if s.Read(g, alone(g), base, unsafe.Sizeof(v), 100) == nil {
		t.Fatal("missed")
	}
	if got := prevs(s.Races()); len(got) != len(fields) {
		t.Errorf("the copy races with %v", got)
	}
	for _, r := range s.Races() {
		if f := fields[r.Prev-1]; r.Addr != base+f.off || r.Size != f.n {
			t.Errorf("field %d: %#x+%d", r.Prev-1, r.Addr-base, r.Size)
		}
	}
}

func TestRangeAcrossPages(t *testing.T) {
	var s Shadow
	const n = 1 << 20
	s.Write(0, c0, at+3, n, siteA)
	r := s.Read(1, c1, at+1000, 2*n, siteB)
	if r == nil || len(s.Races()) != 1 || r.Addr != at+1000 || r.Size != n-1000+3 {
		t.Fatalf("%+v", s.Races())
	}
	if r := s.Read(1, c1, at+3+n, 1, siteC); r != nil {
		t.Errorf("behind the range: %+v", r)
	}
	if r := s.Read(1, c1, at+2, 1, siteC); r != nil {
		t.Errorf("before the range: %+v", r)
	}
	if r := s.Read(1, c1, at+2+n, 1, siteC); r == nil {
		t.Error("last byte missed")
	}
}

func TestEndOfAddresses(t *testing.T) {
	var s Shadow
	top := ^uintptr(0)
	s.Write(0, c0, top-700, 701, siteA)
	if r := s.Write(1, c1, top, 1, siteB); r == nil {
		t.Error("missed")
	}
	s.Reset()
	s.Write(0, c0, top-3, 100, siteA) // there is no more
	if r := s.Write(1, c1, top, 1, siteB); r == nil {
		t.Error("missed")
	}
	s.Forget(top-700, 701)
	if r := s.Read(2, c2, top-700, 701, siteC); r != nil {
		t.Errorf("%+v", r)
	}
	s.Write(0, c0, 0, 1, siteA)
	if r := s.Read(1, c1, 0, 1, siteB); r == nil {
		t.Error("address 0 missed")
	}
}

func TestForget(t *testing.T) {
	var s Shadow
	s.Write(0, c0, at, 8, siteA)
	s.Forget(at+2, 3)
	if r := s.Write(1, c1, at+2, 3, siteB); r != nil {
		t.Errorf("%+v", r)
	}
	if r := s.Write(1, c1, at+1, 2, siteB); r == nil || r.Addr != at+1 || r.Size != 1 {
		t.Errorf("%+v", r)
	}
	for range 100 { // what is forgotten gives its wide back
		for g, c := range []*trace.Vector{c0, c1, c2} {
			s.Read(trace.Chain(g), c, at+64, 8, siteA)
		}
		s.Forget(at+64, 8)
	}
	if s.wides.used != 1 {
		t.Errorf("%d wides in use", s.wides.used)
	}
	s.Forget(0, ^uintptr(0)) // more pages than there are
	if r := s.Write(2, c2, at, 8, siteC); r != nil {
		t.Errorf("%+v", r)
	}
}

func TestManyReaders(t *testing.T) {
	var s Shadow
	const n = 3000
	s.Write(0, clock(1), at, 8, 1)
	for round := range uint32(3) {
		for g := trace.Chain(1); g < n; g++ {
			c := clock(1)
			c.Set(g, 1+round)
			if r := s.Read(g, c, at, 8, trace.Site(g+1)); r != nil {
				t.Fatalf("%+v", r)
			}
			s.Read(g, c, at+4, 2, trace.Site(n+g)) // takes two bytes from the other
		}
	}
	if w := s.wides.all[0]; len(w.es) > 2*n {
		t.Errorf("%d entries", len(w.es))
	}
	all := make([]uint32, n+1)
	for g := range all {
		all[g] = 3
	}
	all[17], all[2345] = 2, 0
	all[n] = 1
	s.Write(n, clock(all...), at, 8, 3*n)
	if got := slices.Compact(prevs(s.Races())); !slices.Equal(got, []trace.Site{18, 2346, n + 17, n + 2345}) {
		t.Errorf("races with %v", got)
	}
	if len(s.wides.all[0].es) > 5 {
		t.Errorf("%d entries kept", len(s.wides.all[0].es))
	}
}

// Executions that touch the same memory, and ones that touch other memory, use the same pages.
func TestMemoryDoesNotGrow(t *testing.T) {
	var s Shadow
	execute := func(base uintptr) {
		s.Reset()
		for i := range uintptr(2000) {
			p := base + i*104
			for g := range trace.Chain(20) {
				s.Read(g, alone(g), p, 8, trace.Site(g+1))
			}
		}
		s.Write(0, c0, base, 1<<16, siteA)
	}
	execute(at)
	pages, wides, slots := len(s.pages.all), len(s.wides.all), len(s.pages.slots)
	for i := range uintptr(50) {
		execute(at + i%7*(1<<30))
	}
	if len(s.pages.all) != pages || len(s.wides.all) != wides || len(s.pages.slots) != slots {
		t.Errorf("grew from %d pages, %d slots, %d wides to %d, %d, %d", pages, slots, wides,
			len(s.pages.all), len(s.pages.slots), len(s.wides.all))
	}
	clocks := []*trace.Vector{c0, c1, c2, c3}
	if n := testing.AllocsPerRun(20, func() {
		s.Reset()
		for i := range uintptr(1000) {
			for g, c := range clocks {
				s.Read(trace.Chain(g), c, at+i*88, 8, siteA)
				s.Write(trace.Chain(g), c, at+i*88+4, 2, siteB)
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations in an execution", n)
	}
}

// A variable that is handed on in order never needs more than its cell, whatever bytes are touched.
func TestHandoverStaysInTheCell(t *testing.T) {
	var s Shadow
	c := clock(1, 1, 1)
	for i := range uintptr(3000) {
		g := trace.Chain(i / 7 % 3)
		c.Tick(g)
		s.Read(g, c, at+i%5, 1+i%3, siteA)
		s.Write(g, c, at, 8, siteB)
	}
	if s.wides.used > 0 {
		t.Errorf("%d wides used", s.wides.used)
	}
}

// Pages whose places in the table collide are all found, and all taken out.
func TestCollidingPages(t *testing.T) {
	var ps pages
	for i := range uintptr(100) {
		ps.get(i * pageSize)
	}
	ps.reset()
	var same []uintptr
	for p := uintptr(0); len(same) < 10; p += pageSize {
		if h := ps.home(key(p)); h == 7 || h == 8 {
			same = append(same, p)
		}
	}
	for range 3 {
		got := make(map[*page]bool)
		for _, p := range same {
			got[ps.get(p)] = true
		}
		for _, p := range same {
			if !got[ps.find(p)] || len(got) != len(same) {
				t.Fatal("a page is lost")
			}
		}
		ps.reset()
		for i, x := range ps.slots {
			if x.key != 0 {
				t.Fatalf("slot %d is not empty", i)
			}
		}
	}
}

func TestCellIsCompact(t *testing.T) {
	if n := unsafe.Sizeof(page{}.cells); n != 2048 {
		t.Errorf("the cells of a page have %d bytes", n)
	}
}
