package report

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"heddle/rt/wire"
	"heddle/trace"
)

// explain returns a finding as the lines below the heading of its test: what went wrong, where,
// which steps led to it, and how to see it again. It is written for a reader without knowledge of
// heddle.
func (r *Reporter) explain(test string, f Finding) string {
	var b strings.Builder
	put := func(n int, lines ...string) {
		for _, l := range lines {
			if l != "" {
				b.WriteString(strings.Repeat(" ", n) + l)
			}
			b.WriteByte('\n')
		}
	}
	section := func(name string, lines ...string) {
		for i, l := range lines {
			if i > 0 {
				name = ""
			}
			put(4, fill(name, 8)+l)
		}
	}
	put(4, heading(f.Finding))
	e := r.explained(&f)
	if e.needsMessage(f.Finding) {
		for line := range lines(strings.TrimSpace(clean(message(f.Finding)))) {
			if line = strings.TrimSuffix(line, "\n"); !programs(f.Kind) {
				put(6, wrap(line, r.o.Width-6)...)
			} else {
				put(6, line)
			}
		}
	}
	put(6, wrap(e.Why, r.o.Width-6)...)
	if e.Hint != "" {
		section("hint", wrap(e.Hint, r.o.Width-12)...)
	}
	notes := r.placesAndStacks(f, put)
	section("started", notes...)
	if f.Divergence != "" && !strings.Contains(message(f.Finding), f.Divergence) {
		put(6, strings.Split(clean(f.Divergence), "\n")...)
	}
	if out := ownLines(test, f.Output); strings.TrimSpace(out) != "" && !saysMessage(out, f.Finding) {
		put(4, "output")
		b.WriteString(indent(6, clean(r.cut(out))))
	}
	if len(f.Clip.Steps) > 1 {
		head, rows := r.steps(&f)
		section("steps", wrapAt(head, ", ", r.o.Width-12)...)
		put(6, table(rows, r.o.Width-6)...)
	}
	if f.FromClip != "" {
		section("from", "a replay of the clip: the finding is still there")
	}
	if len(f.Clip.Input) > 0 {
		section("input", r.input(test, &f)...)
	}
	if f.ClipPath != "" {
		section("clip", fmt.Sprintf("%s   (%s)", oneLine(f.ClipPath), switches(f.Finding)))
		var more []string
		if f.Verbose {
			more = append(more, "-v")
		}
		section("replay", r.replayLine(f.ClipPath, more...))
	}
	return b.String()
}

// programs reports whether messages of a kind have what the program says, or what cannot be broken.
func programs(kind string) bool {
	return slices.Contains([]string{"panic", "test failure", "divergence", "uncontrolled"}, kind)
}

// input returns the input of a fuzz target, and where it is stored for go test.
func (r *Reporter) input(test string, f *Finding) []string {
	lines := []string{oneLine(strings.Join(f.Clip.Input, ", "))}
	if names := f.Clip.Named; len(names) == len(f.Clip.Input) {
		var values []string
		of := ""
		for i, v := range f.Clip.Input {
			if strings.HasPrefix(names[i], "element ") {
				of = names[i] + ": "
				continue
			}
			values, of = append(values, of+names[i]+" = "+v), ""
		}
		lines[0] = oneLine(strings.Join(values, ", "))
	}
	if f.InputFile != "" {
		lines[0] = middleOut(lines[0], mostOfInput)
		lines = append(lines,
			fmt.Sprintf("%s   (go test -run=%s/%s runs it, in whatever order)", r.short(f.InputFile), test,
				filepath.Base(f.InputFile)))
	}
	return lines
}

// mostOfInput is how much of an input is shown that stands in a file.
const mostOfInput = 200

// middleOut leaves out the middle of a text of more than most bytes, and says how much that is.
func middleOut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	from, to := most/2, len(s)-most/4
	for from > 0 && !utf8.RuneStart(s[from]) {
		from--
	}
	for to < len(s) && !utf8.RuneStart(s[to]) {
		to++
	}
	return fmt.Sprintf("%s ... (%d bytes left out) ... %s", s[:from], to-from, s[to:])
}

// saysMessage reports whether output is only the line from which the finding's message was taken.
func saysMessage(output string, f *wire.Finding) bool {
	if len(f.Places) != 1 {
		return false
	}
	p := f.Places[0]
	return strings.TrimSpace(output) == fmt.Sprintf("%s:%d: %s", filepath.Base(p.File), p.Line,
		strings.TrimSpace(message(f)))
}

