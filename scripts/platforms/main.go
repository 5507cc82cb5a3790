// Command platforms checks on which platforms heddle works:
//
//	go run ./scripts/platforms [-quick] [-only GOOS/GOARCH] [-what compiles,suites]
//		[-o docs/results/platforms.md]
//
// For each platform it builds the test binaries of examples/ and of a package that imports all
// packages of the standard library that heddle changes. If binaries of the platform can be
// executed, here or by an emulator in $PATH (qemu-aarch64, wine), it explores the examples, whose
// verdicts must be those of this machine, and programs of Lei & Carver, whose numbers of
// executions are known, and it runs the suites of a few modules with scripts/compat. -quick
// explores a few of the first two, and no suites. With -o it writes the rows of this release of Go
// (selected by GOTOOLCHAIN=go1.27.4, for example) into a table. The rows of other releases stay,
// and the columns of this one that -what omits.
//
// The exit code is 1 if a result is wrong.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"heddle/build"
	"heddle/instrument/std"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("platforms: ")
	quick := flag.Bool("quick", false, "explore a few examples and programs")
	only := flag.String("only", "", "this `platform`, such as linux/arm64; may be several, with commas between")
	what := flag.String("what", "",
		"these `columns` alone, with commas between: "+strings.Join(columns, ", "))
	out := flag.String("o", "", "write the table to `file`")
	flag.Parse()
	if flag.NArg() > 0 {
		log.Fatalf("unexpected argument %q; the flags are -quick, -only, -what and -o", flag.Arg(0))
	}
	m := &measurement{ctx: context.Background(), quick: *quick, what: columns}
	if *quick {
		m.what = columns[:3]
	}
	if *what != "" {
		m.what = strings.Split(*what, ",")
	}
	for _, w := range m.what {
		if !slices.Contains(columns, w) {
			log.Fatalf("-what %s: the columns are %s", w, strings.Join(columns, ", "))
		}
	}
	rows, err := m.all(*only)
	if m.tmp != "" {
		os.RemoveAll(m.tmp)
	}
	if err != nil {
		log.Fatal(err)
	}
	if *out != "" {
		if err := write(*out, rows); err != nil {
			log.Fatal(err)
		}
	}
	if m.wrong {
		os.Exit(1)
	}
}

// Programs of Lei & Carver with the numbers of their Table 4, see bench.
var counts = map[string]int{
	"TestBBSelect22": 8, "TestBBSemaphore22": 12, "TestBBMonitorSU22": 24, "TestBBMonitorSC21": 80,
	"TestRWSemaphore11": 4,
	"TestBBSelect":      144, "TestBBSemaphore": 324, "TestBBMonitorSU": 720, "TestRWSelect": 768,
	"TestDPMonitorSU3": 30, "TestDPMonitorSU4": 624, "TestDMEInOrder": 504,
}

var quickCounts = []string{"TestBBSelect22", "TestBBSemaphore22", "TestBBMonitorSU22", "TestBBMonitorSC21",
	"TestRWSemaphore11", "TestDPMonitorSU3"}

// The columns of the table that are measured.
var columns = []string{"compiles", "examples", "counts", "suites"}

// Modules whose suites are run with scripts/compat: of several kinds, none of them large.
var suites = []string{"golang.org/x/sync", "github.com/sourcegraph/conc",
	"github.com/hashicorp/golang-lru/v2", "github.com/cenkalti/backoff/v4",
	"github.com/hashicorp/go-multierror"}

// Those of them that are run in an emulator.
var smallSuites = suites[2:]

// Those that quick explores: locks, channels, a data race, timers, contexts, a deadlock.
var quickExamples = []string{"./bank", "./pipeline", "./cache", "./timerreset", "./ctxleak", "./lockorder",
	"./lockorderfixed"}

type measurement struct {
	ctx            context.Context
	quick, wrong   bool
	what           []string
	tmp, heddle    string
	compat         string // path of the command scripts/compat
	root, examples string
	release        string
	verdicts       map[string]string // by example, on this machine
}

// A row is a row of the table. An empty cell was not measured.
type row struct{ release, platform, compiles, examples, counts, suites, at string }

