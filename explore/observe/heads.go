package observe

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"heddle/explore/transition"
	"heddle/trace"
)

// Heads of loops (trace.Head): where an iteration has ended a goroutine has forgotten what lived in
// it alone. Its local state there is: in which one it was when the loop began, and what lives on.
// So two ways through the iterations may lead to one node, which has several parents then.

// A loop is one that a goroutine is in, and those around it. Loops that it has left may be among
// them, further in.
type loop struct {
	number int32  // of the goroutine's
	frame  uint32 // how deep on the stack its function is
	// base is the node of a head. other: since then the goroutine may have changed something that
	// lives on beside what heads tell
	base   int32
	other  bool
	words  []word // what it has changed since then in memory that only it accesses, in their order
	around *loop
}

// A word is memory that only one goroutine accesses, in an allocation, and the number that it has
// written there.
type word struct {
	item     int32
	at, size uint32
	value    uint64
}

// mostWords bounds the words of a loop.
const mostWords = 32

// mostLoops bounds the loops around each other that are kept. Others begin anew at each head.
const mostLoops = 16

// A turn is what the running segment has to do with loops.
type turn struct {
	heads []trace.Head // of the goroutine, in their order
	// at is the head by which it is known where the goroutine is: the last one of a loop that it
	// was in before, else the last one. All that comes after it follows from what was so there
	at int
	// the first event, and the first access, after that head; more than there are without one
	event, access int
	// changes: it has changed memory that only the goroutine accesses, and that is older than the
	// step, to what is not known. early: before the head. words are such changes that are known;
	// the first earlier of them come before the head
	changes, early bool
	words          []word
	earlier        int
	// after: what is read now comes after the head. late is that; unclear: too much is, or it is
	// what the step itself has written
	after, unclear bool
	late           []reading
}

// mostLate bounds what is read after a head.
const mostLate = 32

// takeHeads begins a turn with the heads of a goroutine up to a step.
func (l *lesson) takeHeads(proc transition.Proc, step int) {
	t := &l.inTurn
	*t = turn{heads: t.heads[:0], late: t.late[:0], words: t.words[:0],
		event: math.MaxInt, access: math.MaxInt}
	loops, goesOn := l.s.local[proc].loops, false
	for ; l.head < len(l.t.Heads) && int(l.t.Heads[l.head].Step) <= step; l.head++ {
		h := &l.t.Heads[l.head]
		if l.p.tab.ProcOf(h.G) != proc {
			continue
		}
		t.heads = append(t.heads, *h)
		if in := loops.numbered(h.Loop).goesOn(h); in || !goesOn {
			goesOn = in
			t.at, t.event, t.access = len(t.heads)-1, int(h.Event), int(h.Plain)
		}
	}
}

// goesOn reports whether at a head the goroutine is where the loop has brought it from its base.
func (o *loop) goesOn(h *trace.Head) bool { return o != nil && !o.other && !h.Begins && o.base != toBe }

// altersOwn notes a write to memory of which nothing is kept: w, if it is known what is written.
// Nothing that lives on leads to what the step has allocated itself, but what the step leaves: that
// has a version by the step.
func (l *lesson) altersOwn(o *trace.Object, made int32, w word, known bool) {
	t := &l.inTurn
	switch {
	case o.G != trace.NoG && l.p.tab.ProcOf(o.G) == l.by && o.N > made:
	case !known:
		t.changes, t.early = true, t.early || !t.after
	default:
		if t.words = append(t.words, w); !t.after {
			t.earlier = len(t.words)
		}
	}
}

// looked notes that a cell is read. What the step has written itself follows from all before.
func (l *lesson) looked(c int32) {
	t := &l.inTurn
	if !t.after {
		return
	}
	t.late = append(t.late, reading{c, l.s.seen[c]})
	entries := l.p.items[l.p.cells[c].item].key.entry == allEntries && len(l.seg.writes) > 0
	t.unclear = t.unclear || entries || l.changed(c) || len(t.late) > mostLate
}

// toBe is the base of a head whose node is not made yet.
const toBe = -1

// loopsAfter returns the loops that a goroutine is in after a segment, from those before it. from
// is the loop of the head of turn.at, as it is there, if what the goroutine does after the head
// follows from the base of the loop, and what it has changed and read since; else nil.
func (l *lesson) loopsAfter(o *loop, g *segment) (after, from *loop) {
	t, starts := &l.inTurn, len(g.starts) > 0
	heads := t.heads
	if g != &l.seg { // of the other side of a communication, or of a timer
		heads = nil
	}
	if t.early {
		o = o.changedAt(0)
	}
	o = o.changedTo(t.words[:t.earlier])
	for i := range heads {
		h := &heads[i]
		o = o.changedAt(h.Wrote)
		in := o.numbered(h.Loop)
		if in.goesOn(h) {
			if o = in; i == t.at {
				from = o
			}
			continue
		}
		around := o
		if in != nil {
			around = in.around
		}
		for around != nil && around.frame > h.Frame { // its function has returned
			around = around.around
		}
		o = &loop{number: h.Loop, frame: h.Frame, base: toBe, around: around.atMost(mostLoops)}
		if i == len(heads)-1 && i == t.at {
			from = o
		}
	}
	if t.changes {
		o = o.changedAt(0)
	}
	o = o.changedTo(t.words[t.earlier:])
	if t.unclear || starts || len(g.quiet) > 0 {
		from = nil
	}
	return o, from
}

