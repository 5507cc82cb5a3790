package observe

import (
	"heddle/explore/transition"
	"heddle/model"
	"heddle/trace"
)

// A state is what the program can be in: the local state of each goroutine, and what the objects
// and the memory have. It takes steps, and takes them back.
type state struct {
	p      *program
	at     []int32 // by Proc: the node, 0 if it was not started
	origin []int32 // by Proc: the node in which it was started
	counts []model.State
	begun  []bool    // by item: counts has its state
	queues [][]int32 // by item: the versions of the values in a channel's buffer
	seen   []int32   // by cell: its version
	sums   []digest  // by item: of the versions of its cells

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
)

// A step is a transition that is possible in a state.
type step struct {
	proc, with transition.Proc // with: the receiver over an unbuffered channel, or NoProc
	by, withBy int16           // the case of a select of proc, and of with; see edge.at
	outcome    int32
	message    int32 // what is received, by proc or by with
	next       model.State
	item       int32 // whose state becomes next; -1: none
	queue      int8  // 1: a value is put into the item's buffer, -1: one is taken
}

func (s *state) begin(p *program, early []transition.Proc) {
	s.p = p
	s.at, s.origin, s.begun, s.seen = s.at[:0], s.origin[:0], s.begun[:0], s.seen[:0]
	s.counts, s.queues, s.sums, s.trail = s.counts[:0], s.queues[:0], s.sums[:0], s.trail[:0]
	s.resize()
	s.at[transition.Main] = p.root
	for i, proc := range early {
		s.at[proc], s.origin[proc] = p.started(p.root, int32(-1-i), proc), p.root
	}
}

// resize makes room for what the program has got.
func (s *state) resize() {
	for len(s.at) < s.p.tab.Procs() {
		s.at, s.origin = append(s.at, 0), append(s.origin, 0)
	}
	for len(s.begun) < len(s.p.items) {
		s.begun, s.counts = append(s.begun, false), append(s.counts, model.State{})
		s.queues, s.sums = append(s.queues, nil), append(s.sums, digest{})
		s.count(int32(len(s.begun)) - 1)
	}
	for len(s.seen) < len(s.p.cells) {
		s.seen = append(s.seen, 0)
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
		if s.p.items[i].kind == trace.ObjChan {
			n, _ := trace.OfChanState(o.Init)
			s.queues[i] = make([]int32, n)
			for k := range s.queues[i] { // each value has a version of its own
				s.queues[i][k] = s.p.sent(0, int16(k))
			}
		}
	}
	return s.counts[i]
}

// steps appends the steps of a goroutine that are possible to list. A communication over an
// unbuffered channel is the sender's.
func (s *state) steps(list []step, proc transition.Proc) []step {
	n := s.at[proc]
	if n == 0 {
		return list
	}
	op := &s.p.nodes[n].op
	x := step{proc: proc, with: transition.NoProc, item: -1}
	switch op.class {
	case free:
		return append(list, x)
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
		return true
	}
	r, outcome, next := def.Step(o, now, op.op, op.arg)
	x.outcome, x.next = outcome, next
	return r != nil
}

// negative is the outcome of an Add that makes the counter of a WaitGroup negative. What happens
// after it is not described: another strategy goes on.
const negative = -1 << 30

// offers appends the steps of a case.
func (s *state) offers(list []step, proc transition.Proc, c *offer) []step {
	i := c.item
	def, o := s.p.model(i)
	now := s.count(i)
	if r := model.Alone(o, now, c.send); r != nil {
		op := trace.OpRecv
		if c.send {
			op = trace.OpSend
		}
		x := step{proc: proc, with: transition.NoProc, by: c.at, outcome: r.Arg, item: i,
			next: def.After(o, now, op, r.Arg)}
		switch {
		case r.Panics:
		case c.send:
			x.queue, x.message = 1, 0
		case r.Arg == 1:
			x.queue, x.message = -1, s.queues[i][0]
		}
		return append(list, x)
	}
	if _, shut := model.Channel(now); !c.send || o.Cap > 0 || shut {
		return list
	}
	waits := s.waits(s.at[proc])
	for other := range s.at {
		if n := s.at[other]; n != 0 && transition.Proc(other) != proc && (waits || s.waits(n)) {
			for k := range s.p.nodes[n].op.cases {
				if d := &s.p.nodes[n].op.cases[k]; d.obj == c.obj && !d.send {
					list = append(list, step{proc: proc, with: transition.Proc(other), by: c.at, withBy: d.at,
						item: -1, message: s.p.sent(s.at[proc], c.at)})
				}
			}
		}
	}
	return list
}

// waits reports whether no case of a communication is ready without a partner. Of two selects that
// meet one waits.
func (s *state) waits(n int32) bool {
	op := &s.p.nodes[n].op
	if len(op.cases) < 2 {
		return true
	}
	for _, c := range op.cases {
		i := c.item
		_, o := s.p.model(i)
		if model.Alone(o, s.count(i), c.send) != nil {
			return false
		}
	}
	return true
}

