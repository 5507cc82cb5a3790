package behind

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// The tests are in pairs: TestX has the race, TestXFixed has not.
func run(program func(a *account)) { program(new(account)) }

func runFixed(program func(a *account)) { program(&account{fixed: true}) }

// Calls of methods of interfaces.

type worker interface{ work(a *account) }

type careful struct{}

func (careful) work(a *account) { a.use() }

type careless struct{}

func (careless) work(a *account) { a.slip() }

// The interface is a field that a struct embeds: the call does not show it.
type desk struct{ worker }

func embedded(a *account) {
	d := guarded[desk]{v: desk{careful{}}}
	beside(a, func() {
		d.set(desk{careless{}})
		d.set(desk{careful{}})
	}, func() {
		mine := d.get()
		mine.work(a)
	})
}

func TestEmbedded(t *testing.T)      { run(embedded) }
func TestEmbeddedFixed(t *testing.T) { runFixed(embedded) }

// The interface travels through an atomic value.
func published(a *account) {
	var v atomic.Value
	v.Store(desk{careful{}})
	beside(a, func() {
		v.Store(desk{careless{}})
		v.Store(desk{careful{}})
	}, func() {
		v.Load().(desk).worker.work(a)
	})
}

func TestPublished(t *testing.T)      { run(published) }
func TestPublishedFixed(t *testing.T) { runFixed(published) }

// A generic function calls a method of its type parameter, whose argument is an interface.
func perform[W worker](w W, a *account) { w.work(a) }

func generic(a *account) {
	d := guarded[worker]{v: careful{}}
	beside(a, func() {
		d.set(careless{})
		d.set(careful{})
	}, func() {
		perform(d.get(), a)
	})
}

func TestGeneric(t *testing.T)      { run(generic) }
func TestGenericFixed(t *testing.T) { runFixed(generic) }

// The interface is an element of a slice, all of whose elements are called in turn.
func chain(a *account) {
	list := guarded[[]worker]{v: []worker{careful{}, careful{}}}
	beside(a, func() {
		list.set([]worker{careful{}, careless{}})
		list.set([]worker{careful{}, careful{}})
	}, func() {
		for _, w := range list.get() {
			w.work(a)
		}
	})
}

func TestChain(t *testing.T)      { run(chain) }
func TestChainFixed(t *testing.T) { runFixed(chain) }

// Calls of function values.

// The function is looked up in a table.
func handlers(a *account) {
	table := map[string]func(){"deposit": a.use}
	var mu sync.Mutex
	beside(a, func() {
		mu.Lock()
		table["deposit"] = a.slip
		mu.Unlock()
		mu.Lock()
		table["deposit"] = a.use
		mu.Unlock()
	}, func() {
		mu.Lock()
		h := table["deposit"]
		mu.Unlock()
		h()
	})
}

func TestHandlers(t *testing.T)      { run(handlers) }
func TestHandlersFixed(t *testing.T) { runFixed(handlers) }

// The function is deferred, behind a pointer that is atomic.
func deferred(a *account) {
	use, slip := a.use, a.slip
	var p atomic.Pointer[func()]
	p.Store(&use)
	beside(a, func() {
		p.Store(&slip)
		p.Store(&use)
	}, func() {
		defer (*p.Load())()
	})
}

func TestDeferred(t *testing.T)      { run(deferred) }
func TestDeferredFixed(t *testing.T) { runFixed(deferred) }

// The function is what a new goroutine runs.
func started(a *account) {
	f := guarded[func()]{v: a.use}
	var wg sync.WaitGroup
	beside(a, func() {
		f.set(a.slip)
		f.set(a.use)
	}, func() {
		wg.Add(1)
		g := f.get()
		go func() { defer wg.Done(); g() }()
	})
	wg.Wait()
}

func TestStarted(t *testing.T)      { run(started) }
func TestStartedFixed(t *testing.T) { runFixed(started) }

// The function is called by a function of the standard library.
func library(a *account) {
	less := func(i, j int) bool { a.use(); return i < j }
	wrong := func(i, j int) bool { a.slip(); return i < j }
	f := guarded[func(i, j int) bool]{v: less}
	beside(a, func() {
		f.set(wrong)
		f.set(less)
	}, func() {
		sort.Slice([]int{2, 1}, f.get())
	})
}

