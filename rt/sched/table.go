package sched

import (
	"unsafe"

	"heddle/model"
	"heddle/trace"
)

// Objects whose state package model keeps: an operation is enabled if a rule of the object's
// primitive applies, and has the outcome and the effects of that rule. A primitive that needs no
// representation of its own needs no code here.

// operate is hook.Operate: op on the object at p. limit is the object's capacity, where that
// counts; edges are a model.Order beside that of the rule.
func (s *Sched) operate(p unsafe.Pointer, k, o uint8, limit int, edges uint8, pc uintptr) int {
	kind, op := trace.ObjKind(k), trace.Op(o)
	g := s.enter()
	def := model.Of(kind)
	if def.Waits(op) && s.ending.on {
		s.unwinding()
	}
	if s.inert() {
		s.leave()
		return 0
	}
	obj, site := s.tabled(p, def, limit, pc)
	if def.Waits(op) {
		s.await(g, op, obj, site)
	} else {
		s.point(g, op, obj, site)
	}
	r, outcome, next := def.Step(&obj.as, obj.state, op, 0)
	before := obj.state
	obj.state = next
	s.event(g, op, obj, int64(outcome), site)
	if next != before {
		s.altered(g, obj)
	}
	s.order(g, obj, r.Order|model.Order(edges))
	s.refresh(obj)
	s.leave()
	return int(outcome)
}

// tabled returns the object at p, and where the running goroutine uses it.
func (s *Sched) tabled(p unsafe.Pointer, def *model.Primitive, limit int, pc uintptr) (*object, trace.Site) {
	site := trace.PCSite(pc)
	obj, fresh := s.object(p, def.Kind, site)
	if fresh {
		obj.as = model.Object{Kind: def.Kind}
		obj.def, obj.state = def, def.Start(&obj.as)
	}
	if limit > 0 {
		obj.as.Cap = int32(limit)
		s.t.Objects[obj.id].Cap = int32(limit)
	}
	return obj, site
}

// order gives the happens-before edges that the Go memory model derives from an operation.
func (s *Sched) order(g *G, o *object, edges model.Order) {
	if edges&model.Acquires != 0 {
		s.acquire(g, &o.clock)
	}
	switch {
	case edges&model.Replaces != 0:
		s.releaseStore(g, &o.clock)
	case edges&model.Releases != 0:
		s.release(g, &o.clock)
	}
}

// lose reports whether the packet that the running goroutine sends is lost: a draw, as long as
// fewer than S.Lose packets of the execution were lost.
func (s *Sched) lose(pc uintptr) bool {
	g := s.enter()
	if s.draws.lost >= s.Lose || s.inert() {
		s.leave()
		return false
	}
	site := s.place(trace.PCSite(pc))
	c := s.choice(2)
	if s.over {
		s.reschedule(g)
	}
	s.event(g, trace.OpChoose, nil, int64(c), site)
	s.draws.lost += c
	s.leave()
	return c > 0
}
