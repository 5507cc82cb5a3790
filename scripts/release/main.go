// Command release reports what heddle must change for a release of Go:
//
//	go run ./scripts/release [-from go1.26.8] go1.27.0
//
// It makes the go command fetch that toolchain and compares it with one that heddle knows. It
// reports: all edits of the standard library that do not fit; declarations that are edited and
// have changed; new packages and new exports; functions that newly start goroutines, lock, or use
// channels or timers; functions without a decision in memory.txt; new imports of package runtime;
// changed layouts of types that heddle relies on; and whether the standard library compiles in
// rewritten form. docs/design/port.md says how to proceed. The exit code is 1 if heddle would not
// run, or would miss a function.
//
// It also makes the binaries of a version of heddle for five platforms, with checksums. -check
// makes them twice and compares:
//
//	go run ./scripts/release -dist [-version v1.2.3] [-o dist] [-only linux/amd64] [-check]
package main

import (
	"flag"
	"fmt"
	"go/version"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"heddle/instrument/std"
)

func main() {
	from := flag.String("from", "", "the toolchain to compare with; by default the first of the newest release before that heddle knows")
	quick := flag.Bool("quick", false, "compile nothing")
	dist := flag.Bool("dist", false, "make the binaries of a version of heddle's instead")
	named := flag.String("version", "devel", "with -dist: what heddle version prints")
	out := flag.String("o", "dist", "with -dist: `folder` to write to")
	check := flag.Bool("check", false, "with -dist: make everything twice and compare")
	only := flag.String("only", platforms, "with -dist: the `platforms`, with commas between")
	flag.Usage = func() {
		fmt.Fprintf(os.Stderr, "usage: go run ./scripts/release [flags] go1.N.M\n       go run ./scripts/release -dist [flags]\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	if *dist && flag.NArg() == 0 {
		if err := distribute(*named, *out, strings.Split(*only, ","), *check); err != nil {
			fmt.Fprintln(os.Stderr, "release:", err)
			os.Exit(1)
		}
		return
	}
	if *dist || flag.NArg() != 1 || !version.IsValid(flag.Arg(0)) {
		flag.Usage()
		os.Exit(2)
	}
	c := &checker{version: flag.Arg(0), release: version.Lang(flag.Arg(0))}
	if *from == "" {
		*from = std.Newest(c.release) + ".0"
	}
	c.oldRelease = version.Lang(*from)
	var err error
	if c.old, err = fetch(*from); err == nil {
		c.root, err = fetch(c.version)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(2)
	}
	fmt.Printf("%s in %s\ncompared with %s in %s\n", c.version, c.root, *from, c.old)
	c.all(*quick)
	if c.must > 0 {
		fmt.Printf("\n%d of this must be done before heddle runs with %s, or says the truth\n", c.must, c.release)
		os.Exit(1)
	}
	fmt.Printf("\nnothing of this must be done before heddle runs with %s\n", c.release)
}

// A checker compares a toolchain with an older one.
type checker struct {
	version, release, oldRelease string
	root, old                    string // GOROOTs
	must                         int    // number of findings that need a change
}

// fetch returns the GOROOT of a toolchain, which the go command downloads.
func fetch(version string) (string, error) {
	cmd := exec.Command("go", "env", "GOROOT")
	cmd.Dir = os.TempDir()
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN="+version, "GOWORK=off")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s cannot be had: %v", version, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// say prints what was found under a heading. must: it needs a change.
func (c *checker) say(heading string, must bool, found []string) {
	if must {
		c.must += len(found)
	}
	fmt.Printf("\n%s: %d\n", heading, len(found))
	for _, f := range found {
		fmt.Println("  " + strings.ReplaceAll(f, "\n", "\n  "))
	}
}

func (c *checker) all(quick bool) {
	if !slices.Contains(std.Releases, c.release) {
		c.say("the table of releases (instrument/std/release.go)", true,
			[]string{c.release + " is not in it"})
	}
	c.say("edits and tables that do not fit (instrument/std)", true, std.Check(c.root, c.release))
	c.say("declarations that heddle edits, and that have changed: do the edits still say what they should?", false, c.edited())
	before, after := library(c.old), library(c.root)
	c.say("packages that are new (* : heddle rewrites them)", false, packages(before, after))
	c.say("packages below runtime that mode.go does not have", true, c.below())
	c.say("exported anew (* : they block, take time, share memory or touch goroutines, or their packages do)", false, exported(before, after))
	c.say("functions that start goroutines, lock, wait, or use channels, timers or atomics where they did not", false, touching(before, after))
	c.say("experiments, which GOEXPERIMENT or the platform may switch on", false,
		minus(experiments(c.old), experiments(c.root)))
	if quick {
		return
	}
	c.say("tables that have gaps (tests of heddle with this toolchain)", true, c.tests())
	c.say("what does not compile as heddle rewrites it, or does not work; layouts of types that heddle looks into do not compile where they moved", true, c.compiles())
}

// edited compares the declarations that are edited in both releases.
func (c *checker) edited() []string {
	before, after := std.Edited(c.old, c.oldRelease), std.Edited(c.root, c.release)
	var found []string
	for _, name := range slices.Sorted(maps.Keys(after)) {
		switch old, ok := before[name]; {
		case !ok:
			found = append(found, name+" (new)")
		case old != after[name]:
			found = append(found, name+"\n"+difference(old, after[name]))
		}
	}
	return found
}

// difference returns the lines that differ, as diff prints them.
func difference(old, text string) string {
	dir, err := os.MkdirTemp("", "heddle-release-")
	if err != nil {
		return err.Error()
	}
	defer os.RemoveAll(dir)
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	os.WriteFile(a, []byte(old+"\n"), 0o666)
	os.WriteFile(b, []byte(text+"\n"), 0o666)
	out, _ := exec.Command("git", "diff", "--no-index", "--no-color", "-U1", a, b).Output()
	var lines []string
	for line := range strings.Lines(string(out)) {
		if len(lines) > 0 || strings.HasPrefix(line, "@@") {
			lines = append(lines, "    "+strings.TrimRight(line, "\n"))
		}
	}
	return strings.Join(lines, "\n")
}

// goIn prepares a run of the new toolchain's go command.
func (c *checker) goIn(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(c.root, "bin", "go"), args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOROOT=", "GOTOOLCHAIN=local", "GOFLAGS=",
		"PATH="+filepath.Join(c.root, "bin")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return cmd
}

// below returns the packages that runtime imports and that are missing in the table.
func (c *checker) below() []string {
	out, err := c.goIn(os.TempDir(), "list", "-deps", "runtime").Output()
	if err != nil {
		return []string{"go list -deps runtime: " + err.Error()}
	}
	var found []string
	for _, p := range strings.Fields(string(out)) {
		if p != "unsafe" && !std.BelowRuntime(p) {
			found = append(found, p)
		}
	}
	return found
}

// tests runs, with the new toolchain, the tests that compare heddle's tables and layouts with the
// library.
func (c *checker) tests() []string {
	return c.failures(c.goIn("", "test", "-run",
		"^(TestMemory|TestPatch|TestBelowRuntime|TestFunctions|TestReleases)$", "./instrument/std",
		"./rt/states"))
}

// compiles tests a program that imports the whole standard library with heddle.
func (c *checker) compiles() []string {
	dir, err := os.MkdirTemp("", "heddle-release-")
	if err != nil {
		return []string{err.Error()}
	}
	defer os.RemoveAll(dir)
	// built by the new toolchain: an older one may not know its language
	heddle := filepath.Join(dir, "heddle")
	if runtime.GOOS == "windows" {
		heddle += ".exe"
	}
	if out, err := c.goIn("", "build", "-o", heddle, "heddle/cmd/heddle").CombinedOutput(); err != nil {
		return []string{string(out)}
	}
	var text strings.Builder
	text.WriteString("package everything\n\nimport (\n\t\"testing\"\n")
	for _, path := range std.Everything(c.root) {
		fmt.Fprintf(&text, "\t_ %q\n", path)
	}
	text.WriteString(")\n\nfunc TestAll(t *testing.T) {\n\tc := make(chan int)\n\tgo close(c)\n\t<-c\n}\n")
	os.WriteFile(filepath.Join(dir, "go.mod"),
		[]byte("module heddle.everything\n\ngo "+strings.TrimPrefix(c.release, "go")+"\n"), 0o666)
	os.WriteFile(filepath.Join(dir, "all_test.go"), []byte(text.String()), 0o666)
	cmd := c.goIn(dir, "version")
	cmd.Path, cmd.Args = heddle, []string{heddle, "test", "-v", "."}
	cmd.Env = append(cmd.Env, "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "all interleavings covered") {
		return []string{strings.TrimSpace(string(out))}
	}
	return nil
}

// failures runs tests and returns the lines that say what fails.
func (c *checker) failures(cmd *exec.Cmd) []string {
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	var found []string
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "---") &&
			!strings.HasPrefix(line, "FAIL") && !strings.HasPrefix(line, "ok ") {
			found = append(found, line)
		}
	}
	return found
}
