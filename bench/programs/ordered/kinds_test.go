package ordered

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// timeParse runs the jobs of a day. On the 29th of February two run together.
func timeParse(t *testing.T, text string, fixed bool) {
	day, err := time.Parse(time.DateOnly, text)
	if err != nil || day.Month() != time.February || day.Day() != 29 || day.Weekday() != time.Monday {
		return
	}
	var runs atomic.Int32
	var mu sync.Mutex
	seen := map[string]bool{}
	run := func(name string) {
		mu.Lock()
		defer mu.Unlock()
		if seen["month"] {
			return
		}
		if !fixed {
			mu.Unlock()
			mu.Lock()
		}
		seen["month"] = true
		runs.Add(1)
		seen[name] = true
	}
	var wg sync.WaitGroup
	wg.Go(func() { run("bill") })
	wg.Go(func() { run("report") })
	wg.Wait()
	if runs.Load() != 1 {
		t.Errorf("%d runs on %s", runs.Load(), text)
	}
}

func FuzzTimeParse(f *testing.F) {
	f.Add("2023-01-02")
	f.Fuzz(func(t *testing.T, text string) { timeParse(t, text, false) })
}

func FuzzTimeParseFixed(f *testing.F) {
	f.Add("2023-01-02")
	f.Fuzz(func(t *testing.T, text string) { timeParse(t, text, true) })
}

// parseDuration lets a request take some time, at most a second. A late answer must not block.
func parseDuration(text string, fixed bool) {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d > time.Minute {
		return
	}
	room := 0
	if fixed {
		room = 1
	}
	answers := make(chan int, room)
	var late atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		time.Sleep(d)
		if !late.Load() {
			answers <- 1 // may become late here
		}
	})
	select {
	case <-answers:
	case <-time.After(time.Second):
		late.Store(true)
	}
	wg.Wait()
}

func FuzzParseDuration(f *testing.F) {
	f.Add("10ms")
	f.Fuzz(func(t *testing.T, text string) { parseDuration(text, false) })
}

func FuzzParseDurationFixed(f *testing.F) {
	f.Add("10ms")
	f.Fuzz(func(t *testing.T, text string) { parseDuration(text, true) })
}

// timeDate opens the books of a year on its last day. Those of a leap year have a day more, that is
// entered while the year is closed.
func timeDate(t *testing.T, year int, month, day uint8, fixed bool) {
	if year < 1 || year > 9999 {
		return
	}
	d := time.Date(year, time.Month(month), int(day), 0, 0, 0, 0, time.UTC)
	if d.Year() != year || d.YearDay() != 366 {
		return
	}
	var mu sync.Mutex
	entries, closed := 0, -1
	entered := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		mu.Lock()
		entries++
		mu.Unlock()
		close(entered)
	})
	wg.Go(func() {
		if fixed {
			<-entered
		}
		mu.Lock()
		closed = entries
		mu.Unlock()
	})
	wg.Wait()
	if closed != entries {
		t.Errorf("%d: closed with %d entries of %d", year, closed, entries)
	}
}

func FuzzTimeDate(f *testing.F) {
	f.Add(2023, uint8(1), uint8(1))
	f.Fuzz(func(t *testing.T, year int, month, day uint8) { timeDate(t, year, month, day, false) })
}

func FuzzTimeDateFixed(f *testing.F) {
	f.Add(2023, uint8(1), uint8(1))
	f.Fuzz(func(t *testing.T, year int, month, day uint8) { timeDate(t, year, month, day, true) })
}

// errorText retries what failed with a certain message. The count of retries is read at the same
// time.
func errorText(message string, fixed bool) {
	err := errors.New("read: " + message)
	var mu sync.Mutex
	retries, shown := 0, 0
	var wg sync.WaitGroup
	wg.Go(func() {
		if err.Error() == "read: timeout" {
			mu.Lock()
			retries++
			mu.Unlock()
		}
	})
	wg.Go(func() {
		if fixed {
			mu.Lock()
			defer mu.Unlock()
		}
		shown = retries
	})
	wg.Wait()
	if shown > 1 {
		panic(shown)
	}
}

func FuzzErrorText(f *testing.F) {
	f.Add("eof")
	f.Fuzz(func(t *testing.T, message string) { errorText(message, false) })
}

func FuzzErrorTextFixed(f *testing.F) {
	f.Add("eof")
	f.Fuzz(func(t *testing.T, message string) { errorText(message, true) })
}

// A userKey is the key of the user in a context.
type userKey struct{}

// contextValue audits what root does. The audit ends with the request.
func contextValue(t *testing.T, name string, fixed bool) {
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), userKey{}, name))
	defer cancel()
	audit := make(chan string, 1)
	handle := func(ctx context.Context) {
		if ctx.Value(userKey{}).(string) != "root" {
			return
		}
		if fixed {
			audit <- "did it"
			return
		}
		select {
		case audit <- "did it":
		case <-ctx.Done():
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() { handle(ctx) })
	wg.Go(cancel)
	wg.Wait()
	if name == "root" && len(audit) != 1 {
		t.Error("root was not audited")
	}
}

