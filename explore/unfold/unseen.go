package unfold

import (
	"encoding/binary"
	"slices"

	"heddle/explore/transition"
	"heddle/explore/unfold/net"
	"heddle/model"
	"heddle/trace"
)

// Plain memory that is read after a join. The net has no conditions for it: what is read follows
// from the history. Where a Wait merges histories, a read after it may differ. Then the writes are
// told apart: Adds after different writes have different merged conditions. The search begins anew
// with the words of memory whose writes are told apart.
//
// Which words these are is known for certain at the end only, when all writes were shown. The reads
// of each execution are looked at as well, so that most programs begin anew once, after the first.

// A word is 8 bytes of memory, named by the goroutine and the index of its allocation, or by its
// address; or an object of the standard library that orders what its users do (n is negative).
type word struct {
	by   transition.Proc
	made trace.Site
	n    int32
	at   uint64
}

// memories has the accesses to plain memory, by event.
type memories struct {
	writers map[word][]net.Event
	reads   map[net.Event][]word     // of events with several histories
	fresh   []net.Event              // those of the last execution
	changed bool                     // there are reads or writes that seek was not asked about
	telling map[net.Event]bool       // events that write a word of Strategy.told
	blind   []net.Event              // events that read memory without a name, and have several histories
	foreign map[transition.Proc]bool // goroutines that write such memory
	long    bool                     // there was an access to more words than longAccess

	hard, soft marks
}

func newMemories() memories {
	return memories{writers: map[word][]net.Event{}, reads: map[net.Event][]word{},
		telling: map[net.Event]bool{}, foreign: map[transition.Proc]bool{}}
}

// longAccess bounds the words of an access. Histories are kept where there are longer ones.
const longAccess = 1 << 12

// noteMemory adds an access by event e.
func (s *Strategy) noteMemory(e net.Event, a *trace.Plain) {
	if !s.merges() {
		return
	}
	w := word{by: transition.NoProc, at: uint64(a.Mem.Addr)}
	switch {
	case a.Mem.G != trace.NoG:
		w = word{s.tab.ProcOf(a.Mem.G), a.Mem.Made, a.Mem.Nth, uint64(a.Mem.Offset)}
	case !a.Mem.Static:
		s.noteNameless(e, a.Write)
		return
	}
	last := (w.at + uint64(max(a.Size, 1)) - 1) / 8
	if w.at /= 8; last-w.at >= longAccess {
		s.joins.memory.long = true
		return
	}
	for ; w.at <= last; w.at++ {
		s.noteWord(e, w, a.Write)
	}
}

// noteNameless adds an access to memory that two executions do not agree about.
func (s *Strategy) noteNameless(e net.Event, write bool) {
	m := &s.joins.memory
	m.changed = true
	if write {
		m.foreign[s.procOfEvent(e)] = true
	} else if s.isJoined(e) {
		m.blind = append(m.blind, e)
	}
}

func (s *Strategy) noteWord(e net.Event, w word, write bool) {
	m := &s.joins.memory
	if write {
		if es := m.writers[w]; len(es) == 0 || es[len(es)-1] != e {
			m.writers[w], m.changed = append(es, e), true
		}
		m.telling[e] = m.telling[e] || s.told[w]
		return
	}
	if s.isJoined(e) && !s.told[w] && !slices.Contains(m.reads[e], w) {
		if len(m.reads[e]) == 0 {
			m.fresh = append(m.fresh, e)
		}
		m.reads[e], m.changed = append(m.reads[e], w), true
	}
}

// noteEvents adds what the events of event e, piece p of transition j, access beside the objects
// that the net has. Accesses that are scheduling points count: others may access the same memory at
// places that are none. So do operations of the standard library on objects that the net does not
// have, but for mutexes: they say nothing of what they guard.
func (s *Strategy) noteEvents(e net.Event, j int, p *piece) {
	if !s.merges() {
		return
	}
	t := s.read.trace
	for i := s.path.Event(j); i < len(t.Events) && int(t.Events[i].Step) <= s.path.Step(j); i++ {
		v := &t.Events[i]
		if v.Obj == 0 || !p.holds(i) {
			continue
		}
		o := &t.Objects[v.Obj]
		if v.Op == trace.OpRead || v.Op == trace.OpWrite {
			s.noteMemory(e, &trace.Plain{Mem: *o, Size: transition.MemorySize(v, o.Kind),
				Write: v.Op == trace.OpWrite})
		}
		if v.Quiet && o.Kind != trace.ObjMutex && o.Kind != trace.ObjRWMutex {
			s.noteQuiet(e, v)
		}
	}
}

