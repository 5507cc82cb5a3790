package clip

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heddle/rt/wire"
)

func TestWriteKeepsTheSimpler(t *testing.T) {
	dir := t.TempDir()
	f := transfer()
	path, err := f.Write(dir)
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(dir, "TestTransfer", Name(&f.Clip)); path != want {
		t.Errorf("path %s, want %s", path, want)
	}
	worse := transfer()
	worse.Steps = append(worse.Steps, worse.Steps[4])
	better := transfer()
	better.Steps = better.Steps[:5]
	for _, tt := range []struct {
		name string
		c    *wire.Clip
		want int
	}{{"worse", &worse.Clip, 7}, {"better", &better.Clip, 5}, {"worse again", &f.Clip, 5}} {
		p, err := Write(dir, tt.c)
		if err != nil || p != path {
			t.Fatalf("%s: %s, %v", tt.name, p, err)
		}
		got, err := Read(p)
		if err != nil || len(got.Steps) != tt.want || got.Path != path {
			t.Errorf("%s: %d steps, want %d (%v)", tt.name, len(got.Steps), tt.want, err)
		}
	}
	if _, err := f.Replace(dir); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadFile(path); err != nil || len(got.Steps) != 7 || got.Package != "example.com/bank" {
		t.Errorf("after Replace: %+v, %v", got, err)
	}
	left, _ := os.ReadDir(filepath.Dir(path))
	if len(left) != 1 {
		t.Errorf("files left behind: %v", left)
	}
}

// A file that is not a clip, for example after a merge conflict, does not keep a finding from
// being stored.
func TestWriteOverWreck(t *testing.T) {
	dir := t.TempDir()
	f := transfer()
	path, _ := f.Write(dir)
	os.WriteFile(path, []byte("<<<<<<<"), 0o666)
	if _, err := f.Write(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path); err != nil {
		t.Error(err)
	}
}

func TestNameIsStable(t *testing.T) {
	a, b := transfer(), transfer()
	b.Places[0], b.Places[1] = b.Places[1], b.Places[0]
	b.Places[0].Line += 10
	b.Places[0].File = `C:\tmp\` + b.Places[0].File
	b.Places[1].File = "/somewhere/" + b.Places[1].File
	b.Places[1].Goroutine = "main/9"
	b.Message = "other words"
	if Name(&a.Clip) != Name(&b.Clip) {
		t.Error("the name depends on lines, folders, goroutines, order or message")
	}
	b.Places[1].Object = "x"
	if Name(&a.Clip) == Name(&b.Clip) {
		t.Error("the name does not depend on the object")
	}
	b.Places[1].Object = a.Places[1].Object
	b.Places[1].Nth++
	if Name(&a.Clip) == Name(&b.Clip) {
		t.Error("two accesses of one text share a name")
	}
	if Name(&a.Clip) != "ed759462" {
		t.Errorf("the name changed: %s", Name(&a.Clip))
	}
}

func TestAll(t *testing.T) {
	dir := t.TempDir()
	if c, errs := All(filepath.Join(dir, "none")); c != nil || errs != nil {
		t.Errorf("of no folder: %v, %v", c, errs)
	}
	f := transfer()
	f.Write(dir)
	f.Test = "../TestA"
	path, err := f.Write(dir)
	if err != nil || !strings.HasPrefix(path, dir) {
		t.Fatal(path, err)
	}
	os.WriteFile(filepath.Join(dir, "TestTransfer", "bad"), []byte("x"), 0o666)
	os.WriteFile(filepath.Join(dir, "TestTransfer", "README.md"), []byte("x"), 0o666)
	os.WriteFile(filepath.Join(dir, "file"), nil, 0o666)
	clips, errs := All(dir)
	if len(clips) != 2 || clips[0].Test != "../TestA" || clips[1].Test != "TestTransfer" {
		t.Errorf("clips %v", clips)
	}
	if len(errs) != 1 || !strings.Contains(errs[0].Error(), `bad:1: expected "heddle clip v2", found "x"`) {
		t.Errorf("errors %v", errs)
	}
}

func TestReadFolder(t *testing.T) {
	if _, err := Read(t.TempDir()); err == nil || !strings.Contains(err.Error(), "found a folder") {
		t.Error(err)
	}
}

func TestResolve(t *testing.T) {
	dir := string(filepath.Separator) + filepath.Join("home", "me", "bank")
	c := &wire.Clip{Test: "T",
		Places: []wire.Place{{Site: 7, Op: "write", Goroutine: "main"}, {Site: 8},
			{File: filepath.Join(dir, "..", "x.go"), Line: 2}},
		Steps: []wire.Step{{G: "main", Op: "lock",
			Where: wire.Place{Site: 7, Op: "lock", Goroutine: "main", Func: "f"}}},
	}
	r := Resolve(c, dir, func(p *wire.Place) {
		if p.Site == 7 {
			p.File, p.Line, p.Object = filepath.Join(dir, "sub", "a.go"), 3, "mu"
		}
	})
	want := wire.Place{File: "sub/a.go", Line: 3, Object: "mu"}
	if r.Steps[0].Where != want {
		t.Errorf("step %+v", r.Steps[0])
	}
	want.Op, want.Goroutine, want.Site = "write", "main", 7
	if r.Places[0] != want || r.Places[1].Site != 8 || r.Places[2].File != "x.go" {
		t.Errorf("places %+v", r.Places)
	}
	if c.Places[0].Site != 7 || c.Steps[0].Where.Site != 7 {
		t.Error("the clip itself changed")
	}
}
