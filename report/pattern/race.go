package pattern

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"heddle/rt/wire"
	"heddle/trace"
)

// race explains a data race by the locks that are held at its two accesses and by what its
// goroutines did before.
func (s *story) race() *Match {
	a, b, ok := s.racing()
	if !ok {
		return nil
	}
	if isRead(a) {
		a, b = b, a // a writes
	}
	a, b = s.users(a), s.users(b)
	name := s.name(a)
	if name == "" || strings.Contains(name, "(") && !strings.HasPrefix(name, within) {
		name = s.name(b)
	}
	m := &Match{Var: name, Roles: []Role{{"write", a.G, a.Where, of(a)}, {"other", b.G, b.Where, of(b)}}}
	if m.Var == "" {
		return nil
	}
	for _, recognise := range []func(*Match, act, act) bool{s.sentAway, s.putBack,
		s.readLocked, s.early, s.tooEarly, s.besideOnce, s.doubleChecked, s.escaped,
		s.oneSided, s.twoLocks, s.unordered} {
		if recognise(m, a, b) {
			return m
		}
	}
	return nil
}

// users returns an access within the standard library at the user's call that led there.
func (s *story) users(a act) act {
	if s.library == nil || !s.library(a.Where) {
		return a
	}
	for _, st := range s.f.Stacks {
		for _, p := range st.Frames {
			if st.Goroutine == a.G && !s.library(p) && s.source.function(p) != nil {
				e := *a.Event
				e.Where = p
				if e.Where.Object = s.source.statement(p); e.Where.Object == "" {
					return a
				}
				e.Where.Object = within + "`" + e.Where.Object + "`"
				a.Event = &e
				return a
			}
		}
	}
	return a
}

// within begins the name of memory that is reached through a call of the standard library.
const within = "memory within "

// code puts a name between backquotes.
func code(name string) string {
	if strings.HasPrefix(name, within) {
		return name
	}
	return "`" + name + "`"
}

// racing returns the two accesses of the finding in the order of the story.
func (s *story) racing() (a, b act, ok bool) {
	if len(s.f.Places) < 2 {
		return a, b, false
	}
	p, q := s.f.Places[0], s.f.Places[1]
	is := func(a act, p wire.Place) bool {
		return a.G == p.Goroutine && samePlace(a.Where, p) && a.op.String() == p.Op
	}
	for _, y := range slices.Backward(s.acts) {
		for _, x := range slices.Backward(s.acts[:y.i]) {
			if x.Obj == y.Obj && x.G != y.G && (is(x, p) && is(y, q) || is(x, q) && is(y, p)) {
				return x, y, true
			}
		}
	}
	return a, b, false
}

func verb(a act) string {
	if isWrite(a) {
		return "writes"
	}
	return "reads"
}

// at2 names both places, once if they are one.
func both(a, b act) string {
	if samePlace(a.Where, b.Where) {
		return at(a.Where)
	}
	return at(a.Where) + " and " + at(b.Where)
}

// readLocked: both hold one lock, and a writer holds it for reading only.
func (s *story) readLocked(m *Match, a, b act) bool {
	for _, h := range a.held {
		for _, k := range b.held {
			if h.obj != k.obj || !h.shared && !k.shared {
				continue
			}
			w, wh := a, h
			if !h.shared {
				w, wh = b, k
			}
			if !isWrite(w) {
				continue
			}
			m.Name, m.Lock = ReadLockWrite, s.lock(h.obj)
			took := s.acts[wh.since].Where
			m.Roles = append(m.Roles, Role{"lock", w.G, took, of(s.acts[wh.since])})
			m.Text = fmt.Sprintf("%s writes %s at %s, but holds %s for reading only (RLock at %s). Several goroutines may hold a read lock at once, so it does not keep %s out, which %s %s at %s.",
				w.G, code(m.Var), at(w.Where), m.Lock, at(took), other(w, a, b).G, verb(other(w, a, b)),
				code(s.named(other(w, a, b), m.Var)), at(other(w, a, b).Where))
			m.Hint = fmt.Sprintf("take %s for writing there: Lock and Unlock in place of RLock and RUnlock at %s", m.Lock, at(took))
			if strings.HasSuffix(update(w, s), "++") || strings.HasSuffix(update(w, s), "--") {
				m.Hint = fmt.Sprintf("make `%s` an atomic integer and use Add and Load: several readers still go on at once; or %s, which lets in one goroutine at a time", m.Var, m.Hint)
			}
			return true
		}
	}
	return false
}