// noteQuiet is noteEvents for an operation of the standard library.
func (s *Strategy) noteQuiet(e net.Event, v *trace.Event) {
	obj := s.tab.ObjectOf(s.read.trace, v.Obj)
	if _, mail := s.quiet.of[message{obj, 0}]; mail {
		return
	}
	w := word{by: transition.NoProc, n: -1 - int32(obj)}
	s.noteWord(e, w, false)
	if model.MayConflict(v.Op, v.Op) { // it does more than to look
		s.noteWord(e, w, true)
	}
}

// toldBefore returns the writes before e that are told apart, in its past and in that of the merged
// conditions that it follows.
func (s *Strategy) toldBefore(e net.Event) string {
	if len(s.told) == 0 {
		return ""
	}
	in := s.joins.check
	in.Begin()
	if !in.Add(e) {
		panic("unfold: an event's past cannot happen")
	}
	var tell []int32
	for _, f := range in.Events() {
		if s.joins.memory.telling[f] && f != e {
			tell = append(tell, int32(f))
		}
	}
	in.Wants(func(m net.Cond) {
		if s.joins.tokens[m].seen != "" {
			tell = append(tell, -int32(m))
		}
	})
	slices.Sort(tell)
	var b []byte
	for _, x := range slices.Compact(tell) {
		b = binary.LittleEndian.AppendUint32(b, uint32(x))
	}
	return string(b)
}

// hides reports whether reads may differ between histories that are merged. Their writes are told
// apart from now on. all: of all executions, not only the last one.
func (s *Strategy) hides(all bool) bool {
	m := &s.joins.memory
	if !s.merges() || !m.changed {
		return false
	}
	events := m.fresh
	if m.fresh = nil; all {
		events = nil
		for e := range m.reads {
			events = append(events, e)
		}
		m.changed = false
	}
	found := s.hidesNameless()
	if m.long && len(m.reads)+len(m.blind) > 0 {
		s.apart = true
		return true
	}
	for _, e := range events {
		if s.expires() {
			return false
		}
		m.hard.begin(s.net, e, false)
		m.soft.begin(s.net, e, true)
		for _, w := range m.reads[e] {
			if slices.ContainsFunc(m.writers[w], func(f net.Event) bool {
				return f != e && m.soft.has(f) && !m.hard.has(f)
			}) {
				s.told[w], found = true, true
			}
		}
	}
	return found
}

// hidesNameless keeps all histories apart if memory without a name is read by a goroutine that has
// joined others, and another goroutine writes such memory.
func (s *Strategy) hidesNameless() bool {
	m := &s.joins.memory
	for _, e := range m.blind {
		for p := range m.foreign {
			if p != s.procOfEvent(e) {
				s.apart = true
				return true
			}
		}
	}
	return false
}

// marks is a set of events: the past of an event.
type marks struct {
	at    []int32 // by event: the number of the set that it was last in
	now   int32
	queue []net.Event
}

// begin makes k the past of e. soft: whatever the members of the merged conditions.
func (k *marks) begin(n *net.Net, e net.Event, soft bool) {
	k.now++
	for len(k.at) < n.Len() {
		k.at = append(k.at, 0)
	}
	k.queue = k.queue[:0]
	k.add(e)
	for i := 0; i < len(k.queue); i++ {
		for _, a := range n.Arcs(k.queue[i]) {
			k.add(n.By(a.Cond()))
			if soft && a.Use() == net.Follows {
				for _, y := range n.Members(a.Cond()) {
					k.add(n.By(y))
				}
			}
		}
	}
}

func (k *marks) add(e net.Event) {
	if e != net.None && k.at[e] != k.now {
		k.at[e] = k.now
		k.queue = append(k.queue, e)
	}
}

func (k *marks) has(e net.Event) bool { return k.at[e] == k.now }
