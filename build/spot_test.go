package build

import (
	"os"
	"path/filepath"
	"testing"

	"heddle/instrument"
	"heddle/rt/wire"
	"heddle/trace"
)

// sitesOf makes the tables of a package with one file: one row for each line and text.
func sitesOf(t *testing.T, src string, rows ...instrument.SitePos) *Sites {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "a.go")
	if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		rows[i].File = file
	}
	s := &Sites{tables: map[uint64]*table{}, byDir: map[string][]*table{}}
	s.add("ex.com/m [ex.com/m.test]", dir, filepath.Join(dir, "table"))
	if err := os.WriteFile(filepath.Join(dir, "table"),
		(&unitTable{files: []string{file}, sites: rows}).encode(), 0o666); err != nil {
		t.Fatal(err)
	}
	return s
}

const before = `package m

func f() {
	n++
	n++
}

func (s *set[T]) g() { n++ }
`

const after = `package m

import "fmt"

func new() {
	n++
}

func (s *set[T]) g() {
	fmt.Println(m)
	n++
}

func f() {
	m++
	n++
	n++
}
`

// The build for data flow has more rows. Indices of places do not count them.
func TestSitesOfBothBuilds(t *testing.T) {
	row := func(line, col int, op string) instrument.SitePos {
		return instrument.SitePos{Line: line, Col: col, Op: op, Text: "n"}
	}
	flow := sitesOf(t, before, row(4, 2, "read"), row(5, 2, "write"), row(4, 2, "branch"), row(4, 3, "value"),
		row(4, 2, "call"))
	plain := sitesOf(t, before, row(4, 2, "read"), row(5, 2, "write"))
	hash := trace.PackageHash("ex.com/m [ex.com/m.test]")
	p := wire.Place{Site: uint64(trace.NewSite(hash, 1, trace.KindInt, false))}
	flow.Describe(&p)
	if site, ok := plain.Find(p); !ok || site.Index() != 1 {
		t.Errorf("the write is described as %+v; found %v, row %d", p, ok, site.Index())
	}
}

// A place that an older build described is found in a newer one.
func TestSitesSurviveEdits(t *testing.T) {
	row := func(line, col int, text string) instrument.SitePos {
		return instrument.SitePos{Line: line, Col: col, Op: "write", Text: text}
	}
	old := sitesOf(t, before, row(5, 2, "n"), row(4, 2, "n"), row(8, 24, "n"))
	now := sitesOf(t, after, row(6, 2, "n"), row(10, 14, "m"), row(11, 2, "n"), row(15, 2, "m"),
		row(16, 2, "n"), row(17, 2, "n"))
	hash := trace.PackageHash("ex.com/m [ex.com/m.test]")
	for i, want := range []struct {
		index int
		fn    string
		nth   int
	}{{5, "ex.com/m.f", 2}, {4, "ex.com/m.f", 1}, {2, "ex.com/m.(*set).g", 1}} {
		p := wire.Place{Site: uint64(trace.NewSite(hash, i, trace.KindInt, false))}
		old.Describe(&p)
		if p.Func != want.fn || p.Nth != want.nth || p.Site != 0 || p.Object != "n" {
			t.Errorf("row %d is described as %+v", i, p)
		}
		site, ok := now.Find(p)
		if !ok || site != trace.NewSite(hash, want.index, trace.KindOther, false) {
			t.Errorf("row %d: found %v, row %d, want %d", i, ok, site.Index(), want.index)
		}
	}
	if _, ok := now.Find(wire.Place{Func: "ex.com/m.f", Object: "n", Nth: 3}); ok {
		t.Error("found a third n in f")
	}
	lock := wire.Place{File: filepath.Join(t.TempDir(), "none.go"), Line: 3}
	if old.Describe(&lock); lock.Down != 0 {
		t.Errorf("a place in no file: %+v", lock)
	}
}
