package report

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"heddle/model"
	"heddle/rt/wire"
	"heddle/trace"
)

// right says which order would have been right, in sentences without a full stop. f is a resolved
// finding with the steps of its clip. right says only what the steps show.
func right(f *wire.Finding) []string {
	switch {
	case f.Kind == "reached":
		return nil // no defect
	case f.Kind == "data race" && len(f.Places) >= 2:
		return rightRace(f)
	}
	if cycle := lockCycle(f); len(cycle) > 1 &&
		!slices.ContainsFunc(cycle, func(p wire.Place) bool { return !isLock(p.Op) }) {
		return rightLocks(f, cycle)
	}
	return between(f)
}

// advice returns the result of right and the hint for the kind.
func advice(f *wire.Finding) []string {
	out := right(f)
	if h := hint(f); h != "" {
		out = append(out, h)
	}
	return out
}

// rightRace compares the locks that are held at the two accesses.
func rightRace(f *wire.Finding) []string {
	a, b := f.Places[0], f.Places[1]
	out := []string{"one access must happen before the other; nothing orders them here"}
	la, oka := heldAt(f.Clip.Steps, a)
	lb, okb := heldAt(f.Clip.Steps, b)
	switch {
	case !oka || !okb || len(la)+len(lb) == 0:
	case len(la) > 0 && len(lb) > 0:
		if slices.Equal(la, lb) {
			out = append(out, fmt.Sprintf("both hold a lock called %s: either these are two locks, or it is held for reading only", list(la)))
		} else {
			out = append(out, fmt.Sprintf("goroutine %s holds %s there and %s holds %s: they must hold the same lock", a.Goroutine, list(la), b.Goroutine, list(lb)))
		}
	case len(la) > 0:
		out = append(out,
			fmt.Sprintf("goroutine %s holds %s there, %s holds no lock", a.Goroutine, list(la), b.Goroutine))
	default:
		out = append(out,
			fmt.Sprintf("goroutine %s holds %s there, %s holds no lock", b.Goroutine, list(lb), a.Goroutine))
	}
	return out
}

// heldAt returns the locks that p's goroutine holds at the last step at p. ok is false if there is
// no such step, or if the locks are unknown.
func heldAt(steps []wire.Step, p wire.Place) (locks []string, ok bool) {
	at := -1
	for i := range steps {
		if s := &steps[i]; s.G == p.Goroutine && s.Op == p.Op && samePlace(s.Where, p) {
			at = i
		}
	}
	if at < 0 {
		return nil, false
	}
	return holds(steps[:at], p.Goroutine)
}

// samePlace compares positions by line and base name, as paths may differ.
func samePlace(a, b wire.Place) bool {
	return a.Line == b.Line && a.Line != 0 && filepath.Base(a.File) == filepath.Base(b.File)
}

// holds returns the names of the locks that g holds after the steps, in the order of their
// acquisition. ok is false if the names are ambiguous: they are the source's, and may mean
// different locks in two functions.
func holds(steps []wire.Step, g string) (held []string, ok bool) {
	var given []wire.Step // released by Wait of a Cond, which locks again; Where is the Cond's
	waits, once := false, map[string]bool{}
	for i := range steps {
		s := &steps[i]
		if s.G != g {
			continue
		}
		op, _ := trace.ParseOp(s.Op)
		section, certain := model.SectionOfOp(op)
		switch {
		case section.Enters():
			if n := len(given); n > 0 && given[n-1].Where == s.Where {
				held, given = append(held, given[n-1].With), given[:n-1]
				break
			}
			if s.Where.Object == "" {
				return nil, false
			}
			held = append(held, s.Where.Object)
		case section.Leaves() && !once[s.Where.Object]:
			j := lastIndex(held, s.Where.Object)
			if waits && len(held) == 1 {
				given = append(given, wire.Step{Where: s.Where, With: held[0]})
				j = 0
			}
			if j < 0 {
				return nil, false
			}
			held = slices.Delete(held, j, j+1)
		case !certain && model.AwaitsSection(op): // Once.Do: its critical section has no lock
			once[s.Where.Object] = true
		case !certain: // a TryLock with unknown outcome
			return nil, false
		}
		waits = s.Op == "cond-wait"
	}
	return held, true
}

