package report

import (
	"fmt"
	"slices"
	"sort"

	"heddle/rt/wire"
)

// mostSteps is how many steps of a finding are shown.
const mostSteps = 18

// mostVerbose is how many with -v: a clip can have millions, and is a text file for who wants them all.
const mostVerbose = 1000

// chosen returns which steps of a finding's clip are shown.
func (r *Reporter) chosen(f Finding) []int {
	all := f.steps()
	most := mostSteps
	std := func(s *wire.Step) bool { return r.std(s.Where) || ofConnection(s.Op, s.Where) }
	switch {
	case r.o.Verbose:
		most, std = mostVerbose, func(*wire.Step) bool { return false }
	case len(all) > mostSteps: // lines for what is left out come between them
		most = mostSteps * 2 / 3
	}
	return selectSteps(all, f.Places, most, std)
}

// steps are those of the finding's execution that the table is made of: all, or, where the clip does without the end, what leads to
// the last switch, and the last ones.
func (f Finding) steps() []wire.Step {
	if len(f.Rest) == 0 {
		return f.Clip.Steps // there can be millions
	}
	return slices.Concat(f.Clip.Steps[:f.lead()], f.Rest)
}

// lead is how many of the clip's steps are among them.
func (f Finding) lead() int {
	all := len(f.Clip.Steps)
	if len(f.Rest) == 0 {
		return all
	}
	for i, s := range slices.Backward(f.Clip.Steps) {
		if s.Switch {
			return min(i+4, all) // and what it led to
		}
	}
	return 0
}

// ofConnection reports whether an operation is how a connection keeps its order, at the place of the program that uses it: that it is
// taken, and waited for, says enough.
func ofConnection(op string, w wire.Place) bool {
	return w.Object == connection && w.Site == 0 && (op == "unlock" || op == "broadcast" || op == "signal")
}

// connection is what package drive calls a connection, a listener or a pipe.
const connection = "connection"

// number returns which step of the execution the i-th of f.steps() is, from 0.
func (f Finding) number(i int) int {
	if lead := f.lead(); i >= lead {
		i += len(f.Clip.Steps) - lead + f.Skipped
	}
	return i
}

// steps returns the table of those steps of a clip that matter to its finding.
func (r *Reporter) steps(f Finding, chosen []int, room int) []string {
	all := f.steps()
	var rows []row
	next := 0
	gap := func(to int) {
		switch n := f.number(to) - f.number(next-1) - 1; {
		case n == to-next && n > 0 && next > 0 && allLike(all[next-1:to]):
			rows = append(rows, row{gap: fmt.Sprintf("... the same, %s", times(n))})
		case n > 0:
			rows = append(rows, row{gap: "... " + plural(n, "step")})
		}
	}
	for _, i := range chosen {
		gap(i)
		next = i + 1
		s := &all[i]
		rows = append(rows, row{num: f.number(i) + 1, g: s.G, text: stepOperation(s), mark: s.Switch, where: r.position(s.Where), source: r.source(s.Where)})
	}
	gap(len(all))
	return table(rows, room)
}

// like reports whether b is the step a once more: a loop that waits for something.
func like(a, b *wire.Step) bool {
	return a.G == b.G && a.Op == b.Op && a.Where == b.Where && a.Choice == b.Choice && !b.Switch
}

func allLike(steps []wire.Step) bool {
	for i := range steps[1:] {
		if !like(&steps[0], &steps[i+1]) {
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

// selectSteps returns at most n steps, in order: those at the finding's places, the
// last one, both sides of every switch and where the goroutine that had to wait goes on, later
// ones first, accesses that race, what the switches led to, what is done to the same objects,
// and then what comes before the end: first of the goroutines that the
// finding names. Of what the standard library does by itself there are the switches only. Steps
// that repeat the one before are left out.
func selectSteps(steps []wire.Step, places []wire.Place, n int, std func(*wire.Step) bool) []int {
	chosen := map[int]bool{}
	add := func(i int) {
		if i >= 0 && len(chosen) < n {
			chosen[i] = true
		}
	}
	again := func(i int) bool { return i > 0 && i < len(steps)-1 && like(&steps[i-1], &steps[i]) }
	objects := map[string]bool{}
	for _, p := range places {
		for i := len(steps) - 1; i >= 0; i-- {
			w := steps[i].Where
			if w.File == p.File && w.Line == p.Line && p.Line != 0 && (p.Goroutine == "" || p.Goroutine == steps[i].G) {
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
		for i := len(steps) - 1; i >= 0; i-- { // an access that is a step was seen to race
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
		if !std(&steps[i]) && !again(i) && slices.ContainsFunc(places, func(p wire.Place) bool { return p.Goroutine == steps[i].G }) {
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

// nextOf returns the index of the first step of goroutine g, the last one if there is none.
func nextOf(steps []wire.Step, g string) int {
	for i := range steps {
		if steps[i].G == g {
			return i
		}
	}
	return len(steps) - 1
}

// choice prints the outcome that was taken.
func choice(op string, c int) string {
	switch op {
	case "select":
		return fmt.Sprintf(", case %d", c)
	case "choose":
		return fmt.Sprintf(" %d", c)
	}
	return fmt.Sprintf(", outcome %d", c)
}
