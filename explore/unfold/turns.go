package unfold

import (
	"heddle/explore/unfold/net"
	"heddle/symbolic/fair"
	"heddle/trace"
)

// The order of targets where inputs are searched for: what a loop over a text has as targets does
// not end, and keeps nothing else waiting. Within a class what its goroutine comes to sooner is
// first.

// A kind is what targets have in common that are equally promising: where they stand, their
// outcome, and how long texts may be.
type kind struct {
	site  trace.Site
	label int32
	level int // in textLevels
}

// turns are the targets that were not chosen yet.
type turns struct {
	queue   *fair.Queue[kind, net.Event]
	waiting map[net.Event]bool // by events in Strategy.known: whether they are targets still
}

// newTurns returns nil where Options.Choose says what is next.
func newTurns(o *Options) *turns {
	if o.Inputs == nil || o.Choose != nil {
		return nil
	}
	cost := func(k kind) int { return 1 << k.level }
	return &turns{fair.New[kind, net.Event](cost), map[net.Event]bool{}}
}

// hope adds a target.
func (s *Strategy) hope(e net.Event) {
	t := s.turns
	if t == nil {
		s.known = append(s.known, e)
		return
	}
	waits, known := t.waiting[e]
	if waits {
		return
	}
	if t.waiting[e] = true; !known {
		s.known = append(s.known, e)
	}
	k, at := kind{label: s.net.Label(e), level: s.inputs.level[e]}, s.net.Arcs(e)[0].Cond()
	if c, _ := s.callAt(at); c != nil {
		k.site = c.site
	}
	t.queue.Add(k, s.net.Depth(at), e)
}

// waits reports whether an event of Strategy.known is a target still.
func (s *Strategy) waits(e net.Event) bool { return s.turns == nil || s.turns.waiting[e] }

// drop makes e no target, if it is one.
func (t *turns) drop(e net.Event) {
	if t.waiting[e] {
		t.waiting[e] = false
	}
}

// next chooses the next target; false if none is left.
func (t *turns) next(s *Strategy) bool {
	var promised []net.Event
	found := false
	for !found {
		e, ok := t.queue.Next()
		if !ok {
			break
		}
		switch {
		case !t.waiting[e]:
		case s.promised[e] > 0: // perhaps in vain
			promised = append(promised, e)
		case s.net.Shown(e):
			t.drop(e)
		default:
			t.drop(e)
			s.target, found = e, true
		}
	}
	for _, e := range promised {
		t.waiting[e] = false
		s.hope(e)
	}
	s.tidy()
	return found
}

// tidy leaves out of Strategy.known what is no target any more, if that is most of it.
func (s *Strategy) tidy() {
	if len(s.known) < 64 || len(s.known) < 2*s.turns.queue.Len() {
		return
	}
	live := s.known[:0]
	for _, e := range s.known {
		if s.turns.waiting[e] {
			live = append(live, e)
		} else {
			delete(s.turns.waiting, e)
		}
	}
	s.known = live
}
