package report

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"heddle/rt/wire"
)

// mostSteps is the largest number of steps shown for a finding.
const mostSteps = 18

// mostVerbose is the same with -v. A clip can have millions of steps, and is itself readable.
const mostVerbose = 1000

// steps returns the steps of the finding's execution for the table: all of them or, if the clip
// omits the end of the execution, those up to the last switch and the last ones.
func (f Finding) steps() []wire.Step {
	if len(f.Rest) == 0 {
		return f.Clip.Steps // there can be millions
	}
	return slices.Concat(f.Clip.Steps[:f.lead()], f.Rest)
}

// lead returns how many of the clip's steps belong to them.
func (f Finding) lead() int {
	all := len(f.Clip.Steps)
	if len(f.Rest) == 0 {
		return all
	}
	for i, s := range slices.Backward(f.Clip.Steps) {
		if s.Switch {
			return min(i+4, all) // and what the switch led to
		}
	}
	return 0
}

// ofConnection reports whether an operation only keeps the order of a connection. At the place in
// the program that uses the connection, taking and waiting are shown instead.
func ofConnection(op string, w wire.Place) bool {
	return w.Object == connection && w.Site == 0 && (op == "unlock" || op == "broadcast" || op == "signal")
}

// connection is the name that package drive gives to a connection, a listener or a pipe.
const connection = "connection"

// number returns the index in the execution of the i-th of f.steps().
func (f Finding) number(i int) int {
	if lead := f.lead(); i >= lead {
		i += len(f.Clip.Steps) - lead + f.Skipped
	}
	return i
}

// steps returns the table of a finding, and the line above it, which says what is shown and what
// the marks mean.
func (r *Reporter) steps(f *Finding) (head string, rows []row) {
	return r.atMost(f, mostSteps)
}

// atMost is steps for a table with room for most lines, besides those that the finding is about.
func (r *Reporter) atMost(f *Finding, most int) (head string, rows []row) {
	if r.o.Verbose {
		most = mostVerbose
	}
	all := r.folded(f, f.lines())
	shown := r.choose(f, all, most, false)
	return r.ofSteps(f, all, shown), r.rowsOf(all, shown, nil)
}

// choose says which lines a table of most lines shows: those that the finding is about and those
// that its paragraph names, and the others as selectSteps has them, with repetitions or without.
func (r *Reporter) choose(f *Finding, all []line, most int, repeats bool) map[int]bool {
	std := func(s *wire.Step) bool { return r.std(s.Where) || ofConnection(s.Op, s.Where) }
	switch {
	case r.o.Verbose:
		std = func(*wire.Step) bool { return false }
	case len(all) > most: // leaves room for lines in place of omitted steps
		most = most * 2 / 3
	}
	var places []wire.Place
	if f != nil {
		places = r.ownPlaces(f.Finding)
	}
	var steps []line // those that were performed
	var index []int  // in all
	shown := map[int]bool{}
	for i := range all {
		if all[i].num > 0 && !all[i].aside {
			steps, index = append(steps, all[i]), append(index, i)
		}
		shown[i] = all[i].marked || all[i].named
	}
	for _, k := range selectSteps(steps, places, most, repeats, std) {
		shown[index[k]] = true
	}
	return shown
}

// rowsOf lays out the lines that are shown, with rows in place of the others but for the steps with
// the numbers quiet, in order.
func (r *Reporter) rowsOf(all []line, shown map[int]bool, quiet []int) (rows []row) {
	between := func(last, next int) int { // how many steps are left out
		i, _ := slices.BinarySearch(quiet, last+1)
		j, _ := slices.BinarySearch(quiet, next)
		return next - 1 - last - max(j-i, 0)
	}
	gap := func(from, to, left int) {
		if left > 0 {
			rows = append(rows, row{gap: omitted(all, from, to, left)})
		}
	}
	next, last := 0, 0 // last: the number of the last step that is shown
	for i := range all {
		if !shown[i] {
			continue
		}
		if l := &all[i]; l.num > 0 {
			gap(next, i, between(last, l.num))
			last = max(last, l.num+l.more)
		} else if n := end(all, i-1); n > last {
			gap(next, i, between(last, n+1))
			last = n
		}
		rows = append(rows, r.row(&all[i]))
		next = i + 1
	}
	gap(next, len(all), between(last, end(all, len(all)-1)+1))
	numberOnce(rows)
	return rows
}

// end returns the number of the last step of line i, 0 before the first line.
func end(all []line, i int) int {
	for ; i >= 0; i-- {
		if l := &all[i]; l.num > 0 {
			return l.num + l.more
		}
	}
	return 0
}

// omitted returns the row in place of n steps, of which all[from:to] are known.
func omitted(all []line, from, to, n int) string {
	if n == to-from && from > 0 && allLike(all[from-1:to]) {
		return "... the same, " + times(n)
	}
	inside := map[string]bool{}
	for _, l := range all[from:to] {
		if l.num > 0 {
			inside[l.inside] = true
		}
	}
	if len(inside) == 0 || inside[""] {
		return "... " + plural(n, "step")
	}
	return "... " + plural(n, "step") + " in " + strings.Join(slices.Sorted(maps.Keys(inside)), ", ")
}

