package timeline

import (
	"cmp"
	"maps"
	"slices"

	"heddle/model"
	"heddle/trace"
)

// An Arrow says that one event happens before another of a different goroutine by one
// synchronisation.
type Arrow struct {
	From, To int    // indices of events
	Why      string // "starts"; see words
}

// words are the labels of arrows, by the operation of the later event: the earlier event ... the
// later one.
var words = map[trace.Op]string{
	trace.OpLock:       "lets lock",
	trace.OpTryLock:    "lets lock",
	trace.OpRLock:      "lets lock",
	trace.OpTryRLock:   "lets lock",
	trace.OpWGWait:     "lets Wait return",
	trace.OpOnce:       "is done for",
	trace.OpCondWake:   "wakes",
	trace.OpRecv:       "is seen by", // of a close
	trace.OpAtomicLoad: "is seen by",
	trace.OpAtomicRMW:  "is seen by",
	trace.OpPoolGet:    "is taken by",
	trace.OpTimerFire:  "fires",
}

// Order returns the arrows between the events of an execution, in the order of their ends. Together
// with the order within each goroutine they give happens-before, by the rules of package model.
//
// Operations on a sync.Map and on files have no arrows: events do not tell their keys.
func Order(objects []Object, events []Event) []Arrow {
	o := order{
		events:  events,
		objects: make([]object, len(objects)),
		clocks:  map[int]clock{},
		passed:  make([]clock, len(events)),
		goes:    map[int]int{},
	}
	for i, x := range objects {
		kind := trace.ParseObjKind(x.Kind)
		def := model.Of(kind)
		o.objects[i] = object{as: model.Object{Kind: kind, Cap: int32(x.Cap)}, def: def}
		o.objects[i].takes = slices.ContainsFunc(def.Rules,
			func(r model.Rule) bool { return r.Order&model.Takes != 0 })
	}
	for i := range events {
		o.event(i, &events[i])
	}
	return o.arrows
}

// A clock has, by goroutine, the index + 1 of its last event that happened before.
type clock map[int]int

type order struct {
	events  []Event
	arrows  []Arrow
	objects []object
	clocks  map[int]clock // by goroutine
	passed  []clock       // clocks of the events that later ones can be ordered after, at the event
	goes    map[int]int   // by goroutine: index + 1 of the event that started it
}

// An object has the earlier operations on it that order later ones.
type object struct {
	as       model.Object
	def      *model.Primitive
	takes    bool // see model.Takes
	released []operation
	emptied  []int // events that made room in a channel's buffer
	filled   int   // number of events that needed room
}

// An operation is an event that releases.
type operation struct {
	at  int
	op  trace.Op
	arg int32
}

func (o *order) event(i int, e *Event) {
	if o.clocks[e.G] == nil {
		o.clocks[e.G] = clock{}
		if from := o.goes[e.G]; from > 0 {
			o.arrow(from-1, i, "starts")
		}
	}
	o.clocks[e.G][e.G] = i + 1
	if op, ok := trace.ParseOp(e.Op); ok && e.Object > 0 && e.Object <= len(o.objects) {
		o.operation(e.G, operation{i, op, int32(e.Arg)}, &o.objects[e.Object-1])
	}
	if e.Object > 0 || e.Child > 0 {
		o.passed[i] = maps.Clone(o.clocks[e.G])
	}
	if e.Child > 0 {
		o.goes[e.Child-1] = i + 1
	}
}

// arrow orders event from before event to.
func (o *order) arrow(from, to int, why string) {
	if g := o.events[to].G; o.events[from].G != g {
		o.arrows = append(o.arrows, Arrow{from, to, why})
		for h, n := range o.passed[from] {
			o.clocks[g][h] = max(o.clocks[g][h], n)
		}
	}
}

// operation orders e, of goroutine g, with earlier operations on x.
func (o *order) operation(g int, e operation, x *object) {
	orders := x.def.Orders(&x.as, e.op, e.arg)
	switch {
	case x.as.Kind == trace.ObjMap:
		return
	case orders&model.ByPartner != 0:
		o.partner(e, x, orders)
		return
	case orders&model.Takes != 0:
		if n := len(x.released); n > 0 {
			o.arrow(x.released[n-1].at, e.at, words[e.op])
			x.released = x.released[:n-1]
		}
		return
	}
	for _, a := range x.released {
		if x.def.Syncs(&x.as, a.op, a.arg, e.op, e.arg) {
			o.arrow(a.at, e.at, cmp.Or(words[e.op], "lets go on"))
		}
	}
	if orders&(model.Releases|model.Replaces) == 0 {
		return
	}
	// An earlier release that already happens before e adds nothing, unless e orders only writers.
	shared := x.def.SectionOf(&x.as, e.op, e.arg) == model.LeaveShared
	x.released = slices.DeleteFunc(x.released, func(a operation) bool {
		return orders&model.Replaces != 0 || !x.takes && o.clocks[g][o.events[a.at].G] > a.at &&
			(!shared || x.def.SectionOf(&x.as, a.op, a.arg) == model.LeaveShared)
	})
	x.released = append(x.released, e)
}

// partner orders e after the event that completed with it, and a send after the receive that made
// room for it. The two events of a rendezvous have one arrow, from the send.
func (o *order) partner(e operation, x *object, orders model.Order) {
	if r := x.def.Rule(&x.as, e.op, e.arg); r != nil {
		if k := x.filled - int(x.as.Cap); needsRoom(r) {
			if k >= 0 && k < len(x.emptied) {
				o.arrow(x.emptied[k], e.at, "makes room for")
			}
			x.filled++
		} else if x.as.Cap > 0 && orders&model.Acquires != 0 {
			x.emptied = append(x.emptied, e.at)
		}
	}
	from, to := o.events[e.at].Partner-1, e.at
	if from < 0 || from > to || orders&model.Acquires == 0 {
		return
	}
	if e.op == trace.OpSend {
		from, to = to, from
		o.passed[from] = o.clocks[o.events[from].G]
	}
	why := "is received by"
	if e.op == trace.OpCondWake {
		why = words[e.op]
	}
	o.arrow(from, to, why)
}

func needsRoom(r *model.Rule) bool {
	return slices.ContainsFunc(r.Needs, func(n model.Need) bool { return n.Room })
}
