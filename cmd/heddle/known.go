package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"heddle/build"
	"heddle/internal/known"
	"heddle/report"
	"heddle/rt/wire"
)

// Findings that are known are listed, and are no failure: those of a baseline, and those that a
// rule ignores, of heddle.toml or of a comment in the source.

// knownOptions are the options that say which findings are known.
type knownOptions struct {
	baseline string
	update   bool
	ignore   []*known.Rule // of heddle.toml
}

func (o *options) knownFlags(fs *flag.FlagSet) {
	fs.StringVar(&o.baseline, "baseline", "", "list the findings that `file` knows, and fail for others only")
	fs.BoolVar(&o.update, "update", false,
		"with -baseline: write the file: what was found is known from now on, what was not is not")
}

func (o *options) checkKnown() error {
	if o.update && o.baseline == "" {
		return errors.New("flag -update writes a file of known findings: say which by -baseline")
	}
	if o.update && o.failFast {
		return errors.New("flag -update needs all findings: not with -failfast")
	}
	return nil
}

// kinds are the names of the kinds of findings.
func kinds() known.Kinds {
	var names known.Kinds
	for _, k := range report.Kinds {
		names = append(names, k.Name)
	}
	return names
}

// knownFindings is what an exploration knows of findings.
type knownFindings struct {
	set    *known.Set // nil: all are new
	source known.Source
	file   *known.Baseline

	mu   sync.Mutex
	read map[string]bool // files whose comments were looked at
	ran  map[string]bool // tests, by package and name
	most map[string]bool // packages all of whose tests ran
	errs []error
}

// buildKnown reads what is known and builds the packages.
func (e *exploration) buildKnown(ctx context.Context, patterns []string) (*build.Result, error) {
	if e.o.question == nil {
		if err := e.openKnown(); err != nil {
			return nil, err
		}
	}
	res, err := e.build(ctx, e.tool.Dir, patterns)
	if err != nil || e.knows.set == nil {
		return res, err
	}
	for _, p := range res.Packages {
		if err := e.readComments(p.Dir, p.ImportPath); err != nil {
			return nil, e.tool.told(err)
		}
	}
	return res, nil
}

// openKnown reads the baseline.
func (e *exploration) openKnown() error {
	k := &e.knows
	k.read, k.ran, k.most = map[string]bool{}, map[string]bool{}, map[string]bool{}
	if path := e.o.baseline; path != "" {
		data, err := os.ReadFile(e.tool.abs(path))
		switch {
		case errors.Is(err, fs.ErrNotExist) && e.o.update:
			k.file = &known.Baseline{Path: e.tool.short(path)}
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("-baseline: there is no %s; heddle test -baseline %s -update writes it",
				e.tool.short(path), e.tool.short(path))
		case err != nil:
			return err
		default:
			if k.file, err = known.ParseBaseline(e.tool.short(path), data); err != nil {
				return err
			}
		}
	}
	k.set = known.New(k.file, e.o.ignore, e.o.update)
	return nil
}

// readComments takes rules from the comments of the files of a folder.
func (e *exploration) readComments(dir, pkg string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil // a folder with a name like a pattern
	}
	for _, f := range files {
		if err := e.readComment(f, pkg); err != nil {
			return err
		}
	}
	return nil
}

func (e *exploration) readComment(file, pkg string) error {
	k := &e.knows
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.read[file] {
		return nil
	}
	k.read[file] = true
	text, err := os.ReadFile(file)
	if err != nil {
		return nil // the compiler says it
	}
	rules, err := kinds().Comments(file, pkg, text)
	k.set.Add(rules...)
	return err
}

// knownBy says by what a finding is known. It is called by the report.
func (e *exploration) knownBy(pkg, test string, f *wire.Finding, places []wire.Place) string {
	x := &known.Finding{Package: pkg, Test: test, Kind: f.Kind, Message: f.Message}
	for _, p := range places {
		if p.File == "" {
			continue
		}
		if err := e.readComment(p.File, ""); err != nil {
			e.knows.mu.Lock()
			e.knows.errs = append(e.knows.errs, e.tool.told(err))
			e.knows.mu.Unlock()
		}
		x.Places = append(x.Places, e.knows.source.Place(p.File, p.Line, p.Object))
	}
	return strings.ReplaceAll(e.knows.set.By(x), e.tool.Dir+string(filepath.Separator), "")
}

// concerned reports whether findings of the package may be known.
func (r *packageRun) concerned() bool {
	return r.knows.set != nil && r.knows.set.Concerns(r.pkg.ImportPath)
}

// failsFast reports whether the first finding of a test ends it. With -failfast and findings that
// may be known, the command ends the process at a finding that is not.
func (r *packageRun) failsFast() bool { return r.o.failFast && !r.concerned() }

// tests returns the -test flags of the binary.
func (r *packageRun) tests(skip string) []string {
	o := *r.o
	o.failFast = r.failsFast()
	return o.testArgs(skip)
}

// ranKnown notes which tests of a package were explored; whole: to the end of the package.
func (e *exploration) ranKnown(p *build.Package, res *report.Result, whole bool) {
	k := &e.knows
	if k.set == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, t := range res.Tests {
		if t.Executions > 0 && t.Result != "skip" {
			k.ran[p.ImportPath+" "+t.Name] = true
		}
	}
	k.most[p.ImportPath] = whole && e.o.run == "" && e.o.skip == "" && len(e.others[p.ImportPath]) == 0
}

// endKnown tells of entries and rules that nothing matched, and writes the baseline with -update.
func (e *exploration) endKnown(ctx context.Context) error {
	k := &e.knows
	if k.set == nil {
		return nil
	}
	stale := k.set.Stale(func(pkg, test string) bool { return k.ran[pkg+" "+test] || k.most[pkg] })
	if e.o.update {
		if ctx.Err() != nil {
			e.report.Note(fmt.Sprintf("%s is not written: interrupted", k.file.Path))
			return nil
		}
		k.set.Drop(stale)
		text, err := k.file.Text()
		if err == nil {
			err = os.WriteFile(e.tool.abs(e.o.baseline), text, 0o666)
		}
		if err != nil {
			return fmt.Errorf("cannot write the baseline: %w", err)
		}
		e.report.Note(fmt.Sprintf("%s: %d known findings, %d less than before", k.file.Path,
			len(k.file.Entries),
			len(stale)))
		return errors.Join(k.errs...)
	}
	for _, x := range stale {
		e.report.Note(fmt.Sprintf("%s:%d: this %s of %s was not found; if it is mended, take it out, or run with -update",
			k.file.Path, x.Line, x.Kind, x.Test))
	}
	all := ctx.Err() == nil
	for _, whole := range k.most {
		all = all && whole
	}
	for _, r := range k.set.Unused() {
		if all && len(k.most) > 0 {
			e.report.Note(fmt.Sprintf("%s: nothing was found that this ignores (%s); take it out, if no other package's tests need it",
				e.tool.short(r.Where()), r.Kind))
		}
	}
	return errors.Join(k.errs...)
}
