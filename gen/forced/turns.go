package forced

import (
	"errors"
	"math"
	"slices"

	"heddle/rt/wire"
)

// Turns: the order of a clip in parts. In each part one goroutine runs. A goroutine waits at the
// first statement of its part until the parts before are over. A part is over where its goroutine
// comes to its next part; if it has none, or is blocked within a statement until then, after the
// part's last statement, or before it: on one processor a goroutine goes on until it waits.

// mostParts bounds the parts of an order: each is a stop or two in the test.
const mostParts = 200

// A part is a run of steps of one goroutine, by their indices.
type part struct {
	steps []int
	gate  *visit // where it begins; nil: its goroutine comes from within a statement
}

// A visit is one execution of a statement by a goroutine.
type visit struct {
	file  string
	at    *forcedStatement
	g     string
	began int   // index of the step before which it was reached
	steps []int // in it
}

// turns makes the stops for the parts of the clip's order; untilSwitch: those up to the last switch
// alone.
func (w *writer) turns(untilSwitch bool) error {
	steps := w.shown()
	visits := w.visits(steps)
	parts := w.parts(steps, visits)
	if untilSwitch {
		parts = upToSwitch(steps, parts)
	}
	if len(parts) < 2 {
		return errors.New("no goroutine goes on while another one waits")
	}
	if len(parts) > mostParts {
		return errors.New("it has too many switches")
	}
	for i := range parts {
		w.gate(parts, i, steps, visits)
	}
	return nil
}

// shown returns the steps of the clip that are operations, and after them what the finding says
// that goroutines come to.
func (w *writer) shown() (steps []wire.Step) {
	last := map[string]*wire.Place{}
	for _, st := range w.c.Steps {
		if st.Op != "start" && st.Op != "end" && st.G != "timers" {
			steps = append(steps, st)
			last[st.G] = &st.Where
		}
	}
	for _, p := range w.c.Places {
		at := last[p.Goroutine]
		if p.Goroutine != "" && p.Line > 0 && (at == nil || at.File != p.File || at.Line != p.Line) {
			steps = append(steps, wire.Step{G: p.Goroutine, Op: p.Op, Where: p, Switch: true})
			last[p.Goroutine] = &p
		}
	}
	return steps
}

// visits returns the visit that each step belongs to, nil for a step in no statement of the
// package.
func (w *writer) visits(steps []wire.Step) []*visit {
	all := make([]*visit, len(steps))
	now, before := map[string]*visit{}, map[string]int{}
	for i := range steps {
		st := &steps[i]
		began, ok := before[st.G]
		if !ok {
			began = math.MinInt + len(before) // it comes to its first statement when it was started
		}
		before[st.G] = i
		s := w.statement(st.G, &st.Where)
		if s == nil {
			now[st.G] = nil
			continue
		}
		v := now[st.G]
		if v == nil || *v.at != *s || steps[v.steps[0]].Op == st.Op {
			v = &visit{file: st.Where.File, at: s, g: st.G, began: began}
			now[st.G] = v
		}
		v.steps = append(v.steps, i)
		all[i] = v
	}
	return all
}

// parts divides the steps by goroutine.
func (w *writer) parts(steps []wire.Step, visits []*visit) (parts []part) {
	for i := range steps {
		if i == 0 || steps[i-1].G != steps[i].G {
			parts = append(parts, part{})
			if v := visits[i]; v != nil && v.steps[0] == i && !v.at.Deferred {
				parts[len(parts)-1].gate = v
			}
		}
		p := &parts[len(parts)-1]
		p.steps = append(p.steps, i)
	}
	return parts
}

// upToSwitch returns the parts up to the one after the last switch of the clip, at which the
// goroutine that it switched away from may go on.
func upToSwitch(steps []wire.Step, parts []part) []part {
	for i := range slices.Backward(parts) {
		if steps[parts[i].steps[0]].Switch {
			return parts[:min(i+2, len(parts))]
		}
	}
	return parts
}

// gate makes the stops for part i.
func (w *writer) gate(parts []part, i int, steps []wire.Step, visits []*visit) {
	p := &parts[i]
	g := steps[p.steps[0]].G
	if p.gate != nil && i > 0 {
		s := w.at(p.gate, visits, false)
		s.Turn = i + 1
		for k := range i { // the last part of this goroutine before
			if steps[parts[k].steps[0]].G == g {
				s.Over = k + 1
			}
		}
		w.stops = append(w.stops, s)
	}
	for k := i + 1; k < len(parts); k++ {
		if steps[parts[k].steps[0]].G != g {
			continue
		}
		if parts[k].gate != nil {
			return // it is over there
		}
		break
	}
	for n, step := range slices.Backward(p.steps) {
		v := visits[step]
		if v == nil || v.at.Deferred {
			continue
		}
		blocked := slices.ContainsFunc(v.steps, func(k int) bool { return k > step })
		s := w.at(v, visits, v.at.Simple && !blocked && n == len(p.steps)-1)
		s.Over = i + 1
		w.stops = append(w.stops, s)
		return
	}
	w.stops = append(w.stops, forcedStop{Over: i + 1}) // no statement: it holds no other part up
}

// at returns a stop before the statement of a visit, or after it.
func (w *writer) at(v *visit, visits []*visit, after bool) forcedStop {
	key := func(u *visit) int {
		if after {
			return u.steps[len(u.steps)-1]
		}
		return u.began
	}
	arrival := 1
	seen := map[*visit]bool{nil: true, v: true}
	for _, u := range visits {
		if !seen[u] && u.file == v.file && *u.at == *v.at && key(u) < key(v) {
			arrival++
		}
		seen[u] = true
	}
	return forcedStop{File: v.file, Function: v.at.Function, Statement: v.at.Text, Nth: v.at.Nth,
		Arrival: arrival, After: after}
}
