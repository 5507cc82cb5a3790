package pattern

import (
	"cmp"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"heddle/rt/wire"
	"heddle/trace"
)

// failure explains a test that fails or panics.
func (s *story) failure() *Match {
	for _, recognise := range []func() *Match{s.closedTooEarly, s.bothReady, s.interrupted, s.torn,
		s.waitedForNone, s.outdated, s.noOrder, s.betweenCalls, s.offered} {
		if m := recognise(); m != nil {
			return m
		}
	}
	return nil
}

// A gap is two accesses of one goroutine, and what another one wrote in between.
type gap struct {
	before, after, between act
	first, second          wire.Place // where one function makes both accesses
	waited                 *act       // the Cond.Wait in between
	score                  int
}

// interrupted recognises a goroutine that reads a variable, and uses it again after another one
// wrote it. It is no bug if the goroutine waited for the other one in between, except at a Cond.
func (s *story) interrupted() *Match {
	var best *gap
	for _, a := range s.acts {
		if !isRead(a) {
			continue
		}
		if g := s.gapAfter(a); g != nil && (best == nil || g.score >= best.score) {
			best = g
		}
	}
	if best == nil {
		return nil
	}
	return s.tellGap(best)
}

// violation recognises the gap of an atomicity violation: its places are the read, the write that
// came in between, and the access that belongs to the read.
func (s *story) violation() *Match {
	if len(s.f.Places) != 3 || s.f.Places[0].Goroutine != s.f.Places[2].Goroutine {
		return nil
	}
	var found [3]act
	from := 0
	for k, p := range s.f.Places {
		a, ok := s.first(from, func(a act) bool {
			return a.G == p.Goroutine && samePlace(a.Where, p) &&
				(isRead(a) || isWrite(a))
		})
		if !ok {
			return nil
		}
		found[k], from = a, a.i+1
	}
	g := gap{before: found[0], between: found[1], after: found[2]}
	g.first, g.second = g.before.Where, g.after.Where
	if !isRead(g.before) || !isWrite(g.between) {
		return nil
	}
	if first, second, ok := s.source.together(g.before.Where, g.after.Where); ok {
		g.first, g.second = first, second
	}
	return s.tellGap(&g)
}

// gapAfter returns the gap that begins with the read a, or nil.
func (s *story) gapAfter(a act) *gap {
	g := gap{before: a, score: -1}
	switched, found := false, false
	for _, b := range s.acts[a.i+1:] {
		switched = switched || b.Switch
		switch {
		case b.G == a.G && b.op == trace.OpCondWait:
			g.waited = &b
		case b.G == a.G && g.waited != nil && waitsForOthers(b):
		case b.G == a.G && waitsForOthers(b):
			return nil
		case b.Obj != a.Obj || a.Obj == 0:
		case b.G != a.G && isWrite(b):
			g.between, found = b, true
		case b.G == a.G && !found && (isRead(b) || isWrite(b)):
			return nil // a later access begins the gap
		case b.G == a.G && (isRead(b) || isWrite(b)):
			g.after = b
			if !switched {
				return nil
			}
			return s.weigh(&g)
		}
	}
	return nil
}

// weigh says how well a gap explains the finding; nil if its accesses do not belong together.
func (s *story) weigh(g *gap) *gap {
	if g.waited != nil && samePlace(g.before.Where, g.after.Where) {
		return nil // the condition is checked again
	}
	first, second, ok := s.source.together(g.before.Where, g.after.Where)
	if !ok || g.waited != nil && g.before.Where.File == "" {
		return nil
	}
	g.first, g.second, g.score = first, second, 0
	for _, p := range s.f.Places {
		if samePlace(p, g.after.Where) {
			g.score += 8
		}
	}
	if g.waited != nil {
		g.score += 4
	}
	if isWrite(g.after) {
		g.score += 2
	}
	if !strings.HasSuffix(filepath.Base(first.File), "_test.go") {
		g.score += 4
	}
	return g
}

