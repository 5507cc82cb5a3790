package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"

	"heddle/internal/run"
	"heddle/rt/wire"
)

const setiadi = "heddle/bench/programs/setiadi"

// An experiment is a row of Table V of Setiadi, Ohsuga & Maekawa with the program of the same
// structure. The paper's counts: threads, shared variables, branches affected by interleaving,
// test cases of TPAIR and of the proposed method; -1 is infinite.
type experiment struct {
	test, name                               string
	threads, shared, affected, pairs, groups int
}

var experiments = []experiment{
	{"TestPool", "Commons Pool", 3, 33, 1, 23, 2},
	{"TestTelnet", "JTelnet", 3, 7, 0, 66, 0},
	{"TestNetMap", "jNetMap", 6, 10, 1, -1, 5},
	{"TestSpider", "JoBo", 4, 4, 1, -1, 2},
	{"TestDatabase", "Derby", 5, 33, 29, 1453539, 58},
}

// poolMore is the program of Fig. 16, with more and more accesses to shared variables.
var poolMore = []string{"TestPool", "TestPoolMore1", "TestPoolMore2", "TestPoolMore3", "TestPoolMore4",
	"TestPoolMore6", "TestPoolMore8"}

// Bounds of an exploration: executions of strategy branch, nanoseconds of strategy reach. Beyond
// them the table says "more than".
const (
	branchRuns  = 20
	reachBudget = 4e9
)

// An explored is the result of one test by strategies branch and reach.
type explored struct {
	*wire.Groups
	endless    bool // its executions end at the step bound: TPAIR does not terminate
	executions int  // by branch
	why        string
	reach      search
}

// exploreGroups explores tests by strategies: branch in a build for data flow, reach with every
// memory access as a step, as in the paper's reachability testing.
func exploreGroups(ctx context.Context, tests, strategies []string) (map[string]*explored, error) {
	pattern := []string{"-test.run=^(" + strings.Join(tests, "|") + ")$"}
	found := map[string]*explored{}
	for _, strategy := range strategies {
		flow := strategy == "branch"
		b, err := buildPackage(ctx, setiadi, flow)
		if err != nil {
			return nil, err
		}
		if err := run.Binary(ctx, b.path, b.dir, branchConfig(setiadi, strategy), pattern,
			exploredInto(found, flow)); err != nil {
			return nil, err
		}
	}
	for _, t := range tests {
		if found[t] == nil {
			return nil, fmt.Errorf("%s: nothing was found out", t)
		}
	}
	return found, nil
}

// branchConfig configures an exploration by branch or reach.
func branchConfig(pkg, strategy string) wire.Config {
	config := wire.Config{Mode: "test", Package: pkg, Strategy: strategy, Flow: strategy == "branch",
		Visible: "auto", Time: "virtual", Isolate: "vars", Count: 1, FlowMemory: 256 << 20}
	if strategy == "branch" {
		config.Runs, config.Options = branchRuns, map[string]string{"samples": "false"}
	} else {
		config.Visible, config.Steps, config.Budget = "all", reachSteps, reachBudget
	}
	return config
}

// exploredInto returns what enters the results of tests by branch, which needs data flow, or by
// reach.
func exploredInto(found map[string]*explored, flow bool) func(*wire.Record) {
	return func(rec *wire.Record) {
		if rec.Type != "end" {
			return
		}
		x := found[rec.Test]
		if x == nil {
			x = &explored{Groups: new(wire.Groups)}
			found[rec.Test] = x
		}
		if !flow {
			x.reach = search{executions: rec.Executions, complete: rec.Complete, reason: rec.Reason,
				seconds: rec.Elapsed}
			return
		}
		x.executions, x.why = rec.Executions, rec.Reason
		if rec.Groups != nil {
			x.Groups = rec.Groups
		}
		x.endless = strings.Contains(rec.Reason, "step bound")
	}
}

// reachSteps bounds the steps of an execution by reach: a loop without end has infinitely many
// sequences.
const reachSteps = 4000

