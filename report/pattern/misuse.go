package pattern

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"heddle/rt/wire"
	"heddle/trace"
)

// misuse explains operations that the documentation forbids.
func (s *story) misuse() *Match {
	byOp := map[trace.Op]wire.Place{}
	for _, p := range s.f.Places {
		if op, ok := trace.ParseOp(p.Op); ok {
			byOp[op] = p
		}
	}
	if p, ok := byOp[trace.OpSend]; ok {
		return s.sendClosed(p)
	}
	if p, ok := byOp[trace.OpClose]; ok {
		return s.closeTwice(p)
	}
	add, adds := byOp[trace.OpWGAdd]
	if adds && len(s.f.Places) == 1 {
		return s.doneTwice(add)
	}
	if wait, ok := byOp[trace.OpWGWait]; ok && adds {
		return s.addAfterWait(add, wait)
	}
	for _, op := range []trace.Op{trace.OpUnlock, trace.OpRUnlock} {
		if p, ok := byOp[op]; ok {
			return s.unlockTwice(p, op)
		}
	}
	return nil
}

// checked returns the last read of g before act i, in one function with the place p, of something
// that another goroutine has written in one function with the act by.
func (s *story) checked(g string, i int, p wire.Place, by act) (check act, first wire.Place, ok bool) {
	for ; i > 0; i-- {
		a := s.acts[i-1]
		if a.G != g || !isRead(a) {
			continue
		}
		_, written := s.first(0, func(b act) bool {
			return b.G == by.G && b.Obj == a.Obj && isWrite(b) && s.beside(b, by)
		})
		if !written {
			continue
		}
		if first, _, ok = s.source.together(a.Where, p); ok && !samePlace(first, p) {
			if condition, _ := s.source.condition(first); condition != "" {
				return a, first, true
			}
		}
	}
	return check, first, false
}

// beside reports whether one function makes two acts, in any order.
func (s *story) beside(a, b act) bool {
	_, _, before := s.source.together(a.Where, b.Where)
	_, _, after := s.source.together(b.Where, a.Where)
	return before || after
}

// sendClosed explains a send on a channel that another goroutine closes.
func (s *story) sendClosed(p wire.Place) *Match {
	send, sent := s.last(len(s.acts), func(a act) bool {
		return a.op == trace.OpSend && a.G == p.Goroutine && samePlace(a.Where, p) && !failed(a)
	})
	closes, ok := s.last(len(s.acts), func(a act) bool {
		return a.op == trace.OpClose && (sent && a.Obj == send.Obj || !sent && s.name(a) == p.Object)
	})
	if !ok {
		closes, ok = s.last(len(s.acts), func(a act) bool {
			return a.op == trace.OpClose &&
				a.G != p.Goroutine
		})
	}
	if !ok { // closed before the test
		return nil
	}
	if p.Object = cmp.Or(p.Object, s.name(closes)); p.Object == "" {
		return nil
	}
	var sentBy *act
	if sent {
		sentBy = of(send)
	}
	m := &Match{Name: SendClosed, Var: p.Object, Roles: []Role{
		{"send", p.Goroutine, p, sentBy},
		{"close", closes.G, closes.Where, of(closes)}}}
	end := len(s.acts)
	if sent && send.i > closes.i {
		sent = false // the send that failed
	}
	if sent {
		end = send.i
	}
	if m.timerStopped(s, closes, p) {
		return m
	}
	text := fmt.Sprintf("%s sends to `%s` at %s, and %s closes it at %s; nothing makes the close wait for the send, and a send on a closed channel panics.",
		p.Goroutine, m.Var, at(p), closes.G, at(closes.Where))
	if check, first, ok := s.checked(p.Goroutine, end, p, closes); ok {
		condition, _ := s.source.condition(first)
		name := s.name(check)
		m.Roles = append(m.Roles, Role{"check", check.G, first, of(check)})
		text += fmt.Sprintf(" %s checks `%s` at %s before it sends, but %s can set `%s` and close the channel between that check and the send.",
			p.Goroutine, condition, at(first), closes.G, name)
		m.Hint = fmt.Sprintf("hold one mutex from the check to the send, and the same one where `%s` is set and the channel closed; do not wait there: send in a select with default", name)
		if len(check.held) > 0 {
			lock, where := check.held[len(check.held)-1].obj, "and where the channel is closed"
			if m.Lock = s.lock(lock); holds(closes, lock) {
				where = "as the close does"
			}
			m.Hint = fmt.Sprintf("hold %s from the check to the send%s, %s, and do not wait there: send in a select with default", m.Lock, s.inner(check, first), where)
		}
		m.Hint += s.hintDone(m.Var, p, closes)
	} else if _, ok := s.first(0, func(a act) bool {
		return a.op == trace.OpSend && a.G == closes.G && s.name(a) == m.Var
	}); ok {
		text += fmt.Sprintf(" %s closes it after its own sends, and does not know of those of %s.",
			closes.G, p.Goroutine)
		m.Hint = fmt.Sprintf("close `%s` once, when all senders have ended: count them in a WaitGroup, and let one goroutine do `wg.Wait(); close(%s)`", m.Var, m.Var)
	} else if gave, ok := s.gaveBack(p, closes); ok {
		m.Lock = s.lock(gave.Obj)
		text += fmt.Sprintf(" Both have given %s back by then (%s at %s).", m.Lock, p.Goroutine,
			at(gave.Where))
		m.Hint = fmt.Sprintf("do not unlock %s at %s before the send: hold it from where `%s` is looked up to the send; ",
			m.Lock, at(gave.Where), m.Var)
		if s.source.never(p) {
			m.Hint += "the select has a default, so nothing waits there"
		} else {
			m.Hint += "do not wait there: send in a select with default" + s.hintDone(m.Var, p, closes)
		}
	} else {
		m.Hint = fmt.Sprintf("let %s wait until %s has sent (a WaitGroup, or a channel) before it closes `%s`; or let only the sender close it", closes.G, p.Goroutine, m.Var)
	}
	m.Text = text
	return m
}

