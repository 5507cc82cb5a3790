package order

import (
	"sort"
	"strconv"

	"heddle/model"
	"heddle/trace"
)

// A unit is the meaning of events on one object to each other. check replays those that are done,
// in the order that was found, and adds clauses that exclude what is impossible. If it adds none,
// the order is correct as far as the unit goes.
type unit interface {
	check(p *Problem, events []int32)
}

// makeUnits makes the units of all objects, except memory that a single goroutine uses.
func (p *Problem) makeUnits() {
	by := make([][]int32, len(p.m.t.Objects))
	for i := range p.m.events {
		o := p.m.events[i].Obj
		if o > 0 && int(o) < len(by) {
			by[o] = append(by[o], int32(i))
		}
		for _, also := range p.polled(i) {
			if list := by[also]; also != o && (len(list) == 0 || list[len(list)-1] != int32(i)) {
				by[also] = append(list, int32(i))
			}
		}
	}
	p.unitOf = make([][]int32, len(p.m.events))
	p.objUnit = make(map[trace.ObjID]unit)
	waiters := p.findWaiters()
	var memory []trace.ObjID
	for o := 1; o < len(by); o++ {
		p.opt.Limit.Check()
		id := trace.ObjID(o)
		kind := p.m.t.Objects[o].Kind
		if kind == trace.ObjMemory || kind == trace.ObjAtomic && len(by[o]) > 0 {
			memory = append(memory, id)
		} else if len(by[o]) > 0 {
			if u := p.newUnit(id, by[o]); u != nil {
				if c, ok := u.(*meetingPoint); ok {
					c.waiters = waiters[id]
				}
				p.objUnit[id] = u
				p.addUnit(u, by[o])
			}
		}
	}
	p.makeCells(memory, by)
}

func (p *Problem) addUnit(u unit, events []int32) {
	n := int32(len(p.units))
	p.units = append(p.units, u)
	for _, e := range events {
		if int(e) < p.m.done {
			p.unitOf[e] = append(p.unitOf[e], n)
		}
	}
}

func (p *Problem) shared(events []int32) bool {
	for _, e := range events {
		if p.m.events[e].G != p.m.events[events[0]].G {
			return true
		}
	}
	return false
}

func (p *Problem) newUnit(o trace.ObjID, events []int32) unit {
	def, x := model.ObjectOf(p.m.t, o)
	switch x.Kind {
	case trace.ObjMutex, trace.ObjRWMutex:
		return newLock(p, events)
	case trace.ObjChan:
		return p.newChannel(o, events)
	case trace.ObjOnce:
		return newOnce(p, events)
	case trace.ObjCond:
		return newCond(p, events)
	case trace.ObjTimer:
		return nil // the clock orders timers
	}
	if def.Adds() {
		return p.newCount(events)
	}
	return p.newOpaque(events)
}

// section returns what event e does to a critical section, if it has that outcome.
func (p *Problem) section(e int, outcome int64) model.Section {
	ev := &p.m.events[e]
	def, x := model.ObjectOf(p.m.t, ev.Obj)
	return def.SectionOf(&x, ev.Op, int32(outcome))
}

// waits reports whether the operation of event e is blocked in some state of its object.
func (p *Problem) waits(e int) bool {
	def, _ := model.ObjectOf(p.m.t, p.m.events[e].Obj)
	return def.Waits(p.m.events[e].Op)
}

// newCount returns the unit of an object whose state is one number, such as a WaitGroup.
func (p *Problem) newCount(events []int32) unit {
	c := newCounter(Capacity)
	for _, i := range events {
		e := int(i)
		if e >= p.m.done {
			continue
		}
		ev := &p.m.events[e]
		def, x := model.ObjectOf(p.m.t, ev.Obj)
		if d := def.Delta(&x, 0, ev.Op, int32(ev.Arg)); d != 0 {
			c.change(e, int(d))
		}
		lo, hi := p.demands(e)
		if lo > 0 {
			c.lo[e] = max(lo, c.lo[e])
		}
		if hi < model.Unbounded {
			c.hi[e] = hi
		}
	}
	c.start(events)
	return c
}

// demands returns the bounds between which event e needs the count of its object to be. Counts are
// never negative.
func (p *Problem) demands(e int) (lo, hi int) {
	ev := &p.m.events[e]
	def, x := model.ObjectOf(p.m.t, ev.Obj)
	if l, h, ok := def.Demands(&x, 0, ev.Op, int32(ev.Arg)); ok {
		return max(0, int(l)), int(h)
	}
	return 0, model.Unbounded
}

