package build

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"heddle/instrument"
	"heddle/trace"
	"heddle/trace/varint"
)

// Sites maps sites to positions, and positions to the source's names of objects. It reads a table
// when it is first needed. It is safe for concurrent use.
type Sites struct {
	tables map[uint64]*table   // by hash of the package
	byDir  map[string][]*table // by folder of the source

	mu    sync.Mutex
	decls map[string][]decl // by file
}

// A table has the positions of one unit, from a file of the cache.
type table struct {
	path, file string
	once       sync.Once
	files      map[string]bool // the files that this unit rewrote
	rows       []instrument.SitePos
	objects    map[position]string // of calls and channel operations
}

type position struct {
	file string
	line int
	op   string
}

func (s *Sites) add(path, dir, file string) {
	t := &table{path: path, file: file}
	s.tables[trace.PackageHash(path)] = t
	s.byDir[dir] = append(s.byDir[dir], t)
}

// Lookup returns the row of a site.
func (s *Sites) Lookup(site trace.Site) (instrument.SitePos, bool) {
	t := s.tables[site.Package()]
	if t == nil || site.Kind() == trace.KindPC {
		return instrument.SitePos{}, false
	}
	t.load()
	if site.Index() >= len(t.rows) {
		return instrument.SitePos{}, false
	}
	return t.rows[site.Index()], true
}

// At returns the sites of the operations of kind op ("alloc"; "": any) at a line of a file. file
// is its path or the end of it: "dme.go", "richtest/dme.go".
func (s *Sites) At(file string, line int, op string) (sites []trace.Site) {
	for hash, t := range s.tables {
		t.load()
		for i, r := range t.rows {
			if r.Line == line && (op == "" || r.Op == op) &&
				(r.File == file || strings.HasSuffix(filepath.ToSlash(r.File), "/"+filepath.ToSlash(file))) {
				sites = append(sites, trace.NewSite(hash, i, trace.KindOther, false))
			}
		}
	}
	return sites
}

// Named returns the operations in the files of dir whose object the source calls name, and the
// sites of those that are memory accesses.
func (s *Sites) Named(dir, name string) (places []instrument.SitePos, sites []trace.Site) {
	for _, t := range s.byDir[dir] {
		t.load()
		for i, r := range t.rows {
			if r.Text != name {
				continue
			}
			places = append(places, r)
			if r.Op == "read" || r.Op == "write" {
				sites = append(sites,
					trace.NewSite(trace.PackageHash(t.path), i, trace.KindOther, false).Plain())
			}
		}
	}
	return places, sites
}

// Alike returns the other names of objects in the files of dir that have the same text after the
// last point as name. They are sorted.
func (s *Sites) Alike(dir, name string) (names []string) {
	last := func(s string) string { return s[strings.LastIndexByte(s, '.')+1:] }
	for _, t := range s.byDir[dir] {
		t.load()
		for _, r := range t.rows {
			if r.Text != name && last(r.Text) == last(name) && !slices.Contains(names, r.Text) {
				names = append(names, r.Text)
			}
		}
	}
	slices.Sort(names)
	return names
}

// Package returns the path of the unit with a site, or "" if there is none.
func (s *Sites) Package(site trace.Site) string {
	if t := s.tables[site.Package()]; t != nil {
		return t.path
	}
	return ""
}

// Object returns the source's name of the object of an operation at a line: of a channel operation
// ("send", "recv", "close"), or of a call to sync, sync/atomic or time, such as "mu" for
// mu.Lock(). It returns "" if there is no such name or if there are several.
func (s *Sites) Object(file string, line int, op string) string {
	if !channelOps[op] {
		op = "call"
	}
	file = filepath.FromSlash(file) // file may come from Go's own tables, which always have slashes
	for _, t := range s.byDir[filepath.Dir(file)] {
		t.load()
		if text, ok := t.objects[position{file, line, op}]; ok {
			return text
		}
	}
	return ""
}

var channelOps = map[string]bool{"send": true, "recv": true, "close": true}

// load reads the table once. A missing table (trimmed, or of a unit that was left alone) is empty.
func (t *table) load() {
	t.once.Do(func() {
		data, err := os.ReadFile(t.file)
		if err != nil {
			return
		}
		unit, err := decodeUnit(data)
		if err != nil {
			return
		}
		t.rows = unit.sites
		t.files = map[string]bool{}
		for _, f := range unit.files {
			t.files[f] = true
		}
		t.objects = map[position]string{}
		for _, r := range t.rows {
			if r.Op != "call" && !channelOps[r.Op] {
				continue
			}
			at := position{r.File, r.Line, r.Op}
			if old, ok := t.objects[at]; ok && old != r.Text {
				t.objects[at] = ""
			} else {
				t.objects[at] = r.Text
			}
		}
	})
}

// A unitTable is the content of the file "table" of a rewritten unit.
type unitTable struct {
	files   []string // rewritten originals, absolute; textName(i, ...) has the text of the i-th
	skipped []string
	sites   []instrument.SitePos
}

// The encoding: a string table (count; each length, bytes), then the indices of the strings in
// files and skipped, then the rows. A line number is stored as the difference to that of the row
// before. All numbers are varints.
const tableMagic = "heddle table 1\n"

func (t *unitTable) encode() []byte {
	index := map[string]int{}
	var strs []string
	id := func(s string) uint64 {
		i, ok := index[s]
		if !ok {
			i = len(strs)
			index[s] = i
			strs = append(strs, s)
		}
		return uint64(i)
	}
	var body []byte
	for _, list := range [][]string{t.files, t.skipped} {
		body = binary.AppendUvarint(body, uint64(len(list)))
		for _, s := range list {
			body = binary.AppendUvarint(body, id(s))
		}
	}
	body = binary.AppendUvarint(body, uint64(len(t.sites)))
	line := 0
	for _, r := range t.sites {
		body = binary.AppendUvarint(body, id(r.File))
		body = binary.AppendVarint(body, int64(r.Line-line))
		line = r.Line
		body = binary.AppendUvarint(body, uint64(r.Col))
		body = binary.AppendUvarint(body, id(r.Op))
		body = binary.AppendUvarint(body, id(r.Text))
		body = binary.AppendUvarint(body, id(r.Type))
	}
	out := binary.AppendUvarint([]byte(tableMagic), uint64(len(strs)))
	for _, s := range strs {
		out = binary.AppendUvarint(out, uint64(len(s)))
		out = append(out, s...)
	}
	return append(out, body...)
}

var errTable = errors.New("damaged position table")

func decodeUnit(data []byte) (t *unitTable, err error) {
	if len(data) < len(tableMagic) || string(data[:len(tableMagic)]) != tableMagic {
		return nil, errTable
	}
	d := varint.Reader{B: data[len(tableMagic):]}
	strs := make([]string, d.Count())
	for i := range strs {
		strs[i] = string(d.Bytes(d.Count()))
	}
	str := func() string {
		if i := d.Uint(); i < uint64(len(strs)) {
			return strs[i]
		}
		d.Bad = true
		return ""
	}
	t = new(unitTable)
	for _, list := range []*[]string{&t.files, &t.skipped} {
		for range d.Count() {
			*list = append(*list, str())
		}
	}
	t.sites = make([]instrument.SitePos, d.Count())
	line := 0
	for i := range t.sites {
		r := &t.sites[i]
		r.File = str()
		line += d.Int()
		r.Line = line
		r.Col = int(d.Uint())
		r.Op, r.Text, r.Type = str(), str(), str()
	}
	if d.Bad || len(d.B) != 0 {
		return nil, errTable
	}
	return t, nil
}
