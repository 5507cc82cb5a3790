package sched

import (
	"testing"
	"unsafe"

	"heddle/rt/hook"
	"heddle/trace"
)

// memory is a heap of named objects, each with words that lead to others, for walks in heddle's own
// tests.
type memory map[string]*[4]uintptr

func (m memory) at(name string) uintptr {
	if m[name] == nil {
		m[name] = new([4]uintptr)
	}
	return uintptr(unsafe.Pointer(m[name]))
}

func (m memory) link(from string, to ...string) {
	m.at(from)
	for i, name := range to {
		m[from][i] = m.at(name)
	}
}

func (m memory) use(t *testing.T) {
	t.Helper()
	plainHeap.objects = make(map[uintptr]uintptr)
	for _, o := range m {
		plainHeap.objects[uintptr(unsafe.Pointer(o))] = unsafe.Sizeof(*o)
	}
	t.Cleanup(func() { plainHeap = plainMemory{} })
}

func rangeOf(p unsafe.Pointer, n uintptr) memoryRange { return memoryRange{uintptr(p), uintptr(p) + n} }

// A walk reaches what pointers lead to, through cycles and into the middle of objects, and nothing
// else.
func TestReach(t *testing.T) {
	m := memory{}
	m.link("a", "b", "c")
	m.link("b", "a", "d")
	m.link("d", "d")
	m.link("e", "f", "a")
	m["c"][3] = m.at("g") + 8 // into the middle
	m.use(t)
	var r reach
	r.begin(&Sched{})
	root := m.at("a")
	r.add(uintptr(unsafe.Pointer(&root)), uintptr(unsafe.Pointer(&root))+unsafe.Sizeof(root), memoryRange{})
	for name, want := range map[string]bool{"a": true, "b": true, "c": true, "d": true, "e": false,
		"f": false, "g": true} {
		if got := r.reached(m.at(name) + 16); got != want {
			t.Errorf("%s reached: %v, want %v", name, got, want)
		}
	}
	if outside := 0; !r.reached(uintptr(unsafe.Pointer(&outside))) {
		t.Error("what is in no heap object must count as reached")
	}
	r.words = reachMost + 1
	if !r.reached(m.at("e")) {
		t.Error("a walk that was given up must count everything as reached")
	}
}

// A walk leaves out the range of variables that it is told to, and no other.
func TestReachWithout(t *testing.T) {
	m := memory{}
	m.at("a")
	m.at("b")
	m.at("c")
	m.use(t)
	vars := [3]uintptr{m.at("a"), m.at("b"), m.at("c")}
	var r reach
	r.begin(&Sched{})
	all := rangeOf(unsafe.Pointer(&vars), unsafe.Sizeof(vars))
	r.add(all.lo, all.hi, rangeOf(unsafe.Pointer(&vars[1]), unsafe.Sizeof(vars[1])))
	if !r.reached(m.at("a")) || r.reached(m.at("b")) || !r.reached(m.at("c")) {
		t.Errorf("a, b, c: %v, %v, %v; want all but b", r.reached(m.at("a")), r.reached(m.at("b")),
			r.reached(m.at("c")))
	}
}

// Timers at whose channels none waits keep no deadlock from being seen at once; those that let
// something go on do.
func TestTimersThatWakeNone(t *testing.T) {
	ticker := func(d, period int64) {
		p, c := new([8]int64), make(chan int, 1)
		hook.TimerStart(unsafe.Pointer(p), d, period, func(any, uintptr, int64) {}, nil,
			*(*unsafe.Pointer)(unsafe.Pointer(&c)), 9)
	}
	for _, c := range []struct {
		name  string
		also  func(wg *twg)
		want  trace.Verdict
		fires int
	}{
		{"tickers", func(*twg) { ticker(ms, ms); ticker(10, 10) }, trace.Deadlocked, 0},
		{"a timer that fires once", func(*twg) { ticker(3_600_000*ms, 0) }, trace.Deadlocked, 0},
		{"none", func(*twg) {}, trace.Deadlocked, 0},
		{"a sleeper that lets main go on",
			func(wg *twg) { ticker(ms, ms); sleeper(5, 10*ms, func() { wg.Add(-1) }) }, trace.Finished, 5},
	} {
		for _, exhaustive := range []bool{false, true} {
			S.ForgetDeadlocks()
			tr := S.Run(func() {
				wg := new(twg)
				wg.Add(1)
				c.also(wg)
				wg.Wait()
			}, Options{Schedule: &trace.Schedule{Exhaustive: exhaustive}, Policy: policyOf(t, "first")})
			fires := 0
			for i := range tr.Events {
				if tr.Events[i].Op == trace.OpTimerFire {
					fires++
				}
			}
			if tr.Verdict != c.want || c.fires == 0 && fires > 0 || fires < c.fires {
				t.Errorf("%s, exhaustive %v: %v after %d timers, want %v", c.name, exhaustive, tr.Verdict,
					fires, c.want)
			}
		}
	}
}
