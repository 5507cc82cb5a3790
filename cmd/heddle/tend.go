package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"heddle/build"
	"heddle/clip"
	"heddle/gen/forced"
	"heddle/report"
	"heddle/rt/wire"
)

const clipsUsage = `usage: heddle clips [packages]          list the clips that are kept
       heddle clips show CLIP...        say what they show, without running anything
       heddle clips prune [-n] [packages]   delete those whose bug is fixed or whose test is gone
       heddle clips renew [-budget d] [packages]   judge each, as heddle replay does, and renew it
       heddle clips go [-o file] CLIP   write a test that forces its order under plain go test`

// tend is heddle clips.
func (t *tool) tend(ctx context.Context, args []string) int {
	verb := ""
	if len(args) > 0 && slices.Contains([]string{"list", "show", "prune", "renew", "go"}, args[0]) {
		verb, args = args[0], args[1:]
	}
	o := new(options)
	var dry bool
	var out string
	groups := []func(*flag.FlagSet){o.buildFlags}
	switch verb {
	case "prune":
		groups = append(groups, func(fs *flag.FlagSet) {
			fs.BoolVar(&dry, "n", false, "print what would be deleted, and delete nothing")
		})
	case "renew":
		groups = append(groups, o.hangFlag, o.judgeFlags)
	case "go":
		groups = append(groups, func(fs *flag.FlagSet) {
			fs.StringVar(&out, "o", "", "write to `file` (default TEST_CLIP_test.go beside the test; -: standard output)")
		})
	}
	rest, err := t.parse("clips", o, args, true, groups...)
	if err != nil {
		return t.parseError(err)
	}
	switch verb {
	case "show":
		return t.showClips(rest)
	case "prune":
		return t.pruneClips(ctx, rest, dry)
	case "renew":
		return t.renewClips(ctx, o, rest)
	case "go":
		return t.clipToGo(ctx, rest, out)
	}
	return t.listClips(ctx, rest)
}

// A keptClip is a clip in the folder of a package.
type keptClip struct {
	path string
	dir  string // of the package
	file *clip.File
	err  error // why it cannot be read
	gone bool  // its test is
}

// state says in a few words what is to be known of a clip.
func (k *keptClip) state() string {
	switch {
	case k.err != nil:
		return "cannot be read"
	case k.gone:
		return "its test is gone"
	case k.file.Fixed != "":
		return "fixed"
	}
	return "open"
}

// keptClips returns the clips of packages, all below the current folder if there is no pattern.
func (t *tool) keptClips(ctx context.Context, patterns []string) ([]keptClip, error) {
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	args := append([]string{"list", "-e", "-f", "{{.Dir}}", "--"}, patterns...)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = t.Dir
	text, err := cmd.Output()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return nil, errors.New(strings.TrimSpace(string(exit.Stderr)))
	case err != nil:
		return nil, err
	}
	var all []keptClip
	for dir := range strings.Lines(string(text)) {
		if dir = strings.TrimSpace(dir); dir != "" {
			all = append(all, clipsOf(dir)...)
		}
	}
	return all, nil
}

// clipsOf returns the clips of the package in dir.
func clipsOf(dir string) (all []keptClip) {
	home := filepath.Join(dir, filepath.FromSlash(clip.Dir))
	paths, _ := filepath.Glob(filepath.Join(home, "*", "*")) // fails for a bad pattern only
	tests := sync.OnceValue(func() string { return testSource(dir) })
	for _, path := range paths {
		if base := filepath.Base(path); strings.HasPrefix(base, ".") || strings.HasPrefix(base, "README") {
			continue
		}
		k := keptClip{path: path, dir: dir}
		if k.file, k.err = clip.ReadFile(path); k.err == nil {
			k.gone = k.file.Test != mainTest && !declares(tests(), k.file.Test)
		}
		all = append(all, k)
	}
	return all
}

