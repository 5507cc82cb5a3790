package pattern

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"heddle/rt/wire"
	"heddle/trace"
)

// waiting explains goroutines that can never go on by what they wait for.
func (s *story) waiting() *Match {
	var ws []act
	for _, w := range s.waits {
		if slices.ContainsFunc(s.f.Places, func(p wire.Place) bool { return p.Goroutine == w.G }) {
			ws = append(ws, s.placed(w))
		}
	}
	for _, recognise := range []func(w act) *Match{s.onceInOnce, s.readLockTwice, s.lockTwice, s.nilChannel,
		s.ownGroup} {
		for _, w := range ws {
			if m := recognise(w); m != nil {
				return m
			}
		}
	}
	if m := s.lockOrder(ws); m != nil {
		return m
	}
	for _, recognise := range []func(w act) *Match{s.missingUnlock, s.missingDone, s.notReleased,
		s.lockHeld, s.signal, s.dropped,
		s.stopped,
		s.notWatched} {
		for _, w := range ws {
			if m := recognise(w); m != nil {
				return m
			}
		}
	}
	for _, recognise := range []func([]act) *Match{s.crossed, s.receivesLate} {
		if m := recognise(ws); m != nil {
			return m
		}
	}
	ws = slices.DeleteFunc(ws, func(w act) bool { return w.op == trace.OpWGWait || s.behind(w, ws) })
	if len(ws) == 0 || len(names(ws)) != len(ws) || slices.ContainsFunc(ws,
		func(w act) bool { return w.Obj != ws[0].Obj || w.op != ws[0].op }) {
		return nil
	}
	if m := s.leakedSender(ws); m != nil {
		return m
	}
	return s.leakedReceiver(ws)
}

// crossed explains two goroutines each of which sends before it receives.
func (s *story) crossed(ws []act) *Match {
	var sends, recvs []act
	for _, w := range ws {
		f := s.source.function(w.Where)
		if w.op != trace.OpSend || w.Where.Object == "" || f == nil {
			continue
		}
		if p, ok := s.source.receivesAfter(f, w.Where.Line, ""); ok {
			sends, recvs = append(sends, w), append(recvs, act{Event: &wire.Event{Where: p}})
		}
	}
	if len(sends) != 2 || sends[0].Obj == sends[1].Obj || sends[0].G == sends[1].G {
		return nil
	}
	a, b := sends[0], sends[1]
	m := &Match{Name: BothSend, Var: a.Where.Object, Roles: []Role{{"send", a.G, a.Where, of(a)},
		{"send", b.G, b.Where, of(b)}}}
	m.Text = fmt.Sprintf("%s waits to send to `%s` at %s, and %s waits to send to `%s` at %s, which is another channel. Each comes to its receive (%s) only after its own send, so neither receives.",
		a.G, a.Where.Object, at(a.Where), b.G, b.Where.Object, at(b.Where), both(recvs[0], recvs[1]))
	m.Hint = "let one of the two receive before it sends, or give the channels room for the values that are on their way: `make(chan T, 1)`"
	return m
}

// receivesLate explains goroutines that wait to send what another one would receive later: it waits
// for something else before that.
func (s *story) receivesLate(ws []act) *Match {
	var late act
	var p wire.Place
	var sends []act
	for _, w := range ws {
		if w.op != trace.OpSend || w.Where.Object == "" {
			continue
		}
		for _, v := range ws {
			f := s.source.function(v.Where)
			if v.G == w.G || v.Obj == w.Obj || v.op != trace.OpSend && v.op != trace.OpWGWait ||
				v.Where.Object == "" || f == nil || v.Where.File != w.Where.File {
				continue
			}
			if q, ok := s.source.receivesAfter(f, v.Where.Line, w.Where.Object); ok {
				late, p = v, q
				sends = append(sends, w)
				break
			}
		}
	}
	if len(sends) == 0 || slices.ContainsFunc(sends, func(w act) bool { return w.Obj != sends[0].Obj }) {
		return nil
	}
	w := sends[0]
	m := &Match{Name: LeakedSender, Var: w.Where.Object, Roles: []Role{{"wait", w.G, w.Where, of(w)},
		{"late", late.G, late.Where, of(late)}}}
	m.then(p, late, "receive (not reached)")
	doing, hint := fmt.Sprintf("waits to send to `%s`", late.Where.Object),
		fmt.Sprintf("send to `%s` in a goroutine of its own, so that %s comes to %s meanwhile", late.Where.Object, late.G, at(p))
	if late.op == trace.OpWGWait {
		doing = fmt.Sprintf("waits for `%s`", late.Where.Object)
		hint = fmt.Sprintf("receive before %s.Wait returns: let a goroutine of its own do `%s.Wait(); close(%s)`, and receive until the channel is closed", late.Where.Object, late.Where.Object, m.Var)
	}
	m.Text = fmt.Sprintf("%s %s to send to `%s` at %s. %s would receive that at %s, but %s at %s before.",
		some(names(sends)), wait(sends), m.Var, at(w.Where), late.G, at(p), doing, at(late.Where))
	m.Hint = hint
	if q, text := s.source.making(w.Where, m.Var); text != "" && !strings.Contains(text, ",") {
		m.Hint += fmt.Sprintf("; or give `%s` room for all values: `%s, n)` at %s", m.Var,
			strings.TrimSuffix(text, ")"), at(q))
	}
	return m
}

