package order

import "heddle/trace"

// A cond is a sync.Cond: Signal wakes the goroutine that has waited longest, Broadcast all.
type cond struct {
	events []int32
	waits  map[int]int // by event of waking up: the event with which its goroutine began to wait
	asked  map[int]bool
}

func newCond(p *Problem, events []int32) *cond {
	c := &cond{waits: map[int]int{}, asked: map[int]bool{}}
	began := make(map[trace.GID]int)
	for _, i := range events {
		e := int(i)
		g := p.m.events[e].G
		w, waiting := began[g]
		switch op := p.m.events[e].Op; {
		case op == trace.OpCondWait && e < p.m.done:
			began[g] = e
		case op == trace.OpCondWake || op == trace.OpCondWait && waiting:
			c.waits[e] = w
			delete(began, g)
		}
		if e < p.m.done {
			c.events = append(c.events, i)
		}
	}
	return c
}

// woken replays the events and returns which waits were woken. It calls early with the index of
// each event of waking up that comes too early.
func (c *cond) woken(p *Problem, events []int32, early func(k int)) map[int]bool {
	var queue []int
	woken := make(map[int]bool)
	for k, i := range events {
		e := int(i)
		switch p.m.events[e].Op {
		case trace.OpCondWait:
			queue = append(queue, e)
		case trace.OpSignal:
			if len(queue) > 0 {
				woken[queue[0]] = true
				queue = queue[1:]
			}
		case trace.OpBroadcast:
			for _, w := range queue {
				woken[w] = true
			}
			queue = queue[:0]
		case trace.OpCondWake:
			if w, ok := c.waits[e]; ok && !woken[w] {
				early(k)
				return woken
			}
		}
	}
	return woken
}

func (c *cond) check(p *Problem, events []int32) {
	c.woken(p, events, func(k int) {
		e := int(events[k])
		if c.asked[e] {
			p.history(p.names.tag(Wakeup, e), p.kept(e), e, events[:k], c.events)
			return
		}
		c.asked[e] = true
		c.signalled(p, e)
	})
}

// signalled adds that a Signal or Broadcast comes between the beginning of the wait and waking up.
func (c *cond) signalled(p *Problem, e int) {
	tag := p.names.tag(Wakeup, e)
	lits := []lit{not(p.kept(e))}
	for _, i := range c.events {
		if op := p.m.events[i].Op; op != trace.OpSignal && op != trace.OpBroadcast {
			continue
		}
		in, out := p.before(c.waits[e], int(i)), p.before(int(i), e)
		if in == no || out == no {
			continue
		}
		l := p.fresh()
		lits = append(lits, l)
		p.add(tag, l.Not(), in)
		p.add(tag, l.Not(), out)
	}
	p.add(tag, lits...)
}