// testSource returns the text of all test files of the package in dir, one after the other.
func testSource(dir string) string {
	var b strings.Builder
	files, _ := filepath.Glob(filepath.Join(dir, "*_test.go")) // fails for a bad pattern only
	for _, name := range files {
		if text, err := os.ReadFile(name); err == nil {
			b.Write(text)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// declares reports whether Go source declares a function.
func declares(source, name string) bool {
	return strings.Contains(source, "\nfunc "+name+"(")
}

// listClips prints a table of clips.
func (t *tool) listClips(ctx context.Context, patterns []string) int {
	all, err := t.keptClips(ctx, patterns)
	if err != nil {
		return t.fail(err)
	}
	if len(all) == 0 {
		fmt.Fprintln(t.Stdout, "no clips")
		return exitFine
	}
	w := tabwriter.NewWriter(t.Stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "CLIP\tKIND\tTEST\tWHERE\tKEPT\tSTATE")
	for i := range all {
		k := &all[i]
		kind, test, where, kept := "?", "?", "", ""
		if k.err == nil {
			kind, test, where, kept = k.file.Kind, k.file.Test, firstPlace(&k.file.Clip), k.kept()
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", t.short(k.path), kind, test, where, kept, k.state())
	}
	w.Flush()
	for i := range all {
		if err := all[i].err; err != nil {
			fmt.Fprintf(t.Stderr, "heddle: %v\n", err)
		}
	}
	return exitFine
}

// firstPlace returns the first place of a clip that is a line.
func firstPlace(c *wire.Clip) string {
	for _, p := range c.Places {
		if p.File != "" {
			return fmt.Sprintf("%s:%d", p.File, p.Line)
		}
	}
	return ""
}

// kept says how old the file is, and which heddle wrote it.
func (k *keptClip) kept() string {
	age := "?"
	if info, err := os.Stat(k.path); err == nil {
		switch d := time.Since(info.ModTime()); {
		case d < time.Hour:
			age = fmt.Sprintf("%dm", int(d.Minutes()))
		case d < 48*time.Hour:
			age = fmt.Sprintf("%dh", int(d.Hours()))
		default:
			age = fmt.Sprintf("%dd", int(d.Hours()/24))
		}
	}
	return age + ", " + cmp.Or(k.file.Heddle, "heddle unknown")
}

// showClips says what clips show, as heddle test said it.
func (t *tool) showClips(paths []string) int {
	if len(paths) == 0 {
		return t.misuse("%s", clipsUsage)
	}
	r := report.New(report.Options{Out: t.Stdout, Err: t.Stderr, Colour: t.Colour, Width: t.Width,
		Dir: t.Dir})
	code := exitFine
	for _, path := range paths {
		f, err := clip.ReadFile(t.abs(path))
		if err != nil {
			code = t.fail(err)
			continue
		}
		dir, ok := packageDir(t.abs(path))
		if !ok {
			dir = t.Dir
		}
		r.Clip(&f.Clip, dir)
		fmt.Fprintf(t.Stdout, "    from    %s, heddle %s, %s\n", cmp.Or(f.Package, "an unknown package"),
			cmp.Or(f.Heddle, "unknown"), cmp.Or(f.Go, "Go unknown"))
		if f.Fixed != "" {
			fmt.Fprintf(t.Stdout, "    fixed   %s\n", f.Fixed)
		}
	}
	return code
}

// packageDir returns the folder of the package that a clip is kept in: the one above
// testdata/heddle. ok says whether it is kept in one.
func packageDir(path string) (dir string, ok bool) {
	home := filepath.Dir(filepath.Dir(path)) // .../testdata/heddle
	testdata := filepath.Dir(home)
	return filepath.Dir(testdata), filepath.Join(filepath.Base(testdata), filepath.Base(home)) ==
		filepath.FromSlash(clip.Dir)
}

// pruneClips deletes clips that are of no more use.
func (t *tool) pruneClips(ctx context.Context, patterns []string, dry bool) int {
	all, err := t.keptClips(ctx, patterns)
	if err != nil {
		return t.fail(err)
	}
	code := exitFine
	for i := range all {
		k := &all[i]
		if k.err != nil { // it may be a newer heddle's
			fmt.Fprintf(t.Stderr, "heddle: kept, since it cannot be read: %v\n", k.err)
			continue
		}
		if !k.gone && k.file.Fixed == "" {
			continue
		}
		what := "deleted"
		if dry {
			what = "would be deleted"
		} else if err := os.Remove(k.path); err != nil {
			code = t.fail(err)
			continue
		} else {
			os.Remove(filepath.Dir(k.path)) // if it is empty
		}
		fmt.Fprintf(t.Stdout, "%s %s: %s\n", t.short(k.path), what, k.state())
	}
	return code
}

// renewClips judges the clips of packages, and renews those whose bug shows at other places.
func (t *tool) renewClips(ctx context.Context, o *options, patterns []string) int {
	all, err := t.keptClips(ctx, patterns)
	if err != nil {
		return t.fail(err)
	}
	code := exitFine
	builds := map[string]*clipBuild{}
	for i := range all {
		k := &all[i]
		if k.err != nil {
			code = t.fail(k.err)
			continue
		}
		text, found := t.renewClip(ctx, o, k, builds)
		if ctx.Err() != nil {
			return exitInterrupted
		}
		if found {
			code = max(code, exitFindings)
		}
		fmt.Fprintf(t.Stdout, "%s: %s\n", t.short(k.path), text)
	}
	return code
}

// A clipBuild is a package, built to judge its clips.
type clipBuild struct {
	*exploration
	pkg *build.Package
	err error
}

// renewClip judges a clip. found: its bug, or another one, is there. builds has the packages of
// earlier clips.
func (t *tool) renewClip(ctx context.Context, o *options, k *keptClip,
	builds map[string]*clipBuild) (text string, found bool) {
	c := &k.file.Clip
	defer setEnvironment(c)()
	o = o.under(c)
	main := c.Test == mainTest
	key := strings.Join(append([]string{k.dir, o.tags, strconv.FormatBool(main)}, c.Env...), "\x00")
	b := builds[key]
	if b == nil {
		b = &clipBuild{exploration: &exploration{tool: t, o: o, main: main}}
		b.pkg, b.err = b.buildFor(ctx, k.path, k.file)
		builds[key] = b
	}
	switch {
	case b.err != nil:
		return "cannot tell: " + b.err.Error(), false
	case b.pkg.Failed != "":
		return "cannot tell: the package does not compile", false
	}
	b.o = o
	return b.judged(ctx, b.pkg, c)
}

// judged says in a line what became of the bug of a clip.
func (e *exploration) judged(ctx context.Context, p *build.Package, c *wire.Clip) (text string, found bool) {
	t, err := e.followed(ctx, p, c)
	switch {
	case err != nil:
		return "cannot tell: " + err.Error(), false
	case t.ended != nil:
		return "cannot tell: " + t.ended.why, false
	case t.last == nil:
		return "cannot tell: the test was not run", false
	case t.last.Result == "unusable":
		return "cannot tell: " + t.last.Reason, false
	case e.showsBug(p, c, t):
		return "still there", true
	}
	j, err := e.judge(ctx, p, c)
	switch {
	case err != nil:
		return "cannot tell: " + err.Error(), false
	case j.still != "":
		return "still there; renewed as " + e.tool.short(j.still), true
	case j.other != "":
		return "does not show any more; there is another bug: " + e.tool.short(j.other), true
	case j.err != nil || j.result == nil || j.result.Result != "pass" || e.unchanged(p, c):
		return "cannot tell (heddle replay says more)", false
	}
	fixed := judgedFixed(&j.near, j.result)
	if fixed == "" {
		return "cannot tell: too little time (-budget)", false
	}
	if err := mark(c.Path, fixed); err != nil {
		return "fixed: " + fixed + "; that cannot be written: " + err.Error(), false
	}
	return "fixed: " + fixed, false
}

// clipToGo writes a Go test that forces the order of a clip, if there can be one.
func (t *tool) clipToGo(ctx context.Context, paths []string, out string) int {
	if len(paths) != 1 {
		return t.misuse("%s", clipsUsage)
	}
	path := t.abs(paths[0])
	f, err := clip.ReadFile(path)
	if err != nil {
		return t.fail(err)
	}
	dir, ok := packageDir(path)
	if !ok {
		return t.fail(homeless(path, f))
	}
	name := filepath.Join(dir, strings.ToLower(forced.Name(&f.Clip))+"_test.go")
	if out != "" && out != "-" {
		name = t.abs(out)
	}
	if _, err := os.Stat(name); err == nil && out != "-" {
		return t.fail(fmt.Errorf("%s is there already; delete it, or give another -o", t.short(name)))
	}
	var why error
	for way := range forced.Ways {
		text, err := forced.Test(f, dir, way)
		if err != nil {
			why = err
			continue
		}
		failed, err := t.tryForced(ctx, dir, name, forced.Name(&f.Clip), text)
		if err != nil {
			return t.fail(err)
		}
		if !failed {
			continue
		}
		if out == "-" {
			fmt.Fprint(t.Stdout, text)
			return exitFine
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			return t.fail(err)
		}
		by := "channels"
		if way >= forced.ByChannels {
			by = "sleeping"
		}
		fmt.Fprintf(t.Stdout, "%s: go test -run '^%s$' fails on this code in the order of the clip, which it forces by %s (%d of %d runs failed)\n",
			t.short(name), forced.Name(&f.Clip), by, forcedRuns, forcedRuns)
		return exitFine
	}
	if why != nil {
		return t.fail(fmt.Errorf("%s: no Go test: %v", t.short(path), why))
	}
	return t.fail(fmt.Errorf("%s: no Go test: plain go test does not fail on this code where its goroutines stop as the clip switches; is the bug still there (heddle replay)?", t.short(path)))
}

// forcedRuns is how often a Go test has to fail before it is kept.
const forcedRuns = 3

// tryForced reports whether a test fails under plain go test, whenever it is run. Its file is there
// only meanwhile.
func (t *tool) tryForced(ctx context.Context, dir, name, test, text string) (failed bool, err error) {
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		return false, err
	}
	defer os.Remove(name)
	cmd := exec.CommandContext(ctx, "go", "test", fmt.Sprintf("-count=%d", forcedRuns), "-run=^"+test+"$",
		"-vet=off", ".")
	cmd.Dir = dir
	printed, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err != nil && !strings.Contains(string(printed), "--- FAIL: "+test+" ") {
		return false, fmt.Errorf("the Go test cannot be tried: %s", lastLines(string(printed), 5))
	}
	return strings.Count(string(printed), "--- FAIL: "+test+" ") == forcedRuns, nil
}