func FuzzContextValue(f *testing.F) {
	f.Add("alice")
	f.Fuzz(func(t *testing.T, name string) { contextValue(t, name, false) })
}

func FuzzContextValueFixed(f *testing.F) {
	f.Add("alice")
	f.Fuzz(func(t *testing.T, name string) { contextValue(t, name, true) })
}

// A limits is the configuration of a server.
type limits struct{ connections, queue int }

// atomicValue serves while the configuration is replaced. It must be read once.
func atomicValue(t *testing.T, n int, fixed bool) {
	var config atomic.Value
	config.Store(limits{connections: 10, queue: 10})
	var wg sync.WaitGroup
	wg.Go(func() { config.Store(limits{connections: n, queue: n}) })
	wg.Go(func() {
		c := config.Load().(limits)
		q := c.queue
		if !fixed {
			q = config.Load().(limits).queue
		}
		if c.connections == 10 && q == 77 {
			t.Errorf("%d connections, a queue of %d", c.connections, q)
		}
	})
	wg.Wait()
}

func FuzzAtomicValue(f *testing.F) {
	f.Add(5)
	f.Fuzz(func(t *testing.T, n int) { atomicValue(t, n, false) })
}

func FuzzAtomicValueFixed(f *testing.F) {
	f.Add(5)
	f.Fuzz(func(t *testing.T, n int) { atomicValue(t, n, true) })
}

// syncMap looks up feature flags that were stored for tenants. The beta is opened once.
func syncMap(t *testing.T, tenant string, fixed bool) {
	var flags sync.Map
	flags.Store("acme", "stable")
	flags.Store("globex", "beta")
	var opened atomic.Int32
	open := func() {
		v, ok := flags.Load(tenant)
		if !ok || v.(string) != "beta" {
			return
		}
		if fixed {
			if flags.CompareAndSwap(tenant, "beta", "open") {
				opened.Add(1)
			}
			return
		}
		flags.Store(tenant, "open")
		opened.Add(1)
	}
	var wg sync.WaitGroup
	wg.Go(open)
	wg.Go(open)
	wg.Wait()
	if opened.Load() > 1 {
		t.Errorf("opened %d times", opened.Load())
	}
}

func FuzzSyncMap(f *testing.F) {
	f.Add("acme")
	f.Fuzz(func(t *testing.T, tenant string) { syncMap(t, tenant, false) })
}

func FuzzSyncMapFixed(f *testing.F) {
	f.Add("acme")
	f.Fuzz(func(t *testing.T, tenant string) { syncMap(t, tenant, true) })
}

// A shape has an area.
type shape interface{ area() int }

type square struct{ side int }

func (s square) area() int { return s.side * s.side }

type rectangle struct{ w, h int }

func (r rectangle) area() int { return r.w * r.h }

// interfaces draws a shape in two tiles. Where it is as large as a tile, it is drawn to the end by
// one of them.
func interfaces(t *testing.T, w, h int, fixed bool) {
	var s shape = rectangle{w, h}
	if w == h {
		s = square{w}
	}
	q, ok := s.(square)
	if !ok || q.side < 0 || q.side > 1<<20 || s.area() != 4096 {
		return
	}
	turns := make(chan int, 1)
	turns <- 1
	var drawn int
	tile := func() {
		if !fixed && len(turns) == 0 {
			return // the other draws it: or had it already ended?
		}
		<-turns
		drawn++
		turns <- 1
	}
	var wg sync.WaitGroup
	wg.Go(tile)
	wg.Go(tile)
	wg.Wait()
	if drawn != 2 {
		t.Errorf("%d of 2 tiles", drawn)
	}
}

func FuzzInterface(f *testing.F) {
	f.Add(2, 3)
	f.Fuzz(func(t *testing.T, w, h int) { interfaces(t, w, h, false) })
}

func FuzzInterfaceFixed(f *testing.F) {
	f.Add(2, 3)
	f.Fuzz(func(t *testing.T, w, h int) { interfaces(t, w, h, true) })
}

// reflection applies a setting by the name of its field. The field Retries is watched.
func reflection(t *testing.T, name string, value int64, fixed bool) {
	type settings struct{ Timeout, Retries, Size int64 }
	var s settings
	v := reflect.ValueOf(&s).Elem().FieldByName(name)
	if !v.IsValid() {
		return
	}
	v.SetInt(value)
	if s.Retries <= 3 {
		return
	}
	left := atomic.Int64{}
	left.Store(1)
	retry := func() {
		if fixed {
			if left.Add(-1) < 0 {
				left.Add(1)
			}
		} else if left.Load() > 0 {
			left.Add(-1)
		}
	}
	var wg sync.WaitGroup
	wg.Go(retry)
	wg.Go(retry)
	wg.Wait()
	if left.Load() < 0 {
		t.Errorf("%d retries left", left.Load())
	}
}

