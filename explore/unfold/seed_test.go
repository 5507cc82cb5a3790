package unfold

import (
	"context"
	"runtime"
	"testing"

	"heddle/internal/progen"
	"heddle/internal/progen/machine"
	"heddle/internal/progen/table2"
	"heddle/trace"
)

// The net is the same whichever executions it starts from (section 4.6).
func TestSeeds(t *testing.T) {
	n := 0
	for seed := range uint64(200) {
		p := progen.Generate(seed, progen.Default)
		m := machine.New(p)
		if _, _, err := m.Exhaust(true, 300, nil); err != nil {
			continue
		}
		plain := New(Options{})
		if _, _, err := locals(m, plain, 0); err != nil || plain.Why != "" {
			continue
		}
		s, made, ok := New(Options{}), 0, true
		m.Local = nil
		m.Exhaust(true, 7, func(tr *trace.Trace) {
			made++
			ok = ok && s.Seed(tr)
		})
		if !ok {
			continue
		}
		if _, _, err := locals(m, s, 0); err != nil || s.Why != "" {
			t.Fatalf("seed %d: %v %s", seed, err, s.Why)
		}
		m.Local = nil
		n++
		if s.Net().Events() != plain.Net().Events() || s.Surprise > 0 {
			t.Fatalf("seed %d: %d events from %d executions, %d from none, %d not foreseen\n%s", seed,
				s.Net().Events(), made, plain.Net().Events(), s.Surprise, progen.Source(p))
		}
	}
	if n < 50 {
		t.Errorf("only %d programs were seeded", n)
	}
}

// The memory for one event, with everything that belongs to it.
func TestMemory(t *testing.T) {
	const most = 200 // bytes
	p := table2.Dining(4, 2)
	var before, after runtime.MemStats
	s := New(Options{})
	m := machine.New(p)
	m.Execute(context.Background(), &trace.Schedule{Exhaustive: true})
	runtime.GC()
	runtime.ReadMemStats(&before)
	for sc := s.Next(); sc != nil; sc = s.Next() {
		tr, err := m.Execute(context.Background(), sc)
		if err != nil {
			t.Fatal(err)
		}
		s.Done(tr)
	}
	s.rest = nil
	runtime.GC()
	runtime.ReadMemStats(&after)
	bytes := float64(after.HeapAlloc-before.HeapAlloc) / float64(s.Net().Events())
	t.Logf("%d events, %.0f bytes each", s.Net().Events(), bytes)
	if bytes > most*5/4 {
		t.Errorf("%.0f bytes an event; the goal, for a million of them, is %d", bytes, most)
	}
	runtime.KeepAlive(s)
}
