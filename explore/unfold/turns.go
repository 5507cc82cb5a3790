package unfold

import (
	"heddle/explore/unfold/net"
	"heddle/symbolic/fair"
	"heddle/trace"
)

// The order of targets in a search for inputs. A loop over a text has targets without end, so
// targets are chosen class by class. Within a class the targets that their goroutine reaches sooner
// come first.

// A kind is a class of targets: the site, the outcome, and the bound on texts.
type kind struct {
	site  trace.Site
	label int32
	level int // in textLevels
}

// turns has the targets that were not chosen yet.
type turns struct {
	queue   *fair.Queue[kind, net.Event]
	waiting map[net.Event]bool // by event of Strategy.known: it is still a target
}

// newTurns returns nil if Options.Choose decides the order.
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

// waits reports whether an event of Strategy.known is still a target.
func (s *Strategy) waits(e net.Event) bool { return s.turns == nil || s.turns.waiting[e] }

// drop removes e from the targets, if it is one.
func (t *turns) drop(e net.Event) {
	if t.waiting[e] {
		t.waiting[e] = false
	}
}

// next chooses the next target. It returns false if there is none.
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
		case s.promised[e] > 0: // an execution that is planned or under way may show it
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

// tidy removes events that are no targets from Strategy.known, if most of them are none.
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
