package timeline

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heddle/internal/browser"
)

var shots = flag.String("shots", "", "write a picture of each page, at each width and in each theme, to `folder`")

// hostile is text that a program under test could print to break a page.
var hostile = `</script><img src=x onerror=alert(1)>"'&` + "`\xff\xfe\x00\u202e" +
	strings.Repeat("W", 3000) + "\n# <b>bold</b>"

// deadlock returns a finding with stacks, some of which begin inside the standard library.
func deadlock() Finding {
	f := race()
	f.Kind, f.Heading = "deadlock", "DEADLOCK"
	f.Message = "2 goroutines wait for each other, and none of them can go on"
	f.Right = []string{"goroutine main/1 takes a.mu before b.mu, main/2 takes b.mu before a.mu"}
	f.Places = []Place{
		{What: "lock b.mu", Goroutine: "main/1", File: "a.go", Line: 6, Note: "held by main/2"},
		{What: "lock a.mu", Goroutine: "main/2", File: "a.go", Line: 8, Note: "held by main/1",
			Inside: "database/sql.(*DB).Close"},
	}
	frames := []Frame{
		{Func: "sync.(*Mutex).Lock", File: "sync/mutex.go", Line: 46, Std: true},
		{Func: "database/sql.(*DB).Close", File: "database/sql/sql.go", Line: 920, Std: true},
		{Func: "transfer", File: "a.go", Line: 6, Path: "/home/me/my bank/a.go"},
		{Func: "started at", File: "a.go", Line: 8, Path: "/home/me/my bank/a.go"},
	}
	f.Stacks = []Stack{{Goroutine: "main/1", State: "waits to lock b.mu", Frames: frames},
		{Goroutine: "main/2", State: "waits to lock a.mu", Frames: frames[2:]}}
	f.Paths = [][]Frame{frames, frames[2:]}
	for i := range f.Events {
		f.Events[i].Stack = 2 - i%2
	}
	f.Events[3].Value = strings.Repeat("0123456789 ", 300)
	f.Goroutines[1].End, f.Goroutines[1].Bad = "waits to lock b.mu, which main/2 holds", true
	f.Files[0].Path = "/home/me/my bank/a.go"
	f.Editor = "vscode://file{path}:{line}"
	f.Facts = []string{"in execution 37", "2 switches"}
	f.Notes = []string{"the clip does not fit the code any more, and the steps below end where it stops to fit"}
	f.About = []Term{{"command", "heddle test -html pages ./..."},
		{"commit", "0a1b2c3d4e5f (with changes)"},
		{"seed", "0"}, {"heddle", "devel"}, {"Go", "go1.26.8"}, {"drawn", "2026-11-23 17:20:05 UTC"}}
	f.Output = "=== RUN TestA\n" + strings.Repeat("a line of output that is rather long; ", 9)
	return f
}

// evil returns a finding of which every text is hostile.
func evil() Finding {
	f := deadlock()
	for _, s := range []*string{&f.Heading, &f.Message, &f.Test, &f.Package, &f.Replay, &f.Text, &f.Output,
		&f.Objects[0].Name, &f.Events[1].Text, &f.Events[1].Value, &f.Events[2].Where} {
		*s = hostile
	}
	f.Right, f.Notes, f.Facts = []string{hostile}, []string{hostile}, []string{hostile}
	f.Places[0].What, f.Places[0].Note, f.Places[0].Inside = hostile, hostile, hostile
	f.Goroutines[0].Name, f.Goroutines[1].From, f.Goroutines[1].End = hostile, hostile, hostile
	f.Stacks = []Stack{{Goroutine: hostile, State: hostile, Frames: []Frame{{Func: hostile, File: hostile,
		Line: 3, Path: hostile}}}}
	f.Paths[0] = f.Stacks[0].Frames
	f.About = []Term{{hostile, hostile}}
	f.Files[0] = NewFile("a.go", []byte(strings.Repeat("// x\n", 5)+"/* "+hostile), []int{6})
	return f
}

// run returns the index of a run with many tests.
func run() Index {
	x := Index{Title: "9 findings in 12 tests", Findings: 9, Tests: 12,
		About: []Term{{"command", "heddle test -html pages ./..."}, {"heddle", "devel"}}}
	kinds := []string{"data race", "deadlock", "data race"}
	for i, pkg := range []string{"example.com/bank", "example.com/bank/store/internal/journal",
		"example.com/web"} {
		p := IndexPackage{Path: pkg}
		for k := range 4 {
			t := IndexTest{Name: fmt.Sprintf("TestTransfer%d%d", i, k), Verdict: "pass",
				How: "all interleavings covered by 24 executions (3ms)"}
			if k > 0 {
				t.Verdict, t.How = "fail", "37 executions, 11ms"
				t.Findings = []IndexFinding{{Kind: kinds[k-1],
					Heading: strings.ToUpper(kinds[k-1]) + " on acct.balance",
					Message: "two goroutines access acct.balance at the same time",
					Page:    fmt.Sprintf("bank-%d-%d.html", i, k),
					Places:  []string{"bank.go:22", "store/journal.go:110"}}}
			}
			p.Tests = append(p.Tests, t)
		}
		x.Packages = append(x.Packages, p)
	}
	x.Packages[0].Tests[0].Chart = &Chart{Caption: "patterns covered", Seconds: 3, Most: 20,
		Points: []ChartPoint{{0.1, 4}, {1, 16}, {2, 20}}}
	x.Packages = append(x.Packages,
		IndexPackage{Path: "example.com/broken", Error: "./a.go:3:1: undefined: x"},
		IndexPackage{Path: "example.com/none"})
	return x
}

