package detect

import (
	"fmt"
	"math/rand"
	"testing"

	"heddle/trace"
)

// An access as the twin remembers it: all of them, with the clock they had.
type access struct {
	g    trace.Chain
	own  uint32
	c    trace.Clock
	p, n uintptr
	k    kind
	at   trace.Site
}

func (x *access) on(b uintptr) bool { return b-x.p < x.n }

func (x *access) before(y *access) bool { return x.own <= y.c.At(x.g) }

// A twin is the detector that the definition asks for.
type twin []access

// racing returns the earlier accesses to byte b that x races with, and those of them that no later
// one stands for.
func (t twin) racing(x *access, b uintptr) (all, top []*access) {
	for i := range t {
		if y := &t[i]; y.on(b) && conflict(x.k, y.k) && !y.before(x) {
			all = append(all, y)
		}
	}
next:
	for i, y := range all {
		for _, z := range all[i+1:] {
			if y.before(z) && standsFor(z.k, y.k) {
				continue next
			}
		}
		top = append(top, y)
	}
	return all, top
}

// repeated reports whether x does again to byte b what its goroutine has done since its last
// release.
func (t twin) repeated(x *access, b uintptr) bool {
	for i := range t {
		if y := &t[i]; y.on(b) && y.g == x.g && y.own == x.own && y.k == x.k && y.at == x.at {
			return true
		}
	}
	return false
}

func (t twin) forget(p, n uintptr) twin {
	var left twin
	for _, x := range t {
		for b := x.p; b-x.p < x.n; b++ {
			if b-p >= n {
				y := x
				y.p, y.n = b, 1
				left = append(left, y)
			}
		}
	}
	return left
}

// A world is goroutines and locks with their clocks, and both detectors.
type world struct {
	t      testing.TB
	s      *Shadow
	twin   twin
	gs     []trace.Clock
	locks  [3]trace.Clock
	reads  bool // most accesses are
	pages  bool // many are of whole pages
	ranges bool // many are of tens of words
	steps  bool // many are told as steps
	sites  int  // how many places there are; 0: every access has its own
	told   map[places]bool
	raced  int
	origin uintptr
}

func newWorld(t testing.TB, s *Shadow, sites int, origin uintptr) *world {
	w := &world{t: t, s: s, sites: sites, origin: origin}
	w.reset()
	return w
}

func (w *world) reset() {
	w.s.Reset()
	w.twin, w.gs, w.locks = nil, []trace.Clock{{1}}, [3]trace.Clock{}
	w.told = make(map[places]bool)
}

func (w *world) release(g int, l *trace.Clock) {
	*l = l.Join(w.gs[g])
	w.gs[g][g]++
}

func (w *world) fork(g int) {
	n := len(w.gs)
	c := trace.Clock(nil).Copy(w.gs[g]).Set(trace.Chain(n), 1)
	w.gs = append(w.gs, c)
	w.gs[g][g]++
}

// run obeys data, a few bytes an act.
func (w *world) run(data []byte, maxG int) {
	next := func() int {
		if len(data) == 0 {
			return 0
		}
		b := data[0]
		data = data[1:]
		return int(b)
	}
	for len(data) > 0 {
		act := next()
		g := next() % len(w.gs)
		switch {
		case act < 24:
			if len(w.gs) < maxG {
				w.fork(g)
			}
		case act < 48:
			w.release(g, &w.locks[next()%3])
		case act < 72:
			w.gs[g] = w.gs[g].Join(w.locks[next()%3])
		case act < 80: // join: all that another goroutine has done
			w.release(next()%len(w.gs), &w.gs[g])
		case act < 84:
			p, n := w.origin+uintptr(next()%24), uintptr(next()%20)
			if w.ranges {
				p, n = p+uintptr(next()%8)*64, n*20
			}
			w.s.Forget(p, n)
			w.twin = w.twin.forget(p, n)
		case act < 85:
			w.reset()
		default:
			n := [...]uintptr{1, 1, 2, 4, 8, 8, 8, 16, 3, 24, 0, 5}[next()%12]
			p := w.origin + uintptr(next()%24)
			if act&1 == 0 && n > 0 {
				p &^= min(n, 8) - 1 // aligned, as most are
			}
			if w.pages && act >= 190 { // a page and its neighbours, or some of it
				p, n = w.origin&^(pageSize-1), pageSize+uintptr(next()%3)*pageSize/2
			}
			if w.ranges {
				p += uintptr(next()%10) * 64
				if act >= 120 {
					p, n = p&^7, uintptr(next()%60)*8
				}
				if act >= 230 {
					n = uintptr(next()) * 2
				}
			}
			kinds := [...]kind{plain, plain, plain | write, plain | write, write, 0}
			if w.reads {
				kinds = [...]kind{plain, plain, plain, plain, 0, 0}
				if act >= 250 {
					kinds[0] = plain | write
				}
			}
			k := kinds[next()%6]
			at := trace.Site(len(w.twin) + 1)
			if w.sites > 0 {
				at = trace.Site(next()%w.sites + 1)
			}
			x := access{g: trace.Chain(g), own: w.gs[g][g], c: w.gs[g], p: p, n: n, k: k, at: at}
			if w.steps && act&2 != 0 && n > 0 && k&plain != 0 && p > 200 {
				w.accesses(x, uintptr(next()%40-12), next()%12+1) // none goes around 0
			} else {
				w.access(x, w.tell(&x))
			}
		}
	}
}

