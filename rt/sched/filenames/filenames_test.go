package filenames

import (
	"path/filepath"
	"slices"
	"testing"

	"heddle/rt/hook"
)

// Names tell files apart until a link is made, or a folder renamed.
func TestNames(t *testing.T) {
	folder := t.TempDir()
	var n Names
	n.Note(hook.FileMove, "/b", "/a")
	n.Note(hook.FileMove, "/c", "/b")
	a, b := n.Renamed("/a"), n.Renamed("/b")
	if !slices.Equal(a, []string{"/b", "/c"}) || !slices.Equal(b, []string{"/c"}) {
		t.Errorf("a file opened as /a may be called %v, one opened as /b %v", a, b)
	}
	plain := []hook.FileUse{hook.FileRead, hook.FileWrite, hook.FileAppend, hook.OpenRead,
		hook.OpenWrite, hook.OpenList}
	for _, use := range plain {
		n.Note(use, folder, folder)
	}
	if n.One() {
		t.Error("names do not tell files apart after one was renamed")
	}
	n.Note(hook.FileMove, folder+"2", folder)
	if !n.One() {
		t.Error("names tell files apart after a folder was renamed")
	}
	n.Reset()
	if n.One() || n.Renamed("/a") != nil {
		t.Error("what one execution did to names counts in the next one")
	}
	n.NoteBefore(hook.FileLink, "/a")
	n.Reset()
	if !n.One() {
		t.Error("a link made before the execution is forgotten")
	}
}

func TestHash(t *testing.T) {
	a, b := filepath.Join("x", "T12345678", "f1"), filepath.Join("x", "T987654", "f1")
	if Hash(a) != Hash(b) || Hash("f1") == Hash("f2") || Cell(a) != Cell(b) {
		t.Error("names of temporary files differ, or others do not")
	}
	for name, keeps := range map[string]bool{
		"": false, "|0": false, "/dev/null": false, "/proc/self": false, "/devs": true, "a": true,
	} {
		if Keeps(name) != keeps {
			t.Errorf("Keeps(%q) = %v", name, !keeps)
		}
	}
	if got := Absolute("/a"); got != "/a" {
		t.Errorf("Absolute of an absolute name is %q", got)
	}
	if got := Absolute("a"); !filepath.IsAbs(got) || filepath.Base(got) != "a" {
		t.Errorf("Absolute(a) is %q", got)
	}
}