func other(w, a, b act) act {
	if w.i == a.i {
		return b
	}
	return a
}

// update returns the statement at w if that reads and writes the same number: "c.hits++".
func update(w act, s *story) string {
	text := s.source.statement(w.Where)
	for _, op := range []string{"++", "--", "+=", "-=", "|=", "&="} {
		if strings.Contains(text, op) && !strings.Contains(text, `"`) {
			return text
		}
	}
	return ""
}

// early: the goroutine that writes has set an atomic before, which the other one has read.
func (s *story) early(m *Match, w, r act) bool {
	if isWrite(r) {
		return false
	}
	load, ok := s.last(r.i, func(a act) bool { return a.G == r.G && a.op == trace.OpAtomicLoad })
	if !ok {
		return false
	}
	store, ok := s.last(w.i, func(a act) bool {
		return a.G == w.G && a.Obj == load.Obj && (a.op == trace.OpAtomicStore || a.op == trace.OpAtomicRMW)
	})
	if !ok || s.name(store) == "" {
		return false
	}
	if _, _, same := s.source.together(store.Where, w.Where); !same {
		return false
	}
	m.Name = Publication
	flag := s.name(store)
	m.Roles = append(m.Roles, Role{"flag", store.G, store.Where, of(store)},
		Role{"check", load.G, load.Where, of(load)})
	m.Text = fmt.Sprintf("%s sets `%s` at %s, and only then writes `%s` at %s. %s reads `%s` at %s: once it is set, it reads `%s` at %s, which may not be written yet.",
		w.G, flag, at(store.Where), m.Var, at(w.Where), r.G, flag, at(load.Where), m.Var, at(r.Where))
	m.Hint = fmt.Sprintf("set `%s` last: move %s below the write of `%s` at %s", flag, at(store.Where),
		m.Var, at(w.Where))
	return true
}

// tooEarly: the goroutine that writes has told the other one before, by a channel or a WaitGroup,
// that it is done.
func (s *story) tooEarly(m *Match, w, r act) bool {
	if isWrite(r) {
		return false
	}
	got, ok := s.last(r.i, func(a act) bool {
		return a.G == r.G && (a.op == trace.OpRecv || a.op == trace.OpWGWait)
	})
	if !ok {
		return false
	}
	told, ok := s.last(w.i, func(a act) bool {
		return a.G == w.G && a.Obj == got.Obj && !failed(a) &&
			(a.op == trace.OpClose || a.op == trace.OpSend || a.op == trace.OpWGAdd && a.Arg < 0)
	})
	if !ok || s.name(told) == "" {
		return false
	}
	first, second, same := s.source.together(told.Where, w.Where)
	if !same || first.Line >= second.Line {
		return false
	}
	name := s.name(told)
	does, last := fmt.Sprintf("closes `%s`", name), fmt.Sprintf("close `%s`", name)
	switch told.op {
	case trace.OpSend:
		does, last = fmt.Sprintf("sends to `%s`", name), fmt.Sprintf("send to `%s`", name)
	case trace.OpWGAdd:
		does, last = fmt.Sprintf("calls %s.Done", name), fmt.Sprintf("call %s.Done", name)
	}
	m.Name = Publication
	m.Roles = append(m.Roles, Role{"told", told.G, told.Where, of(told)},
		Role{"waits", got.G, got.Where, of(got)})
	m.Text = fmt.Sprintf("%s %s at %s, and only then writes `%s` at %s. %s waits for that at %s and then reads `%s` at %s, which may not be written yet.",
		w.G, does, at(told.Where), m.Var, at(w.Where), r.G, at(got.Where), m.Var, at(r.Where))
	m.Hint = fmt.Sprintf("%s last: move %s below the write of `%s` at %s", last, at(told.Where), m.Var,
		at(w.Where))
	return true
}

// besideOnce: the write is in the function of a Once, and the other goroutine reads before it calls
// Do.
func (s *story) besideOnce(m *Match, w, r act) bool {
	if isWrite(r) {
		return false
	}
	do, ok := s.last(w.i, func(a act) bool {
		return a.G == w.G && (a.op == trace.OpOnce || a.op == trace.OpOnceDone)
	})
	if !ok || do.op != trace.OpOnce || s.name(do) == "" {
		return false
	}
	if _, did := s.last(r.i, func(a act) bool { return a.G == r.G && a.Obj == do.Obj }); did {
		return false
	}
	m.Name = Publication
	m.Roles = append(m.Roles, Role{"do", do.G, do.Where, of(do)})
	m.Text = fmt.Sprintf("%s writes `%s` at %s, in the function that %s.Do runs (%s). %s reads `%s` at %s and has not called %s.Do before that, so nothing orders the two.",
		w.G, m.Var, at(w.Where), s.name(do), at(do.Where), r.G, m.Var, at(r.Where), s.name(do))
	m.Hint = fmt.Sprintf("read `%s` only after %s.Do: it costs next to nothing once its function has run, so the read at %s is not needed; or use sync.OnceValue", m.Var, s.name(do), at(r.Where))
	return true
}