// tellGap names the pattern of a gap.
func (s *story) tellGap(g *gap) *Match {
	name := cmp.Or(s.name(g.before), s.name(g.after), s.name(g.between))
	if name == "" {
		return nil
	}
	m := &Match{Var: name, Roles: []Role{
		{"check", g.before.G, g.first, of(g.before)},
		{"act", g.after.G, g.second, of(g.after)},
		{"between", g.between.G, g.between.Where, of(g.between)}}}
	lock, held := s.common(g)
	if held {
		m.Lock = s.lock(lock.obj)
	}
	if held && s.sameHold(g, lock) { // the other goroutine came in all the same
		if !isWrite(g.after) || !s.readLocked(m, g.after, g.between) && !s.oneSided(m, g.after, g.between) {
			return nil
		}
		return m
	}
	condition, line := s.source.condition(g.first)
	if g.waited != nil {
		return s.condIf(m, g, condition)
	}
	checks := condition != "" && line <= g.second.Line
	switch {
	case checks:
		m.Name = CheckThenAct
		s.tellCheck(m, g, condition, line)
	case isWrite(g.after):
		m.Name = LostUpdate
		s.tellLost(m, g)
	default:
		m.Name = StaleRead
		m.Text = fmt.Sprintf("%s read `%s` at %s and read it again at %s; %s wrote it at %s in between, so the two reads disagree.",
			g.before.G, name, at(g.first), at(g.second), g.between.G, at(g.between.Where))
		m.Hint = s.oneHold(m, g, "both reads")
	}
	return m
}

// common returns the lock that both sides of a gap hold, each time anew.
func (s *story) common(g *gap) (h hold, ok bool) {
	for _, h := range g.before.held {
		if holds(g.after, h.obj) {
			return h, true
		}
	}
	return h, false
}

// shares reports whether an act has a lock for reading only.
func (s *story) shares(a act, lock int) bool {
	return slices.ContainsFunc(a.held, func(h hold) bool { return h.obj == lock && h.shared })
}

// sameHold reports whether a goroutine did not give a lock back within its gap.
func (s *story) sameHold(g *gap, h hold) bool {
	return slices.ContainsFunc(g.after.held, func(k hold) bool { return k == h })
}

// released returns the act with which the goroutine of a gap gave a lock back between its sides.
func (s *story) released(g *gap, lock int) (act, bool) {
	return s.first(g.before.i, func(a act) bool {
		return a.i < g.after.i && a.G == g.before.G && a.Obj == lock &&
			(a.op == trace.OpUnlock || a.op == trace.OpRUnlock)
	})
}

func does(a act) string {
	switch {
	case a.op == trace.OpMapStore:
		return "stored into"
	case isWrite(a):
		return "wrote"
	case a.op == trace.OpMapLoad:
		return "loaded from"
	}
	return "read"
}

func (s *story) tellCheck(m *Match, g *gap, condition string, line int) {
	checked := g.first
	checked.Line = line
	m.checks(checked, g.before, condition)
	text := fmt.Sprintf("%s checked `%s` at %s and then ", g.before.G, condition, at(checked))
	if g.first.Line != line && does(g.before) == "read" {
		text = fmt.Sprintf("%s read `%s` at %s, checked `%s` at %s and then ", g.before.G,
			s.named(g.before, m.Var), at(g.first), condition, at(checked))
	}
	if g.second.Line != g.after.Where.Line || g.second.File != g.after.Where.File {
		text += fmt.Sprintf("called `%s` at %s, which %s `%s`", g.second.Object, at(g.second),
			does(g.after), m.Var)
	} else {
		text += fmt.Sprintf("%s `%s` at %s", does(g.after), s.named(g.after, m.Var), at(g.second))
	}
	if lock, ok := s.common(g); ok {
		if p, ok := s.released(g, lock.obj); ok {
			text += fmt.Sprintf(", but released %s in between (%s)", m.Lock, at(p.Where))
			m.Roles = append(m.Roles, Role{"release", p.G, p.Where, of(p)})
		}
	} else {
		text += ", as two separate operations"
	}
	m.Text = text + fmt.Sprintf("; in that gap %s %s `%s` at %s, so the check was out of date when %s acted on it.",
		g.between.G, does(g.between), s.named(g.between, m.Var), at(g.between.Where), g.before.G)
	m.Hint = s.hintCheck(m, g)
}

