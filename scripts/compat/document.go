package main

import (
	"fmt"
	"runtime"
	"strings"
	"time"
)

// document returns docs/results/compatibility.md: the rows of the modules in results, and for the
// others the rows in old, the document so far.
func document(results []*result, old string, runs int, budget, limit time.Duration, heddle string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Compatibility

Written by `+"`"+`go run ./scripts/compat`+"`"+`: the unmodified test suites of these modules under
`+"`"+`heddle test -runs %d -budget %s`+"`"+`, with %s. The column *heddle* has the commit that tried each
module.

- *Concurrent* are the tests with more than one schedule; the others end after two executions at
  most.
- *Findings* that are the module's own are explained in [found](found.md). Those of tests that fail
  under `+"`"+`go test`+"`"+` too are marked so.
- Times are of all executions together, and of one run of `+"`"+`go test`+"`"+`.
- The budget ends heavy tests before all their executions. *did not end in time* is said of packages
  that were left when the time for the module, building not counted, was over, heddle's fault or
  not: %s, or twice the budget for each of its tests if that is more%s.

%s| --- | ---: | ---: | ---: | --- | --- | ---: | ---: |
`, runs, budget, runtime.Version(), limit, patience(), "| package | tests | concurrent | executions | findings | notes | heddle | go test |\n")
	rows := rowsOf(old)
	for _, r := range results {
		rows[r.path] = r.rows(heddle)
	}
	for _, m := range modules {
		b.WriteString(rows[m.path])
	}
	return b.String()
}

// patience lists the modules that get more time than the others.
func patience() string {
	var b strings.Builder
	for _, m := range modules {
		if m.limit > 0 {
			fmt.Fprintf(&b, "; %s for %s", m.limit, m.path)
		}
	}
	return b.String()
}

// rowsOf returns the rows of a document by module.
func rowsOf(document string) map[string]string {
	rows := map[string]string{}
	module := ""
	for line := range strings.Lines(document) {
		if rest, ok := strings.CutPrefix(line, "| **"); ok {
			module, _, _ = strings.Cut(rest, "**")
		}
		if module != "" {
			rows[module] += line
		}
	}
	return rows
}

// rows returns the rows of one module. heddle is the version that tried it.
func (r *result) rows(heddle string) string {
	if r.failed != "" {
		return fmt.Sprintf("| **%s** %s | | | | | %s | %s | |\n", r.path, r.version, cell(r.failed), heddle)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| **%s** %s | | | | | | %s | |\n", r.path, r.version, heddle)
	for _, p := range r.sorted() {
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %s | %s | %.1fs | %s |\n", p.path, p.tests, p.concurrent,
			p.executions,
			cell(p.findingText()), cell(p.noteText()), p.time, p.plainText())
	}
	return b.String()
}

func (p *pkgResult) plainText() string {
	if p.plain == "ok" {
		return fmt.Sprintf("%.1fs", p.plainTime)
	}
	return p.plain
}

// findingText counts the findings by kind and cause.
func (p *pkgResult) findingText() string {
	counts := map[string]int{}
	var order []string
	for i := range p.findings {
		f := &p.findings[i]
		text := f.kind
		switch why := f.explained(); {
		case why != "":
			text += " (theirs: " + why + ")"
		case f.plainly:
			text += " (fails under go test too)"
		case f.kind == uncontrolled:
			text = "tests that wait for what is not under control, such as real sockets"
		default:
			text += " (unexplained, " + f.test + ")"
		}
		if counts[text] == 0 {
			order = append(order, text)
		}
		counts[text]++
	}
	for i, text := range order {
		order[i] = fmt.Sprintf("%d %s", counts[text], text)
	}
	return strings.Join(order, "; ")
}

// noteText groups equal notes.
func (p *pkgResult) noteText() string {
	if p.broken != "" {
		return p.broken
	}
	byText := map[string][]string{}
	var order []string
	for _, n := range p.notes {
		test, text, _ := strings.Cut(n, ": ")
		if strings.HasPrefix(text, "not deterministic") {
			text = "not deterministic"
		}
		if byText[text] == nil {
			order = append(order, text)
		}
		byText[text] = append(byText[text], test)
	}
	for i, text := range order {
		order[i] = text + ": " + strings.Join(byText[text], ", ")
	}
	return strings.Join(order, "; ")
}

func cell(s string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ").Replace(s)
}