// doubleChecked: a variable is read without the lock under which it is written, perhaps after
// another look.
func (s *story) doubleChecked(m *Match, w, r act) bool {
	if isWrite(r) || len(w.held) == 0 || len(r.held) > 0 {
		return false
	}
	lock := w.held[len(w.held)-1]
	if lock.shared {
		return false
	}
	name := s.lock(lock.obj)
	unlocked := func(a act, before int) (act, bool) {
		return s.last(before, func(x act) bool {
			return x.G == a.G && x.op == trace.OpRead && len(x.held) == 0 && s.guarded(x.Obj, lock.obj)
		})
	}
	check, ok := unlocked(w, lock.since)
	if !ok {
		return false
	}
	pointer := check.Obj // what is checked without the lock
	set, ok := s.first(lock.since, func(x act) bool {
		return x.G == w.G && x.Obj == pointer &&
			x.op == trace.OpWrite
	})
	if !ok {
		return false
	}
	if _, _, same := s.source.together(check.Where, set.Where); !same {
		return false
	}
	if r.Obj != pointer {
		if _, ok := s.last(r.i, func(x act) bool {
			return x.G == r.G && x.Obj == pointer && isRead(x) &&
				len(x.held) == 0
		}); !ok {
			return false
		}
	}
	p := s.name(check)
	m.Name, m.Lock, m.Var = Publication, name, p
	m.Roles = append(m.Roles, Role{"check", check.G, check.Where, of(check)},
		Role{"lock", w.G, s.acts[lock.since].Where, of(s.acts[lock.since])},
		Role{"write", set.G, set.Where, of(set)})
	_, again := s.first(lock.since, func(x act) bool {
		return x.G == w.G && x.Obj == pointer && isRead(x) && x.i < set.i
	})
	is, without := "This is double-checked locking: ", ""
	if again {
		m.Hint = fmt.Sprintf("use sync.Once (or sync.OnceValue), or take %s before `%s` is read at all, or make `%s` %s", name, p, p,
			atomicFor(s.source.Declared(check.Where.File, check.Where.Line, p).Type))
	} else { // an atomic would let two goroutines pass
		is, without = "", ", without another look"
		m.Hint = fmt.Sprintf("take %s before `%s` is read at %s, and keep it until `%s` is written at %s, or use sync.Once: else two goroutines may both come past the look", name,
			p, at(check.Where), p, at(set.Where))
	}
	m.Text = fmt.Sprintf("%s`%s` is read without a lock at %s, and written under %s at %s by %s%s. Nothing orders the read of %s at %s with that write",
		is, p, at(check.Where), name, at(set.Where), w.G, without, r.G, at(r.Where))
	if r.Obj != pointer {
		m.Text += fmt.Sprintf(", so it may see `%s` and not yet what `%s` has, such as `%s` (%s)", p, p,
			s.named(r, s.name(w)), at(w.Where))
	}
	m.Text += "."
	m.Cause = fmt.Sprint(check.Where.File, ":", check.Where.Line, " ", set.Where.Line)
	return true
}

// atomicFor returns what holds a value of a type of the source for several goroutines without a
// lock: "an atomic.Bool".
func atomicFor(typ string) string {
	if elem, ok := strings.CutPrefix(typ, "*"); ok {
		return "an atomic.Pointer[" + elem + "]"
	}
	switch typ {
	case "bool":
		return "an atomic.Bool"
	case "int", "int64":
		return "an atomic.Int64"
	case "int32", "uint32", "uint64", "uintptr":
		return "an atomic." + strings.ToUpper(typ[:1]) + typ[1:]
	case "uint":
		return "an atomic.Uint64"
	case "":
		return "an atomic of its type"
	}
	return "an atomic.Value"
}

// guarded reports whether memory is written under a lock.
func (s *story) guarded(obj, lock int) bool {
	_, ok := s.first(0, func(a act) bool { return a.Obj == obj && isWrite(a) && holds(a, lock) })
	return ok
}

