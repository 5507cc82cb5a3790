package limit

import (
	"testing"
	"time"
)

// A search asks the clock about once a millisecond, and stops soon, however long what it does
// between two questions takes.
func TestSpent(t *testing.T) {
	for _, step := range []time.Duration{time.Microsecond, 100 * time.Microsecond, 30 * time.Millisecond} {
		var now time.Time
		looks := 0
		l := New(func() bool { looks++; return now.Sub(time.Time{}) > time.Second })
		l.now = func() time.Time { return now }
		for !l.Spent() {
			now = now.Add(step)
		}
		took := now.Sub(time.Time{})
		if late := took - time.Second; late > max(2*time.Millisecond, most*min(step, often)) {
			t.Errorf("steps of %v: %v late", step, late)
		}
		if calls := int(took / step); looks > calls/most+1100 {
			t.Errorf("steps of %v: looked %d times in %d calls", step, looks, calls)
		}
	}
}

// What becomes slow all at once is noticed too.
func TestSpentSlowly(t *testing.T) {
	var now time.Time
	l := New(func() bool { return now.Sub(time.Time{}) > time.Second })
	l.now = func() time.Time { return now }
	for range 100 * most {
		l.Spent()
	}
	n := 0
	for !l.Spent() {
		n++
		now = now.Add(100 * time.Millisecond)
	}
	if n > most+10 {
		t.Errorf("%d calls of 100 ms until a second was over", n)
	}
}

func TestWithin(t *testing.T) {
	over := false
	l := Always(func() bool { return over })
	if !l.Within(func() { l.Check() }) {
		t.Error("ended before it was over")
	}
	over = true
	if l.Within(func() { l.Check(); t.Error("goes on") }) {
		t.Error("was not ended")
	}
	var none *Limit
	if !none.Within(func() { none.Check() }) || none.Spent() || none.Now() {
		t.Error("no limit ends something")
	}
	defer func() {
		if v := recover(); v != "mine" {
			t.Errorf("recovered %v", v)
		}
	}()
	other := Always(func() bool { return false })
	other.Within(func() {
		if l.Within(func() { panic("mine") }) {
			t.Error("whole")
		}
	})
}

// What ends an outer search goes through an inner one.
func TestWithinOuter(t *testing.T) {
	outer, inner := Always(func() bool { return true }), Always(func() bool { return false })
	if outer.Within(func() { inner.Within(func() { outer.Check() }); t.Error("goes on") }) {
		t.Error("was not ended")
	}
}

// A memory counts what is there after a collection, beyond what was there before, and collects
// rarely.
func TestMemory(t *testing.T) {
	live, garbage, collections := uint64(100), uint64(0), 0
	heap := func() uint64 { return live + garbage }
	m := &Memory{bound: 1000, heap: heap, collect: func() { garbage = 0; collections++ }}
	m.Begin()
	now := time.Unix(1, 0)
	for !m.Full(now) {
		now = now.Add(lookEvery)
		live, garbage = live+1, garbage+2
		if live > 5000 {
			t.Fatal("never full")
		}
	}
	if held := live - 100; held <= 1000 || held > 1000+1000/8 {
		t.Errorf("full with %d", held)
	}
	if collections > 20 {
		t.Errorf("%d collections", collections)
	}
	if !m.Reached() || !m.Full(now) {
		t.Error("it is full no more")
	}
	if m.Release(); !m.Reached() {
		t.Error("there is room, though nothing was given up")
	}
	live = 500
	if m.Release(); m.Reached() {
		t.Error("it is still full")
	}
	var none *Memory
	none.Begin()
	none.Release()
	if none.Full(now) || none.Reached() || NewMemory(0) != nil {
		t.Error("without a bound it is full")
	}
}

// It is looked at rarely: most questions cost nothing.
func TestMemoryLooks(t *testing.T) {
	looks := 0
	m := &Memory{bound: 1000, heap: func() uint64 { looks++; return 0 }, collect: func() {}}
	m.Begin()
	now := time.Unix(1, 0)
	for range 1000 {
		m.Full(now)
		now = now.Add(lookEvery / 100)
	}
	if looks > 12 {
		t.Errorf("%d looks", looks)
	}
}
