package report

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"heddle/rt/wire"
)

// A line is a row of a table before it is laid out: a step, or several that one call of the user's
// code made inside the standard library or a dependency. The tables of a finding and of a replay
// are made of lines, and the page of a finding shows what they have.
type line struct {
	step   wire.Step // its place is in the user's code where that is known
	num    int       // of the step, from 1; 0: no step is at it
	after  int       // without a number: how many steps came before
	more   int       // further steps of the same call
	inside string    // the package that they are in; "" for a step of the user's code
	text   string    // in place of the text of the step
	times  int       // with marked: how often its goroutine came here so far
	marked bool      // the finding is about it
	named  bool      // the paragraph names its place
	alike  int       // with marked: so many more goroutines wait at the same place
	aside  bool      // it is of one of those
}

// lines returns the steps of a finding before they are folded.
func (f Finding) lines() []line {
	out := linesOf(f.steps())
	for i := range out {
		out[i].num = f.number(i) + 1
	}
	return out
}

// linesOf returns steps that are numbered from 1 as lines.
func linesOf(steps []wire.Step) []line {
	out := make([]line, len(steps))
	for i := range steps {
		out[i] = line{step: steps[i], num: i + 1}
	}
	return out
}

// upTo returns the lines that came before a finding was there, and its places by the index of
// their line. f may be nil.
func (r *Reporter) upTo(f *Finding, all []line) ([]line, map[int]*wire.Place) {
	if f == nil {
		return all, nil
	}
	all = all[:f.untilDecided(all)]
	steps := make([]wire.Step, len(all))
	for i := range all {
		steps[i] = all[i].step
	}
	at := r.markedSteps(f.Finding, steps)
	if f.Kind == "data race" && len(at) == 2 || f.Kind == "misuse" && len(f.Places) == 1 && len(at) == 1 {
		all = all[:1+slices.Max(slices.Collect(maps.Keys(at)))]
	}
	return all, at
}

// folded returns the lines of a table: up to what decided, each call of the user's code that leads
// elsewhere as one, with the rows of the finding that no step has.
func (r *Reporter) folded(f *Finding, all []line) []line {
	all, at := r.upTo(f, all)
	var out []line
	for i := range all {
		l := all[i]
		l.marked = at[i] != nil
		if last := len(out) - 1; r.folds(&l) {
			if last >= 0 && sameCall(&out[last], &l) && out[last].num+out[last].more+1 >= l.num {
				out[last].more = l.num - out[last].num
				continue
			}
		} else if l.marked {
			l.times = timesAt(all[:i+1])
			if u, ok := r.caller(*at[i], f.Stacks); ok {
				l.step.Where = withObject(u, l.step.Where.Object)
			}
			if waitsForEver(f.Kind) {
				l.step.Came = wire.CameWaits
			}
		}
		out = append(out, l)
	}
	if f == nil {
		return out
	}
	return together(f.Finding, r.withTold(f, r.withoutStep(f.Finding, at, out)))
}

// severalAlike is how many goroutines that wait at one place have a line each. Of more there is one
// line with their number, and what the others did before is no matter.
const severalAlike = 3

// together leaves one line of those in which many goroutines wait for ever at one place.
func together(f *wire.Finding, lines []line) []line {
	if !waitsForEver(f.Kind) {
		return lines
	}
	type place struct {
		file, op string
		line     int
	}
	groups := map[place][]int{} // of indices, what the paragraph names first
	for i := range lines {
		if l := &lines[i]; l.marked {
			at := place{l.step.Where.File, l.step.Op, l.step.Where.Line}
			groups[at] = append(groups[at], i)
			if g := groups[at]; l.named && !lines[g[0]].named {
				g[0], g[len(g)-1] = i, g[0]
			}
		}
	}
	others := map[string]bool{}
	for _, g := range groups {
		if len(g) > severalAlike {
			lines[g[0]].alike = len(g) - 1
			for _, i := range g[1:] {
				l := &lines[i]
				l.marked, others[l.step.G] = l.named, !l.named
			}
		}
	}
	for i := range lines {
		l := &lines[i]
		l.aside = others[l.step.G] && !l.step.Switch && !l.named
	}
	return slices.DeleteFunc(lines, func(l line) bool { return l.aside && l.num == 0 })
}