func holds(a act, lock int) bool {
	return slices.ContainsFunc(a.held, func(h hold) bool { return h.obj == lock })
}

// escaped: an element is read without the lock under which its slice or map was read before.
func (s *story) escaped(m *Match, a, b act) bool {
	in, out := a, b
	if len(in.held) == 0 {
		in, out = out, in
	}
	if len(in.held) == 0 || len(out.held) > 0 {
		return false
	}
	root, element := strings.CutSuffix(cutIndex(s.name(in)), "")
	lock := in.held[len(in.held)-1].obj
	got, ok := s.last(out.i, func(x act) bool {
		return x.G == out.G && isRead(x) && holds(x, lock) &&
			s.name(x) == root
	})
	if ok && s.reused(m, in, out, got, lock) {
		return true
	}
	if !element || root == s.name(in) || cutIndex(s.name(out)) == root || !ok {
		return s.returnedInside(m, in, out, lock)
	}
	f := s.source.function(got.Where)
	if f == nil || f.name == "" {
		return false
	}
	m.Name, m.Lock, m.Var = Escaped, s.lock(lock), root
	kind := s.source.container(f, root)
	m.Roles = append(m.Roles, Role{"returned", got.G, got.Where, of(got)})
	m.Text = fmt.Sprintf("%s returns `%s` itself (%s), and %s then %s its elements at %s without %s; %s %s `%s` at %s, with the lock. A %s that is returned is no copy: the lock guards it inside %s only.",
		f.name, root, at(got.Where), out.G, verb(out), at(out.Where), m.Lock, in.G, verb(in), s.name(in),
		at(in.Where), cmp.Or(kind, "slice or map"), f.name)
	m.Hint = fmt.Sprintf("let %s return a copy, made while it holds %s", f.name, m.Lock)
	if kind != "" {
		m.Hint += fmt.Sprintf(": %ss.Clone(%s)", kind, root)
	}
	return true
}

// reused is escaped for a slice that was taken, and begins anew with the same array after that: to
// append to it writes over what was taken.
func (s *story) reused(m *Match, in, out, got act, lock int) bool {
	root := cutIndex(s.name(in))
	if cutIndex(s.name(out)) == root || !strings.Contains(s.name(out), "[") {
		return false
	}
	p, ok := s.source.emptied(got.Where, root)
	if !ok {
		return false
	}
	m.Name, m.Lock, m.Var = Escaped, s.lock(lock), root
	m.Roles = append(m.Roles, Role{"taken", got.G, got.Where, of(got)})
	m.then(p, got, root+" = "+root+"[:0]")
	m.Text = fmt.Sprintf("%s takes the elements of `%s` at %s, with %s, and %s them at %s without it. `%s[:0]` at %s keeps the array, so %s writes over them at %s.",
		out.G, root, at(got.Where), m.Lock, verb(out), at(out.Where), root, at(p), in.G, at(in.Where))
	m.Hint = fmt.Sprintf("let `%s` begin with a new array, `%s = nil` at %s, or take a copy, slices.Clone(%s)", root,
		root, at(p), root)
	return true
}

// returnedInside is escaped for what a method returns and its caller uses at once: the elements of
// r.All() are those of r.peers.
func (s *story) returnedInside(m *Match, in, out act, lock int) bool {
	got, locked := s.last(out.i, func(x act) bool { return x.G == out.G && x.Obj == lock })
	call, ok := strings.CutSuffix(cutIndex(s.name(out)), "()")
	method := call[strings.LastIndexByte(call, '.')+1:]
	text, p := s.source.returned(in.Where.File, method)
	field := func(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }
	root := cutIndex(s.name(in))
	if !ok || !locked || text == "" || field(text) != field(root) || owner(text) == "" {
		return false
	}
	m.Name, m.Lock, m.Var = Escaped, s.lock(lock), root
	m.then(p, got, "return "+text)
	m.Text = fmt.Sprintf("%s returns `%s` itself (%s), and %s then %s its elements at %s without %s; %s %s `%s` at %s, with the lock. What is returned is no copy: the lock guards it inside %s only.",
		method, text, at(p), out.G, verb(out), at(out.Where), m.Lock, in.G, verb(in), s.name(in),
		at(in.Where), method)
	m.Hint = fmt.Sprintf("let %s return a copy, made while it holds %s", method, m.Lock)
	if kind := s.source.container(s.source.function(p), text); kind != "" {
		m.Hint += fmt.Sprintf(": %ss.Clone(%s)", kind, text)
	}
	return true
}

