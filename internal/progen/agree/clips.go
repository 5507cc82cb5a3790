package agree

import (
	"context"
	"fmt"

	"heddle/clip"
	"heddle/internal/progen"
	"heddle/internal/progen/machine"
	"heddle/rt/wire"
	"heddle/trace"
)

// shown has the outcomes of a search, each with an execution that shows it.
type shown map[string]*wire.Clip

// add adds m's last execution.
func (s shown) add(p *progen.Program, m *machine.Machine, t *trace.Trace) {
	o := machine.NewOutcomes()
	o.Add(m)
	for _, c := range []struct {
		what string
		keys map[string]int
	}{{"end", o.Ends}, {"panic", o.Panics}, {"race on", o.Races}} {
		for k := range c.keys {
			if key := c.what + " " + k; s[key] == nil {
				s[key] = clipOf(p, key, t.Steps, t)
			}
		}
	}
}

// clipOf returns an execution as a clip of the program that progen.Source writes.
func clipOf(p *progen.Program, message string, steps []trace.Step, t *trace.Trace) *wire.Clip {
	c := &wire.Clip{Test: fmt.Sprintf("TestSeed%d", p.Seed), Kind: "outcome", Message: message,
		Policy: "first", Exhaustive: true}
	for i := range steps {
		s := &steps[i]
		step := wire.Step{G: t.Name(s.G), Op: s.Op.String(), Choice: int(s.Choice)}
		if i < len(t.Steps) {
			step.Switch = t.Steps[i].G != t.Steps[i].Default
		}
		c.Steps = append(c.Steps, step)
	}
	return c
}

// Clips returns two executions that show a disagreement between a strategy and exhaustive search
// about p: one that only one of the two made, and one of the other; or two equivalent ones of the
// strategy; or one that left its schedule, and the schedule. It returns "" if they agree.
func Clips(p *progen.Program, limit int, st Strategy) string {
	m := machine.New(p)
	all := shown{}
	if _, _, err := m.Exhaust(true, limit, func(t *trace.Trace) { all.add(p, m, t) }); err != nil {
		return ""
	}
	own, same := explored(p, m, st)
	if same != "" {
		return same
	}
	for _, x := range []struct {
		only          string
		with, without shown
	}{{"only without reduction", all, own}, {"only by " + st.Name, own, all}} {
		for k, c := range x.with {
			if x.without[k] == nil {
				return fmt.Sprintf("%s:\n%s\nof the others:\n%s", x.only, clip.Format(c),
					clip.Format(x.without.any()))
			}
		}
	}
	return ""
}

// any returns an execution of the outcome with the first name.
func (s shown) any() *wire.Clip {
	first := ""
	for k := range s {
		if first == "" || k < first {
			first = k
		}
	}
	if first == "" {
		return new(wire.Clip)
	}
	return s[first]
}

// explored returns the outcomes of a strategy, and as text where it was wrong.
func explored(p *progen.Program, m *machine.Machine, st Strategy) (own shown, wrong string) {
	own = shown{}
	defer func() {
		if x := recover(); x != nil {
			wrong = fmt.Sprintf("%s: panic: %v", st.Name, x)
		}
	}()
	s := st.New()
	f, firsts := formsOf(s), map[[16]byte]*wire.Clip{}
	for sc := s.Next(); sc != nil; sc = s.Next() {
		if len(sc.Steps) == 0 {
			f, firsts = formsOf(s), map[[16]byte]*wire.Clip{}
		}
		t, err := m.Execute(context.Background(), sc)
		if t.Verdict == trace.Aborted {
			s.Done(t)
			continue
		}
		if err != nil {
			return own, fmt.Sprintf("it was to follow:\n%s\nand did:\n%s",
				clip.Format(clipOf(p, err.Error(), sc.Steps, t)), clip.Format(clipOf(p, "", t.Steps, t)))
		}
		own.add(p, m, t)
		c := clipOf(p, "", t.Steps, t)
		if !f.Add(t) {
			return own, fmt.Sprintf("equivalent:\n%s\nand:\n%s", clip.Format(firsts[f.Last()]),
				clip.Format(c))
		}
		firsts[f.Last()] = c
		s.Done(t)
	}
	return own, ""
}
