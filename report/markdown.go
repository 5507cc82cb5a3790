package report

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"heddle/report/timeline"
)

// Findings as Markdown, for pull requests and issue trackers (GitHub's dialect, which GitLab, Gitea
// and others read). What the program wrote is in code, where it formats nothing and notifies no
// person.

// Bounds of what is written: trackers refuse long texts, GitHub more than 65,536 characters.
const (
	mostMarkdown  = 60_000 // bytes of a document
	mostFinding   = 38     // lines of a finding; two more say what else its cause does
	mostPlaces    = 6      // rows of its places
	mostAlso      = 4      // other findings of its cause
	mostTests     = 200    // rows of the table of tests
	markdownWidth = 110    // columns of its steps
)

// Markdown writes the results of a run: each cause once, then the verdicts of all tests.
func Markdown(w io.Writer, results []*Result, about []timeline.Term) error {
	x := Index(results)
	d := markdownDocument{about: about}
	d.add("## heddle: " + strings.ToLower(x.Title[:1]) + x.Title[1:] + "\n")
	for _, res := range results {
		if failed := res.BuildError + res.Error; failed != "" {
			d.add(fmt.Sprintf("### %s\n\n%s\n", span(res.Package), fenced(firstLines(failed, mostFinding-6))))
		}
		for _, t := range res.Tests {
			for _, f := range t.Findings {
				if f.Of == "" {
					d.finding(f.Markdown + alsoMarkdown(results, f.Cause))
				}
			}
		}
	}
	d.add(verdicts(results))
	_, err := io.WriteString(w, d.String())
	return err
}

// Markdowns writes findings that were made to text one by one, as Replay.Markdown does.
func Markdowns(w io.Writer, findings []string, about []timeline.Term) error {
	d := markdownDocument{about: about}
	for _, f := range findings {
		d.finding(f)
	}
	_, err := io.WriteString(w, d.String())
	return err
}

// alsoMarkdown lists the other findings of a cause.
func alsoMarkdown(results []*Result, cause string) string {
	var all []string
	for _, res := range results {
		for _, t := range res.Tests {
			for i := range t.Findings {
				if f := &t.Findings[i]; f.Of != "" && f.Cause == cause {
					all = append(all, headingMarkdown(f)+" in "+span(t.Name))
				}
			}
		}
	}
	if len(all) == 0 {
		return ""
	}
	if n := len(all) - mostAlso; n > 0 {
		all = append(all[:mostAlso], plural(n, "more finding"))
	}
	return "\nThe same cause: " + strings.Join(all, "; ") + ".\n"
}

// A markdownDocument is a text that does not become too long.
type markdownDocument struct {
	text  strings.Builder
	left  int // findings for which there was no room
	about []timeline.Term
}

func (d *markdownDocument) add(text string) bool {
	if text == "" || d.text.Len()+len(text) > mostMarkdown {
		return text == ""
	}
	if d.text.Len() > 0 {
		d.text.WriteByte('\n')
	}
	d.text.WriteString(text)
	return true
}

func (d *markdownDocument) finding(text string) {
	if d.left > 0 || !d.add(text) {
		d.left++
	}
}

func (d *markdownDocument) String() string {
	text := d.text.String()
	if d.left > 0 {
		text += fmt.Sprintf("\n**%s** for which there is no room here.\n", plural(d.left, "more finding"))
	}
	var terms []string
	for _, a := range d.about {
		terms = append(terms, a.Name+" "+span(a.Value))
	}
	if len(terms) > 0 {
		text += "\n<sub>" + strings.Join(terms, " · ") + "</sub>\n"
	}
	return text
}

// markdown returns a finding of a test, in mostFinding lines at most. f is resolved.
func (r *Reporter) markdown(pkg, test string, f Finding, notes ...string) string {
	in := span(cmp.Or(strings.TrimPrefix(inSubtest(f.Finding), " in "), test))
	head := []string{"### " + headingMarkdown(&f) + " in " + in, ""}
	for _, n := range notes[:min(len(notes), 2)] {
		head = append(head, "> "+paragraph(cut(sentenceOf(n), 300)), "")
	}
	if r.explained(&f).needsMessage(f.Finding) {
		head = append(head, messageMarkdown(&f)...)
	}
	head = append(head, r.whyMarkdown(&f)...)
	head = append(head, r.placesMarkdown(&f)...)
	var tail []string
	if f.ClipPath != "" {
		tail = append(tail, "Again: "+span(r.replayLine(f.ClipPath)), "")
	}
	tail = append(tail, "Package "+span(pkg)+", "+switches(f.Finding)+".")
	room := mostFinding - len(head) - len(tail)
	return strings.Join(slices.Concat(head, r.stepsMarkdown(&f, room), tail), "\n") + "\n"
}

// headingMarkdown is heading with the object in code.
func headingMarkdown(f *Finding) string {
	h := kindAndObject(f.Finding)
	if o := oneLine(object(f.Finding)); o != "" && strings.HasSuffix(h, o) {
		return plain(strings.TrimSuffix(h, o)) + span(cut(o, 80))
	}
	return plain(h)
}

// messageMarkdown returns what went wrong: in code, if the program said it.
func messageMarkdown(f *Finding) []string {
	m := strings.TrimSpace(clean(message(f.Finding)))
	if f.Kind == "panic" || f.Kind == "test failure" {
		return append(strings.Split(fenced(firstLines(m, 6)), "\n"), "")
	}
	return []string{paragraph(cut(sentenceOf(m), 600)), ""}
}