// waitsForEver reports whether a finding of this kind is about what waits.
func waitsForEver(kind string) bool { return kind == "deadlock" || kind == "leak" }

func withObject(p wire.Place, object string) wire.Place {
	p.Object = object
	return p
}

// untilDecided returns how many of the lines came before the finding was there. Of a leak all
// count: what lets a goroutine go on could have come later.
func (f *Finding) untilDecided(all []line) int {
	n := len(all)
	if f.Decided == 0 || f.Kind == "leak" {
		return n
	}
	for n > 0 && all[n-1].num > f.Decided {
		n--
	}
	return n
}

// folds reports whether a step is told by the call of the user's code that led to it. It then gives
// the line that call's place.
func (r *Reporter) folds(l *line) bool {
	s := &l.step
	if s.Call == nil || l.marked || r.o.Verbose || !r.foreign(s.Where.File) {
		return false
	}
	l.inside = packageOf(s.Call.Op)
	s.Where = *s.Call
	return true
}

// sameCall reports whether b goes on with the call that a tells of.
func sameCall(a, b *line) bool {
	return a.inside != "" && a.step.G == b.step.G && a.step.Where.File == b.step.Where.File &&
		a.step.Where.Line == b.step.Where.Line && !b.step.Switch
}

// packageOf returns the import path in a function's name: "net/http" of "net/http.(*Server).Serve".
func packageOf(function string) string {
	slash := strings.LastIndexByte(strings.SplitN(function, "[", 2)[0], '/')
	if dot := strings.IndexByte(function[slash+1:], '.'); dot >= 0 {
		return function[:slash+1+dot]
	}
	return cmp.Or(function, "another package")
}

// row returns the row of a line.
func (r *Reporter) row(l *line) row {
	whole, where := "", l.step.Where
	text := cmp.Or(l.text, r.stepText(&l.step))
	if at := r.clause(&l.step); at > 0 && l.inside == "" {
		where.Line = at
	}
	var notes []string
	if l.times > 1 {
		notes = append(notes, ordinal(l.times)+" time")
	}
	switch {
	case l.step.Came == wire.CameWaits && !isWait(l.step.Op) && !strings.HasSuffix(text, "(waits)"):
		notes = append(notes, "waits")
	case l.step.Came == wire.CameArrives:
		notes = append(notes, "arrives")
	}
	if l.alike > 0 {
		text = strings.TrimSuffix(text, " (waits)")
		notes = append(slices.DeleteFunc(notes, func(n string) bool { return n == "waits" }),
			fmt.Sprintf("waits, %s more too", thousands(l.alike)))
	}
	if len(notes) > 0 {
		whole = " (" + strings.Join(notes, ", ") + ")"
	}
	if l.inside != "" {
		text, whole = "", fmt.Sprintf("[%s in %s]", plural(1+l.more, "step"), l.inside)
	}
	return row{num: l.num, g: l.step.G, text: text, whole: whole, mark: l.step.Switch, about: l.marked,
		where: r.position(where), source: r.source(where)}
}

// clause returns the line of the case that a select took, 0 if that is not known.
func (r *Reporter) clause(s *wire.Step) int {
	if s.Arg == nil || s.Op != "select" && s.Op != "resume" || r.stepText(s) == "select" {
		return 0
	}
	return r.parsed.Clause(s.Where.File, s.Where.Line, int(*s.Arg))
}

// Marks. The steps that a finding is about have a sign of their own, and an operation that was
// never performed has a row at the end.

// markedAs says what the mark means for a finding.
func markedAs(f *wire.Finding) string {
	switch {
	case f.Kind == "data race":
		return "the accesses that race"
	case waitsForEver(f.Kind):
		return "what waits for ever"
	case f.Kind == "test failure":
		return "where it fails"
	case f.Kind == "panic" || f.Kind == "misuse" && len(f.Places) == 1:
		return "where it panics"
	case f.Kind == "misuse":
		return "what has no order"
	}
	return "what it is about"
}