// gaveBack returns where the goroutine that sends at p unlocks, before it does so in one function,
// what the one that closes unlocks before that, in one function too.
func (s *story) gaveBack(p wire.Place, closes act) (act, bool) {
	before := func(a act, p wire.Place) bool {
		_, _, ok := s.source.together(a.Where, p)
		return ok && (a.op == trace.OpUnlock || a.op == trace.OpRUnlock)
	}
	return s.last(len(s.acts), func(a act) bool {
		if a.G != p.Goroutine || !before(a, p) {
			return false
		}
		_, ok := s.last(closes.i, func(b act) bool {
			return b.G == closes.G && b.Obj == a.Obj && before(b, closes.Where)
		})
		return ok
	})
}

// timerStopped reports whether the send is that of a timer's function, and the goroutine that
// closes has stopped the timer before.
func (m *Match) timerStopped(s *story, closes act, p wire.Place) bool {
	if !strings.HasPrefix(p.Goroutine, "timers/") {
		return false
	}
	stop, ok := s.last(closes.i, func(a act) bool { return a.G == closes.G && a.op == trace.OpTimerStop })
	if !ok {
		return false
	}
	timer := s.name(stop)
	m.Name = TimerClosed
	m.Roles = append(m.Roles, Role{"stop", stop.G, stop.Where, of(stop)})
	m.Text = fmt.Sprintf("%s calls %s.Stop at %s and then closes `%s` at %s, but the timer had fired already: its function runs as %s and sends to `%s` at %s. Stop does not wait for a function that has begun.",
		closes.G, timer, at(stop.Where), m.Var, at(closes.Where), p.Goroutine, m.Var, at(p))
	lock := "one mutex"
	if len(closes.held) > 0 {
		m.Lock = s.lock(closes.held[len(closes.held)-1].obj)
		lock = m.Lock
	}
	m.Hint = fmt.Sprintf("set a flag where `%s` is closed, under %s, and let the function look at the flag and send under %s too; do not wait there: send in a select with default%s. The result of Stop alone does not help, as the function may be in its middle", m.Var, lock, lock, s.hintDone(m.Var, p, closes))
	return true
}

// hintDone is the way without a close of the channel to which others send: no lock is held while a
// goroutine waits to send.
func (s *story) hintDone(name string, send wire.Place, closes act) string {
	text := s.source.statement(send)
	if text == "" || !strings.HasPrefix(text, name+" <- ") {
		text = name + " <- ..."
	}
	return fmt.Sprintf("; or, if no value may be dropped, close a channel `done` in place of `%s` at %s, send in `select { case %s: case <-done: }`, and let the receiver end at `<-done` too",
		name, at(closes.Where), text)
}

// inner says which function takes the lock of an act by itself, if it is called at first.
func (s *story) inner(a act, first wire.Place) string {
	f := s.source.function(a.Where)
	if f == nil || f.name == "" || samePlace(a.Where, first) {
		return ""
	}
	return fmt.Sprintf(" (%s locks it too: use the field itself there)", f.name)
}

