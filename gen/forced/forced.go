// Package forced writes Go tests that force the order of a clip under plain go test. Such a test
// runs the clip's test on copies of the package's files (go test -overlay) in which goroutines stop
// at statements, on one processor: each waits on a channel until it is its turn in the clip's order
// or, where that does not force it, sleeps before the statement at which the clip switches away
// from it. In the old code it fails. In new code it runs the same stops where their statements are
// still there.
//
//	text, err := forced.Test(file, dir, 0)  // a Go file for the folder of the package
//
// Where a clip switches within a statement, within the standard library or at a deferred call, no
// statement can be put there, and the error says so. A data race makes plain go test fail only by
// chance; go test -race reports it in most orders.
package forced

import (
	_ "embed"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"heddle/clip"
	"heddle/rt/wire"
)

// runtimeText is the source that every test carries with it.
//
//go:embed stops.go
var runtimeText string

// Ways is how many ways there are to force the order of a clip. The first ByChannels of them wait
// on channels: for all parts of the order, or for those up to the last switch. The others sleep.
const (
	Ways       = 5
	ByChannels = 2
)

// Test returns the text of a Go test for the package in dir that forces the order of a clip, in one
// of several ways. Where goroutines sleep, they begin as they do, in the order in which they were
// started, or when they do in the clip. The error says why it cannot be forced.
func Test(f *clip.File, dir string, way int) (string, error) {
	switch {
	case f.Kind == "data race":
		return "", fmt.Errorf("a data race needs no order that a plain test could force, and does not fail by itself: go test -race -run '^%s$' reports it", f.Test)
	case f.Free || f.Early():
		return "", fmt.Errorf("its timers fire early, which plain go test cannot have")
	case f.Input != nil:
		return "", fmt.Errorf("it is of a fuzz target, whose input go test has in testdata/fuzz")
	case !strings.HasPrefix(f.Test, "Test"):
		return "", fmt.Errorf("%s is no test", f.Test)
	}
	pkg, err := forcedTestPackage(dir, f.Test)
	if err != nil {
		return "", err
	}
	w := &writer{c: &f.Clip, dir: dir, sources: map[string][]forcedStatement{}, channels: way < ByChannels}
	switch {
	case w.draws() != nil:
		return "", w.draws()
	case w.channels:
		err = w.turns(way == 1)
	default:
		err = w.switches()
	}
	if err != nil {
		return "", err
	}
	switch way - ByChannels {
	case 1:
		w.reordered()
	case 2:
		w.delayed()
	}
	return w.text(pkg)
}

// A writer makes the plan for a clip.
type writer struct {
	c       *wire.Clip
	dir     string
	sources map[string][]forcedStatement // by file
	stops   []forcedStop

	channels bool
}

// draws says which outcome of a choice the clip needs, if any.
func (w *writer) draws() error {
	for _, st := range w.c.Steps {
		if st.Op == "choose" && st.Choice > 0 {
			return fmt.Errorf("it needs the outcome %d of a choice, which plain go test draws", st.Choice)
		}
	}
	return nil
}

// switches puts a stop before the operation with which each goroutine goes on that the clip has
// switched away from.
func (w *writer) switches() error {
	for i := 1; i < len(w.c.Steps); i++ {
		st, p := &w.c.Steps[i], w.c.Steps[i-1].G
		if !st.Switch || p == st.G {
			continue
		}
		next := slices.IndexFunc(w.c.Steps[i:], func(s wire.Step) bool { return s.G == p })
		if next < 0 {
			continue
		}
		if err := w.stop(i, i+next, switchMillis*(1+len(w.stops))); err != nil {
			return err
		}
	}
	return nil
}

// How long goroutines stop, in milliseconds. A later switch lasts longer, so that goroutines that
// have stopped go on in the order in which they stopped. Starts are over before the first of them.
const (
	startMillis  = 20
	switchMillis = 100
)

// stop puts a stop before the operation of a step, for a goroutine that comes there when cut steps
// were made.
func (w *writer) stop(cut, step, millis int) error {
	at := &w.c.Steps[step].Where
	s := w.statement(w.c.Steps[step].G, at)
	if s == nil {
		return fmt.Errorf("%s at %s:%d is not in a statement of the package", w.c.Steps[step].Op, at.File,
			at.Line)
	}
	if s.Deferred {
		return fmt.Errorf("the clip switches before the deferred %s of %s:%d, where no statement can be put", w.c.Steps[step].Op, at.File, at.Line)
	}
	for k := cut - 1; k >= 0; k-- {
		st := &w.c.Steps[k]
		if st.G != w.c.Steps[step].G {
			continue
		}
		if b := w.statement(st.G, &st.Where); b != nil && *b == *s && st.Op != "start" {
			return fmt.Errorf("the clip switches within the statement %q of %s:%d", s.Text, at.File, at.Line)
		}
		break
	}
	w.stops = append(w.stops, forcedStop{File: at.File, Function: s.Function, Statement: s.Text, Nth: s.Nth,
		Arrival: w.arrival(cut, step, s), Millis: millis})
	return nil
}

// arrival returns the number of times that a goroutine comes to the statement of a step, that step
// included.
func (w *writer) arrival(cut, step int, s *forcedStatement) int {
	n := 1
	last := map[string]bool{} // goroutines that are at the statement
	for i := range cut {
		st := &w.c.Steps[i]
		b := w.statement(st.G, &st.Where)
		at := b != nil && *b == *s && st.Op == w.c.Steps[step].Op // a line can have several statements
		if at && !last[st.G] {
			n++
		}
		last[st.G] = at
	}
	return n
}