// numbered returns the loop of that number, nil if there is none.
func (o *loop) numbered(n int32) *loop {
	for o != nil && o.number != n {
		o = o.around
	}
	return o
}

// atMost returns the innermost n loops.
func (o *loop) atMost(n int) *loop {
	if o == nil || n == 0 {
		return nil
	}
	around := o.around.atMost(n - 1)
	if around == o.around {
		return o
	}
	c := *o
	c.around = around
	return &c
}

// changedAt returns the loops after a change so deep on the stack, or at 0 of any memory: it lives
// on for all loops whose function is as deep, or deeper.
func (o *loop) changedAt(depth uint32) *loop {
	if o == nil || depth == math.MaxUint32 {
		return o
	}
	around := o.around.changedAt(depth)
	if around == o.around && (o.other || depth > o.frame) {
		return o
	}
	c := *o
	c.around, c.other = around, c.other || depth <= c.frame
	return &c
}

// changedTo returns the loops after changes of memory that only their goroutine accesses.
func (o *loop) changedTo(words []word) *loop {
	if o == nil || len(words) == 0 {
		return o
	}
	c := *o
	c.around = o.around.changedTo(words)
	if c.other {
		return &c
	}
	c.words = slices.Clone(c.words)
	for _, w := range words {
		k, has := slices.BinarySearchFunc(c.words, w, func(a, b word) int {
			return cmp.Or(cmp.Compare(a.item, b.item), cmp.Compare(a.at, b.at))
		})
		switch {
		case has && c.words[k].size == w.size:
			c.words[k].value = w.value
			continue
		case has, len(c.words) == mostWords,
			k > 0 && c.words[k-1].item == w.item && c.words[k-1].at+c.words[k-1].size > w.at,
			k < len(c.words) && c.words[k].item == w.item && w.at+w.size > c.words[k].at:
			c.other, c.words = true, nil
			return &c
		}
		c.words = slices.Insert(c.words, k, w)
	}
	return &c
}

// lead makes an edge of node n lead to the node after it: one that is known, if the segment leads
// there too, or a new one.
func (l *lesson) lead(e *edge, n int32, g *segment) {
	p, key := l.p, ""
	y := p.node(n)
	if p.accessedBy(y.proc, g.window) {
		l.finer = true
	}
	x := node{proc: y.proc, parent: n, by: y.proc, goes: y.goes, arms: y.arms}
	for _, c := range g.starts {
		if p.tab.IsTimer(c) {
			x.arms++
		} else {
			x.goes++
		}
	}
	var from *loop
	x.loops, from = l.loopsAfter(y.loops, g)
	p.within(y, e, &x)
	known := from != nil && from.base != toBe
	if known {
		key = l.meeting(g, &x, from)
		if to, ok := p.met[key]; ok {
			e.to, e.as = to, to
			if len(e.writes) > 0 {
				e.as = p.newNode(y.proc, n)
			}
			p.join(to, n)
			return
		}
	}
	e.to = p.newNode(y.proc, n)
	e.as = e.to
	if key != "" {
		p.met[key] = e.to
	}
	for o := x.loops; o != nil && o.base == toBe; o = o.around {
		o.base = e.to
	}
	if from != nil && !known { // an iteration may come back to it
		from.base = e.to
		if key = l.meeting(g, &x, from); key != "" {
			p.met[key] = e.to
		}
	}
	x.window = p.windows.keep(g.window)
	*p.node(e.to) = x
}

// meeting returns the key of the node to which a segment leads, of which from is known, as of
// loopsAfter: segments with one key lead to one local state; "" if it is one of its own. x is the
// node as it would be.
func (l *lesson) meeting(g *segment, x *node, from *loop) (key string) {
	t := &l.inTurn
	h := &t.heads[t.at]
	if h.Values == 0 {
		return ""
	}
	b := binary.AppendUvarint(l.p.text[:0], uint64(from.base))
	b = binary.AppendUvarint(b, uint64(h.Loop))
	b = binary.LittleEndian.AppendUint64(b, h.Values)
	b = binary.AppendUvarint(b, uint64(len(from.words)))
	for _, w := range from.words {
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(w.item)), uint64(w.at)<<4|uint64(w.size))
		b = binary.LittleEndian.AppendUint64(b, w.value)
	}
	b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(x.goes)), uint64(x.arms))
	b = binary.AppendUvarint(b, uint64(x.holds))
	b = binary.AppendUvarint(b, uint64(x.arrives))
	b = append(b, packed(x.shared, t.changes))
	b = binary.AppendUvarint(b, uint64(len(t.late)))
	for _, r := range t.late {
		b = binary.AppendVarint(binary.AppendVarint(b, int64(r.cell)), int64(r.version))
	}
	for i := range g.window {
		if a := &g.window[i]; !l.p.leavesOut(a) {
			b = a.appendTo(b)
		}
	}
	l.p.text = b
	return string(b)
}

// join makes a node that is known the one to which an edge of another one leads.
func (p *program) join(x, from int32) {
	n := p.node(x)
	n.many, n.joined = true, true
	p.joins++
	p.others[x] = append(p.others[x], way{from, x})
	p.inherits(from, n)
	if n.waits() {
		p.callsWait(from, n)
	}
}
