package pattern

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"heddle/report/syntax"
	"heddle/rt/wire"
)

// tell makes a finding from lines such as
//
//	*main/1 lock q.mu q.go:3
//	main/1 read q.jobs q.go:4
//	?main/2 lock q.mu q.go:9
//
// a star for a switch, a question mark for what a goroutine waits for at the end. An operation may
// have its argument after it: wg-add=-1. An object without a name is "-". One object with several
// names has its identity after an at sign: from.mu@1, to.mu@1.
func tell(t *testing.T, kind, text string, places ...string) *wire.Finding {
	t.Helper()
	f := &wire.Finding{Kind: kind}
	ids := map[string]int{}
	parse := func(line string) wire.Event {
		e := wire.Event{Index: len(f.Story), Partner: -1}
		if rest, ok := strings.CutPrefix(line, "*"); ok {
			e.Switch, line = true, rest
		}
		if rest, ok := strings.CutPrefix(line, "?"); ok {
			e.Waits, line = true, rest
		}
		w := strings.Fields(line)
		if len(w) != 4 {
			t.Fatalf("line %q has %d words", line, len(w))
		}
		e.G = w[0]
		op, arg, has := strings.Cut(w[1], "=")
		if e.Op = op; has {
			n, err := strconv.ParseInt(arg, 10, 64)
			if err != nil { // of go: the child
				e.Child = arg
			}
			e.Arg = n
		}
		object, size, sized := strings.Cut(w[2], "/")
		if sized {
			e.Cap, _ = strconv.Atoi(size)
		}
		object, id, known := strings.Cut(object, "@")
		if !known {
			id = object
		}
		if object != "-" && object != "nil" {
			if ids[id] == 0 {
				ids[id] = len(ids) + 1
			}
			e.Obj = ids[id]
		}
		file, line, _ := strings.Cut(w[3], ":")
		n, err := strconv.Atoi(line)
		if err != nil {
			t.Fatal(err)
		}
		e.Where = wire.Place{File: file, Line: n, Goroutine: e.G, Op: op}
		if object != "-" {
			e.Where.Object = object
		}
		return e
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			f.Story = append(f.Story, parse(line))
		}
	}
	for _, p := range places {
		f.Places = append(f.Places, parse(p).Where)
	}
	if len(places) == 0 {
		for _, e := range f.Story {
			if e.Waits {
				f.Places = append(f.Places, e.Where)
			}
		}
	}
	return f
}

// q.go has the functions of the stories: what is on which line matters.
const program = `package q
func (q *Q) Len() int {
	q.mu.Lock(); defer q.mu.Unlock()
	return len(q.jobs)
}
func (q *Q) Next() string {
	if q.Len() == 0 {
		return ""
	}
	q.mu.Lock(); defer q.mu.Unlock()
	j := q.jobs[0]
	return j
}
func (q *Q) Hit() {
	n := q.hits.Load()
	q.hits.Store(n + 1)
}
func (q *Q) Wait() {
	q.mu.Lock()
	if len(q.jobs) == 0 {
		q.cond.Wait()
	}
	q.jobs = q.jobs[1:]
	for len(q.jobs) == 0 {
		q.cond.Wait()
	}
}
func (q *Q) All() []string {
	return q.jobs
}
func Use(q *Q) {
	for _, j := range q.All() { print(j) }
	q.host = "a"
	q.port = 1
	print(q.host)
	print(q.port)
	if q.closed.Load() { return }
	q.wg.Add(1)
	q.n++
	select {
	case j := <-q.in:
		print(j)
	case <-q.stop:
	}
	close(q.in)
}
`

func recognised(f *wire.Finding) *Match {
	return Recognise(f, only("q.go", program), nil)
}

// only returns files of which there is one.
func only(name, text string) *syntax.Files {
	return syntax.New(func(file string) []byte {
		if file == name {
			return []byte(text)
		}
		return nil
	})
}

