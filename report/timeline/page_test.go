package timeline

import (
	"bytes"
	"strings"
	"testing"
)

// race returns a minimal finding.
func race() Finding {
	f := Finding{
		Kind: "data race", Heading: "DATA RACE on a.n", Message: "two goroutines access a.n at the same time",
		Package: "example.com/a", Test: "TestA",
		Right: []string{"one access must happen before the other"}, Clip: "testdata/heddle/TestA/1",
		Replay: "heddle replay testdata/heddle/TestA/1",
		Places: []Place{
			{What: "write a.n", Goroutine: "main/1", File: "a.go", Line: 6},
			{What: "read a.n", Goroutine: "main", File: "a.go", Line: 8},
		},
		Goroutines: []Goroutine{{Name: "main"}, {Name: "main/1", From: "a.go:6"}},
		Objects:    []Object{{Name: "a.n", Kind: "memory"}, {Name: "done", Kind: "chan"}},
		Events: []Event{
			{G: 0, Op: "start", Text: "start"},
			{G: 0, Op: "go", Text: "go func()", Child: 2, File: 1, Line: 6},
			{G: 1, Op: "start", Text: "start func()", Switch: true},
			{G: 1, Op: "write", Text: "write a.n", Object: 1, Value: "1", File: 1, Line: 6, Mark: 1},
			{G: 0, Op: "read", Text: "read a.n", Object: 1, Value: "1", File: 1, Line: 8, Mark: 2},
			{G: 1, Op: "send", Text: "send done", Object: 2, File: 1, Line: 6},
			{G: 0, Op: "recv", Text: "recv done", Object: 2, Arg: 1, Partner: 6, File: 1, Line: 9},
		},
		Text: "    DATA RACE on a.n\n",
	}
	f.Files = []File{NewFile("a.go", []byte("package a\n\nvar a struct{ n int }\n\nfunc f() {\n\tgo func() { a.n = 1; done <- true }()\n\n\tprintln(a.n)\n\t<-done\n}\n"), []int{6, 8})}
	return f
}

func page(t *testing.T, fs ...Finding) string {
	var b bytes.Buffer
	if err := Write(&b, fs); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The main content is in the page as text, for readers without JavaScript.
func TestPageText(t *testing.T) {
	p := page(t, race())
	for _, want := range []string{
		"<title>DATA RACE on a.n in TestA</title>", "<h1>Two goroutines access a.n at the same time.</h1>",
		"example.com/a", "a.go:6", "a.go:8",
		"One access must happen before the other.", "heddle replay testdata/heddle/TestA/1",
		`<i class="kw">go</i>`, `class="line hit"`,
	} {
		if !strings.Contains(p, want) {
			t.Errorf("no %q", want)
		}
	}
}

// The page loads nothing.
func TestPageIsAlone(t *testing.T) {
	p := page(t, race(), race())
	for _, bad := range []string{" src=", "@import", "url(http", "fetch(", "XMLHttpRequest", "import("} {
		if strings.Contains(p, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	if strings.Count(p, "http://")+strings.Count(p, "https://") != 1 { // the name of the language SVG
		t.Errorf("addresses in the page")
	}
	if !strings.Contains(p, "default-src 'none'") {
		t.Error("the page may load things")
	}
}

// Output of the program under test stays text.
func TestPageEscapes(t *testing.T) {
	evil := `</script><img src=x onerror=alert(1)>"'&` + "`"
	f := race()
	f.Heading, f.Message, f.Test, f.Package, f.Replay, f.Text, f.Output = evil, evil, evil, evil, evil, evil,
		evil
	f.Right, f.Notes, f.Facts = []string{evil}, []string{evil}, []string{evil}
	f.Places[0].What, f.Places[0].Note, f.Goroutines[0].Name, f.Objects[0].Name = evil, evil, evil, evil
	f.Events[0].Text, f.Events[0].Value = evil, evil
	f.Stacks = []Stack{{Goroutine: evil, State: evil, Frames: []Frame{{Func: evil, File: evil}}}}
	f.Files[0] = NewFile(evil, []byte(evil), []int{1})
	p := page(t, f)
	if strings.Contains(p, "<img") {
		t.Errorf("a tag of the program's: %s", p[max(0, strings.Index(p, "<img")-200):][:400])
	}
	if n := strings.Count(p, "</script>"); n != 2 {
		t.Errorf("%d scripts end", n)
	}
	var b bytes.Buffer
	x := Index{Title: evil,
		Packages: []IndexPackage{{Path: evil, Error: evil,
			Tests: []IndexTest{{Name: evil, How: evil,
				Findings: []IndexFinding{{Heading: evil, Message: evil, Page: `javascript:alert(1)`,
					Places: []string{evil}}}}}}}}
	if err := WriteIndex(&b, x); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "<img") || strings.Contains(b.String(), `"javascript:`) {
		t.Error("the index lets a tag or a script through")
	}
}

func TestProse(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "a": "a", "`a`": "[a]", "set `a.b` and `c`, so": "set [a.b] and [c], so", "a ` b": "a ` b",
		"a `b` c ` d": "a [b] c ` d", "a `` b": "a `` b",
	} {
		got := ""
		for _, p := range Prose(in) {
			if p.Class == "code" {
				p.Text = "[" + p.Text + "]"
			}
			got += p.Text
		}
		if got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}

func TestSentence(t *testing.T) {
	for in, want := range map[string]string{
		"main waits":                     "main waits.",
		"two goroutines wait":            "Two goroutines wait.",
		"sync: unlock of unlocked mutex": "sync: unlock of unlocked mutex.", "": "",
		"is it over?":          "Is it over?",
		"runtime error: index": "Runtime error: index.", "x.go is odd": "x.go is odd.", "écart": "Écart.",
	} {
		if got := Sentence(in); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
