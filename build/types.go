package build

import (
	"bytes"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/tools/go/gcexportdata"

	"heddle/instrument"
)

// Types of packages that do not change (standard library, module cache) are cached as export data,
// so that after an edit only the user's own packages are parsed and checked.

// A typeCache reads and writes the cached types for one build.
type typeCache struct {
	b     *Builder
	known map[string]string // from import path to the export data of the package and its imports

	mu   sync.Mutex
	fset *token.FileSet
	pkgs map[string]*types.Package // shared, so that each type is identical everywhere
}

func (b *Builder) newTypeCache() *typeCache {
	t := &typeCache{b: b, known: map[string]string{}, fset: token.NewFileSet(),
		pkgs: map[string]*types.Package{}}
	lasting := map[string]bool{"unsafe": true, "C": true}
	for _, p := range b.graph.pkgs { // dependencies first
		if !t.lasts(p, lasting) {
			continue
		}
		lasting[p.ImportPath] = true
		all := b.cache.has("types", t.key(p), "export")
		for _, imp := range p.Imports {
			all = all && (imp == "unsafe" || imp == "C" || t.known[imp] != "")
		}
		if all {
			t.known[p.ImportPath] = t.file(p)
		}
	}
	return t
}

// lasts reports whether p and all it imports are outside the user's control: nothing of it
// changes.
func (t *typeCache) lasts(p *listed, lasting map[string]bool) bool {
	if !p.Standard && !p.immutable() || p.ForTest != "" || p.isTestMain() || p.ImportPath == "unsafe" {
		return false
	}
	for _, imp := range p.Imports {
		if !lasting[imp] {
			return false
		}
	}
	return true
}

func (t *typeCache) key(p *listed) string {
	h := newHasher("types")
	h.add(t.b.graph.source, t.b.base.key, t.b.graph.deep[p.ImportPath])
	return h.key()
}

func (t *typeCache) file(p *listed) string {
	return filepath.Join(t.b.cache.entry("types", t.key(p)), "export")
}

// read returns the cached types of a package, or nil. It is instrument.Importer's Known.
func (t *typeCache) read(path string) *types.Package {
	file := t.known[path]
	if file == "" {
		return nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if p := t.pkgs[path]; p != nil && p.Complete() {
		return p
	}
	p, err := gcexportdata.Read(bytes.NewReader(data), t.fset, t.pkgs, path)
	if err != nil {
		os.Remove(file) // damaged: the next run makes it again
		return nil
	}
	return p
}

// write caches the types that imp computed. Types that cannot be cached are computed again next
// time.
func (t *typeCache) write(imp *instrument.Importer) {
	lasting := map[string]bool{"unsafe": true, "C": true}
	var todo []*listed
	for _, p := range t.b.graph.pkgs {
		if t.lasts(p, lasting) {
			lasting[p.ImportPath] = true
			if t.known[p.ImportPath] == "" {
				todo = append(todo, p)
			}
		}
	}
	parallel(len(todo), func(i int) error {
		p := todo[i]
		tp, err := imp.Import(p.ImportPath)
		if err != nil || tp == nil {
			return nil
		}
		defer func() { recover() }() // types with errors in them cannot be exported
		var buf bytes.Buffer
		if gcexportdata.Write(&buf, token.NewFileSet(), tp) == nil {
			t.b.cache.put("types", t.key(p), map[string][]byte{"export": buf.Bytes()})
		}
		return nil
	})
}
