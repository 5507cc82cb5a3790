package report

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"

	"heddle/report/timeline"
	"heddle/rt/wire"
)

// A finding of each kind as Markdown.
func TestMarkdown(t *testing.T) {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(findings())) {
		var out bytes.Buffer
		r := New(options(&out))
		f := Finding{Finding: findings()[name], ClipPath: "testdata/heddle/TestTransfer/3f9a02c1"}
		md := r.markdown("example.com/bank", "TestTransfer", f)
		if n := strings.Count(md, "\n"); n > mostFinding {
			t.Errorf("%s: %d lines", name, n)
		}
		text.WriteString(md + "\n")
	}
	golden(t, "markdown", text.String())
}

// The findings of a run: the verdicts of all tests come last, folded.
func TestMarkdownOfRun(t *testing.T) {
	var out strings.Builder
	if err := Markdown(&out, everything(), []timeline.Term{{Name: "seed", Value: "0"}}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "\x1b") {
		t.Error("colours")
	}
	shown := rendered(t, out.String())
	for _, want := range []string{"<h2>heddle: ", "<h3>DATA RACE on <code>a.balance</code> in <code>",
		"<details><summary>Steps: ", "<details><summary>", "<td><code>Test_panic</code></td>",
		"seed <code>0</code>"} {
		if !strings.Contains(shown, want) {
			t.Errorf("no %s", want)
		}
	}
	out.Reset()
	err := Markdown(&out, nil, nil)
	if err != nil || out.String() != "## heddle: nothing was found in 0 tests\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}

// rendered returns Markdown as HTML, as GitHub would, but for what GitHub removes from it.
func rendered(t *testing.T, md string) string {
	t.Helper()
	var out bytes.Buffer
	g := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))
	if err := g.Convert([]byte(md), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// What a program says stays text: it formats nothing, links nowhere and notifies no person.
func TestMarkdownOfHostileText(t *testing.T) {
	for _, evil := range []string{
		"`", "``", "```\n# head\n```", "````", "~~~", "| a | b |", "a|b\\|c", "</details><img src=x>",
		"<!--", "-->",
		"@octocat fix #1", "https://evil.example www.evil.example", "# head\n\n- item\n\n    code",
		"**b** _i_ ~~s~~",
		"[x](https://evil.example) ![y](https://evil.example)",
		"\\`x\\`", "&lt;b&gt;", "\xff\xfe\x00\u202e\r\n",
		strings.Repeat("`", 50), strings.Repeat("W", 100_000), strings.Repeat("x\n", 10_000),
		"- [ ] task", "1. one", "> q",
		"===", "---", "[^1]: note", "$$x$$",
	} {
		for name, f := range findings() {
			c := *f
			c.Message, c.Output = evil, evil
			c.Places = slices.Clone(f.Places)
			for i := range c.Places {
				c.Places[i].Object, c.Places[i].Goroutine, c.Places[i].Note = evil, evil, evil
			}
			c.Clip.Steps = slices.Clone(f.Clip.Steps)
			for i := range c.Clip.Steps {
				c.Clip.Steps[i].Where.Object, c.Clip.Steps[i].G = evil, evil
			}
			var out bytes.Buffer
			o := options(&out)
			o.Source = func(string, int) string { return evil }
			md := New(o).markdown(evil, evil, Finding{Finding: &c, ClipPath: evil})
			if n := strings.Count(md, "\n"); n > mostFinding {
				t.Errorf("%s, %.20q: %d lines", name, evil, n)
			}
			whole(t, fmt.Sprintf("%s, %.20q", name, evil), rendered(t, md))
		}
	}
}

// whole checks that HTML of a finding has the elements of a finding and no others.
func whole(t *testing.T, name, shown string) {
	t.Helper()
	for _, bad := range []string{"<img", "<a ",
		"<strong>b", "<em>", "<del>", "<li>", "<h1>", "<h2>", "<hr", "<input"} {
		if strings.Contains(shown, bad) {
			t.Errorf("%s: %s in\n%.2000s", name, bad, shown)
			return
		}
	}
	if strings.Count(shown, "<details>") != strings.Count(shown, "</details>") ||
		strings.Count(shown, "<h3>") != 1 || strings.Count(shown, "<table>") > 1 {
		t.Errorf("%s: the parts of a finding are not as they were:\n%.2000s", name, shown)
	}
	for _, row := range strings.Split(shown, "<tr>")[1:] {
		if n := strings.Count(row, "<td>") + strings.Count(row, "<th>"); n != 5 {
			t.Errorf("%s: a row of %d cells: %.300s", name, n, row)
			return
		}
	}
	text := shown // without code, comments apart, mentions are mentions
	for _, tag := range []string{"code", "pre"} {
		for {
			i := strings.Index(text, "<"+tag)
			j := strings.Index(text, "</"+tag+">")
			if i < 0 || j < i {
				break
			}
			text = text[:i] + text[j+len(tag)+3:]
		}
	}
	for _, bad := range []string{"@octocat", "#1", "https://", "www.e"} {
		if strings.Contains(text, bad) {
			t.Errorf("%s: %s outside code:\n%.1000s", name, bad, text)
			return
		}
	}
}

// A document that would be too long for a tracker says how much it leaves out.
func TestMarkdownIsNoLonger(t *testing.T) {
	r := New(options(&bytes.Buffer{}))
	f := Finding{Finding: findings()["panic"], ClipPath: "x"}
	one := r.markdown("example.com/bank", "TestTransfer", f)
	var out strings.Builder
	all := slices.Repeat([]string{one}, 500)
	if err := Markdowns(&out, all, nil); err != nil {
		t.Fatal(err)
	}
	shown := strings.Count(out.String(), "\n### ") + 1
	want := fmt.Sprintf("**%d more findings** for which there is no room here.", 500-shown)
	if out.Len() > 65_536 || shown < 10 || !strings.Contains(out.String(), want) {
		t.Errorf("%d bytes, %d shown:\n%s", out.Len(), shown, out.String()[max(0, out.Len()-300):])
	}
}

// A replay as Markdown has its finding, and says what a page says of how it went.
func TestMarkdownOfReplay(t *testing.T) {
	var out bytes.Buffer
	r := New(options(&out))
	c := wire.Clip{Test: "TestTransfer", Kind: "data race",
		Path: "/home/me/bank/testdata/heddle/TestTransfer/1", Steps: dataRace().Clip.Steps}
	p := r.Replay(&c)
	p.Record(&wire.Record{Type: "replayed", Test: c.Test, Result: "finding", Finding: dataRace()})
	md := p.Markdown("example.com/bank", nil)
	for _, want := range []string{"### DATA RACE on `a.balance` in `TestTransfer`",
		"Again: `heddle replay testdata/heddle/TestTransfer/1`"} {
		if !strings.Contains(md, want) || strings.Contains(md, "\n> The ") { // rows have the sign too
			t.Errorf("no %s, or a note, in\n%s", want, md)
		}
	}
	p = r.Replay(&c)
	p.Record(&wire.Record{Type: "replayed", Test: c.Test, Result: "clean"})
	md = p.Markdown("example.com/bank", nil)
	if !strings.Contains(md, "\n> The replay followed the clip") {
		t.Error(md)
	}
}
