package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"heddle/explore/why"
	"heddle/internal/norm"
	"heddle/report"
	"heddle/report/pattern"
)

// explain is heddle explain: what a kind of finding, a pattern or a reason code means. Without a
// name it lists them.
func (t *tool) explain(_ context.Context, args []string) int {
	rest, err := t.parse("explain", new(options), args, true)
	if err != nil {
		return t.parseError(err)
	}
	if len(rest) == 0 {
		t.listExplained()
		return exitFine
	}
	name := norm.Name(strings.Join(rest, " "))
	known := false
	for _, k := range report.Kinds {
		if norm.Name(k.Name) == name {
			known = true
			fmt.Fprintf(t.Stdout, "%s: a kind of finding\n\n\t%s\n\nwhat to do\n\n\t%s\n",
				k.Name, k.Means, k.Hint)
		}
	}
	for _, p := range pattern.Patterns {
		if norm.Name(string(p.Name)) == name {
			known = true
			fmt.Fprintf(t.Stdout, "%s: a pattern of bugs\n\n\t%s\n\nfor example\n\n\t%s\n",
				p.Name, p.Means, p.Example)
		}
	}
	if r := report.ReasonOf(why.Code(name)); r.Means != "" {
		known = true
		fmt.Fprintf(t.Stdout, "%s: a reason why a test was not covered\n\n\t%s\n", r.Code, r.Means)
		if r.Change != "" {
			fmt.Fprintf(t.Stdout, "\nwhat would change it\n\n\t%s\n", r.Change)
		}
	}
	if known {
		return exitFine
	}
	return t.misuse("heddle explain: no kind of finding, no pattern and no reason is called %q%s. Run 'heddle explain' for the list.",
		strings.Join(rest, " "), meant(name, explained()))
}

// listExplained prints the names with their meanings.
func (t *tool) listExplained() {
	fmt.Fprint(t.Stdout, "Kinds of findings:\n\n")
	for _, k := range report.Kinds {
		fmt.Fprintf(t.Stdout, "\t%-25s %s\n", k.Name, k.Means)
	}
	fmt.Fprint(t.Stdout, "\nPatterns of bugs (Pattern of a finding in -json):\n\n")
	for _, p := range pattern.Patterns {
		fmt.Fprintf(t.Stdout, "\t%-31s %s\n", p.Name, p.Means)
	}
	fmt.Fprint(t.Stdout, "\nReasons why a test was not covered (Code of the summary in -json):\n\n")
	for _, r := range report.Reasons {
		fmt.Fprintf(t.Stdout, "\t%-25s %s\n", r.Code, r.Means)
	}
}

// explained are the names that explain knows, as one word each.
func explained() (names []string) {
	for _, k := range report.Kinds {
		names = append(names, norm.Name(k.Name))
	}
	for _, p := range pattern.Patterns {
		names = append(names, norm.Name(string(p.Name)))
	}
	for _, r := range report.Reasons {
		names = append(names, string(r.Code))
	}
	slices.Sort(names)
	return slices.Compact(names)
}
