package build

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"

	"heddle/instrument"
	"heddle/instrument/modules"
	"heddle/instrument/std"
)

// A graph is the packages of a build with the keys of their inputs.
type graph struct {
	b      *Builder
	pkgs   []*listed // dependencies first
	byPath map[string]*listed
	global string            // hash of the inputs that all binaries share
	source string            // hash of the inputs that all rewritten files and all types share
	deep   map[string]string // by full import path: hash of the package and all it imports
	units  []*unit           // dependencies first
	hashes fileHashes
}

// A unit is a set of files that are rewritten together and share a position table. An overlay has
// one text for a file. So a file belongs to one unit in each binary, and in all the binaries that
// are compiled together:
//
//	p             the files of p, also where p is compiled again for a test ("p [p.test]", "q [p.test]")
//	p [p.test]    the _test.go files of package p
//	p_test [p.test]
//
// In-package tests see p's variables and may change them, so rewriting p takes them into account.
// If they could change what a name in a file means (variant.go), the binary of the tests has units
// of its own:
//
//	p [p.test]    all files of p and its tests
//	q [p.test]    the files of q, which imports p
type unit struct {
	path  string // names the position table
	pkg   *listed
	files []string // absolute
	only  string   // the only binary with the unit, such as "p.test"; "": all
	plain *listed  // the package without its tests, if pkg has tests that do not compile
	mode  instrument.Mode
	key   string
}

func newGraph(b *Builder, pkgs []*listed) (*graph, error) {
	g := &graph{b: b, pkgs: pkgs, byPath: make(map[string]*listed, len(pkgs)),
		deep: make(map[string]string, len(pkgs))}
	for _, p := range pkgs {
		g.byPath[p.ImportPath] = p
	}
	g.global, g.source = b.globalKey(), b.sourceKey()
	own := make([]string, len(pkgs))
	if err := parallel(len(pkgs), func(i int) error {
		own[i] = g.own(pkgs[i], &g.hashes)
		return nil
	}); err != nil {
		return nil, err
	}
	for i, p := range pkgs { // dependencies come first
		h := newHasher("deep")
		h.add(own[i])
		for _, imp := range p.Imports {
			h.add(imp, g.deep[imp])
		}
		g.deep[p.ImportPath] = h.key()
	}
	g.plan()
	return g, nil
}

// code hashes the sources of a binary: the files outside the standard library, each by import
// path, name and content (for a module in the module cache: its version), the Go release and the
// platform. The hash is the same on every machine and for every location of the files.
func (g *graph) code(main *listed) string {
	h := newHasher("code")
	h.add(g.b.tool["GOVERSION"], g.b.tool["GOOS"], g.b.tool["GOARCH"])
	var rows []string
	g.eachBelow(main, func(p *listed) {
		if p.immutable() {
			rows = append(rows, p.ImportPath+" "+p.Module.Version)
		} else if !p.isTestMain() {
			for _, f := range p.files() {
				rows = append(rows, p.ImportPath+" "+f+" "+g.hashes.of(p.abs(f)))
			}
		}
	})
	sort.Strings(rows)
	h.list(rows)
	return h.key()
}

// eachBelow calls do with a package and all that it imports, also indirectly, each once, but for
// those of the standard library.
func (g *graph) eachBelow(p *listed, do func(p *listed)) {
	seen := map[string]bool{}
	var visit func(p *listed)
	visit = func(p *listed) {
		if p == nil || seen[p.ImportPath] || p.Standard {
			return
		}
		seen[p.ImportPath] = true
		do(p)
		for _, path := range p.Imports {
			visit(g.byPath[path])
		}
	}
	visit(p)
}

// hasProperties reports whether a binary has a package of generators, which call properties.
func (g *graph) hasProperties(main *listed) (has bool) {
	g.eachBelow(main, func(p *listed) {
		has = has || p.ImportPath == modules.Rapid || slices.Contains(p.Imports, "testing/quick")
	})
	return has
}

