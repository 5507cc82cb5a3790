package gen

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const waitingSource = `package waiting

import (
	"errors"
	"sync"
)

// ErrReset is returned when Reset is called, causing pending operations to abort.
var ErrReset = errors.New("reset")

// A Queue has numbers.
type Queue struct {
	mu    sync.Mutex
	cond  *sync.Cond
	items []int
}

// New returns a queue.
func New() *Queue {
	q := new(Queue)
	q.cond = sync.NewCond(&q.mu)
	return q
}

// Put appends a number.
func (q *Queue) Put(n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = append(q.items, n)
	q.cond.Broadcast()
}

// TryPut tries to append a number.
func (q *Queue) TryPut(n int) bool {
	q.Put(n)
	return true
}

// Get waits for a number.
func (q *Queue) Get() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 {
		q.cond.Wait()
	}
	n := q.items[0]
	q.items = q.items[1:]
	return n
}

// First returns the first number; it panics if there is none.
func (q *Queue) First() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.items[0]
}

// Len returns how many numbers there are.
func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items)
}

// Reset forgets all numbers.
func (q *Queue) Reset() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = nil
}
`

// waitingSuite returns a suite of waitingSource.
func waitingSuite(t *testing.T) *Suite {
	t.Helper()
	p := loadFiles(t, "waiting", map[string]string{"waiting.go": waitingSource}, false)
	s, err := p.Suite("Queue", Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if err := s.Prepare(context.Background()); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSequential: calls that wait need no call that may fail, and calls whose results are not
// compared do not panic.
func TestSequential(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test binary")
	}
	s := waitingSuite(t)
	calls := func(methods ...string) (all []*call) {
		for _, m := range methods {
			i := slices.IndexFunc(s.pool, func(e entry) bool { return e.method == m })
			all = append(all, &call{entry: i})
		}
		return all
	}
	for _, c := range []struct {
		first, one, other, end []*call
		want                   string // orders that wait; "none": it is dropped
	}{
		{nil, calls("Put"), calls("Get"), nil, "2"},
		{nil, calls("TryPut"), calls("Len"), calls("Get"), "none"},
		{nil, calls("TryPut"), calls("Get"), nil, "none"},
		{nil, calls("TryPut"), calls("Len"), calls("Len"), ""},
		{nil, calls("TryPut", "Put"), calls("Get"), nil, "2 a2"},
		{nil, calls("First"), calls("Len"), nil, ""},
		{nil, calls("First"), calls("Reset"), nil, "none"},
		{calls("Put"), calls("First"), calls("Len"), nil, ""},
	} {
		sc := &scenario{before: c.first, goroutines: [][]*call{c.one, c.other}, after: c.end}
		fine, _, err := s.sequential(context.Background(), []*scenario{sc}, 2)
		if err != nil {
			t.Fatal(err)
		}
		got := "none"
		if len(fine) > 0 {
			got = fine[0].blocked
		}
		if got != c.want {
			t.Errorf("%s: orders %q wait, want %q", sc.show(s), got, c.want)
		}
	}
}

// An endless is a runner in which a Get that may wait races, and waits for ever in another
// execution.
type endless struct {
	s      *Suite
	waited int
}

func (v *endless) Run(_ context.Context, args []string, n, runs int, _ uint64, how How) ([]Ran, error) {
	rans := make([]Ran, n)
	for i := range rans {
		rans[i].Executions = runs
		parts := strings.Split(args[1+i], "|")
		for _, word := range strings.FieldsFunc(parts[2], func(r rune) bool { return r == ' ' || r == '/' }) {
			if e, err := strconv.Atoi(word); err == nil && v.s.pool[e].method == "Get" && parts[4] != "" {
				rans[i].Failure = &Failure{Kind: "data race", Executions: 1}
				if rans[i].Waits = how == Throughout; rans[i].Waits {
					v.waited++
				}
			}
		}
	}
	return rans, nil
}

// TestEnds: what fails in a test that can wait for ever is a note, and no test.
func TestEnds(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test binary")
	}
	s := waitingSuite(t)
	v := &endless{s: s}
	if err := s.Search(context.Background(), v, 1<<40); err != nil {
		t.Fatal(err)
	}
	for _, sc := range s.tests {
		if sc.blocked != "" {
			t.Errorf("written, and may wait: %s", sc.show(s))
		}
	}
	notes := strings.Join(s.Notes(), "\n")
	if v.waited == 0 || len(s.tests) == 0 ||
		!strings.Contains(notes, "data race, but the calls may wait for ever, so it is no test: ") {
		t.Errorf("%d executions waited, %d tests, notes: %s", v.waited, len(s.tests), notes)
	}
	if !strings.Contains(s.Tried(), " scenarios tried, ") || s.drawn == 0 || s.executions == 0 {
		t.Errorf("tried: %s", s.Tried())
	}
}
