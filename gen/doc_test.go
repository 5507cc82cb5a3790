package gen

import (
	"slices"
	"strings"
	"testing"
)

// TestAdvice: what sentences of doc comments say about methods, and what they do not.
func TestAdvice(t *testing.T) {
	for _, c := range []struct{ about, sentence, want string }{
		{"Value", "The returned value may not include all of the latest operations in presence of concurrent modifications.", "vague"},
		{"Value", "Range does not necessarily correspond to any consistent snapshot of the contents.", "vague"},
		{"Value", "The return value shared indicates whether v was given to multiple callers.", "vague"},
		{"Value", "If a duplicate comes in, the duplicate caller waits for the original and receives the same results.", "vague"},
		{"Value", "Value returns statistics for the map.", "vague"},
		{"Value", "Value returns the metrics of the cache.", "vague"},
		{"Value", "Value returns the current stats.", "vague"},
		{"Value", "Value returns an estimate of the size.", "vague"},
		{"Value", "Value returns the fill rate of the map as a percentage.", "vague"},
		{"TryGo", "TryGo tries to lock m without blocking.", "may fail"},
		{"TryGo", "If it does not succeed to acquire the lock, it returns ErrAcquireLock.", "may fail"},
		{"Reset", "This setting should be called before any Read or Write operation or after a Reset.", "first"},
		{"Reset", "This method should only be used when it is known that there are no concurrent modifications.", "alone"},
		{"Reset", "Reset must not be called concurrently with Value or Go.", "beside Go TryGo Value"},
		{"Reset", "Reset is not safe for concurrent use.", "alone"},
		{"Reset", "It cannot be used while Go is running.", "beside Go TryGo"},
		{"Reset", "The limit must not be modified while any goroutines in the group are active.", "first"},
		{"Wait", "Wait blocks until all function calls from the Go method have returned.", "beside Go TryGo"},
		{"Wait", "Wait blocks until the SizedWaitGroup counter is zero.", "beside Go"},
		{"Reset", "Reset panics if it is called after Go.", "beside Go TryGo"},
		{"Reset", "If you intend to reset it, use Wait instead of Go before, otherwise you may run into data race.", "beside Go TryGo Wait"},
		// what says nothing of the kind
		{"Value", "Value returns the maximum rate of events.", ""},
		{"Wait", "If the context is nil, it is the same as Go, it returns without waiting for all workers to exit.", ""},
		{"Value", "Value is safe for concurrent use by multiple goroutines.", ""},
		{"Value", "Value returns the number of elements.", ""},
		{"Wait", "Wait blocks until the limit permits n events.", ""},
		{"Reset", "It must not be called from inside the callback while the lock is held.", ""},
		{"Go", "If all goroutines in the pool are busy, a call to Go will block until the task can be started.", ""},
		{"TryGo", "TryGo starts f if there is room for it.", ""},
		{"Value", "The key must not be empty.", ""},
		{"Reset", "It must be called before the value is read again.", ""},
		{"Value", "Value may be called while other goroutines add elements.", ""},
		{"Reset", "Should not be used for recursive read locking.", ""},
	} {
		a := newAdvice()
		names := []string{"Go", "Reset", "TryGo", "Value", "Wait"}
		a.about(c.about, c.sentence, mentioned(c.sentence, names, c.about))
		got := ""
		switch {
		case a.vague[c.about] != "":
			got = "vague"
		case a.tries[c.about] != "":
			got = "may fail"
		case a.alone[c.about] != "":
			got = "alone"
		case a.first[c.about] != "":
			got = "first"
		case len(a.apart) > 0:
			got = "beside"
			for _, o := range names {
				if a.apart[c.about][o] != "" {
					got += " " + o
				}
			}
		}
		if got != c.want {
			t.Errorf("%s: %q: %q, want %q", c.about, c.sentence, got, c.want)
		}
	}
	for s, want := range map[string]bool{
		"Operations on the resulting set are not thread-safe.":                        true,
		"LRU implements a non-thread safe fixed size cache.":                          true,
		"It is not safe for concurrent use.":                                          true,
		"A Ring must not be used by more than one goroutine.":                         true,
		"Not safe for concurrent use by multiple goroutines without additional locks": true,
		"A Ring is thread-unsafe.":                                                    true,
		"Operations on the resulting set are thread-safe.":                            false,
		"The default is safe for concurrent use, but a non-thread-safe one is there.": false,
		"It is not safe to copy a Ring.":                                              false,
	} {
		if got := forOne(s) != ""; got != want {
			t.Errorf("%q is for one goroutine: %v, want %v", s, got, want)
		}
	}
}