func TestRecognise(t *testing.T) {
	for name, tt := range map[string]struct {
		kind   string
		story  string
		places []string
		want   Name // "": none
		says   string
	}{
		"check, release, act": {"panic", `
			main/1 lock q.mu q.go:3
			main/1 read q.jobs q.go:4
			main/1 unlock q.mu q.go:3
			*main/2 lock q.mu q.go:10
			main/2 write q.jobs q.go:11
			main/2 unlock q.mu q.go:10
			main/1 lock q.mu q.go:10
			main/1 read q.jobs q.go:11`, []string{"main/1 - - q.go:11"}, CheckThenAct,
			"main/1 checked `q.Len() == 0` at q.go:7 and then read `q.jobs` at q.go:11, but released q.mu in between"},
		"no switch, so nothing came in between by chance": {"panic", `
			main/1 read q.jobs q.go:4
			main/2 write q.jobs q.go:11
			main/1 read q.jobs q.go:11`, []string{"main/1 - - q.go:30"}, "", ""},
		"it waited for the other one in between": {"panic", `
			main/1 read q.jobs q.go:4
			*main/2 write q.jobs q.go:11
			main/1 wg-wait wg q.go:9
			main/1 read q.jobs q.go:11`, []string{"main/1 - - q.go:30"}, "", ""},
		"two functions that nothing calls together": {"panic", `
			main/1 read q.jobs q.go:4
			*main/2 write q.jobs q.go:11
			main/1 read q.jobs q.go:28`, []string{"main/1 - - q.go:3"}, "", ""},
		"lost update": {"test failure", `
			main/1 atomic-load q.hits q.go:15
			*main/2 atomic-load q.hits q.go:15
			main/2 atomic-store q.hits q.go:16
			main/1 atomic-store q.hits q.go:16`, nil, LostUpdate,
			"main/1 read `q.hits` at q.go:15 and wrote a new value at q.go:16; main/2 wrote"},
		"two updates one after the other": {"test failure", `
			main/1 atomic-load q.hits q.go:15
			main/1 atomic-store q.hits q.go:16
			*main/2 atomic-load q.hits q.go:15
			main/2 atomic-store q.hits q.go:16`, nil, "", ""},
		"stale read": {"test failure", `
			main/1 read q.host q.go:34
			*main/2 write q.host q.go:32
			main/2 write q.port q.go:33
			main/1 read q.port q.go:35`, nil, StaleRead, "main/1 has the old `q.host` with the new `q.port`"},
		"only one of the two changed": {"test failure", `
			main/1 read q.host q.go:34
			*main/2 write q.port q.go:33
			main/1 read q.port q.go:35`, nil, "", ""},
		"Cond without a loop": {"panic", `
			main/1 lock q.mu q.go:19
			main/1 read q.jobs q.go:20
			main/1 cond-wait q.cond q.go:21
			main/1 unlock q.mu q.go:21
			*main/2 write q.jobs q.go:23
			main/1 cond-wake q.cond q.go:21
			main/1 lock q.mu q.go:21
			main/1 read q.jobs q.go:23`, []string{"main/1 - - q.go:23"}, CondIf,
			"check in a loop: `for len(q.jobs) == 0 { q.cond.Wait() }`"},
		"Cond with a loop": {"panic", `
			main/1 lock q.mu q.go:19
			main/1 read q.jobs q.go:24
			main/1 cond-wait q.cond q.go:25
			main/1 unlock q.mu q.go:25
			*main/2 write q.jobs q.go:23
			main/1 cond-wake q.cond q.go:25
			main/1 lock q.mu q.go:25
			main/1 read q.jobs q.go:24`, []string{"main/1 - - q.go:40"}, "", ""},
		"write under a read lock": {"data race", `
			main/1 rlock q.mu q.go:3
			main/1 write q.n q.go:39
			main/1 runlock q.mu q.go:3
			main/2 rlock q.mu q.go:3
			main/2 write q.n q.go:39
			main/2 runlock q.mu q.go:3`, []string{"main/1 write q.n q.go:39", "main/2 write q.n q.go:39"},
			ReadLockWrite, "holds q.mu for reading only (RLock at q.go:3)"},
		"one side locks": {"data race", `
			main/1 lock q.mu q.go:3
			main/1 write q.n q.go:39
			main/1 unlock q.mu q.go:3
			main/2 read q.n q.go:40`, []string{"main/1 write q.n q.go:39", "main/2 read q.n q.go:40"}, OneSided,
			"lock q.mu around q.go:40 too"},
		"two locks": {"data race", `
			main/1 lock a q.go:3
			main/1 write q.n q.go:39
			main/1 unlock a q.go:3
			main/2 lock b q.go:3
			main/2 write q.n q.go:39`, []string{"main/1 write q.n q.go:39", "main/2 write q.n q.go:39"}, TwoLocks,
			"main/1 holds a when it writes `q.n`"},
		"unlocked before": {"data race", `
			main/1 lock q.mu q.go:3
			main/1 unlock q.mu q.go:3
			main/1 write q.n q.go:39
			main/2 write q.n q.go:39`, []string{"main/1 write q.n q.go:39", "main/2 write q.n q.go:39"},
			LostUpdate, "both run `q.n++` at q.go:39 without a lock"},
		"guarded slice escapes": {"data race", `
			main lock q.mu q.go:28
			main read q.jobs q.go:29
			main unlock q.mu q.go:28
			main/1 lock q.mu q.go:3
			main/1 write q.jobs[i] q.go:11
			main/1 unlock q.mu q.go:3
			main read q.jobs[i] q.go:31`, []string{"main/1 write q.jobs[i] q.go:11", "main read q.jobs[i] q.go:31"},
			OneSided, ""}, // the names are equal: it need not be what a method returned
		"two lock orders": {"deadlock", `
			main/1 lock a q.go:3
			*main/2 lock b q.go:10
			?main/1 lock b q.go:4
			?main/2 lock a q.go:11`, nil, LockOrder, "main/1 locked a at q.go:3 and waits for b at q.go:4"},
		"a chain is no cycle": {"deadlock", `
			main/1 lock a q.go:3
			main/2 lock b q.go:10
			?main lock a q.go:3
			?main/1 lock b q.go:4
			?main/2 recv c q.go:11`, nil, LockHeld, "main/2 holds b (locked at q.go:10) while it waits to receive from `c`"},
		"locked twice": {"deadlock", `
			main lock q.mu q.go:10
			?main lock q.mu q.go:3`, nil, LockTwice, "do not call Len, which locks q.mu, while q.mu is held"},
		"a read lock twice": {"deadlock", `
			main rlock q.mu q.go:10
			?main/1 lock q.mu q.go:19
			?main rlock q.mu q.go:3`, nil, ReadLockTwice, "In between main/1 called Lock at q.go:19"},
		"missing unlock": {"deadlock", `
			main/1 lock q.mu q.go:10
			main/1 end - q.go:12
			?main lock q.mu q.go:3`, nil, MissingUnlock, "main/1 locked q.mu at q.go:10 and has ended without unlocking it"},
		"the holder goes on": {"deadlock", `
			main/1 lock q.mu q.go:10
			?main/1 sleep - q.go:12
			?main lock q.mu q.go:3`, nil, "", ""},
		"nil channel": {"leak", `
			main start - q.go:1
			?main/1 send nil q.go:12`, nil, NilChannel, "`nil` is nil when main/1 uses it"},
		"signal before wait": {"deadlock", `
			main/1 signal q.cond q.go:23
			main cond-wait q.cond q.go:21
			?main cond-wait q.cond q.go:21`, nil, SignalLost, "main/1 called q.cond.Signal at q.go:23 before main"},
		"no signal at all": {"deadlock", `
			main cond-wait q.cond q.go:21
			?main cond-wait q.cond q.go:21`, nil, "", ""},
		"Signal for two": {"deadlock", `
			main/1 cond-wait q.cond q.go:21
			main/2 cond-wait q.cond q.go:21
			main signal q.cond q.go:23
			main/1 cond-wake q.cond q.go:21
			?main/2 cond-wait q.cond q.go:21`, nil, SignalOne, "it woke main/1, and main/2 waits"},
		"Do within Do": {"deadlock", `
			main/1 once o q.go:10
			?main/1 once o q.go:10`, nil, OnceInOnce, ""},
		"another one's Do": {"deadlock", `
			main/1 once o q.go:10
			main/1 once-done o q.go:10
			main/1 once o q.go:10
			?main/1 recv c q.go:10
			?main recv d q.go:10`, nil, "", ""},
		"leaked receiver": {"leak", `
			main send q.in q.go:32
			main/1 recv=1 q.in q.go:31
			?main/1 recv q.in q.go:31`, nil, LeakedRecv, "`close(q.in)` at q.go:45 was not reached"},
		"own WaitGroup": {"deadlock", `
			main wg-add=1 wg q.go:10
			main go=main/1 wg q.go:10
			?main wg-wait wg q.go:11
			?main/1 wg-wait wg q.go:12`, nil, OwnGroup, "it waits for its own end"},
		"receivers and a Wait for more than them": {"deadlock", `
			main wg-add=2 wg q.go:10
			main send q.in q.go:32
			?main/1 recv q.in q.go:31
			?main wg-wait wg q.go:11`, nil, "", ""},
		"a goroutine without Done, and no return before it": {"deadlock", `
			main/1 wg-add=1 wg q.go:10
			main/1 end - q.go:10
			?main wg-wait wg q.go:11`, nil, "", ""},
		"a WaitGroup alone": {"deadlock", `
			main wg-add=1 wg q.go:10
			?main wg-wait wg q.go:11`, nil, "", ""},
		"Add after Wait": {"misuse", `
			main go=main/1 - q.go:31
			main wg-wait q.wg q.go:33
			main/1 wg-add=1 q.wg q.go:11`, []string{"main/1 wg-add q.wg q.go:11", "main wg-wait q.wg q.go:33"},
			AddAfterWait, "call q.wg.Add(1) before the go statement at q.go:31"},
		"Add after a check": {"misuse", `
			main/1 atomic-load q.closed q.go:37
			*main atomic-store q.closed q.go:32
			main wg-wait q.wg q.go:33
			main/1 wg-add=1 q.wg q.go:38`, []string{"main/1 wg-add q.wg q.go:38", "main wg-wait q.wg q.go:33"},
			AddAfterWait, "main/1 checked `q.closed.Load()` at q.go:37"},
		"double close": {"misuse", `
			main/2 close q.in q.go:45
			main/1 close=-1 q.in q.go:45`, []string{"main/1 close q.in q.go:45"}, CloseTwice,
			"main/2 closed `q.in` at q.go:45, and main/1 closed it again"},
		"send after close": {"misuse", `
			main close q.in q.go:45
			main/1 send=-1 q.in q.go:12`, []string{"main/1 send q.in q.go:12"}, SendClosed,
			"let main wait until main/1 has sent"},
		"unlock twice": {"misuse", `
			main/1 lock q.mu q.go:19
			main/1 unlock q.mu q.go:20
			main/1 unlock=-1 q.mu q.go:21`, []string{"main/1 unlock q.mu q.go:21"}, UnlockTwice,
			"main/1 locked q.mu at q.go:19 and unlocked it at q.go:20"},
		"both ready": {"test failure", `
			main send q.in/4 q.go:32
			main close q.stop q.go:33
			main/1 recv q.stop q.go:39`, nil, "", ""}, // not at a select, as far as its place says
		"no order": {"test failure", `
			main read q.host q.go:34
			main/1 write q.host q.go:3`, []string{"main - - q.go:35"}, NoOrder,
			"let main wait until main/1 has changed `q.host`"},
		"nothing else writes it": {"test failure", `
			main write q.host q.go:32
			main read q.host q.go:34`, []string{"main - - q.go:35"}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := recognised(tell(t, tt.kind, tt.story, tt.places...))
			switch {
			case m == nil && tt.want != "":
				t.Errorf("nothing was recognised, want %s", tt.want)
			case m != nil && m.Name != tt.want:
				t.Errorf("%s: %s; want %q", m.Name, m.Text, tt.want)
			case m != nil && !strings.Contains(m.Text+"\n"+m.Hint, tt.says):
				t.Errorf("%q is not in\n%s\n%s", tt.says, m.Text, m.Hint)
			case m != nil && (m.Var == "" || len(m.Roles) == 0):
				t.Errorf("%+v", m)
			}
		})
	}
}

