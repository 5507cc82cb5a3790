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
	all := f.Clip.Steps
	most := mostSteps
	std := func(s *wire.Step) bool { return r.std(s.Where) }
	switch {
	case r.o.Verbose:
		most, std = mostVerbose, func(*wire.Step) bool { return false }
	case len(all) > mostSteps: // lines for what is left out come between them
		most = mostSteps * 2 / 3
	}
	return matter(all, f.Places, most, std)
}

// steps returns the table of those steps of a clip that matter to its finding.
func (r *Reporter) steps(f Finding, chosen []int, room int) []string {
	all := f.Clip.Steps
	var rows []row
	next := 0
	for _, i := range chosen {
		if i > next {
			rows = append(rows, row{gap: "... " + plural(i-next, "step")})
		}
		next = i + 1
		s := &all[i]
		rows = append(rows, row{num: i + 1, g: s.G, text: stepOperation(s), mark: s.Switch, where: r.position(s.Where), source: r.source(s.Where)})
	}
	if next < len(all) {
		rows = append(rows, row{gap: "... " + plural(len(all)-next, "step")})
	}
	return table(rows, room)
}

// matter chooses at most n steps, in order: those at the finding's places, the
// last one, both sides of every switch, later ones first, accesses that race,
// what the switches led to, and then what comes before the end: first of the goroutines that the
// finding names. Of what the standard library does by itself there are the switches only.
func matter(steps []wire.Step, places []wire.Place, n int, std func(*wire.Step) bool) []int {
	chosen := map[int]bool{}
	add := func(i int) {
		if i >= 0 && len(chosen) < n {
			chosen[i] = true
		}
	}
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
		if !std(&steps[i]) && slices.ContainsFunc(places, func(p wire.Place) bool { return p.Goroutine == steps[i].G }) {
			add(i)
		}
	}
	for i := len(steps) - 1; i >= 0; i-- {
		if !std(&steps[i]) {
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