// measureBranch prints a table like Table V, with the paper's figures below the measured ones, and
// writes a plot like Fig. 16 to a file. only "subjects": only the table of tests of other modules.
func measureBranch(ctx context.Context, file, only string) error {
	if only == "subjects" {
		return measureSubjects(ctx)
	}
	var tests []string
	for _, e := range experiments {
		tests = append(tests, e.test)
	}
	found, err := exploreGroups(ctx, append(tests, poolMore[1:]...), []string{"branch", "reach"})
	if err != nil {
		return err
	}
	columns := func(name string, cells ...any) {
		fmt.Printf("%-20s", name)
		for _, c := range cells {
			fmt.Printf(" %12v", c)
		}
		fmt.Println()
	}
	columns("", "goroutines", "shared", "read-shared", "branches", "affected", "reach", "TPAIR", "groups",
		"executions")
	for _, e := range experiments {
		x := found[e.test]
		groups, executions := x.Groups.Groups, max(0, x.Settled)
		columns(e.name+" shape", x.Goroutines, x.Shared, x.ReadShared, x.Branches, x.Affected, x.reached(),
			x.paired(), groups, executions)
		columns("  the paper's", e.threads, e.shared, "", "", e.affected, "", orInfinite(float64(e.pairs)),
			e.groups, "")
	}
	fmt.Println("\nreach: executions within", int(reachBudget/1e9), "s, every access a step. groups: orders of what the affected branches depend on; executions: until all were tested, the first among them.")
	var rows []plotRow
	for _, t := range poolMore {
		x := found[t]
		rows = append(rows,
			plotRow{x.Accesses, float64(x.reach.executions), x.Pairs, float64(x.Groups.Groups),
				x.reach.complete})
		fmt.Printf("accesses %3d: reach %8s, TPAIR %8s, groups %d\n", x.Accesses, x.reached(), x.paired(),
			x.Groups.Groups)
	}
	if err := measureBehind(ctx); err != nil {
		return err
	}
	if err := measureSubjects(ctx); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(plot(rows)), 0o666)
}

func (x *explored) reached() string {
	if x.reach.complete {
		return fmt.Sprint(x.reach.executions)
	}
	if x.endless {
		return "infinite"
	}
	return fmt.Sprintf(">%d", x.reach.executions)
}

func (x *explored) paired() string {
	if x.endless {
		return "infinite"
	}
	return orInfinite(x.Pairs)
}

func orInfinite(n float64) string {
	switch {
	case n < 0:
		return "infinite"
	case n < 1e9:
		return fmt.Sprintf("%.0f", n)
	}
	return fmt.Sprintf("%.1e", n)
}

// A plotRow is one point of each curve.
type plotRow struct {
	accesses             int
	reach, pairs, groups float64
	complete             bool // whether reach was complete
}

// plot returns an SVG with the numbers of test cases over the accesses to shared variables, on a
// logarithmic scale.
func plot(rows []plotRow) string {
	const width, height, left, bottom, top = 640, 400, 70, 50, 30
	most, last := 10.0, rows[len(rows)-1].accesses
	first := rows[0].accesses
	for _, r := range rows {
		most = max(most, r.reach, r.pairs)
	}
	decades := math.Ceil(math.Log10(most))
	x := func(n int) float64 {
		return left + float64(n-first)/float64(max(last-first, 1))*(width-left-130)
	}
	y := func(v float64) float64 {
		return height - bottom - math.Log10(max(v, 1))/decades*(height-bottom-top)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="white"/><text x="%d" y="18">Test cases against accesses to shared variables (Commons Pool's shape)</text>`+"\n", left)
	for d := 0.0; d <= decades; d++ {
		v := math.Pow(10, d)
		fmt.Fprintf(&b, `<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%.0f</text>`+"\n", left, width-130, y(v), y(v), left-6, y(v)+4, v)
	}
	for _, r := range rows {
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle">%d</text>`+"\n", x(r.accesses),
			height-bottom+18, r.accesses)
	}
	for _, c := range []struct {
		name, colour string
		of           func(plotRow) float64
	}{
		{"reachability", "#b33", func(r plotRow) float64 { return r.reach }},
		{"TPAIR", "#36c", func(r plotRow) float64 { return r.pairs }},
		{"branch", "#282", func(r plotRow) float64 { return r.groups }},
	} {
		var points []string
		for _, r := range rows {
			points = append(points, fmt.Sprintf("%.1f,%.1f", x(r.accesses), y(c.of(r))))
		}
		end := rows[len(rows)-1]
		name := c.name
		if c.name == "reachability" && !end.complete {
			name += " (at least)"
		}
		fmt.Fprintf(&b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/><text x="%.1f" y="%.1f" fill="%s">%s</text>`+"\n",
			strings.Join(points, " "), c.colour, x(end.accesses)+6, y(c.of(end))+4, c.colour, name)
	}
	b.WriteString("</svg>\n")
	return b.String()
}