// closeTwice explains the close of a closed channel.
func (s *story) closeTwice(p wire.Place) *Match {
	closed, ok := s.last(len(s.acts), func(a act) bool {
		return a.op == trace.OpClose && !failed(a) && (s.name(a) == p.Object || samePlace(a.Where, p))
	})
	if !ok || p.Object == "" {
		return nil
	}
	m := &Match{Name: CloseTwice, Var: p.Object, Roles: []Role{
		{"first", closed.G, closed.Where, of(closed)},
		{"second", p.Goroutine, p, nil}}}
	m.Text = fmt.Sprintf("%s closed `%s` at %s, and %s closed it again at %s.", closed.G, m.Var,
		at(closed.Where), p.Goroutine, at(p))
	if look, ok := s.last(closed.i, func(a act) bool {
		return a.G == p.Goroutine && a.op == trace.OpSelect && a.Arg < 0 && strings.Contains(a.Where.Object,
			"<-"+m.Var)
	}); ok {
		m.Text += fmt.Sprintf(" %s had looked whether it was closed (the select at %s), but that was before %s closed it.",
			p.Goroutine, at(look.Where), closed.G)
		m.Roles = append(m.Roles, Role{"check", look.G, look.Where, of(look)})
	} else if check, first, ok := s.checked(p.Goroutine, len(s.acts), p, closed); ok {
		condition, _ := s.source.condition(first)
		m.Text += fmt.Sprintf(" %s had checked `%s` at %s, but that was before %s set `%s`.", p.Goroutine,
			condition, at(first), closed.G, s.name(check))
		m.Roles = append(m.Roles, Role{"check", check.G, first, of(check)})
	}
	m.Hint = fmt.Sprintf("close it through a sync.Once: `once.Do(func() { close(%s) })`, or check and close under one mutex", m.Var)
	return m
}

// unlockTwice explains the unlock of a lock that is not locked.
func (s *story) unlockTwice(p wire.Place, op trace.Op) *Match {
	before, ok := s.last(len(s.acts), func(a act) bool {
		return a.G == p.Goroutine && a.op == op &&
			!failed(a)
	})
	if !ok {
		return nil
	}
	locked, ok := s.last(before.i, func(a act) bool {
		return a.G == p.Goroutine && a.Obj == before.Obj &&
			a.op != op
	})
	if !ok {
		return nil
	}
	name := s.lock(before.Obj)
	m := &Match{Name: UnlockTwice, Lock: name, Var: name, Roles: []Role{
		{"lock", locked.G, locked.Where, of(locked)},
		{"unlock", before.G, before.Where, of(before)}, {"again", p.Goroutine, p, nil}}}
	m.Text = fmt.Sprintf("%s locked %s at %s and unlocked it at %s; then ", p.Goroutine, name,
		at(locked.Where), at(before.Where))
	m.Hint = fmt.Sprintf("unlock %s once on every path", name)
	if d, ok := s.source.deferUnlock(p, name); !ok {
		m.Text += fmt.Sprintf("it unlocked it again at %s", at(p))
	} else {
		m.Text += fmt.Sprintf("the deferred Unlock of %s unlocked it again", at(d))
		if !samePlace(d, p) {
			m.Text += fmt.Sprintf(", at the return at %s", at(p))
		}
		m.Hint = fmt.Sprintf("remove the Unlock at %s: the deferred one at %s unlocks on every path",
			at(before.Where), at(d))
		if samePlace(before.Where, d) {
			m.Hint = fmt.Sprintf("unlock %s once on every path: by the deferred Unlock alone", name)
		}
	}
	m.Text += "."
	return m
}