// named returns the name of an access, or another one if it has none.
func (s *story) named(a act, other string) string { return cmp.Or(s.name(a), other) }

// hintCheck says how to make check and act one step. A lock is not held while code runs that the
// source does not name: it may be slow, and it may take the lock itself.
func (s *story) hintCheck(m *Match, g *gap) string {
	call := s.source.unknownCall(g.first, g.second)
	absent := s.absent(g)
	switch {
	case call != "" && !isMap(g.before):
		lock := cmp.Or(m.Lock, "one mutex")
		if absent && strings.Contains(s.source.statement(g.second), "] = ") {
			return fmt.Sprintf("keep a function in `%s` for each key, made by sync.OnceValue around %s: under one hold of %s look it up and store it where there is none, unlock, and call it then. Do not hold %s while %s runs: all keys would wait for it, and it may come back here", m.Var, call, lock, lock, call)
		}
		return fmt.Sprintf("check again at %s, under %s, before acting. Do not hold it from the check on, while %s runs: others would wait for that, and it may come back here", at(g.second), lock, call)
	case m.Lock != "":
		return s.oneHold(m, g, "check and act")
	case isMap(g.before):
		return s.hintMap(m, g, call)
	case isAtomic(g.before) && g.after.op == trace.OpAtomicStore && g.before.Obj == g.after.Obj:
		swap := "CompareAndSwap(old, new)"
		if strings.HasSuffix(s.source.statement(g.after.Where), ".Store(true)") {
			swap = "CompareAndSwap(false, true)"
		}
		form := fmt.Sprintf("if !%s.%s { return }", m.Var, swap)
		if _, line := s.source.condition(g.first); s.source.inside(line, g.second) {
			form = fmt.Sprintf("if %s.%s { ... }", m.Var, swap)
		}
		return fmt.Sprintf("let one operation check and change it: `%s` in place of the Load and the Store, so that only one goroutine gets true", form)
	case isAtomic(g.before):
		return fmt.Sprintf("let one operation check and change %s, in a loop of Load and CompareAndSwap, or hold one mutex around both", m.Var)
	}
	return fmt.Sprintf("hold one mutex around check and act, and wherever else %s is written", m.Var)
}

// absent reports whether a gap acts where its check, such as `v, ok := m[k]`, found nothing.
func (s *story) absent(g *gap) bool {
	condition, line := s.source.condition(g.first)
	word := condition[strings.LastIndexByte(condition, ' ')+1:]
	name, negated := strings.CutPrefix(word, "!")
	return token.IsIdentifier(name) && negated == s.source.inside(line, g.second)
}

// hintMap is the hint for a check and an act on a sync.Map.
func (s *story) hintMap(m *Match, g *gap, call string) string {
	act := s.source.statement(g.after.Where)
	switch {
	case strings.Contains(act, ".Delete("):
		return fmt.Sprintf("use `%s.LoadAndDelete` (or CompareAndDelete, to delete one value only) in place of the two calls: it looks and deletes in one step", m.Var)
	case strings.Contains(act, ".Store(") && s.absent(g) && call != "":
		return fmt.Sprintf("keep a function in `%s` for each key, made by sync.OnceValue around %s: store it by LoadOrStore, in place of the two calls, and call what that returns", m.Var, call)
	case strings.Contains(act, ".Store(") && s.absent(g):
		return fmt.Sprintf("use `%s.LoadOrStore` in place of the two calls: it looks and stores in one step", m.Var)
	case strings.Contains(act, ".Store("):
		return fmt.Sprintf("use `%s.CompareAndSwap` in place of the Store, in a loop with the Load: it stores only if the value is still the one that was checked", m.Var)
	}
	return fmt.Sprintf("hold one mutex around check and act, and wherever else `%s` is changed", m.Var)
}

