package report

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Findings with one cause are one report: the finding that tells most in full, the others below it
// as its consequences, a line each. Package cause decides which have one cause.

// A told is a cause that was reported.
type told struct {
	index    int // of the finding that was told in full
	name     string
	finding  string // its heading and its test
	pkg      string
	testName string
}

// settle gives every finding of a test that is over its cause and its text.
func (p *Package) settle(t *TestResult) {
	r := p.r
	r.causes.Settle(p.path, t.Name)
	for i := range t.Findings {
		p.tell(t, i)
	}
	for i := range t.Findings {
		r.explained(&t.Findings[i])
		t.Findings[i].Text = r.explain(t.Name, t.Findings[i])
	}
	for i := range t.Findings {
		f := &t.Findings[i]
		if r.o.JSON {
			r.jsonLine(r.findingEvent(p.path, t.Name, *f))
		}
		if r.o.Markdown {
			f.Markdown = r.markdown(p.path, t.Name, *f)
		}
		f.Finding = r.shortened(f.Finding)
	}
}

// tell finds the report that finding i of a test belongs to, or begins one.
func (p *Package) tell(t *TestResult, i int) {
	r, f := p.r, &t.Findings[i]
	for _, old := range r.told {
		if r.causes.Same(old.index, f.index) {
			f.Cause = old.name
			if old.index != f.index {
				f.Of = old.finding
				f.earlier = old.pkg != p.path || old.testName != t.Name
			}
			return
		}
	}
	var group []int
	at := map[int]*Finding{}
	for k := range t.Findings[i:] {
		if g := &t.Findings[i+k]; r.causes.Same(f.index, g.index) {
			group = append(group, g.index)
			at[g.index] = g
		}
	}
	lead := r.causes.Lead(group)
	what := headingIn(at[lead].Finding, t.Name)
	r.told = append(r.told, told{lead, nameOf(p.path, t.Name, at[lead]), what, p.path, t.Name})
	p.tell(t, i)
}

// nameOf names a cause by the clip of a finding, or else by its places.
func nameOf(pkg, test string, f *Finding) string {
	if f.ClipPath != "" {
		return path.Base(filepath.ToSlash(f.ClipPath))
	}
	h := fnv.New32a()
	fmt.Fprintln(h, pkg, test, fingerprint(*f))
	return fmt.Sprintf("%08x", h.Sum32())
}

// byCause returns the reports of a test: each cause in full, then the findings whose cause an
// earlier test told.
func (r *Reporter) byCause(t *TestResult) string {
	var reports []string
	for _, f := range t.Findings {
		if f.Of == "" {
			reports = append(reports, r.boldHead(f.Text)+r.consequences(t, f))
		}
	}
	seen := map[string]bool{}
	for _, f := range t.Findings {
		if f.earlier && !seen[f.Cause] {
			seen[f.Cause] = true
			reports = append(reports, r.boldHead(fmt.Sprintf("    SAME CAUSE as %s\n%s", f.Of,
				indent(6, strings.Join(r.briefly(t, f.Cause, r.o.Width-6), "\n")+"\n"))))
		}
	}
	if r.o.Verbose {
		for _, f := range t.Findings {
			if f.Of != "" {
				reports = append(reports, r.boldHead(f.Text))
			}
		}
	}
	return strings.Join(reports, "\n")
}

// consequences returns the lines below a report for the other findings of its cause.
func (r *Reporter) consequences(t *TestResult, f Finding) string {
	lines := r.briefly(t, f.Cause, r.o.Width-12)
	if len(lines) == 0 {
		return ""
	}
	n := 0
	for i := range t.Findings {
		if g := &t.Findings[i]; g.Cause == f.Cause && g.Of != "" {
			n++
		}
	}
	clips := "its clip"
	if n > 1 {
		clips = "the clip of each"
	}
	head := fmt.Sprintf("    also    %s of the same cause, with %s for heddle replay\n",
		plural(n, "more finding"), clips)
	return head + indent(12, strings.Join(lines, "\n")+"\n")
}

// briefly returns a line for each finding of a cause in a test but the one that is told in full, or
// several where the columns have no room for all words and the clip.
func (r *Reporter) briefly(t *TestResult, name string, room int) []string {
	var rows [][]string
	for _, f := range t.Findings {
		if f.Cause == name && f.Of != "" {
			clip := oneLine(f.ClipPath)
			if f.FromClip != "" {
				clip += "  (still there)"
			}
			rows = append(rows, []string{kindAndObject(f.Finding), r.inBrief(f), clip})
		}
	}
	lines := columns(rows)
	if !slices.ContainsFunc(lines, func(l string) bool { return width(l) > room }) {
		return lines
	}
	lines = nil
	for _, row := range rows {
		more := ""
		for _, l := range append(wrap(row[0]+": "+row[1], room-2), row[2]) {
			lines = append(lines, more+l)
			more = "  "
		}
	}
	return lines
}

// mostBrief is how much of a message inBrief has.
const mostBrief = 200

// inBrief says in a few words where a finding happened or what was said.
func (r *Reporter) inBrief(f Finding) string {
	var at []string
	for _, p := range f.CorePlaces() {
		if u, ok := r.caller(p, f.Stacks); ok {
			p = u
		}
		if pos := r.position(p); pos != "" {
			at = append(at, strings.TrimSpace(verb(p.Op)+" "+pos))
		}
	}
	where := strings.Join(at, ", ")
	switch f.Kind {
	case "panic", "test failure", "misuse":
		text, _, _ := strings.Cut(strings.TrimSpace(message(f.Finding)), "\n")
		where = fit(oneLine(text), mostBrief) + " (" + cmp.Or(where, "position not known") + ")"
	}
	return where
}