// behind reports whether w waits for another one of those that wait: it has sent to w's goroutine,
// or received from it, over the channel at which w waits.
func (s *story) behind(w act, ws []act) bool {
	other := trace.OpRecv
	if w.op == trace.OpRecv {
		other = trace.OpSend
	} else if w.op != trace.OpSend {
		return false
	}
	_, ok := s.first(0, func(a act) bool {
		return a.Obj == w.Obj && a.op == other && a.G != w.G &&
			slices.ContainsFunc(ws, func(v act) bool {
				return v.G == a.G && v.Obj != w.Obj && !(v.op == trace.OpWGWait && w.op == trace.OpRecv)
			})
	})
	return ok
}

// placed gives a leftover the place at which the finding has it.
func (s *story) placed(w act) act {
	for _, p := range s.f.Places {
		if p.Goroutine == w.G {
			e := *w.Event
			e.Where = p
			if op, ok := trace.ParseOp(p.Op); ok && p.Op != "" {
				w.op = op
			}
			w.Event = &e
		}
	}
	return w
}

// isLockWait reports whether w waits for a lock.
func (s *story) isLockWait(w act) bool {
	switch w.op {
	case trace.OpLock, trace.OpRLock:
		return true
	case trace.OpArrive:
		return strings.Contains(w.Object, "utex") // of a Mutex or RWMutex
	}
	return false
}

// holder returns a goroutine that holds a lock at the end, and since which act.
func (s *story) holder(obj int) (g string, h hold, ok bool) {
	last := map[string]act{}
	var order []string
	for _, a := range s.acts {
		if _, ok := last[a.G]; !ok {
			order = append(order, a.G)
		}
		last[a.G] = a
	}
	for _, g := range order {
		for _, h := range s.after(last[g]) {
			if h.obj == obj {
				return g, h, true
			}
		}
	}
	return "", h, false
}

// own returns what w's goroutine holds of the lock that it waits for.
func (s *story) own(w act) (h hold, ok bool) {
	for _, h := range w.held {
		if h.obj == w.Obj && w.Obj != 0 {
			return h, true
		}
	}
	return h, false
}

func (s *story) onceInOnce(w act) *Match {
	if w.op != trace.OpOnce {
		return nil
	}
	do, ok := s.last(len(s.acts), func(a act) bool {
		return a.G == w.G && a.Obj == w.Obj &&
			a.op == trace.OpOnce
	})
	if !ok {
		return nil
	}
	if _, done := s.first(do.i, func(a act) bool {
		return a.Obj == w.Obj &&
			a.op == trace.OpOnceDone
	}); done {
		return nil
	}
	name := s.named(do, w.Where.Object)
	m := &Match{Name: OnceInOnce, Var: name, Roles: []Role{
		{"first", do.G, do.Where, of(do)},
		{"second", w.G, w.Where, of(w)}}}
	m.Text = fmt.Sprintf("%s runs the function of %s.Do (%s), and that function calls %s.Do again", w.G,
		name, at(do.Where), name)
	for _, st := range s.f.Stacks {
		if st.Goroutine == w.G && len(st.Frames) > 1 {
			for _, fr := range st.Frames[1:] {
				if s.source.inModule(fr) && !samePlace(fr, do.Where) && fr.Line != 0 {
					m.Text += fmt.Sprintf(", through %s", at(fr))
					m.Roles = append(m.Roles, Role{"through", w.G, fr, of(w)})
					break
				}
			}
		}
	}
	m.Text += ". The inner call waits for the outer one to end, which waits for the inner one."
	m.Hint = fmt.Sprintf("do not come back to %s.Do from the function that it runs: do there what is needed without the call", name)
	if len(m.Roles) > 2 {
		m.Hint += fmt.Sprintf(" at %s", at(m.Roles[2].Where))
	}
	return m
}

