// Package quiet holds what other people's tests do and heddle once took for a
// bug. Nothing in it may be reported.
package quiet

import (
	"context"
	crand "crypto/rand"
	"fmt"
	"math/rand"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// goleak: only goroutines that are left may show in runtime.Stack.
func TestNoGoroutinesLeft(t *testing.T) {
	var wg sync.WaitGroup
	for i := 0; i < 3; i++ {
		wg.Add(1)
		go func() { defer wg.Done(); runtime.Gosched() }()
	}
	wg.Wait()
	time.Sleep(time.Millisecond)
	buf := make([]byte, 1<<16)
	for i, s := range strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
		head := s[:strings.IndexByte(s, '\n')]
		switch {
		case strings.Contains(s, "heddlert") || strings.Contains(s, "coroutine"):
			t.Errorf("heddle shows:\n%s", s)
		case i == 0 && !strings.HasSuffix(head, "[running]:"), i > 0 && !strings.Contains(s, "testing.(*T).Run"):
			t.Errorf("unexpected goroutine %d:\n%s", i, s)
		}
	}
	if s := string(debug.Stack()); strings.Contains(s, "heddlert") || !strings.Contains(s, "TestNoGoroutinesLeft") {
		t.Errorf("debug.Stack:\n%s", s)
	}
}

// goleak: a goroutine that waits says for what.
func TestWaitingGoroutineShows(t *testing.T) {
	c := make(chan int)
	go func() { c <- <-c }()
	time.Sleep(time.Millisecond)
	buf := make([]byte, 1<<16)
	if s := string(buf[:runtime.Stack(buf, true)]); !strings.Contains(s, "[chan receive]:\nexample.com/quiet.TestWaitingGoroutineShows.func1") {
		t.Errorf("it does not show:\n%s", s)
	}
	c <- 1
	<-c
}

// conc: what runs an example is what go test runs it with.
func ExampleFrames() {
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		fmt.Println(f.Function)
	}
	// Output:
	// example.com/quiet.ExampleFrames
	// testing.runExample
	// testing.runExamples
	// testing.(*M).Run
	// main.main
	// runtime.main
	// runtime.goexit
}

// puddle: time passes between two looks at the clock.
func TestClockMoves(t *testing.T) {
	go func() {}()
	t1 := time.Now()
	if t2 := time.Now(); !t2.After(t1) {
		t.Errorf("%v, then %v", t1, t2)
	}
}

// go-resiliency: a sleep outlasts a time-out of the same length that began when the sleep did.
func TestSleepOutlasts(t *testing.T) {
	const d = 10 * time.Millisecond
	var last int64
	for i := 0; i < 3; i++ {
		go func() {
			now := time.Now().UnixNano()
			if before := atomic.SwapInt64(&last, now); before != 0 && now <= before+int64(d) {
				t.Errorf("only %d ns passed", now-before)
			}
		}()
		time.Sleep(d)
	}
}

var born = time.Now()

// gobreaker: tests begin soon after the package's variables are made.
func TestSoonAfterInit(t *testing.T) {
	go func() {}()
	if d := time.Since(born); d <= 0 || d > 10*time.Second {
		t.Errorf("born %v ago", d)
	}
}

func start(parent context.Context) (_ context.Context, cancel func()) {
	ctx, cancel := context.WithTimeout(parent, time.Second)
	go func() {
		defer cancel()
	}()
	return ctx, cancel
}

func startNamed(parent context.Context) (ctx context.Context, cancel func()) {
	ctx, cancel = context.WithTimeout(parent, time.Second)
	go func() {
		defer cancel()
	}()
	return ctx, cancel
}

// raft: returning the result cancel as itself writes nothing.
func TestReturnItself(t *testing.T) {
	_, cancel := start(context.Background())
	defer cancel()
	_, cancel = startNamed(context.Background())
	defer cancel()
}

// x/sync: the top-level functions of math/rand are safe for concurrent use.
func TestRand(t *testing.T) {
	var wg sync.WaitGroup
	for i := 0; i < 3; i++ {
		wg.Add(1)
		go func() { defer wg.Done(); rand.Intn(100); rand.Intn(2) }()
	}
	wg.Wait()
}

