package agree

import (
	"strings"
	"testing"

	"heddle/clip"
	"heddle/explore"
	"heddle/explore/dpor"
	"heddle/internal/progen"
	"heddle/trace"
)

// A lazy strategy makes one execution and says that it covered everything.
type lazy struct{ explore.Strategy }

func (l lazy) Next() *trace.Schedule {
	if l.Result().Executions > 0 {
		return nil
	}
	return l.Strategy.Next()
}

// A stutterer makes the first execution twice.
type stutterer struct {
	explore.Strategy
	n int
}

func (s *stutterer) Next() *trace.Schedule {
	if s.n++; s.n == 2 {
		return &trace.Schedule{Steps: []trace.Step{{Op: trace.OpStart, Choice: -1}}, Exhaustive: true,
			Policy: "first"}
	}
	return s.Strategy.Next()
}

func (s *stutterer) Done(t *trace.Trace) {
	if s.n != 2 {
		s.Strategy.Done(t)
	}
}

// Each error of a strategy is reported with two clips that can be read.
func TestDisagreementsAreShown(t *testing.T) {
	p := &progen.Program{Atomics: 1,
		Body: []*progen.Stmt{{Op: progen.Go, Body: []*progen.Stmt{{Op: progen.Store, Val: 1, Src: -1}}},
			{Op: progen.Load}}}
	p.Number()
	for _, c := range []struct {
		s    Strategy
		word string
	}{
		{Strategy{Name: "lazy", New: func() explore.Strategy { return lazy{dpor.New(dpor.Options{})} }},
			"only without reduction:"},
		{Strategy{Name: "stutterer",
			New: func() explore.Strategy { return &stutterer{Strategy: dpor.New(dpor.Options{})} }},
			"equivalent:"},
	} {
		r, err := Check(p, 100, []Strategy{c.s})
		if err != nil || len(r.Wrong) == 0 {
			t.Errorf("%s: nothing wrong (%v)", c.s.Name, err)
		}
		text := Clips(p, 100, c.s)
		if !strings.HasPrefix(text, c.word) {
			t.Errorf("%s: %s", c.s.Name, text)
		}
		parts := strings.Split(text, "heddle clip v2")
		if len(parts) != 3 {
			t.Fatalf("%s: %d clips, want 2:\n%s", c.s.Name, len(parts)-1, text)
		}
		for _, part := range parts[1:] {
			body, _, _ := strings.Cut(part, "\n\n")
			if got, err := clip.Parse("clip", []byte("heddle clip v2"+body+"\n")); err != nil ||
				len(got.Steps) < 3 {
				t.Errorf("%s: %v\n%s", c.s.Name, err, part)
			}
		}
	}
	good := Strategy{Name: "dpor", New: func() explore.Strategy { return dpor.New(dpor.Options{}) }}
	if r, err := Check(p, 100, []Strategy{good}); err != nil || len(r.Wrong) > 0 ||
		Clips(p, 100, good) != "" {
		t.Errorf("dpor: %v, %v", r, err)
	}
}