func (s *story) readLockTwice(w act) *Match {
	h, ok := s.own(w)
	if !ok || !h.shared || w.op == trace.OpLock {
		return nil
	}
	writer := slices.IndexFunc(s.waits, func(v act) bool { return v.G != w.G && v.Obj == w.Obj })
	if writer < 0 {
		return nil
	}
	v := s.placed(s.waits[writer])
	took := s.acts[h.since].Where
	m := &Match{Name: ReadLockTwice, Lock: s.lock(w.Obj), Var: s.lock(w.Obj), Roles: []Role{
		{"first", w.G, took, of(s.acts[h.since])},
		{"second", w.G, w.Where, of(w)}, {"writer", v.G, v.Where, of(v)}}}
	m.Text = fmt.Sprintf("%s holds %s for reading (RLock at %s) and calls RLock again at %s. In between %s called Lock at %s: a writer that waits keeps new readers out, so %s waits for %s, which waits for %s to unlock.",
		w.G, m.Lock, at(took), at(w.Where), v.G, at(v.Where), w.G, v.G, w.G)
	m.Hint = fmt.Sprintf("take the read lock once: under the RLock of %s do not call what locks %s again",
		at(took), m.Lock)
	if f := s.source.function(w.Where); f != nil && f.name != "" {
		m.Hint += fmt.Sprintf("; give %s a version for callers that hold the lock", f.name)
	}
	return m
}

func (s *story) lockTwice(w act) *Match {
	h, ok := s.own(w)
	if !ok || !s.isLockWait(w) {
		return nil
	}
	took := s.acts[h.since].Where
	m := &Match{Name: LockTwice, Lock: s.lock(w.Obj), Var: s.lock(w.Obj), Roles: []Role{
		{"first", w.G, took, of(s.acts[h.since])},
		{"second", w.G, w.Where, of(w)}}}
	m.Text = fmt.Sprintf("%s holds %s since %s and locks it again at %s. A lock does not know which goroutine holds it, so %s waits for itself.",
		w.G, m.Lock, at(took), at(w.Where), w.G)
	m.Hint = fmt.Sprintf("lock %s in one of the two places only", m.Lock)
	if call, text, ok := s.calledUnder(took, w); ok {
		m.Roles = append(m.Roles, Role{"call", w.G, call, of(w)})
		m.Text = fmt.Sprintf("%s holds %s since %s and calls `%s` at %s, which leads to %s: that locks %s again. A lock does not know which goroutine holds it, so %s waits for itself.",
			w.G, m.Lock, at(took), text, at(call), at(w.Where), m.Lock, w.G)
		m.Hint = fmt.Sprintf("do not call `%s` at %s while %s is held: copy what the call needs under the lock, unlock, and call then", text, at(call), m.Lock)
	}
	if f := s.source.function(w.Where); f != nil && f.name != "" && !samePlace(took, w.Where) {
		m.Hint = fmt.Sprintf("do not call %s, which locks %s, while %s is held; or give it a version that does not lock", f.name, m.Lock, m.Lock)
	}
	if h.shared && w.op != trace.OpRLock {
		m.Text = fmt.Sprintf("%s holds %s for reading since %s and locks it for writing at %s. A read lock does not become a write lock: Lock waits until all readers have left, and %s is one of them.",
			w.G, m.Lock, at(took), at(w.Where), w.G)
		m.Hint = fmt.Sprintf("call RUnlock before %s, and look again under the write lock whether there is still something to do; or take Lock in place of RLock at %s, and do not lock again at %s",
			at(w.Where), at(took), at(w.Where))
	}
	return m
}

// calledUnder returns the call by which the function that took a lock came to the function at w.
func (s *story) calledUnder(took wire.Place, w act) (call wire.Place, text string, ok bool) {
	f := s.source.function(took)
	for _, st := range s.f.Stacks {
		for _, p := range st.Frames {
			g := s.source.function(p)
			if st.Goroutine == w.G && f != nil && g != nil && g.body == f.body && !samePlace(p, w.Where) {
				text = s.source.statement(p)
				p.Object = text
				return p, text, strings.HasSuffix(text, ")") && !strings.Contains(text, "{")
			}
		}
	}
	return call, "", false
}

