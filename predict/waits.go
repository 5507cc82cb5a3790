package predict

import (
	"slices"
	"sort"

	"heddle/model"
	"heddle/trace"
)

// waits has the operations of a trace that wait, and the operations that can enable them: the basis
// of predictions of goroutines that wait for ever. It has events, not nodes, since both sides of a
// communication wait.
type waits struct {
	t       *trace.Trace
	events  []trace.Event // of t, then its leftovers
	at      [][]int32     // by goroutine: the events at which it may have been blocked, in order
	held    [][][]int32   // by the same: the critical sections that the goroutine is in there
	regions []holding
	byLock  map[trace.ObjID][]int32 // by lock: its critical sections
	helps   map[helpKey][]helper    // the goroutines that help, sorted by number
	offers  map[trace.GID][]int32   // by goroutine: indices in t.Offers, in order
	births  []int32                 // by goroutine: the event that started it, or -1
	closes  map[trace.ObjID][]int32 // by channel: its closes
}

// A holding is a critical section: the events that took and released the lock; to is -1 if it was
// not released. from is the arrival of a writer.
type holding struct {
	g              trace.GID
	from, take, to int32
	write          bool
}

// A helper is a goroutine with its events that help, in order.
type helper struct {
	g  trace.GID
	at []int32
}

// A helpKey is an object and the kind of wait at it.
type helpKey struct {
	obj  trace.ObjID
	side helpSide
}

type helpSide uint8

const (
	helpReceiver helpSide = iota // sends and closes
	helpSender                   // receives
	helpWaiter                   // Done, Signal, Broadcast, Release
)

// waiting returns the waits of the trace, which is read once. It has to be called within g.Limit.
func (g *Graph) waiting() *waits {
	if g.waits == nil {
		g.waits = newWaits(g)
	}
	return g.waits
}

func newWaits(g *Graph) *waits {
	t := g.Trace
	n := len(t.Goroutines)
	w := &waits{
		t: t, at: make([][]int32, n), held: make([][][]int32, n), births: make([]int32, n),
		byLock: make(map[trace.ObjID][]int32), helps: make(map[helpKey][]helper),
		offers: make(map[trace.GID][]int32), closes: make(map[trace.ObjID][]int32),
	}
	for g := range w.births {
		w.births[g] = -1
	}
	for i := range t.Offers {
		w.offers[t.Offers[i].G] = append(w.offers[t.Offers[i].G], int32(i))
	}
	open := make([][]int32, n) // by goroutine: its open critical sections; a slice is never changed
	arrived := make(map[trace.GID]int32)
	lastStep := make([]int32, n)
	for g := range lastStep {
		lastStep[g] = -1
	}
	w.events = t.Events[:len(t.Events):len(t.Events)] // copied only if there are leftovers
	for i := range t.Left {
		l := &t.Left[i]
		w.events = append(w.events, trace.Event{G: l.G, Op: l.Op, Obj: l.Obj, Site: l.Site, Partner: -1,
			Step: int32(len(t.Steps) + i)})
	}
	for i := range w.events {
		g.Limit.Check()
		e := &w.events[i]
		first := e.Step >= 0 && lastStep[e.G] != e.Step && !e.Quiet
		lastStep[e.G] = e.Step
		if first && w.mayWait(int32(i)) {
			w.at[e.G] = append(w.at[e.G], int32(i))
			w.held[e.G] = append(w.held[e.G], open[e.G])
		}
		if i < len(t.Events) {
			w.note(int32(i), open, arrived)
		}
	}
	for i := len(t.Events); i < len(w.events); i++ { // writers that had arrived and are still blocked
		if e := &w.events[i]; e.Op == trace.OpLock {
			if a, ok := arrived[e.G]; ok {
				w.byLock[e.Obj] = append(w.byLock[e.Obj], int32(len(w.regions)))
				w.regions = append(w.regions, holding{g: e.G, from: a, take: int32(i), to: -1, write: true})
			}
		}
	}
	return w
}

// mayWait reports whether the goroutine of event e may have been blocked before it.
func (w *waits) mayWait(i int32) bool {
	e := &w.events[i]
	def, _ := w.model(e)
	switch e.Op {
	case trace.OpCondWake:
		return true
	case trace.OpSelect:
		return int(i) >= len(w.t.Events)
	case trace.OpSend, trace.OpRecv:
		return e.Arg >= 0 && !w.polls(i)
	case trace.OpOnce:
		return e.Arg == 0 // another call runs the function, or has run it
	}
	return def.Waits(e.Op)
}

// model returns the definition of the object of an event.
func (w *waits) model(e *trace.Event) (*model.Primitive, model.Object) {
	return model.ObjectOf(w.t, e.Obj)
}