// between returns where a gap's goroutine unlocks and locks again, if it does both in one function.
func (s *story) between(g *gap, lock int, function string) (unlock, again wire.Place, ok bool) {
	p, ok := s.released(g, lock)
	if !ok {
		return
	}
	q, ok := s.first(p.i+1, func(a act) bool {
		return a.i < g.after.i && a.G == p.G && a.Obj == lock &&
			(a.op == trace.OpLock || a.op == trace.OpRLock)
	})
	return p.Where, q.Where, ok && s.source.named(p.Where) == function && s.source.named(q.Where) == function
}

// oneHold is the hint to hold a lock over both sides of a gap.
func (s *story) oneHold(m *Match, g *gap, what string) string {
	if m.Lock == "" {
		return fmt.Sprintf("hold one mutex around both, and wherever else %s is written", m.Var)
	}
	lock, _ := s.common(g)
	outer := func(a act, first wire.Place) bool { return !samePlace(a.Where, first) }
	hint := fmt.Sprintf("lock %s once around %s", m.Lock, what)
	if in := s.source.named(g.first); in != "" {
		hint = fmt.Sprintf("in %s %s (%s)", in, hint, ats([]wire.Place{g.first, g.second}))
		if p, q, ok := s.between(g, lock.obj, in); ok {
			hint += fmt.Sprintf(": leave out the unlock at %s and the lock at %s", at(p), at(q))
		}
	}
	hint += ", and unlock it after the second, and on each way that does not come there"
	if s.source.awaits(g.first, g.second) {
		hint += fmt.Sprintf("; while the loop at %s waits, unlock it in each round and lock it again", at(g.first))
	}
	var inner []string
	for _, side := range []struct {
		a act
		p wire.Place
	}{{g.before, g.first}, {g.after, g.second}} {
		if f := s.source.function(side.a.Where); f != nil && f.name != "" && outer(side.a, side.p) &&
			!slices.Contains(inner, f.name) {
			inner = append(inner, f.name)
		}
	}
	if len(inner) > 0 {
		hint += fmt.Sprintf(" (%s %s it too: use the field itself there, or a version without the lock)",
			list(inner), map[bool]string{true: "locks", false: "lock"}[len(inner) == 1])
	}
	for _, h := range g.before.held {
		if h.obj == lock.obj && h.shared && (isWrite(g.after) || !s.shares(g.after, h.obj)) {
			hint += "; lock it for writing, not with RLock"
		}
	}
	return hint
}

func (s *story) tellLost(m *Match, g *gap) {
	read, write := at(g.first), at(g.second)
	through := ""
	if !samePlace(g.second, g.after.Where) {
		through = fmt.Sprintf(" (%s)", at(g.after.Where))
	}
	m.Text = fmt.Sprintf("%s read `%s` at %s and wrote a new value at %s%s; %s wrote `%s` at %s in between, and %s overwrote that: one of the two updates is lost.",
		g.before.G, m.Var, read, write, through, g.between.G, s.named(g.between, m.Var), at(g.between.Where),
		g.before.G)
	if lock, ok := s.common(g); ok {
		if p, ok := s.released(g, lock.obj); ok {
			m.Text += fmt.Sprintf(" Both hold %s, but %s released it after the read (%s).", m.Lock,
				g.before.G, at(p.Where))
			m.Roles = append(m.Roles, Role{"release", p.G, p.Where, of(p)})
		}
	}
	switch {
	case m.Lock != "":
		m.Hint = s.oneHold(m, g, "the read and the write")
	case isAtomic(g.before) && isAtomic(g.after):
		m.Hint = fmt.Sprintf("change it in one step: `%s.Add(...)`, or a loop of Load and CompareAndSwap, in place of Load and Store", m.Var)
	case isMap(g.before):
		m.Hint = fmt.Sprintf("hold one mutex around the Load and the Store, or use %s.CompareAndSwap in a loop", m.Var)
	default:
		m.Hint = fmt.Sprintf("hold one mutex from the read to the write, and wherever else %s is used", m.Var)
	}
}