func (m *measurement) all(only string) (rows []row, err error) {
	if m.tmp, err = os.MkdirTemp("", "heddle-platforms-"); err != nil {
		return nil, err
	}
	if m.root, err = m.output("go", "list", "-f", "{{.Dir}}", "heddle"); err != nil {
		return nil, err
	}
	if m.release, err = m.output("go", "env", "GOVERSION"); err != nil {
		return nil, err
	}
	commit, err := m.output("git", "describe", "--always", "--dirty", "--exclude=*")
	if err != nil {
		return nil, err
	}
	m.examples = filepath.Join(m.root, "examples")
	m.heddle = filepath.Join(m.tmp, "heddle.exe")
	if _, err := m.output("go", "build", "-o", m.heddle, "heddle/cmd/heddle"); err != nil {
		return nil, err
	}
	this := runtime.GOOS + "/" + runtime.GOARCH
	if m.wants("examples") {
		if m.verdicts, err = m.explore(this, nil); err != nil {
			return nil, err
		}
	}
	for _, p := range std.Platforms {
		if only != "" && !slices.Contains(strings.Split(only, ","), p) {
			continue
		}
		r := row{release: m.release, platform: p, at: commit}
		if m.wants("compiles") {
			if r.compiles, err = m.compile(p); err != nil {
				return nil, err
			}
		}
		m.run(&r)
		fmt.Printf("%s %s: compiles: %s; examples: %s; exact counts: %s; suites: %s\n", r.release, r.platform,
			r.compiles, r.examples, r.counts, r.suites)
		rows = append(rows, r)
	}
	return rows, nil
}

// compile builds for a platform and returns the cell.
func (m *measurement) compile(platform string) (string, error) {
	changed, err := m.changed(platform)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(m.tmp, "changed")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	var text strings.Builder
	text.WriteString("package changed\n\nimport (\n\t\"testing\"\n")
	for _, p := range changed {
		fmt.Fprintf(&text, "\t_ %q\n", p)
	}
	text.WriteString(")\n\nfunc Test(t *testing.T) {}\n")
	if err := os.WriteFile(filepath.Join(dir, "changed_test.go"), []byte(text.String()), 0o666); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module heddle.changed\n\ngo 1.26\n"),
		0o666); err != nil {
		return "", err
	}
	patterns := []string{"./..."}
	if m.quick {
		patterns = quickExamples
	}
	n, bad := 0, []string(nil)
	for _, c := range []build.Config{{Dir: m.examples, Patterns: patterns},
		{Dir: dir, Patterns: []string{"."}}} {
		goos, goarch, _ := strings.Cut(platform, "/")
		os.Setenv("GOOS", goos)
		os.Setenv("GOARCH", goarch)
		k, failed, err := m.build(c)
		os.Unsetenv("GOOS")
		os.Unsetenv("GOARCH")
		if err != nil { // of the standard library
			failed = []string{err.Error()}
		}
		n += k
		bad = append(bad, failed...)
	}
	if len(bad) > 0 {
		m.fail("%s: %s", platform, strings.Join(bad, "\n"))
	}
	return fmt.Sprintf("%d of %d packages%s", n-len(bad), n, m.how(nil)), nil
}

// how returns the part of a cell that says how it was measured.
func (m *measurement) how(starter []string) string {
	var how []string
	if m.quick {
		how = append(how, "-quick")
	}
	if starter != nil {
		how = append(how, filepath.Base(starter[0]))
	}
	if how == nil {
		return ""
	}
	return " (" + strings.Join(how, ", ") + ")"
}

func (m *measurement) wants(column string) bool { return slices.Contains(m.what, column) }

// build returns the number of packages, and the errors of some.
func (m *measurement) build(c build.Config) (n int, bad []string, err error) {
	b, err := build.Open(m.ctx, c)
	if err != nil {
		return 0, nil, err
	}
	defer b.Close()
	res, err := b.Build(m.ctx)
	if err != nil {
		return 0, nil, err
	}
	for _, p := range res.Packages {
		if p.Binary == "" {
			bad = append(bad, p.ImportPath+": "+p.Failed)
		}
	}
	return len(res.Packages), append(bad, res.Left...), nil
}

