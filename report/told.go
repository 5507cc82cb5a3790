package report

import (
	"path/filepath"
	"slices"
	"strings"

	"heddle/report/pattern"
	"heddle/rt/wire"
)

// withTold adds to the lines of a finding what its paragraph names by file and line: a step's line
// is marked so that the table has it, and what is no step gets a line of its own.
func (r *Reporter) withTold(f *Finding, lines []line) []line {
	if f.explained == nil {
		return lines
	}
	for i := range f.explained.Told {
		lines = r.tellPlace(lines, &f.explained.Told[i])
	}
	return lines
}

// tellPlace is withTold for one place of the paragraph.
func (r *Reporter) tellPlace(lines []line, t *pattern.Told) []line {
	i := lineOf(lines, t)
	switch {
	case i < 0 && t.Num > 0:
		return lines // it comes after what decided
	case i < 0 || t.Num > 0 && lines[i].inside == "" && !isAt(&lines[i], t.G, t.At) &&
		!strings.HasPrefix(t.Op+" ", lines[i].step.Op+" "): // it is in that step
		l := line{after: max(t.After, t.Num), text: operation(t.Op, t.Object, "")}
		l.step = wire.Step{G: t.G, Op: t.Op, Choice: -1, Where: t.At}
		lines = insert(lines, l)
		i = slices.IndexFunc(lines, func(k line) bool { return k.num == 0 && k.step == l.step })
	}
	lines[i].named = true
	if op, _, _ := strings.Cut(t.Op, " "); t.Num > 0 && !lines[i].marked && lines[i].step.Op == op &&
		lines[i].inside == "" {
		w := &lines[i].step.Where // a deferred call is made at a return
		w.File, w.Line = t.At.File, t.At.Line
	}
	if isAt(&lines[i], t.G, t.Where) || i > 0 && isAt(&lines[i-1], t.G, t.Where) {
		return lines
	}
	l := line{after: max(lines[i].num-1, lines[i].after), text: "call " + oneLine(t.Call), named: true}
	if t.Then != "" {
		for i++; i < len(lines) && r.before(&lines[i], t); i++ {
		}
		l.after, l.text = max(end(lines, i-1), lines[i-1].after), oneLine(t.Then)
	} else {
		called := code{r.parsed}
		fn := called.function(t.At.File, t.At.Line)
		for w := t.Where; i > 0 && lines[i-1].step.G == t.G && fn != called.function(w.File, w.Line) &&
			fn == called.function(lines[i-1].step.Where.File, lines[i-1].step.Where.Line); i-- {
		}
		l.after = max(lines[i].num-1, lines[i].after)
	}
	l.step = wire.Step{G: t.G, Op: "call", Choice: -1, Where: t.Where}
	return slices.Insert(lines, i, l)
}

// before reports whether a line is of the goroutine and the function of a condition that is
// checked, and comes before it there.
func (r *Reporter) before(l *line, t *pattern.Told) bool {
	w, called := l.step.Where, code{r.parsed}
	return l.step.G == t.G && w.Line < t.Where.Line && w.Line >= t.At.Line &&
		called.function(w.File, w.Line) == called.function(t.Where.File, t.Where.Line)
}

// lineOf returns the index of the line that has what the paragraph names, -1 if there is none.
func lineOf(lines []line, t *pattern.Told) int {
	found := -1
	for i := range lines {
		l := &lines[i]
		var is bool
		switch {
		case l.step.G != t.G:
		case t.Waits:
			is = l.marked
		case l.num == 0 && l.marked && isAt(l, t.G, t.Where):
			is = true
		case t.Num > 0:
			is = l.num > 0 && l.num <= t.Num && t.Num <= l.num+l.more
		case l.num == 0:
			is = l.after == t.After && isAt(l, t.G, t.At)
		default: // the access is a step after all
			is = l.num == t.After && isAt(l, t.G, t.At) && l.step.Op == t.Op
		}
		if is && (found < 0 || t.Waits || isAt(l, t.G, t.At)) {
			found = i
		}
	}
	return found
}

// isAt reports whether a line is of a goroutine at a place.
func isAt(l *line, g string, p wire.Place) bool {
	w := l.step.Where
	return l.step.G == g && w.Line == p.Line && filepath.Base(w.File) == filepath.Base(p.File)
}