// note updates critical sections, goroutines and helpers.
func (w *waits) note(i int32, open [][]int32, arrived map[trace.GID]int32) {
	e := &w.events[i]
	take := func(write bool) {
		r := holding{g: e.G, from: i, take: i, to: -1, write: write}
		if a, ok := arrived[e.G]; ok && write {
			r.from = a
			delete(arrived, e.G)
		}
		id := int32(len(w.regions))
		w.regions = append(w.regions, r)
		w.byLock[e.Obj] = append(w.byLock[e.Obj], id)
		open[e.G] = append(slices.Clip(open[e.G]), id)
	}
	if e.Op == trace.OpGo {
		if e.Arg >= 0 && int(e.Arg) < len(w.births) {
			w.births[e.Arg] = i
		}
		return
	}
	def, o := w.model(e)
	r := def.Rule(&o, e.Op, int32(e.Arg))
	switch {
	case e.Obj == 0 || r == nil:
	case r.Mode == model.WriterArrives:
		arrived[e.G] = i
	case r.Section.Enters():
		take(r.Section == model.Enter)
		return // it helps a goroutine that waits for the lock, and no other
	case r.Section.Leaves():
		w.release(i, open, r.Section == model.Leave)
		return
	case r.Mode == model.Close && !r.Panics:
		w.closes[e.Obj] = append(w.closes[e.Obj], i)
	}
	for _, h := range helped {
		if e.Obj > 0 && def.Helps(&o, h.op, e.Op, int32(e.Arg)) {
			w.help(i, h.side)
		}
	}
}

// helped are the operations that wait for others, with their sides. A wait for a lock is helped by
// the end of a critical section.
var helped = [...]struct {
	op   trace.Op
	side helpSide
}{
	{trace.OpRecv, helpReceiver}, {trace.OpSend, helpSender}, {trace.OpWGWait, helpWaiter},
	{trace.OpAcquire, helpWaiter}, {trace.OpCondWake, helpWaiter},
}

// release ends the last opened critical section of the same goroutine, or else of another one.
func (w *waits) release(i int32, open [][]int32, write bool) {
	e := &w.events[i]
	for k := -1; k < len(open); k++ {
		g := k
		if k < 0 {
			g = int(e.G)
		}
		for j := len(open[g]) - 1; j >= 0; j-- {
			r := &w.regions[open[g][j]]
			if w.events[r.take].Obj == e.Obj && r.write == write {
				r.to = i
				open[g] = slices.Concat(open[g][:j], open[g][j+1:])
				return
			}
		}
	}
}

func (w *waits) help(i int32, side helpSide) {
	e := &w.events[i]
	k := helpKey{e.Obj, side}
	by := w.helps[k]
	at, known := slices.BinarySearchFunc(by, e.G, func(h helper, g trace.GID) int { return int(h.g - g) })
	if !known {
		by = slices.Insert(by, at, helper{g: e.G})
		w.helps[k] = by
	}
	by[at].at = append(by[at].at, i)
}

// casesOf returns the cases that the goroutine of communication i had announced.
func (w *waits) casesOf(i int32) []trace.Offer {
	e := &w.events[i]
	own := w.offers[e.G]
	k := sort.Search(len(own), func(k int) bool { return w.t.Offers[own[k]].Step >= e.Step })
	var out []trace.Offer
	for k--; k >= 0; k-- {
		o := &w.t.Offers[own[k]]
		if o.Case < 0 {
			continue
		}
		if len(out) > 0 && o.Step != out[0].Step {
			break
		}
		out = append(out, *o)
	}
	slices.Reverse(out)
	return out
}

// polls reports whether communication i belongs to a select with default.
func (w *waits) polls(i int32) bool {
	cs := w.casesOf(i)
	return len(cs) > 0 && cs[0].Poll
}

// mustBefore reports whether event a comes before event b in every order: by program order and go
// statements.
func (w *waits) mustBefore(a, b int32) bool {
	ga := w.events[a].G
	for g := w.events[b].G; g != ga; {
		b = w.births[g]
		if b < 0 {
			return false
		}
		g = w.events[b].G
		if g == ga {
			return a <= b
		}
	}
	return a < b
}

// together reports whether two goroutines may be right before events a and b at the same time, as
// far as go statements and locks decide.
func (w *waits) together(a, b int32) bool {
	if w.events[a].G == w.events[b].G || w.mustBefore(a, b) || w.mustBefore(b, a) {
		return false
	}
	for _, x := range w.heldAt(a) {
		for _, y := range w.heldAt(b) {
			if x != y && w.events[w.regions[x].take].Obj == w.events[w.regions[y].take].Obj &&
				(w.regions[x].write || w.regions[y].write) {
				return false
			}
		}
	}
	return true
}

// heldAt returns the critical sections that a goroutine is in before event i, at which it may have
// been blocked; none if that is no such event.
func (w *waits) heldAt(i int32) []int32 {
	g := w.events[i].G
	if k, ok := slices.BinarySearch(w.at[g], i); ok {
		return w.held[g][k]
	}
	return nil
}

// between returns the waits of goroutine g after event a, up to event b.
func (w *waits) between(g trace.GID, a, b int32) []int32 {
	at := w.at[g]
	lo := sort.Search(len(at), func(i int) bool { return at[i] > a })
	hi := sort.Search(len(at), func(i int) bool { return at[i] > b })
	return at[lo:max(lo, hi)]
}
