package build

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sort"
	"strings"

	"heddle/instrument/std"
)

// Config says what to build.
type Config struct {
	Dir      string   // the user's directory; patterns and -overlay are relative to it
	Patterns []string // as for go test; none: the package in Dir
	Tags     string   // -tags
	Main     bool     // a main package to run instead of tests
	Flow     bool     // values carry labels that say what they were computed from, in packages that are not the standard library's
	Lean     bool     // no strategy that is explore.Unit.Heavy is used: these are not compiled
	Exprs    bool     // with Flow: labels say how values were computed, in some packages of the standard library too
	CacheDir string   // "": DefaultCacheDir

	// Choose says which of the packages that Patterns name are built. nil: all.
	Choose func([]Tests) ([]bool, error)

	// Progress is told what is being done where that takes longer than a moment. nil: nobody.
	Progress func(text string)
}

// A Package is what became of one root.
type Package struct {
	ImportPath string
	Dir        string
	Binary     string   // "" if there is none
	NoTests    bool     // it has no test files
	Failed     string   // the go command's message, if it does not compile
	Left       []string // "path: reason": what of its binary was left alone though it should not be
	Code       string   // hash of the sources of its binary, see graph.code; "": it has none
}

// Result is what Build made.
type Result struct {
	Packages []Package // in the order of the patterns
	Sites    *Sites    // the position tables of everything in the build
	Left     []string  // "path: reason": what was left alone though it should not be
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

// Platform returns what is built for.
func (b *Builder) Platform() (goos, goarch string) { return b.tool["GOOS"], b.tool["GOARCH"] }

// Close says that the binaries are no longer needed: other heddles may remove them from the cache then.
func (b *Builder) Close() { b.cache.close() }

// Build makes the test binaries of the packages that Patterns name. Packages
// that do not compile are no error: their Failed says why. The error is for
// what cannot even be listed, or is heddle's own fault. Call it once.
func (b *Builder) Build(ctx context.Context) (*Result, error) {
	pkgs, err := b.list(ctx)
	if err != nil {
		return nil, cmp.Or(noSpace(err.Error()), err)
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
	if err := b.make(ctx, roots); err != nil {
		return nil, err
	}
	b.cache.trim()
	return b.result(roots), nil
}

// A Builder makes the binaries of one Config.
type Builder struct {
	Config
	cache    *cache
	tool     toolchain
	root     rooted
	base     *baseOverlay
	graph    *graph
	asked    []string          // Patterns as the go command is given them
	left     map[string]string // unit path to why it was not rewritten
	extraEnv []string          // for the go command, while it compiles
	notes    []string          // what the binaries' own notes say was left alone
}

// open finds the toolchain and the cache, and lays what every build shares.
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
	main   *listed // its "p.test", or the package where a main is run; nil: no tests
	key    string
	binary string
	failed string
	left   []string // notes of what is not rewritten
}

// roots returns the packages that were asked for, in the order of the patterns.
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
			r.main = p // so that compiling it says what is wrong
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
		return nil, fmt.Errorf("%s: %d packages; heddle run takes one", strings.Join(b.Patterns, " "), len(roots))
	}
	at := func(r *root) int { // the first pattern that names it
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

// make finds or compiles the binary of every root.
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
	if err := b.rewriteAll(ctx, all); err != nil { // a binary that is there needs its position tables
		return err
	}
	return b.compileAll(ctx, todo)
}

// result gathers what the roots became.
func (b *Builder) result(roots []*root) *Result {
	res := &Result{Sites: b.sites(), Left: slices.Concat(b.notes, b.base.lost)}
	for _, r := range roots {
		p := Package{
			ImportPath: r.pkg.ImportPath, Dir: r.pkg.Dir, Binary: r.binary,
			NoTests: r.main == nil, Failed: r.failed, Left: r.left,
		}
		if r.main != nil {
			p.Code = b.graph.code(r.main)
		}
		res.Packages = append(res.Packages, p)
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
