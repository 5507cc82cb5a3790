package unfold

import (
	"fmt"
	"slices"

	"heddle/explore/unfold/net"
	"heddle/trace"
)

// Deadlocks of mutexes, from the net as it grows (section 4.4): for each condition of a goroutine
// that is added, unless somebody was seen to unlock a mutex that another goroutine has locked:
// whoever waits may go on then, and left.go is asked instead. Who waits for a mutex at a condition
// of it is noted there (net.Net.Wait), which is what Lemma 1 restricts FINDNEXT to.

// A lock is one of the mutexes that a goroutine has locked and not unlocked itself: the condition
// that this gave. Who holds more than one has a list of them.
type lock struct {
	at   net.Cond
	next int32 // index in locks.list; 0: no more
}

type locks struct {
	list   []lock
	of     []int32 // by condition of a goroutine: index in list, + 1; 0: not known yet
	handed bool    // somebody unlocks what another goroutine has locked

	nested map[net.Value]bool // calls that lock a mutex while holding another one
	unseen int                // how many of these no execution has left waiting
}

func newLocks() locks { return locks{list: make([]lock, 1), nested: map[net.Value]bool{}} }

// locksAt returns the list of what t's goroutine has locked, as its index.
func (s *Strategy) locksAt(t net.Cond) int32 {
	k := &s.locks
	for len(k.of) <= int(t) {
		k.of = append(k.of, 0)
	}
	if k.of[t] > 0 {
		return k.of[t] - 1
	}
	up, i := s.net.Up(t), int32(0)
	if up != net.None {
		i = s.locksAt(up)
		if e := s.net.By(t); s.net.Arcs(e)[0].Cond() == up { // its own operation
			first, n := s.net.Given(e)
			for y := first; y < first+net.Cond(n); y++ {
				if o := s.ownerOf(y); o != nil && o.kind == trace.ObjMutex {
					i = s.without(i, s.net.Place(y))
					if s.net.Value(y) == 1 {
						k.list = append(k.list, lock{y, i})
						i = int32(len(k.list) - 1)
					}
				}
			}
		}
	}
	k.of[t] = i + 1
	return i
}

// noteUnlock notes whether the one at t has not locked itself what it unlocks: a mutex at y.
func (s *Strategy) noteUnlock(t, y net.Cond) {
	if s.locks.handed || s.net.Value(y) != 1 {
		return
	}
	for i := s.locksAt(t); i > 0; i = s.locks.list[i].next {
		if s.locks.list[i].at == y {
			return
		}
	}
	s.locks.handed = true
}

// without returns a list like i that has no lock of a mutex.
func (s *Strategy) without(i int32, mutex net.Place) int32 {
	if i == 0 {
		return 0
	}
	l := s.locks.list[i]
	rest := s.without(l.next, mutex)
	switch {
	case s.net.Place(l.at) == mutex:
		return rest
	case rest == l.next:
		return i
	}
	s.locks.list = append(s.locks.list, lock{l.at, rest})
	return int32(len(s.locks.list) - 1)
}

// held returns the conditions of mutexes that t's goroutine has locked, after the events in s.find.
func (s *Strategy) held(t net.Cond) (held []net.Cond) {
	for i := s.locksAt(t); i > 0; i = s.locks.list[i].next {
		if y := s.locks.list[i].at; s.find.Last(s.net.Place(y)) == y {
			held = append(held, y)
		}
	}
	return held
}

// ownerOf returns the object that y is a condition of, nil if it is a goroutine's.
func (s *Strategy) ownerOf(y net.Cond) *object {
	k := s.net.Place(y)
	if int(k) >= len(s.objectOf) || s.objectOf[k] == noObject {
		return nil
	}
	return &s.objects[s.objectOf[k]]
}

// at makes s.find, which is nothing or what precedes t, what precedes t, which stays.
func (s *Strategy) at(t net.Cond) {
	s.find.Grow()
	if !s.find.AddCond(t) || !s.find.Keep(t) {
		panic("unfold: a goroutine's past cannot happen")
	}
}

// deadlocked looks for deadlocks of which the one at t, a new condition, is part.
func (s *Strategy) deadlocked(t net.Cond) {
	if s.opt.NoDeadlocks || s.locks.handed {
		return
	}
	if c, _ := s.callAt(t); c == nil {
		s.ended(t)
	} else if c.op == trace.OpLock && s.object(c.obj).kind == trace.ObjMutex {
		s.locking(t, s.object(c.obj))
	}
}

// ended looks for those who wait for a mutex that the goroutine of t, which has ended, has locked.
func (s *Strategy) ended(t net.Cond) {
	if s.locksAt(t) == 0 {
		return
	}
	s.at(t)
	for _, y := range s.held(t) {
		o := s.ownerOf(y)
		o.finals = append(o.finals, t)
		s.wanting(y, false, func(a net.Cond) { s.found([]net.Cond{a, t}) })
	}
}

