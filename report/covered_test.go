package report

import (
	"bytes"
	"strings"
	"testing"

	"heddle/rt/wire"
)

// The patterns of a test, as -mapcover prints them: by variable, covered and not, with the schedule
// for the next one.
func TestPatterns(t *testing.T) {
	at := func(op, object, g string, line int) wire.Place {
		return wire.Place{File: "q.go", Line: line, Op: op, Object: object, Goroutine: g}
	}
	drain, put, again := at("read", "q.items", "main/1", 30), at("write", "q.items", "main/2", 16),
		at("write", "q.items", "main/1", 33)
	lock, unlocked := at("lock", "q.mu", "main/1", 29), at("lock", "q.mu", "main/2", 14)
	c := &wire.Coverage{Covered: 1, Highest: 3, Estimate: 12, Whole: true, Groups: []wire.CoverGroup{
		{Kinds: []string{"memory"}, IDs: []int32{3}, Patterns: []wire.CoverPattern{
			{Row: 1, State: "covered", Places: []wire.Place{drain, put}, Vars: []int{0, 0}},
			{Row: 2, State: "refuted", Places: []wire.Place{put, drain}, Vars: []int{0, 0}},
			{Row: 7, State: "not tried", Places: []wire.Place{drain, put, again}, Vars: []int{0, 0, 0}}}},
		{Kinds: []string{"mutex"}, IDs: []int32{5}, Patterns: []wire.CoverPattern{
			{Row: 3, State: "covered", Places: []wire.Place{lock, unlocked}, Vars: []int{0, 0}}}},
		{Kinds: []string{"memory"}, IDs: []int32{8}, Patterns: []wire.CoverPattern{
			{Row: 1, State: "not decided", Places: []wire.Place{drain, put}, Vars: []int{0, 0}}}},
	}, Next: &wire.CoverNext{
		Pattern: wire.CoverPattern{Row: 7, State: "not tried", Places: []wire.Place{drain, put, again}},
		Schedule: []wire.CoverStep{{Goroutine: "main", Events: 4, Until: at("go", "", "main", 40)},
			{Goroutine: "main/1", Events: 1, Until: drain}, {Goroutine: "main/2", Events: 2, Until: put},
			{Goroutine: "main/1", Events: 1, Until: again}}}}
	text := func(o Options, c *wire.Coverage) string {
		var out bytes.Buffer
		o.Out, o.MapCover = &out, true
		r := New(o)
		return r.coverageText(&TestResult{Coverage: c, Patterns: r.patterns("q", "TestX", c)})
	}
	golden(t, "patterns", text(Options{}, c)+"with -v:\n"+text(Options{Verbose: true}, c))
	some := *c
	some.Whole, some.Next = false, nil
	if got := text(Options{}, &some); !strings.Contains(got, "note: only patterns that executions have") {
		t.Errorf("nothing says that other patterns are not known:\n%s", got)
	}
	page := New(Options{Out: new(bytes.Buffer)}).patterns("q", "TestX", c)
	n := len(page.Kinds)
	if n != 4 || page.Kinds[0].Counts[0] != 1 || page.Groups[2].Name != "q.items (memory) #2" {
		t.Errorf("%d kinds, %+v", n, page)
	}
}