// placesMarkdown returns the table of places.
func (r *Reporter) placesMarkdown(f *Finding) []string {
	if len(f.Places) == 0 {
		return nil
	}
	out := []string{"| | operation | where | goroutine | source |", "| --- | --- | --- | --- | --- |"}
	for i, p := range f.Places[:min(len(f.Places), mostPlaces)] {
		at := p
		if u, ok := r.caller(p, f.Stacks); ok {
			at = u
		}
		g := cell(p.Goroutine)
		if p.Note != "" {
			g += ", " + plain(oneLine(p.Note))
		}
		out = append(out, fmt.Sprintf("| %d | %s | %s | %s | %s |", i+1, cell(operation(p.Op, p.Object, "")),
			cell(r.position(at)), g, cell(r.source(at))))
	}
	if n := len(f.Places) - mostPlaces; n > 0 {
		out = append(out, fmt.Sprintf("| | and %s | | | |", plural(n, "more place")))
	}
	return append(out, "")
}

// whyMarkdown returns what the program assumed, and the hint.
func (r *Reporter) whyMarkdown(f *Finding) []string {
	var out []string
	e := r.explained(f)
	if e.Why != "" {
		out = append(out, prose(cut(e.Why, 1000)), "")
	}
	if e.Hint != "" {
		out = append(out, "**Hint:** "+prose(sentenceOf(e.Hint)), "")
	}
	return out
}

// stepsMarkdown returns the steps, folded, in so many lines at most. Of more the last ones are
// shown.
func (r *Reporter) stepsMarkdown(f *Finding, room int) []string {
	const around = 7 // lines besides those of the steps
	if len(f.Clip.Steps) < 2 || room < around+3 {
		return nil
	}
	head, rows := r.atMost(f, min(mostSteps, room-around-2))
	table := table(rows, markdownWidth)
	if n := room - around; len(table) > n {
		table = append(table[:1:1], table[len(table)-n+2:]...)
		table = slices.Insert(table, 1, "    ...")
	}
	lines := strings.Split(fenced(strings.Join(table, "\n")), "\n")
	out := append([]string{"<details><summary>Steps: " + plain(head) + "</summary>", ""},
		lines...)
	return append(out, "", "</details>", "")
}

// verdicts returns the folded table of all tests.
func verdicts(results []*Result) string {
	var b strings.Builder
	n, all := 0, 0
	for _, res := range results {
		for _, t := range res.Tests {
			if all++; n >= mostTests {
				continue
			}
			n++
			how := covered(t)
			if t.Result == "fail" {
				how = plural(len(t.Findings), "finding") + " in " + plural(t.Executions, "execution")
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", t.Result, cell(t.Name), cell(res.Package),
				plain(how))
		}
	}
	if n == 0 {
		return ""
	}
	more := ""
	if n < all {
		more = fmt.Sprintf("\nand %s\n", plural(all-n, "more test"))
	}
	return fmt.Sprintf("<details><summary>%s</summary>\n\n| | test | package | |\n| --- | --- | --- | --- |\n%s%s\n</details>\n",
		plural(all, "test"), b.String(), more)
}

// sentenceOf makes text begin with a capital letter and end with a full stop.
func sentenceOf(s string) string { return timeline.Sentence(oneLine(s)) }

// cut shortens text to n bytes or a little more, at the end of a character.
func cut(s string, n int) string {
	for i := range s {
		if i >= n {
			return s[:i] + "…"
		}
	}
	return s
}

// firstLines returns the first n lines of text, none of them very long.
func firstLines(text string, n int) string {
	all := strings.Split(strings.TrimRight(clean(text), "\n"), "\n")
	if len(all) > n {
		all = append(all[:n-1:n-1], fmt.Sprintf("... and %s", plural(len(all)-n+1, "more line")))
	}
	for i := range all {
		all[i] = cut(all[i], 300)
	}
	return strings.Join(all, "\n")
}

// special are the characters that mean something in Markdown, HTML, or to a tracker: @name would
// notify a person, #1 would link to an issue.
var special = strings.NewReplacer(
	"&", "&amp;", "<", "&lt;", ">", "&gt;", `\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`,
	"|", `\|`, "~", `\~`, "@", "@<!-- -->", "#", "#<!-- -->", "://", ":<!-- -->//", "www.", "www<!-- -->.")

// plain returns text as it is read, with no character that Markdown takes for itself.
func plain(s string) string { return special.Replace(oneLine(s)) }

// begins are the beginnings of lines that make a list, a heading or a rule of them.
var begins = regexp.MustCompile(`^(\d*)([-+=.):])`)

// paragraph is plain for text that begins a line.
func paragraph(s string) string { return begins.ReplaceAllString(plain(s), `$1\$2`) }

// prose is paragraph for text of heddle's with code between backticks.
func prose(s string) string {
	var b strings.Builder
	for i, p := range timeline.Prose(oneLine(s)) {
		switch {
		case p.Class == "code":
			b.WriteString(span(p.Text))
		case i == 0:
			b.WriteString(paragraph(p.Text))
		default:
			b.WriteString(plain(p.Text))
		}
	}
	return b.String()
}

// ticks returns more backticks than follow each other anywhere in s, and n at least.
func ticks(s string, n int) string {
	run := 0
	for _, c := range s {
		if c != '`' {
			run = 0
			continue
		}
		run++
		n = max(n, run+1)
	}
	return strings.Repeat("`", n)
}

// span returns text as code within a line.
func span(s string) string {
	s = oneLine(s)
	if strings.TrimSpace(s) == "" {
		return ""
	}
	t := ticks(s, 1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return t + s + t
}

// cell is span for a cell of a table, where a bar ends the cell even in code.
func cell(s string) string { return strings.ReplaceAll(span(cut(oneLine(s), 120)), "|", `\|`) }

// fenced returns lines as a block of code.
func fenced(text string) string {
	t := ticks(text, 3)
	return t + "text\n" + cmp.Or(text, " ") + "\n" + t
}