func (s *story) condIf(m *Match, g *gap, condition string) *Match {
	if condition == "" {
		return nil
	}
	m.Name = CondIf
	m.Roles = append(m.Roles, Role{"wait", g.waited.G, g.waited.Where, g.waited})
	cond := s.named(*g.waited, "the Cond")
	m.Text = fmt.Sprintf("%s checked `%s` at %s and waited in %s.Wait at %s; after it was woken, and before it had the lock again, %s wrote `%s` at %s. %s did not check again and went on at %s.",
		g.before.G, condition, at(g.first), cond, at(g.waited.Where), g.between.G, s.named(g.between, m.Var),
		at(g.between.Where), g.before.G, at(g.second))
	m.Hint = fmt.Sprintf("check in a loop: `for %s { %s.Wait() }` in place of `if` at %s", condition, cond,
		at(g.first))
	return m
}

// torn recognises a goroutine that reads two variables one after the other, which another one
// changes together in between.
func (s *story) torn() *Match {
	for _, b := range s.acts {
		if !isRead(b) {
			continue
		}
		a, ok := s.last(b.i, func(a act) bool { return a.G == b.G && isRead(a) && a.Obj != b.Obj })
		if !ok || slices.ContainsFunc(s.acts[a.i+1:b.i],
			func(x act) bool { return x.G == a.G && waitsForOthers(x) }) {
			continue
		}
		if s.name(a) == "" || s.name(b) == "" {
			continue
		}
		w, ok := s.writesBoth(a, b)
		if !ok {
			if m := s.halfWritten(a, b); m != nil {
				return m
			}
			continue
		}
		first, second, ok := s.source.together(a.Where, b.Where)
		if !ok {
			continue
		}
		g := &gap{before: a, after: b, between: w, first: first, second: second}
		m := &Match{Name: StaleRead, Var: s.name(a), Roles: []Role{
			{"check", a.G, first, of(a)},
			{"act", b.G, second, of(b)},
			{"between", w.G, w.Where, of(w)}}}
		m.Text = fmt.Sprintf("%s read `%s` at %s and then `%s` at %s", a.G, s.name(a), at(a.Where),
			s.name(b), at(b.Where))
		if lock, ok := s.common(g); ok {
			m.Lock = s.lock(lock.obj)
			m.Text += fmt.Sprintf(", each under its own hold of %s", m.Lock)
		}
		m.Text += fmt.Sprintf("; %s wrote both in between (%s), so %s has the old `%s` with the new `%s`.",
			w.G,
			at(w.Where), a.G, s.name(a), s.name(b))
		m.Hint = s.oneHold(m, g, "both reads")
		if m.Lock == "" {
			m.Hint = "keep both in one struct behind one atomic.Pointer, or hold one mutex around both reads and around both writes"
		}
		return m
	}
	return nil
}

// halfWritten explains two reads between two writes that another goroutine makes in one function:
// what one of them reads is written, and not yet what the other one reads.
func (s *story) halfWritten(a, b act) *Match {
	first, second, ok := s.source.together(a.Where, b.Where)
	if !ok {
		return nil
	}
	for _, fresh := range []act{a, b} {
		old := b
		if fresh.i == b.i {
			old = a
		}
		x, ok := s.last(a.i,
			func(x act) bool { return x.G != a.G && x.Obj == fresh.Obj && isWrite(x) })
		if !ok || !slices.ContainsFunc(s.acts[x.i+1:a.i+1], func(y act) bool { return y.Switch }) {
			continue
		}
		y, ok := s.first(x.i+1,
			func(y act) bool { return y.G == x.G && y.Obj == old.Obj && isWrite(y) })
		if !ok || y.i < b.i {
			continue
		}
		if from, to, same := s.source.together(x.Where, y.Where); same {
			m := &Match{Name: StaleRead, Var: s.name(a), Roles: []Role{{"check", a.G, first, of(a)},
				{"act", b.G, second, of(b)}, {"write", x.G, from, of(x)}, {"rest", y.G, to, of(y)}}}
			m.Text = fmt.Sprintf("%s writes `%s` at %s and then `%s` at %s; %s read both in between (%s), so it has the new `%s` with the old `%s`.",
				x.G, s.name(fresh), at(from), s.name(old), at(to), a.G, both(a, b), s.name(fresh),
				s.name(old))
			m.Hint = "keep both in one struct behind one atomic.Pointer, or hold one mutex around both reads and around both writes"
			return m
		}
	}
	return nil
}

