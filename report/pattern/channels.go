package pattern

import (
	"fmt"
	"slices"
	"strings"

	"heddle/rt/wire"
	"heddle/trace"
)

// Goroutines that wait at a channel at which no other goroutine comes any more.

// dropped explains a goroutine that waits to receive what another one has offered by a select with
// default.
func (s *story) dropped(w act) *Match {
	if w.op != trace.OpRecv || w.Where.Object == "" {
		return nil
	}
	name := w.Where.Object
	drop, ok := s.last(len(s.acts), func(a act) bool {
		return a.G != w.G && a.op == trace.OpSelect && a.Arg < 0 && strings.Contains(a.Where.Object,
			name+"<-")
	})
	if !ok {
		return nil
	}
	m := &Match{Name: SignalLost, Var: name, Roles: []Role{
		{"wait", w.G, w.Where, of(w)},
		{"signal", drop.G, drop.Where, of(drop)}}}
	m.Text = fmt.Sprintf("%s offered a value to `%s` in the select at %s when no goroutine was receiving yet, so it took `default` and the value was dropped; %s came to receive from `%s` at %s after that, and waits for ever.",
		drop.G, name, at(drop.Where), w.G, name, at(w.Where))
	m.Hint = fmt.Sprintf("give `%s` room for one value, so that the signal is kept until it is received",
		name)
	if p, text := s.source.making(w.Where, name); strings.HasSuffix(text, ")") && !strings.Contains(text,
		",") {
		m.Hint = fmt.Sprintf("give `%s` room for one value, so that the signal is kept until it is received: `%s, 1)` at %s", name, strings.TrimSuffix(text, ")"), at(p))
	}
	return m
}

// offered tells of a test that fails after a value was offered to a channel that had no room for
// it, in a select with default.
func (s *story) offered() *Match {
	name := ""
	drop, ok := s.last(len(s.acts), func(a act) bool {
		if a.op != trace.OpSelect || a.Arg >= 0 {
			return false
		}
		for c := range strings.SplitSeq(a.Where.Object, ", ") {
			if to, sends := strings.CutSuffix(c, "<-"); sends {
				name = to
				return true
			}
		}
		return false
	})
	if !ok || s.f.Kind != "test failure" {
		return nil
	}
	m := &Match{Name: Dropped, Var: name, Roles: []Role{{"offer", drop.G, drop.Where, of(drop)}}}
	m.Text = fmt.Sprintf("%s offered a value to `%s` in the select at %s when no goroutine was receiving and there was no room, so it took `default`: the value was dropped.",
		drop.G, name, at(drop.Where))
	m.Hint = fmt.Sprintf("wait for room where no value may be lost: send to `%s` without `default`, or give it room for all values", name)
	return m
}

// stopped explains a goroutine that waits for a ticker or timer that was stopped.
func (s *story) stopped(w act) *Match {
	stop, ok := s.last(len(s.acts), func(a act) bool {
		return a.op == trace.OpTimerStop && s.name(a) != "" && w.Where.Object == s.name(a)+".C"
	})
	if !ok || w.op != trace.OpRecv {
		return nil
	}
	m := &Match{Name: StoppedTicker, Var: w.Where.Object, Roles: []Role{
		{"wait", w.G, w.Where, of(w)},
		{"stop", stop.G, stop.Where, of(stop)}}}
	m.Text = fmt.Sprintf("%s receives from `%s` at %s; %s stopped it at %s. Stop does not close the channel, so the receive waits for ever and the goroutine is left behind.",
		w.G, m.Var, at(w.Where), stop.G, at(stop.Where))
	m.Hint = fmt.Sprintf("tell the goroutine to end: a channel that is closed where %s is stopped (%s), and a select at %s of `<-%s` and that channel. Close it through a sync.Once if that place can be reached twice: a second close panics", s.name(stop), at(stop.Where), at(w.Where), m.Var)
	return m
}

