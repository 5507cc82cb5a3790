package build

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"heddle/instrument"
	"heddle/rt/wire"
	"heddle/trace"
)

// Describe fills in the position of a place in terms that survive edits elsewhere: the function
// around it, and its index or line in the function (see wire.Place). Func, Object and Nth replace
// the site number, which is dropped. A place with an unknown site stays as it is.
func (s *Sites) Describe(p *wire.Place) {
	if p.Site == 0 || trace.Site(p.Site).Kind() == trace.KindPC {
		if decl, ok := s.declAt(p.File, p.Line); ok {
			p.Down = p.Line - decl.first + 1
		}
		return
	}
	site := trace.Site(p.Site)
	row, ok := s.Lookup(site)
	if !ok {
		return
	}
	decl, _ := s.declAt(row.File, row.Line)
	twins := s.twins(s.tables[site.Package()], decl.name, row.Text)
	n := slices.Index(twins, site.Index())
	if n < 0 {
		return
	}
	p.File, p.Line, p.Object = row.File, row.Line, row.Text
	path, _, _ := strings.Cut(s.Package(site), " ")
	p.Func, p.Nth, p.Site = path+"."+decl.name, n+1, 0
	if p.Op == "" {
		p.Op = row.Op
	}
}

// Find is the inverse of Describe in this build. ok is false if the function no longer has such a
// place.
func (s *Sites) Find(p wire.Place) (site trace.Site, ok bool) {
	if p.Nth < 1 {
		return 0, false
	}
	for hash, t := range s.tables {
		path, _, _ := strings.Cut(t.path, " ")
		name, in := strings.CutPrefix(p.Func, path+".")
		if !in {
			continue
		}
		if twins := s.twins(t, name, p.Object); p.Nth <= len(twins) {
			return trace.NewSite(hash, twins[p.Nth-1], trace.KindOther, false), true
		}
	}
	return 0, false
}

// FindIn fills in the sites of this build for the places and spots of a clip that was read from a
// file. Places that no longer exist stay without; the replay reports where it does not fit.
func (s *Sites) FindIn(c *wire.Clip) {
	c.Visible = nil
	for _, p := range c.Spots {
		if site, ok := s.Find(p); ok {
			p.Site = uint64(site)
		}
		if p.Site != 0 { // or by the site number, if the clip has nothing better
			c.Visible = append(c.Visible, p.Site)
		}
	}
	for i := range c.Places {
		if site, ok := s.Find(c.Places[i]); ok {
			c.Places[i].Site = uint64(site)
		}
	}
}

// twins returns the rows of a table with the given text in a function, in order of the source.
func (s *Sites) twins(t *table, fn, text string) []int {
	t.load()
	var twins []int
	for i, r := range t.rows {
		if r.Text != text || uncounted[r.Op] || !t.files[r.File] { // a package and its tests are two units
			continue
		}
		if decl, _ := s.declAt(r.File, r.Line); decl.name == fn {
			twins = append(twins, i)
		}
	}
	slices.SortStableFunc(twins, func(a, b int) int { return comparePos(t.rows[a], t.rows[b]) })
	return twins
}

// uncounted are rows that belong to no operation of a clip. Rows of data flow exist only in the
// build for data flow.
var uncounted = map[string]bool{"call": true, "branch": true, "value": true}

func comparePos(a, b instrument.SitePos) int {
	if c := strings.Compare(filepath.Base(a.File), filepath.Base(b.File)); c != 0 {
		return c
	}
	if a.Line != b.Line {
		return a.Line - b.Line
	}
	return a.Col - b.Col
}

// A decl is a function declaration.
type decl struct {
	name        string // "Transfer", "(*Account).Add"
	first, last int    // lines
}

// declAt returns the function around a line, or an empty decl outside of functions.
func (s *Sites) declAt(file string, line int) (decl, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ds, ok := s.decls[file]
	if !ok {
		ds = declsOf(file)
		if s.decls == nil {
			s.decls = map[string][]decl{}
		}
		s.decls[file] = ds
	}
	for _, d := range ds {
		if d.first <= line && line <= d.last {
			return d, true
		}
	}
	return decl{}, false
}

// declsOf returns the functions of a file. Of a file that does not parse it returns those before
// the error.
func declsOf(file string) []decl {
	fset := token.NewFileSet()
	f, _ := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
	if f == nil {
		return nil
	}
	var ds []decl
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			ds = append(ds,
				decl{declName(fn), fset.PositionFor(fn.Pos(), false).Line,
					fset.PositionFor(fn.End(), false).Line})
		}
	}
	return ds
}

// declName returns a function's name as the runtime writes it, without type parameters.
func declName(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return fn.Name.Name
	}
	t := ast.Unparen(fn.Recv.List[0].Type)
	star, pointer := t.(*ast.StarExpr)
	if pointer {
		t = ast.Unparen(star.X)
	}
	switch x := t.(type) {
	case *ast.IndexExpr:
		t = x.X
	case *ast.IndexListExpr:
		t = x.X
	}
	name := "?"
	if id, ok := t.(*ast.Ident); ok {
		name = id.Name
	}
	if pointer {
		name = "(*" + name + ")"
	}
	return name + "." + fn.Name.Name
}
