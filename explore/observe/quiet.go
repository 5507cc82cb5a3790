package observe

import (
	"slices"

	"heddle/explore/transition"
	"heddle/model"
	"heddle/trace"
)

// Channels inside the standard library, such as that by which a subtest tells its parent that it
// has ended. Operations on them are no steps, but for a receive that has to wait. Each of them is a
// read and a write of the channel's cell, as of any object without rules; the state knows beside
// that how many values the channel has, since a receive waits for one.

// A quietly is such an operation, within a step.
type quietly struct {
	item int32
	op   trace.Op // OpSend, OpRecv of a value, or OpClose
}

// quiet adds an operation of a step on such a channel. It reports whether it is known what it does.
func (l *lesson) quiet(e *trace.Event) bool {
	obj := l.p.tab.ObjectOf(l.t, e.Obj)
	switch {
	case e.Op != trace.OpSend && e.Op != trace.OpRecv && e.Op != trace.OpClose:
	case e.Op == trace.OpRecv && e.Arg == 0: // it is closed
	case e.Arg < 0: // it panics
	case e.Op != trace.OpClose && l.p.tab.Cap(obj) == 0:
		return false // two goroutines meet
	default:
		l.seg.quiet = append(l.seg.quiet, quietly{l.p.object(obj), e.Op})
	}
	return true
}

// waitsQuietly returns the operation of a goroutine that has to wait in transition j, or at the
// end, for what e is about; ok is false if that is no receive from such a channel.
func (l *lesson) waitsQuietly(op trace.Op, obj trace.ObjID) (x pending, ok bool) {
	if op != trace.OpRecv || obj == 0 || l.t.Objects[obj].Kind != trace.ObjChan {
		return x, false
	}
	return pending{class: hushed, op: op, obj: l.p.tab.ObjectOf(l.t, obj)}, true
}

// announced reports whether a goroutine was left with a communication that is a step.
func (l *lesson) announced(proc transition.Proc) bool {
	return slices.ContainsFunc(l.path.Operations(), func(o transition.Operation) bool {
		return o.Proc == proc && o.Done == l.path.Len()
	})
}

// looksQuietly adds to the step of a goroutine that was read that it saw a channel without a value:
// it has to wait for one next. Else that would have been no step.
func (l *lesson) looksQuietly(proc transition.Proc) {
	var op trace.Op
	var obj trace.ObjID
	if k := l.pos[proc] + 1; k < len(l.turns[proc]) {
		j := int(l.turns[proc][k])
		if e := l.eventOf(j, proc); e != nil && e.Quiet {
			op, obj = l.path.At(j).Op, e.Obj
		}
	} else {
		for i := range l.t.Left {
			if x := &l.t.Left[i]; l.p.tab.ProcOf(x.G) == proc && !l.announced(proc) {
				op, obj = x.Op, x.Obj
			}
		}
	}
	if x, ok := l.waitsQuietly(op, obj); ok {
		l.read(l.p.word(l.p.object(x.obj), objectCell))
	}
}

// quietly changes the channels of an edge.
func (s *state) quietly(e *edge) {
	for _, x := range e.quiet {
		def, o := s.p.model(x.item)
		now, q, outcome := s.count(x.item), s.queues[x.item], int32(0)
		switch {
		case s.p.slots(s.p.items[x.item].obj):
		case x.op == trace.OpSend:
			q = append(q[:len(q):len(q)], s.p.mix(e.to, ofQuiet))
		case x.op == trace.OpRecv:
			q = q[min(len(q), 1):]
		}
		if x.op == trace.OpRecv {
			outcome = 1
		}
		s.trail = append(s.trail, change{what: ofCounts, i: x.item, count: now})
		s.counts[x.item] = def.After(o, now, x.op, outcome)
		s.queued(x.item, q)
	}
}

// ofQuiet stands for the case by which a value is sent quietly; see program.sent.
const ofQuiet = -1 << 20

// hears reports whether a receive that waits quietly can go on.
func (s *state) hears(op *pending) bool {
	n, closed := model.Channel(s.count(op.item))
	return n > 0 || closed
}
