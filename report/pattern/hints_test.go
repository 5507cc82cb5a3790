package pattern

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"heddle/rt/wire"
)

// escape is the story of a slice or map that a method returns, and that changes after that.
const escape = `
			main lock r.mu p.go:3
			main read r.names p.go:4
			main unlock r.mu p.go:3
			main/1 lock r.mu p.go:3
			main/1 write r.names[i]@e x.go:11
			main/1 unlock r.mu p.go:3
			main read r.Names()[...]@e x.go:31`

// taken is the story of a slice that is taken under a lock, made empty, and read after that.
const taken = `
			main/1 lock b.mu p.go:3
			main/1 read b.items p.go:4
			main/1 write b.items p.go:5
			main/1 unlock b.mu p.go:6
			main/1 read items[...]@e x.go:12
			main lock b.mu x.go:30
			main write b.items@e x.go:31`

// checkThenAct is the story of a check and an act, each under m.mu by itself, at these lines:
// another goroutine comes between them.
func checkThenAct(variable string, check, act int) string {
	var b strings.Builder
	at := func(g, op, object string, line int) { fmt.Fprintf(&b, "%s %s %s p.go:%d\n", g, op, object, line) }
	at("main/1", "lock", "m.mu", check-1)
	at("main/1", "read", variable, check)
	at("main/1", "unlock", "m.mu", check+1)
	at("*main/2", "lock", "m.mu", act-1)
	at("main/2", "write", variable, act)
	at("main/2", "unlock", "m.mu", act+1)
	at("*main/1", "lock", "m.mu", act-1)
	at("main/1", "write", variable, act)
	return b.String()
}