func (w *world) tell(x *access) []Race {
	var r *Race
	c := clock(x.c...)
	switch x.k {
	case plain:
		r = w.s.Read(x.g, c, x.p, x.n, x.at)
	case plain | write:
		r = w.s.Write(x.g, c, x.p, x.n, x.at)
	default:
		r = w.s.Atomic(x.g, c, x.p, x.n, x.at, x.k == write)
	}
	if r == nil {
		return nil
	}
	return w.s.Races()
}

// accesses makes an access some times, in steps, and tells all at once.
func (w *world) accesses(x access, step uintptr, times int) {
	var bytes []Race
	if w.s.Steps(x.g, clock(x.c...), x.p, x.n, step, uintptr(times), x.at, x.k&write != 0) != nil {
		for _, r := range w.s.Races() {
			w.told[places{r.At, r.Prev, x.k | kindOf(&r)<<2}] = true // checked below
			for b := range r.Size {
				one := r
				one.Addr, one.Size = r.Addr+b, 1
				bytes = append(bytes, one)
			}
		}
	}
	all := 0
	for range times {
		var races []Race
		for _, r := range bytes {
			if x.on(r.Addr) {
				races = append(races, r)
			}
		}
		w.access(x, races)
		all += len(races)
		x.p += step
	}
	if all < len(bytes) {
		w.t.Fatalf("%v and on in %d steps of %d: races elsewhere: %v", &x, times, int(step), bytes)
	}
}

// access checks the races that were reported of x.
func (w *world) access(x access, races []Race) {
	if w.ranges {
		w.layout()
	}
	for i := range races {
		w.check(&x, &races[i])
	}
	for b := x.p; b-x.p < x.n; b++ {
		all, top := w.twin.racing(&x, b)
		again := w.twin.repeated(&x, b)
		if w.s.all && !again {
			for _, y := range top {
				if !named(races, y, b) {
					w.t.Fatalf("%v: no race reported with %v on byte %#x", &x, y, b)
				}
			}
		}
		if len(all) > 0 && !w.known(&x, all, again) {
			w.t.Fatalf("%v: no race reported with any of %v on byte %#x", &x, all, b)
		}
	}
	if len(races) > 0 {
		w.raced++
	}
	x.c = append(trace.Clock(nil), x.c...)
	w.twin = append(w.twin, x)
}

// layout checks what must be true of all pages.
func (w *world) layout() {
	for i := range w.s.pages.used {
		pg, covered := w.s.pages.all[i], uint64(0)
		for k := range pg.runs[:pg.nruns] {
			r := &pg.runs[k]
			m := wordsOf(uint(r.from), uint(r.to))
			if m == 0 || covered&m != 0 || r.cell.wide() || r.cell.a.head == 0 {
				w.t.Fatalf("runs %+v", pg.runs[:pg.nruns])
			}
			covered |= m
		}
		if covered != pg.covered || covered&pg.used != 0 {
			w.t.Fatalf("covered %#x, used %#x, runs %+v", pg.covered, pg.used, pg.runs[:pg.nruns])
		}
		for k := range pg.cells {
			if pg.used>>k&1 == 0 && pg.cells[k] != (cell{}) {
				w.t.Fatalf("cell %d holds something", k)
			}
		}
	}
}

// check checks that r is true.
func (w *world) check(x *access, r *Race) {
	if r.At != x.at || r.Write != (x.k&write != 0) || r.Atomic != (x.k&plain == 0) || r.Size == 0 {
		w.t.Fatalf("%v: reported as %+v", x, r)
	}
	for b := r.Addr; b-r.Addr < r.Size; b++ {
		all, _ := w.twin.racing(x, b)
		true := false
		for _, y := range all {
			true = true || is(r, y)
		}
		if !true || !x.on(b) {
			w.t.Fatalf("%v: false race on byte %#x: %+v", x, b, r)
		}
	}
	w.told[places{r.At, r.Prev, x.k | kindOf(r)<<2}] = true
}

