package reach

import (
	"heddle/explore/transition"
	"heddle/model"
	"heddle/trace"
)

// outcome says whether op can be done on obj when exactly the events of h have
// happened, and with which outcome. arg is what the operation brings with it.
func (q *sequence) outcome(op trace.Op, obj transition.Object, arg int32, h set) (outcome int32, ok bool) {
	def, o := q.Tab.Model(obj)
	r, outcome, _ := def.Step(o, q.state(obj, h), op, arg)
	return outcome, r != nil
}

// state is what the events of h leave at obj.
func (q *sequence) state(obj transition.Object, h set) model.State { return q.State(obj, h.has) }

// each calls f with every access to obj within h, in order.
func (q *sequence) each(obj transition.Object, h set, f func(at int, a *transition.Access)) {
	q.Uses(obj, func(at int, a *transition.Access) {
		if h.has(at) {
			f(at, a)
		}
	})
}

// alone returns the rule by which a side of a channel could go on without a partner when the events
// of h have happened; nil if it could not.
func (q *sequence) alone(obj transition.Object, send bool, h set) *model.Rule {
	_, o := q.Tab.Model(obj)
	return model.Alone(o, q.state(obj, h), send)
}

// closed reports whether a channel is closed when the events of h have happened.
func (q *sequence) closed(obj transition.Object, h set) bool {
	_, closed := model.Channel(q.state(obj, h))
	return closed
}