// writesBoth returns the write with which another goroutine has written the memory of both reads
// since the first one.
func (s *story) writesBoth(a, b act) (w act, ok bool) {
	wrote := map[string][2]bool{}
	switched := false
	for _, x := range s.acts[a.i+1 : b.i] {
		switched = switched || x.Switch
		if x.G == a.G || !isWrite(x) {
			continue
		}
		both := wrote[x.G]
		both[0] = both[0] || x.Obj == a.Obj
		both[1] = both[1] || x.Obj == b.Obj
		wrote[x.G] = both
		if both[0] && both[1] {
			return x, switched
		}
	}
	return w, false
}

// closedTooEarly recognises a goroutine that calls Done, or closes or sends to a channel, and only
// then writes what the goroutine that waits for it reads.
func (s *story) closedTooEarly() *Match {
	for _, w := range s.acts {
		if !isWrite(w) {
			continue
		}
		done, ok := s.last(w.i, func(a act) bool {
			return a.G == w.G && (a.op == trace.OpWGAdd && a.Arg < 0 || a.op == trace.OpClose)
		})
		if !ok {
			continue
		}
		wait, ok := s.first(done.i, func(a act) bool {
			return a.G != w.G && a.Obj == done.Obj && (a.op == trace.OpWGWait || a.op == trace.OpRecv)
		})
		if !ok || wait.i > w.i {
			continue
		}
		read, ok := s.first(wait.i, func(a act) bool {
			return a.G == wait.G && a.Obj == w.Obj && isRead(a) && a.i < w.i
		})
		if _, _, same := s.source.together(done.Where, w.Where); !ok || !same || s.named(w,
			s.name(read)) == "" {
			continue
		}
		m := &Match{Name: DoneTooEarly, Var: s.named(w, s.name(read)), Roles: []Role{
			{"done", w.G, done.Where, of(done)},
			{"write", w.G, w.Where, of(w)}, {"read", read.G, read.Where, of(read)}}}
		said := s.name(done) + ".Done"
		if done.op == trace.OpClose {
			said = "close of " + s.name(done)
		}
		m.Text = fmt.Sprintf("%s said that it was done (%s at %s) before it wrote `%s` at %s; %s waited for that at %s, and read `%s` at %s while the write was still to come.",
			w.G, said, at(done.Where), m.Var, at(w.Where), wait.G, at(wait.Where), m.Var, at(read.Where))
		m.Roles = append(m.Roles, Role{"wait", wait.G, wait.Where, of(wait)})
		m.Hint = fmt.Sprintf("move %s below the write of `%s`, for example with defer at the beginning of the goroutine", said, m.Var)
		return m
	}
	return nil
}

// bothReady recognises a select that took one case although another one had values to receive.
func (s *story) bothReady() *Match {
	for _, a := range s.acts {
		cases, chosen, ok := s.selected(a)
		if !ok {
			continue
		}
		for i, text := range cases {
			name := received(text)
			if i == chosen || name == "" {
				continue
			}
			left, sent := s.buffered(a.i, name)
			if left == 0 || s.readLater(a, sent.Obj) {
				continue
			}
			m := &Match{Name: BothReady, Var: name, Roles: []Role{
				{"select", a.G, a.Where, of(a)},
				{"send", sent.G, sent.Where, of(sent)}}}
			m.Text = fmt.Sprintf("%s came to the select at %s when several of its cases were ready: `%s` still held %s (sent at %s), and it took `%s`. A select chooses among ready cases at random; what was in `%s` was not received any more.",
				a.G, at(a.Where), name, values(left), at(sent.Where), cases[chosen], name)
			m.Hint = fmt.Sprintf("after `%s`, receive what is left in `%s` before returning, in a loop of a select with default. What is sent after that (%s) is still not received, and the send waits once there is no room: let it see that no more is taken", cases[chosen], name, at(sent.Where))
			return m
		}
	}
	return nil
}

