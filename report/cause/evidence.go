package cause

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"heddle/internal/norm"
	"heddle/rt/wire"
)

// A class says what a finding is, from what tells most of a cause to what tells least.
type class int

const (
	disorder class = iota // two synchronising operations in no order
	race
	failure // a panic, a misuse that ended the program, a failed test
	blocked
	other
)

// Evidence is what is known of the cause of a finding.
type evidence struct {
	f     Finding
	class class
	spots []spot // its places in the user's code
	steps steps
	up    int // union-find
	leads int // how many races are consequences of this one
}

// A spot is a place of a finding in the user's code.
type spot struct {
	file    string
	at      int
	line    string // of the source, as file:line
	fn      string
	op      string
	object  string
	g       string
	callers []string // lines of the user's code, without its tests, from the inner on
	test    bool     // it is in a test file
	step    int      // of its operation in the clip, -1: none
	locks   []string // lines at which the locks were taken that are held there
	read    bool     // the last of them is held for reading
	known   bool     // locks are known
}

func (c *Code) evidence(f Finding) *evidence {
	e := &evidence{f: f, class: classOf(f.Finding), steps: steps(f.Clip.Steps)}
	places := f.CorePlaces()
	if e.class == race || e.class == disorder {
		places = f.Places
	}
	for _, p := range places {
		e.spots = append(e.spots, c.spot(e, p))
	}
	return e
}

func classOf(f *wire.Finding) class {
	switch {
	case f.Kind == "data race" && len(f.Places) == 2:
		return race
	case f.Kind == "misuse" && len(f.Places) == 2:
		return disorder
	case f.Kind == "misuse", f.Kind == "panic", f.Kind == "test failure":
		return failure
	case f.Kind == "deadlock", f.Kind == "leak":
		return blocked
	}
	return other
}

// spot returns the place of the user's code that stands for p: p itself, or the call that led to
// it.
func (c *Code) spot(e *evidence, p wire.Place) spot {
	s := spot{op: strings.TrimPrefix(p.Op, "atomic "), object: p.Object, g: p.Goroutine,
		step: e.steps.last(p)}
	if s.step >= 0 {
		var locks []Lock
		locks, s.known = Held(e.steps[:s.step], p.Goroutine)
		s.locks, s.read = linesOf(locks), len(locks) > 0 && locks[len(locks)-1].Read
	}
	own := p
	stack := c.users(stackOf(e.f.Stacks, p))
	if c.Foreign(p.File) && len(stack) > 0 {
		own = stack[0]
		s.object = ""
	}
	s.file, s.at, s.line, s.test = own.File, own.Line, lineOf(own), isTest(own.File)
	for i, f := range stack {
		if f.File == own.File && f.Line == own.Line {
			stack = stack[i+1:]
			break
		}
	}
	s.fn = c.Function(own.File, own.Line)
	if s.object != "" && c.Global(p.File, p.Line, first(s.object)) {
		return s // one object, from all callers
	}
	for _, f := range stack {
		if isTest(f.File) {
			break
		}
		s.callers = append(s.callers, lineOf(f))
	}
	return s
}

// stackOf returns the frames of the goroutine of p, with those of the go statement behind them, if
// p is on its stack.
func stackOf(stacks []wire.Stack, p wire.Place) []wire.Place {
	for i := range stacks {
		s := &stacks[i]
		if s.Goroutine == p.Goroutine && slices.ContainsFunc(s.Frames,
			func(f wire.Place) bool { return f.File == p.File && f.Line == p.Line }) {
			return slices.Concat(s.Frames, s.Start)
		}
	}
	return nil
}

func (c *Code) users(frames []wire.Place) []wire.Place {
	return slices.DeleteFunc(slices.Clone(frames), func(f wire.Place) bool {
		return f.File == "" || c.Foreign(f.File) || strings.HasPrefix(f.Func, "heddlert/")
	})
}

func isTest(file string) bool { return strings.HasSuffix(file, "_test.go") }

func lineOf(p wire.Place) string {
	return filepath.ToSlash(p.File) + ":" + strconv.Itoa(p.Line)
}

// first returns the first name of an expression: "h" of "h.total", "" if it begins with none.
func first(expr string) string {
	i := strings.IndexFunc(expr, func(r rune) bool {
		return !(r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 127)
	})
	if i < 0 {
		return expr
	}
	return expr[:i]
}

// parent returns the object that an expression is a part of: "h" of "h.total", "n" of "n".
func parent(expr string) string {
	if i := strings.LastIndexByte(expr, '['); i > 0 && strings.HasSuffix(expr, "]") {
		return expr[:i]
	}
	if i := strings.LastIndexByte(expr, '.'); i > 0 {
		return expr[:i]
	}
	return expr
}

// calledAt reports whether one of the callers is at line.
func (s *spot) calledAt(line string) bool { return slices.Contains(s.callers, line) }

// tokens names what the finding may share with another of the same cause. Those that share one are
// compared by alike.
func (e *evidence) tokens() []string {
	switch e.class {
	case race:
		return e.raceTokens()
	case disorder:
		return []string{"disorder " + pair(e.spots, func(s *spot) string { return s.line + " " + s.op })}
	case failure:
		s := e.where()
		if s == nil || s.test {
			return nil
		}
		return []string{"failure " + e.f.Kind + " " + s.line + " " + norm.Message(e.f.Message)}
	case blocked:
		return []string{"blocked " + e.waits()}
	}
	return nil
}

