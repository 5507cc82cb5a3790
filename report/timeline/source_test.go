package timeline

import (
	"os"
	"strings"
	"testing"
)

const sample = "package x // é\n\n/* two\nlines */\nvar s = `raw\nstring` + \"q\" // end\nfunc f() int {\r\n\treturn 0x1F\n}\n"

// The parts of a line together are the line, for any text.
func TestHighlightKeepsText(t *testing.T) {
	own, err := os.ReadFile("source.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{sample, string(own), "", "\n", "no Go at all ' \" ` \x00\xff /* \n",
		"func (", "x := 'a", "/* open"} {
		var b strings.Builder
		lines := Highlight([]byte(text))
		for i, parts := range lines {
			if i > 0 {
				b.WriteByte('\n')
			}
			for _, p := range parts {
				b.WriteString(p.Text)
				if strings.Contains(p.Text, "\n") {
					t.Errorf("a part of two lines: %q", p.Text)
				}
			}
		}
		if want := strings.ReplaceAll(text, "\r\n", "\n"); b.String() != want {
			t.Errorf("%q became %q", want, b.String())
		}
	}
}

func TestHighlight(t *testing.T) {
	class := map[string]string{}
	for _, parts := range Highlight([]byte(sample)) {
		for _, p := range parts {
			class[strings.TrimSpace(p.Text)] = p.Class
		}
	}
	for text, want := range map[string]string{"package": "kw", "// é": "com", "/* two": "com",
		"lines */": "com", "`raw": "str", "string`": "str", `"q"`: "str", "return": "kw", "0x1F": "num",
		"f() int {": ""} {
		if got, ok := class[text]; !ok || got != want {
			t.Errorf("%q is %q (%v), want %q", text, got, ok, want)
		}
	}
}

// NewFile keeps the lines near the needed ones, in order, each once.
func TestNewFile(t *testing.T) {
	f := NewFile("x.go", []byte(strings.Repeat("x\n", 200)), []int{100, 3, 105, 999})
	var n []int
	for _, l := range f.Lines {
		n = append(n, l.N)
	}
	if n[0] != 1 || n[len(n)-1] != 117 || len(n) != 15+(117-88+1) {
		t.Errorf("%v", n)
	}
	for i := 1; i < len(n); i++ {
		if n[i] <= n[i-1] {
			t.Errorf("%v", n)
		}
	}
	if e := f.Excerpt(100, 2); len(e) != 5 || e[0].N != 98 {
		t.Errorf("%v", e)
	}
	if !f.Has(88) || f.Has(87) || f.Has(0) {
		t.Error("Has")
	}
}
