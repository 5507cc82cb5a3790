package sched

import "heddle/trace"

// replay follows the steps of a schedule: the prefix of an execution.
type replay struct {
	of     *trace.Schedule
	k      int                  // the step that is next
	byName map[string]trace.GID // of goroutines, for schedules that name them
	named  int                  // goroutines that are in byName
	// steps made that are not the schedule's, see trace.Schedule.Rejoin
	strayed int
	follow  *trace.Step // what the step just chosen follows, nil after the prefix
	wants   trace.Step  // *follow
	left    bool        // the policy alone chooses from now on, but for turns
}

// A Divergence says where a schedule did not fit.
type Divergence struct {
	Step     int // index in the schedule
	Want     trace.Step
	Got      trace.Pending // what the goroutine was about to do
	GotOK    bool          // the goroutine existed
	Enabled  bool
	NoChoice bool // a choice was expected and none was asked for, or the other way round
}

// maxStrayed is how many steps goroutines may make that a schedule with Rejoin does not have.
const maxStrayed = 10_000

func (r *replay) reset(of *trace.Schedule) {
	clear(r.byName)
	r.of, r.k, r.named, r.strayed, r.follow, r.left = of, 0, 0, 0, nil, false
}

// over reports whether the prefix is used up.
func (r *replay) over() bool { return r.k >= len(r.of.Steps) }

// ofClip reports whether the schedule is a clip's, which names its goroutines and leaves nothing to
// a guide.
func (r *replay) ofClip() bool { return r.of.Names != nil && r.of.Guide == nil }

// wanted returns the step that is next, its goroutine looked up in t if the schedule names it.
func (r *replay) wanted(t *trace.Trace) trace.Step {
	st := r.of.Steps[r.k]
	names := r.of.Names
	if names == nil {
		return st
	}
	if r.byName == nil {
		r.byName = make(map[string]trace.GID)
	}
	for ; r.named < len(t.Goroutines); r.named++ {
		r.byName[t.Name(trace.GID(r.named))] = trace.GID(r.named)
	}
	st.G = r.called(names[r.k])
	if r.of.With != nil && r.of.With[r.k] != "" {
		if st.With = int32(r.called(r.of.With[r.k])) + 1; st.With == 0 {
			st.With = -1 // no partner has that number
		}
	}
	return st
}

// called returns the goroutine of that name, trace.NoG if there is none yet.
func (r *replay) called(name string) trace.GID {
	if id, ok := r.byName[name]; ok {
		return id
	}
	return trace.NoG
}

// take makes the step just chosen follow want.
func (r *replay) take(want trace.Step) {
	r.wants = want
	r.follow = &r.wants
}

// following returns what the step just chosen follows, nil after the prefix, and forgets it.
func (r *replay) following() *trace.Step {
	st := r.follow
	r.follow = nil
	return st
}

// stray reports whether one more step may be made that is not the schedule's.
func (r *replay) stray() bool {
	if !r.of.Rejoin || r.strayed >= maxStrayed {
		return false
	}
	r.strayed++
	return true
}

// next returns the operation that the schedule has next for g, alone or as a partner; ok is false
// where it has none. With choices those count too.
func (r *replay) next(t *trace.Trace, g trace.GID, choices bool) (op trace.Op, ok bool) {
	for k := r.k; k < len(r.of.Steps); k++ {
		st := &r.of.Steps[k]
		its := st.G == g || st.With == int32(g)+1
		if r.of.Names != nil {
			name := t.Name(g)
			its = r.of.Names[k] == name || r.of.With != nil && r.of.With[k] == name
		}
		if its && (choices || st.Op != trace.OpChoose) {
			return st.Op, true
		}
	}
	return 0, false
}

// fits reports whether got is the operation that a step asks for.
func fits(want, got trace.Op) bool {
	return want == trace.OpNone || want == got ||
		want == trace.OpGosched && got == trace.OpIdle // of a clip from before the latter
}