// cutIndex returns "r.names" of "r.names[i]".
func cutIndex(name string) string {
	root, _, _ := strings.Cut(name, "[")
	return root
}

// oneSided: only one of the two holds a lock.
func (s *story) oneSided(m *Match, a, b act) bool {
	in, out := a, b
	if len(in.held) == 0 {
		in, out = out, in
	}
	if len(in.held) == 0 || len(out.held) > 0 {
		return false
	}
	h := in.held[len(in.held)-1]
	m.Name, m.Lock = OneSided, s.lock(h.obj)
	how := ""
	if h.shared {
		how = " for reading"
	}
	m.Text = fmt.Sprintf("%s holds %s%s when it %s %s at %s; %s %s %s at %s and holds no lock, so nothing keeps the two apart.",
		in.G, m.Lock, how, verb(in), code(s.named(in, m.Var)), at(in.Where), out.G, verb(out),
		code(s.named(out, m.Var)),
		at(out.Where))
	m.Hint = fmt.Sprintf("lock %s around %s too", m.Lock, at(out.Where))
	if owner(m.Lock) != owner(s.named(in, m.Var)) { // it may be there for something else
		m.Hint = fmt.Sprintf("let both hold one lock, at %s and at %s", at(in.Where), at(out.Where))
	}
	return true
}

// owner returns what a field belongs to: "c" of "c.mu" and of "c.items[k]".
func owner(name string) string {
	name = cutIndex(name)
	return name[:max(0, strings.LastIndexByte(name, '.'))]
}

// twoLocks: both hold locks, none of them the same.
func (s *story) twoLocks(m *Match, a, b act) bool {
	if len(a.held) == 0 || len(b.held) == 0 {
		return false
	}
	if slices.ContainsFunc(a.held, func(h hold) bool { return holds(b, h.obj) }) {
		return false
	}
	of := func(x act) string { return s.lock(x.held[len(x.held)-1].obj) }
	m.Name = TwoLocks
	m.Text = fmt.Sprintf("%s holds %s when it %s %s at %s, and %s holds %s when it %s it at %s: these are two locks, and a lock keeps out only those that take the same one.",
		a.G, of(a), verb(a), code(m.Var), at(a.Where), b.G, of(b), verb(b), at(b.Where))
	if of(a) == of(b) {
		m.Text = strings.Replace(m.Text, "these are two locks",
			"the source has one name for them, but these are two locks (of two values)", 1)
	}
	m.Hint = fmt.Sprintf("let one lock guard %s wherever it is used", code(m.Var))
	took := s.acts[a.held[len(a.held)-1].since].Where
	if f, typ, ok := s.source.byValue(took, root(of(a))); ok && of(a) == of(b) {
		m.Text = strings.TrimSuffix(m.Text, ".") + fmt.Sprintf(". The receiver of %s is a value, so each call has a copy of %s, and of %s with it.", f, root(of(a)), of(a))
		m.Hint = fmt.Sprintf("give %s a pointer receiver, `func (%s *%s) %s`, and every other method that uses %s; go vet finds copies of locks", f, root(of(a)), typ, f, of(a))
	}
	return true
}

// hintUpdate says how to guard an update such as "n += len(a)". The work of its right side is done
// before the lock is taken, unless it needs the variable itself.
func (s *story) hintUpdate(name, text string) string {
	const elsewhere = "the same lock wherever else it is used while the goroutines run"
	left, right, ok := strings.Cut(text, " += ")
	uses := strings.Contains(right, left) || owner(left) != "" && strings.Contains(right, owner(left)+".")
	if !ok || !strings.Contains(right, "(") || uses {
		hint := fmt.Sprintf("guard `%s` with a sync.Mutex around `%s`, and %s", name, text, elsewhere)
		if strings.HasSuffix(text, "++") || strings.HasSuffix(text, "--") {
			hint += "; or make it an atomic integer and use Add and Load"
		}
		return hint
	}
	n := "n"
	if left == n {
		n = "more"
	}
	return fmt.Sprintf("do the work first, `%s := %s`, then lock a sync.Mutex around `%s += %s` alone, and %s; or make it an atomic, if it is an integer, and use Add(%s)", n, right, left, n, elsewhere, n)
}

