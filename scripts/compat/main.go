// Command compat runs heddle on the unmodified test suites of other projects' modules:
//
//	go run ./scripts/compat [-runs N] [-budget D] [-module text,text] [-dir folder] [-o file]
//
// It fetches the versions in table.go through the Go module proxy into a scratch folder, runs go
// test and heddle test on every package of each, and writes docs/results/compatibility.md; with
// -module only the rows of those modules. With -count it writes no file: its last line is a cell
// of docs/results/platforms.md, the number of tests with the same result as with go test. GOOS,
// GOARCH and -exec apply to both. The exit code is 1 if heddle seems to be wrong: a finding that
// known.go does not explain, a run that does not end, or a package that go test passes and heddle
// cannot build.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("compat: ")
	c := &compat{}
	flag.IntVar(&c.runs, "runs", 200, "execute each test `N` times")
	flag.DurationVar(&c.budget, "budget", 5*time.Second, "`time` for each test")
	flag.DurationVar(&c.limit, "limit", 10*time.Minute, "`time` for each module")
	flag.StringVar(&c.heddle, "heddle", "", "the `command` to use; built from this module if empty")
	flag.StringVar(&c.dir, "dir", "", "scratch `folder`; a temporary one if empty")
	flag.StringVar(&c.xprog, "exec", "", "start test binaries by `xprog`, as go test does")
	only := flag.String("module", "", "only modules whose path contains `text`, or one of several with commas between; the rows of the others stay as they are")
	count := flag.Bool("count", false, "write no file, and print how many tests come out as with go test")
	list := flag.String("list", "", "count what is covered of the modules in `file` instead")
	heddles := flag.String("heddles", "", "with -list: commands to compare, `name=path` with commas between")
	out := flag.String("o", "", "`file` to write; docs/results/compatibility.md, or modules.md with -list, if empty")
	flag.Parse()
	if flag.NArg() > 0 {
		log.Fatalf("unexpected argument %q", flag.Arg(0))
	}
	if err := c.prepare(); err != nil {
		log.Fatal(err)
	}
	defer c.clean()
	if *list != "" {
		if err := c.countCovered(*list, *heddles, cmp.Or(*out, "docs/results/modules.md")); err != nil {
			c.clean()
			log.Fatal(err)
		}
		return
	}
	*out = cmp.Or(*out, "docs/results/compatibility.md")
	began := time.Now()
	ok := true
	var results []*result
	old, err := os.ReadFile(*out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		log.Fatal(err)
	}
	for _, m := range modules {
		if !slices.ContainsFunc(strings.Split(*only, ","),
			func(text string) bool { return strings.Contains(m.path, text) }) {
			continue
		}
		r := c.try(m)
		results = append(results, r)
		r.print(os.Stdout)
		ok = ok && r.ours() == 0
		if *count {
			continue
		}
		// Written after each module, as the whole takes long.
		if err := os.WriteFile(*out,
			[]byte(document(results, string(old), c.runs, c.budget, c.limit, commit())), 0o666); err != nil {
			log.Fatal(err)
		}
	}
	if *count {
		fmt.Println(tally(results, time.Since(began)))
	}
	if !ok {
		c.clean()
		os.Exit(1)
	}
}

// countCovered counts what versions of heddle cover of the modules in a list.
func (c *compat) countCovered(list, heddles, out string) error {
	if !isSet("budget") {
		c.budget = 0
	}
	modules, err := listed(list)
	if err != nil {
		return err
	}
	versions, err := c.versionsOf(heddles)
	if err != nil {
		return err
	}
	return c.covered(modules, versions, out)
}

// isSet reports whether a flag was given.
func isSet(name string) (set bool) {
	flag.Visit(func(f *flag.Flag) { set = set || f.Name == name })
	return set
}

// commit returns the commit of heddle, or "" if it is unknown.
func commit() string {
	out, _ := exec.Command("git", "rev-parse", "--short", "HEAD").Output()
	return strings.TrimSpace(string(out))
}

type compat struct {
	runs          int
	budget, limit time.Duration
	heddle, dir   string
	xprog         string // -exec
	temporary     string
}

func (c *compat) prepare() error {
	if c.dir == "" {
		dir, err := os.MkdirTemp("", "heddle-compat-")
		if err != nil {
			return err
		}
		c.dir, c.temporary = dir, dir
	}
	var err error
	if c.dir, err = filepath.Abs(c.dir); err != nil {
		return err
	}
	if err := os.MkdirAll(c.dir, 0o777); err != nil {
		return err
	}
	if c.heddle == "" {
		c.heddle = filepath.Join(c.dir, "heddle.exe")
		cmd := exec.Command("go", "build", "-o", c.heddle, "heddle/cmd/heddle")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("building heddle: %v\n%s", err, out)
		}
	}
	return nil
}

func (c *compat) clean() {
	if c.temporary != "" {
		os.RemoveAll(c.temporary)
	}
}
