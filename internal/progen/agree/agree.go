// Package agree checks that strategies which cover every interleaving find the same in random
// programs as exhaustive search without reduction, and execute no interleaving twice.
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
	"heddle/rt/sched"
	"heddle/trace"
)

// A Strategy has a name, and makes a new instance for every program.
type Strategy struct {
	Name string
	New  func() explore.Strategy

	// Local: it covers the local states of goroutines, but not all orders of events. Its findings
	// must be right, and no local state or panic may be missing. Where plain memory is no
	// scheduling point, executions may be equivalent: they are made for a race.
	Local bool

	// Observed is Local, but no race may be missing either, and executions may be equivalent.
	Observed bool
}

// A Report has the results for one program.
type Report struct {
	Interleavings int            // executions without reduction
	Executions    map[string]int // by strategy
	Partial       map[string]int // by strategy: aborted executions
	Wrong         []string       // disagreements, as text
	GivenUp       int            // searches, see TestNaps

	naps bool // as TestNaps has them
}

// Check explores p without reduction and with every strategy. If p has more than limit
// interleavings the error is machine.ErrTooMany.
func Check(p *progen.Program, limit int, strategies []Strategy) (*Report, error) {
	return check(machine.New(p), limit, strategies)
}

// ErrLeft says of a program in free time that no search can cover it: it ends by a panic, or hangs,
// before a timer has fired that is never early.
var ErrLeft = errors.New(trace.UntimedLeft.String())

// CheckFree is Check in free time, for strategies that cover it.
func CheckFree(p *progen.Program, limit int, strategies []Strategy) (*Report, error) {
	m := machine.New(p)
	m.Free = true
	return check(m, limit, strategies)
}

func check(m *machine.Machine, limit int, strategies []Strategy) (*Report, error) {
	var locals *machine.Outcomes
	if slices.ContainsFunc(strategies, func(s Strategy) bool { return s.Local || s.Observed }) {
		locals = machine.NewOutcomes()
		locals.Watch(m)
	}
	r := &Report{Executions: map[string]int{}, Partial: map[string]int{}}
	left := false
	want, n, err := m.Exhaust(true, limit, func(t *trace.Trace) {
		if t.Spun {
			r.say("without reduction: a goroutine was throttled by a guess")
		}
		if left = left || t.Untimed == trace.UntimedLeft; t.Untimed != trace.Timed {
			r.say("without reduction: %s", t.Untimed)
		}
	})
	if errors.Is(err, machine.ErrTooMany) {
		return nil, err
	}
	if left {
		return nil, ErrLeft
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
		if s.Observed || s.Local {
			// as heddle test begins: only operations that synchronise are scheduling points
			m.Sync = true
			s.Name += ", plain memory"
			r.explore(m, s, want)
			m.Sync = false
		}
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
	watch := func() {
		if st.Local || st.Observed {
			got.Watch(m)
		}
	}
	watch()
	defer func() { m.Local = nil }()
	forms := formsOf(s)
	n, twice, partial := 0, 0, 0
	for schedule := s.Next(); schedule != nil; schedule = s.Next() {
		if len(schedule.Steps) == 0 { // the search begins, or begins again with more dependencies
			forms, n, twice, partial = formsOf(s), 0, 0, 0
		}
		t, err := m.Execute(context.Background(), schedule)
		if t.Verdict == trace.Aborted {
			got.AddRaces(m)
			s.Done(t)
			partial++
			continue
		}
		if r.naps && (err != nil || t.Spun || t.Verdict != trace.Finished || len(sched.S.Races()) > 0) {
			r.GivenUp++ // package drive begins again with sleeps that are timers
			return
		}
		if err != nil && m.Sync && len(want.Races) > 0 && len(got.Races) > 0 {
			return // what a goroutine reads in a race is no part of its local state
		}
		if err != nil {
			r.say("%s: execution %d: %v", st.Name, n, err)
			return
		}
		if m.Restart() {
			if m.Free && n <= 8 { // the clock is read
				s, got = st.New(), machine.NewOutcomes()
				watch()
				continue
			}
			r.say("%s: execution %d polls a channel that no goroutine polls without reduction", st.Name, n)
			return
		}
		got.Add(m)
		if !st.Observed && !m.Sync && !forms.Add(t) {
			twice++
		}
		s.Done(t)
		if n++; n > r.Interleavings && (!st.Observed && !m.Sync || n > 2*r.Interleavings+8) {
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
	switch {
	case st.Local:
		differ = (*machine.Outcomes).DifferLocally
	case st.Observed:
		differ = (*machine.Outcomes).DifferObserved
	}
	if m.Sync && len(want.Races) > 0 {
		if len(got.Races) == 0 {
			r.say("%s: no race", st.Name)
		}
		return
	}
	if ds := differ(want, got, "without reduction", "by "+st.Name); len(ds) > 0 {
		r.say("%s", strings.Join(ds, "\n"))
	}
}

// formsOf returns an empty set of equivalence classes. It uses the dependencies of the strategy if
// it has them: it may know more than its executions show.
func formsOf(s explore.Strategy) *transition.Forms {
	if s, ok := s.(interface{ Table() *transition.Table }); ok {
		return transition.NewForms(s.Table())
	}
	return transition.NewForms(transition.NewTable())
}
