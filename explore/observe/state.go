package observe

import (
	"encoding/binary"
	"slices"

	"heddle/explore/transition"
	"heddle/model"
	"heddle/trace"
)

// A state is what the program can be in: the local state of each goroutine, and what the objects
// and the memory have. It takes steps, and takes them back.
type state struct {
	p      *program
	at     []int32 // by Proc: the node, 0 if it was not started
	local  []*node // by Proc: that node
	origin []int32 // by Proc: the node in which it was started
	counts []model.State
	begun  []bool // by item: counts has its state
	// by item: the versions of the values in a channel's buffer; the goroutines at a Cond, and
	// those that have arrived at a channel without a buffer that is polled. See waiter.
	queues [][]int32
	seen   []int32  // by cell: its version
	sums   []digest // by item: of the versions of its cells
	maps   []digest // by cell, of one that stands for all entries of a map: of their versions
	due    []int64  // by Proc, of a timer that runs: its deadline
	zero   []bool   // by Proc: its last step was an Add from zero
	// by Proc: of a goroutine that waits at channels since a barrier: the number of the barrier, of
	// those since which goroutines wait. 0: of any other
	rank   []int32
	ranked int     // how many of them are not 0
	past   []int32 // by Proc: which goroutines know what it has accessed in its last step; see idle.go

	census census
	// by cell: how many goroutines have read it, and written it, since their last step
	touched, changed []int32

	trail []change
}

// A change is an old value.
type change struct {
	what  field
	i     int32
	old   int32
	count model.State
	queue []int32
}

type field uint8

const (
	ofAt field = iota
	ofOrigin
	ofCounts
	ofQueues
	ofSeen
	ofZero
	ofRank
	ofPast
	ofDue
)

// waiter returns how a queue has a goroutine: at a side of a channel, or at a Cond (send is false).
func waiter(proc transition.Proc, send bool) int32 {
	w := int32(proc) << 1
	if send {
		w++
	}
	return w
}

// A step is a transition that is possible in a state.
type step struct {
	proc, with transition.Proc // with: the other side over an unbuffered channel, or NoProc
	by, withBy int16           // the case of a select of proc, and of with; see edge.at
	outcome    int32
	message    int32 // what is received, by proc or by with
	next       model.State
	item       int32 // whose state becomes next; -1: none
	queue      int8  // 1: a value is put into the item's buffer, -1: one is taken
	receives   bool  // proc, which polls, receives from with
	section    bool  // it is the first one of a critical section that is taken as a whole

	// what it does, and what with does, once it was looked up in its state and found. An edge does
	// not change any more; these may be copies that no node has
	edge, withEdge *edge
}

func (s *state) begin(p *program, early []transition.Proc) {
	s.p = p
	s.at, s.local, s.origin = s.at[:0], s.local[:0], s.origin[:0]
	s.begun, s.seen = s.begun[:0], s.seen[:0]
	s.zero, s.rank, s.ranked, s.past = s.zero[:0], s.rank[:0], 0, s.past[:0]
	s.counts, s.queues, s.sums, s.trail = s.counts[:0], s.queues[:0], s.sums[:0], s.trail[:0]
	s.maps = s.maps[:0]
	s.census.on = false
	clear(s.touched)
	clear(s.changed)
	s.resize()
	s.move(transition.Main, p.root)
	for i, proc := range early {
		s.move(proc, p.started(p.root, int32(-1-i), proc))
		s.origin[proc] = p.root
	}
}

// move puts a goroutine into a node; 0: it is not started.
func (s *state) move(proc transition.Proc, to int32) {
	a, b := s.local[proc], s.p.node(to)
	for i := range a.window {
		s.touch(&a.window[i], -1)
	}
	for i := range b.window {
		s.touch(&b.window[i], 1)
	}
	s.at[proc], s.local[proc] = to, b
	if s.census.on {
		s.recount(a, b)
		s.localState(proc)
	}
}

// touch counts an access, n times.
func (s *state) touch(a *touch, n int32) {
	if a.write {
		s.changed[a.cell] += n
	} else {
		s.touched[a.cell] += n
	}
}