// changed lists the packages that heddle changes and that programs can import.
func (m *measurement) changed(platform string) ([]string, error) {
	std.GoVersion = m.release
	list, err := m.output("go", "list", "std")
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(strings.Fields(list), func(p string) bool {
		return !std.Patched(p) || strings.Contains(p, "internal") || p == "plugin" || p == "runtime"
	}), nil
}

// run measures the columns that need executable binaries.
func (m *measurement) run(r *row) {
	if len(m.what) == 1 && m.wants("compiles") {
		return
	}
	starter, why := m.starter(r.platform)
	cell := func(column string, to *string, measure func() string) {
		switch {
		case !m.wants(column):
		case why != "":
			*to = why
		default:
			*to = measure()
		}
	}
	cell("examples", &r.examples, func() string {
		got, err := m.explore(r.platform, starter)
		if err != nil {
			m.fail("%s: %v", r.platform, err)
			return "failed"
		}
		same := 0
		for _, name := range slices.Sorted(maps.Keys(m.verdicts)) {
			if got[name] == m.verdicts[name] {
				same++
			} else {
				m.fail("%s: %s: %q, but %q on this machine", r.platform, name, got[name], m.verdicts[name])
			}
		}
		return fmt.Sprintf("%d of %d tests as expected%s", same, len(m.verdicts), m.how(starter))
	})
	cell("counts", &r.counts, func() string {
		right, all := m.count(r.platform, starter)
		return fmt.Sprintf("%d of %d%s", right, all, m.how(starter))
	})
	cell("suites", &r.suites, func() string { return m.suites(r.platform, starter) })
}

// suites runs suites of other projects' modules with scripts/compat and returns its count.
func (m *measurement) suites(platform string, starter []string) string {
	if m.compat == "" {
		m.compat = filepath.Join(m.tmp, "compat.exe")
		if _, err := m.output("go", "build", "-o", m.compat, "heddle/scripts/compat"); err != nil {
			m.fail("%v", err)
			return "failed"
		}
	}
	line := []string{"-count", "-heddle", m.heddle, "-dir", filepath.Join(m.tmp, "suites"), "-runs", "200",
		"-budget", "2s"}
	which := suites
	if starter != nil {
		which = smallSuites
		line = append(line, "-exec", strings.Join(starter, " "))
	}
	cmd := exec.CommandContext(m.ctx, m.compat, append(line, "-module", strings.Join(which, ","))...)
	cmd.Dir = m.root
	cmd.Env = environ(platform)
	var out, say bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &say
	if err := cmd.Run(); err != nil {
		m.fail("%s: compat: %v\n%s%s", platform, err, say.String(), out.String())
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	return lines[len(lines)-1] + m.how(starter)
}

// environ returns the environment for building for a platform.
func environ(platform string) []string {
	goos, goarch, _ := strings.Cut(platform, "/")
	return append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch)
}

// starter returns the command that starts binaries of a platform, nil if none is needed, or why
// there is none.
func (m *measurement) starter(platform string) (line []string, why string) {
	if platform == runtime.GOOS+"/"+runtime.GOARCH {
		return nil, ""
	}
	switch {
	case platform == "linux/arm64" && runtime.GOOS == "linux":
		if p, err := exec.LookPath("qemu-aarch64"); err == nil {
			return []string{p}, ""
		}
		return nil, "not run: no qemu-aarch64 here"
	case platform == "windows/amd64" && runtime.GOOS == "linux":
		for _, name := range []string{"wine64", "/usr/lib/wine/wine64", "wine"} {
			if p, err := exec.LookPath(name); err == nil {
				if err := m.prepareWine(p); err != nil {
					return nil, "not run: " + err.Error()
				}
				return []string{p}, ""
			}
		}
		return nil, "not run: no wine here"
	}
	return nil, "not run: no such machine here"
}

