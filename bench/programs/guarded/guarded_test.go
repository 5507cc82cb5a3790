// Package guarded has typical fuzz targets: each parses its input in a common way, and has a bug
// that needs both an input and an order of goroutines. Each has a variant without the bug (go run
// ./bench -guarded FILE).
package guarded

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode"
)

// A balance is reduced by two goroutines. The check and the change are in two critical sections,
// unless fixed.
type balance struct {
	mu sync.Mutex
	n  int
}

func (b *balance) take(n int, fixed bool) bool {
	b.mu.Lock()
	enough := b.n >= n
	if !fixed {
		b.mu.Unlock()
		b.mu.Lock()
	}
	if enough {
		b.n -= n
	}
	b.mu.Unlock()
	return enough
}

// twice takes n from a balance of n in two goroutines, and fails if both succeed.
func twice(t *testing.T, n int, fixed bool) {
	b := balance{n: n}
	var got atomic.Int32
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if b.take(n, fixed) {
				got.Add(1)
			}
		}()
	}
	wg.Wait()
	if got.Load() > 1 {
		t.Errorf("taken twice: %d left", b.n)
	}
}

// Runes: brackets that nest three deep.
func FuzzRunes(f *testing.F)      { runes(f, false) }
func FuzzRunesFixed(f *testing.F) { runes(f, true) }

func runes(f *testing.F, fixed bool) {
	f.Add("()")
	f.Fuzz(func(t *testing.T, s string) {
		depth, most := 0, 0
		for _, r := range s {
			switch {
			case r == '(':
				depth++
				most = max(most, depth)
			case r == ')':
				depth--
			case !unicode.IsLetter(r):
				return
			}
			if depth < 0 {
				return
			}
		}
		if depth == 0 && most == 3 {
			twice(t, most, fixed)
		}
	})
}

// Builder: a name is normalised and looked up in a cache.
func FuzzBuilder(f *testing.F)      { builder(f, false) }
func FuzzBuilderFixed(f *testing.F) { builder(f, true) }

func canonical(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r >= 'A' && r <= 'Z':
			b.WriteRune(r - 'A' + 'a')
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case r == ' ' || r == '_':
			b.WriteByte('-')
		}
	}
	return b.String()
}

func builder(f *testing.F, fixed bool) {
	f.Add("Jo")
	f.Fuzz(func(t *testing.T, name string) {
		if canonical(name) == "x-1" {
			twice(t, 1, fixed)
		}
	})
}

// Buffer: frames of a length and so many bytes.
func FuzzBuffer(f *testing.F)      { buffer(f, false) }
func FuzzBufferFixed(f *testing.F) { buffer(f, true) }

func buffer(f *testing.F, fixed bool) {
	f.Add([]byte{1, 'p'})
	f.Fuzz(func(t *testing.T, data []byte) {
		in := bytes.NewBuffer(data)
		frames := make(chan []byte, 1)
		var last atomic.Pointer[[]byte]
		var wg sync.WaitGroup
		wg.Add(1)
		go func() {
			defer wg.Done()
			for fr := range frames {
				last.Store(&fr)
			}
		}()
		sum := 0
		for in.Len() > 0 {
			n, _ := in.ReadByte()
			body := make([]byte, n)
			if k, err := in.Read(body); err != nil || k < int(n) {
				break
			}
			if n == 2 && body[0] == 'q' && body[1] == '!' {
				if fixed {
					break
				}
				if p := last.Load(); p != nil && len(*p) == 1 {
					t.Errorf("the last frame was %q", *p)
				}
				break
			}
			sum += int(n)
			frames <- body
		}
		close(frames)
		wg.Wait()
	})
}

// Scanner: commands, one a line.
func FuzzScanner(f *testing.F)      { scanner(f, false) }
func FuzzScannerFixed(f *testing.F) { scanner(f, true) }

func scanner(f *testing.F, fixed bool) {
	f.Add("get\nset 1\n")
	f.Fuzz(func(t *testing.T, in string) {
		var mu sync.Mutex
		value, quit := "", make(chan bool)
		var wg sync.WaitGroup
		stopped := false
		stop := func() {
			mu.Lock()
			was := stopped
			if fixed {
				stopped = true
			}
			mu.Unlock()
			if !was {
				mu.Lock()
				stopped = true
				mu.Unlock()
				close(quit)
			}
		}
		wg.Add(1)
		lines := make(chan string)
		go func() {
			defer wg.Done()
			for l := range lines {
				if l == "quit" {
					stop()
				}
			}
		}()
		sc := bufio.NewScanner(strings.NewReader(in))
		for sc.Scan() {
			line := sc.Text()
			if v, ok := strings.CutPrefix(line, "set "); ok {
				value = v
			}
			lines <- line
			if value == "0" && line == "quit" {
				stop()
			}
		}
		close(lines)
		wg.Wait()
	})
}

