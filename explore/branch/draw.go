package branch

import (
	"slices"
	"strconv"

	"heddle/trace"
)

// A draw is a choice of the program from few values. Where a branch depends on one, the execution
// is made again with each other value, as far as it goes the same way until then.

// mostRedraws bounds the schedules that are kept.
const mostRedraws = 1000

type redraws struct {
	drew    map[string]bool // by goroutine, place, number and value: it was executed or will be
	queue   []*trace.Schedule
	redrawn int // number of them executed
}

// draws adds the other values of the draws on which branches of an execution depend.
func (s *Strategy) draws(f *source) {
	t := f.x.Trace
	if !slices.ContainsFunc(t.Events, func(e trace.Event) bool { return e.Op == trace.OpChoose }) {
		return
	}
	var wanted []int32 // draws on which a branch depends
	for b := range f.x.Branches {
		reads, _ := f.x.reached(b)
		for _, e := range reads {
			if t.Events[e].Op == trace.OpChoose {
				wanted = append(wanted, e)
			}
		}
	}
	if len(wanted) == 0 {
		return
	}
	slices.Sort(wanted)
	wanted = slices.Compact(wanted)
	nth := map[string]int{}
	for i := range t.Events {
		e := &t.Events[i]
		if e.Op != trace.OpChoose {
			continue
		}
		draw := t.Name(e.G) + " " + siteName(e.Site)
		nth[draw]++
		draw += " " + strconv.Itoa(nth[draw]) + " "
		s.drew[draw+strconv.FormatInt(e.Arg, 10)] = true
		at := f.drawn(i)
		if _, ok := slices.BinarySearch(wanted, int32(i)); !ok || at < 0 {
			continue
		}
		for v := range int64(t.Steps[at].With) {
			if name := draw + strconv.FormatInt(v, 10); !s.drew[name] && len(s.redraws.queue) < mostRedraws {
				s.drew[name] = true
				s.redraws.queue = append(s.redraws.queue, f.redrawn(at, int32(v)))
			}
		}
	}
}

// drawn returns the step of a draw; -1: the draw was no choice.
func (f *source) drawn(event int) int {
	t, e := f.x.Trace, &f.x.Trace.Events[event]
	for i := int(e.Step); i >= 0 && i < len(t.Steps) && i <= int(e.Step)+1; i++ {
		if st := &t.Steps[i]; st.Op == trace.OpChoose && st.G == e.G && int64(st.Choice) == e.Arg {
			return i
		}
	}
	return -1
}

// redrawn returns the schedule of an execution up to a draw, which has another value.
func (f *source) redrawn(step int, value int32) *trace.Schedule {
	q := &trace.Schedule{Steps: slices.Clone(f.x.Trace.Steps[:step+1]), Exhaustive: true, Seed: f.seed}
	q.Steps[step].Choice = value
	return q
}

// redraw returns the next schedule in which a draw has another value, nil if there is none.
func (s *Strategy) redraw() *trace.Schedule {
	if len(s.redraws.queue) == 0 {
		return nil
	}
	q := s.redraws.queue[0]
	s.redraws.queue = s.redraws.queue[1:]
	s.redrawn++
	return q
}