func (e *evidence) raceTokens() []string {
	ts := []string{
		"lines " + pair(e.spots, func(s *spot) string { return s.line + " " + s.object }),
	}
	if e.spots[0].object != "" && e.spots[1].object != "" {
		ts = append(ts, "part "+pair(e.spots, func(s *spot) string {
			return s.fn + " " + parent(s.object) + " " + s.section()
		}))
	}
	if e.f.Explained != "" {
		ts = append(ts, "explained "+e.f.Explained)
	}
	for i := range e.spots { // a write that no lock guards, and other accesses without a lock
		a, b := &e.spots[i], &e.spots[1-i]
		if a.op == "write" && a.object != "" && a.known && b.known && len(a.locks)+len(b.locks) == 0 {
			ts = append(ts, "unguarded "+a.line+" "+a.object)
		}
	}
	if e.spots[0].read && e.spots[1].read { // a lock for reading where a lock is needed
		ts = append(ts, "reading "+pair(e.spots, func(s *spot) string { return s.section() }))
	}
	return ts
}

// section returns the lines at which the locks were taken that are held.
func (s *spot) section() string { return strings.Join(s.locks, ",") }

// pair returns what two spots are by name, in either order.
func pair(spots []spot, name func(*spot) string) string {
	a, b := name(&spots[0]), name(&spots[1])
	return min(a, b) + " | " + max(a, b)
}

// where returns the place of a failure.
func (e *evidence) where() *spot {
	if len(e.spots) == 0 {
		return nil
	}
	return &e.spots[0]
}

// waits names what goroutines wait for: the lines, without those of tests where there are others,
// and where the holders of locks took them.
func (e *evidence) waits() string {
	var lines []string
	inTest := true
	for _, s := range e.spots {
		inTest = inTest && s.test
	}
	for i, s := range e.spots {
		if s.test && !inTest {
			continue
		}
		l := fmt.Sprintf("%s %s %s", s.op, s.object, s.line)
		if how, holders, ok := strings.Cut(e.f.CorePlaces()[i].Note, " by "); ok &&
			strings.HasPrefix(how, "held") {
			for _, h := range strings.Split(holders, ", ") {
				locks, _ := Held(e.steps, h)
				l += " from " + strings.Join(linesOf(locks), ",")
			}
		}
		lines = append(lines, l)
	}
	if inTest {
		lines = append(lines, e.f.Package+" "+e.f.Test)
	}
	slices.Sort(lines)
	return strings.Join(slices.Compact(lines), "; ")
}

// alike reports whether two findings that share a token were come to by callers that the fix need
// not tell apart.
func alike(a, b *evidence) bool {
	if a.class != b.class {
		return false
	}
	if a.class == race || a.class == disorder {
		straight := along(&a.spots[0], &b.spots[0]) && along(&a.spots[1], &b.spots[1])
		crossed := along(&a.spots[0], &b.spots[1]) && along(&a.spots[1], &b.spots[0])
		return straight || crossed
	}
	for i := range a.spots {
		if a.spots[i].test {
			continue
		}
		if !slices.ContainsFunc(b.spots, func(s spot) bool { return along(&a.spots[i], &s) }) {
			return false
		}
	}
	return true
}

// along reports whether the callers of one spot are the inner ones of the other's. Two lists that
// part say that one line serves two objects.
func along(a, b *spot) bool {
	n := min(len(a.callers), len(b.callers))
	return slices.Equal(a.callers[:n], b.callers[:n])
}

// dependsOn reports whether the failure e needs the race or misuse b: a switch without which it
// does not show is at one of its accesses, or, without a switch, what fails is where one of them
// is.
func (c *Code) dependsOn(e *evidence, b *wire.Finding) bool {
	if k := classOf(b); k != race && k != disorder {
		return false
	}
	if s := e.where(); e.class == failure && s != nil {
		for _, p := range b.Places {
			if lineOf(p) == s.line && p.Goroutine == s.g {
				return true
			}
		}
	}
	if switched, at, after := e.steps.switchAt(b.Places); switched {
		return at || after && e.failsIn(b.Places)
	}
	return e.class == failure && c.failsBeside(e, b.Places)
}

// failsIn reports whether the goroutine that fails is one of those of the places.
func (e *evidence) failsIn(places []wire.Place) bool {
	return slices.ContainsFunc(e.f.Stacks, func(s wire.Stack) bool {
		return slices.ContainsFunc(places, func(p wire.Place) bool { return p.Goroutine == s.Goroutine })
	})
}

// failsBeside reports whether a function on the stack of the failure has one of the places.
func (c *Code) failsBeside(e *evidence, places []wire.Place) bool {
	for _, p := range places {
		fn := c.Function(p.File, p.Line)
		for _, f := range e.f.Stacks {
			if fn != "" && f.Goroutine == p.Goroutine && slices.ContainsFunc(c.users(f.Frames),
				func(f wire.Place) bool { return c.Function(f.File, f.Line) == fn }) {
				return true
			}
		}
	}
	return false
}