// compared returns a comparison of three strategies.
func compared() []Compared {
	columns := []string{"first finding", "findings", "executions", "time", "orders", "memory"}
	row := func(name string, first, n float64, covered string, complete bool) ComparedRow {
		as := []Amount{{first, fmt.Sprintf("%.0f in 3ms", first)}, {1, "1"}, {n, fmt.Sprint(n)},
			{n / 100, "2s"}, {n * 3, "900"}, {5e7, "48M"}}
		if first == 0 {
			as[0], as[1] = Amount{-1, "-"}, Amount{0, "0"}
		}
		return ComparedRow{Strategy: name, Amounts: as, Covered: covered, Complete: complete}
	}
	c := Compared{Package: "example.com/bank", Test: "TestTransfer", Columns: columns,
		Best: []string{"dpor"}, Why: "it covered all interleavings, in fewer executions than the others",
		Rows: []ComparedRow{row("auto", 3, 40, "all interleavings, by 24 executions", true),
			row("dpor", 2, 24, "all interleavings, by 24 executions", true),
			row("sample", 0, 300, "no findings in 300 executions (sampled of about 4.0e+12 interleavings, which take 3 days)", false)}}
	return []Compared{c,
		{Package: "example.com/bank", Test: "TestAlone", Note: "no concurrency, nothing to compare"}}
}

// patterns returns the patterns of two tests; what is the text of a step.
func patterns(what string) []Covered {
	steps := []CoveredStep{{"main/1", false, "read q.items", "q.go:30"}, {"main/2", true, what, "q.go:16"},
		{"main/1", false, "write q.items", "q.go:33"}}
	p := func(state, row string, n int) CoveredPattern { return CoveredPattern{state, row, steps[:n]} }
	c := Covered{Package: "example.com/q", Test: "TestDrain",
		Summary: "7 patterns: 12.1% of T_C = 58, 100.0% of 7, the highest number seen",
		States:  []string{"covered", "not tried", "tried", "nothing new", "not decided", "refuted"},
		Chart: &Chart{Caption: "MAP-coverage: 7 patterns in 2s", Seconds: 2, Most: 7,
			Points: []ChartPoint{{0.1, 4}, {1, 7}}},
		Kinds: []CoveredKind{{"aRx bWx", []int{4, 1, 0, 0, 0, 2}}, {"aRx bWx aWx", []int{3, 0, 0, 1, 1, 0}}},
		Groups: []CoveredGroup{{"q.items (memory)", "2 covered, 1 refuted", []CoveredPattern{
			p("covered", "aRx bWx", 2), p("refuted", "aRx bWx aWx", 3), p("not decided", "aRx bWx", 2)}},
			{what + " (mutex)", "1 nothing new", []CoveredPattern{p("nothing new", "aRx bWx", 2)}}},
		Schedule: []CoveredStep{{Goroutine: "main", What: "4 operations, up to go", Where: "q.go:40"},
			{Goroutine: "main/1", What: "1 operation, up to " + what, Where: "q.go:30"}}}
	next := p("not tried", "aRx bWx aWx", 3)
	c.Next = &next
	return []Covered{c, {Package: "example.com/q", Test: what, Summary: what, Notes: []string{what}}}
}