// heading returns the kind, the object if there is one, and the subtest if it is known: "DATA RACE
// on acct.balance in TestParse/empty".
func heading(f *wire.Finding) string { return kindAndObject(f) + inSubtest(f) }

// headingIn is heading with the test, unless the heading names a subtest of it.
func headingIn(f *wire.Finding, test string) string {
	h := heading(f)
	if strings.Contains(h, " in "+oneLine(test)+"/") {
		return h
	}
	return h + " in " + oneLine(test)
}

// kindAndObject is heading without a subtest.
func kindAndObject(f *wire.Finding) string {
	h := strings.ToUpper(f.Kind)
	o := oneLine(object(f))
	switch {
	case f.Kind == "leak":
		return h + leaked(f)
	case o == "" || f.Kind == "panic" || f.Kind == "test failure":
		return h
	case f.Kind == "misuse":
		return h + " of " + o
	}
	return h + " on " + o
}

// object returns the object of all places of f, or "" if they have several.
func object(f *wire.Finding) string {
	if len(f.Places) > 0 && f.Places[0].Op == "sleep" { // a sleep has no object
		return ""
	}
	for _, p := range f.Places {
		// a race has one object that may have two names
		if p.Object != f.Places[0].Object && f.Kind != "data race" {
			return ""
		}
	}
	for _, p := range f.Places {
		if p.Object != "" {
			return p.Object
		}
	}
	return ""
}

// leaked names the goroutines that are left.
func leaked(f *wire.Finding) string {
	var gs []string
	for _, p := range f.Places {
		gs = append(gs, p.Goroutine)
	}
	for _, s := range f.Stacks {
		gs = append(gs, s.Goroutine)
	}
	slices.Sort(gs)
	gs = slices.Compact(gs)
	switch {
	case len(gs) == 0 || gs[0] == "":
		return ""
	case len(gs) == 1:
		return " of goroutine " + oneLine(gs[0])
	}
	return " of " + plural(len(gs), "goroutine")
}

// placesAndStacks prints where the finding happened. For kinds in which goroutines block or fail,
// the stacks show it. For other kinds the places do; then it returns where the goroutines were
// started.
func (r *Reporter) placesAndStacks(f Finding, put func(int, ...string)) (started []string) {
	whole := r.o.Verbose
	switch f.Kind {
	case "deadlock", "leak", "panic", "livelock", "uncontrolled":
		whole = true
	case "test failure": // the stack includes helper functions
		whole = whole || len(f.Stacks) == 1 && len(f.Stacks[0].Frames) > 1
	}
	var rows [][]string
	for _, p := range f.Places {
		if !whole || !onStack(f.Stacks, p) {
			rows = append(rows, r.placeRow(p, f.Places))
			if call := r.calledFrom(p, f.Stacks); call != nil {
				rows = append(rows, call)
			}
		}
	}
	switch f.Kind {
	case "data race":
		if row := r.declaredAt(f.Places); row != nil {
			rows = append(rows, row)
		}
	case "misuse":
		rows = append(rows, r.closedAt(&f)...)
	case "livelock":
		rows = append(rows, r.lastWrites(f.Finding)...)
	}
	put(6, columns(rows)...)
	var starts [][]string
	if whole {
		put(6, r.stacks(f.Finding)...)
		return nil
	}
	for i := range f.Stacks {
		s := &f.Stacks[i]
		if st := r.started(s); st != nil {
			starts = append(starts, []string{oneLine(s.Goroutine), "at " + st[0], st[1]})
		}
	}
	return columns(starts)
}

// closedAt returns the rows of the closes that the paragraph of a finding tells of, but for those
// at its places: a send on a closed channel, or a second close, comes after them.
func (r *Reporter) closedAt(f *Finding) (rows [][]string) {
	for _, t := range r.explained(f).Told {
		p := t.At
		p.Goroutine, p.Op = t.G, t.Op
		is := func(q wire.Place) bool {
			return q.Goroutine == p.Goroutine && q.Line == p.Line && q.File == p.File
		}
		if t.Op == trace.OpClose.String() && p.Line > 0 && !slices.ContainsFunc(f.Places, is) {
			rows = append(rows, r.placeRow(p, f.Places))
		}
	}
	return rows
}

// declaredAt returns the row of the declaration of the variable or field that races, or nil where
// the files of the accesses do not have it.
func (r *Reporter) declaredAt(places []wire.Place) []string {
	places = slices.Clone(places) // what is written has the better name
	slices.SortStableFunc(places, func(p, q wire.Place) int { return cmp.Compare(q.Op, p.Op) })
	for _, p := range places {
		name, _, _ := strings.Cut(p.Object, "[")
		if d := r.parsed.Declared(p.File, p.Line, name); d.Line > 0 && !r.std(p) {
			p.Line = d.Line
			return []string{"declared", r.position(p), "", r.source(p)}
		}
	}
	return nil
}

