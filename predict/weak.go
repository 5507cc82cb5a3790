package predict

import (
	"slices"

	"heddle/rt/limit"
	"heddle/trace"
)

// The order relation of the Go memory model says that a message comes before what follows its
// receive. In another order the receiver may get another message. Weak races are pairs of accesses
// that are ordered only by messages that might have gone otherwise: over a channel, or a semaphore,
// that several goroutines send to or receive from. Only a Solver can tell which of them are
// possible.

// WeakRaces returns the races of g's trace that hold if such messages give no order, without those
// at the sites of known candidates: at most most of them. There are none in most traces.
func (g *Graph) WeakRaces(known []Candidate, most int, l *limit.Limit) []Candidate {
	weak := exchangeable(g.Trace, l)
	if len(weak) == 0 {
		return nil
	}
	w := &Graph{Trace: g.Trace, Limit: l}
	locs := locate(g.Trace, l)
	b := newBuilder(w, Locks, locs)
	b.weak = weak
	b.build()
	w.indexAccesses(locs)
	var out []Candidate
	for _, c := range w.Search(nil, 0) {
		there := slices.ContainsFunc(known, func(k Candidate) bool {
			return k.Pattern == Race && slices.Equal(k.Sites, c.Sites)
		})
		if !there && len(out) < most {
			c.Weak = true
			out = append(out, c)
		}
	}
	return out
}

// exchangeable returns the channels and semaphores of t whose messages might have gone otherwise.
func exchangeable(t *trace.Trace, l *limit.Limit) map[trace.ObjID]bool {
	type users struct {
		sender, receiver   trace.GID // + 1
		senders, receivers bool      // several
	}
	by := make(map[trace.ObjID]*users)
	note := func(first *trace.GID, several *bool, g trace.GID) {
		*several = *several || *first != 0 && *first != g+1
		*first = g + 1
	}
	for i := range t.Events {
		l.Check()
		e := &t.Events[i]
		if e.Obj <= 0 || e.Quiet {
			continue
		}
		give := e.Op == trace.OpSend && e.Arg >= 0 || e.Op == trace.OpRelease
		take := e.Op == trace.OpRecv && e.Arg > 0 || e.Op == trace.OpAcquire
		if !give && !take {
			continue
		}
		u := by[e.Obj]
		if u == nil {
			u = new(users)
			by[e.Obj] = u
		}
		if give {
			note(&u.sender, &u.senders, e.G)
		} else {
			note(&u.receiver, &u.receivers, e.G)
		}
	}
	weak := make(map[trace.ObjID]bool)
	for o, u := range by {
		if (u.senders || u.receivers) && u.sender != 0 && u.receiver != 0 {
			weak[o] = true
		}
	}
	return weak
}