// resize makes room for what the program has got.
func (s *state) resize() {
	for len(s.at) < s.p.tab.Procs() {
		s.at, s.local = append(s.at, 0), append(s.local, s.p.node(0))
		s.origin, s.zero = append(s.origin, 0), append(s.zero, false)
	}
	c := &s.census
	for len(s.rank) < len(s.at) {
		s.rank, s.past = append(s.rank, 0), append(s.past, 0)
	}
	for len(c.procs) < len(s.at) {
		c.procs = append(c.procs, digest{})
	}
	for len(c.items) < len(s.p.items) {
		c.items, c.losses, c.awaits = append(c.items, digest{}), append(c.losses, 0), append(c.awaits, 0)
	}
	c.future.size(len(s.p.items))
	c.bare.size(len(s.p.items))
	c.before.size(len(s.p.items))
	c.soon.size(len(s.p.items))
	for len(s.touched) < len(s.p.cells) {
		s.touched, s.changed = append(s.touched, 0), append(s.changed, 0)
	}
	for len(s.begun) < len(s.p.items) {
		s.begun, s.counts = append(s.begun, false), append(s.counts, model.State{})
		s.queues, s.sums = append(s.queues, nil), append(s.sums, digest{})
		s.count(int32(len(s.begun)) - 1)
	}
	for len(s.seen) < len(s.p.cells) {
		s.seen, s.maps = append(s.seen, 0), append(s.maps, digest{})
	}
}

// count returns the state of an object.
func (s *state) count(i int32) model.State {
	if !s.begun[i] {
		s.begun[i] = true
		if s.p.items[i].obj < 0 {
			return s.counts[i]
		}
		def, o := s.p.model(i)
		s.counts[i] = def.Start(o)
		if s.p.items[i].kind == trace.ObjChan && !s.p.slots(s.p.items[i].obj) {
			n, _ := trace.OfChanState(o.Init)
			s.queues[i] = make([]int32, n)
			for k := range s.queues[i] { // each value has a version of its own
				s.queues[i][k] = s.p.sent(i, 0, int16(k))
			}
		}
	}
	return s.counts[i]
}

// settled reports whether a case depends on nothing that goroutines can do from here on. A channel
// that is closed and has no value stays so, and no operation changes it. From one that has no
// value, where no goroutine may send to it or close it any more, nothing is ever received.
func (s *state) settled(c *offer) bool {
	n, closed := model.Channel(s.count(c.item))
	return n == 0 && len(s.queues[c.item]) == 0 &&
		(closed || !c.send && s.census.future.adds[c.gives] == 0)
}

// sides returns the outcomes of proc and of with: 1 for the side that receives, served for one that
// sends to a goroutine that polls: it goes on in a step of its own.
func (x *step) sides() (mine, theirs int32) {
	if x.receives {
		return 1, served
	}
	return 0, 1
}

const served = 2

// given returns the message of the side with an outcome.
func (x *step) given(outcome int32) int32 {
	if outcome == 1 {
		return x.message
	}
	return 0
}

// steps appends the steps of a goroutine that are possible to list. A communication over an
// unbuffered channel is the sender's, or that of a goroutine that polls. Where a side of such a
// channel is polled, arriving there is a step: a goroutine that polls meets those that wait, of
// which the first to arrive comes first.
func (s *state) steps(list []step, proc transition.Proc) []step {
	if s.at[proc] == 0 {
		return list
	}
	op := &s.local[proc].op
	x := step{proc: proc, with: transition.NoProc, item: -1}
	switch op.class {
	case free, arriving:
		return append(list, x)
	case clocked:
		s.clocks(&x, op)
		return append(list, x)
	case firing:
		if s.fires(proc, op) {
			return append(list, x)
		}
	case hushed:
		if s.hears(op) {
			return append(list, x)
		}
	case asleep:
		if s.wakes(op) {
			return append(list, x)
		}
	case waiting:
		if s.attends(op, proc) {
			return append(list, x)
		}
	case ruled:
		if s.rule(&x, op) {
			return append(list, x)
		}
	case comm:
		before := len(list)
		for i := range op.cases {
			list = s.offers(list, proc, &op.cases[i])
		}
		if op.poll && len(list) == before {
			x.by = -1
			list = append(list, x)
		}
	}
	return list
}

// rule fills in x by the rule of an operation, and reports whether it is enabled.
func (s *state) rule(x *step, op *pending) bool {
	x.item = op.item
	def, o := s.p.model(x.item)
	now := s.count(x.item)
	switch {
	case op.op == trace.OpLen:
		n, _ := model.Channel(now)
		x.outcome, x.next = int32(n), now
		return true
	case op.op == trace.OpWGAdd && now[0]+op.arg < 0:
		x.outcome, x.next = negative, now
		x.next[0] += op.arg
		return true
	}
	r, outcome, next := def.Step(o, now, op.op, op.arg)
	x.outcome, x.next = outcome, next
	return r != nil
}