// ownGroup explains a goroutine that waits for the WaitGroup that counts it.
func (s *story) ownGroup(w act) *Match {
	if w.op != trace.OpWGWait || w.Where.Object == "" {
		return nil
	}
	start, ok := s.last(len(s.acts), func(a act) bool { return a.op == trace.OpGo && a.Child == w.G })
	if !ok || start.i == 0 {
		return nil
	}
	add := s.acts[start.i-1] // WaitGroup.Go does both
	if add.op != trace.OpWGAdd || add.Obj != w.Obj || add.Arg <= 0 || !samePlace(add.Where, start.Where) {
		return nil
	}
	name := w.Where.Object
	m := &Match{Name: OwnGroup, Var: name, Roles: []Role{
		{"go", add.G, add.Where, of(add)},
		{"wait", w.G, w.Where, of(w)}}}
	m.Text = fmt.Sprintf("%s was started by %s.Go at %s, so `%s` counts it until it ends. It waits for `%s` itself at %s: it waits for its own end.",
		w.G, name, at(add.Where), name, name, at(w.Where))
	m.Hint = fmt.Sprintf("do not wait for `%s` in a goroutine that it counts: let %s return, and another goroutine call Wait", name, w.G)
	return m
}

func (s *story) nilChannel(w act) *Match {
	if w.Obj != 0 || w.Where.Object == "" || w.op != trace.OpSend && w.op != trace.OpRecv {
		return nil
	}
	name := w.Where.Object
	what := "a send to"
	if w.op == trace.OpRecv {
		what = "a receive from"
	}
	m := &Match{Name: NilChannel, Var: name, Roles: []Role{{"wait", w.G, w.Where, of(w)}}}
	m.Text = fmt.Sprintf("`%s` is nil when %s uses it at %s: %s a nil channel waits for ever.", name, w.G,
		at(w.Where), what)
	m.Hint = fmt.Sprintf("make the channel before it is used, or do not come to %s without one", at(w.Where))
	if p, text := s.source.making(w.Where, name); text != "" {
		m.Text += fmt.Sprintf(" It is made at %s, which was not reached.", at(p))
		m.Hint = fmt.Sprintf("skip the use of `%s` at %s where it was not made", name, at(w.Where))
		if q, ok := s.source.receiving(w.Where, name); ok && w.op == trace.OpSend {
			m.Hint += fmt.Sprintf("; or make it on every path, if the receive at %s is reached there too", at(q))
		}
	}
	return m
}

// lockOrder recognises goroutines each of which waits for a lock that the next one holds.
func (s *story) lockOrder(ws []act) *Match {
	for _, w := range ws {
		if cycle := s.cycle(ws, w); len(cycle) > 1 {
			return s.tellOrder(cycle)
		}
	}
	return nil
}

func (s *story) cycle(ws []act, w act) (cycle []act) {
	for v := w; ; {
		if !s.isLockWait(v) {
			return nil
		}
		cycle = append(cycle, v)
		g, _, ok := s.holder(v.Obj)
		next := slices.IndexFunc(ws, func(u act) bool { return u.G == g })
		if !ok || next < 0 || len(cycle) > len(ws) {
			return nil
		}
		if v = ws[next]; v.G == w.G {
			return cycle
		}
	}
}

func (s *story) tellOrder(cycle []act) *Match {
	m := &Match{Name: LockOrder}
	var parts, orders []string
	for k, w := range cycle {
		before := cycle[(k+len(cycle)-1)%len(cycle)] // waits for what w's goroutine holds
		_, h, _ := s.holder(before.Obj)
		took := s.acts[h.since]
		has, wants := s.sideName(took, before.Obj), s.sideName(w, w.Obj)
		parts = append(parts, fmt.Sprintf("%s locked %s at %s and waits for %s at %s", w.G, has,
			at(took.Where), wants, at(w.Where)))
		orders = append(orders, has+" before "+wants)
		m.Roles = append(m.Roles, Role{"holds", w.G, took.Where, of(took)},
			Role{"wants", w.G, w.Where, of(w)})
		if m.Lock == "" {
			m.Lock, m.Var = has, has
		}
	}
	m.Text = strings.Join(parts,
		"; ") + ". Each waits for a lock that another one of them holds, so none can go on."
	same := len(slices.Compact(slices.Sorted(slices.Values(orders)))) == 1
	switch {
	case same:
		m.Text += " It is one piece of code, called with different locks first."
		m.Hint = "lock the two always in one order, whatever the caller passes first: compare a number of their own (an id, an index) and lock the smaller one first"
		if !s.comparesOwners(m) {
			m.Hint += "; where both are one and the same, lock it once"
		}
	default:
		m.Hint = s.hintOrder(m, cycle)
	}
	return m
}

