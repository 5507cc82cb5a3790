package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// tally returns a cell of docs/results/platforms.md: for how many of the tests that go test runs
// heddle has the same result, and the other results.
func tally(results []*result, took time.Duration) string {
	tests, counts := 0, map[string]int{}
	var order, names []string
	other := func(what string) {
		if counts[what] == 0 {
			order = append(order, what)
		}
		counts[what]++
	}
	for _, r := range results {
		names = append(names, shortName(r.path))
		if r.failed != "" {
			other("modules that cannot be tried")
		}
		for _, p := range r.sorted() {
			for _, test := range slices.Sorted(maps.Keys(p.plainly)) {
				tests++
				switch plain, here := p.plainly[test], p.controlled[test]; {
				case plain == here:
					counts[""]++
				case here == "":
					other("not run by heddle: " + test)
				case here != "fail":
					other(fmt.Sprintf("%s under go test, %s under heddle: %s", plain, here, test))
				default:
					other(p.why(test))
				}
			}
		}
	}
	text := fmt.Sprintf("%s: %d of %d tests as with go test", strings.Join(names, ", "), counts[""], tests)
	for _, what := range order {
		text += fmt.Sprintf("; %d %s", counts[what], what)
	}
	return cell(text + fmt.Sprintf("; in %.1f min", took.Minutes()))
}

// why returns heddle's findings for a test that go test passes.
func (p *pkgResult) why(test string) string {
	what := "fails under heddle alone: " + test
	for i := range p.findings {
		f := &p.findings[i]
		switch {
		case f.test != test && !strings.HasPrefix(f.test, test+"/"):
		case f.kind == uncontrolled:
			return "waits for what is not under control"
		case f.explained() == "":
			return fmt.Sprintf("unexplained %s: %s", f.kind, test)
		default:
			what = "with a bug of their own ([found](found.md))"
		}
	}
	return what
}

// shortName returns a short name of a module, without host and version.
func shortName(path string) string {
	parts := strings.Split(path, "/")
	if last := parts[len(parts)-1]; len(parts) > 2 && len(last) > 1 && last[0] == 'v' && last[1] >= '0' &&
		last[1] <= '9' {
		parts = parts[:len(parts)-1]
	}
	if len(parts) > 2 {
		parts = parts[len(parts)-2:]
	}
	return strings.Join(parts, "/")
}