// attends reports whether an operation on a Cond is enabled. A goroutine that waits goes on once it
// is no longer in the queue.
func (s *state) attends(op *pending, proc transition.Proc) bool {
	return op.op != trace.OpCondWake || !slices.Contains(s.queues[op.item], waiter(proc, false))
}

// negative is the outcome of an Add that panics: it makes the counter of a WaitGroup negative.
const negative = -1 << 30

// offers appends the steps of a case.
func (s *state) offers(list []step, proc transition.Proc, c *offer) []step {
	i := c.item
	def, o := s.p.model(i)
	now := s.count(i)
	if r := s.alone(proc, c); r != nil {
		op := trace.OpRecv
		if c.send {
			op = trace.OpSend
		}
		x := step{proc: proc, with: transition.NoProc, by: c.at, outcome: r.Arg, item: i,
			next: def.After(o, now, op, r.Arg)}
		switch {
		case r.Panics:
		case s.p.slots(c.obj): // the values are equal
			if !c.send && r.Arg == 1 {
				x.message = s.p.sent(i, 0, 0)
			}
		case c.send:
			x.queue, x.message = 1, 0
		case r.Arg == 1:
			x.queue, x.message = -1, s.queues[i][0]
		}
		return append(list, x)
	}
	poll := s.local[proc].op.poll
	if _, shut := model.Channel(now); !c.send && !poll || o.Cap > 0 || shut {
		return list
	}
	waits := !poll && s.waits(proc)
	for other, n := range s.local {
		if s.at[other] == 0 || transition.Proc(other) == proc || n.op.poll ||
			!waits && !s.waits(transition.Proc(other)) {
			continue
		}
		for k := range n.op.cases {
			d := &n.op.cases[k]
			if d.obj != c.obj || d.send == c.send || n.op.class != comm ||
				s.overtakes(proc, c, transition.Proc(other)) || s.overtakes(transition.Proc(other), d, proc) {
				continue
			}
			x := step{proc: proc, with: transition.Proc(other), by: c.at, withBy: d.at, item: -1,
				receives: !c.send}
			list = append(list, x)
		}
	}
	return list
}

// overtakes reports whether proc, which is about to meet a partner by c, is not the first of those
// that wait at that side. One that is on both sides does not stand in its own partner's way.
func (s *state) overtakes(proc transition.Proc, c *offer, partner transition.Proc) bool {
	if s.outranked(proc, c, partner) {
		return true
	}
	q := s.queues[c.item]
	mine := waiter(proc, c.send)
	if !s.unbuffered(c) || !slices.Contains(q, mine) {
		return false
	}
	for _, w := range q {
		if w == mine {
			return false
		}
		other := transition.Proc(w >> 1)
		if w&1 == mine&1 && other != partner && s.waits(other) {
			return true
		}
	}
	return false
}

// waits reports whether no case of a communication of proc is ready without a partner. Of two
// selects that meet one waits.
func (s *state) waits(proc transition.Proc) bool {
	op := &s.local[proc].op
	if len(op.cases) < 2 {
		return true
	}
	for i := range op.cases {
		if s.alone(proc, &op.cases[i]) != nil {
			return false
		}
	}
	return true
}

// edges returns the edges of a step, nil where none is known. with is nil too if there is no
// partner.
func (s *state) edges(x *step) (e, with *edge) {
	switch {
	case x.with == transition.NoProc:
		if x.edge == nil {
			x.edge = s.find(s.at[x.proc], x.by, x.outcome, x.message)
		}
	case x.edge == nil || x.withEdge == nil:
		x.message = s.meets(x) // an execution may have shown it since
		mine, theirs := x.sides()
		x.edge = s.find(s.at[x.proc], x.by, mine, x.given(mine))
		x.withEdge = s.find(s.at[x.with], x.withBy, theirs, x.given(theirs))
	}
	return x.edge, x.withEdge
}