// hintOrder names one of the places at which the order of the locks is to be changed: the last, or
// one where the other lock can be taken first.
func (s *story) hintOrder(m *Match, cycle []act) string {
	k := len(cycle) - 1
	took, w := s.side(m, k)
	for i := k - 1; i >= 0 && s.source.foundAfter(took, w); i-- {
		if t, v := s.side(m, i); !s.source.foundAfter(t, v) {
			k, took, w = i, t, v
		}
	}
	before := cycle[(k+len(cycle)-1)%len(cycle)].Obj
	_, h, _ := s.holder(before)
	has, wants := s.sideName(s.acts[h.since], before), s.sideName(cycle[k], cycle[k].Obj)
	const choose = "choose one order of these locks and keep it everywhere: for example, "
	if name := s.source.named(took); name != "" {
		return choose + fmt.Sprintf("in %s take %s (%s) before %s (%s)", name, wants, at(w), has, at(took))
	}
	return choose + fmt.Sprintf("take %s before %s at %s", wants, has, both(s.acts[h.since], cycle[k]))
}

// side returns where the k-th goroutine of a cycle took its lock, and where it waits for another.
func (s *story) side(m *Match, k int) (took, waits wire.Place) {
	return m.Roles[2*k].Where, m.Roles[2*k+1].Where
}

// foundAfter reports whether what has the lock that is taken second is a variable that the function
// declares after it has taken the first: it is found under that lock.
func (c *sources) foundAfter(took, second wire.Place) (is bool) {
	name, from := owner(second.Object), 0
	f := c.function(second)
	if g := c.function(took); f == nil || name == "" {
		return false
	} else if g != nil && g.body == f.body {
		from = took.Line
	}
	f.inspect(func(n ast.Node) {
		var names []ast.Expr
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				names = n.Lhs
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				names = []ast.Expr{n.Key, n.Value}
			}
		}
		for _, x := range names {
			id, ok := x.(*ast.Ident)
			is = is || ok && id.Name == name && c.Line(id.Pos()) >= from && c.Line(id.Pos()) <= second.Line
		}
	})
	return is
}

// comparesOwners reports whether the function that takes the two locks of m compares what they
// belong to: from and to of from.mu and to.mu.
func (s *story) comparesOwners(m *Match) (is bool) {
	a, b := owner(m.Roles[0].Where.Object), owner(m.Roles[1].Where.Object)
	s.source.function(m.Roles[0].Where).inspect(func(n ast.Node) {
		if x, ok := n.(*ast.BinaryExpr); ok && (x.Op == token.EQL || x.Op == token.NEQ) {
			l, r := s.source.Text(x.X), s.source.Text(x.Y)
			is = is || l == a && r == b || l == b && r == a
		}
	})
	return is
}

// sideName is the name of a lock as the line of an act has it.
func (s *story) sideName(a act, obj int) string {
	if a.Where.Object != "" {
		return a.Where.Object
	}
	return s.lock(obj)
}

func (s *story) missingUnlock(w act) *Match {
	if !s.isLockWait(w) {
		return nil
	}
	g, h, ok := s.holder(w.Obj)
	if !ok || !s.ended(g) || g == w.G {
		return nil
	}
	took := s.acts[h.since].Where
	m := &Match{Name: MissingUnlock, Lock: s.lock(w.Obj), Var: s.lock(w.Obj), Roles: []Role{
		{"lock", g, took, of(s.acts[h.since])},
		{"wait", w.G, w.Where, of(w)}}}
	why, hint := s.unlockMissed(m, s.acts[h.since], unlockOf(h))
	m.Text = fmt.Sprintf("%s locked %s at %s and has ended without unlocking it: %s. %s waits for %s at %s, and nothing is left that could unlock it.",
		g, m.Lock, at(took), why, w.G, m.Lock, at(w.Where))
	m.Hint = hint
	return m
}

