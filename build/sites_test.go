package build

import (
	"reflect"
	"testing"

	"heddle/instrument"
	"heddle/trace"
)

var sampleTable = unitTable{
	files:   []string{"/m/a.go", "/m/b.go"},
	skipped: []string{"/m/c.go:1: import \"C\""},
	sites: []instrument.SitePos{
		{File: "/m/a.go", Line: 12, Col: 3, Op: "send", Text: "c", Type: "chan int"},
		{File: "/m/a.go", Line: 9, Col: 1, Op: "call", Text: "s.mu", Type: "sync.Mutex"},
		{File: "/m/b.go", Line: 100, Col: 40, Op: "write", Text: "x", Type: "string"},
	},
}

func TestTableRoundTrip(t *testing.T) {
	got, err := decodeUnit(sampleTable.encode())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(*got, sampleTable) {
		t.Errorf("got %+v, want %+v", *got, sampleTable)
	}
}

// A cache file may be damaged: reading one must neither panic nor use much memory.
func FuzzDecodeUnit(f *testing.F) {
	f.Add(sampleTable.encode())
	f.Add([]byte(tableMagic))
	f.Fuzz(func(t *testing.T, data []byte) {
		u, err := decodeUnit(data)
		if err != nil {
			return
		}
		again, err := decodeUnit(u.encode())
		if err != nil || len(again.sites) != len(u.sites) {
			t.Errorf("not readable any more: %v", err)
		}
	})
}

func TestEveryPrefixOfATableFails(t *testing.T) {
	data := sampleTable.encode()
	for i := range data {
		if _, err := decodeUnit(data[:i]); err == nil {
			t.Errorf("a table cut off after %d of %d bytes was read", i, len(data))
		}
	}
}

func TestSitesOfMissingTable(t *testing.T) {
	s := &Sites{tables: map[uint64]*table{}, byDir: map[string][]*table{}}
	s.add("p", "/m", "/nowhere/table")
	if _, ok := s.Lookup(trace.NewSite(trace.PackageHash("p"), 0, trace.KindInt, false)); ok {
		t.Error("found a site in a table that is not there")
	}
	if got := s.Object("/m/a.go", 9, "lock"); got != "" {
		t.Errorf("object %q in a table that is not there", got)
	}
}