// notWatched explains a goroutine that waits at a channel beside a context that was cancelled.
func (s *story) notWatched(w act) *Match {
	if w.op != trace.OpSend && w.op != trace.OpRecv || w.Where.Object == "" {
		return nil
	}
	ctx := s.source.context(w.Where)
	cancel, ok := s.first(0, func(a act) bool {
		return (isWrite(a) || a.op == trace.OpClose) && a.G != w.G &&
			strings.HasSuffix(a.Where.File, "/context/context.go")
	})
	if ctx == "" || !ok || s.source.caseOf(w.Where, ctx+".Done()") {
		return nil
	}
	statement := s.source.statement(w.Where)
	what := "send to"
	if w.op == trace.OpRecv {
		what = "receive from"
	}
	m := &Match{Name: NotWatched, Var: w.Where.Object, Roles: []Role{{"wait", w.G, w.Where, of(w)}}}
	where := ""
	if cancel.Call != nil {
		where = " at " + at(*cancel.Call)
		m.Roles = append(m.Roles, Role{"cancel", cancel.G, *cancel.Call, of(cancel)})
	}
	m.Text = fmt.Sprintf("%s waits to %s `%s` at %s, and no other goroutine uses that channel any more. %s cancelled the context%s, but %s does not look at %s.Done() while it waits there.",
		w.G, what, m.Var, at(w.Where), cancel.G, where, w.G, ctx)
	if statement == "" || strings.Contains(statement, "for ") {
		statement = "..."
	}
	m.Hint = fmt.Sprintf("wait for both at %s: `select { case %s: ... case <-%s.Done(): return }`",
		at(w.Where), statement, ctx)
	if w.op == trace.OpSend && !s.source.inLoop(w.Where) {
		m.Hint = s.room([]act{w}) + "; or " + m.Hint
	}
	return m
}

func (s *story) leakedSender(ws []act) *Match {
	w := ws[0]
	name := w.Where.Object
	if w.op != trace.OpSend || name == "" {
		return nil
	}
	m := &Match{Name: LeakedSender, Var: name, Roles: []Role{{"wait", w.G, w.Where, of(w)}}}
	if p, call, ok := s.ownReceiver(w); ok {
		m.Roles = append(m.Roles, Role{"call", w.G, call, of(w)})
		m.Text = fmt.Sprintf("%s waits to send to `%s` at %s. It is the goroutine that receives from `%s`, at %s, and has come here from there, by the call at %s: it waits for itself.",
			w.G, name, at(w.Where), name, at(p), at(call))
		m.Hint = fmt.Sprintf("do not come to %s from the goroutine that receives at %s: let another one do that, or close `%s` in place of the send, which waits for no receiver",
			at(w.Where), at(p), name)
		return m
	}
	m.Text = fmt.Sprintf("%s %s to send to `%s` at %s, and no goroutine is left that receives from it.",
		some(names(ws)), wait(ws), name, at(w.Where))
	if sel, c, ok := s.gaveUp(w, name); ok {
		m.Text += fmt.Sprintf(" %s waited for the value in the select at %s, took the case `%s`, and went on.", sel.G, at(sel.Where), c)
		m.Roles = append(m.Roles, Role{"receiver", sel.G, sel.Where, of(sel)})
	} else if got, ok := s.last(len(s.acts), func(a act) bool {
		return a.Obj == w.Obj &&
			a.op == trace.OpRecv
	}); ok {
		m.Text += fmt.Sprintf(" %s received from it at %s, and does not come back for another value.",
			got.G, at(got.Where))
		m.Roles = append(m.Roles, Role{"receiver", got.G, got.Where, of(got)})
	} else {
		s.never(m, w)
	}
	if s.source.inLoop(w.Where) && !s.source.leaves(w.Where) {
		m.Hint = fmt.Sprintf("let the sender end when nothing receives any more: at %s, a select of the send and of a channel that the receiver closes when it goes (or of ctx.Done())", at(w.Where))
		return m
	}
	m.Hint = s.room(ws) + "; or send in a select beside a channel that says that nothing is wanted any more"
	if s.source.statement(w.Where) == name+" <- struct{}{}" && len(names(ws)) == 1 &&
		(s.source.leaves(w.Where) || !s.source.startedInLoop(w.Where)) {
		m.Hint = fmt.Sprintf("`close(%s)` in place of the send at %s: a close waits for no receiver", name, at(w.Where))
	}
	return m
}