// A hint must fit the shape of the code: what one function is told would be wrong in another one.
func TestHints(t *testing.T) {
	for name, tt := range map[string]struct {
		source string
		kind   string
		story  string
		places []string
		says   []string
		not    []string
	}{
		"a Wait comes after the close": {`package p
func Run(in []string) error {
	jobs := make(chan string)
	for range 2 { wg.Go(func() { for range jobs {} }) }
	for _, j := range in {
		if j == "" { return errEmpty }
		jobs <- j
	}
	close(jobs)
	wg.Wait()
	return nil
}`, "leak", `
			main send jobs p.go:7
			?main/1 recv jobs p.go:4`, nil,
			[]string{"close `jobs` before the return at p.go:6 too", "too late: p.go:10 waits"},
			[]string{"defer close"}},
		"the channel of a call": {`package p
func Sleep() {
	<-clock.After(d)
}`, "leak", `
			?main/1 recv clock.After(d) p.go:3`, nil,
			[]string{"no goroutine is left that sends to it"}, []string{"close `"}},
		"a receive comes after the close": {`package p
func Run(in []string) error {
	jobs := make(chan string)
	for _, j := range in {
		if j == "" { return errEmpty }
		jobs <- j
	}
	close(jobs)
	return <-done
}`, "leak", `
			main send jobs p.go:6
			?main/1 recv jobs p.go:6`, nil,
			[]string{"before the return at p.go:5 too"}, []string{"defer close"}},
		"nothing waits after the close": {`package p
func Run(in []string) error {
	jobs := make(chan string)
	for _, j := range in {
		if j == "" { return errEmpty }
		jobs <- j
	}
	close(jobs)
	return nil
}`, "leak", `
			main send jobs p.go:6
			?main/1 recv jobs p.go:6`, nil,
			[]string{"`defer close(jobs)` right after it is made at p.go:3, in place of p.go:8"}, nil},
		"the early return has its close": {`package p
func Run(in []string) error {
	jobs := make(chan string)
	if in == nil {
		close(jobs)
		return errEmpty
	}
	jobs <- in[0]
	close(jobs)
	return nil
}`, "leak", `
			main send jobs p.go:8
			?main/1 recv jobs p.go:8`, nil, nil, []string{"defer close", "return at p.go:6"}},
		"a return without Done, after the goroutine's own Add": {`package p
func (q *Queue) run() {
	q.wg.Add(1)
	if err := job(); err != nil {
		return
	}
	q.wg.Done()
}
func (q *Queue) Close() {
	q.wg.Wait()
}`, "deadlock", `
			main/1 wg-add=1 q.wg p.go:3
			main/1 end - p.go:5
			?main wg-wait q.wg p.go:10`, nil,
			[]string{"main/1 called q.wg.Add at p.go:3",
				"the return at p.go:5 comes before `q.wg.Done()` at p.go:7",
				"`defer q.wg.Done()` right after p.go:3, in place of p.go:7"}, nil},
		"a return without Done, in a goroutine that another one counts": {`package p
func Run() {
	for range 2 {
		wg.Add(1)
		go func() {
			if !ok() {
				return
			}
			n.Add(1)
			wg.Done()
		}()
	}
	wg.Wait()
}`, "deadlock", `
			main wg-add=1 wg p.go:4
			main go=main/1 - p.go:5
			main wg-add=1 wg p.go:4
			main go=main/2 - p.go:5
			main/1 atomic-rmw n p.go:9
			main/1 wg-add=-1 wg p.go:10
			main/2 atomic-load k p.go:6
			?main wg-wait wg p.go:13`, nil,
			[]string{"wg.Add at p.go:4 counts main/2",
				"the return at p.go:7 comes before `wg.Done()` at p.go:10",
				"`defer wg.Done()` at the beginning of the function that main/2 runs"}, nil},
		"an Add that is not ordered with Wait, and a return without Done": {`package p
func (q *Queue) run() {
	q.wg.Add(1)
	if err := job(); err != nil {
		return
	}
	q.wg.Done()
}
func (q *Queue) Close() {
	q.wg.Wait()
}`, "misuse", `
			main go=main/1 - p.go:9
			main wg-wait q.wg p.go:10
			main/1 wg-add=1 q.wg p.go:3`, []string{"main/1 wg-add q.wg p.go:3", "main wg-wait q.wg p.go:10"},
			[]string{"before the go statement at p.go:9",
				"Use `defer q.wg.Done()`: the return at p.go:5 comes before Done"}, nil},
		"an Add after the lock that the other side takes too": {`package p
func (s *Server) Handle() {
	s.mu.Lock()
	s.open++
	s.mu.Unlock()
	s.wg.Add(1)
	defer s.wg.Done()
	serve()
}
func (s *Server) Stop() {
	s.mu.Lock()
	s.open = -1
	s.mu.Unlock()
	s.wg.Wait()
}`, "misuse", `
			main/1 lock s.mu p.go:3
			main/1 unlock s.mu p.go:5
			main lock s.mu p.go:11
			main unlock s.mu p.go:13
			main wg-wait s.wg p.go:14
			main/1 wg-add=1 s.wg p.go:6`, []string{"main/1 wg-add s.wg p.go:6", "main wg-wait s.wg p.go:14"},
			[]string{"call s.wg.Add while s.mu is held: before the unlock at p.go:5"}, []string{"defer"}},
		"goroutines that set one variable outside": {`package p
func Run() error {
	var err error
	for _, s := range steps {
		go func() {
			if err = s(); err != nil {
				return
			}
		}()
	}
	return err
}`, "data race", `
			main/1 write err p.go:6
			main/2 write err p.go:6`, []string{"main/2 write err p.go:6", "main/1 write err p.go:6"},
			[]string{"declared outside of it", "`:=` in place of `=` at p.go:6"}, []string{"guard both"}},
		"two reads between two writes": {`package p
func (g *G) Set(l L) {
	g.low.Store(l.low)
	g.high.Store(l.high)
}
func (g *G) Get() L {
	low := g.low.Load()
	return L{low, g.high.Load()}
}`, "test failure", `
			main/1 atomic-store g.low p.go:3
			*main atomic-load g.low p.go:7
			main atomic-load g.high p.go:8
			main/1 atomic-store g.high p.go:4`, []string{"main fails - p.go:9"},
			[]string{"main/1 writes `g.low` at p.go:3 and then `g.high` at p.go:4; main read both in between",
				"the new `g.low` with the old `g.high`", "one atomic.Pointer"}, nil},
		"a channel that is closed before the value is there": {`package p
func (g *Group) Do() int {
	if c := g.c; c != nil {
		<-c.done
		return c.val
	}
	close(c.done)
	c.val = load()
	return c.val
}`, "data race", `
			main/1 close c.done p.go:7
			main/2 recv c.done p.go:4
			main/1 write c.val p.go:8
			main/2 read c.val p.go:5`, []string{"main/2 read c.val p.go:5", "main/1 write c.val p.go:8"},
			[]string{"main/1 closes `c.done` at p.go:7, and only then writes `c.val` at p.go:8",
				"move p.go:7 below the write of `c.val` at p.go:8"}, nil},
		"a look beside a Once": {`package p
func Load() *C {
	if conf != nil {
		return conf
	}
	once.Do(func() { conf = read() })
	return conf
}`, "data race", `
			main/1 once once p.go:6
			main/1 write conf p.go:6
			main/1 once-done once p.go:6
			main/2 read conf p.go:3`, []string{"main/2 read conf p.go:3", "main/1 write conf p.go:6"},
			[]string{"in the function that once.Do runs", "the read at p.go:3 is not needed"}, nil},
		"a lock of what is found under the other": {`package p
func (s *Store) sweep() {
	s.mu.Lock()
	for _, x := range s.all {
		x.mu.Lock()
	}
}
func (x *Session) Release() {
	x.mu.Lock()
	x.store.forget(x)
}
func (s *Store) forget(x *Session) {
	s.mu.Lock()
	delete(s.all, x)
}`, "deadlock", `
			main/1 lock s.mu p.go:3
			*main lock x.mu p.go:9
			?main lock s.mu p.go:13
			?main/1 lock x.mu p.go:5`, nil,
			[]string{"in Release take s.mu (p.go:13) before x.mu (p.go:9)"}, []string{"in sweep"}},
		"a lock of what is known before": {`package p
func (s *Store) Move(x *Session) {
	s.mu.Lock()
	x.mu.Lock()
}
func (x *Session) Release() {
	x.mu.Lock()
	x.store.mu.Lock()
}`, "deadlock", `
			main/1 lock s.mu p.go:3
			*main lock x.mu p.go:7
			?main lock s.mu p.go:8
			?main/1 lock x.mu p.go:4`, nil,
			[]string{"in Move take x.mu (p.go:4) before s.mu (p.go:3)"}, nil},
		"a look without a lock, and none under it": {`package p
func (s *S) Close() {
	if s.closed {
		return
	}
	close(s.stop)
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
}`, "data race", `
			main/1 read s.closed p.go:3
			main/1 close s.stop p.go:6
			main/1 lock s.mu p.go:7
			main/1 write s.closed p.go:8
			main/1 unlock s.mu p.go:9
			main/2 read s.closed p.go:3`, []string{"main/2 read s.closed p.go:3", "main/1 write s.closed p.go:8"},
			[]string{"without another look", "keep it until `s.closed` is written at p.go:8"},
			[]string{"double-checked", "atomic"}},
		"a look without a lock, and one under it": {`package p
func (s *S) Open() {
	if !s.open {
		s.mu.Lock()
		if !s.open {
			s.open = true
		}
		s.mu.Unlock()
	}
}`, "data race", `
			main/1 read s.open p.go:3
			main/1 lock s.mu p.go:4
			main/1 read s.open p.go:5
			main/1 write s.open p.go:6
			main/1 unlock s.mu p.go:8
			main/2 read s.open p.go:3`, []string{"main/2 read s.open p.go:3", "main/1 write s.open p.go:6"},
			[]string{"double-checked", "an atomic"}, []string{"another look"}},
		"a receiver that copies its lock": {`package p
func (s Stats) Hit(page string) {
	s.mu.Lock()
	s.hits[page]++
	s.mu.Unlock()
}`, "data race", `
			main/1 lock s.mu@a p.go:3
			main/1 write s.hits p.go:4
			main/1 unlock s.mu@a p.go:5
			main/2 lock s.mu@b p.go:3
			main/2 read s.hits p.go:4`, []string{"main/2 read s.hits p.go:4", "main/1 write s.hits p.go:4"},
			[]string{"The receiver of Hit is a value", "`func (s *Stats) Hit`"}, nil},
		"what a method returns is used at once": {`package p
func (r *R) Add(name string) {
	r.mu.Lock()
	r.peers[name] = true
	r.mu.Unlock()
}
func (r *R) All() map[string]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.peers
}
func use() {
	for range r.All() {
	}
}`, "data race", `
			main/1 lock r.mu p.go:3
			main/1 write r.peers@m p.go:4
			main/1 unlock r.mu p.go:5
			main lock r.mu p.go:8
			main unlock r.mu p.go:9
			main read r.All()@m p.go:13`, []string{"main read r.All() p.go:13", "main/1 write r.peers p.go:4"},
			[]string{"All returns `r.peers` itself (p.go:10)", "maps.Clone(r.peers)"},
			[]string{"lock r.mu around"}},
		"a read lock and then the write lock": {`package p
func (c *C) Get(k string) int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.m[k] == 0 {
		c.put(k)
	}
	return c.m[k]
}
func (c *C) put(k string) {
	c.mu.Lock()
}`, "deadlock", `
			main rlock c.mu p.go:3
			?main lock c.mu p.go:11`, nil,
			[]string{"A read lock does not become a write lock", "call RUnlock before p.go:11"},
			[]string{"a version that does not lock"}},
		"results that are received after all jobs were sent": {`package p
func squares(in []int) (out []int) {
	jobs, results := make(chan int), make(chan int)
	go func() {
		for n := range jobs {
			results <- n * n
		}
	}()
	for _, n := range in {
		jobs <- n
	}
	for range in {
		out = append(out, <-results)
	}
	return out
}`, "deadlock", `
			main send jobs p.go:10
			main/1 recv jobs p.go:5
			?main send jobs p.go:10
			?main/1 send results p.go:6`, nil,
			[]string{"main/1 waits to send to `results` at p.go:6",
				"main would receive that at p.go:13, but waits to send to `jobs` at p.go:10 before",
				"send to `jobs` in a goroutine of its own"}, []string{"select"}},
		"both send first": {`package p
func peer(in <-chan int, out chan<- int) int {
	out <- 1
	return <-in
}`, "deadlock", `
			main start - p.go:1
			?main send out@a p.go:3
			?main/1 send out@b p.go:3`, nil,
			[]string{"which is another channel", "(p.go:4) only after its own send"}, nil},
		"the end of a goroutine whose context ended": {`package p
func Watch(ctx context.Context) {
	go func() {
		for {
			select {
			case <-ctx.Done():
				done <- struct{}{}
				return
			case <-tick.C:
			}
		}
	}()
}`, "leak", `
			main close ctx.done /context/context.go:1
			?main/1 send done p.go:7`, nil,
			[]string{"`close(done)` in place of the send at p.go:7"}, []string{"select"}},
		"an error that each worker sends once": {`package p
func Process() error {
	errs := make(chan error)
	for range 2 {
		go func() {
			for j := range jobs {
				if err := work(j); err != nil {
					errs <- err
					return
				}
			}
		}()
	}
	wg.Wait()
	return <-errs
}`, "deadlock", `
			main start - p.go:1
			?main wg-wait wg p.go:14
			?main/1 send errs p.go:8`, nil,
			[]string{"main would receive that at p.go:15, but waits for `wg` at p.go:14 before",
				"`wg.Wait(); close(errs)`", "`make(chan error, n)` at p.go:3"},
			[]string{"let the sender end"}},
		"a value that default drops": {`package p
func (l *Log) Write(name string) {
	select {
	case l.ch <- name:
	default:
	}
}`, "test failure", `
			main send l.ch/1 p.go:3
			main select=-1 l.ch<- p.go:3
			main/1 recv l.ch p.go:9`, []string{"main fails - p.go:12"},
			[]string{"main offered a value to `l.ch` in the select at p.go:3", "without `default`"}, nil},
		"a send of a select": {`package p
func Try() {
	select {
	case c <- 1:
	default:
	}
}
func Stop() { close(c) }`, "misuse", `
			main/1 close c p.go:8
			main send=-1 c p.go:3`, []string{"main send - p.go:3"},
			[]string{"main sends to `c` at p.go:3, and main/1 closes it at p.go:8"}, nil},
		"receivers that the waiter would have to close for": {`package p
func Run() {
	for range 2 {
		wg.Add(1)
		go func() { defer wg.Done(); <-gate }()
	}
	gate <- 1
	wg.Wait()
}`, "deadlock", `
			main wg-add=1 wg p.go:4
			main wg-add=1 wg p.go:4
			main wg-add=1 wg p.go:4
			main/1 recv gate p.go:5
			main send gate p.go:7
			main/1 wg-add=-1 wg p.go:5
			?main/2 recv gate p.go:5
			?main/3 recv gate p.go:5
			?main wg-wait wg p.go:8`, nil,
			[]string{"main/2 and main/3 wait to receive from `gate`", "main waits for `wg` at p.go:8",
				"before p.go:8. A send lets one of them go on"}, nil},
		"a return without Unlock": {`package p
func (i *I) Take() error {
	i.mu.Lock()
	if i.n == 0 {
		return errNone
	}
	i.n--
	i.mu.Unlock()
	return nil
}`, "deadlock", `
			main/1 lock i.mu p.go:3
			main/1 end - p.go:5
			?main lock i.mu p.go:3`, nil,
			[]string{"the return at p.go:5 comes before the Unlock at p.go:8",
				"`defer i.mu.Unlock()` right after p.go:3, in place of p.go:8"},
			[]string{"panic"}},
		"a return without Unlock, and work without the lock": {`package p
func (i *I) Take() error {
	i.mu.Lock()
	if i.n == 0 {
		return errNone
	}
	i.mu.Unlock()
	<-i.done
	return nil
}`, "deadlock", `
			main/1 lock i.mu p.go:3
			main/1 end - p.go:5
			?main lock i.mu p.go:3`, nil,
			[]string{"`i.mu.Unlock()` before the return at p.go:5 too"}, []string{"defer"}},
		"the lock is taken in a loop": {`package p
func (i *I) Take() error {
	for range 3 {
		i.mu.Lock()
		if i.n == 0 { return errNone }
		i.mu.Unlock()
	}
	return nil
}`, "deadlock", `
			main/1 lock i.mu p.go:4
			main/1 end - p.go:5
			?main lock i.mu p.go:4`, nil,
			[]string{"`i.mu.Unlock()` before the return at p.go:5 too"}, []string{"defer"}},
		"a panic, and a deferred function that needs the lock": {`package p
func (h *H) Call(f func()) {
	defer func() {
		if r := recover(); r != nil { h.failed++ }
	}()
	h.mu.Lock()
	f()
	h.mu.Unlock()
}`, "deadlock", `
			main/1 lock h.mu p.go:6
			main/1 end - p.go:5
			?main lock h.mu p.go:6`, nil,
			[]string{"a panic went past the Unlock at p.go:8, and was recovered (p.go:4)",
				"before the deferred function of p.go:3, in place of p.go:6 and p.go:8", "`h.failed`"},
			[]string{"right after"}},
		"a panic, and a deferred function that locks by itself": {`package p
func (h *H) Call(f func()) {
	defer func() {
		if r := recover(); r != nil { h.mu.Lock(); h.failed++; h.mu.Unlock() }
	}()
	h.mu.Lock()
	f()
	h.mu.Unlock()
}`, "deadlock", `
			main/1 lock h.mu p.go:6
			main/1 end - p.go:5
			?main lock h.mu p.go:6`, nil,
			[]string{"`defer h.mu.Unlock()` right after p.go:6"}, []string{"run last first"}},
		"a panic, and another thing before the lock": {`package p
func (h *H) Call(f func()) {
	defer func() { recover(); h.failed++ }()
	<-h.ready
	h.mu.Lock()
	f()
	h.mu.Unlock()
}`, "deadlock", `
			main/1 lock h.mu p.go:5
			main/1 end - p.go:3
			?main lock h.mu p.go:5`, nil,
			[]string{"unlock h.mu on every path"}, []string{"`defer", "Lock()`"}},
		"it may have been t.FailNow": {`package p
func (h *H) Call(t *T) {
	h.mu.Lock()
	if h.n == 0 { t.Fatal("none") }
	h.mu.Unlock()
}`, "deadlock", `
			main/1 lock h.mu p.go:3
			main/1 end - p.go:4
			?main lock h.mu p.go:3`, nil, []string{"a panic, or runtime.Goexit (t.FailNow), went past"}, nil},
		"no receiver may be left": {`package p
func (h *H) Publish(m string) {
	h.mu.Lock()
	c <- m
	h.mu.Unlock()
}`, "deadlock", `
			main lock h.mu p.go:3
			?main send c p.go:4
			?main/1 lock h.mu p.go:3`, nil,
			[]string{"`select { case c <- m: case <-gone: }`", "only if a receiver always comes"},
			[]string{"buffer"}},
		"a nil channel from which nothing receives": {`package p
func New(v bool) { if v { c.lines = make(chan string) } }
func Run() { c.lines <- "a" }`, "leak", `
			main start - p.go:1
			?main/1 send nil p.go:3`, []string{"main/1 send c.lines p.go:3"},
			[]string{"skip the use of `c.lines` at p.go:3"}, []string{"on every path"}},
		"a nil channel from which a goroutine receives": {`package p
func New(v bool) { if v { c.lines = make(chan string) } }
func Run() { c.lines <- "a" }
func Print() { for l := range c.lines { print(l) } }`, "leak", `
			main start - p.go:1
			?main/1 send nil p.go:3`, []string{"main/1 send c.lines p.go:3"},
			[]string{"make it on every path, if the receive at p.go:4 is reached there too"}, nil},
		"a function value between check and act": {`package p
type M struct { seen map[string]int; slow func(string) int }
func (m *M) Get(k string) int {
	m.mu.Lock()
	v, ok := m.seen[k]
	m.mu.Unlock()
	if ok { return v }
	v = m.slow(k)
	m.mu.Lock()
	m.seen[k] = v
	m.mu.Unlock()
	return v
}`, "test failure", checkThenAct("m.seen", 5, 10), []string{"main - - p.go:1"},
			[]string{"sync.OnceValue around m.slow", "Do not hold m.mu while m.slow runs"},
			[]string{"lock m.mu once"}},
		"a method of an interface between check and act": {`package p
type Loader interface { Load() int }
type M struct { n int; from Loader }
func (m *M) Get() {
	m.mu.Lock()
	n := m.n
	m.mu.Unlock()
	if n > 0 { return }
	v := m.from.Load()
	m.mu.Lock()
	m.n = v
	m.mu.Unlock()
}`, "test failure", checkThenAct("m.n", 6, 11), []string{"main - - p.go:1"},
			[]string{"check again at p.go:11, under m.mu", "while m.from.Load runs"},
			[]string{"lock m.mu once"}},
		"nothing unknown between check and act": {`package p
func (m *M) Get() {
	m.mu.Lock()
	n := m.n
	m.mu.Unlock()
	if n > 0 { return }
	m.mu.Lock()
	m.n = 1
	m.mu.Unlock()
}`, "test failure", checkThenAct("m.n", 4, 8), []string{"main - - p.go:1"},
			[]string{"in Get lock m.mu once around check and act (p.go:4 and p.go:8)"}, nil},
		"a check under a read lock, an update under the lock": {`package p
func (q *Q) Take(k string) bool {
	q.mu.RLock()
	n := q.used[k]
	q.mu.RUnlock()
	if n >= q.max { return false }
	q.mu.Lock()
	q.used[k]++
	q.mu.Unlock()
	return true
}`, "test failure", `
			main/1 rlock q.mu p.go:3
			main/1 read q.used p.go:4
			main/1 runlock q.mu p.go:5
			*main/2 lock q.mu p.go:7
			main/2 write q.used p.go:8
			main/2 unlock q.mu p.go:9
			*main/1 lock q.mu p.go:7
			main/1 read q.used p.go:8`, []string{"main - - p.go:1"},
			[]string{"read `q.used` at p.go:4, checked `n >= q.max` at p.go:6",
				"and on each way that does not come there; lock it for writing"}, nil},
		"nothing ever received from a channel that is full": {`package p
func (b *B) Post(m string) {
	for _, c := range b.subs { c <- m }
}`, "leak", `
			main/1 send c p.go:3
			?main/1 send c p.go:3`, nil,
			[]string{"Nothing has ever received", "the send by main/1 at p.go:3 filled its buffer"}, nil},
		"a loop starts goroutines that send errors": {`package p
func First(all []Source) error {
	failed := make(chan error)
	for _, s := range all {
		go func() {
			failed <- s()
		}()
	}
	return <-failed
}`, "leak", `
			main/2 send failed p.go:6
			main recv failed p.go:9
			?main/1 send failed p.go:6`, nil,
			[]string{"`make(chan error, n)` at p.go:3, where n is how many send"}, nil},
		"work in an update": {`package p
func Count(d string) {
	total += len(strings.Fields(d))
}`, "data race", `
			main/1 write total p.go:3
			main/2 write total p.go:3`, []string{"main/1 write total p.go:3", "main/2 write total p.go:3"},
			[]string{"`n := len(strings.Fields(d))`", "around `total += n` alone"}, nil},
		"work in an update that needs the variable": {`package p
func Count(d string) {
	c.total += c.next(d)
}`, "data race", `
			main/1 write c.total p.go:3
			main/2 write c.total p.go:3`, []string{"main/1 write c.total p.go:3", "main/2 write c.total p.go:3"},
			[]string{"around `c.total += c.next(d)`"}, []string{"first", "atomic"}},
		"a counter under a read lock": {`package p
func Get() {
	c.mu.RLock()
	c.hits++
	c.mu.RUnlock()
}`, "data race", `
			main/1 rlock c.mu p.go:3
			main/1 write c.hits p.go:4
			main/1 runlock c.mu p.go:5
			main/2 rlock c.mu p.go:3
			main/2 read c.hits p.go:4`, []string{"main/1 write c.hits p.go:4", "main/2 read c.hits p.go:4"},
			[]string{"make `c.hits` an atomic integer and use Add and Load: several readers still go on at once; or take"},
			nil},
		"a slice is taken, and its array kept": {`package p
func (b *batch) flush() {
	b.mu.Lock()
	items := b.items
	b.items = b.items[:0]
	b.mu.Unlock()
	b.write(items)
}`, "data race", taken,
			[]string{"main write b.items@e x.go:31", "main/1 read items[...]@e x.go:12"},
			[]string{"`b.items = nil` at p.go:5", "slices.Clone(b.items)"}, []string{"lock b.mu around"}},
		"a slice is taken, and has a new array": {`package p
func (b *batch) flush() {
	b.mu.Lock()
	items := b.items
	b.items = nil
	b.mu.Unlock()
	b.write(items)
}`, "data race", taken,
			[]string{"main write b.items@e x.go:31", "main/1 read items[...]@e x.go:12"},
			nil, []string{"= nil", "[:0]"}},
		"a slice escapes": {`package p
func (r *R) Names() []string {
	r.mu.Lock(); defer r.mu.Unlock()
	return r.names
}`, "data race", escape,
			[]string{"main/1 write r.names[i]@e x.go:11", "main read r.Names()[...]@e x.go:31"},
			[]string{"A slice that is returned is no copy", "holds r.mu: slices.Clone(r.names)"},
			[]string{"maps.Clone"}},
		"a map escapes": {`package p
func (r *R) Names() map[string]int {
	r.mu.Lock(); defer r.mu.Unlock()
	return r.names
}`, "data race", escape,
			[]string{"main/1 write r.names[i]@e x.go:11", "main read r.Names()[...]@e x.go:31"},
			[]string{"maps.Clone(r.names)"}, []string{"slices.Clone"}},
		"locks of two accounts, one of which may be the other": {`package p
func Transfer(from, to *A) {
	from.mu.Lock()
	to.mu.Lock()
}`, "deadlock", `
			main/1 lock from.mu@1 p.go:3
			*main/2 lock from.mu@2 p.go:3
			?main/1 lock to.mu@2 p.go:4
			?main/2 lock to.mu@1 p.go:4`, nil,
			[]string{"lock the smaller one first; where both are one and the same, lock it once"}, nil},
		"locks of two accounts that are compared": {`package p
func Transfer(from, to *A) {
	if from == to { return }
	from.mu.Lock()
	to.mu.Lock()
}`, "deadlock", `
			main/1 lock from.mu@1 p.go:4
			*main/2 lock from.mu@2 p.go:4
			?main/1 lock to.mu@2 p.go:5
			?main/2 lock to.mu@1 p.go:5`, nil,
			[]string{"lock the smaller one first"}, []string{"one and the same"}},
		"two locks in two functions": {`package p
func A() { a.Lock()
	b.Lock() }
func B() { b.Lock()
	a.Lock() }`, "deadlock", `
			main/1 lock a p.go:2
			*main/2 lock b p.go:4
			?main/1 lock b p.go:3
			?main/2 lock a p.go:5`, nil, []string{"in B take a (p.go:5) before b (p.go:4)"}, nil},
		"three locks": {`package p
func Sell() { a.Lock()
	b.Lock() }
func Pay() { b.Lock()
	c.Lock() }
func Refund() { c.Lock()
	a.Lock() }`, "deadlock", `
			main/1 lock a p.go:2
			*main/2 lock b p.go:4
			*main/3 lock c p.go:6
			?main/1 lock b p.go:3
			?main/2 lock c p.go:5
			?main/3 lock a p.go:7`, nil, []string{"in Refund take a (p.go:7) before c (p.go:6)"}, nil},
		"a Load and a Store of a flag, with an early return": {`package p
func Start() {
	if started.Load() {
		return
	}
	started.Store(true)
}`, "test failure", `
			main/1 atomic-load started p.go:3
			*main/2 atomic-store started p.go:6
			*main/1 atomic-store started p.go:6`, []string{"main - - p.go:1"},
			[]string{"`if !started.CompareAndSwap(false, true) { return }`"}, nil},
		"a Load and a Store of a flag, within the if": {`package p
func Start() {
	if !started.Load() {
		started.Store(true)
	}
}`, "test failure", `
			main/1 atomic-load started p.go:3
			*main/2 atomic-store started p.go:4
			*main/1 atomic-store started p.go:4`, []string{"main - - p.go:1"},
			[]string{"`if started.CompareAndSwap(false, true) { ... }`"}, nil},
		"Load and Store of a sync.Map where there was nothing": {`package p
func Get() {
	if v, ok := m.Load(k); ok {
		return
	}
	m.Store(k, 1)
}`, "test failure", `
			main/1 map-load m p.go:3
			*main/2 map-store m p.go:6
			*main/1 map-store m p.go:6`, []string{"main - - p.go:1"},
			[]string{"`m.LoadOrStore`"}, []string{"CompareAndSwap", "LoadAndDelete"}},
		"Load and Store of a sync.Map where there was something": {`package p
func Get() {
	if v, ok := m.Load(k); ok {
		m.Store(k, v+1)
	}
}`, "test failure", `
			main/1 map-load m p.go:3
			*main/2 map-store m p.go:4
			*main/1 map-store m p.go:4`, []string{"main - - p.go:1"},
			[]string{"`m.CompareAndSwap`"}, []string{"LoadOrStore"}},
		"a deferred Unlock after another one": {`package p
func Allow() bool {
	mu.Lock()
	defer mu.Unlock()
	if n == 0 {
		mu.Unlock()
		return false
	}
	return true
}`, "misuse", `
			main/1 lock mu p.go:3
			main/1 unlock mu p.go:6
			main/1 unlock=-1 mu p.go:4`, []string{"main/1 unlock mu p.go:7"},
			[]string{"then the deferred Unlock of p.go:4 unlocked it again, at the return at p.go:7"}, nil},
		"a check and a send": {`package p
func (b *B) isClosed() bool { b.mu.Lock()
	return b.closed }
func (b *B) Publish(e string) {
	if b.isClosed() {
		return
	}
	b.out <- e
}
func (b *B) Close() { b.mu.Lock()
	b.closed = true
	close(b.out) }`, "misuse", `
			main/1 lock b.mu p.go:2
			main/1 read b.closed p.go:3
			main/1 unlock b.mu p.go:2
			*main lock b.mu p.go:10
			main write b.closed p.go:11
			main close b.out p.go:12
			main unlock b.mu p.go:10
			*main/1 send=-1 b.out p.go:8`, []string{"main/1 send b.out p.go:8"},
			[]string{"close a channel `done` in place of `b.out` at p.go:12",
				"`select { case b.out <- e: case <-done: }`", "isClosed locks it too"}, nil},
		"a timer function after Stop": {`package p
func Changed() {
	timer = time.AfterFunc(d, func() { saves <- text })
}
func Close() {
	mu.Lock()
	timer.Stop()
	close(saves)
}`, "misuse", `
			main lock mu p.go:6
			main timer-stop timer p.go:7
			main close saves p.go:8
			timers/1 send=-1 saves p.go:3`, []string{"timers/1 send saves p.go:3"},
			[]string{"set a flag where `saves` is closed, under mu", "do not wait there",
				"`select { case saves <- text: case <-done: }`"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := tell(t, tt.kind, tt.story, tt.places...)
			m := Recognise(f, only("p.go", tt.source), nil)
			if m == nil {
				t.Fatal("nothing was recognised")
			}
			withParts(f, func() { Recognise(f, only("p.go", tt.source), nil) })
			all := m.Text + "\n" + m.Hint
			for _, s := range tt.says {
				if !strings.Contains(all, s) {
					t.Errorf("%q is not in\n%s", s, all)
				}
			}
			for _, s := range tt.not {
				if strings.Contains(m.Hint, s) || s == "panic" && strings.Contains(m.Text, s) {
					t.Errorf("%q is in\n%s", s, all)
				}
			}
		})
	}
}

// withParts calls do with each beginning and end of a story, and without each of its events: what
// happened before a test has no event. Nothing may fail by that.
func withParts(f *wire.Finding, do func()) {
	whole := f.Story
	defer func() { f.Story = whole }()
	of := func(events ...wire.Event) {
		f.Story = events
		for i := range f.Story {
			f.Story[i].Index = i
		}
		do()
	}
	for i := range whole {
		of(slices.Clone(whole[:i])...)
		of(slices.Clone(whole[i:])...)
		of(slices.Concat(whole[:i], whole[i+1:])...)
	}
}
