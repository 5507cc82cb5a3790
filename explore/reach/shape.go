package reach

import (
	"heddle/explore/transition"
	"heddle/trace"
)

// A shape is a way to complete a call, whatever its history: an outcome of a draw, a case of a
// select, a partner. The extensions of a sequence are its shapes with their histories.
type shape struct {
	kind       shapeKind
	at, theirs int16 // cases
	send       bool
	call, with int32 // with is -1 if there is no partner
	obj        transition.Object
	choice     int32
}

type shapeKind uint8

const (
	drawn     shapeKind = iota // choice is the outcome
	operation                  // not a communication
	compared                   // a CompareAndSwap: send if it swaps
	alone                      // a case that needs no partner
	meeting
	byDefault
)

// shapes lists the shapes of all calls. It ends early beyond mostShapes, or when the time is up.
func (f *finder) shapes(to []shape) []shape {
	for i := range f.calls {
		c := &f.calls[i]
		if c.comm >= 0 {
			f.looked += 1 + len(f.calls)>>6
		}
		if len(to) > mostShapes || f.spent() {
			break
		}
		switch {
		case c.comm >= 0:
			to = f.communications(to, int32(i))
		case c.done >= 0 && f.procOf[c.done] == int32(i):
			to = f.operations(to, int32(i), f.At(c.done))
		case c.left >= 0:
			to = f.operations(to, int32(i), &f.Left()[c.left])
		}
	}
	return to
}

// operations adds the shapes of call c, which is no communication; t is the transition that
// completed it, or would.
func (f *finder) operations(to []shape, c int32, t *transition.Transition) []shape {
	switch {
	case t.Choices > 0:
		for x := range t.Choices {
			if x != t.Choice {
				to = append(to, shape{kind: drawn, call: c, with: -1, choice: x})
			}
		}
	case len(t.Accesses) == 0, t.Op == trace.OpResume, t.Op == trace.OpCondWake:
		// waking up races with nothing
	case t.Op == trace.OpAtomicCAS:
		to = append(to, shape{kind: compared, call: c, with: -1},
			shape{kind: compared, call: c, with: -1, send: true})
	default:
		to = append(to, shape{kind: operation, call: c, with: -1})
	}
	return to
}

// communications adds the shapes of call c, which has cases.
func (f *finder) communications(to []shape, c int32) []shape {
	o := &f.Operations()[f.calls[c].comm]
	f.Cases(o, func(obj transition.Object, at int16, send bool) {
		to = append(to, shape{kind: alone, call: c, with: -1, obj: obj, at: at, send: send})
		if f.Tab.Cap(obj) == 0 && (send || o.Poll) {
			to = f.meetings(to, c, obj, at, send)
		}
	})
	if o.Poll {
		to = append(to, shape{kind: byDefault, call: c, with: -1})
	}
	return to
}

// meetings adds the shapes of c's case with a partner over an unbuffered channel.
func (f *finder) meetings(to []shape, c int32, obj transition.Object, at int16, send bool) []shape {
	for i := range f.calls {
		d := &f.calls[i]
		if d.comm < 0 || d.proc == f.calls[c].proc || f.apart(c, int32(i)) {
			continue
		}
		p := &f.Operations()[d.comm]
		if p.Poll {
			continue
		}
		f.Cases(p, func(other transition.Object, theirs int16, sends bool) {
			if other == obj && sends != send {
				to = append(to, shape{kind: meeting, call: c, with: int32(i), obj: obj, at: at,
					theirs: theirs, send: send})
			}
		})
	}
	return to
}

// apart reports whether one of two calls was announced after the other was completed.
func (f *finder) apart(c, d int32) bool {
	a, b := &f.calls[c], &f.calls[d]
	return a.done >= 0 && b.past.has(a.done) || b.done >= 0 && a.past.has(b.done)
}

// open prepares f for the extensions of a shape: those that come after no event of gone, and remove
// no event of must, as far as that can be told early. It reports whether there may be any, and
// false if the time is up.
func (f *finder) open(sh *shape, must, gone set) bool {
	if f.looked++; f.spent() {
		return false
	}
	f.work.empty()
	f.shape, f.must, f.exact = sh, must, false
	f.first, f.gone = f.work.copy(f.calls[sh.call].past), f.work.copy(gone)
	f.excl, f.h, f.own = f.work.set(f.w), f.work.set(f.w), f.work.set(f.w)
	f.like = transition.Transition{Proc: f.calls[sh.call].proc, With: transition.NoProc, Choice: -1,
		Case: sh.at, WithCase: sh.theirs, Op: f.calls[sh.call].op, Accesses: f.like.Accesses[:0],
		Starts: f.like.Starts[:0]}
	ok := f.involve(sh.call)
	if sh.with >= 0 {
		f.like.With = f.calls[sh.with].proc
		f.first.join(f.calls[sh.with].past)
		ok = f.involve(sh.with) && f.wait(f.first, sh.with, f.like.Proc) && ok
	}
	ok = f.wait(f.first, sh.call, f.like.With) && ok
	if !ok || f.first.meets(f.gone) {
		return false
	}
	f.deps, f.many = f.deps[:0], false
	switch sh.kind {
	case drawn:
		f.like.Choice, f.like.Choices = sh.choice, f.At(f.calls[sh.call].done).Choices
		f.decide = func(set) bool { return true }
	case operation:
		f.openOperation()
	case compared:
		f.openCompared()
	case alone:
		f.openAlone()
	case meeting:
		f.openMeeting()
	case byDefault:
		f.openDefault()
	}
	return true
}

// involve records that the event that completed call c is removed, with all after it. It returns
// false if one of these must stay.
func (f *finder) involve(c int32) bool {
	d := f.calls[c].done
	if d < 0 {
		return true
	}
	f.gone.join(f.after(d))
	return !f.after(d).meets(f.must)
}