// looks are all pages, as they are looked at.
func looks(t *testing.T) map[string]string {
	text := func(write func(b *bytes.Buffer) error) string {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	linked := strings.Replace(page(t, deadlock()), noLinks, text(func(b *bytes.Buffer) error {
		return pages.ExecuteTemplate(b, "pages", Links{"index.html", "a.html", "", 2, 2})
	}), 1)
	evilIndex := run()
	evilTest := &evilIndex.Packages[0].Tests[1]
	evilIndex.Title, evilIndex.Packages[0].Path, evilTest.Name = hostile, hostile, hostile
	evilTest.Findings[0] = IndexFinding{Kind: hostile, Heading: hostile, Message: hostile,
		Page: "javascript:alert(1)", Places: []string{hostile}}
	return map[string]string{
		"race":      page(t, race()),
		"deadlock":  linked,
		"several":   page(t, race(), deadlock()),
		"long":      page(t, long(5000)),
		"evil":      page(t, evil()),
		"nothing":   page(t),
		"index":     text(func(b *bytes.Buffer) error { return WriteIndex(b, run()) }),
		"evilindex": text(func(b *bytes.Buffer) error { return WriteIndex(b, evilIndex) }),
		"covered":   text(func(b *bytes.Buffer) error { return WriteCovered(b, patterns("write q.items")) }),
		"evilcover": text(func(b *bytes.Buffer) error { return WriteCovered(b, patterns(hostile)) }),
		"compare":   text(func(b *bytes.Buffer) error { return WriteCompared(b, compared()) }),
	}
}

// pale finds text whose contrast is below what WCAG 2 asks for (AA): 4.5, or 3 if it is large. It
// takes the colours as they are, with those of all elements below them.
const pale = `(() => {
	const rgb = s => { const c = document.createElement("canvas").getContext("2d", { willReadFrequently: true }); c.fillStyle = s; c.fillRect(0, 0, 1, 1); const d = c.getImageData(0, 0, 1, 1).data; return [d[0], d[1], d[2], d[3] / 255]; };
	const known = {}, parse = s => known[s] ||= rgb(s);
	const over = (a, b) => [0, 1, 2].map(i => a[i] * a[3] + b[i] * (1 - a[3])).concat(1);
	const ground = e => { const all = []; for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); all.push(c); if (c[3] === 1) break; } return all.reverse().reduce((a, c) => over(c, a), [255, 255, 255, 1]); };
	const light = c => { const [r, g, b] = c.map(x => (x /= 255) <= .04045 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
	const bad = new Set(), walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (walk.nextNode()) {
		const e = walk.currentNode.parentElement;
		if (!walk.currentNode.data.trim() || !e.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || e.closest("svg, script, [aria-hidden=true]")) continue;
		const css = getComputedStyle(e), size = parseFloat(css.fontSize);
		if (!size) continue;
		const back = ground(e), text = parse(css.color).slice();
		for (let p = e; p; p = p.parentElement) text[3] *= getComputedStyle(p).opacity;
		const [a, b] = [light(over(text, back)), light(back)].sort((x, y) => y - x), ratio = (a + .05) / (b + .05);
		if (ratio < (size >= 24 || size >= 18.66 && css.fontWeight >= 700 ? 3 : 4.5)) bad.add(e.tagName + "." + e.className + " " + ratio.toFixed(2) + " " + JSON.stringify(e.textContent.slice(0, 30)));
	}
	return [...bad].slice(0, 12).join("\n");
})()`

// beyond finds elements that stick out of the window on the right, where no ancestor scrolls.
const beyond = `(() => {
	if (document.documentElement.scrollWidth <= innerWidth) return "";
	const out = [...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && e.checkVisibility() &&
		!(() => { for (let p = e.parentElement; p; p = p.parentElement) if (/auto|scroll|hidden/.test(getComputedStyle(p).overflowX)) return true; })());
	return document.documentElement.scrollWidth + " pixels wide: " + out.slice(0, 5).map(e => e.tagName + "." + e.className).join(" ");
})()`

// hears waits until the page has heard of another theme, some frames at most.
const hears = `new Promise(r => { let n = 200; const look = () => !--n || document.documentElement.dataset.theme === "%s" ? r() : requestAnimationFrame(look); look(); })`

// Every page can be read at every width, in both themes and on paper.
func TestLooks(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	b, err := browser.Start(context.Background())
	if errors.Is(err, browser.ErrNone) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	dir := t.TempDir()
	for name, text := range looks(t) {
		file := filepath.Join(dir, name+".html")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			p, err := b.Open("file://"+file, browser.Size{Width: 1400, Height: 1500})
			if err != nil {
				t.Fatal(err)
			}
			look := func(how string) {
				t.Helper()
				wants(t, p, `document.images.length + " " + document.querySelectorAll("script").length`, "0 ")
				if s := say(t, p, pale); s != "" {
					t.Errorf("%s: pale text:\n%s", how, s)
				}
				if s := say(t, p, beyond); s != "" {
					t.Errorf("%s: %s", how, s)
				}
				if *shots == "" {
					return
				}
				png, err := p.Screenshot()
				do(t, err)
				do(t, os.WriteFile(filepath.Join(*shots, name+"-"+how+".png"), png, 0o666))
			}
			for _, dark := range []bool{false, true} {
				theme := map[bool]string{false: "light", true: "dark"}[dark]
				do(t, p.Dark(dark))
				do(t, p.Eval(fmt.Sprintf(hears, theme), nil))
				wants(t, p, "document.documentElement.dataset.theme", theme)
				do(t, p.Resize(browser.Size{Width: 1400, Height: 1500}))
				look("wide-" + theme)
				do(t, p.Resize(browser.Size{Width: 500, Height: 2600}))
				look("narrow-" + theme)
			}
			do(t, p.Print(true))
			do(t, p.Eval(fmt.Sprintf(hears, "light"), nil)) // the system has no theme on paper
			do(t, p.Eval(`document.querySelector("#theme").click()`, nil))
			wants(t, p, "document.documentElement.dataset.theme", "dark")
			do(t, p.Eval(`dispatchEvent(new Event("beforeprint"))`, nil))
			do(t, p.Resize(browser.Size{Width: 720, Height: 2000}))
			look("print")
			do(t, p.Eval(`localStorage.clear()`, nil)) // the next page has it too
			if err := p.Problems(); err != nil {
				t.Error(err)
			}
		})
	}
}