// unlockMissed says how the function that locks at took was left without an unlock, and what to
// change, as far as its source tells.
func (s *story) unlockMissed(m *Match, locked act, unlock string) (why, hint string) {
	took, lock := locked.Where, m.Lock
	f := s.source.function(took)
	call := lock + "." + unlock + "()"
	returns, end := s.source.bare(f, took.Line, call)
	unlocks, _ := s.source.calls(f, call)
	caught, recovers := s.source.recovers(took)
	where := fmt.Sprintf("the %s at %s", unlock, ats(unlocks))
	passed := len(returns) == 0 && !end
	hint = fmt.Sprintf("unlock %s on every path", lock)
	switch {
	case len(unlocks) == 0:
		return "the path that it took has no " + unlock + ", or a panic went past it", hint
	case len(returns) > 0 && !recovers && !s.source.mayExit(f):
		why = fmt.Sprintf("the return at %s comes before %s", ats(returns), where)
		if len(returns) == 1 {
			m.then(returns[0], locked, "return")
		}
	case passed && recovers:
		why = fmt.Sprintf("a panic went past %s, and was recovered (%s)", where, at(caught))
		m.then(caught, locked, "recover()")
	case passed:
		why = fmt.Sprintf("a panic, or runtime.Goexit (t.FailNow), went past %s", where)
	default:
		why = "the path that it took has no " + unlock + ", or a panic went past it"
	}
	return why, hint + s.hintUnlock(f, took, lock, call, returns)
}

// hintUnlock says where to unlock: by a deferred call only where the lock is not held longer by
// that, and no function that was deferred before needs the lock.
func (s *story) hintUnlock(f *fn, took wire.Place, lock, call string, returns []wire.Place) string {
	unlocks, top := s.source.calls(f, call)
	locking := strings.Replace(call, "Unlock", "Lock", 1)
	takes, outer := s.source.calls(f, locking)
	last := unlocks[len(unlocks)-1]
	simple := top && outer && len(unlocks)+len(takes) == 2 && !s.source.repeated(f, took) &&
		!s.source.worksAfter(f, last.Line)
	ds, alone := s.source.deferredBefore(f, took.Line)
	field, locks := s.guardedIn(ds, lock)
	switch {
	case simple && field == "":
		return fmt.Sprintf(": `defer %s` right after %s, in place of %s", call, at(took), at(last))
	case simple && alone && !locks && locking == lock+".Lock()":
		return fmt.Sprintf(": `%s` and `defer %s` before the deferred function of %s, in place of %s and %s. Deferred functions run last first, and that one uses %s, which needs the lock",
			locking, call, ats(s.placesOf(f, ds)), at(took), at(last), code(field))
	case len(returns) > 0:
		return fmt.Sprintf(": `%s` before the return at %s too", call, ats(returns))
	}
	return ""
}

// guardedIn returns a field of what a lock belongs to that deferred functions use, and whether one
// of them takes the lock by itself.
func (s *story) guardedIn(ds []*ast.DeferStmt, lock string) (field string, locks bool) {
	for _, d := range ds {
		text := s.source.Text(d)
		if strings.Contains(text, lock+".Lock()") {
			locks = true
			continue
		}
		if used := s.source.fieldOf(d, owner(lock)); owner(lock) != "" && used != "" {
			field = used
		}
	}
	return field, locks
}

func (s *story) placesOf(f *fn, ds []*ast.DeferStmt) (ps []wire.Place) {
	for _, d := range ds {
		ps = append(ps, s.source.place(f, d))
	}
	return ps
}

func unlockOf(h hold) string {
	if h.shared {
		return "RUnlock"
	}
	return "Unlock"
}