// markedSteps returns the places of a finding by the index of their step: the last one of their
// goroutine at their line.
func (r *Reporter) markedSteps(f *wire.Finding, steps []wire.Step) map[int]*wire.Place {
	at := map[int]*wire.Place{}
	if f.Kind == "livelock" {
		return at
	}
	places := f.CorePlaces()
	for k := range places {
		p := &places[k]
		for i, s := range slices.Backward(steps) {
			if at[i] == nil && s.G == p.Goroutine && p.Line > 0 && s.Where.Line == p.Line &&
				filepath.Base(s.Where.File) == filepath.Base(p.File) && performs(&s, p, f.Kind) {
				at[i] = p
				break
			}
		}
	}
	return at
}

// performs reports whether a step is what a place of a finding tells of. What waits for ever has
// arrived at most.
func performs(s *wire.Step, p *wire.Place, kind string) bool {
	switch {
	case kind == "test failure" || kind == "panic":
		return false
	case kind == "misuse" && s.Op == "select" && p.Op == "send": // the channel of its case is closed
		return true
	case s.Where.Object != "" && p.Object != "" && s.Where.Object != p.Object && kind != "data race":
		return false
	case waitsForEver(kind) && (s.Op == "lock" || s.Op == "rlock" ||
		s.Came == wire.CameDone && (s.Op == "arrive" || s.Op == "send" || s.Op == "recv")):
		return false // it was taken
	case s.Op == "arrive" || s.Op == p.Op:
		return true
	}
	return sameOp(s.Op, p.Op) && (kind == "data race" || kind == "misuse")
}

// withoutStep adds the places that no step is at: an access that is no scheduling point, a lock
// that was never taken, the call that failed.
func (r *Reporter) withoutStep(f *wire.Finding, at map[int]*wire.Place, lines []line) []line {
	places := f.CorePlaces()
	for k := range places {
		if f.Kind == "data race" {
			k = len(places) - 1 - k // the later access comes first among them
		}
		p := &places[k]
		known := f.Kind == "livelock" || p.Goroutine == "" || p.File == ""
		for _, q := range at {
			known = known || q == p
		}
		if known {
			continue
		}
		l := line{text: operation(p.Op, p.Object, ""), marked: true, after: end(lines, len(lines)-1)}
		l.step = wire.Step{G: p.Goroutine, Op: p.Op, Choice: -1, Where: *p}
		switch {
		case f.Kind == "test failure":
			l.text = "fails"
		case f.Kind == "panic":
			l.text = "panics"
		case waitsForEver(f.Kind):
			l.step.Came = wire.CameWaits
		}
		if u, ok := r.caller(*p, f.Stacks); ok {
			l.step.Where = withObject(u, p.Object)
		}
		if f.Kind == "data race" && k == 1 && f.Earlier > 0 {
			l.after = f.Earlier
		}
		lines = insert(lines, l)
	}
	return lines
}

// insert puts a line without a number behind the steps that came before it.
func insert(lines []line, l line) []line {
	i := len(lines)
	for i > 0 && max(lines[i-1].num, lines[i-1].after) > l.after {
		i--
	}
	return slices.Insert(lines, i, l)
}

// isWait reports whether an operation is called waiting by its own word.
func isWait(op string) bool {
	op, _, _ = strings.Cut(op, " ")
	return op == "wg-wait" || op == "cond-wait" || op == "cond-wake" || op == "sleep"
}

// timesAt returns how often the goroutine of the last line did the same at its place.
func timesAt(all []line) (n int) {
	last := &all[len(all)-1].step
	for i := range all {
		if s := &all[i].step; s.G == last.G && s.Op == last.Op && s.Where == last.Where {
			n++
		}
	}
	return n
}

// ordinal prints 2 as "2nd".
func ordinal(n int) string {
	end := "th"
	if tens := n / 10 % 10; tens != 1 {
		switch n % 10 {
		case 1:
			end = "st"
		case 2:
			end = "nd"
		case 3:
			end = "rd"
		}
	}
	return strconv.Itoa(n) + end
}

// ownPlaces returns the places of a finding, those in the standard library replaced by the user's
// call that led there.
func (r *Reporter) ownPlaces(f *wire.Finding) []wire.Place {
	out := slices.Clone(f.Places)
	for i := range out {
		if u, ok := r.caller(out[i], f.Stacks); ok {
			out[i].File, out[i].Line = u.File, u.Line
		}
	}
	return out
}