func TestLibrary(t *testing.T)      { run(library) }
func TestLibraryFixed(t *testing.T) { runFixed(library) }

// Ranges over maps.

// The body runs once for each entry.
func entries(a *account) {
	m := map[string]bool{}
	var mu sync.Mutex
	beside(a, func() {
		mu.Lock()
		m["one"] = true
		mu.Unlock()
		mu.Lock()
		delete(m, "one")
		mu.Unlock()
	}, func() {
		mu.Lock()
		var names []string
		for name := range m {
			names = append(names, name)
		}
		mu.Unlock()
		for range names {
			a.slip()
		}
	})
}

func TestEntries(t *testing.T)      { run(entries) }
func TestEntriesFixed(t *testing.T) { runFixed(entries) }

// The race is in the body itself.
func body(a *account) {
	m := map[int]int{}
	var mu sync.Mutex
	beside(a, func() {
		mu.Lock()
		m[7] = 1
		mu.Unlock()
		mu.Lock()
		clear(m)
		mu.Unlock()
	}, func() {
		mu.Lock()
		defer mu.Unlock()
		for range m {
			a.slip()
		}
	})
}

func TestBody(t *testing.T)      { run(body) }
func TestBodyFixed(t *testing.T) { runFixed(body) }

// Panics of the runtime. A goroutine that recovers has gone another way.

// recovering runs f and reports whether it has panicked.
func recovering(f func()) (panicked bool) {
	defer func() { panicked = recover() != nil }()
	f()
	return false
}

func nilMap(a *account) {
	m := guarded[map[string]int]{v: map[string]int{}}
	beside(a, func() {
		m.set(nil)
		m.set(map[string]int{})
	}, func() {
		mine := m.get()
		if recovering(func() { mine["x"] = 1 }) {
			a.slip()
		}
	})
}

func TestNilMap(t *testing.T)      { run(nilMap) }
func TestNilMapFixed(t *testing.T) { runFixed(nilMap) }

func outOfRange(a *account) {
	i := guarded[int]{v: 1}
	beside(a, func() {
		i.set(4)
		i.set(2)
	}, func() {
		at := i.get()
		list := []int{1, 2, 3}
		if recovering(func() { list[at]++ }) {
			a.slip()
		}
	})
}

func TestOutOfRange(t *testing.T)      { run(outOfRange) }
func TestOutOfRangeFixed(t *testing.T) { runFixed(outOfRange) }

func sliced(a *account) {
	n := guarded[int]{v: 1}
	beside(a, func() {
		n.set(9)
		n.set(2)
	}, func() {
		end := n.get()
		text := "text"
		if recovering(func() { _ = text[1:end] }) {
			a.slip()
		}
	})
}

func TestSliced(t *testing.T)      { run(sliced) }
func TestSlicedFixed(t *testing.T) { runFixed(sliced) }

func nilPointer(a *account) {
	type node struct{ value int }
	p := guarded[*node]{v: new(node)}
	beside(a, func() {
		p.set(nil)
		p.set(new(node))
	}, func() {
		mine := p.get()
		defer func() {
			if recover() != nil {
				a.slip()
			}
		}()
		_ = mine.value
	})
}

func TestNilPointer(t *testing.T)      { run(nilPointer) }
func TestNilPointerFixed(t *testing.T) { runFixed(nilPointer) }

func asserted(a *account) {
	v := guarded[any]{v: 1}
	beside(a, func() {
		v.set("one")
		v.set(2)
	}, func() {
		mine := v.get()
		if recovering(func() { _ = mine.(int) }) {
			a.slip()
		}
	})
}

func TestAsserted(t *testing.T)      { run(asserted) }
func TestAssertedFixed(t *testing.T) { runFixed(asserted) }

// The division is in a function that the recovering one calls.
func share(sum, n int) int { return sum / n }

