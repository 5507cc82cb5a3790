package build

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// compileAll compiles the binaries of roots and sets their binary or failed.
//
// If the rewritten form of a package does not compile, compileAll compiles the original. If this
// fails too, the error is the user's, and the message has the file and the line that the user
// knows. Otherwise heddle is wrong: the package stays as it is, and the rest is tried again.
func (b *Builder) compileAll(ctx context.Context, roots []*root) error {
	for _, set := range b.graph.together(roots) {
		if err := b.compileSet(ctx, set); err != nil {
			return err
		}
	}
	return nil
}

// compileSet is compileAll for roots that share an overlay.
func (b *Builder) compileSet(ctx context.Context, roots []*root) error {
	tmp, err := b.cache.temp("build")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	for try := 0; len(roots) > 0; try++ {
		overlay := filepath.Join(tmp, fmt.Sprintf("overlay%d.json", try))
		links, err := b.link(tmp, roots)
		if err != nil {
			return b.cache.told(err)
		}
		if err := b.writeOverlay(overlay, tmp, roots, links); err != nil {
			return b.cache.told(err)
		}
		flags := []string{"-overlay=" + overlay}
		if links != nil {
			flags = append(flags, links.flags...)
			b.extraEnv = links.env
		}
		res, err := b.compile(ctx, roots, filepath.Join(tmp, fmt.Sprintf("bin%d", try)), flags...)
		b.extraEnv = nil
		if err != nil {
			return err
		}
		var failed []*root
		for _, r := range roots {
			file := res.binaries[r]
			if file == "" {
				failed = append(failed, r)
				continue
			}
			notes := b.leftNotes(r)
			b.notes, r.left = append(b.notes, notes...), notes
			if r.binary, err = b.cache.putBinary(r.key, b.binaryName(r.pkg), file, notes); err != nil {
				return err
			}
		}
		if len(failed) == 0 {
			return nil
		}
		if err := noSpace(res.output()); err != nil {
			return err
		}
		if roots, err = b.plainly(ctx, failed, filepath.Join(tmp, fmt.Sprintf("plain%d", try))); err != nil {
			return err
		}
		if len(roots) == 0 {
			return nil
		}
		more, err := b.leaveAlone(res)
		if err != nil {
			return err
		}
		if !more || try >= 8 {
			return fmt.Errorf("this is an error of heddle: %s compiles, but not as heddle rewrites it; please report it with this output:\n%s",
				roots[0].pkg.ImportPath, strings.TrimSpace(res.output()))
		}
	}
	return nil
}

// noSpace returns an error if output of the go command says that a disk is full or read-only.
func noSpace(output string) error {
	for line := range strings.Lines(output) {
		for _, what := range []string{"no space left on device", "disk quota exceeded",
			"read-only file system", "not enough space on the disk"} {
			if strings.Contains(line, what) {
				return fmt.Errorf("the go command cannot write: %s; make room in GOCACHE, GOTMPDIR and HEDDLE_CACHE ('go env' and 'heddle env' say where they are), or set them to other folders", strings.TrimSpace(line))
			}
		}
	}
	return nil
}

// plainly compiles the original packages of roots, to find out whether the error is the user's. It
// sets failed of the roots that do not compile and returns the others.
func (b *Builder) plainly(ctx context.Context, roots []*root, dir string) ([]*root, error) {
	res, err := b.compile(ctx, roots, dir)
	if err != nil {
		return nil, err
	}
	var fine []*root
	for _, r := range roots {
		if res.binaries[r] != "" {
			fine = append(fine, r)
			continue
		}
		r.failed = res.about(b.graph, r)
	}
	return fine, nil
}

// leaveAlone marks the units that failed to compile as not to be rewritten, and reports whether
// one of them is new.
func (b *Builder) leaveAlone(res *compiled) (bool, error) {
	found := false
	for _, p := range res.failed {
		for _, u := range b.graph.units {
			if (u.pkg.ImportPath == p || u.path == p || base(u.path) == base(p)) && b.left[u.path] == "" {
				first, _, _ := strings.Cut(strings.TrimSpace(dropHeader(res.text[p])), "\n")
				if err := b.leave(u, heddlesFault+first); err != nil {
					return false, err
				}
				found = true
			}
		}
	}
	return found, nil
}

func dropHeader(s string) string {
	if strings.HasPrefix(s, "# ") {
		_, s, _ = strings.Cut(s, "\n")
	}
	return s
}