func (s *story) lockHeld(w act) *Match {
	if !s.isLockWait(w) {
		return nil
	}
	g, h, ok := s.holder(w.Obj)
	i := slices.IndexFunc(s.waits, func(v act) bool { return v.G == g })
	if !ok || i < 0 || g == w.G {
		return nil
	}
	v := s.placed(s.waits[i])
	doing, after := "", ""
	switch v.op {
	case trace.OpSend:
		doing, after = "waits to send to `"+v.Where.Object+"`", "send"
	case trace.OpRecv:
		doing, after = "waits to receive from `"+v.Where.Object+"`", "receive"
	case trace.OpWGWait:
		doing, after = "waits for the WaitGroup `"+v.Where.Object+"`", "wait"
	case trace.OpSelect:
		doing, after = "waits in a select", "wait"
	default:
		return nil
	}
	took := s.acts[h.since].Where
	m := &Match{Name: LockHeld, Lock: s.lock(w.Obj), Var: s.lock(w.Obj), Roles: []Role{
		{"lock", g, took, of(s.acts[h.since])},
		{"waits", g, v.Where, of(v)}, {"wants", w.G, w.Where, of(w)}}}
	m.Text = fmt.Sprintf("%s holds %s (locked at %s) while it %s at %s; %s waits for %s at %s. Neither can go on before the other does.",
		g, m.Lock, at(took), doing, at(v.Where), w.G, m.Lock, at(w.Where))
	m.Hint = fmt.Sprintf("do not wait at %s with %s held: copy what is needed under the lock, unlock, and %s then", at(v.Where), m.Lock, after)
	if v.op == trace.OpSend {
		text := s.source.statement(v.Where)
		if !strings.Contains(text, "<-") {
			text = v.Where.Object + " <- ..."
		}
		m.Hint = fmt.Sprintf("do not wait for a receiver at %s with %s held: copy what is needed under the lock, unlock, and send then, in a select with a new channel `gone` that the receiver closes when it leaves: `select { case %s: case <-gone: }`. To unlock before the send is enough only if a receiver always comes", at(v.Where), m.Lock, text)
	}
	return m
}

// signal explains a goroutine that waits at a Cond.
func (s *story) signal(w act) *Match {
	if w.op != trace.OpCondWait && w.op != trace.OpCondWake {
		return nil
	}
	wait, ok := s.last(len(s.acts), func(a act) bool { return a.G == w.G && a.op == trace.OpCondWait })
	if !ok {
		return nil
	}
	name := s.named(wait, w.Where.Object)
	after, signalled := s.first(wait.i, func(a act) bool {
		return a.Obj == wait.Obj &&
			a.op == trace.OpSignal
	})
	m := &Match{Var: name, Roles: []Role{{"wait", w.G, w.Where, of(w)}}}
	if signalled {
		woken, ok := s.first(after.i, func(a act) bool {
			return a.G != w.G && a.op == trace.OpCondWake &&
				a.Obj == wait.Obj
		})
		other, waited := s.last(after.i, func(a act) bool {
			return a.G != w.G && a.op == trace.OpCondWait &&
				a.Obj == wait.Obj
		})
		if !ok && !waited {
			return nil
		}
		if ok {
			other = woken
		}
		m.Name = SignalOne
		m.Roles = append(m.Roles, Role{"signal", after.G, after.Where, of(after)})
		m.Text = fmt.Sprintf("%s and %s both waited at %s when %s called %s.Signal at %s. Signal wakes one goroutine: it woke %s, and %s waits at %s for ever.",
			other.G, w.G, name, after.G, name, at(after.Where), other.G, w.G, at(w.Where))
		m.Hint = fmt.Sprintf("call %s.Broadcast in place of Signal at %s: it wakes all that wait", name,
			at(after.Where))
		return m
	}
	early, ok := s.last(wait.i, func(a act) bool {
		return a.G != w.G && a.Obj == wait.Obj && (a.op == trace.OpSignal || a.op == trace.OpBroadcast)
	})
	if !ok {
		return nil
	}
	m.Name = SignalLost
	call := "Signal"
	if early.op == trace.OpBroadcast {
		call = "Broadcast"
	}
	m.Roles = append(m.Roles, Role{"signal", early.G, early.Where, of(early)})
	m.Text = fmt.Sprintf("%s called %s.%s at %s before %s called %s.Wait at %s. A Cond does not keep a signal for later: Wait waits for the next one, and none comes.",
		early.G, name, call, at(early.Where), w.G, name, at(w.Where))
	if !s.source.inLoop(w.Where) {
		m.Hint = fmt.Sprintf("wait only while what is waited for has not happened: put %s.Wait() at %s in a loop, `for !condition { %s.Wait() }`, where the condition is something that %s sets, under the Cond's lock, before its %s; and take it back after the loop, if the next Wait is to wait again",
			name, at(w.Where), name, early.G, call)
	} else {
		m.Hint = fmt.Sprintf("change the condition, and call %s, while the Cond's lock is held, so that neither can come between the check and the Wait", call)
	}
	return m
}
