package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"heddle/internal/norm"
	"heddle/report"
	"heddle/report/pattern"
)

// An explanation is of something that heddle explain knows.
type explanation struct {
	group string // heading of the list that it is in
	name  string
	is    string // "a kind of finding"
	means string
	head  string // of more
	more  string // or ""
}

const (
	ofKinds    = "Kinds of findings"
	ofPatterns = "Patterns of bugs (Pattern of a finding in -json)"
	ofReasons  = "Reasons why a test was not covered (Code of the summary in -json)"
)

// explanations are all that heddle explain explains, group by group.
func explanations() (all []explanation) {
	for _, k := range report.Kinds {
		all = append(all, explanation{ofKinds, k.Name, "a kind of finding", k.Means, "what to do", k.Hint})
	}
	for _, p := range pattern.Patterns {
		all = append(all, explanation{ofPatterns, string(p.Name), "a pattern of bugs", p.Means, "for example",
			p.Example})
	}
	for _, r := range report.Reasons {
		all = append(all, explanation{ofReasons, string(r.Code), "a reason why a test was not covered",
			r.Means, "what would change it", r.Change})
	}
	return all
}

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
	for _, p := range explanations() {
		if norm.Name(p.name) != name {
			continue
		}
		known = true
		fmt.Fprintf(t.Stdout, "%s: %s\n\n\t%s\n", p.name, p.is, p.means)
		if p.more != "" {
			fmt.Fprintf(t.Stdout, "\n%s\n\n\t%s\n", p.head, p.more)
		}
	}
	if known {
		return exitFine
	}
	return t.misuse("heddle explain: no kind of finding, no pattern and no reason is called %q%s.\nKinds: %s.\nPatterns: %s.\nRun 'heddle explain' for what they mean, and for the reasons.",
		strings.Join(rest, " "), meant(name, explained()), namesOf(ofKinds), namesOf(ofPatterns))
}

// namesOf returns the names of a group.
func namesOf(group string) string {
	var names []string
	for _, p := range explanations() {
		if p.group == group {
			names = append(names, p.name)
		}
	}
	return strings.Join(names, ", ")
}

// listExplained prints the names with their meanings.
func (t *tool) listExplained() {
	width, last := map[string]int{}, ""
	for _, p := range explanations() {
		width[p.group] = max(width[p.group], len(p.name))
	}
	for _, p := range explanations() {
		if p.group != last {
			if last != "" {
				fmt.Fprintln(t.Stdout)
			}
			fmt.Fprintf(t.Stdout, "%s:\n\n", p.group)
			last = p.group
		}
		fmt.Fprintf(t.Stdout, "\t%-*s  %s\n", width[p.group], p.name, p.means)
	}
}

// explained are the names that explain knows, as one word each.
func explained() (names []string) {
	for _, p := range explanations() {
		names = append(names, norm.Name(p.name))
	}
	slices.Sort(names)
	return slices.Compact(names)
}