func kindOf(r *Race) (k kind) {
	if r.PrevWrite {
		k |= write
	}
	if !r.PrevAtomic {
		k |= plain
	}
	return k
}

func is(r *Race, y *access) bool {
	return r.Prev == y.at && kindOf(r) == y.k && r.PrevEpoch == trace.NewEpoch(y.g, y.own)
}

func named(races []Race, y *access, b uintptr) bool {
	for i := range races {
		if r := &races[i]; is(r, y) && b-r.Addr < r.Size {
			return true
		}
	}
	return false
}

// known reports whether the places of x and of one of ys were reported in this execution.
func (w *world) known(x *access, ys []*access, again bool) bool {
	for _, y := range ys {
		if w.told[places{x.at, y.at, x.k | y.k<<2}] || again && w.told[places{y.at, x.at, y.k | x.k<<2}] {
			return true
		}
	}
	return false
}

func (x *access) String() string {
	return fmt.Sprintf("{%s by %d@%d at %d: %#x+%d}",
		[...]string{"atomic read", "read", "atomic write", "write"}[x.k], x.own, x.g, x.at, x.p, x.n)
}

var origins = [...]uintptr{0x1000, 0x11ff0, 0, 0xfffffffffffff1f4, ^uintptr(0) - 47}

func TestAgainstTwin(t *testing.T) {
	for _, test := range []struct {
		name        string
		sites, maxG int
		all, reads  bool
		pages       bool
		ranges      bool
		steps       bool
	}{
		{"EveryRace", 0, 4, true, false, false, false, false},
		{"EveryRaceManyGoroutines", 0, 40, true, false, false, false, false},
		{"FewPlacesAll", 3, 5, true, false, false, false, false},
		{"FewPlaces", 3, 5, false, false, false, false, false},
		{"FewPlacesManyGoroutines", 8, 40, false, false, false, false, false},
		{"ManyReaders", 0, 40, true, true, false, false, false},
		{"ManyReadersFewPlaces", 2, 30, true, true, false, false, false},
		{"Pages", 0, 4, true, false, true, false, false},
		{"PagesFewPlaces", 3, 5, false, false, true, false, false},
		{"PagesReaders", 2, 8, true, true, true, false, false},
		{"Ranges", 0, 4, true, false, false, true, false},
		{"RangesFewPlaces", 2, 3, false, false, false, true, false},
		{"RangesFewPlacesAll", 3, 5, true, false, false, true, false},
		{"RangesReaders", 2, 8, true, true, false, true, false},
		{"Steps", 0, 4, true, false, false, false, true},
		{"StepsFewPlaces", 3, 5, false, false, false, false, true},
		{"StepsReaders", 2, 30, true, true, false, false, true},
		{"StepsRanges", 3, 5, true, false, false, true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			rng := rand.New(rand.NewSource(1))
			s := &Shadow{all: test.all} // one for all: what is left of an execution must not show in the next
			raced, told, n := 0, 0, 4000
			if test.maxG > 10 {
				n = 800
			}
			switch {
			case test.pages:
				n = 60 // of many bytes each
			case test.ranges:
				n = 150
			}
			if testing.Short() {
				n /= 10
			}
			for range n {
				data := make([]byte, 20+rng.Intn(40*test.maxG))
				rng.Read(data)
				w := newWorld(t, s, test.sites, origins[rng.Intn(len(origins))])
				if test.pages || test.ranges || test.steps {
					w.origin = origins[rng.Intn(3)] // the twin counts bytes beyond the last address
				}
				w.reads, w.pages, w.ranges, w.steps = test.reads, test.pages, test.ranges, test.steps
				w.run(data, test.maxG)
				raced += w.raced
				told += len(w.twin)
			}
			// what is forgotten cuts pages in many parts
			if raced < told/100 && !test.pages && !test.ranges ||
				raced < 10 && (test.pages || test.ranges) && !testing.Short() || raced > told {
				t.Errorf("%d of %d accesses raced: the test tests little", raced, told)
			}
		})
	}
}

func FuzzTwin(f *testing.F) {
	rng := rand.New(rand.NewSource(2))
	for i := range 8 {
		data := make([]byte, 200)
		rng.Read(data)
		f.Add(data, uint8(i))
	}
	s := &Shadow{}
	f.Fuzz(func(t *testing.T, data []byte, how uint8) {
		if len(data) > 2000 {
			return
		}
		s.all = how&1 != 0
		w := newWorld(t, s, int(how>>1&3), origins[int(how>>3)%len(origins)])
		w.run(data, 3+int(how>>5)*5)
	})
}
