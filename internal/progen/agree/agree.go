// Package agree checks that strategies which cover every interleaving see the
// same in random programs as exhaustive search without reduction does, and
// execute nothing twice.
package agree

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"heddle/explore"
	"heddle/explore/transition"
	"heddle/internal/progen"
	"heddle/internal/progen/machine"
	"heddle/trace"
)

// A Strategy is a strategy by name, made anew for every program.
type Strategy struct {
	Name string
	New  func() explore.Strategy

	// Partial: it may break executions off that turn out to be another's
	// business (verdict Aborted). They count for nothing.
	Partial bool

	// Local: it covers the local states of goroutines, but not all orders of
	// events. What is found in its executions must be true, and no local state
	// or panic may be missing.
	Local bool
}

// A Report is what was found out about one program.
type Report struct {
	Interleavings int            // executions without reduction
	Executions    map[string]int // of each strategy
	Partial       map[string]int // executions broken off
	Wrong         []string       // disagreements, in words
}

// Check explores p without reduction, unless it has more than limit
// interleavings (the error is then machine.ErrTooMany), and with every strategy.
func Check(p *progen.Program, limit int, strategies []Strategy) (*Report, error) {
	m := machine.New(p)
	var locals *machine.Outcomes
	if slices.ContainsFunc(strategies, func(s Strategy) bool { return s.Local }) {
		locals = machine.NewOutcomes()
		locals.Watch(m)
	}
	r := &Report{Executions: map[string]int{}, Partial: map[string]int{}}
	want, n, err := m.Exhaust(true, limit, func(t *trace.Trace) {
		if t.Spun {
			r.say("without reduction: somebody was held back by a guess")
		}
	})
	if errors.Is(err, machine.ErrTooMany) {
		return nil, err
	}
	if err != nil {
		r.say("without reduction: %v", err)
		return r, nil
	}
	r.Interleavings = n
	if locals != nil {
		want.Locals, m.Local = locals.Locals, nil
	}
	for _, s := range strategies {
		r.explore(m, s, want)
	}
	return r, nil
}

func (r *Report) say(format string, args ...any) {
	if s := fmt.Sprintf(format, args...); !slices.Contains(r.Wrong, s) {
		r.Wrong = append(r.Wrong, s)
	}
}

// explore explores m's program with one strategy.
func (r *Report) explore(m *machine.Machine, st Strategy, want *machine.Outcomes) {
	defer func() {
		if x := recover(); x != nil {
			r.say("%s: panic: %v", st.Name, x)
		}
	}()
	s, got := st.New(), machine.NewOutcomes()
	if st.Local {
		got.Watch(m)
		defer func() { m.Local = nil }()
	}
	forms := formsOf(s)
	n, twice, partial := 0, 0, 0
	for schedule := s.Next(); schedule != nil; schedule = s.Next() {
		if len(schedule.Steps) == 0 { // it begins, or begins anew having learnt what depends on what
			forms, n, twice, partial = formsOf(s), 0, 0, 0
		}
		t, err := m.Execute(context.Background(), schedule)
		if st.Partial && t.Verdict == trace.Aborted {
			s.Done(t)
			partial++
			continue
		}
		if err != nil {
			r.say("%s: execution %d: %v", st.Name, n, err)
			return
		}
		if m.Restart() {
			r.say("%s: execution %d polls a channel that nobody polls without reduction", st.Name, n)
			return
		}
		got.Add(m)
		if !forms.Add(t) {
			twice++
		}
		s.Done(t)
		if n++; n > r.Interleavings {
			r.say("%s: more executions than without reduction (%d)", st.Name, r.Interleavings)
			return
		}
	}
	r.Executions[st.Name], r.Partial[st.Name] = n, partial
	res := s.Result()
	if !res.Complete {
		r.say("%s: not complete: %s", st.Name, res.Reason)
	}
	if twice > 0 {
		r.say("%s: %d of %d executions are equivalent to an earlier one", st.Name, twice, n)
	}
	differ := (*machine.Outcomes).Differ
	if st.Local {
		differ = (*machine.Outcomes).DifferLocally
	}
	if ds := differ(want, got, "without reduction", "by "+st.Name); len(ds) > 0 {
		r.say("%s", strings.Join(ds, "\n"))
	}
}

// formsOf returns an empty set of classes. What depends on what is as the strategy has it,
// if it says: it may have found out more from executions that were not made.
func formsOf(s explore.Strategy) *transition.Forms {
	if s, ok := s.(interface{ Table() *transition.Table }); ok {
		return transition.NewForms(s.Table())
	}
	return transition.NewForms(transition.NewTable())
}
