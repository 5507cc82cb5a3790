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
// are made of lines.
type line struct {
	step   wire.Step // its place is in the user's code where that is known
	num    int       // of the step, from 1; 0: an operation that was never performed
	more   int       // further steps of the same call
	inside string    // the package that they are in; "" for a step of the user's code
	text   string    // in place of the text of the step
	marked bool      // the finding is about it
}

// lines returns the steps of a finding up to the one that decided.
func (r *Reporter) lines(f Finding) []line {
	all := f.steps()
	all = all[:f.untilDecided(len(all))]
	at := r.markedSteps(f.Finding, all)
	if f.Kind == "data race" && len(at) == 2 {
		all = all[:1+slices.Max(slices.Collect(maps.Keys(at)))]
	}
	var out []line
	for i := range all {
		l := line{step: all[i], num: f.number(i) + 1, marked: at[i] != nil}
		if last := len(out) - 1; r.folds(&l) {
			if last >= 0 && out[last].num > 0 && sameCall(&out[last], &l) &&
				out[last].num+out[last].more+1 == l.num {
				out[last].more++
				continue
			}
		} else if l.marked {
			l.text = r.again(all[:i+1])
			if u, ok := r.caller(*at[i], f.Stacks); ok {
				l.step.Where = withObject(u, l.step.Where.Object)
			}
		}
		out = append(out, l)
	}
	return r.withoutStep(f.Finding, at, out)
}

func withObject(p wire.Place, object string) wire.Place {
	p.Object = object
	return p
}

// untilDecided returns how many of n steps came before the finding was there. Of a leak all count:
// what lets a goroutine go on could have come later.
func (f Finding) untilDecided(n int) int {
	if f.Decided == 0 || f.Kind == "leak" {
		return n
	}
	for n > 0 && f.number(n-1) >= f.Decided {
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
	text := cmp.Or(l.text, r.stepText(&l.step))
	if l.inside != "" {
		text = fmt.Sprintf("[%s in %s]", plural(1+l.more, "step"), l.inside)
	}
	return row{num: l.num, g: l.step.G, text: text, mark: l.step.Switch, about: l.marked,
		where: r.position(l.step.Where), source: r.source(l.step.Where)}
}

// Marks. The steps that a finding is about have a sign of their own, and an operation that was
// never performed has a row at the end.

// markedAs says what the mark means for a finding.
func markedAs(f *wire.Finding) string {
	switch {
	case f.Kind == "data race":
		return "the accesses that race"
	case f.Kind == "deadlock" || f.Kind == "leak":
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
	case s.Where.Object != "" && p.Object != "" && s.Where.Object != p.Object && kind != "data race":
		return false
	case (kind == "deadlock" || kind == "leak") && (s.Op == "lock" || s.Op == "rlock"):
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
		l := line{text: operation(p.Op, p.Object, ""), marked: true}
		switch f.Kind {
		case "test failure":
			l.text = "fails"
		case "panic":
			l.text = "panics"
		}
		l.step = wire.Step{G: p.Goroutine, Op: p.Op, Choice: -1, Where: *p}
		if u, ok := r.caller(*p, f.Stacks); ok {
			l.step.Where = withObject(u, p.Object)
		}
		i := len(lines)
		if f.Kind == "data race" && k == 1 && f.Earlier > 0 {
			for i = 0; i < len(lines) && lines[i].num <= f.Earlier && lines[i].num > 0; i++ {
			}
		}
		lines = slices.Insert(lines, i, l)
	}
	return lines
}

// again returns the text of the last of steps, which a finding is about. It says the how many-th
// one of its goroutine it is where the line repeats.
func (r *Reporter) again(steps []wire.Step) string {
	last := &steps[len(steps)-1]
	n := 0
	for i := range steps {
		if s := &steps[i]; s.G == last.G && s.Op == last.Op && s.Where == last.Where {
			n++
		}
	}
	if n < 2 {
		return ""
	}
	return r.stepText(last) + " (" + ordinal(n) + ")"
}

// ordinal prints 2 as "2nd time".
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
	return strconv.Itoa(n) + end + " time"
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