// meets returns what is sent where two goroutines meet.
func (s *state) meets(x *step) int32 {
	sender, by := x.proc, x.by
	if x.receives {
		sender, by = x.with, x.withBy
	}
	for _, c := range s.local[sender].op.cases {
		if c.at == by {
			return s.p.sent(c.item, s.at[sender], by)
		}
	}
	return 0
}

// shown reports whether the edges of x are known.
func (s *state) shown(x *step) bool {
	e, with := s.edges(x)
	for _, other := range s.along(x) {
		if len(s.local[other].edges) == 0 {
			return false
		}
	}
	return e != nil && (x.with == transition.NoProc || with != nil)
}

// take makes a step whose edges are known.
func (s *state) take(x *step) {
	e, with := s.edges(x)
	op := &s.local[x.proc].op
	zero := op.op == trace.OpWGAdd && op.class == ruled && op.arg > 0 && s.counts[op.item][0] == 0
	if zero != s.zero[x.proc] {
		s.trail = append(s.trail, change{what: ofZero, i: int32(x.proc)})
		s.zero[x.proc] = zero // the goroutine moves
	}
	if x.item >= 0 {
		s.trail = append(s.trail, change{what: ofCounts, i: x.item, count: s.counts[x.item]})
		s.counts[x.item] = x.next
		if x.queue != 0 {
			old := s.queues[x.item]
			s.trail = append(s.trail, change{what: ofQueues, i: x.item, queue: old})
			if x.queue > 0 {
				s.queues[x.item] = append(old[:len(old):len(old)], s.p.sent(x.item, s.at[x.proc], x.by))
			} else {
				s.queues[x.item] = old[1:]
			}
		}
		s.itemState(x.item)
	}
	switch op.class {
	case firing:
		s.fire(x.proc)
	case idling:
		s.idle(x.proc)
	}
	s.queue(x.proc)
	s.follow(x.proc, e)
	if with != nil {
		s.queue(x.with)
		s.follow(x.with, with)
	}
}

// queue changes the queues as the operation of a goroutine does.
func (s *state) queue(proc transition.Proc) {
	op := &s.local[proc].op
	switch op.class {
	case arriving:
		for i := range op.cases {
			c := &op.cases[i]
			s.queued(c.item, append(slices.Clone(s.queues[c.item]), waiter(proc, c.send)))
		}
	case comm:
		for i := range op.cases {
			c := &op.cases[i]
			if at := slices.Index(s.queues[c.item], waiter(proc, c.send)); at >= 0 && s.unbuffered(c) {
				s.queued(c.item, slices.Delete(slices.Clone(s.queues[c.item]), at, at+1))
			}
		}
	case waiting:
		switch q := s.queues[op.item]; op.op {
		case trace.OpCondWait:
			s.queued(op.item, append(slices.Clone(q), waiter(proc, false)))
		case trace.OpSignal:
			s.queued(op.item, q[min(len(q), 1):])
		case trace.OpBroadcast:
			s.queued(op.item, nil)
		}
	}
}

func (s *state) unbuffered(c *offer) bool { return s.p.tab.Cap(c.obj) == 0 }

// queued gives an item another queue.
func (s *state) queued(i int32, q []int32) {
	s.trail = append(s.trail, change{what: ofQueues, i: i, queue: s.queues[i]})
	s.queues[i] = q
	s.itemState(i)
}

func (s *state) follow(proc transition.Proc, e *edge) {
	if s.rank[proc] != 0 {
		s.reRank(proc, 0)
	}
	if s.past[proc] != 0 {
		s.rePast(int32(proc), 0)
	}
	s.quietly(e)
	for _, w := range e.writes {
		v := e.as
		switch {
		case w.value != 0:
			v = w.value
		case w.leaves != 0:
			v = s.p.left(w.leaves, s.seen[s.p.cells[w.cell].of])
		case w.part:
			v = s.p.mix(s.seen[w.cell], e.as)
		}
		s.trail = append(s.trail, change{what: ofSeen, i: w.cell, old: s.seen[w.cell]})
		s.set(w.cell, v)
	}
	for i := range e.updates {
		s.update(&e.updates[i])
	}
	for k, c := range e.starts {
		first := s.p.started(e.to, int32(k+1), c)
		s.trail = append(s.trail, change{what: ofAt, i: int32(c), old: s.at[c]},
			change{what: ofOrigin, i: int32(c), old: s.origin[c]})
		s.origin[c] = e.to
		s.move(c, first)
		if s.p.rest >= 0 {
			s.inheritsPast(proc, c)
		}
	}
	if len(e.timings) > 0 {
		s.setTimers(e)
	}
	s.trail = append(s.trail, change{what: ofAt, i: int32(proc), old: s.at[proc]})
	s.move(proc, e.to)
}