// globalKey hashes heddle itself and the go command's settings.
func (b *Builder) globalKey() string {
	h := newHasher("global")
	h.add(self(), b.Tags)
	names := make([]string, 0, len(b.tool))
	for name := range b.tool {
		switch name {
		case "GOGCCFLAGS", // names a temporary folder
			"GOMOD", "GOWORK", "GOCACHE", "GOMODCACHE", "GOTMPDIR", "GOENV", "GOPROXY", "GOSUMDB",
			"GOPRIVATE", "GONOPROXY", "GONOSUMDB", "GOINSECURE", "GOVCS", "GOAUTH", "GOTELEMETRY",
			"GOTELEMETRYDIR", "GOBIN", "GOCACHEPROG":
			continue
		}
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		h.add(name, b.tool[name])
	}
	return h.key()
}

// sourceKey hashes heddle itself and the settings that the meaning of source files depends on.
// Tags and cgo decide which files there are; each package's own hash covers that.
func (b *Builder) sourceKey() string {
	h := newHasher("source")
	h.add(self())
	for _, name := range []string{"GOROOT", "GOVERSION", "GOOS", "GOARCH", "GOEXPERIMENT"} {
		h.add(b.tool[name])
	}
	return h.key()
}

// own hashes one package without its imports.
func (g *graph) own(p *listed, hashes *fileHashes) string {
	h := newHasher("own")
	h.add(p.ImportPath, p.Name, p.Dir, p.language(), fmt.Sprint(p.Standard))
	if p.Error != nil {
		h.add(p.Error.Err)
	}
	h.list(g.b.namesIn(p))
	for _, files := range p.kinds() {
		h.list(files)
		for _, f := range files {
			f = p.abs(f)
			switch {
			case g.b.base.replace[f] != "": // the base's key covers its content
			case p.Standard, p.immutable():
				h.add(stamp(f))
			default:
				h.add(hashes.of(f))
			}
		}
	}
	for _, flags := range [][]string{p.CgoCFLAGS, p.CgoCPPFLAGS, p.CgoCXXFLAGS, p.CgoFFLAGS, p.CgoLDFLAGS} {
		h.list(flags)
	}
	names := make([]string, 0, len(p.ImportMap))
	for name := range p.ImportMap {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		h.add(name, p.ImportMap[name])
	}
	return h.key()
}

// kinds returns the files of the package by kind.
func (p *listed) kinds() [][]string {
	return [][]string{p.GoFiles, p.CgoFiles, p.CFiles, p.CXXFiles, p.MFiles, p.HFiles, p.FFiles, p.SFiles,
		p.SwigFiles, p.SwigCXXFiles, p.SysoFiles, p.EmbedFiles}
}

// files returns all files of the package.
func (p *listed) files() []string { return slices.Concat(p.kinds()...) }