// leftNotes returns a note for each package in r's binary that is not rewritten: which, and why.
func (b *Builder) leftNotes(r *root) []string {
	var notes []string
	for _, u := range b.graph.needed([]*root{r}) {
		if why := b.left[u.path]; why != "" {
			notes = append(notes, fmt.Sprintf("%s is left alone: %s", u.path, why))
			continue
		}
		if u.pkg.Standard {
			continue
		}
		for _, f := range u.pkg.CgoFiles {
			notes = append(notes,
				fmt.Sprintf("%s is left alone: it uses cgo%s", u.pkg.abs(f), firstC(u.pkg.abs(f))))
		}
	}
	slices.Sort(notes)
	return notes
}

// firstC returns " (C.f, called at file:line)" for the first call of C in the file at path, or "".
func firstC(path string) (at string) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return ""
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && at == "" {
			if f, ok := call.Fun.(*ast.SelectorExpr); ok && !cPseudo[f.Sel.Name] {
				if c, ok := f.X.(*ast.Ident); ok && c.Name == "C" {
					at = fmt.Sprintf(" (C.%s, called at %s:%d)", f.Sel.Name, path,
						fset.Position(call.Pos()).Line)
				}
			}
		}
		return at == ""
	})
	return at
}

// cPseudo are the names of package C that look like functions but are types or copying
// conversions.
var cPseudo = map[string]bool{
	"char": true, "schar": true, "uchar": true, "short": true, "ushort": true, "int": true, "uint": true,
	"long": true, "ulong": true,
	"longlong": true, "ulonglong": true, "float": true, "double": true, "size_t": true, "CString": true,
	"CBytes": true, "GoString": true, "GoStringN": true, "GoBytes": true,
}

// writeOverlay writes the overlay of a build: the base overlay and the rewritten files.
func (b *Builder) writeOverlay(file, tmp string, roots []*root, links *links) error {
	replace := make(map[string]string, len(b.base.named)+1000)
	for from, to := range b.base.named {
		replace[from] = to
	}
	for _, u := range b.graph.needed(roots) {
		if b.left[u.path] != "" {
			continue
		}
		dir := b.cache.entry("unit", u.key)
		data, err := os.ReadFile(filepath.Join(dir, "table"))
		if err != nil {
			return err
		}
		t, err := decodeUnit(data)
		if err != nil {
			os.RemoveAll(dir)
			return fmt.Errorf("%s: %v; removed it, run heddle again", dir, err)
		}
		for i, f := range t.files {
			replace[links.name(f)] = filepath.Join(dir, textName(i, f))
		}
	}
	if links != nil {
		for at, mod := range links.added {
			replace[at] = mod
		}
	}
	if b.Main {
		for _, r := range roots {
			if err := layMain(replace, r.pkg, tmp, b.Exprs); err != nil {
				return err
			}
		}
	}
	if b.Lean {
		replace[filepath.Join(b.root.real, "src", laidPrefix, filepath.FromSlash(heavy))] = ""
	}
	data, err := overlayJSON(b.root.overlay(replace))
	if err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o666)
}

// heavy is the file of blank imports that links the strategies with explore.Unit.Heavy.
const heavy = "explore/all/heavy.go"

// compiled is the outcome of one or more runs of the go command.
type compiled struct {
	binaries map[*root]string
	failed   []string          // full import paths that did not compile
	text     map[string]string // by package: the output about it
	order    []string          // the keys of text in the order of the output
	other    string            // output about no package
}

// output returns all of the output.
func (c *compiled) output() string {
	var s strings.Builder
	for _, p := range c.order {
		s.WriteString(c.text[p])
	}
	return s.String() + c.other
}

// about returns the output about r and the packages that it imports.
func (c *compiled) about(g *graph, r *root) string {
	below := map[string]bool{}
	var visit func(path string)
	visit = func(path string) {
		if p := g.byPath[path]; p != nil && !below[path] {
			below[path] = true
			for _, imp := range p.Imports {
				visit(imp)
			}
		}
	}
	visit(r.main.ImportPath)
	visit(r.pkg.ImportPath)
	var s strings.Builder
	for _, p := range c.order {
		if below[p] {
			s.WriteString(c.text[p])
		}
	}
	if s.Len() == 0 {
		return c.output()
	}
	return s.String()
}

