package observe

import (
	"heddle/explore/transition"
	"heddle/model"
	"heddle/trace"
)

// Slots: a channel with a buffer whose values have no size. How many values it has is all that
// there is to it, so it is two counters: its values, off which receives take, and its room, off
// which sends take. A receive that finds a value whatever others do before commutes with sends and
// receives, and so does a send that finds room.

// slots reports whether a channel is one.
func (p *program) slots(obj transition.Object) bool { return p.tab.Cap(obj) > 0 && p.tab.Empty(obj) }

// room is the number of items that stand for the room in slots.
const room = -3

// roomOf returns the item of the room of a channel.
func (p *program) roomOf(obj transition.Object) int32 {
	return p.allocation(itemKey{obj: obj, n: room})
}

// passes returns what a communication by case c, with that outcome, adds to an item that counts the
// values of slots, or their room.
func (p *program) passes(c *offer, item, outcome int32) int32 {
	switch {
	case !p.slots(c.obj) || !c.send && outcome != 1:
	case item == c.item:
		if c.send {
			return 1
		}
		return -1
	case p.items[item].key == (itemKey{obj: c.obj, n: room}):
		if c.send {
			return -1
		}
		return 1
	}
	return 0
}

// passing fills in the pending communication of a node over slots.
func (l *lesson) passing(at int32) {
	n := l.p.node(at)
	cases := n.op.cases
	for i := range cases {
		if c := &cases[i]; l.p.slots(c.obj) {
			l.p.lose(at, c.item)
			l.p.lose(at, l.p.roomOf(c.obj))
		}
	}
	if len(cases) == 1 && !n.op.poll && l.p.slots(cases[0].obj) {
		n.op.item, n.op.sums = cases[0].item, true
	}
}

// sure returns what is certain of a communication over slots that is the next step of a goroutine:
// all other goroutines together leave it a value, or room.
func (s *state) sure(proc int, c *offer) exception {
	item := c.item
	left, _ := model.Channel(s.count(item))
	if c.send {
		left, item = s.p.tab.Cap(c.obj)-left, s.p.roomOf(c.obj)
	}
	x := nothingElse
	if left-int(s.census.losses[item]-s.p.worst(s.at[proc], item)) < 1 ||
		s.outranked(transition.Proc(proc), c, transition.NoProc) {
		x.ordered = c.item
	}
	return x
}

// locks reports whether an operation is one on a lock. A goroutine that sends to slots, and
// receives when it is done, uses them like a lock for reading: others may be in their sections too.
func (p *program) locks(op *pending) bool {
	return op.class == ruled && p.isLock(op.item) || op.class == comm && op.sums
}

// sectionOf returns what an operation on a lock does to the section of its goroutine.
func (p *program) sectionOf(op *pending) (s model.Section, certain bool) {
	switch {
	case op.class != comm:
		return model.SectionOfOp(op.op)
	case op.cases[0].send:
		return model.EnterShared, true
	}
	return model.LeaveShared, true
}

// openSlots notes that slots are used otherwise than like a lock.
func (p *program) openSlots(op *pending) {
	switch {
	case op.class == comm:
		for i := range op.cases {
			if c := &op.cases[i]; p.slots(c.obj) {
				p.opened(c.item + 1)
			}
		}
	case op.class == ruled && p.items[op.item].kind == trace.ObjChan:
		p.opened(op.item + 1)
	}
}
