package build

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"

	"heddle/instrument"
	"heddle/instrument/std"
	"heddle/rt/counters"
)

// Config says what to build.
type Config struct {
	Dir      string   // the user's directory; patterns and -overlay are relative to it
	Patterns []string // as for go test; none: the package in Dir
	Tags     string   // -tags
	Main     bool     // a main package to run instead of tests
	Flow     bool     // compile the tracking of data flow into all packages outside the standard library
	Lean     bool     // leave out the strategies with explore.Unit.Heavy
	Debug    bool     // for a debugger: with DWARF, the main modules without optimisation
	// with Flow: also track how values are computed, in some packages of the standard library too
	Exprs    bool
	CacheDir string // "": DefaultCacheDir

	// Symbolic returns the names of values of the tests of a package, in a folder, that may be
	// inputs; nil: there are none. Of Names, for all packages and flags, each must mean something.
	Symbolic func(importPath, dir string) []string
	Names    []string

	// Choose reports for each package that Patterns name whether to build it. nil: build all.
	Choose func([]Tests) ([]bool, error)

	// Progress receives a text before each phase that takes longer than a moment. May be nil.
	Progress func(text string)
}

// A Package is the result for one package that was asked for.
type Package struct {
	ImportPath string
	Dir        string
	Binary     string   // "" if it was not built
	NoTests    bool     // it has no test files
	Failed     string   // the go command's message, if it does not compile
	Left       []string // "path: reason" of each package in the binary that could not be rewritten
	Tests      []string // names of its tests, fuzz targets and examples; nil: not known
	Code       string   // hash of the sources of the binary, see graph.code; "" without a binary
	Key        string   // hash of all that the binary is built from, heddle among it
	// with Config.Exprs: what its input may be compared with, and where Go keeps inputs of its
	// fuzz targets; "": nowhere
	Constants *counters.Constants
	FuzzCache string
	// testing/quick or pgregory.net/rapid is in the binary
	Properties bool
}

// Result is the result of Build.
type Result struct {
	Packages []Package              // in the order of the patterns
	Sites    *Sites                 // the position tables of everything in the build
	Left     []string               // "path: reason" of each package in the build that could not be rewritten
	Named    []instrument.NamedNote // of the values that are inputs
}

// Open finds the Go toolchain and the cache.
func Open(ctx context.Context, c Config) (*Builder, error) {
	b := &Builder{Config: c, left: map[string]string{}}
	if len(b.Patterns) == 0 {
		b.Patterns = []string{"."}
	}
	if b.Progress == nil {
		b.Progress = func(string) {}
	}
	if err := b.open(ctx); err != nil {
		if b.cache != nil {
			b.cache.close()
		}
		return nil, err
	}
	return b, nil
}

// GOROOT returns the toolchain's folder.
func (b *Builder) GOROOT() string { return b.tool["GOROOT"] }

// Go returns the release of Go that the binaries are built with, such as "go1.26.2".
func (b *Builder) Go() string { return b.tool["GOVERSION"] }

// Platform returns GOOS and GOARCH of the binaries.
func (b *Builder) Platform() (goos, goarch string) { return b.tool["GOOS"], b.tool["GOARCH"] }

// Close releases the binaries: from then on another heddle process may remove them from the cache.
func (b *Builder) Close() { b.cache.close() }

// Build makes the test binaries of the packages that Patterns name. A package that does not
// compile is not an error: its Failed has the compiler's message. An error means that the packages
// cannot be listed, or that heddle itself is wrong. Build must be called only once.
func (b *Builder) Build(ctx context.Context) (*Result, error) {
	pkgs, err := b.list(ctx)
	if err != nil {
		return nil, cmp.Or(noSpace(err.Error()), err)
	}
	for _, p := range pkgs {
		b.namesIn(p) // from now on they are only read
	}
	b.graph, err = newGraph(b, pkgs)
	if err != nil {
		return nil, err
	}
	roots, err := b.roots()
	if err != nil {
		return nil, err
	}
	if roots, err = b.choose(roots); err != nil {
		return nil, err
	}
	if err := b.findNamed(); err != nil {
		return nil, err
	}
	if err := b.checkNames(b.Names, roots); err != nil {
		return nil, err
	}
	if err := b.make(ctx, roots); err != nil {
		return nil, err
	}
	b.cache.trim()
	return b.result(roots), nil
}

// A Builder builds the binaries of one Config.
type Builder struct {
	Config
	cache    *cache
	tool     toolchain
	root     rooted
	base     *baseOverlay
	graph    *graph
	asked    []string          // Patterns in the form in which the go command gets them
	left     map[string]string // by unit path: why it was not rewritten
	extraEnv []string          // for the go command, while it compiles
	names    named
	notes    []string // from the notes of the binaries: what could not be rewritten
}

