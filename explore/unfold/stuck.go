package unfold

import (
	"fmt"
	"slices"

	"heddle/explore/unfold/net"
	"heddle/trace"
)

// Deadlocks of mutexes, found as the net grows (section 4.4), at each new condition of a goroutine.
// This holds as long as no goroutine unlocks a mutex that another one has locked; otherwise left.go
// finds the deadlocks. A goroutine that waits for a mutex is registered at the mutex's condition
// (net.Net.Wait), as Lemma 1 restricts FINDNEXT to these.

// A lock is a mutex that a goroutine has locked and not unlocked: the condition that the lock
// operation gave. The locks of a goroutine form a list.
type lock struct {
	at   net.Cond
	next int32 // index in locks.list; 0: end of the list
}

type locks struct {
	list   []lock
	of     []int32 // by condition of a goroutine: index in list + 1; 0: not computed
	handed bool    // a goroutine unlocked a mutex that another one had locked

	nested map[net.Value]bool // calls that lock a mutex while holding another one
	unseen int                // number of those that no execution has left blocked
}

func newLocks() locks { return locks{list: make([]lock, 1), nested: map[net.Value]bool{}} }

// locksAt returns the locks that t's goroutine holds, as index in locks.list.
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
		if e := s.net.By(t); s.net.Arcs(e)[0].Cond() == up { // the goroutine's own operation
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

// noteUnlock records whether the goroutine at t unlocks a mutex, at condition y, that it has not
// locked itself.
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

// without returns list i without the lock of a mutex.
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

// held returns the conditions of the mutexes that t's goroutine holds after s.find.
func (s *Strategy) held(t net.Cond) (held []net.Cond) {
	for i := s.locksAt(t); i > 0; i = s.locks.list[i].next {
		if y := s.locks.list[i].at; s.find.Last(s.net.Place(y)) == y {
			held = append(held, y)
		}
	}
	return held
}

// ownerOf returns the object of condition y, nil if y is a goroutine's.
func (s *Strategy) ownerOf(y net.Cond) *object {
	k := s.net.Place(y)
	if int(k) >= len(s.objectOf) || s.objectOf[k] == noObject {
		return nil
	}
	return &s.objects[s.objectOf[k]]
}

// at makes s.find the past of t. It is empty, or a past of t's past, before.
func (s *Strategy) at(t net.Cond) {
	s.find.Grow()
	if !s.find.AddCond(t) || !s.find.Keep(t) {
		panic("unfold: a goroutine's past cannot happen")
	}
}

// deadlocked looks for deadlocks that include t, a new condition.
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

// ended looks for goroutines that wait for a mutex which t's goroutine holds at its end.
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

// locking looks for deadlocks that include t, whose goroutine is about to lock o.
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

// nests records that the goroutine at t locks a mutex while it holds another one.
func (s *Strategy) nests(t net.Cond) {
	if v := s.net.Value(t); s.locksAt(t) != 0 && !s.locks.nested[v] {
		s.locks.nested[v] = true
		if !s.left[v] {
			s.locks.unseen++
		}
	}
}

// leave records that no execution is needed in which call v stays blocked.
func (s *Strategy) leave(v net.Value) {
	if !s.left[v] && s.locks.nested[v] {
		s.locks.unseen--
	}
	s.left[v] = true
}

// circle is SEARCH of Fig. 11: each of set but the last waits for a mutex that the next one holds.
// wanted is the mutex that the first one waits for.
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

// wanting is FINDNEXT: it adds to s.find, one after the other, the goroutines that wait for the
// mutex which is locked at y, and calls f with each. holding: only those that hold a mutex
// themselves.
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

// found records a set of conditions of goroutines that wait for each other, or for one that has
// ended, unless a set with the same calls is known. Their past is in s.find.
func (s *Strategy) found(set []net.Cond) {
	var calls []net.Value
	for _, t := range set {
		calls = append(calls, s.net.Value(t))
	}
	slices.Sort(calls)
	if key := fmt.Sprint(calls); !s.asked[key] && s.contradiction(s.find) == nil { // FILTERUNSAT
		set = slices.Clone(set)
		if !s.canMeet(set) {
			s.joins.stuck = append(s.joins.stuck, set)
			return
		}
		s.asked[key] = true
		s.stuck = append(s.stuck, set)
	}
}

// unseen reports whether one of the calls at a set of conditions was left blocked by no execution.
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

// noteLeft records the calls that the execution has left blocked.
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
	// In an execution that ends by a panic they are no deadlocks.
	s.stuck = slices.DeleteFunc(s.stuck, func(set []net.Cond) bool { return s.reached(set) && s.stayed(set) })
}

// stayed reports whether no event of the execution took a condition of set.
func (s *Strategy) stayed(set []net.Cond) bool {
	return !slices.ContainsFunc(set, func(t net.Cond) bool { return !s.run.Marked(t) })
}

// reached reports whether the conditions of goal were marked together during the execution.
func (s *Strategy) reached(goal []net.Cond) bool {
	for _, t := range goal {
		if by := s.net.By(t); by != net.None && !s.run.Has(by) {
			return false
		}
	}
	return true
}

// reach adds the past of a marking to a configuration. It returns false if they cannot happen
// together.
func reach(in *net.Config, goal []net.Cond) bool {
	for _, t := range goal {
		if !in.AddCond(t) || !in.Keep(t) {
			return false
		}
	}
	return true
}