// ofSteps says which steps the table shows, and what its marks mean.
func (r *Reporter) ofSteps(f *Finding, all []line, shown map[int]bool) string {
	n := end(all, len(all)-1)
	s := "all " + plural(n, "step")
	seen := 0
	for i := range all {
		if shown[i] && all[i].num > 0 {
			seen += 1 + all[i].more
		}
	}
	if n > seen {
		s = fmt.Sprintf("those that matter of %s", thousands(n))
	}
	if n == 0 && len(f.Story) == 0 {
		s = "not recorded, there was no time (-budget): heddle replay shows them"
	} else if switches(f.Finding) == "no switches" {
		s += ", in the order the program takes by itself"
	} else if slices.ContainsFunc(all, func(l line) bool { return l.step.Switch }) {
		rows := make([]row, len(all))
		for i := range all {
			rows[i] = row{num: all[i].num, g: all[i].step.G, mark: all[i].step.Switch}
		}
		s += ", a star where " + starred(rows)
	}
	if slices.ContainsFunc(all, func(l line) bool { return l.marked }) {
		s += ", > " + markedAs(f.Finding)
	}
	return s
}

// starred says what the mark of a switch means. Where goroutines change without it, the one before
// could not go on, or left its turn to another.
func starred(rows []row) string {
	const mark = "heddle switched"
	last := ""
	for i := range rows {
		if rows[i].num == 0 {
			continue
		}
		if last != "" && rows[i].g != last && !rows[i].mark {
			return mark + " (else the one before waits or ended)"
		}
		last = rows[i].g
	}
	return mark
}

// like reports whether b repeats the step a, as in a loop that polls.
func like(a, b *wire.Step) bool {
	return a.G == b.G && a.Op == b.Op && a.Where == b.Where && a.Choice == b.Choice && !b.Switch &&
		a.Came == b.Came && a.Cases == b.Cases &&
		(a.Arg == b.Arg || a.Arg != nil && b.Arg != nil && *a.Arg == *b.Arg)
}

func allLike(lines []line) bool {
	for i := range lines[1:] {
		if lines[i+1].text != lines[0].text || !like(&lines[0].step, &lines[i+1].step) {
			return false
		}
	}
	return true
}

func times(n int) string {
	switch n {
	case 1:
		return "once more"
	case 2:
		return "twice more"
	}
	return thousands(n) + " times more"
}

// selectSteps returns at most n steps, in order. They are, with priority from first to last: those
// at the finding's places; the last one; both sides of every switch and the step at which the
// interrupted goroutine continues, later ones first; accesses that race; what the switches led to;
// operations on the same objects; and the last steps, first those of the goroutines that the
// finding names. Of steps within the standard library only switches are shown. Without
// repeats a step that repeats the one before is left out.
func selectSteps(lines []line, places []wire.Place, n int, repeats bool, std func(*wire.Step) bool) []int {
	steps := make([]wire.Step, len(lines))
	for i := range lines {
		steps[i] = lines[i].step
	}
	chosen := map[int]bool{}
	add := func(i int) {
		if i >= 0 && len(chosen) < n {
			chosen[i] = true
		}
	}
	again := func(i int) bool { return !repeats && i > 0 && i < len(steps)-1 && allLike(lines[i-1:i+1]) }
	objects := map[string]bool{}
	for _, p := range places {
		for i := len(steps) - 1; i >= 0; i-- {
			w := steps[i].Where
			if w.File == p.File && w.Line == p.Line && p.Line != 0 &&
				(p.Goroutine == "" || p.Goroutine == steps[i].G) {
				add(i)
				break
			}
		}
	}
	add(len(steps) - 1)
	for i := len(steps) - 1; i >= 0; i-- {
		if steps[i].Switch {
			add(i)
			add(i - 1)
			if i == 0 {
				continue
			}
			add(i + nextOf(steps[i:], steps[i-1].G))
			for _, s := range steps[i-1 : min(i+4, len(steps))] {
				objects[s.Where.Object] = s.Where.Object != ""
			}
		}
	}
	if len(steps) > n {
		for i := len(steps) - 1; i >= 0; i-- { // an access is a step only if it was seen to race
			if op := steps[i].Op; op == "read" || op == "write" {
				add(i)
			}
		}
		for i := len(steps) - 1; i >= 0; i-- { // what a switch led to
			for j := i + 1; steps[i].Switch && j <= min(i+3, len(steps)-1); j++ {
				add(j)
			}
		}
	}
	for i := len(steps) - 1; i >= 0; i-- {
		if objects[steps[i].Where.Object] && !again(i) && !std(&steps[i]) {
			add(i)
		}
	}
	for i := len(steps) - 1; i >= 0; i-- {
		if !std(&steps[i]) && !again(i) &&
			slices.ContainsFunc(places, func(p wire.Place) bool { return p.Goroutine == steps[i].G }) {
			add(i)
		}
	}
	for i := len(steps) - 1; i >= 0; i-- {
		if !std(&steps[i]) && !again(i) {
			add(i)
		}
	}
	out := make([]int, 0, len(chosen))
	for i := range chosen {
		out = append(out, i)
	}
	sort.Ints(out)
	return out
}

// nextOf returns the index of the first step of goroutine g, or the last index if there is none.
func nextOf(steps []wire.Step, g string) int {
	for i := range steps {
		if steps[i].G == g {
			return i
		}
	}
	return len(steps) - 1
}

// choice returns the outcome as text: the index among several that were possible.
func choice(op string, c int) string {
	switch op {
	case "choose":
		return fmt.Sprintf(" %d", c)
	case "select":
		return fmt.Sprintf(" (%s of the cases that were ready)", ordinal(c+1))
	}
	return fmt.Sprintf(" (%s of those that could)", ordinal(c+1))
}