// golang-lru: bytes of crypto/rand are the same for the same schedule.
func TestCryptoRand(t *testing.T) {
	var b [4]byte
	crand.Read(b[:])
	var wg sync.WaitGroup
	for i := 0; i < 1+int(b[0]%3); i++ {
		wg.Add(1)
		go wg.Done()
	}
	wg.Wait()
}

// go-memdb: visiting maps keyed by pointers again and again is not quadratic.
func TestPointerKeys(t *testing.T) {
	go func() {}()
	var keep []map[*int]bool
	for i := 0; i < 3000; i++ {
		m := map[*int]bool{new(int): true, new(int): true, new(int): true}
		for p := range m {
			*p = i
		}
		keep = append(keep, m)
	}
	_ = keep
}

// workerpool: a time-out that fires early makes the test fail, and what it deferred hangs: that says nothing.
func TestTimeout(t *testing.T) {
	started, release := make(chan bool, 1), make(chan bool)
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		started <- true
		<-release
	}()
	defer wg.Wait()
	select {
	case <-started:
	case <-time.After(time.Second):
		t.Fatal("timed out")
	}
	close(release)
}

// xsync: reading much is not polling.
func TestManyLoads(t *testing.T) {
	var vs [100]int64
	go func() {}()
	for i := 0; i < 20000; i++ {
		if atomic.LoadInt64(&vs[i%len(vs)]) != 0 || atomic.LoadInt64(&vs[0]) != 0 {
			t.Error("not 0")
		}
	}
}

// golang-lru: the goroutine of a cache that is never closed is served by its ticker.
func TestTickerServes(t *testing.T) {
	var mu sync.Mutex
	n := 0
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				mu.Lock()
				n++
				mu.Unlock()
			}
		}
	}()
	time.Sleep(5 * time.Millisecond)
	mu.Lock()
	defer mu.Unlock()
}

// A thousand looks at the clock take less than a millisecond.
func TestManyLooks(t *testing.T) {
	start := time.Now()
	for i := 0; i < 1000; i++ {
		time.Now()
	}
	if d := time.Since(start); d >= time.Millisecond {
		t.Fatal(d)
	}
	go func() {}()
}

// A loop that waits for the time to pass ends all the same.
func TestClockPolled(t *testing.T) {
	start := time.Now()
	for time.Since(start) < time.Second {
	}
	for start = time.Now(); time.Since(start) < time.Second; {
		runtime.Gosched()
	}
	go func() {}()
}

// Heddle's own allocations are no failure of the test's.
func TestAllocs(t *testing.T) {
	var x *[4]int
	if n := testing.AllocsPerRun(10, func() { x = new([4]int) }); n > 1 {
		t.Error(n)
	}
	_ = x
	go func() {}()
}

// Below a test there is the runtime, and nothing else.
func TestStackBelow(t *testing.T) {
	done := make(chan bool)
	check := func(depth int) {
		for i := depth; ; i++ {
			pc, file, _, ok := runtime.Caller(i)
			var pcs [1]uintptr
			if n := runtime.Callers(i+1, pcs[:]); (n == 1) != ok || ok && runtime.FuncForPC(pc).Name() != runtime.FuncForPC(pcs[0]).Name() {
				t.Errorf("%d: %v, %d", i, ok, n)
			}
			if !ok {
				break
			}
			if strings.Contains(file, "heddlert") {
				t.Error(file)
			}
		}
		if _, file, _, _ := runtime.Caller(depth); !strings.Contains(file, "runtime") {
			t.Error(file)
		}
	}
	check(3) // this function, TestStackBelow, tRunner
	go func() {
		check(2)
		done <- true
	}()
	<-done
}

// Who asks another goroutine until time has changed something gets an answer.
func TestBusyUntilTick(t *testing.T) {
	state, stop := make(chan int), make(chan bool)
	go func() {
		ticker := time.NewTicker(time.Millisecond)
		defer ticker.Stop()
		for n := 0; ; {
			select {
			case <-ticker.C:
				n++
			case state <- n:
			case <-stop:
				return
			}
		}
	}()
	for <-state < 3 {
	}
	close(stop)
}