// explore returns the verdicts of the examples, by test.
func (m *measurement) explore(platform string, starter []string) (map[string]string, error) {
	patterns := []string{"./..."}
	if m.quick {
		patterns = quickExamples
	}
	args := append([]string{"-count=1", "-strategy", "dpor"}, patterns...)
	text, err := m.test(platform, starter, m.examples, args)
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	var tests, kinds []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if v := verdict.FindStringSubmatch(line); v != nil {
			text := took.ReplaceAllString(v[3], "")
			if !strings.Contains(text, "all interleavings covered") {
				// with timers it depends on the speed of the machine
				text = sampled.ReplaceAllString(text, "")
			}
			tests = append(tests, v[1]+" "+v[2]+" "+text)
		} else if k := kind.FindStringSubmatch(line); k != nil {
			kinds = append(kinds, k[1])
		} else if p := ended.FindStringSubmatch(line); p != nil {
			for _, t := range tests {
				found[p[1]+" "+name(t)] = t + " " + strings.Join(kinds, ", ")
			}
			tests, kinds = nil, nil
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no verdicts in:\n%s", text)
	}
	return found, nil
}

var (
	verdict = regexp.MustCompile(`^(ok  |--- FAIL:) +(Test\w+) +(.*)$`)
	took    = regexp.MustCompile(`(, )?<?[0-9.]+(ms|s|m[0-9]+s)\)| \(<?[0-9.]+(ms|s|m[0-9]+s)\)`)
	sampled = regexp.MustCompile(`[0-9,]+ executions?`)
	kind    = regexp.MustCompile(`^    ([A-Z]{3}[A-Z ]*)( |$)`)
	ended   = regexp.MustCompile(`^(?:ok  |FAIL)\t(\S+)\t`)
	covered = regexp.MustCompile(`^(?:ok  |--- FAIL:) +(Test\w+) .*all interleavings covered by ([0-9,]+) execution`)
)

// name returns the test in a verdict.
func name(v string) string {
	return "Test" + strings.Fields(v[strings.Index(v, "Test")+len("Test"):])[0]
}

// count returns how many numbers of executions are as published.
func (m *measurement) count(platform string, starter []string) (right, all int) {
	names := slices.Sorted(maps.Keys(counts))
	if m.quick {
		names = quickCounts
	}
	for _, strategy := range []string{"reach", "dpor"} {
		all += len(names)
		text, err := m.test(platform, starter, filepath.Join(m.root, "bench"),
			[]string{"-strategy", strategy, "-run", "^(" + strings.Join(names, "|") + ")$",
				"./programs/richtest"})
		if err != nil {
			m.fail("%s: %v", platform, err)
			continue
		}
		got := map[string]int{}
		for line := range strings.Lines(text) {
			if c := covered.FindStringSubmatch(line); c != nil {
				got[c[1]], _ = strconv.Atoi(strings.ReplaceAll(c[2], ",", ""))
			}
		}
		for _, n := range names {
			if got[n] == counts[n] {
				right++
			} else {
				m.fail("%s: %s by %s: %d executions, want %d", platform, n, strategy, got[n], counts[n])
			}
		}
	}
	return right, all
}

// test runs heddle test and returns its output. Findings are not an error.
func (m *measurement) test(platform string, starter []string, dir string, args []string) (string, error) {
	line := []string{"test", "-p", "2", "-share", "0", "-budget", "5m", "-clips",
		filepath.Join(m.tmp, "clips")}
	if starter != nil {
		line = append(line, "-exec", strings.Join(starter, " "))
	}
	cmd := exec.CommandContext(m.ctx, m.heddle, append(line, args...)...)
	cmd.Dir = dir
	cmd.Env = environ(platform)
	var out, say bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &say
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 1 {
		return "", fmt.Errorf("heddle %s: %v\n%s%s", strings.Join(args, " "), err, say.String(), out.String())
	}
	return out.String(), nil
}

func (m *measurement) fail(format string, args ...any) {
	m.wrong = true
	log.Printf(format, args...)
}

func (m *measurement) output(name string, args ...string) (string, error) {
	cmd := exec.CommandContext(m.ctx, name, args...)
	var say bytes.Buffer
	cmd.Stderr = &say
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %v\n%s", name, strings.Join(args, " "), err, say.String())
	}
	return strings.TrimSpace(string(out)), nil
}