// newChannel returns the unit of a channel, with or without a buffer. A channel that goroutines
// outside control use is opaque: its values cannot be followed.
func (p *Problem) newChannel(o trace.ObjID, events []int32) unit {
	room := int(p.m.t.Objects[o].Cap)
	met := false
	for _, i := range events {
		ev := &p.m.events[i]
		switch {
		case int(i) >= p.m.done:
		case ev.Op == trace.OpRecv && ev.Arg > 0 && ev.Partner < 0:
			return p.newOpaque(events)
		case ev.Op == trace.OpTimerStart || ev.Op == trace.OpTimerStop:
			return p.newOpaque(events)
		case ev.Op == trace.OpRecv && ev.Arg > 0:
			met = met || p.m.events[ev.Partner].Step == ev.Step
		}
	}
	if room == 0 && !met {
		room = p.mostBuffered(events) // the trace does not say
	}
	if room > 0 {
		return newBuffer(p, room, events)
	}
	return newMeetingPoint(p, events)
}

// mostBuffered returns the largest number of values in a channel's buffer.
func (p *Problem) mostBuffered(events []int32) int {
	n, most := 0, 0
	for _, i := range events {
		if ev := &p.m.events[i]; int(i) < p.m.done && ev.Partner >= 0 {
			if ev.Op == trace.OpSend && int(ev.Partner) > int(i)+1 {
				n++
			} else if ev.Op == trace.OpRecv && int(ev.Partner) < int(i)-1 {
				n--
			}
			most = max(most, n)
		}
	}
	return most
}

// A once is a sync.Once: later calls wait for the first.
type once struct{ run, end int }

func newOnce(p *Problem, events []int32) unit {
	o := &once{-1, -1}
	for _, i := range events {
		switch s := p.section(int(i), p.m.events[i].Arg); {
		case int(i) >= p.m.done:
		case s.Enters():
			o.run = int(i)
		case s.Leaves():
			o.end = int(i)
		}
	}
	return o
}

func (o *once) check(p *Problem, events []int32) {
	done := o.run < 0 // before the trace
	for _, i := range events {
		e := int(i)
		switch {
		case e == o.end:
			done = true
		case e != o.run && !done:
			p.add(p.names.tag(OnceDone, o.run, e), not(p.kept(e)), p.ended(&region{to: o.end}, e))
		}
	}
}

// newOpaque returns the unit of an object of unknown kind: operations that change it stay in their
// order.
func (p *Problem) newOpaque(events []int32) unit {
	c := p.newCell()
	last, now := -1, value{}
	for _, i := range events {
		if e := int(i); e < p.m.done {
			ev := &p.m.events[e]
			def, x := model.ObjectOf(p.m.t, ev.Obj)
			r := def.Looks(&x, ev.Op, int32(ev.Arg))
			c.note(use{event: e, reads: true, writes: !r, always: !r}, &last, &now)
		}
	}
	c.finish()
	return c
}

func (p *Problem) newCell() *cell {
	return &cell{of: map[int]int{}, byValue: map[value][]int{}, asked: map[int]map[int]lit{},
		exact: p.opt.Exact}
}

// newAtomic returns the unit of an atomic variable.
func (p *Problem) newAtomic(o trace.ObjID, events []int32) unit {
	c := p.newCell()
	known := p.m.t.Objects[o].Init != 0
	for _, i := range events {
		known = known || p.m.events[i].Arg != 0 && int(i) < p.m.done
	}
	bits := func(n uint64) value {
		if !known { // values of atomic.Value and its like are not recorded
			return value{}
		}
		return value{text: strconv.FormatUint(n, 10)}
	}
	last, now := -1, value{}
	if p.m.t.Objects[o].Init != 0 {
		c.initial = bits(p.m.t.Objects[o].Init)
		now = c.initial
	}
	for _, i := range events {
		e := int(i)
		ev := &p.m.events[e]
		if e >= p.m.done {
			continue
		}
		u := use{event: e}
		switch ev.Op {
		case trace.OpAtomicStore:
			u.writes, u.out = true, bits(uint64(ev.Arg))
		case trace.OpAtomicRMW:
			u.reads, u.writes, u.always, u.out = true, true, true, bits(uint64(ev.Arg))
		case trace.OpAwait:
			continue
		default:
			u.reads, u.in = true, bits(uint64(ev.Arg))
			if old, ok := p.compared[e]; ok && known {
				u.unlike = bits(old)
			}
		}
		c.note(u, &last, &now)
	}
	c.finish()
	return c
}

