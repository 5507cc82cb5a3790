package main

import (
	"strings"
	"testing"
)

// A run of the command adds its rows, in the order of releases and platforms, and keeps the cells
// that it did not measure.
func TestTable(t *testing.T) {
	old := table([]row{
		{"go1.27.0", "linux/amd64", "a", "b", "c", "d", "1"},
		{"go1.26.11", "linux/arm64", "e", "", "g", "h", "1"},
		{"go1.26.8", "linux/amd64", "i", "", "", "", "1"},
		{"go1.26.8", "linux/arm64", "", "not run: no such machine here", "", "", "1"},
	}, "")
	got := table([]row{
		{release: "go1.26.11", platform: "linux/amd64", suites: "x", at: "2"},
		{release: "go1.26.11", platform: "linux/arm64", suites: "y", at: "2"},
	}, old)
	_, got, _ = strings.Cut(got, "| --- |")
	_, got, _ = strings.Cut(got, "\n")
	const want = `| go1.26.8 | linux/amd64 | i | not measured | not measured | not run: see go1.26.11 | 1 |
| go1.26.8 | linux/arm64 | not run: see go1.26.11 | not run: no such machine here | not run: see go1.26.11 | not run: see go1.26.11 | 1 |
| go1.26.11 | linux/amd64 | not run: see go1.26.8 | not measured | not measured | x | 2 |
| go1.26.11 | linux/arm64 | e | not run: no such machine here | g | y | 1, 2 |
| go1.27.0 | linux/amd64 | a | b | c | d | 1 |
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The duration of a test is not part of its verdict.
func TestTook(t *testing.T) {
	for _, text := range []string{"covered (<1ms)", "covered (11ms)", "covered (0.2s)", "covered (2m05s)"} {
		if got := took.ReplaceAllString(text, ""); got != "covered" {
			t.Errorf("%s: %q, want \"covered\"", text, got)
		}
	}
	for _, text := range []string{"covered (3 executions, <1ms)", "covered (3 executions, 2m05s)"} {
		if got := took.ReplaceAllString(text, ""); got != "covered (3 executions" {
			t.Errorf("%s: %q, want \"covered (3 executions\"", text, got)
		}
	}
}