// TestHeed: constructors and methods of a package are chosen by their documentation; options choose
// others.
func TestHeed(t *testing.T) {
	p := loadFiles(t, "q", map[string]string{"q.go": heeded}, false)
	s, err := p.Suite("Pool", Options{})
	if err != nil {
		t.Fatal(err)
	}
	a := s.advice
	if a.first["WithMax"] == "" || a.first["Double"] == "" || a.callee["Double"] != "WithMax" ||
		!a.fluent["SetMin"] || a.first["SetMin"] == "" || len(a.fluent) != 1 ||
		a.alone["Wait"] == "" || a.runs["Go"] == "" || a.apart["Again"]["Leave"] == "" ||
		a.apart["Again"]["LeaveSoon"] == "" || len(a.apart) != 3 || a.aborts["Wait"] == "" ||
		len(a.aborts) > 1 || s.levels["TryPass"] != notCompared || s.levels["Enter"] != notCompared ||
		len(s.levels) > 2 {
		t.Errorf("of Pool is known: %+v", a)
	}
	entry := func(m string) int {
		return slices.IndexFunc(s.pool, func(e entry) bool { return e.method == m })
	}
	enter := &call{entry: entry("Enter")}
	leave := func() *call { return &call{entry: entry("Leave"), from: []ref{{enter, 0}}} }
	once := &scenario{before: []*call{enter}, goroutines: [][]*call{{leave()}, {{entry: entry("TryMax")}}}}
	twice := once.clone()
	twice.before = append(twice.before, &call{entry: entry("Leave"), from: twice.goroutines[0][0].from})
	if !s.allowed(once) || s.allowed(twice) {
		t.Errorf("a pass that goes back once is allowed: %v, twice: %v", s.allowed(once), s.allowed(twice))
	}
	for _, c := range []struct {
		typ   string
		opt   Options
		makes string // text that all makers have
		err   string
		notes string
	}{
		{"Set", Options{}, "NewSet(", "", "objects of NewLocal are not tested: it is documented so: " +
			`"A set of NewLocal is not safe for concurrent use."; -new NewLocal tests them`},
		{"Set", Options{New: []string{"NewLocal"}}, "NewLocal(", "", ""},
		{"Set", Options{New: []string{"Other"}}, "",
			"no function Other makes objects of Set; there are NewLocal, NewSet", ""},
		{"Set", Options{NoDocs: true}, "New", "", ""},
		{"Ring", Options{}, "", "Ring is for one goroutine, by its documentation: " +
			`"A Ring is not goroutine-safe."; -docs=false tests it all the same`, ""},
		{"Ring", Options{NoDocs: true}, "new(Ring)", "", ""},
		{"Only", Options{}, "", "all objects of Only are for one goroutine, by the documentation of NewOnly: " +
			`"It is not thread-safe."; -new NewOnly tests them all the same`, ""},
	} {
		s, err := p.Suite(c.typ, c.opt)
		if c.err != "" {
			if err == nil || err.Error() != c.err {
				t.Errorf("%s %+v: %v, want %s", c.typ, c.opt, err, c.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s %+v: %v", c.typ, c.opt, err)
			continue
		}
		for _, m := range s.makes {
			if !strings.Contains(m.text, c.makes) {
				t.Errorf("%s %+v makes objects by %s", c.typ, c.opt, m.text)
			}
		}
		if c.notes != "" && !slices.Contains(s.Notes(), c.notes) {
			t.Errorf("%s %+v notes\n%s\nwant\n%s", c.typ, c.opt, strings.Join(s.Notes(), "\n"), c.notes)
		}
	}
}

const heeded = `package q

import (
	"errors"
	"sync"
)

// Set has numbers.
type Set struct {
	mu    sync.Mutex
	local bool
	n     int
}

// A Pool has tasks. The configuration methods (With*) will panic if they are used after calling
// Go() for the first time. Once all tasks have been submitted, you must call Wait().
type Pool struct{ n int }

var (
	// ErrWait is returned when Wait() is called, causing pending operations to abort.
	ErrWait = errors.New("waits")
	// ErrFull is returned by Go when too many tasks are running.
	ErrFull = errors.New("full")
)

// WithMax sets the limit.
func (p *Pool) WithMax(n int) *Pool { p.n = n; return p }

// Double doubles the limit.
func (p *Pool) Double() *Pool { return p.WithMax(2 * p.n) }

// Go runs the given function, or waits.
func (p *Pool) Go(f func()) { f() }

// A Pass goes back to the pool.
type Pass struct{ n int }

// TryPass tries to get a pass.
func (p *Pool) TryPass() (bool, *Pass) { return true, nil }

// TryMax tries to get room.
func (p *Pool) TryMax() bool { return true }

// Enter waits for a pass.
func (p *Pool) Enter() *Pass { return nil }

// Of returns the pass of a name.
func (p *Pool) Of(name string) *Pass { return nil }

// Leave gives a pass back.
func (p *Pool) Leave(pass *Pass) {}

// Wait cleans up.
func (p *Pool) Wait() {}

// SetMin sets what the limit is at least.
func (p *Pool) SetMin(n int) *Pool { p.n = max(p.n, n); return p }

// SetOf sets something under a name.
func (p *Pool) SetOf(name string, n int) *Pool { return p }

// Again begins again. Use Leave before, otherwise you may run into a data race.
func (p *Pool) Again() {}

// LeaveSoon is like Leave.
func (p *Pool) LeaveSoon(pass *Pass) {}

// NewSet returns a set for several goroutines.
func NewSet(n int) *Set { return &Set{n: n} }

// NewLocal is a cheaper set. A set of NewLocal is not safe for concurrent use.
func NewLocal() *Set { return &Set{local: true} }

// Add adds.
func (s *Set) Add(n int) { s.n += n }

// A Ring is not goroutine-safe.
type Ring struct{ n int }

// Next goes on.
func (r *Ring) Next() int { r.n++; return r.n }

// Only can be made in one way.
type Only struct{ n int }

// NewOnly returns one. It is not thread-safe.
func NewOnly() *Only { return new(Only) }

// Next goes on.
func (o *Only) Next() int { o.n++; return o.n }
` + "\n"