// compile runs the go command for roots, in groups whose binaries have different names. flags are
// those of heddle.
func (b *Builder) compile(ctx context.Context, roots []*root, dir string,
	flags ...string) (*compiled, error) {
	res := &compiled{binaries: map[*root]string{}, text: map[string]string{}}
	for i, group := range groups(roots) {
		out := filepath.Join(dir, fmt.Sprint(i))
		if err := os.MkdirAll(out, 0o777); err != nil {
			return nil, err
		}
		args := []string{"test", "-c", "-vet=off"}
		target := out + string(filepath.Separator)
		if b.Main {
			args = []string{"build", "-buildvcs=false"}
		}
		if b.Main || len(group) == 1 {
			target += "binary"
		}
		args = append(args, "-json", "-o", target)
		args = append(args, b.linkerFlags()...)
		if b.Tags != "" {
			args = append(args, "-tags="+b.Tags)
		}
		args = append(args, b.compilerFlags()...)
		args = append(args, flags...) // no "--": go test would pass the rest to the binary
		for _, r := range group {
			if r.pkg.ImportPath == "command-line-arguments" {
				args = append(args, b.asked...) // the package is a list of files
				break
			}
			args = append(args, r.pkg.ImportPath)
		}
		cmd := b.command(ctx, args...) // with the user's settings, for the same result as the user's build
		if len(flags) > 0 {
			cmd = b.rootedCommand(ctx, args...)
		}
		if err := b.runCompiler(ctx, cmd, res); err != nil {
			return nil, err
		}
		for _, r := range group {
			names := []string{"binary"}
			if len(group) > 1 {
				names = binaryNames(r.pkg.ImportPath)
			}
			for _, name := range names {
				for _, suffix := range []string{"", ".exe"} {
					if file := filepath.Join(out, name+suffix); exists(file) {
						res.binaries[r] = file
					}
				}
			}
		}
	}
	return res, nil
}

// runCompiler runs the go command and sorts its output by package.
func (b *Builder) runCompiler(ctx context.Context, cmd *exec.Cmd, res *compiled) error {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		return err
	}
	// go build prints its events on standard output, as go test does. Lines that are not events
	// are kept as text.
	for _, line := range bytes.SplitAfter(b.root.out(append(stdout.Bytes(), stderr.Bytes()...)),
		[]byte("\n")) {
		var e struct{ ImportPath, Action, Output string }
		switch err := json.Unmarshal(line, &e); {
		case err != nil && len(bytes.TrimSpace(line)) > 0:
			res.other += string(line)
		case e.ImportPath == "":
		case e.Action == "build-output":
			if res.text[e.ImportPath] == "" {
				res.order = append(res.order, e.ImportPath)
			}
			res.text[e.ImportPath] += e.Output
		case e.Action == "build-fail":
			res.failed = append(res.failed, e.ImportPath)
		}
	}
	return nil
}

// compilerFlags returns the -gcflags flags of a build: those of GOFLAGS, each extended by heddle's.
// Compiling without DWARF is faster. Where inputs are searched for, packages have counters. A
// debugger needs DWARF of all packages, and steps best through what the user writes where that is
// not optimised; the rest stays as it is, and fast.
func (b *Builder) compilerFlags() []string {
	if !b.Debug {
		const own = "-dwarf=false"
		flags, given := []string{"-gcflags=all=" + own}, b.givenFlags("gcflags")
		for _, g := range given {
			flags = append(flags, "-gcflags="+g.pattern+own+" "+g.flags)
		}
		if b.Exprs {
			for _, p := range b.graph.counted() {
				its := ""
				for _, g := range given {
					if g.matches(p) {
						its = " " + g.flags // the last one that matches counts
					}
				}
				flags = append(flags, "-gcflags="+base(p.ImportPath)+"="+own+" -d=libfuzzer=1"+its)
			}
		}
		return flags
	}
	flags := []string{"-gcflags=-N -l"}
	seen := map[string]bool{}
	for _, p := range b.graph.pkgs {
		if m := p.Module; m != nil && m.Main && !seen[m.Path] {
			seen[m.Path] = true
			flags = append(flags, "-gcflags="+m.Path+"/...=-N -l")
		}
	}
	return flags
}

// linkerFlags returns the -ldflags flags of a build: those of GOFLAGS, each extended by heddle's.
// Nothing but a debugger reads DWARF, and linking without it is faster. Package runtime gets the
// names of files in the binary and the names to show instead (added/runtime.go.txt). A debugger
// gets what -s and -w in GOFLAGS would leave out.
func (b *Builder) linkerFlags() []string {
	names := []string{
		"Root=" + filepath.ToSlash(b.root.real), "Second=" + filepath.ToSlash(b.root.second),
		"Given=" + sourceRoot,
		"Links=" + filepath.ToSlash(b.linkDir()),
		"Modules=" + filepath.ToSlash(filepath.Clean(b.tool["GOMODCACHE"])),
	}
	var own []string
	kept := " -s=false -w=false"
	if !b.Debug {
		own, kept = append(own, "-w"), ""
	}
	for _, name := range names {
		own = append(own, quotedField("-X=runtime.heddle"+name))
	}
	all := strings.Join(own, " ")
	flags := []string{"-ldflags=" + all}
	for _, g := range b.givenFlags("ldflags") {
		flags = append(flags, "-ldflags="+g.pattern+all+" "+g.flags+kept)
	}
	return flags
}

