package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

const module = "heddle/"

// A box is a group of packages in the picture. A package belongs to the box that names it, or its
// closest parent folder.
type box struct {
	name     string
	row      int // from the top; imports lead to a greater row, or stay in the box
	packages []string
	not      []string // packages that it does not import, though they are below it
}

var (
	scheduler = []string{"rt/sched", "rt/hook", "rt/flow"}
	analyses  = []string{"predict", "order", "symbolic"}
)

// boxes is the one definition of the layers. Two boxes of one row know nothing of each other: no
// strategy (explore) knows the scheduler (rt), and the scheduler knows no strategy. What rt and the
// others share is in rows below.
var boxes = []box{
	// the command; the main package of test binaries, which links all; what only tests and
	// measures heddle
	{"commands", 0, []string{".", "cmd", "rt/drive", "bench", "scripts", "internal"}, nil},
	{"engine", 1, []string{"engine"}, scheduler},
	{"tools", 1, []string{"build", "clip", "report", "cluster", "debug", "gen", "instrument"}, scheduler},
	{"explore", 2, []string{"explore"}, nil},
	{"rt", 2, []string{"rt/hook", "rt/sched", "rt/flow", "rt/policy"}, analyses},
	{"analyses", 3, analyses, nil},
	{"wire", 3, []string{"rt/wire"}, nil},
	{"model", 4, []string{"model"}, nil},
	{"trace", 5, []string{"trace", "detect"}, nil},
	{"leaves", 6, []string{"rt/counters", "rt/decoded", "rt/fuzzed", "rt/limit", "rt/splitmix", "rt/states",
		"internal/shard", "internal/norm", "internal/tested"}, nil},
}

// exceptions are the imports that go up today, as "from to", with the reason. The test fails for an
// exception that is not needed any more, so the list can only shrink.
var exceptions = map[string]string{
	"rt/wire explore/question": "a part of the configuration; it has no search in it",
	"rt/wire explore/why":      "a part of the record; it has no search in it",
}

// boxOf returns the index of the box of a package, -1 if there is none.
func boxOf(pkg string) int {
	best, length := -1, -1
	for i, b := range boxes {
		for _, p := range b.packages {
			if within(pkg, p) && len(p) > length {
				best, length = i, len(p)
			}
		}
	}
	return best
}

// within reports whether pkg is in folder.
func within(pkg, folder string) bool {
	return pkg == folder || strings.HasPrefix(pkg, folder+"/")
}

// below reports whether a package of box a may import a package of box b.
func below(a, b int, pkg string) bool {
	return boxes[b].row > boxes[a].row &&
		!slices.ContainsFunc(boxes[a].not, func(p string) bool { return within(pkg, p) })
}

// problems returns what breaks the rule of boxes, one line each.
func (g graph) problems() []string {
	var all []string
	unused := maps.Clone(exceptions)
	for _, from := range slices.Sorted(maps.Keys(g)) {
		a := boxOf(from)
		if a < 0 {
			all = append(all, fmt.Sprintf("%s is in no box: add it to scripts/imports/layers.go", from))
			continue
		}
		for _, to := range g[from] {
			b := boxOf(to)
			if b < 0 || a == b || below(a, b, to) {
				continue
			}
			if edge := from + " " + to; exceptions[edge] != "" {
				delete(unused, edge)
			} else {
				all = append(all, fmt.Sprintf("%s (%s) imports %s (%s), which it must not know",
					from, boxes[a].name, to, boxes[b].name))
			}
		}
	}
	for _, edge := range slices.Sorted(maps.Keys(unused)) {
		all = append(all, fmt.Sprintf("exception %q is not needed any more: remove it", edge))
	}
	return all
}

// arrows returns the pairs of boxes between which there are imports: those that go down, and
// those that are exceptions.
func (g graph) arrows() (down, up [][2]int) {
	seen := make(map[[2]int]bool)
	for _, from := range slices.Sorted(maps.Keys(g)) {
		for _, to := range g[from] {
			pair := [2]int{boxOf(from), boxOf(to)}
			if pair[0] == pair[1] || pair[0] < 0 || pair[1] < 0 || seen[pair] {
				continue
			}
			seen[pair] = true
			if below(pair[0], pair[1], to) {
				down = append(down, pair)
			} else {
				up = append(up, pair)
			}
		}
	}
	return down, up
}