// reordered puts stops before the first operations of the goroutines that are not the first to
// begin: the last one that is started begins first in plain Go, on one processor.
func (w *writer) reordered() {
	for rank, i := range w.begins() {
		if rank > 0 {
			w.stop(0, i, startMillis*rank) // where none can be, it starts as it does
		}
	}
}

// delayed puts stops before the first operations of the goroutines that begin after a switch.
func (w *writer) delayed() {
	arrivals := map[forcedStatement]int{}
	for _, i := range w.begins() {
		s := w.statement(w.c.Steps[i].G, &w.c.Steps[i].Where)
		if s == nil {
			continue
		}
		arrivals[*s]++
		switches := 0
		for k := 1; k < i; k++ {
			if w.c.Steps[k].Switch && w.c.Steps[k-1].G != w.c.Steps[k].G {
				switches++
			}
		}
		if switches > 1 && w.stop(0, i, switchMillis*(switches-1)+switchMillis/2) == nil {
			w.stops[len(w.stops)-1].Arrival = arrivals[*s]
		}
	}
}

// begins returns the index of the first step of each goroutine but main, in their order.
func (w *writer) begins() (first []int) {
	begun := map[string]bool{"main": true}
	for i := range w.c.Steps {
		if g := w.c.Steps[i].G; !begun[g] && w.c.Steps[i].Op != "start" {
			begun[g] = true
			first = append(first, i)
		}
	}
	return first
}

// statement returns the innermost statement at a place of goroutine g. A line that begins a
// function literal may have two: the one inside is of a goroutine that was started there.
func (w *writer) statement(g string, at *wire.Place) *forcedStatement {
	if at.File == "" || filepath.IsAbs(at.File) || strings.Contains(at.File, "/") {
		return nil
	}
	list, ok := w.sources[at.File]
	if !ok {
		if src, err := os.ReadFile(filepath.Join(w.dir, at.File)); err == nil {
			list = forcedStatements(src)
		}
		w.sources[at.File] = list
	}
	for i := range slices.Backward(list) {
		s := &list[i]
		if s.First <= at.Line && at.Line <= s.Last && (s.Literal != at.Line || w.startedAt(g, at)) {
			return s
		}
	}
	return nil
}

// startedAt reports whether a goroutine was started at a place.
func (w *writer) startedAt(g string, at *wire.Place) bool {
	return slices.ContainsFunc(w.c.Steps, func(st wire.Step) bool {
		return st.G == g && st.Op == "start" && st.Where.File == at.File && st.Where.Line == at.Line
	})
}

const generated = "// Code generated by heddle clips go; DO NOT EDIT.\n"

// In returns the names of the tests in a folder that were made of clips: they are no use to heddle,
// which has the clips.
func In(dir string) (names []string) {
	files, _ := filepath.Glob(filepath.Join(dir, "*_test.go"))
	for _, name := range files {
		if src, err := os.ReadFile(name); err == nil && strings.HasPrefix(string(src), generated) {
			for _, m := range testOf.FindAllStringSubmatch(string(src), -1) {
				names = append(names, m[1])
			}
		}
	}
	return names
}

// testOf matches a test that was made of a clip.
var testOf = regexp.MustCompile(`(?m)^func (Test\w+_[0-9a-f]{8})\(`)

// Name returns the name of the test for a clip.
func Name(c *wire.Clip) string { return c.Test + "_" + clip.Name(c) }

// importsOf matches the package clause and the imports of runtimeText.
var importsOf = regexp.MustCompile(`(?s)^(?://[^\n]*\n)*\n?package forced\n\n(import \(.*?\n\)\n)`)

// text writes the file.
func (w *writer) text(pkg string) (string, error) {
	id := clip.Name(w.c)
	head := importsOf.FindStringSubmatchIndex(runtimeText)
	if head == nil {
		return "", fmt.Errorf("stops.go does not begin with its imports")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\npackage %s\n\n", generated, pkg)
	b.WriteString(runtimeText[head[2]:head[3]])
	fmt.Fprintf(&b, "\n// %s runs %s in the order of a clip of heddle, which shows this:\n// %s.\n%s",
		Name(w.c), w.c.Test, oneLine(w.c.Kind+": "+w.c.Message), w.how())
	fmt.Fprintf(&b, "func %s(t *testing.T) {\n\tforcedRun(t, forcedPlan{Test: %q, Leaks: %v, Stops: []forcedStop{\n",
		Name(w.c), w.c.Test, w.c.Kind == "leak")
	for _, s := range w.stops {
		fmt.Fprintf(&b, "\t\t{File: %q, Function: %q, Statement: %q, Nth: %d, Arrival: %d, ",
			s.File, s.Function, s.Statement, s.Nth, s.Arrival)
		if s.After {
			b.WriteString("After: true, ")
		}
		if w.channels {
			fmt.Fprintf(&b, "Over: %d, Turn: %d},\n", s.Over, s.Turn)
		} else {
			fmt.Fprintf(&b, "Millis: %d},\n", s.Millis)
		}
	}
	b.WriteString("\t}})\n}\n")
	b.WriteString(runtimeText[head[3]:])
	own := regexp.MustCompile(`\bforced[A-Z]\w*`).ReplaceAllStringFunc(b.String(), func(s string) string {
		return s + "_" + id
	})
	text, err := format.Source([]byte(own))
	return string(text), err
}

// how says for the reader of the test how it forces the order.
func (w *writer) how() string {
	if w.channels {
		return "// Channels force the order: each goroutine waits for its turn.\n"
	}
	return "// Sleeping forces the order: where goroutines waited for channels it did not come about.\n"
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