// Split: a list of jobs, with commas between.
func FuzzSplit(f *testing.F)      { split(f, false) }
func FuzzSplitFixed(f *testing.F) { split(f, true) }

func split(f *testing.F, fixed bool) {
	f.Add("a")
	f.Fuzz(func(t *testing.T, s string) {
		jobs := strings.Split(s, ",")
		if len(jobs) != 2 {
			return
		}
		var mu sync.Mutex
		done := map[string]int{}
		var wg sync.WaitGroup
		for _, j := range jobs {
			wg.Add(1)
			go func() {
				defer wg.Done()
				if fixed {
					mu.Lock()
					defer mu.Unlock()
					if j == "go" {
						done[j]++
					}
					return
				}
				if j == "go" {
					mu.Lock()
					n := done[j]
					mu.Unlock()
					mu.Lock()
					done[j] = n + 1
					mu.Unlock()
				}
			}()
		}
		wg.Wait()
		if jobs[0] == "go" && jobs[1] == "go" && done["go"] != 2 {
			t.Errorf("done: %v", done)
		}
	})
}

// Fields: a command and its arguments.
func FuzzFields(f *testing.F)      { fields(f, false) }
func FuzzFieldsFixed(f *testing.F) { fields(f, true) }

func fields(f *testing.F, fixed bool) {
	f.Add("put a")
	f.Fuzz(func(t *testing.T, s string) {
		words := strings.Fields(s)
		if len(words) < 2 {
			return
		}
		var from, to sync.Mutex
		move := func(a, b *sync.Mutex) {
			a.Lock()
			b.Lock()
			b.Unlock()
			a.Unlock()
		}
		var wg sync.WaitGroup
		wg.Add(2)
		go func() { defer wg.Done(); move(&from, &to) }()
		go func() {
			defer wg.Done()
			if words[0] == "mv" && words[1] == "b" && !fixed {
				move(&to, &from)
			} else {
				move(&from, &to)
			}
		}()
		wg.Wait()
	})
}

// Header: a name, a colon, a value with blanks around it.
func FuzzHeader(f *testing.F)      { header(f, false) }
func FuzzHeaderFixed(f *testing.F) { header(f, true) }

func header(f *testing.F, fixed bool) {
	f.Add("a: b")
	f.Fuzz(func(t *testing.T, line string) {
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return
		}
		value = strings.TrimSpace(value)
		if strings.EqualFold(name, "conn") && strings.HasPrefix(value, "up") &&
			strings.IndexByte(value, ',') == 2 {
			twice(t, len(value), fixed)
		}
	})
}

// Atoi: how many workers there are.
func FuzzAtoi(f *testing.F)      { atoi(f, false) }
func FuzzAtoiFixed(f *testing.F) { atoi(f, true) }

func atoi(f *testing.F, fixed bool) {
	f.Add("1")
	f.Fuzz(func(t *testing.T, s string) {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || n < 0 || n > 3 {
			return
		}
		errs := make(chan error, 1)
		if fixed {
			errs = make(chan error, n)
		}
		for i := range n {
			go func() {
				if i > 0 {
					errs <- errors.New("no")
				}
			}()
		}
		if n > 1 {
			<-errs
		}
	})
}

// Config: lines of the form name=value.
func FuzzConfig(f *testing.F)      { config(f, false) }
func FuzzConfigFixed(f *testing.F) { config(f, true) }

func config(f *testing.F, fixed bool) {
	f.Add("size=1")
	f.Fuzz(func(t *testing.T, s string) {
		async, size := false, int64(0)
		for _, line := range strings.Split(s, ";") {
			name, value, _ := strings.Cut(line, "=")
			var err error
			switch name {
			case "async":
				async, err = strconv.ParseBool(value)
			case "size":
				size, err = strconv.ParseInt(value, 10, 64)
			default:
				err = fmt.Errorf("line %q: no such name", line)
			}
			if err != nil {
				return
			}
		}
		if async && size > 9 {
			twice(t, int(size), fixed)
		}
	})
}

// JSON: a request.
func FuzzJSON(f *testing.F)      { jsonRequest(f, false) }
func FuzzJSONFixed(f *testing.F) { jsonRequest(f, true) }