// makeCells makes the cells of memory and of atomics: bytes with the same accesses. An atomic whose
// bytes nothing else accesses is a cell, with the values that its operations tell.
func (p *Problem) makeCells(objs []trace.ObjID, by [][]int32) {
	addr := func(o trace.ObjID) uintptr { return p.m.t.Objects[o].Addr }
	size := func(o trace.ObjID) uintptr {
		n := int64(1)
		for _, e := range by[o] {
			if int(e) < p.m.done {
				n = max(n, p.m.events[e].Bytes())
			}
		}
		return uintptr(n)
	}
	sort.Slice(objs, func(i, j int) bool { return addr(objs[i]) < addr(objs[j]) })
	for i := 0; i < len(objs); {
		end, k := addr(objs[i])+size(objs[i]), i+1
		for k < len(objs) && addr(objs[k]) < end {
			end = max(end, addr(objs[k])+size(objs[k]))
			k++
		}
		var events []int32
		for _, o := range objs[i:k] {
			events = append(events, by[o]...)
		}
		sort.Slice(events, func(a, b int) bool { return events[a] < events[b] })
		switch o := objs[i]; {
		case k == i+1 && p.m.t.Objects[o].Kind == trace.ObjAtomic && p.alike(events):
			p.objUnit[o] = p.newAtomic(o, events)
			p.addUnit(p.objUnit[o], events)
		case p.shared(events):
			p.cellsOf(events, addr)
		}
		i = k
	}
}

// alike reports whether operations on an atomic have one width.
func (p *Problem) alike(events []int32) bool {
	width := uint8(0)
	for _, e := range events {
		if w := p.m.events[e].Width; w > 0 && int(e) < p.m.done {
			if width > 0 && w != width {
				return false
			}
			width = w
		}
	}
	return true
}

// cellsOf makes the cells of accesses that overlap, or have the same address.
func (p *Problem) cellsOf(events []int32, addr func(trace.ObjID) uintptr) {
	var cuts []uintptr
	at := make(map[uintptr]bool)
	cut := func(a uintptr) {
		if !at[a] {
			at[a] = true
			cuts = append(cuts, a)
		}
	}
	span := func(e int32) (uintptr, uintptr) {
		ev := &p.m.events[e]
		a := addr(ev.Obj)
		return a, a + uintptr(ev.Bytes())
	}
	for _, e := range events {
		a, b := span(e)
		cut(a)
		cut(b)
	}
	sort.Slice(cuts, func(i, j int) bool { return cuts[i] < cuts[j] })
	for _, a := range cuts[:len(cuts)-1] {
		c := p.newCell()
		c.at = a
		last, now := -1, value{}
		var used []int32
		for _, e := range events {
			if lo, hi := span(e); a < lo || a >= hi || int(e) >= p.m.done {
				continue
			}
			used = append(used, e)
			ev := &p.m.events[e]
			v := value{text: p.text(int(e)), obj: ev.Obj, size: ev.Bytes()}
			u := use{event: int(e), in: v, reads: true}
			switch ev.Op {
			case trace.OpWrite, trace.OpAtomicStore:
				u = use{event: int(e), out: v, writes: true}
			case trace.OpAtomicRMW:
				u = use{event: int(e), out: v, reads: true, writes: true, always: true}
			case trace.OpAwait:
				if p.m.t.Objects[ev.Obj].Kind == trace.ObjAtomic {
					continue
				}
			}
			c.note(u, &last, &now)
		}
		c.finish()
		if p.shared(used) {
			p.addUnit(c, used)
		}
	}
}

// text returns the recorded value of an event if it is complete.
func (p *Problem) text(e int) string {
	v := p.m.events[e].Val
	if v <= 0 || int(v) > len(p.m.t.Values) {
		return ""
	}
	s := p.m.t.Values[v-1]
	switch {
	case s == "":
		return ""
	case s == "{}" || s == "true" || s == "false" || s == "nil":
		return s
	case s[0] >= '0' && s[0] <= '9' || s[0] == '-':
		return s
	case s[0] == '"' && len(s) > 1 && s[len(s)-1] == '"' && (len(s) < 5 || s[len(s)-4:] != `..."`):
		return s
	}
	return ""
}

// sameValue reports whether two events are known to have moved the same value.
func (p *Problem) sameValue(a, b int) bool {
	if a < 0 || b < 0 || p.opt.Exact != nil {
		return false
	}
	return a == b || p.text(a) != "" && p.text(a) == p.text(b)
}