// addAfterWait explains an Add that is not ordered with a Wait.
func (s *story) addAfterWait(add, wait wire.Place) *Match {
	is := func(p wire.Place, op trace.Op) func(a act) bool {
		return func(a act) bool { return a.G == p.Goroutine && a.op == op && samePlace(a.Where, p) }
	}
	adds, ok := s.last(len(s.acts), is(add, trace.OpWGAdd))
	waits, also := s.last(len(s.acts), is(wait, trace.OpWGWait))
	if !ok || !also || add.Object == "" {
		return nil
	}
	m := &Match{Name: AddAfterWait, Var: add.Object, Roles: []Role{
		{"add", adds.G, add, of(adds)},
		{"wait", waits.G, wait, of(waits)}}}
	if check, first, ok := s.checked(adds.G, adds.i, add, waits); ok {
		condition, _ := s.source.condition(first)
		name := s.name(check)
		m.Roles = append(m.Roles, Role{"check", check.G, first, of(check)})
		m.Text = fmt.Sprintf("%s checked `%s` at %s and called %s.Add at %s; %s can set `%s` and call %s.Wait (%s) between the two. The counter is 0 there, so Wait returns although %s goes on.",
			adds.G, condition, at(first), m.Var, at(add), waits.G, name, m.Var, at(wait), adds.G)
		m.Hint = fmt.Sprintf("check `%s` and call Add under one mutex, and set it under the same mutex before Wait", name)
		if len(check.held) > 0 {
			m.Lock = s.lock(check.held[len(check.held)-1].obj)
			m.Hint = fmt.Sprintf("call %s.Add while %s is still held from the check of `%s`, and unlock after it", m.Var, m.Lock, name)
		}
		m.Hint += s.hintDones(adds)
		return m
	}
	if round, ok := s.last(adds.i, func(a act) bool {
		return a.G == adds.G && a.Obj == adds.Obj &&
			a.op == trace.OpWGWait
	}); ok && waits.G != adds.G {
		m.Name = Reuse
		m.Text = fmt.Sprintf("%s waited for `%s` at %s and then called Add on it again, at %s, for the next round; %s also waits for it, at %s, and nothing says for which of the two rounds: it may return after the first, wait for the second too, or panic (\"WaitGroup is reused before previous Wait has returned\").",
			adds.G, m.Var, at(round.Where), at(add), waits.G, at(wait))
		m.Hint = fmt.Sprintf("use a new WaitGroup for every round: call its Adds first, and then hand it over under a lock, which the goroutine that waits (%s) takes to get it; or let the next Add come only after every Wait of the round before has returned", at(wait))
		return m
	}
	m.Text = fmt.Sprintf("%s calls %s.Add at %s, when it runs; %s calls %s.Wait at %s and does not wait for that Add. If Wait comes first the counter is still 0, and it returns at once.",
		adds.G, m.Var, at(add), waits.G, m.Var, at(wait))
	m.Hint = fmt.Sprintf("call %s.Add before Wait can be called", m.Var)
	start, ok := s.last(len(s.acts), func(a act) bool { return a.op == trace.OpGo && a.Child == adds.G })
	started := ok && start.Where.File != "" && s.source.inModule(start.Where)
	if unlock, ok := s.sharedBefore(adds, waits); ok {
		m.Lock = s.lock(unlock.Obj)
		m.Roles = append(m.Roles, Role{"unlock", unlock.G, unlock.Where, of(unlock)})
		m.Hint = fmt.Sprintf("call %s.Add while %s is held: before the unlock at %s, so that it comes before what %s does under the lock", m.Var, m.Lock, at(unlock.Where), waits.G)
	} else if started && start.G == waits.G {
		m.Roles = append(m.Roles, Role{"go", start.G, start.Where, of(start)})
		m.Hint = fmt.Sprintf("call %s.Add(1) before the go statement at %s, and not in the goroutine; or start it with %s.Go, which does both Add and Done", m.Var, at(start.Where), m.Var)
	} else if started {
		m.Roles = append(m.Roles, Role{"go", start.G, start.Where, of(start)})
		m.Hint = fmt.Sprintf("call %s.Add before the go statement at %s, in an order with Wait: before %s can come to %s", m.Var, at(start.Where), waits.G, at(wait))
	}
	m.Hint += s.hintDones(adds)
	return m
}

// sharedBefore looks for a lock that the goroutine of an Add has unlocked before it, in the same
// function, and that the goroutine of the Wait has held too: that unlock.
func (s *story) sharedBefore(add, wait act) (unlock act, ok bool) {
	return s.last(add.i, func(a act) bool {
		if a.G != add.G || a.op != trace.OpUnlock && a.op != trace.OpRUnlock || failed(a) {
			return false
		}
		_, _, same := s.source.together(a.Where, add.Where)
		_, held := s.first(0, func(b act) bool {
			return b.G == wait.G && b.Obj == a.Obj && (b.op == trace.OpLock || b.op == trace.OpRLock)
		})
		return same && held
	})
}

// names returns the goroutines of acts, each once.
func names(as []act) (gs []string) {
	for _, a := range as {
		if !slices.Contains(gs, a.G) {
			gs = append(gs, a.G)
		}
	}
	return gs
}