func jsonRequest(f *testing.F, fixed bool) {
	f.Add([]byte(`{"op":"get","n":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var r struct {
			Op string `json:"op"`
			N  int    `json:"n"`
		}
		if json.Unmarshal(data, &r) != nil {
			return
		}
		if r.Op == "put" && r.N == 7 {
			twice(t, r.N, fixed)
		}
	})
}

// Regexp: names of jobs.
func FuzzRegexp(f *testing.F)      { regexpName(f, false) }
func FuzzRegexpFixed(f *testing.F) { regexpName(f, true) }

var jobName = regexp.MustCompile(`^j-([0-9]+)$`)

func regexpName(f *testing.F, fixed bool) {
	f.Add("j-")
	f.Fuzz(func(t *testing.T, s string) {
		m := jobName.FindStringSubmatch(s)
		if m == nil {
			return
		}
		if n, err := strconv.Atoi(m[1]); err == nil && n > 10 {
			twice(t, n, fixed)
		}
	})
}

// Switch: a word decides what each goroutine does.
func FuzzSwitch(f *testing.F)      { switches(f, false) }
func FuzzSwitchFixed(f *testing.F) { switches(f, true) }

func switches(f *testing.F, fixed bool) {
	f.Add("get", "get")
	f.Fuzz(func(t *testing.T, a, b string) {
		var mu sync.Mutex
		open, jobs := true, make(chan int, 4)
		do := func(op string) {
			switch op {
			case "close":
				mu.Lock()
				if open {
					open = false
					close(jobs)
				}
				mu.Unlock()
			case "add":
				mu.Lock()
				ok := open
				if !fixed {
					mu.Unlock()
					mu.Lock()
				}
				if ok {
					jobs <- 1
				}
				mu.Unlock()
			}
		}
		var wg sync.WaitGroup
		wg.Add(2)
		go func() { defer wg.Done(); do(a) }()
		go func() { defer wg.Done(); do(b) }()
		wg.Wait()
	})
}

// Handlers: functions by name, in a map.
func FuzzHandlers(f *testing.F)      { handlers(f, false) }
func FuzzHandlersFixed(f *testing.F) { handlers(f, true) }

func handlers(f *testing.F, fixed bool) {
	f.Add("ping", 1)
	f.Fuzz(func(t *testing.T, name string, n int) {
		by := map[string]func(int) int{
			"ping":  func(n int) int { return n },
			"twice": func(n int) int { return 2 * n },
			"neg":   func(n int) int { return -n },
		}
		h, ok := by[name]
		if !ok {
			return
		}
		if name != "ping" && n > 0 && h(n) == 26 {
			twice(t, n, fixed)
		}
	})
}

// Sleep: how long a worker takes is in the input.
func FuzzSleep(f *testing.F)      { sleeps(f, false) }
func FuzzSleepFixed(f *testing.F) { sleeps(f, true) }

func sleeps(f *testing.F, fixed bool) {
	f.Add(1)
	f.Fuzz(func(t *testing.T, ms int) {
		if ms < 0 || ms > 1000 {
			return
		}
		c := make(chan int)
		if fixed {
			c = make(chan int, 1)
		}
		go func() {
			time.Sleep(time.Duration(ms) * time.Millisecond)
			c <- ms
		}()
		select {
		case <-c:
		case <-time.After(70 * time.Millisecond):
		}
	})
}

// Timeout: the length of a wait is in the input.
func FuzzTimeout(f *testing.F)      { timeouts(f, false) }
func FuzzTimeoutFixed(f *testing.F) { timeouts(f, true) }

func timeouts(f *testing.F, fixed bool) {
	f.Add(uint16(500))
	f.Fuzz(func(t *testing.T, ms uint16) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(ms)*time.Millisecond)
		defer cancel()
		var mu sync.Mutex
		result := "none"
		done := make(chan bool)
		go func() {
			defer close(done)
			time.Sleep(20 * time.Millisecond)
			mu.Lock()
			defer mu.Unlock()
			if !fixed || ctx.Err() == nil {
				result = "some"
			}
		}()
		select {
		case <-done:
			return
		case <-ctx.Done():
		}
		mu.Lock()
		was := result
		mu.Unlock()
		<-done
		mu.Lock()
		defer mu.Unlock()
		if result != was {
			t.Error("a result after the time was over")
		}
	})
}

// Sorted: priorities, the least first.
func FuzzSorted(f *testing.F)      { sorted(f, false) }
func FuzzSortedFixed(f *testing.F) { sorted(f, true) }

type task struct {
	prio int
	name string
}

func sorted(f *testing.F, fixed bool) {
	f.Add(1, 2, 3)
	f.Fuzz(func(t *testing.T, a, b, c int) {
		tasks := []task{{a, "a"}, {b, "b"}, {c, "c"}}
		slices.SortFunc(tasks, func(x, y task) int { return cmp.Compare(x.prio, y.prio) })
		if tasks[0].name == "c" && tasks[1].name == "a" && tasks[0].prio > 100 &&
			slices.Contains([]int{200, 300}, b) {
			twice(t, 1, fixed)
		}
	})
}

// Roles: a map literal with values of the input, and a range over it.
func FuzzRoles(f *testing.F)      { roles(f, false) }
func FuzzRolesFixed(f *testing.F) { roles(f, true) }

func roles(f *testing.F, fixed bool) {
	f.Add("jo", 1)
	f.Fuzz(func(t *testing.T, who string, level int) {
		levels := map[string]int{"root": 9, "guest": level}
		total := 0
		for _, l := range levels {
			total += l
		}
		if n, ok := levels[who]; ok && n == total-9 && n == 33 {
			twice(t, n, fixed)
		}
	})
}

// Ops: a byte for each operation on a structure, as in fuzz targets for data structures.
func FuzzOps(f *testing.F)      { ops(f, false) }
func FuzzOpsFixed(f *testing.F) { ops(f, true) }

func ops(f *testing.F, fixed bool) {
	f.Add([]byte{0})
	f.Fuzz(func(t *testing.T, ops []byte) {
		if len(ops) > 8 {
			return
		}
		s := &stack[byte]{}
		var wg sync.WaitGroup
		for i, op := range ops {
			switch op % 4 {
			case 0:
				s.push(byte(i))
			case 1:
				s.pop()
			case 2:
				wg.Add(1)
				go func() { defer wg.Done(); s.popIf(fixed) }()
			}
		}
		wg.Wait()
	})
}

type stack[T any] struct {
	mu sync.Mutex
	s  []T
}

func (s *stack[T]) push(x T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.s = append(s.s, x)
}

func (s *stack[T]) pop() (x T, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.s) == 0 {
		return x, false
	}
	x = s.s[len(s.s)-1]
	s.s = s.s[:len(s.s)-1]
	return x, true
}

func (s *stack[T]) popIf(fixed bool) {
	if fixed {
		s.pop()
		return
	}
	s.mu.Lock()
	n := len(s.s)
	s.mu.Unlock()
	if n > 0 {
		s.mu.Lock()
		s.s = s.s[:len(s.s)-1]
		s.mu.Unlock()
	}
}

// Packet: a binary header.
func FuzzPacket(f *testing.F)      { packet(f, false) }
func FuzzPacketFixed(f *testing.F) { packet(f, true) }

func packet(f *testing.F, fixed bool) {
	f.Add([]byte{0, 1, 2})
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < 6 || binary.BigEndian.Uint16(b) != 0xcafe {
			return
		}
		n := binary.LittleEndian.Uint32(b[2:])
		if int(n) != len(b)-6 || n == 0 || b[6]&0x80 == 0 {
			return
		}
		twice(t, int(n), fixed)
	})
}

// Logged: a target that logs its steps.
func FuzzLogged(f *testing.F)      { logged(f, false) }
func FuzzLoggedFixed(f *testing.F) { logged(f, true) }

func logged(f *testing.F, fixed bool) {
	f.Add("x", 1)
	f.Fuzz(func(t *testing.T, s string, n int) {
		t.Logf("%q %d %s", s, n, strconv.Quote(s))
		fmt.Println("input:", s, strings.ToUpper(s))
		if err := check(s, n); err != nil {
			t.Logf("refused: %v", err)
			return
		}
		twice(t, n, fixed)
	})
}

type refused struct {
	what string
	n    int
}

func (r *refused) Error() string { return "no " + r.what + ": " + strconv.Itoa(r.n) }

func check(s string, n int) error {
	if !strings.HasPrefix(s, "ok") {
		return &refused{"ok", len(s)}
	}
	if n <= 1000 {
		return fmt.Errorf("check %q: %w", s, &refused{"number", n})
	}
	return nil
}

// Errors: the kind of an error decides.
func FuzzErrors(f *testing.F)      { kinds(f, false) }
func FuzzErrorsFixed(f *testing.F) { kinds(f, true) }

func kinds(f *testing.F, fixed bool) {
	f.Add("12")
	f.Fuzz(func(t *testing.T, s string) {
		_, err := strconv.ParseUint(s, 10, 8)
		var ne *strconv.NumError
		switch {
		case errors.As(err, &ne) && errors.Is(err, strconv.ErrRange) && strings.HasSuffix(ne.Num, "9"):
			twice(t, 1, fixed)
		case err != nil:
			return
		}
	})
}

// Duration: a time as text.
func FuzzDuration(f *testing.F)      { durations(f, false) }
func FuzzDurationFixed(f *testing.F) { durations(f, true) }

func durations(f *testing.F, fixed bool) {
	f.Add("1s")
	f.Fuzz(func(t *testing.T, s string) {
		d, err := time.ParseDuration(s)
		if err != nil || d <= time.Minute {
			return
		}
		twice(t, 1, fixed)
	})
}