// placeRow returns operation, position, goroutine and source.
func (r *Reporter) placeRow(p wire.Place, all []wire.Place) []string {
	op := verb(p.Op)
	for _, q := range all {
		if q.Object != p.Object { // the heading cannot name them all
			op = operation(p.Op, p.Object, "")
			break
		}
	}
	pos := r.position(p)
	if pos == "" {
		pos = "(position not known)"
	}
	g := ""
	if p.Goroutine != "" {
		g = "goroutine " + oneLine(p.Goroutine)
	}
	if p.Note != "" {
		g = strings.TrimSpace(g + " (" + oneLine(p.Note) + ")")
	}
	return []string{oneLine(op), pos, g, r.source(p)}
}

// calledFrom returns the row below a place in the standard library: the user's call that led
// there, or nil if unknown.
func (r *Reporter) calledFrom(p wire.Place, stacks []wire.Stack) []string {
	if u, ok := r.caller(p, stacks); ok {
		return []string{"  from", r.position(u), "", r.source(u)}
	}
	return nil
}

// caller returns the user's call that led to a place in the standard library.
func (r *Reporter) caller(p wire.Place, stacks []wire.Stack) (u wire.Place, ok bool) {
	if !r.std(p) {
		return u, false
	}
	for i := range stacks {
		if s := &stacks[i]; s.Goroutine == p.Goroutine && onStack(stacks[i:i+1], p) {
			if u, ok = r.users(s.Frames); ok {
				return u, true
			}
		}
	}
	return u, false
}

// onStack reports whether p is a frame of its goroutine's stack.
func onStack(stacks []wire.Stack, p wire.Place) bool {
	for _, s := range stacks {
		if s.Goroutine != p.Goroutine {
			continue
		}
		for _, f := range s.Frames {
			if f.Line == p.Line && f.File == p.File {
				return true
			}
		}
	}
	return false
}

// naming returns s with the object in the goroutine's state: "waits to lock" becomes "waits to
// lock mu".
func naming(places []wire.Place, s *wire.Stack) *wire.Stack {
	for _, p := range places {
		if p.Goroutine != s.Goroutine || p.Object == "" || !onStack([]wire.Stack{*s}, p) {
			continue
		}
		for _, w := range [...]struct{ state, more string }{
			{"waits to lock", " "}, {"waits to lock for reading", ": "}, {"waits to send", " to "},
			{"waits to receive", " from "},
			{"waits for a WaitGroup", ": "}, {"waits for a signal", " of "}, {"waits for Once.Do", ": "},
		} {
			if s.State == w.state {
				c := *s
				c.State += w.more + p.Object
				return &c
			}
		}
	}
	return s
}

// noteOf returns the notes of the places on a stack, which printing only the stack would lose.
func noteOf(places []wire.Place, s *wire.Stack) string {
	var notes []string
	for _, p := range places {
		if p.Goroutine == s.Goroutine && p.Note != "" && !strings.Contains(s.State, p.Note) &&
			onStack([]wire.Stack{*s}, p) {
			notes = append(notes, p.Note)
		}
	}
	return strings.Join(notes, ", ")
}

func switches(f *wire.Finding) string {
	n := f.Switches
	if n == 0 {
		for _, s := range f.Clip.Steps {
			if s.Switch {
				n++
			}
		}
	}
	if n == 0 {
		return "no switches"
	}
	return plural(n, "switch")
}

// stale returns the text for a clip that no longer fits the code.
func stale(f Finding) string {
	why := f.Divergence
	if why == "" {
		why = message(f.Finding)
	}
	path := f.ClipPath
	if path == "" {
		path = f.FromClip
	}
	return fmt.Sprintf("clip %s no longer fits the code: %s\n(the test was explored again; delete the file if the bug is gone)", path, why)
}

// replayLine returns the command that shows a finding again from its clip. more are flags for this
// one.
func (r *Reporter) replayLine(path string, more ...string) string {
	words := slices.Concat([]string{"heddle", "replay"}, more, []string{path}, r.o.ReplayArgs)
	for i := range words {
		words[i] = shellWord(words[i])
	}
	return strings.Join(words, " ")
}

// shellWord quotes a path for a shell if necessary.
func shellWord(s string) string {
	if s != "" && strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune(`/\._-:+@,=%`, r) || r > 127)
	}) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