// Every pattern is in the table once, with what it means.
func TestPatterns(t *testing.T) {
	var seen []Name
	for _, p := range Patterns {
		if slices.Contains(seen, p.Name) || p.Means == "" || p.Example == "" {
			t.Errorf("%+v", p)
		}
		seen = append(seen, p.Name)
	}
	if _, ok := Of(CheckThenAct); !ok {
		t.Error(fmt.Sprint(seen))
	}
}

// A story that makes no sense is no reason to fail: it may be cut, or of a program that changed.
func FuzzRecognise(f *testing.F) {
	for _, kind := range []string{"data race", "deadlock", "leak", "panic", "test failure", "misuse",
		"livelock", "fatal error", "atomicity violation"} {
		for seed := range uint64(300) {
			f.Add(kind, seed)
		}
	}
	f.Fuzz(func(t *testing.T, kind string, seed uint64) {
		ops := []string{"read", "write", "lock", "unlock", "rlock", "runlock", "cond-wait", "cond-wake",
			"signal",
			"send", "recv", "close", "select", "wg-add", "wg-wait", "once", "go", "atomic-load",
			"atomic-store",
			"timer-stop"}
		next := func(n int) int {
			seed = seed*6364136223846793005 + 1442695040888963407
			return int(seed>>33) % n
		}
		x := &wire.Finding{Kind: kind}
		for i := range 40 {
			x.Story = append(x.Story, wire.Event{Index: i, G: fmt.Sprintf("main/%d", next(3)),
				Op:  ops[next(len(ops))],
				Obj: next(4), Arg: int64(next(4) - 1), Switch: next(3) == 0, Waits: i > 34, Partner: -1,
				Where: wire.Place{File: "q.go", Line: next(48), Object: []string{"", "q.jobs", "q.mu",
					"q.in<-"}[next(4)]}})
		}
		for range 2 {
			p := x.Story[next(40)]
			p.Where.Op, p.Where.Goroutine = p.Op, p.G
			x.Places = append(x.Places, p.Where)
		}
		if m := recognised(x); m != nil && (m.Name == "" || m.Text == "") {
			t.Errorf("%+v", m)
		}
	})
}