// A givenFlag has flags for the packages that a pattern matches; those named on the command line if
// it is empty. It ends in "=" otherwise.
type givenFlag struct{ pattern, flags string }

// givenFlags returns the values of a flag in GOFLAGS. The last one that matches a package counts.
func (b *Builder) givenFlags(name string) (given []givenFlag) {
	for _, f := range quotedFields(b.tool["GOFLAGS"]) {
		f = strings.TrimPrefix(f, "-")
		value, ok := strings.CutPrefix(strings.TrimPrefix(f, "-"), name+"=")
		if !ok {
			continue
		}
		g := givenFlag{flags: strings.TrimSpace(value)}
		if g.flags != "" && g.flags[0] != '-' {
			g.pattern, g.flags, _ = strings.Cut(g.flags, "=")
			g.pattern += "="
		}
		given = append(given, g)
	}
	return given
}

// matches reports whether the pattern matches p. Of patterns of folders it is said of all packages
// of the main module.
func (g givenFlag) matches(p *listed) bool {
	path, pattern := base(p.ImportPath), strings.TrimSuffix(g.pattern, "=")
	switch {
	case pattern == "":
		return !p.DepOnly
	case pattern == "all":
		return true
	case pattern == "std":
		return p.Standard
	case strings.HasPrefix(pattern, "."):
		return p.Module != nil && p.Module.Main
	}
	before, below := strings.CutSuffix(pattern, "...")
	return path == strings.TrimSuffix(before, "/") || below && strings.HasPrefix(path, before)
}

// quotedField quotes a word as GOFLAGS and the values of flags require, which have no escapes.
func quotedField(s string) string {
	switch {
	case !strings.ContainsAny(s, " \t\r\n'\""):
		return s
	case strings.Contains(s, "'"):
		return `"` + s + `"`
	}
	return "'" + s + "'"
}

// quotedFields splits s into fields: the inverse of quotedField.
func quotedFields(s string) []string {
	var fields []string
	for {
		if s = strings.TrimLeft(s, " \t\r\n"); s == "" {
			return fields
		}
		end := strings.IndexAny(s, " \t\r\n")
		from := 0
		if s[0] == '\'' || s[0] == '"' {
			from, end = 1, strings.IndexByte(s[1:], s[0])
			if end >= 0 {
				end++
			}
		}
		if end < 0 {
			return append(fields, s[from:])
		}
		fields = append(fields, s[from:end])
		s = s[end+from:]
	}
}

// groups divides roots so that the binaries of one go test -c have different names.
func groups(roots []*root) [][]*root {
	var all [][]*root
	var taken []map[string]bool
next:
	for _, r := range roots {
		names := binaryNames(r.pkg.ImportPath)
		for i := range all {
			if !slices.ContainsFunc(names, func(n string) bool { return taken[i][n] }) {
				all[i] = append(all[i], r)
				for _, n := range names {
					taken[i][n] = true
				}
				continue next
			}
		}
		all = append(all, []*root{r})
		taken = append(taken, map[string]bool{})
		for _, n := range names {
			taken[len(taken)-1][n] = true
		}
	}
	return all
}

var majorVersion = regexp.MustCompile(`^v([2-9]|[1-9][0-9]+)$`) // the rule of the go command

// binaryNames returns the names that go test -c may give a package's binary.
func binaryNames(importPath string) []string {
	dir, elem := path.Split(importPath)
	names := []string{elem + ".test"}
	if majorVersion.MatchString(elem) && dir != "" {
		names = append(names, path.Base(dir)+".test")
	}
	return names
}

// binaryName returns the name that go test, or go run of a main package, gives the binary of p.
// Programs may print it, and tests may look for it in the output.
func (b *Builder) binaryName(p *listed) string {
	elem := path.Base(p.ImportPath)
	switch files := slices.Concat(p.GoFiles, p.CgoFiles); {
	case p.ImportPath == "command-line-arguments" && b.Main && len(files) > 0:
		elem = strings.TrimSuffix(filepath.Base(files[0]), ".go")
	case p.ImportPath == "command-line-arguments":
		elem = p.Name
	case majorVersion.MatchString(elem) && elem != p.ImportPath:
		elem = path.Base(path.Dir(p.ImportPath))
	}
	if !b.Main {
		elem += ".test"
	}
	if b.tool["GOOS"] == "windows" { // Windows executes no file without it
		elem += ".exe"
	}
	return elem
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
