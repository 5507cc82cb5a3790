package build

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"heddle/instrument"
	"heddle/instrument/modules"
	"heddle/instrument/std"
)

// rewriteAll makes sure that the cache has every unit that the roots need. A unit that cannot be
// rewritten is left alone: if the error is the user's, the compiler reports it. For a unit of the
// standard library it is an error.
func (b *Builder) rewriteAll(ctx context.Context, roots []*root) error {
	var todo []*unit
	library := 0
	for _, u := range b.graph.needed(roots) {
		if b.cache.has("unit", u.key, "table") {
			continue
		}
		todo = append(todo, u)
		if u.pkg.Standard {
			library++
		}
	}
	if len(todo) == 0 {
		return nil
	}
	if library > 20 {
		b.Progress(fmt.Sprintf("preparing the standard library for %s (once): rewriting %d packages, then compiling them", b.tool["GOVERSION"], library))
	}
	// The types of the whole library are allocated and kept. Collecting garbage meanwhile would
	// find none.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	kept := b.newTypeCache()
	inputs, err := b.inputs(kept, todo)
	if err != nil {
		return err
	}
	imp := instrument.NewImporter(inputs.all)
	imp.Known = kept.read
	var mu sync.Mutex
	err = parallel(len(todo), func(i int) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		u := todo[i]
		t, texts, err := rewriteUnit(u, inputs.of[u], imp)
		if err != nil && u.plain != nil {
			t, texts, err = rewriteUnit(u, inputs.plain[u], imp)
		}
		if err != nil {
			mu.Lock()
			defer mu.Unlock()
			return b.leave(u, strings.TrimSpace(err.Error()))
		}
		files := map[string][]byte{"table": t.encode()}
		for i, name := range t.files {
			files[textName(i, name)] = texts[i]
			if u.pkg.Standard {
				files[textName(i, name)] = b.root.named(name, texts[i])
			}
		}
		return b.cache.put("unit", u.key, files)
	})
	if err == nil {
		kept.write(imp)
	}
	return err
}

// leave records that a unit is left alone, and why. A program with an uncontrolled package of the
// standard library would be only partly controlled, so that is an error, unless package std knows
// what is lost.
func (b *Builder) leave(u *unit, why string) error {
	if u.pkg.Standard && u.pkg.ForTest == "" && (u.pkg.DepOnly || strings.HasPrefix(why, heddlesFault)) {
		lost := std.Lost(u.path)
		if lost == "" {
			return fmt.Errorf("package %s of %s cannot be rewritten (%s), and without it what heddle says could be wrong: please report this; %s", u.path, b.tool["GOVERSION"], why, std.TryAnother(b.tool["GOVERSION"]))
		}
		why += "; " + lost
	}
	b.left[u.path] = why
	return nil
}

// heddlesFault begins the reason for leaving a unit alone whose original compiles and whose
// rewritten form does not.
const heddlesFault = "does not compile as heddle rewrites it (heddle's fault): "

// textName returns the cache name of the i-th rewritten file of a unit. It differs from the
// original's name, which could be "table".
func textName(i int, original string) string {
	return fmt.Sprintf("%d-%s", i, filepath.Base(original))
}

// rewriteUnit rewrites one unit. A panic of the rewriter becomes an error of this unit only.
func rewriteUnit(u *unit, in *instrument.Input,
	imp *instrument.Importer) (t *unitTable, texts [][]byte, err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("rewriting %s: panic: %v", u.path, e)
		}
	}()
	out, err := instrument.Rewrite(in, imp)
	if err != nil {
		return nil, nil, err
	}
	t = &unitTable{skipped: out.Skipped, sites: out.Sites}
	for _, f := range u.files {
		if text, ok := out.Files[f]; ok {
			t.files = append(t.files, f)
			texts = append(texts, text)
		}
	}
	return t, texts, nil
}

// bodiless collects the functions without body in a package whose types come from the cache. They
// exist only beside assembly and with go:linkname.
func (b *Builder) bodiless(p *listed, in *instrument.Input) error {
	if p.Standard || len(p.SFiles) == 0 && !slices.Contains(p.Imports, "unsafe") {
		return nil
	}
	for _, f := range p.GoFiles {
		text, err := os.ReadFile(p.abs(f))
		if err != nil {
			return err
		}
		in.Bodiless = append(in.Bodiless, instrument.Bodiless(f, text)...)
	}
	return nil
}