// ownReceiver returns where a goroutine that waits to send would receive from that channel itself,
// and the call that led it from that function to the send.
func (s *story) ownReceiver(w act) (p, call wire.Place, ok bool) {
	for _, st := range s.f.Stacks {
		for i, fr := range st.Frames {
			f := s.source.function(fr)
			if st.Goroutine != w.G || i == 0 || f == nil {
				continue
			}
			if p, ok = s.source.receivesAfter(f, 0, w.Where.Object); ok {
				fr.Object = s.source.statement(fr)
				return p, fr, true
			}
		}
	}
	return p, call, false
}

// never tells of a channel with a buffer from which nothing was received: which send filled it.
func (s *story) never(m *Match, w act) {
	full, ok := s.last(len(s.acts), func(a act) bool { return a.Obj == w.Obj && a.op == trace.OpSend })
	if !ok {
		return
	}
	m.Text += fmt.Sprintf(" Nothing has ever received from this channel: the send by %s at %s filled its buffer.",
		full.G, at(full.Where))
	m.Roles = append(m.Roles, Role{"filled", full.G, full.Where, of(full)})
}

// room is the hint to give a channel a buffer for all that goroutines send to it.
func (s *story) room(ws []act) string {
	w, name := ws[0], ws[0].Where.Object
	senders := names(slices.DeleteFunc(slices.Clone(s.acts), func(a act) bool {
		return a.Obj != w.Obj ||
			a.op != trace.OpSend
	}))
	for _, x := range ws {
		if !slices.Contains(senders, x.G) {
			senders = append(senders, x.G)
		}
	}
	room, example := "one value for each sender", "n"
	if len(senders) == 1 && !s.source.startedInLoop(w.Where) {
		room, example = "one value", "1"
	}
	hint := fmt.Sprintf("give `%s` room for %s, so that a send ends although nothing receives", name, room)
	p, text := s.source.making(w.Where, name)
	if text == "" || strings.Contains(text, ",") {
		return hint
	}
	hint += fmt.Sprintf(": `%s, %s)` at %s", strings.TrimSuffix(text, ")"), example, at(p))
	if example == "n" {
		hint += ", where n is how many send"
	}
	return hint
}

func wait(ws []act) string {
	if len(names(ws)) == 1 {
		return "waits"
	}
	return "wait"
}

// gaveUp returns the end of a select with a receive from the channel that took another case.
func (s *story) gaveUp(w act, name string) (sel act, c string, ok bool) {
	for _, a := range slices.Backward(s.acts) {
		if a.G == w.G || a.Obj == w.Obj || a.op != trace.OpRecv && a.op != trace.OpSelect ||
			!strings.Contains(a.Where.Object, "<-") || a.op == trace.OpSelect && a.Arg < 0 {
			continue
		}
		cases := s.source.Cases(a.Where.File, a.Where.Line)
		i := slices.IndexFunc(cases, func(text string) bool { return received(text) == name })
		if _, chosen, ok := s.selected(a); ok && i >= 0 && chosen != i {
			return a, cases[chosen], true
		}
		if i >= 0 && len(cases) == 2 {
			return a, cases[1-i], true
		}
	}
	return sel, "", false
}

