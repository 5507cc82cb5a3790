// Package cause decides which findings of a run have one cause, so that a bug is told once. In:
// findings, as they come. Out: groups of them, each with the finding that tells most.
//
// Two findings have one cause only where what is known says so: the same code with the same
// callers; the same object and the same unprotected section; a failure whose execution has the race
// among its own, and the need for a switch at one of its accesses. Where the fix may differ the
// findings stay apart: two reports of one bug cost a minute, a bug in another's report can be lost.
//
// Nothing here reads a file or asks a clock.
package cause

import (
	"slices"
	"strings"

	"heddle/rt/wire"
)

// A Finding is one finding, with places by file and line.
type Finding struct {
	*wire.Finding
	Package, Test string
	// Explained names the code that its pattern is about, if that is known: of double-checked
	// locking the lines of the check and of the write.
	Explained string
}

// Code says what is known of the source.
type Code struct {
	// Foreign reports whether a file is not the user's to change: the standard library, a
	// dependency.
	Foreign func(file string) bool
	// Line returns a line of the source without white space at its ends, or "".
	Line func(file string, line int) string
	// Function names the innermost function that a line is in, "" if that is not known.
	Function func(file string, line int) string
	// Global reports whether name is declared at package level where a line uses it.
	Global func(file string, line int, name string) bool
}

// Groups are findings by cause. The zero value with Code is ready for use.
type Groups struct {
	Code    Code
	all     []*evidence
	buckets map[string][]int // indices of findings, by token
}

// Add adds a finding and returns its index, from 0.
func (g *Groups) Add(f Finding) int {
	if g.buckets == nil {
		g.buckets = map[string][]int{}
	}
	n := len(g.all)
	e := g.Code.evidence(f)
	e.up = n
	g.all = append(g.all, e)
	for _, token := range e.tokens() {
		for _, i := range g.buckets[token] {
			if alike(g.all[i], e) {
				g.join(i, n)
			}
		}
		g.buckets[token] = append(g.buckets[token], n)
	}
	return n
}

// Settle joins the findings of a test with those that their executions show beside them. It is
// called when all findings of the test are there.
func (g *Groups) Settle(pkg, test string) {
	var mine []int
	for i, e := range g.all {
		if e.f.Package == pkg && e.f.Test == test {
			mine = append(mine, i)
		}
	}
	for _, i := range mine { // races first: failures ask whether theirs are of one group
		if root := g.leads(mine, i); root >= 0 {
			g.join(root, i)
			g.all[root].leads++
		}
	}
	for _, i := range mine {
		if root := g.broke(mine, i); root >= 0 {
			g.join(root, i)
		}
	}
}

// before reports whether a tells more of their common cause than b.
func before(a, b *evidence) bool {
	if x, y := a.rank(), b.rank(); x != y {
		return x < y
	}
	return a.leads > b.leads
}

// rank orders the findings of a cause for its report. What explains the others comes first: a Wait
// that an Add is not ordered with, a race. Of other misuse that only may go wrong, such as a send
// and a close in no order, what did go wrong comes first, as that is what go test shows.
func (e *evidence) rank() int {
	switch waits := slices.ContainsFunc(e.f.Places, func(p wire.Place) bool { return p.Op == "wg-wait" }); {
	case e.class == disorder && waits:
		return 0
	case e.class == race:
		return 1
	case e.class == failure:
		return 2
	case e.class == disorder:
		return 3
	}
	return 4
}

func (g *Groups) root(i int) int {
	for g.all[i].up != i {
		g.all[i].up = g.all[g.all[i].up].up
		i = g.all[i].up
	}
	return i
}

func (g *Groups) join(i, j int) {
	a, b := g.root(i), g.root(j)
	g.all[max(a, b)].up = min(a, b)
}

// leads returns the finding, of those of a test, of which the race i is a consequence: a Wait that
// returned too early, or the pointer by which the raced memory was reached. It is -1 if there is
// none.
func (g *Groups) leads(mine []int, i int) int {
	e := g.all[i]
	if e.class != race {
		return -1
	}
	for k := range e.f.Beside {
		b := &e.f.Beside[k]
		if len(b.Places) != 2 || !(g.Code.published(e, b) || afterWait(e, b)) {
			continue
		}
		for _, j := range mine {
			if j != i && samePlaces(g.all[j].f.Places, b.Places) {
				return j
			}
		}
	}
	return -1
}