func lastIndex(s []string, v string) int {
	for i, x := range slices.Backward(s) {
		if x == v {
			return i
		}
	}
	return -1
}

func list(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = oneLine(n)
	}
	return strings.Join(quoted, ", ")
}

func isLock(op string) bool {
	o, _ := trace.ParseOp(op)
	s, _ := model.SectionOfOp(o)
	return s.Enters()
}

// rightLocks says in which order each goroutine of a cycle takes the locks.
func rightLocks(f *wire.Finding, cycle []wire.Place) []string {
	var parts []string
	orders := map[string]bool{}
	for _, p := range cycle {
		held, _ := holds(f.Clip.Steps, p.Goroutine)
		if len(held) == 0 || p.Object == "" {
			return between(f)
		}
		order := fmt.Sprintf("%s before %s", list(held), oneLine(p.Object))
		orders[order] = true
		parts = append(parts, fmt.Sprintf("%s takes %s", oneLine(p.Goroutine), order))
	}
	text := "goroutine " + strings.Join(parts, ", ") + ": all must take them in the same order"
	if len(orders) == 1 { // one piece of code, called with the locks swapped
		text += "; the source has the same names for both, so order the locks by a number or by their address"
	}
	return []string{text}
}

// between describes the steps that ran between two steps of another goroutine because of a switch.
func between(f *wire.Finding) []string {
	steps := f.Clip.Steps
	var out []string
	n := 0
	for i := range steps {
		if steps[i].Switch && i > 0 {
			n++
			if text := broken(steps, i); text != "" && len(out) < 2 {
				out = append(out, text)
			}
		}
	}
	if n == 1 && len(out) == 1 {
		out = append(out,
			fmt.Sprintf("without the switch goroutine %s would have continued",
				oneLine(interrupted(steps, switchIn(steps)).G)))
	}
	return out
}

func switchIn(steps []wire.Step) int {
	return slices.IndexFunc(steps, func(s wire.Step) bool { return s.Switch })
}

// interrupted returns the step before the switch at i.
func interrupted(steps []wire.Step, i int) *wire.Step { return &steps[i-1] }

// broken describes the switch at i: the two steps that it separates, and the steps in between.
func broken(steps []wire.Step, i int) string {
	before := interrupted(steps, i)
	if before.G == steps[i].G {
		return ""
	}
	back := i
	for back < len(steps) && steps[back].G != before.G {
		back++
	}
	var own []int // steps in between
	for k := i; k < back; k++ {
		if steps[k].G == steps[i].G && steps[k].Op != "start" && steps[k].Op != "resume" {
			own = append(own, k)
		}
	}
	other := oneLine(steps[i].G)
	if len(own) == 0 {
		return ""
	}
	what := stepAt(&steps[own[0]])
	if len(own) > 1 {
		what += " to " + stepAt(&steps[own[len(own)-1]])
	}
	if back == len(steps) && before.Op == "start" {
		return fmt.Sprintf("goroutine %s overtakes %s, which has only just begun: let %s wait for %s",
			other, oneLine(before.G), other, oneLine(before.G))
	}
	if back == len(steps) {
		return fmt.Sprintf("goroutine %s overtakes %s, which had come to %s: let %s wait for %s",
			other, oneLine(before.G), stepAt(before), other, oneLine(before.G))
	}
	return fmt.Sprintf("goroutine %s assumed that %s and %s run without interruption; %s ran %s in between",
		oneLine(before.G), stepAt(before), stepAt(&steps[back]), other, what)
}

// stepAt returns a step with its line: "lock mu (bank.go:12)".
func stepAt(s *wire.Step) string {
	text := fit(stepOperation(s), 40)
	if s.Where.File != "" {
		text += fmt.Sprintf(" (%s:%d)", filepath.Base(s.Where.File), s.Where.Line)
	}
	return text
}