// open finds the toolchain and the cache, and writes the base overlay.
func (b *Builder) open(ctx context.Context) error {
	dir := b.CacheDir
	if dir == "" {
		var err error
		if dir, err = DefaultCacheDir(); err != nil {
			return err
		}
	}
	var err error
	if b.cache, err = openCache(dir); err != nil {
		return err
	}
	if b.tool, err = b.env(ctx); err != nil {
		return err
	}
	if o := b.tool["GOFLAGS"]; strings.Contains(o, "-overlay") || strings.Contains(o, "-race") {
		return fmt.Errorf("GOFLAGS=%s: heddle needs -overlay for itself and detects races without -race; run it with a GOFLAGS without them", o)
	}
	if err := std.Supported(b.tool["GOVERSION"]); err != nil {
		return err
	}
	if err := std.Readable(runtime.Version(), b.tool["GOVERSION"]); err != nil {
		return err
	}
	std.GoVersion = b.tool["GOVERSION"]
	if err := std.SupportedPlatform(b.Platform()); err != nil {
		return err
	}
	if err := b.openRoot(); err != nil {
		return err
	}
	b.base, err = b.layBase()
	return err
}

// A root is one package that was asked for.
type root struct {
	pkg    *listed // the package itself
	main   *listed // the generated package "p.test", or the main package itself; nil: no tests
	key    string
	binary string
	failed string
	left   []string // notes about packages that are not rewritten
}

// roots returns the packages that Patterns name, in the order of the patterns.
func (b *Builder) roots() ([]*root, error) {
	var roots []*root
	for _, p := range b.graph.pkgs {
		if p.DepOnly || p.isTestMain() || p.ForTest != "" {
			continue
		}
		r := &root{pkg: p}
		switch {
		case !b.Main:
			r.main = b.graph.byPath[p.ImportPath+".test"]
		case p.Name == "main" || p.Name == "":
			r.main = p
		default:
			return nil, fmt.Errorf("package %s is not a main package", p.ImportPath)
		}
		if r.main == nil && p.Error != nil {
			r.main = p // compiling it gives the message
		}
		if r.main != nil {
			r.key = b.graph.binaryKey(r.main)
		}
		roots = append(roots, r)
	}
	if len(roots) == 0 {
		return nil, fmt.Errorf("%s: matched no packages", strings.Join(b.Patterns, " "))
	}
	if b.Main && len(roots) > 1 {
		return nil, fmt.Errorf("%s: %d packages; heddle run takes one", strings.Join(b.Patterns, " "),
			len(roots))
	}
	at := func(r *root) int { // index of the first pattern that names r
		for i, pat := range b.asked {
			if slices.Contains(r.pkg.Match, pat) {
				return i
			}
		}
		return len(b.asked)
	}
	sort.SliceStable(roots, func(i, j int) bool {
		if a, b := at(roots[i]), at(roots[j]); a != b {
			return a < b
		}
		return roots[i].pkg.ImportPath < roots[j].pkg.ImportPath
	})
	return roots, nil
}

// make finds the binary of every root in the cache or compiles it.
func (b *Builder) make(ctx context.Context, roots []*root) error {
	var todo, all []*root
	for _, r := range roots {
		if r.main == nil {
			continue
		}
		all = append(all, r)
		if bin, notes, ok := b.cache.binary(r.key, b.binaryName(r.pkg)); ok && r.pkg.Error == nil {
			r.binary = bin
			b.notes, r.left = append(b.notes, notes...), notes
			continue
		}
		todo = append(todo, r)
	}
	// also for a cached binary, which needs its position tables
	if err := b.rewriteAll(ctx, all); err != nil {
		return err
	}
	return b.compileAll(ctx, todo)
}

// result collects the results of the roots.
func (b *Builder) result(roots []*root) *Result {
	res := &Result{Sites: b.sites(), Left: slices.Concat(b.notes, b.base.lost, b.otherRapid())}
	for _, r := range roots {
		p := Package{
			ImportPath: r.pkg.ImportPath, Dir: r.pkg.Dir, Binary: r.binary,
			NoTests: r.main == nil, Failed: r.failed, Left: r.left,
		}
		if r.main != nil {
			p.Code, p.Key = b.graph.code(r.main), r.key
			p.Tests, p.Properties = testNames(r.pkg), b.graph.hasProperties(r.main)
			if b.Exprs {
				p.Constants = b.graph.constants(r.main, r.pkg)
				if dir := b.tool["GOCACHE"]; filepath.IsAbs(dir) {
					p.FuzzCache = filepath.Join(dir, "fuzz", filepath.FromSlash(r.pkg.ImportPath))
				}
			}
		}
		res.Packages = append(res.Packages, p)
	}
	if len(b.Names) > 0 {
		res.Named = b.names.notes
	}
	sort.Strings(res.Left)
	res.Left = slices.Compact(res.Left)
	return res
}

// parallel calls f(0) to f(n-1) on all processors and returns the first error.
func parallel(n int, f func(i int) error) error {
	workers := min(n, runtime.GOMAXPROCS(0))
	next, errs := make(chan int, n), make(chan error, workers)
	for i := range n {
		next <- i
	}
	close(next)
	for range workers {
		go func() {
			var first error
			for i := range next {
				if err := f(i); err != nil && first == nil {
					first = err
				}
			}
			errs <- first
		}()
	}
	var first error
	for range workers {
		if err := <-errs; err != nil && first == nil {
			first = err
		}
	}
	return first
}