// unordered: neither holds a lock.
func (s *story) unordered(m *Match, a, b act) bool {
	if len(a.held)+len(b.held) > 0 {
		return false
	}
	m.Name = Unordered
	if left, right := s.appends(a); left != "" && samePlace(a.Where, b.Where) {
		m.tellAppend(a, b, left, right)
		return true
	}
	if isWrite(b) && s.ownResult(m, a, b) {
		return true
	}
	if text := update(a, s); text != "" && samePlace(a.Where, b.Where) {
		m.Name = LostUpdate
		m.Text = fmt.Sprintf("%s and %s both run `%s` at %s without a lock. That reads `%s` and then writes it: if both read before one writes, one of the two updates is lost.",
			a.G, b.G, text, at(a.Where), m.Var)
		m.Hint = s.hintUpdate(m.Var, text)
		return true
	}
	m.Text = fmt.Sprintf("%s %s %s at %s and %s %s %s at %s; neither holds a lock, and nothing makes one wait for the other.",
		a.G, verb(a), code(s.named(a, m.Var)), at(a.Where), b.G, verb(b), code(s.named(b, m.Var)),
		at(b.Where))
	m.Hint = fmt.Sprintf("guard both accesses with one mutex, at %s, or let one goroutine wait until the other is done (a channel, a WaitGroup)", both(a, b))
	f, g := s.source.function(a.Where), s.source.function(b.Where)
	condition, line := s.source.condition(b.Where)
	if f != nil && g != nil && f.body == g.body && condition != "" && line <= a.Where.Line &&
		b.Where.Line < a.Where.Line {
		m.Hint = fmt.Sprintf("hold one mutex from the check at %s to the write at %s, and wherever else %s is used: with a lock around each alone another goroutine could still come between", at(b.Where), at(a.Where), code(m.Var))
	}
	return true
}

// appends returns the parts of an append to the variable that it is of: "out" and "scale(i)" of
// "out = append(out, scale(i))".
func (s *story) appends(a act) (left, right string) {
	text := s.source.statement(a.Where)
	left, call, ok := strings.Cut(text, " = append(")
	args, found := strings.CutPrefix(call, left+", ")
	if !ok || !found {
		return "", ""
	}
	return left, strings.TrimSuffix(args, ")")
}

// tellAppend explains two goroutines that append to one slice.
func (m *Match) tellAppend(a, b act, left, right string) {
	m.Name = LostUpdate
	m.Text = fmt.Sprintf("%s and %s both run `%s = append(%s, %s)` at %s without a lock. Each reads the slice, writes behind its end and sets `%s`: if both read before one sets it, one of the two values is lost.",
		a.G, b.G, left, left, right, at(a.Where), left)
	m.Hint = fmt.Sprintf("lock a sync.Mutex around the append at %s", at(a.Where))
	if strings.Contains(right, "(") {
		m.Hint = fmt.Sprintf("do the work first, `v := %s`, then lock a sync.Mutex around `%s = append(%s, v)` alone", right, left, left)
	}
	m.Hint += fmt.Sprintf("; or, where it is known how many values come, make `%s` of that length before, and let each goroutine set an element of its own, which also keeps their order", left)
}

// ownResult: two function literals of one function each assign their result to one variable.
func (s *story) ownResult(m *Match, a, b act) bool {
	f, g := s.source.function(a.Where), s.source.function(b.Where)
	if f == nil || g == nil || f.name != "" || g.name != "" || f.file != g.file ||
		!s.source.assigned(f, m.Var) || !s.source.assigned(g, m.Var) {
		return false
	}
	if f.body == g.body {
		if !samePlace(a.Where, b.Where) || strings.ContainsAny(m.Var, ".[(*&") {
			return false
		}
		m.Text = fmt.Sprintf("%s and %s run the same function and both set `%s` at %s: it is declared outside of it, so there is one for all of them, and the later one overwrites the other.",
			a.G, b.G, m.Var, at(a.Where))
		m.Hint = fmt.Sprintf("give each goroutine its own `%s`: declare it in the function, with `:=` in place of `=` at %s, and put the values together under a mutex or when all have ended. A mutex around this one would end the race, but keep one value only", m.Var, at(a.Where))
		return true
	}
	m.Text = fmt.Sprintf("%s sets `%s` at %s and %s sets the same `%s` at %s; nothing says which comes last, and the later one overwrites the other.",
		a.G, m.Var, at(a.Where), b.G, m.Var, at(b.Where))
	m.Hint = fmt.Sprintf("give each of the two functions its own `%s`, and put the two together when both have ended. A mutex would end the race, but not keep both values", m.Var)
	return true
}
