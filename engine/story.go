package engine

import (
	"heddle/rt/wire"
	"heddle/trace"
)

// mostStory bounds a story. Longer ones are not told: a story without its beginning would claim
// that locks are free which are held.
const mostStory = 20_000

// storyOf returns what the goroutines of an execution did, as wire.Finding.Story has it; nil if
// that is too long. It ends with the last step of t. An execution that did not record has no
// accesses and no leftovers.
func storyOf(t *trace.Trace, resolve func(trace.Site) wire.Place) []wire.Event {
	if !tellable(t) {
		return nil
	}
	return tell(t, eventsOf(t, resolve), resolve)
}

// tellable reports whether the events of t are few enough for a story.
func tellable(t *trace.Trace) bool {
	n := 0
	for i := range t.Events {
		if told(t, i) {
			n++
		}
	}
	return n <= mostStory
}

// told reports whether a story has event i of t.
func told(t *trace.Trace, i int) bool {
	return int(t.Events[i].Step) < len(t.Steps) && !t.Events[i].Quiet
}

// tell is storyOf for events that eventsOf has made of t, which stay as they are.
func tell(t *trace.Trace, events []wire.Event, resolve func(trace.Site) wire.Place) []wire.Event {
	s := teller{t: t, resolve: resolve, memory: map[uintptr]int{}, users: map[int]*users{}}
	numbers := make([]int, len(events)) // of the memory of accesses
	for i := range events {
		e := &t.Events[i]
		numbers[i] = events[i].Obj
		if e.Op == trace.OpRead || e.Op == trace.OpWrite {
			numbers[i] = s.object(t.Objects[e.Obj].Addr, e.G, e.Op == trace.OpWrite)
		}
	}
	for i := range t.Plain {
		s.object(t.Plain[i].Mem.Addr, t.Plain[i].G, t.Plain[i].Write)
	}
	accesses := t.Plain
	for i := range events {
		for len(accesses) > 0 && int(accesses[0].After) <= i {
			s.access(&accesses[0])
			accesses = accesses[1:]
		}
		if told(t, i) {
			e := events[i]
			e.Obj = numbers[i]
			s.out = append(s.out, e)
		}
	}
	for i := range accesses {
		s.access(&accesses[i])
	}
	for i := range t.Left {
		l := &t.Left[i]
		e := wire.Event{Index: -1, G: t.Name(l.G), Op: l.Op.String(), Where: resolve(l.Site), Partner: -1,
			Waits: true}
		if l.Obj > 0 && int(l.Obj) < len(t.Objects) {
			e.Object, e.Obj, e.Cap = objectName(t, l.Obj), int(l.Obj), int(t.Objects[l.Obj].Cap)
		}
		s.out = append(s.out, e)
	}
	if len(s.out) > mostStory {
		return nil
	}
	return s.out
}

// A teller writes down one story.
type teller struct {
	t       *trace.Trace
	resolve func(trace.Site) wire.Place
	memory  map[uintptr]int // the number of memory, by its address
	users   map[int]*users  // by that number
	out     []wire.Event
}

// users says which goroutines use some memory.
type users struct {
	first   trace.GID
	several bool
	written bool
}

// object returns the number of memory that g accesses.
func (s *teller) object(addr uintptr, g trace.GID, write bool) int {
	id, ok := s.memory[addr]
	if !ok {
		id = len(s.t.Objects) + len(s.memory)
		s.memory[addr] = id
		s.users[id] = &users{first: g}
	}
	u := s.users[id]
	u.several = u.several || u.first != g
	u.written = u.written || write
	return id
}

// access adds an access that is no event, if it is of shared memory.
func (s *teller) access(a *trace.Plain) {
	id := s.memory[a.Mem.Addr]
	if u := s.users[id]; !u.several || !u.written || int(a.Step) >= len(s.t.Steps) || len(s.out) > mostStory {
		return
	}
	e := wire.Event{Index: -1, G: s.t.Name(a.G), Op: trace.OpRead.String(), Obj: id, Object: "memory",
		Where: s.resolve(a.Site), Partner: -1, Step: int(a.Step)}
	if a.Write {
		e.Op = trace.OpWrite.String()
	}
	s.out = append(s.out, e)
}