// broke returns the race or misuse that broke the execution of failure i, if it was one cause
// alone; else -1.
func (g *Groups) broke(mine []int, i int) int {
	e := g.all[i]
	if e.class < failure {
		return -1
	}
	found := -1
	for k := range e.f.Beside {
		b := &e.f.Beside[k]
		for _, j := range mine {
			if g.all[j].class >= failure || !samePlaces(g.all[j].f.Places, b.Places) {
				continue
			}
			if found >= 0 && g.root(found) != g.root(j) {
				return -1 // two causes: either may be the one
			}
			found = j
		}
	}
	for k := range e.f.Beside {
		if found >= 0 && g.Code.dependsOn(e, &e.f.Beside[k]) {
			return found
		}
	}
	return -1
}

// samePlaces reports whether two lists have the same lines with the same operations, in either
// order.
func samePlaces(a, b []wire.Place) bool {
	if len(a) != len(b) {
		return false
	}
	names := func(ps []wire.Place) []string {
		var s []string
		for _, p := range ps {
			s = append(s, lineOf(p)+" "+p.Op)
		}
		slices.Sort(s)
		return s
	}
	return slices.Equal(names(a), names(b))
}

// published reports whether the memory of race e is reached through the variable of the race b, in
// whose execution it is too: of the same goroutines in the same roles, the writer under the same
// lock or none.
func (c *Code) published(e *evidence, b *wire.Finding) bool {
	if b.Kind != "data race" {
		return false
	}
	for k := range 2 {
		w1, r1 := b.Places[k], b.Places[1-k]
		if !strings.HasSuffix(w1.Op, "write") || w1.Object == "" {
			continue
		}
		for n := range e.spots {
			w2, r2 := &e.spots[n], &e.spots[1-n]
			if w2.op != "write" || w2.g != w1.Goroutine || r2.g != r1.Goroutine || w2.line == lineOf(w1) {
				continue
			}
			if through(w2.object, w1.Object) && w2.fn == c.Function(w1.File, w1.Line) ||
				w2.calledAt(lineOf(w1)) ||
				c.assigns(w1, parent(w2.object)) && w2.file == w1.File && w2.at <= w1.Line {
				return true
			}
		}
	}
	return false
}

// through reports whether an expression is reached through a variable: "settings.Limit" is through
// "settings".
func through(expr, variable string) bool {
	rest, ok := strings.CutPrefix(expr, variable)
	return ok && rest != "" && (rest[0] == '.' || rest[0] == '[')
}

// assigns reports whether the line of a write gives its variable the value of name.
func (c *Code) assigns(w wire.Place, name string) bool {
	_, value, ok := strings.Cut(c.Line(w.File, w.Line), "= ")
	return ok && name != "" && strings.TrimPrefix(strings.TrimSpace(value), "&") == name
}

// afterWait reports whether b is a Wait that an Add of the other goroutine was not ordered with,
// and the race e comes after both.
func afterWait(e *evidence, b *wire.Finding) bool {
	if b.Kind != "misuse" {
		return false
	}
	later := 0
	for _, p := range b.Places {
		for n := range e.spots {
			at := e.steps.last(p)
			if p.Goroutine == e.spots[n].g && at >= 0 && e.spots[n].step > at {
				later++
			}
		}
	}
	return later == 2 && slices.ContainsFunc(b.Places, func(p wire.Place) bool { return p.Op == "wg-wait" })
}

// Same reports whether findings i and j have one cause.
func (g *Groups) Same(i, j int) bool { return g.root(i) == g.root(j) }

// Lead returns the one of some findings of one cause that tells most of it.
func (g *Groups) Lead(of []int) int {
	best := of[0]
	for _, i := range of[1:] {
		if before(g.all[i], g.all[best]) {
			best = i
		}
	}
	return best
}