// inputs are the packages of the build as package instrument takes them.
type inputs struct {
	all []*instrument.Input
	of  map[*unit]*instrument.Input

	plain map[*unit]*instrument.Input // of the units that have plain
}

// patchRapid makes heddle's changes to package rapid. Where they do not fit, its properties are
// called as without heddle: a hundred times in an execution.
func patchRapid(in *instrument.Input) {
	files := map[string][]byte{}
	for _, f := range in.Files {
		files[f.Path] = f.Content
	}
	patched, err := modules.Patch(files)
	if err != nil {
		return
	}
	for i, f := range in.Files {
		if text := patched[f.Path]; text != nil {
			in.Files[i].Content = text
		}
	}
}

// otherRapid says that the version of package rapid is one that heddle does not know.
func (b *Builder) otherRapid() []string {
	p := b.graph.byPath[modules.Rapid]
	if p == nil {
		return nil
	}
	files := map[string][]byte{}
	for _, f := range p.GoFiles {
		text, err := os.ReadFile(p.abs(f))
		if err != nil {
			return nil // the compiler says it
		}
		files[f] = text
	}
	if _, err := modules.Patch(files); err == nil {
		return nil
	}
	version := ""
	if p.Module != nil {
		version = " " + p.Module.Version
	}
	return []string{fmt.Sprintf("%s%s is not as heddle knows it: its properties are called with all their cases in one execution, and what they draw is not searched for", modules.Rapid, version)}
}

// inputs describes all packages of the build to package instrument: the rewritten ones and the
// imported ones. It reads only files whose types are not known.
func (b *Builder) inputs(kept *typeCache, todo []*unit, also ...*listed) (*inputs, error) {
	ins := &inputs{of: map[*unit]*instrument.Input{}, plain: map[*unit]*instrument.Input{}}
	needed := map[*listed]bool{}
	for _, p := range also {
		needed[p] = true
	}
	for _, u := range todo {
		needed[u.pkg] = true
		if u.plain != nil {
			needed[u.plain] = true
		}
	}
	ins.all = make([]*instrument.Input, len(b.graph.pkgs))
	err := parallel(len(b.graph.pkgs), func(i int) error {
		p := b.graph.pkgs[i]
		in := &instrument.Input{ImportPath: p.ImportPath, Name: p.Name, Dir: p.Dir, GoVersion: p.language(),
			ImportMap: p.ImportMap, Standard: p.Standard,
			Cgo: len(p.CgoFiles) > 0}
		ins.all[i] = in
		if p.ImportPath == "unsafe" || p.isTestMain() {
			return nil
		}
		if kept.known[p.ImportPath] != "" && !needed[p] {
			return b.bodiless(p, in)
		}
		for _, f := range p.GoFiles {
			f = p.abs(f)
			from := f
			if r := b.base.replace[f]; r != "" {
				from = r
			}
			data, changed := b.names.texts[p.ImportPath][f]
			if !changed {
				var err error
				if data, err = os.ReadFile(from); err != nil {
					return err
				}
			}
			if changed && in.Changed == nil {
				in.Changed = map[string]bool{}
			}
			if changed {
				in.Changed[f] = true
			}
			in.Files = append(in.Files, instrument.File{Path: f, Content: data})
		}
		if p.ImportPath == modules.Rapid {
			patchRapid(in)
		}
		for _, f := range p.CgoFiles {
			in.CgoFiles = append(in.CgoFiles, p.abs(f))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	byPkg := make(map[*listed]*instrument.Input, len(ins.all))
	for i, p := range b.graph.pkgs {
		byPkg[p] = ins.all[i]
	}
	as := func(u *unit, p *listed) *instrument.Input {
		in := byPkg[p]
		if u.path != p.ImportPath { // q [p.test] rewritten as q: the name decides the sites
			c := *in
			c.ImportPath = u.path
			in = &c
		}
		in.Mode = u.mode
		return in
	}
	for _, u := range todo {
		ins.of[u] = as(u, u.pkg)
		if u.plain != nil {
			ins.plain[u] = as(u, u.plain)
		}
	}
	return ins, nil
}