func divided(a *account) {
	n := guarded[int]{v: 1}
	beside(a, func() {
		n.set(0)
		n.set(2)
	}, func() {
		mine := n.get()
		defer func() {
			if err, ok := recover().(error); ok && strings.Contains(err.Error(), "divide") {
				a.slip()
			}
		}()
		fmt.Fprint(io.Discard, share(12, mine))
	})
}

func TestDivided(t *testing.T)      { run(divided) }
func TestDividedFixed(t *testing.T) { runFixed(divided) }

// A channel is closed already when the reader sends.
func closed(a *account) {
	c := guarded[chan int]{v: make(chan int, 1)}
	beside(a, func() {
		shut := make(chan int, 1)
		close(shut)
		c.set(shut)
		c.set(make(chan int, 1))
	}, func() {
		mine := c.get()
		if recovering(func() { mine <- 1 }) {
			a.slip()
		}
	})
}

func TestClosed(t *testing.T)      { run(closed) }
func TestClosedFixed(t *testing.T) { runFixed(closed) }

// Selects.

// Both channels have a value; the case taken decides.
func both(a *account) {
	left, right := make(chan int, 1), make(chan int, 1)
	beside(a, func() {
		left <- 1
		right <- 1
	}, func() {
		select {
		case <-left:
			a.use()
		case <-right:
			a.slip()
		}
	})
}

func TestBoth(t *testing.T)      { run(both) }
func TestBothFixed(t *testing.T) { runFixed(both) }

// A loop of selects: only the order quit, then job, is wrong.
func loop(a *account) {
	jobs, quit := make(chan int, 2), make(chan bool, 2)
	beside(a, func() {
		jobs <- 1
		quit <- true
		jobs <- 2
	}, func() {
		stopping := false
		for range 3 {
			select {
			case n := <-jobs:
				if stopping && n == 1 {
					a.slip()
				}
			case <-quit:
				stopping = true
			}
		}
	})
}

func TestLoop(t *testing.T)      { run(loop) }
func TestLoopFixed(t *testing.T) { runFixed(loop) }

// Type switches.

// The cases are interfaces.
type loud struct{ io.Reader }

func (loud) String() string { return "loud" }

func kinds(a *account) {
	v := guarded[any]{v: 3}
	beside(a, func() {
		v.set(loud{})
		v.set(errors.New("none"))
	}, func() {
		switch v.get().(type) {
		case error, int:
			a.use()
		case fmt.Stringer:
			a.slip()
		}
	})
}

func TestKinds(t *testing.T)      { run(kinds) }
func TestKindsFixed(t *testing.T) { runFixed(kinds) }

// The error that a goroutine sees is of one type or of another.
type timeout struct{ after int }

func (timeout) Error() string { return "timeout" }

func failed(a *account) {
	v := guarded[error]{}
	beside(a, func() {
		v.set(fmt.Errorf("read: %w", timeout{3}))
		v.set(io.EOF)
	}, func() {
		var to timeout
		if errors.As(v.get(), &to) {
			a.slip()
		}
	})
}

func TestFailed(t *testing.T)      { run(failed) }
func TestFailedFixed(t *testing.T) { runFixed(failed) }

// Iterators.

// The number of rounds of a range over a function depends on what another goroutine wrote.
func iterated(a *account) {
	v := guarded[[]int]{}
	beside(a, func() {
		v.set([]int{4})
		v.set(nil)
	}, func() {
		for range slices.Values(v.get()) {
			a.slip()
		}
	})
}

func TestIterated(t *testing.T)      { run(iterated) }
func TestIteratedFixed(t *testing.T) { runFixed(iterated) }

// Draws and time.

func drawn(a *account) {
	beside(a, func() { a.use() }, func() {
		if rand.Intn(5) == 3 {
			a.slip()
		}
	})
}

func TestDrawn(t *testing.T)      { run(drawn) }
func TestDrawnFixed(t *testing.T) { runFixed(drawn) }

// A deadline passes, or the answer comes before it.
func deadline(a *account) {
	answer := make(chan int, 1)
	beside(a, func() { answer <- 1 }, func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		select {
		case <-answer:
		case <-ctx.Done():
			a.slip()
		}
	})
}

func TestDeadline(t *testing.T)      { run(deadline) }
func TestDeadlineFixed(t *testing.T) { runFixed(deadline) }