func (s *story) leakedReceiver(ws []act) *Match {
	w := ws[0]
	name := w.Where.Object
	if w.op != trace.OpRecv || name == "" {
		return nil
	}
	m := &Match{Name: LeakedRecv, Var: name, Roles: []Role{{"wait", w.G, w.Where, of(w)}}}
	m.Text = fmt.Sprintf("%s %s to receive from `%s` at %s, and no goroutine is left that sends to it or closes it", some(names(ws)), wait(ws), name, at(w.Where))
	if s.f.Kind == "deadlock" {
		joins := func(v act) bool { return v.op == trace.OpWGWait && v.Where.Object != "" }
		i := slices.IndexFunc(s.waits, joins)
		if i < 0 || len(names(s.waits)) != len(ws)+1 ||
			s.counter(s.waits[i].Obj) != len(ws) { // it may wait for something else
			return nil
		}
		join := s.placed(s.waits[i])
		m.Roles = append(m.Roles, Role{"join", join.G, join.Where, of(join)})
		m.Text += fmt.Sprintf(": %s waits for `%s` at %s", join.G, join.Where.Object, at(join.Where))
	}
	m.Text += "."
	if sent, ok := s.last(len(s.acts), func(a act) bool {
		return a.Obj == w.Obj &&
			a.op == trace.OpSend
	}); ok {
		m.Text += fmt.Sprintf(" %s sent the last value at %s.", sent.G, at(sent.Where))
		m.Roles = append(m.Roles, Role{"sender", sent.G, sent.Where, of(sent)})
	}
	if p, ok := s.source.closing(w.Where, name); ok {
		m.Text += fmt.Sprintf(" `close(%s)` at %s was not reached.", name, at(p))
		m.Hint = s.hintClose(name, p)
		m.Roles = append(m.Roles, Role{"close", "", p, nil})
		return m
	}
	if s.f.Early != "" || strings.HasSuffix(name, ")") {
		// The sender came too early, by a timer; or each call returns a channel of its own.
		return m
	}
	m.Hint = fmt.Sprintf("close `%s` when no more values come, so that the receive ends", name)
	if s.f.Kind == "deadlock" {
		m.Hint += fmt.Sprintf(": before %s", at(m.Roles[1].Where))
		if len(m.Roles) > 2 && len(ws) > 1 {
			m.Hint += ". A send lets one of them go on, a close all"
		}
	}
	return m
}

// hintClose says how to reach the close of a channel at p on every path. A deferred close comes
// after all that its function waits for.
func (s *story) hintClose(name string, p wire.Place) string {
	f := s.source.function(p)
	if f == nil {
		return fmt.Sprintf("close `%s` when no more values come, also where %s is not reached", name, at(p))
	}
	call := fmt.Sprintf("close(%s)", name)
	made, _ := s.source.making(p, name)
	here := made.File != "" && s.source.function(made) != nil && s.source.function(made).body == f.body
	from := s.source.Line(f.body.Pos())
	if here {
		from = made.Line
	}
	returns, _ := s.source.bare(f, from, call)
	returns = before(returns, p.Line)
	closes, top := s.source.calls(f, call)
	wait, waits := s.source.waitsAfter(f, p.Line)
	switch {
	case len(returns) == 0:
		return fmt.Sprintf("close `%s` when no more values come, also where %s is not reached", name, at(p))
	case waits:
		return fmt.Sprintf("close `%s` before the return at %s too, and not only at %s. A deferred close would be too late: %s waits before it runs",
			name, ats(returns), at(p), at(wait))
	case here && top && len(closes) == 1:
		return fmt.Sprintf("close `%s` also where the return at %s is taken: `defer %s` right after it is made at %s, in place of %s",
			name, ats(returns), call, at(made), at(p))
	case top && len(closes) == 1:
		return fmt.Sprintf("close `%s` also where the return at %s is taken: `defer %s` at the beginning of that function, in place of %s",
			name, ats(returns), call, at(p))
	}
	return fmt.Sprintf("close `%s` before the return at %s too", name, ats(returns))
}