// update changes the cells of a variable.
func (s *state) update(u *updating) {
	sp := &s.p.spans[u.span]
	v := s.p.summed(s.whole(sp), u.Update, sp.size)
	for _, c := range sp.cells {
		s.trail = append(s.trail, change{what: ofSeen, i: c, old: s.seen[c]})
		s.set(c, v)
	}
}

// whole returns the version of a variable.
func (s *state) whole(sp *span) int32 {
	v := s.seen[sp.cells[0]]
	if b := s.p.cells[sp.cells[0]].begins; v == 0 && b != 0 && b != varies {
		return b
	}
	same := true
	for _, c := range sp.cells {
		same = same && s.seen[c] == v
	}
	if same {
		return v
	}
	var b []byte
	for _, c := range sp.cells {
		b = binary.AppendVarint(b, int64(s.seen[c]))
	}
	return s.p.together(b)
}

// set gives a cell a version.
func (s *state) set(c, version int32) {
	sum := &s.sums[s.p.cells[c].item]
	of := s.p.cells[c].entries
	for _, v := range [...]int32{s.seen[c], version} {
		if v != 0 { // twice is not at all
			var d digest
			d.add(uint64(c)<<32 | uint64(uint32(v)))
			sum[0] ^= d[0]
			sum[1] ^= d[1]
			if of != 0 {
				s.maps[of-1][0] ^= d[0]
				s.maps[of-1][1] ^= d[1]
			}
		}
	}
	s.seen[c] = version
	s.itemState(s.p.cells[c].item)
	if of != 0 {
		s.set(of-1, s.p.digested(s.maps[of-1]))
	}
}

// back takes back all changes but the first n.
func (s *state) back(n int) {
	for len(s.trail) > n {
		c := &s.trail[len(s.trail)-1]
		switch c.what {
		case ofAt:
			s.move(transition.Proc(c.i), c.old)
		case ofOrigin:
			s.origin[c.i] = c.old
		case ofCounts:
			s.counts[c.i] = c.count
			s.itemState(c.i)
		case ofQueues:
			s.queues[c.i] = c.queue
			s.itemState(c.i)
		case ofSeen:
			s.set(c.i, c.old)
		case ofDue:
			s.due[c.i] = int64(c.count[0])<<32 | int64(uint32(c.count[1]))
		case ofPast:
			s.setPast(c.i, c.old)
		case ofRank:
			s.setRank(transition.Proc(c.i), c.old)
		case ofZero:
			s.zero[c.i] = !s.zero[c.i]
			if s.census.on {
				s.localState(transition.Proc(c.i))
			}
		}
		s.trail = s.trail[:len(s.trail)-1]
	}
}

// digests is a set of them. The one of zeros stands for no entry, and is taken as another one.
type digests struct {
	table []digest // its length is a power of 2, more than 4/3 n
	n     int
}

func (s *digests) clear() { *s = digests{table: make([]digest, 64)} }

// add reports whether d was not in the set.
func (s *digests) add(d digest) bool {
	if d == (digest{}) {
		d[0] = 1
	}
	if 4*s.n >= 3*len(s.table) {
		old := s.table
		s.table = make([]digest, 2*len(old))
		for _, d := range old {
			if d != (digest{}) {
				*s.place(d) = d
			}
		}
	}
	at := s.place(d)
	if *at == d {
		return false
	}
	*at = d
	s.n++
	return true
}

// place returns where d is, or may be put.
func (s *digests) place(d digest) *digest {
	mask := uint64(len(s.table) - 1)
	for i := d[0]; ; i++ {
		if at := &s.table[i&mask]; *at == d || *at == (digest{}) {
			return at
		}
	}
}

// A digest stands for a state. Two states with equal digests are taken for equal: among a million
// states that is wrong with a probability of 10^-26.
type digest [2]uint64

func (d *digest) add(v uint64) {
	d[0] = mix64(d[0] ^ v*0x9e3779b97f4a7c15)
	d[1] = mix64(d[1] + v ^ 0xd6e8feb86659fd93)
}

func mix64(x uint64) uint64 {
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	return x ^ x>>32
}