// find returns the edge that a goroutine takes in this state, nil if no execution has shown it.
func (s *state) find(n int32, at int16, outcome, message int32) *edge {
	es := s.p.nodes[n].edges
next:
	for i := range es {
		e := &es[i]
		if e.at != at || e.outcome != outcome || e.message != message {
			continue
		}
		for _, r := range e.reads {
			if s.seen[r.cell] != r.version {
				continue next
			}
		}
		return e
	}
	return nil
}

// edges returns the edges of a step, nil where none is known. with is nil too if there is no
// partner.
func (s *state) edges(x *step) (e, with *edge) {
	if x.with == transition.NoProc {
		return s.find(s.at[x.proc], x.by, x.outcome, x.message), nil
	}
	return s.find(s.at[x.proc], x.by, 0, 0), s.find(s.at[x.with], x.withBy, 1, x.message)
}

// shown reports whether the edges of x are known.
func (s *state) shown(x *step) bool {
	e, with := s.edges(x)
	return e != nil && (x.with == transition.NoProc || with != nil)
}

// take makes a step whose edges are known.
func (s *state) take(x *step) {
	e, with := s.edges(x)
	if x.item >= 0 {
		s.trail = append(s.trail, change{what: ofCounts, i: x.item, count: s.counts[x.item]})
		s.counts[x.item] = x.next
		if x.queue != 0 {
			old := s.queues[x.item]
			s.trail = append(s.trail, change{what: ofQueues, i: x.item, queue: old})
			if x.queue > 0 {
				s.queues[x.item] = append(old[:len(old):len(old)], s.p.sent(s.at[x.proc], x.by))
			} else {
				s.queues[x.item] = old[1:]
			}
		}
	}
	s.follow(x.proc, e)
	if with != nil {
		s.follow(x.with, with)
	}
}

func (s *state) follow(proc transition.Proc, e *edge) {
	for _, w := range e.writes {
		v := e.to
		switch {
		case w.value != 0:
			v = w.value
		case w.part:
			v = s.p.mix(s.seen[w.cell], e.to)
		}
		s.trail = append(s.trail, change{what: ofSeen, i: w.cell, old: s.seen[w.cell]})
		s.set(w.cell, v)
	}
	for k, c := range e.starts {
		first := s.p.started(e.to, int32(k+1), c)
		s.trail = append(s.trail, change{what: ofAt, i: int32(c), old: s.at[c]},
			change{what: ofOrigin, i: int32(c), old: s.origin[c]})
		s.at[c], s.origin[c] = first, e.to
	}
	s.trail = append(s.trail, change{what: ofAt, i: int32(proc), old: s.at[proc]})
	s.at[proc] = e.to
}

// set gives a cell a version.
func (s *state) set(c, version int32) {
	sum := &s.sums[s.p.cells[c].item]
	for _, v := range [...]int32{s.seen[c], version} {
		if v != 0 { // twice is not at all
			var d digest
			d.add(uint64(c)<<32 | uint64(uint32(v)))
			sum[0] ^= d[0]
			sum[1] ^= d[1]
		}
	}
	s.seen[c] = version
}

// back takes back all changes but the first n.
func (s *state) back(n int) {
	for len(s.trail) > n {
		c := &s.trail[len(s.trail)-1]
		switch c.what {
		case ofAt:
			s.at[c.i] = c.old
		case ofOrigin:
			s.origin[c.i] = c.old
		case ofCounts:
			s.counts[c.i] = c.count
		case ofQueues:
			s.queues[c.i] = c.queue
		case ofSeen:
			s.set(c.i, c.old)
		}
		s.trail = s.trail[:len(s.trail)-1]
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

// digest returns the digest of what matters from now on: the local states of goroutines that have
// not ended, and what they can still access.
func (s *state) digest(live *reach) (d digest) {
	live.reads, live.writes, live.adds = live.reads[:0], live.writes[:0], live.adds[:0]
	for proc, n := range s.at {
		if n == 0 {
			continue
		}
		x := &s.p.nodes[n]
		if x.tail != 0 {
			d.add(uint64(proc)<<32 | 1<<31 | uint64(x.tail))
		} else {
			d.add(uint64(proc)<<32 | uint64(n))
		}
		live.join(&x.future)
	}
	for i := range s.begun {
		if sum := &s.sums[i]; *sum != (digest{}) && live.reads.has(int32(i)) {
			d.add(uint64(i)<<32 | 3<<30)
			d.add(sum[0])
			d.add(sum[1])
		}
		if s.p.items[i].cell || !live.has(int32(i)) {
			continue
		}
		c := s.counts[i]
		d.add(uint64(i)<<32 | 2<<30)
		d.add(uint64(uint32(c[0]))<<32 | uint64(uint32(c[1])))
		d.add(uint64(uint32(c[2]))<<32 | uint64(len(s.queues[i])))
		for _, v := range s.queues[i] {
			d.add(uint64(uint32(v)))
		}
	}
	return d
}
