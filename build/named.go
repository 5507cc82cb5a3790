package build

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"heddle/instrument"
)

// Names of what is an input on request (-symbolic): values of tests, of which the text of the tests
// is changed (instrument.NamedOf), and flags, which package flag gives their values.

// named is what the build knows of such names.
type named struct {
	of    map[string][]string          // names by the import path of the tests' package
	texts map[string]map[string][]byte // changed texts by full import path and file
	all   map[string][]instrument.Nameable
	notes []instrument.NamedNote
}

// testsOf returns the package whose tests p is compiled for, if it has test files of it; "": none.
func testsOf(p *listed) string {
	b := base(p.ImportPath)
	if p.ForTest == "" || p.isTestMain() || p.Standard || b != p.ForTest && b != p.ForTest+"_test" {
		return ""
	}
	return p.ForTest
}

// namesIn returns the names that are looked for in the test files of p.
func (b *Builder) namesIn(p *listed) []string {
	path := testsOf(p)
	if path == "" || b.Symbolic == nil {
		return nil
	}
	if b.names.of == nil {
		b.names.of = map[string][]string{}
	}
	names, ok := b.names.of[path]
	if !ok {
		names = b.Symbolic(path, p.Dir)
		b.names.of[path] = names
	}
	return names
}

// findNamed finds the values that are named, and changes the tests.
func (b *Builder) findNamed() error {
	b.names.texts = map[string]map[string][]byte{}
	var todo []*listed
	for _, p := range b.graph.pkgs {
		if len(b.namesIn(p)) == 0 {
			continue
		}
		file := filepath.Join(b.cache.entry("named", b.namedKey(p)), "named")
		if data, err := os.ReadFile(file); err == nil {
			var k instrument.Named
			if json.Unmarshal(data, &k) == nil {
				b.take(p, &k)
				continue
			}
		}
		todo = append(todo, p)
	}
	if len(todo) == 0 {
		return nil
	}
	kept := b.newTypeCache()
	inputs, err := b.inputs(kept, nil, todo...)
	if err != nil {
		return err
	}
	imp := instrument.NewImporter(inputs.all)
	imp.Known = kept.read
	for _, p := range todo {
		i := slices.Index(b.graph.pkgs, p)
		out, err := instrument.NamedOf(inputs.all[i], imp, b.namesIn(p))
		if err != nil {
			continue // the compiler says it
		}
		b.take(p, out)
		if data, err := json.Marshal(out); err == nil {
			if err := b.cache.put("named", b.namedKey(p), map[string][]byte{"named": data}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *Builder) namedKey(p *listed) string {
	h := newHasher("named")
	h.add(b.graph.source, b.graph.deep[p.ImportPath])
	h.list(b.namesIn(p))
	return h.key()
}

func (b *Builder) take(p *listed, k *instrument.Named) {
	b.names.texts[p.ImportPath] = k.Files
	if b.names.all == nil {
		b.names.all = map[string][]instrument.Nameable{}
	}
	b.names.all[testsOf(p)] = append(b.names.all[testsOf(p)], k.All...)
	b.names.notes = append(b.names.notes, k.Notes...)
}

// ErrNames is what an error about names wraps.
var ErrNames = errors.New("nothing of that name can be an input")

// mostNamed is how many values an error lists.
const mostNamed = 30

// checkNames returns an error if the packages have nothing that one of the names means.
func (b *Builder) checkNames(names []string, roots []*root) error {
	var all []instrument.Nameable
	for _, r := range roots {
		all = append(all, b.names.all[r.pkg.ImportPath]...)
		all = append(all, b.flagsBelow(r)...)
	}
	for _, name := range names {
		var bad *instrument.Nameable
		good := false
		for i, v := range all {
			if instrument.Names(name, v.Path) {
				if v.Why == "" {
					good = true
				} else if bad == nil {
					bad = &all[i]
				}
			}
		}
		switch {
		case good:
		case bad != nil:
			return fmt.Errorf("-symbolic %s: %s (%s) is of type %s: %s%w", name, bad.Path, b.at(bad),
				bad.Type, bad.Why, quiet{})
		default:
			return fmt.Errorf("-symbolic %s: there is no such field or variable of a test, and no such flag%s%w",
				name, b.listed(all), quiet{})
		}
	}
	return nil
}

// quiet wraps ErrNames without a text.
type quiet struct{}

func (quiet) Error() string { return "" }
func (quiet) Unwrap() error { return ErrNames }

func (b *Builder) at(v *instrument.Nameable) string {
	file := v.File
	if rel, err := filepath.Rel(b.Dir, file); err == nil && !strings.HasPrefix(rel, "..") {
		file = rel
	}
	return fmt.Sprintf("%s:%d", file, v.Line)
}

// listed lists what can be named.
func (b *Builder) listed(all []instrument.Nameable) string {
	var lines []string
	for _, v := range all {
		if v.Why == "" {
			lines = append(lines, fmt.Sprintf("  %s %s   %s", v.Path, v.Type, b.at(&v)))
		}
	}
	if len(lines) == 0 {
		return "; these packages have none that could be an input"
	}
	more := ""
	if n := len(lines) - mostNamed; n > 0 {
		lines, more = lines[:mostNamed], fmt.Sprintf("\n  and %d others", n)
	}
	return "; there are\n" + strings.Join(lines, "\n") + more
}

// flagTypes are the functions of package flag that define flags, and the types of these; "": such a
// flag cannot be an input.
var flagTypes = map[string]string{"Bool": "bool", "Int": "int", "Int64": "int64", "Uint": "uint",
	"Uint64": "uint64", "String": "string", "Float64": "float64", "Duration": "time.Duration", "Func": "",
	"BoolFunc": "", "Text": "", "": ""}

// flagsBelow returns the flags that the packages of a root's module define, as their source says.
func (b *Builder) flagsBelow(r *root) (flags []instrument.Nameable) {
	from := r.main
	if from == nil {
		return nil
	}
	b.graph.eachBelow(from, func(p *listed) {
		if p.immutable() || p.isTestMain() || !slices.Contains(p.Imports, "flag") {
			return
		}
		for _, name := range p.GoFiles {
			file := p.abs(name)
			fset := token.NewFileSet()
			f, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
			if err != nil {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					if v, ok := flagOf(call); ok {
						v.File, v.Line = file, fset.Position(call.Pos()).Line
						flags = append(flags, v)
					}
				}
				return true
			})
		}
	})
	return flags
}

// flagOf returns the flag that a call defines.
func flagOf(call *ast.CallExpr) (v instrument.Nameable, ok bool) {
	sel, isSel := call.Fun.(*ast.SelectorExpr)
	if !isSel {
		return v, false
	}
	kind, at := sel.Sel.Name, 0
	if k, isVar := strings.CutSuffix(kind, "Var"); isVar {
		kind, at = k, 1
	}
	typ, known := flagTypes[kind]
	if !known || len(call.Args) <= at+1 {
		return v, false
	}
	lit, isLit := call.Args[at].(*ast.BasicLit)
	if !isLit || lit.Kind != token.STRING {
		return v, false
	}
	name, err := strconv.Unquote(lit.Value)
	v = instrument.Nameable{Path: name, Type: typ}
	if typ == "" {
		v.Type, v.Why = "flag.Value", "inputs are numbers, conditions and strings"
	}
	return v, err == nil
}