// A test that fails because another goroutine calls a library between two calls of one function.
func TestBetweenCalls(t *testing.T) {
	const source = `package store

func (s *Store) Balance(name string) int {
	return s.db.QueryRow(name)
}

func (s *Store) Deposit(name string, n int) {
	old := s.Balance(name)
	s.db.Exec(name, old+n)
}

func (s *Store) Log(text string) {
	s.log.Print(text)
}
`
	files := syntax.New(func(string) []byte { return []byte(source) })
	const story = `
		main/1 lock - sql.go:1
		*main/2 lock - sql.go:1
		main/2 lock - sql.go:2
		main/1 lock - sql.go:2`
	for _, test := range []struct {
		name  string
		calls [4]int // lines of store.go
		pkg   [4]string
		want  []string
	}{
		{"read and write", [4]int{4, 4, 9, 9},
			[4]string{"database/sql", "database/sql", "database/sql", "database/sql"},
			[]string{"`s.Balance(name)` at store.go:8", "`s.db.Exec(name, old+n)` at store.go:9",
				"main/2 called `s.db.QueryRow(name)` at store.go:4", "out of date"}},
		{"near miss: another library between", [4]int{4, 13, 13, 9},
			[4]string{"database/sql", "log", "log", "database/sql"}, nil},
		{"near miss: one call alone", [4]int{4, 4, 9, 4},
			[4]string{"database/sql", "database/sql", "database/sql", "database/sql"}, nil},
	} {
		f := tell(t, "test failure", story)
		for i := range f.Story {
			f.Story[i].Call = &wire.Place{File: "store.go", Line: test.calls[i], Op: test.pkg[i] + ".(*X).Do"}
		}
		m := Recognise(f, files, func(p wire.Place) bool { return p.File == "sql.go" })
		switch {
		case m == nil && test.want != nil:
			t.Errorf("%s: not recognised", test.name)
		case m != nil && test.want == nil:
			t.Errorf("%s: %s", test.name, m.Text)
		}
		for _, w := range test.want {
			if m != nil && !strings.Contains(m.Text, w) {
				t.Errorf("%s: %q is not in %q", test.name, w, m.Text)
			}
		}
	}
}