func FuzzReflect(f *testing.F) {
	f.Add("Size", int64(1))
	f.Fuzz(func(t *testing.T, name string, value int64) { reflection(t, name, value, false) })
}

func FuzzReflectFixed(f *testing.F) {
	f.Add("Size", int64(1))
	f.Fuzz(func(t *testing.T, name string, value int64) { reflection(t, name, value, true) })
}

// floats watches a temperature in Celsius. The alarm must be heard even if it is given before the
// listener is ready.
func floats(celsius float64, fixed bool) {
	if fahrenheit := celsius*9/5 + 32; !(fahrenheit > 451 && fahrenheit < 452) {
		return
	}
	room := 0
	if fixed {
		room = 1
	}
	alarm := make(chan bool, room)
	var wg sync.WaitGroup
	wg.Go(func() {
		select {
		case alarm <- true:
		default: // not heard
		}
	})
	wg.Go(func() { <-alarm })
	wg.Wait()
}

func FuzzFloats(f *testing.F) {
	f.Add(20.5)
	f.Fuzz(func(t *testing.T, celsius float64) { floats(celsius, false) })
}

func FuzzFloatsFixed(f *testing.F) {
	f.Add(20.5)
	f.Fuzz(func(t *testing.T, celsius float64) { floats(celsius, true) })
}

// lengths has two producers of n values each append to a buffer with room for 24.
func lengths(t *testing.T, n uint8, fixed bool) {
	if n > 64 {
		return
	}
	values := make([]int, n)
	buffer := make([]int, 0, 24)
	var mu sync.Mutex
	room := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(buffer)+len(values) <= cap(buffer)
	}
	add := func() {
		mu.Lock()
		defer mu.Unlock()
		if !fixed || len(buffer)+len(values) <= 24 {
			buffer = append(buffer, values...)
		}
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if room() {
				add()
			}
		})
	}
	wg.Wait()
	if len(buffer) > 24 {
		t.Errorf("%d values in a buffer of 24", len(buffer))
	}
}

func FuzzLengths(f *testing.F) {
	f.Add(uint8(2))
	f.Fuzz(func(t *testing.T, n uint8) { lengths(t, n, false) })
}

func FuzzLengthsFixed(f *testing.F) {
	f.Add(uint8(2))
	f.Fuzz(func(t *testing.T, n uint8) { lengths(t, n, true) })
}

// sleep has a worker that needs ms milliseconds. After 50 the results are closed.
func sleep(ms uint16, fixed bool) {
	results := make(chan int, 1)
	var wg sync.WaitGroup
	var mu sync.Mutex
	closed := false
	wg.Go(func() {
		time.Sleep(time.Duration(ms) * time.Millisecond)
		mu.Lock()
		defer mu.Unlock()
		if closed {
			return
		}
		if !fixed {
			mu.Unlock()
			mu.Lock()
		}
		results <- 1
	})
	wg.Go(func() {
		time.Sleep(50 * time.Millisecond)
		mu.Lock()
		defer mu.Unlock()
		closed = true
		close(results)
	})
	wg.Wait()
}

func FuzzSleep(f *testing.F) {
	f.Add(uint16(1))
	f.Fuzz(func(t *testing.T, ms uint16) { sleep(ms, false) })
}

func FuzzSleepFixed(f *testing.F) {
	f.Add(uint16(1))
	f.Fuzz(func(t *testing.T, ms uint16) { sleep(ms, true) })
}

// A customer has an address.
type customer struct {
	name    string
	address struct {
		city    string
		country string
	}
}

// nested ships an order of n lines to a customer. Orders from abroad are weighed twice.
func nested(t *testing.T, name, city, country string, n uint8, express bool, fixed bool) {
	var c customer
	c.name = strings.ToLower(name)
	c.address.city, c.address.country = city, strings.ToUpper(country)
	if c.address.country != "CH" || c.address.city == "" || n < 10 || !express {
		return
	}
	var mu sync.Mutex
	weight := 0
	weighed := make(chan struct{}, 2)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			mu.Lock()
			weight += int(n)
			mu.Unlock()
			weighed <- struct{}{}
		})
	}
	<-weighed
	if fixed {
		<-weighed
	}
	mu.Lock()
	if weight != 2*int(n) {
		t.Errorf("weight %d for %s", weight, c.name)
	}
	mu.Unlock()
	wg.Wait()
}

func FuzzNested(f *testing.F) {
	f.Add("Ann", "Bonn", "de", uint8(1), false)
	f.Fuzz(func(t *testing.T, name, city, country string, n uint8, express bool) {
		nested(t, name, city, country, n, express, false)
	})
}

func FuzzNestedFixed(f *testing.F) {
	f.Add("Ann", "Bonn", "de", uint8(1), false)
	f.Fuzz(func(t *testing.T, name, city, country string, n uint8, express bool) {
		nested(t, name, city, country, n, express, true)
	})
}