// selected returns the cases of the select that a belongs to, and the index of the one that was
// taken.
func (s *story) selected(a act) (cases []string, chosen int, ok bool) {
	if a.op != trace.OpSelect && a.op != trace.OpRecv || !strings.Contains(a.Where.Object, "<-") ||
		failed(a) {
		return nil, 0, false
	}
	cases = s.source.Cases(a.Where.File, a.Where.Line)
	if a.op == trace.OpSelect {
		return cases, int(a.Arg), a.Arg >= 0 && int(a.Arg) < len(cases)
	}
	chosen = slices.IndexFunc(cases, func(text string) bool {
		return received(text) != "" &&
			received(text) == s.names[a.Obj]
	})
	return cases, chosen, chosen >= 0
}

func values(n int) string {
	if n == 1 {
		return "a value"
	}
	return fmt.Sprintf("%d values", n)
}

// received returns the channel that a case receives from, or "".
func received(comm string) string {
	_, name, ok := strings.Cut(comm, "<-")
	if !ok || strings.ContainsAny(name, "()") || strings.Contains(name, "<-") ||
		!strings.HasPrefix(comm, "<-") && !strings.Contains(comm, "= <-") {
		return ""
	}
	return strings.TrimSpace(name)
}

// buffered returns how many values the buffered channel of that name holds before act i, and the
// last send.
func (s *story) buffered(i int, name string) (n int, sent act) {
	for _, a := range s.acts[:i] {
		switch {
		case a.op == trace.OpSend && a.Cap > 0 && s.name(a) == name:
			n, sent = n+1, a
		case a.op == trace.OpRecv && a.Arg != 0 && sent.Event != nil && a.Obj == sent.Obj:
			n--
		}
	}
	return max(n, 0), sent
}

// readLater reports whether a channel is received from after a.
func (s *story) readLater(a act, obj int) bool {
	_, ok := s.first(a.i+1, func(b act) bool { return b.op == trace.OpRecv && b.Obj == obj && b.G == a.G })
	return ok
}

// waitedForNone recognises a Wait that returned before a goroutine that was started already had
// called Add.
func (s *story) waitedForNone() *Match {
	for _, w := range s.acts {
		if w.op != trace.OpWGWait {
			continue
		}
		add, ok := s.first(w.i, func(a act) bool {
			return a.op == trace.OpWGAdd && a.Arg > 0 && a.Obj == w.Obj && a.G != w.G
		})
		_, begun := s.last(w.i, func(a act) bool { return a.op == trace.OpGo && ok && a.Child == add.G })
		if !ok || !begun {
			continue
		}
		p, q := add.Where, w.Where
		p.Goroutine, q.Goroutine = add.G, w.G
		if m := s.addAfterWait(p, q); m != nil {
			return m
		}
	}
	return nil
}