// locking looks for deadlocks of which t, which locks o, is part.
func (s *Strategy) locking(t net.Cond, o *object) {
	if s.nests(t); s.locksAt(t) == 0 || s.locks.unseen == 0 { // nothing new would be found
		if len(o.finals) == 0 {
			return
		}
	}
	s.at(t)
	for _, f := range o.finals {
		m := s.find.Mark()
		if s.find.AddCond(f) && s.find.Keep(f) && s.find.Marked(t) && slices.ContainsFunc(s.held(f),
			func(y net.Cond) bool { return s.net.Place(y) == o.state }) {
			s.found([]net.Cond{t, f})
		}
		s.find.Undo(m)
	}
	s.circle([]net.Cond{t}, o.state)
}

// nests notes that the one at t locks a mutex, if it holds another one.
func (s *Strategy) nests(t net.Cond) {
	if v := s.net.Value(t); s.locksAt(t) != 0 && !s.locks.nested[v] {
		s.locks.nested[v] = true
		if !s.left[v] {
			s.locks.unseen++
		}
	}
}

// leave notes that calls need no execution any more that leaves them waiting.
func (s *Strategy) leave(v net.Value) {
	if !s.left[v] && s.locks.nested[v] {
		s.locks.unseen--
	}
	s.left[v] = true
}

// circle is SEARCH of Fig. 11: each of set but the last waits for a mutex that
// the next one has locked; wanted is what the first one waits for.
func (s *Strategy) circle(set []net.Cond, wanted net.Place) {
	held := s.held(set[len(set)-1])
	if slices.ContainsFunc(held, func(y net.Cond) bool { return s.net.Place(y) == wanted }) {
		s.found(set)
		return
	}
	for _, y := range held {
		s.wanting(y, true, func(a net.Cond) { s.circle(append(set[:len(set):len(set)], a), wanted) })
	}
}

// wanting is FINDNEXT: it calls f with those who wait to lock the mutex that is
// locked at y, one after the other added to s.find; those who hold one themselves, or all.
func (s *Strategy) wanting(y net.Cond, holding bool, f func(a net.Cond)) {
	in := s.find
	in.Waiting(y, func(a net.Cond) {
		if c, _ := s.callAt(a); c == nil || c.op != trace.OpLock || s.late() || holding && s.locksAt(a) == 0 {
			return
		}
		m := in.Mark()
		if in.AddCond(a) && in.Keep(a) && in.Last(s.net.Place(y)) == y {
			f(a)
		}
		in.Undo(m)
	})
}

// found keeps a set of conditions of goroutines that wait for each other, or for one that has
// ended, unless one was found with the same operations. What leads to them is in s.find.
func (s *Strategy) found(set []net.Cond) {
	var calls []net.Value
	for _, t := range set {
		calls = append(calls, s.net.Value(t))
	}
	slices.Sort(calls)
	if key := fmt.Sprint(calls); !s.asked[key] && s.contradiction(s.find) == nil { // FILTERUNSAT
		s.asked[key] = true
		s.stuck = append(s.stuck, append([]net.Cond(nil), set...))
	}
}

// unseen reports whether a set of conditions at which goroutines wait has one of whose operation no
// execution has shown that it may be left waiting.
func (s *Strategy) unseen(set []net.Cond) bool {
	return slices.ContainsFunc(set, func(t net.Cond) bool {
		return s.net.Value(t) > 0 &&
			!s.left[s.net.Value(t)]
	})
}

// nextStuck returns the next deadlock to execute, nil if there is none.
func (s *Strategy) nextStuck() []net.Cond {
	if s.locks.handed {
		s.stuck = s.stuck[:0]
	}
	for len(s.stuck) > 0 {
		set := s.stuck[len(s.stuck)-1]
		s.stuck = s.stuck[:len(s.stuck)-1]
		if s.unseen(set) {
			return set
		}
	}
	return nil
}

// noteLeft notes which calls the execution has left waiting.
func (s *Strategy) noteLeft(t *trace.Trace) {
	if t.Verdict.Cut() || t.Verdict == trace.Aborted {
		return
	}
	for _, k := range s.procs {
		if k == net.None || t.Verdict == trace.Panicked {
			continue
		}
		if x := s.run.Last(k); x != net.None && s.net.Value(x) > 0 {
			s.leave(s.net.Value(x))
		}
	}
	// Those that came with a panic are no deadlocks.
	s.stuck = slices.DeleteFunc(s.stuck, func(set []net.Cond) bool { return s.reached(set) && s.stayed(set) })
}

// stayed reports whether nobody took conditions that the execution reached.
func (s *Strategy) stayed(set []net.Cond) bool {
	return !slices.ContainsFunc(set, func(t net.Cond) bool { return !s.run.Marked(t) })
}

// reached reports whether the execution got to where conditions were marked at once.
func (s *Strategy) reached(goal []net.Cond) bool {
	for _, t := range goal {
		if by := s.net.By(t); by != net.None && !s.run.Has(by) {
			return false
		}
	}
	return true
}

// reach adds what leads to a marking to a config; false if that cannot happen.
func reach(in *net.Config, goal []net.Cond) bool {
	for _, t := range goal {
		if !in.AddCond(t) || !in.Keep(t) {
			return false
		}
	}
	return true
}