// stamp identifies the content of a file that does not change by its size and time.
func stamp(file string) string {
	info, err := os.Stat(file)
	if err != nil {
		return "missing"
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
}

// fileHashes hashes every file once: test variants share most files.
type fileHashes struct{ m sync.Map }

func (f *fileHashes) of(file string) string {
	if h, ok := f.m.Load(file); ok {
		return h.(string)
	}
	h := "missing"
	if data, err := os.ReadFile(file); err == nil {
		sum := sha256.Sum256(data)
		h = string(sum[:])
	}
	f.m.Store(file, h)
	return h
}

// binaryKey returns the key of the binary with main package p.
func (g *graph) binaryKey(p *listed) string {
	h := newHasher("binary")
	h.add(g.global, g.b.base.key, g.b.tool["GOMODCACHE"], fmt.Sprint(g.b.Main),
		fmt.Sprint(g.b.Flow, g.b.Exprs, g.b.Lean, g.b.Debug), g.deep[p.ImportPath])
	return h.key()
}

// counted returns the packages whose branches are counted where inputs are
// searched for: as go test -fuzz does, all but the standard library's that tests run on.
func (g *graph) counted() (pkgs []*listed) {
	seen := map[string]bool{}
	for _, p := range g.pkgs {
		path := base(p.ImportPath)
		if p.isTestMain() || path != p.ImportPath && g.byPath[path] != nil ||
			p.Standard && !std.Counted(path) || seen[path] {
			continue
		}
		seen[path] = true
		pkgs = append(pkgs, p)
	}
	return pkgs
}

// plan assigns the files to units.
func (g *graph) plan() {
	owned := map[string]bool{}
	own := g.variants()
	claim := func(p *listed, path string) {
		only := ""
		if own[p.ImportPath] {
			path, only = p.ImportPath, p.ForTest+".test"
		}
		if len(p.GoFiles) == 0 {
			return
		}
		mode, ok := modeOf(p)
		if !ok {
			return
		}
		mode.Flow = g.b.Flow && (!p.Standard || g.b.Exprs && std.Followed(base(p.ImportPath)))
		mode.Exprs = mode.Flow && g.b.Exprs
		u := &unit{path: path, pkg: p, mode: mode, only: only}
		for _, f := range p.GoFiles {
			if f = p.abs(f); only != "" || !owned[f] {
				owned[f] = owned[f] || only == ""
				u.files = append(u.files, f)
			}
		}
		if len(u.files) == 0 {
			return
		}
		if t := g.byPath[path+" ["+path+".test]"]; t != nil && !p.Standard && !own[t.ImportPath] {
			u.pkg, u.plain = t, p
		}
		h := newHasher("unit")
		h.add(g.source, g.b.base.key, path, fmt.Sprint(mode), g.deep[p.ImportPath], g.deep[u.pkg.ImportPath])
		h.list(u.files)
		u.key = h.key()
		g.units = append(g.units, u)
	}
	for _, p := range g.pkgs {
		if !strings.Contains(p.ImportPath, " ") && !p.isTestMain() {
			claim(p, p.ImportPath)
		}
	}
	for _, p := range g.pkgs {
		if b := base(p.ImportPath); b != p.ImportPath {
			if b != p.ForTest && b != p.ForTest+"_test" && g.byPath[b] == nil {
				claim(p, b) // q [p.test] where no root needs q itself
			} else {
				claim(p, p.ImportPath)
			}
		}
	}
	order := make(map[*listed]int, len(g.pkgs))
	for i, p := range g.pkgs {
		order[p] = i
	}
	slices.SortStableFunc(g.units, func(a, b *unit) int { return order[a.pkg] - order[b.pkg] })
}

// modeOf decides whether and how a package is rewritten.
func modeOf(p *listed) (instrument.Mode, bool) {
	path := base(p.ImportPath)
	switch {
	case path == "unsafe" || path == laidPrefix || strings.HasPrefix(path, laidPrefix+"/"):
		return instrument.Mode{}, false
	case p.Standard:
		rewrite, memory, quiet := stdMode(path)
		return instrument.Mode{Memory: memory, Quiet: quiet, Receivers: std.Receivers(path)}, rewrite
	}
	return instrument.Mode{Memory: true, Linked: true, Globals: p.Module == nil ||
		p.Module.Main, Plain: instrument.LosesVersions(std.GoVersion)}, true
}

// needed returns the units of the binaries of roots.
func (g *graph) needed(roots []*root) []*unit {
	in := map[string]bool{}   // by full import path
	dirs := map[string]bool{} // q and q [p.test] share files
	var visit func(path string)
	visit = func(path string) {
		p := g.byPath[path]
		if p == nil || in[path] {
			return
		}
		in[path] = true
		dirs[p.Dir] = true
		for _, imp := range p.Imports {
			visit(imp)
		}
	}
	for _, r := range roots {
		visit(r.main.ImportPath)
	}
	// Laid packages are imported only by files of the overlay.
	for _, p := range g.pkgs {
		if strings.HasPrefix(p.ImportPath, laidPrefix+"/") {
			visit(p.ImportPath)
		}
	}
	var units []*unit
	special := map[string]bool{} // files of units for single binaries
	for _, u := range g.units {
		if u.only != "" &&
			slices.ContainsFunc(roots, func(r *root) bool { return r.main.ImportPath == u.only }) {
			for _, f := range u.files {
				special[f] = true
			}
			units = append(units, u)
		}
	}
	for _, u := range g.units {
		if u.only == "" && (in[u.pkg.ImportPath] || dirs[u.pkg.Dir] && !strings.Contains(u.path, " ")) &&
			(len(roots) > 1 || !special[u.files[0]]) {
			units = append(units, u)
		}
	}
	return units
}

// sites returns the position tables of all units.
func (b *Builder) sites() *Sites {
	s := &Sites{tables: map[uint64]*table{}, byDir: map[string][]*table{}}
	for _, u := range b.graph.units {
		if b.left[u.path] != "" {
			continue
		}
		s.add(u.path, u.pkg.Dir, filepath.Join(b.cache.entry("unit", u.key), "table"))
	}
	return s
}