// outdated recognises a goroutine that checks a variable, is interrupted by one that writes it, and
// goes on with what it checked for.
func (s *story) outdated() *Match {
	for _, a := range slices.Backward(s.acts) {
		if !isRead(a) || a.Obj == 0 || s.name(a) == "" {
			continue
		}
		condition, line := s.source.condition(a.Where)
		w, ok := s.first(a.i+1, func(b act) bool { return b.G == a.G || b.Obj == a.Obj && isWrite(b) })
		if condition == "" || !ok || w.G == a.G {
			continue
		}
		next, ok := s.first(w.i, func(b act) bool { return b.G == a.G })
		if !ok || waitsForOthers(next) || next.Where.Line <= line || s.name(next) == "" ||
			!slices.ContainsFunc(s.acts[a.i+1:next.i+1], func(b act) bool { return b.Switch }) {
			continue
		}
		first, second, same := s.source.together(a.Where, next.Where)
		if !same {
			continue
		}
		read := first
		first.Line = line
		m := &Match{Name: CheckThenAct, Var: s.name(a), Roles: []Role{
			{"check", a.G, first, of(a)},
			{"act", a.G, second, of(next)},
			{"between", w.G, w.Where, of(w)}}}
		if !samePlace(read, first) {
			m.Roles[0].Where = read
			m.checks(first, a, condition)
		}
		m.Text = fmt.Sprintf("%s checked `%s` at %s and then came to `%s` at %s; in between %s %s `%s` at %s, so the check was out of date when %s acted on it.",
			a.G, condition, at(first), cmp.Or(s.source.statement(next.Where), s.name(next)), at(second),
			w.G, does(w), m.Var, at(w.Where), a.G)
		m.Hint = fmt.Sprintf("hold one mutex around check and act, and around the write of `%s` at %s",
			m.Var, at(w.Where))
		return m
	}
	return nil
}

// noOrder recognises a goroutine that reads, in the function that fails, what another one writes
// before or after it, and does not wait for it.
func (s *story) noOrder() *Match {
	if len(s.f.Places) == 0 || s.f.Places[0].File == "" {
		return nil
	}
	fails := s.f.Places[0]
	for _, r := range slices.Backward(s.acts) {
		if r.G != fails.Goroutine || !isRead(r) || s.name(r) == "" {
			continue
		}
		first, _, same := s.source.together(r.Where, fails)
		if !same || first.Line > fails.Line {
			continue
		}
		by := func(a act) bool { return a.G != r.G && a.Obj == r.Obj && isWrite(a) }
		before, wrote := s.last(r.i, by)
		after, writes := s.first(r.i, by)
		m := &Match{Name: NoOrder, Var: s.name(r), Roles: []Role{{"read", r.G, r.Where, of(r)}}}
		switch {
		case wrote && s.startsAfter(before, r.G):
			return nil
		case wrote && !s.waitsBetween(r.G, before.i, r.i):
			m.Roles = append(m.Roles, Role{"write", before.G, before.Where, of(before)})
			m.Text = fmt.Sprintf("%s changed `%s` at %s before %s read it at %s. Nothing makes one wait for the other, so the two can come in either order.",
				before.G, m.Var, at(before.Where), r.G, at(r.Where))
		case writes && !wrote:
			m.Roles = append(m.Roles, Role{"write", after.G, after.Where, of(after)})
			m.Text = fmt.Sprintf("%s read `%s` at %s before %s changed it at %s. Nothing makes %s wait for that, so the two can come in either order.",
				r.G, m.Var, at(r.Where), after.G, at(after.Where), r.G)
			m.Hint = fmt.Sprintf("let %s wait until %s has changed `%s` (a WaitGroup, a channel) before it reads it at %s", r.G, after.G, m.Var, at(r.Where))
		default:
			return nil
		}
		return m
	}
	return nil
}

// startsAfter reports whether g was started by the goroutine of a after that act, or by one that
// was. Of goroutines of the standard library, such as those of subtests, it is not known when: then
// it is true of what they descend from, by their names.
func (s *story) startsAfter(a act, g string) bool {
	for {
		start, ok := s.last(len(s.acts), func(b act) bool { return b.op == trace.OpGo && b.Child == g })
		switch {
		case !ok:
			return strings.HasPrefix(g, a.G+"/")
		case start.i < a.i || start.G == a.G:
			return start.i > a.i
		}
		g = start.G
	}
}

// waitsBetween reports whether g waits for other goroutines between two acts.
func (s *story) waitsBetween(g string, from, to int) bool {
	return slices.ContainsFunc(s.acts[from:to], func(a act) bool { return a.G == g && waitsForOthers(a) })
}
