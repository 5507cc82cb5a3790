package timeline

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestEditor(t *testing.T) {
	for _, tt := range []struct{ editor, path, want string }{
		{"vscode", "/home/me/a.go", "vscode://file/home/me/a.go:7"},
		{"vscode", "C:/me/a.go", "vscode://file/C:/me/a.go:7"},
		{"goland", "/home/my bank/ä&b.go", "goland://open?file=/home/my%20bank/%C3%A4%26b.go&line=7"},
		{"ed+1:x/{line}/{path}", "/a.go", "ed+1:x/7//a.go"},
		{"zed", `/"><script>.go`, "zed://file/%22%3E%3Cscript%3E.go:7"},
		{"zed", "/{line}.go", "zed://file/%7Bline%7D.go:7"},
		{"vscode", "", ""},
	} {
		e, err := ParseEditor(tt.editor)
		if got := string(e.At(tt.path, 7)); err != nil || got != tt.want {
			t.Errorf("%s of %s: %q, %v, want %q", tt.editor, tt.path, got, err, tt.want)
		}
	}
	for _, bad := range []string{"", "vim", "{path}", "x://{line}", "javascript:open('{path}')",
		"JavaScript:{path}", "java\tscript:{path}", "data:{path}", " data:{path}"} {
		_, err := ParseEditor(bad)
		if err == nil || !strings.Contains(err.Error(), "want one of cursor, goland,") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if At := Editor("").At("/a.go", 1); At != "" {
		t.Error(At)
	}
}

// Links are put into a page once, and nowhere that the program wrote.
func TestLink(t *testing.T) {
	f := race()
	f.Message, f.Output, f.Events[0].Text = noLinks, noLinks, noLinks
	file := filepath.Join(t.TempDir(), "p.html")
	before := page(t, f)
	if strings.Count(before, noLinks) != 1 {
		t.Fatalf("%d places for links", strings.Count(before, noLinks))
	}
	if err := os.WriteFile(file, []byte(before), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Link(file, Links{Index: "index.html", Before: "a b.html", N: 2, Of: 2}); err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(file)
	for _, want := range []string{`href="index.html"`, `<a rel="prev" href="a%20b.html"`, ">2 of 2<"} {
		if !strings.Contains(string(got), want) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(string(got), `rel="next"`) || len(got) < len(before) {
		t.Error("a link to nothing, or a page that is cut")
	}
	if err := Link(file, Links{}); err == nil || !strings.Contains(err.Error(), "has links already") {
		t.Error(err)
	}
	if err := Link(file+"x", Links{}); !os.IsNotExist(err) {
		t.Error(err)
	}
}
