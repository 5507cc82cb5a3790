package instrument

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"runtime"
	"sync"
)

// An Importer checks packages from source, each once. It checks bodies only if Rewrite is the
// first to need the package. It is safe for concurrent use.
type Importer struct {
	fset *token.FileSet
	pkgs map[string]*pkg // by import path as the go command prints it; fixed after NewImporter

	// Known returns the types of a package that an earlier run checked, or nil. Set it before the
	// first use. The packages that it returns must import only packages that it returns too.
	Known func(path string) *types.Package
}

// A pkg is one Input and its syntax and types.
type pkg struct {
	in *Input

	parse sync.Once
	files []*ast.File // in.Files, then in.CgoFiles
	err   error       // of parsing

	lend     sync.Once
	bodiless map[string]bool // see Importer.bodiless

	mu    sync.Mutex // held while the types are checked
	types *types.Package
}

// NewImporter returns an importer for inputs, which must include all their imports.
func NewImporter(inputs []*Input) *Importer {
	im := &Importer{fset: token.NewFileSet(), pkgs: make(map[string]*pkg, len(inputs))}
	for _, in := range inputs {
		im.pkgs[in.ImportPath] = &pkg{in: in}
	}
	return im
}

// Import returns the package with the given import path, as the go command prints it.
func (im *Importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	p := im.pkgs[path]
	if p == nil {
		return nil, fmt.Errorf("package %s is not part of the build", path)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if im.known(p); p.types == nil {
		if err := p.load(im.fset); err != nil {
			return nil, err
		}
		p.types, _ = p.check(im.fset, im, nil) // errors are reported when the package itself is built
	}
	return p.types, nil
}

// full checks p with its bodies. Importers use the same result, unless they came first.
func (im *Importer) full(p *pkg, info *types.Info) (*types.Package, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.load(im.fset); err != nil {
		return nil, err
	}
	tp, err := p.check(im.fset, im, info)
	if im.known(p); p.types == nil {
		p.types = tp
	}
	return tp, err
}

// known asks Known for the types of p, whose lock is held.
func (im *Importer) known(p *pkg) {
	if p.types == nil && im.Known != nil {
		p.types = im.Known(p.in.ImportPath)
	}
}

// load parses the files of p.
func (p *pkg) load(fset *token.FileSet) error {
	p.parse.Do(func() {
		const mode = parser.ParseComments | parser.SkipObjectResolution
		for _, f := range p.in.Files {
			a, err := parser.ParseFile(fset, f.Path, f.Content, mode)
			if err != nil {
				p.err = err
				return
			}
			p.files = append(p.files, a)
		}
		for _, path := range p.in.CgoFiles {
			src, err := os.ReadFile(path)
			if err == nil {
				var a *ast.File
				a, err = parser.ParseFile(fset, path, src, mode)
				p.files = append(p.files, a)
			}
			if err != nil {
				p.err = err
				return
			}
		}
	})
	return p.err
}

// check checks the types of p, with bodies if info is not nil. It returns the first error. In a
// package with cgo, where some types are unknown, it returns none.
func (p *pkg) check(fset *token.FileSet, imp types.Importer, info *types.Info) (*types.Package, error) {
	var first error
	conf := types.Config{
		GoVersion:        langVersion(p.in.GoVersion),
		IgnoreFuncBodies: info == nil,
		FakeImportC:      true,
		Importer:         mapped{p.in.ImportMap, imp},
		Sizes:            types.SizesFor("gc", runtime.GOARCH),
		Error: func(err error) {
			if first == nil {
				first = err
			}
		},
	}
	tp, _ := conf.Check(plainPath(p.in.ImportPath), fset, p.files, info)
	if len(p.in.CgoFiles) > 0 {
		first = nil
	}
	return tp, first
}

// mapped resolves the import paths in the source of one package.
type mapped struct {
	names map[string]string
	imp   types.Importer
}

func (m mapped) Import(path string) (*types.Package, error) {
	if p, ok := m.names[path]; ok {
		path = p
	}
	return m.imp.Import(path)
}
