package main

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"heddle/rt/wire"
)

// The programs that peers execute too: tests of heddle, and beside them a folder for each language.
const (
	peerPrograms = "heddle/bench/programs/peers"
	peerFolder   = "bench/programs/peers"
)

const (
	peerRounds = 3
	peerLeast  = 0.4 // seconds of processor time that sampled executions are to take
	peerMost   = 20_000
	// sampleTime and searchTime are how long heddle makes executions of one program at most.
	sampleTime, searchTime = time.Second, time.Minute
	// searchLeast is the processor time, in seconds, below which a search is not told from a start.
	searchLeast = 0.02
)

// A peer is another model checker.
type peer struct {
	name, about string
	needs       []string // commands, the last tells the version if there is no manifest
	manifest    string   // the file of its programs that names its version
	pin         string   // a regular expression whose group is the version
	few         int      // executions that are taken off: more where it starts slowly
	programs    []string // those that it executes

	// build returns the command that executes the programs, in folder dir, a copy of its programs;
	// its arguments follow: the program's name, and how many executions are made at most.
	build func(ctx context.Context, p *peer, dir string) (peerRun, error)
	count *regexp.Regexp // finds the number of executions in the output
}

// A peerRun executes a program, at most n times, and returns what is printed and the processor
// time in seconds.
type peerRun func(ctx context.Context, program string, n int) (out string, seconds float64, err error)

var (
	ownCount = regexp.MustCompile(`(\d+) executions(, complete)?`) // of the programs for libraries
	cutCount = regexp.MustCompile(`blocked (?:trace count|executions seen): (\d+)`)
)

func peers() []*peer {
	return []*peer{
		{name: "Shuttle", about: "Rust, random orders; of memory it sees locks and atomics",
			needs: []string{"cargo"}, manifest: "shuttle/Cargo.toml", pin: `shuttle = "=([\d.]+)"`, few: 1,
			programs: []string{"Locks", "Pool", "Ring", "Crowd1000", "Crowd10000"},
			build:    buildCargo, count: ownCount},
		{name: "Loom", about: "Rust, all orders and weak memory, up to five threads, " +
			"channels without a bound",
			needs: []string{"cargo"}, manifest: "loom/Cargo.toml", pin: `loom = "=([\d.]+)"`, few: 1,
			programs: []string{"Locks", "Pool", "Sections", "Rotate4", "Fib5", "Ticket4"},
			build:    buildCargo, count: ownCount},
		{name: "Lincheck", about: "JVM, its model checker; it takes a SynchronousQueue, " +
			"which spins, to hang",
			needs: []string{"java", "javac", "mvn"}, manifest: "lincheck/pom.xml",
			pin: `<artifactId>lincheck</artifactId>\s*<version>([\d.]+)<`, few: 2_000,
			programs: []string{"Locks", "Pool"}, build: buildMaven, count: ownCount},
		{name: "Nidhugg", about: "C, optimal DPOR, sequentially consistent",
			needs: []string{"nidhuggc", "nidhugg"}, pin: `(\d+\.[\d.]+)`,
			programs: []string{"Sections", "Rotate9", "Fib5", "Ticket4", "Queue22"},
			build:    interpreted("nidhuggc", "-O1", "--", "-sc", "-optimal"),
			count:    regexp.MustCompile(`Trace count: (\d+)`)},
		{name: "GenMC", about: "C, by reads-from, sequentially consistent",
			needs: []string{"genmc"}, pin: `v?(\d+\.[\d.]+)`,
			programs: []string{"Sections", "Rotate9", "Fib5", "Ticket4", "Queue22"},
			build:    interpreted("genmc", "--sc", "--disable-estimation"),
			count:    regexp.MustCompile(`complete executions explored: (\d+)`)},
	}
}

// A peerProgram is a program: a test of heddle's by name, and in which package.
type peerProgram struct {
	name, what, pkg string
}

var (
	sampledPrograms = []peerProgram{
		{"Locks", "4 goroutines, 6 lock pairs each", peerPrograms},
		{"Pool", "4 workers, 16 jobs, a condition", peerPrograms},
		{"Ring", "ring of 4, 12 channel operations each", peerPrograms},
		{"Crowd1000", "1,000 goroutines at one mutex", peerPrograms},
		{"Crowd10000", "10,000 goroutines at one mutex", peerPrograms},
	}
	searchedPrograms = []peerProgram{
		{"Sections", "4 goroutines, 2 lock pairs each", peerPrograms},
		{"Rotate4", "CASRot 4", peerPrograms},
		{"Rotate9", "CASRot 9", peerPrograms},
		{"Fib5", "Fib 5", peerPrograms},
		{"Ticket4", "ticket lock, 4", "heddle/bench/programs/loops"},
		{"Queue22", "Michael-Scott queue, 2+2", "heddle/bench/programs/loops"},
	}
)

// A peerCost is what executions of a program cost.
type peerCost struct {
	seconds float64 // an execution; of a search by a peer all, until rested; NaN: not measured
	// Of a search: executions, those of them that were cut short, and whether there are no more.
	executions, cut int
	complete        bool
	why             string // why it was not measured
}

// peerTable measures heddle and its peers, as far as they are there, and writes the page to file.
func peerTable(ctx context.Context, file string) error {
	there, absent := installed(exec.LookPath, peers())
	dir, err := os.MkdirTemp("", "heddle-peers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	runs := map[string]peerRun{}
	for _, p := range there {
		fmt.Fprintln(os.Stderr, "building the programs for", p.name)
		run, err := p.build(ctx, p, dir)
		if err != nil {
			absent[p.name] = fmt.Sprintf("its programs do not build: %v", err)
			continue
		}
		runs[p.name] = run
	}
	there = slices.DeleteFunc(there, func(p *peer) bool { return runs[p.name] == nil })
	b := peerBench{runs: runs, bases: map[string]float64{}, costs: map[string]map[string]*peerCost{},
		natives: map[string]*native{}}
	defer b.close()
	if err := b.measure(ctx, there); err != nil {
		return err
	}
	versions := map[string]string{}
	for _, p := range there {
		versions[p.name] = p.version(ctx)
	}
	return os.WriteFile(file, []byte(peerPage(file, there, versions, absent, b.costs)), 0o666)
}

// installed returns the peers whose commands look finds, and of the others what is missing, by
// name.
func installed(look func(string) (string, error), all []*peer) (there []*peer, absent map[string]string) {
	absent = map[string]string{}
	for _, p := range all {
		for _, command := range p.needs {
			if _, err := look(command); err != nil && absent[p.name] == "" {
				absent[p.name] = fmt.Sprintf("not installed: %s not found", command)
			}
		}
		if absent[p.name] == "" {
			there = append(there, p)
		}
	}
	return there, absent
}

// version returns the version of a peer, "" if it does not tell.
func (p *peer) version(ctx context.Context) string {
	var text string
	if p.manifest != "" {
		data, err := os.ReadFile(filepath.Join(peerFolder, filepath.FromSlash(p.manifest)))
		if err != nil {
			return ""
		}
		text = string(data)
	} else {
		_, text, _ = timed(ctx, p.needs[len(p.needs)-1], ".", "--version")
	}
	if m := regexp.MustCompile(p.pin).FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// copied copies the folder of a peer's programs to dir, since builds write beside them.
func (p *peer) copied(dir string) (string, error) {
	from := filepath.Join(peerFolder, filepath.Dir(filepath.FromSlash(p.manifest)))
	to := filepath.Join(dir, p.name)
	return to, os.CopyFS(to, os.DirFS(from))
}

// called is a peerRun of a command.
func called(command string, args ...string) peerRun {
	return func(ctx context.Context, program string, n int) (string, float64, error) {
		code, out, took := timed(ctx, command, ".", append(args, program, strconv.Itoa(n))...)
		if code != 0 {
			return out, took, fmt.Errorf("%s ends with code %d: %s", program, code, lastLine(out))
		}
		return out, took, nil
	}
}

// buildCargo builds the programs of a Rust library.
func buildCargo(ctx context.Context, p *peer, dir string) (peerRun, error) {
	dir, err := p.copied(dir)
	if err != nil {
		return nil, err
	}
	if code, out, _ := timed(ctx, "cargo", dir, "build", "--release", "--quiet", "--target-dir",
		filepath.Join(dir, "target")); code != 0 {
		return nil, fmt.Errorf("cargo: %s", lastLine(out))
	}
	return called(filepath.Join(dir, "target", "release", "peers-"+filepath.Dir(p.manifest))), nil
}

// buildMaven builds the programs of a Java library.
func buildMaven(ctx context.Context, p *peer, dir string) (peerRun, error) {
	dir, err := p.copied(dir)
	if err != nil {
		return nil, err
	}
	if code, out, _ := timed(ctx, "mvn", dir, "-q", "-B", "compile", "dependency:copy-dependencies",
		"-DoutputDirectory=target/lib"); code != 0 {
		return nil, fmt.Errorf("mvn: %s", lastLine(out))
	}
	path := filepath.Join(dir, "target", "classes") + string(os.PathListSeparator) +
		filepath.Join(dir, "target", "lib", "*")
	return called("java", "-Xmx2g", "-cp", path, "peers.Main"), nil
}

// interpreted returns a build of a command that compiles and explores a C program itself.
func interpreted(command string, args ...string) func(context.Context, *peer, string) (peerRun, error) {
	return func(context.Context, *peer, string) (peerRun, error) {
		return func(ctx context.Context, program string, _ int) (string, float64, error) {
			file := filepath.Join(peerFolder, "c", strings.ToLower(program)+".c")
			code, out, took := timed(ctx, command, ".", append(args, file)...)
			if code != 0 {
				return out, took, fmt.Errorf("%s ends with code %d: %s", program, code, lastLine(out))
			}
			return out, took, nil
		}, nil
	}
}

func lastLine(out string) string {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	return lines[len(lines)-1]
}

// counted reads from the output how many executions a search made.
func (p *peer) counted(out string) (c peerCost, err error) {
	m := p.count.FindStringSubmatch(out)
	if m == nil {
		return c, fmt.Errorf("%s says no number of executions: %s", p.name, lastLine(out))
	}
	c.executions, _ = strconv.Atoi(m[1])
	c.complete = p.count != ownCount || m[2] != ""
	for _, m := range cutCount.FindAllStringSubmatch(out, -1) {
		cut, _ := strconv.Atoi(m[1])
		c.cut += cut
	}
	return c, nil
}

// A peerBench measures: costs by program and by peer, or heddle, "-race=false", "go test" and
// "go test -race".
type peerBench struct {
	runs    map[string]peerRun
	bases   map[string]float64 // what a start costs, by peer
	costs   map[string]map[string]*peerCost
	natives map[string]*native // by flag
}

func (b *peerBench) close() {
	for _, n := range b.natives {
		n.remove()
	}
}

// note keeps the least cost of a way to execute a program.
func (b *peerBench) note(program, way string, c peerCost) {
	fmt.Fprintf(os.Stderr, "%s, %s: %s, %d executions %s\n", program, way, duration(c.seconds*1e9),
		c.executions, c.why)
	if b.costs[program] == nil {
		b.costs[program] = map[string]*peerCost{}
	}
	old := b.costs[program][way]
	if old == nil || old.why != "" || c.seconds < old.seconds {
		b.costs[program][way] = &c
	}
}

// measure measures all programs in turns.
func (b *peerBench) measure(ctx context.Context, there []*peer) error {
	binaries := map[string]*binary{}
	for _, p := range slices.Concat(sampledPrograms, searchedPrograms) {
		if binaries[p.pkg] == nil {
			built, err := buildPackage(ctx, p.pkg, false)
			if err != nil {
				return err
			}
			binaries[p.pkg] = built
		}
	}
	for way, flags := range map[string][]string{"go test": nil, "go test -race": {"-race"}} {
		n, err := buildNative(ctx, peerPrograms, ".", flags...)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", way, err) // without cgo there is no -race
			continue
		}
		b.natives[way] = n
	}
	for range peerRounds {
		for _, p := range sampledPrograms {
			for _, race := range []bool{true, false} {
				if err := b.heddle(ctx, binaries[p.pkg], p, "random", race); err != nil {
					return err
				}
			}
			for way, n := range b.natives {
				if took, ok := n.execution(ctx, p.name); ok {
					b.note(p.name, way, peerCost{seconds: took})
				}
			}
			for _, other := range there {
				if slices.Contains(other.programs, p.name) {
					b.sample(ctx, other, p.name)
				}
			}
		}
		for _, p := range searchedPrograms {
			if err := b.heddle(ctx, binaries[p.pkg], p, "dpor", true); err != nil {
				return err
			}
			for _, other := range there {
				if slices.Contains(other.programs, p.name) {
					b.search(ctx, other, p.name)
				}
			}
		}
	}
	for _, p := range there {
		for _, s := range searchedPrograms {
			if c := b.costs[s.name][p.name]; c != nil {
				c.rest(b.bases[p.name])
			}
		}
	}
	return nil
}

// rest takes what a start costs off a search, and leaves what one execution costs.
func (c *peerCost) rest(base float64) {
	c.seconds -= base
	if c.why != "" || c.seconds < searchLeast {
		c.seconds = math.NaN()
	}
	c.seconds /= float64(max(1, c.executions+c.cut))
}

// heddle measures heddle.
func (b *peerBench) heddle(ctx context.Context, binary *binary, p peerProgram, strategy string,
	race bool) error {
	config := wire.Config{Package: p.pkg, Strategy: strategy, Race: race, Budget: int64(sampleTime)}
	if strategy == "dpor" {
		config.Budget = int64(searchTime)
	}
	found, err := binary.benched(ctx, "^Test"+p.name+"$", "", config)
	if err != nil {
		return err
	}
	r := found["Test"+p.name]
	way, c := "heddle", peerCost{seconds: r.Nanoseconds / 1e9}
	if !race {
		way = "-race=false"
	}
	if strategy == "dpor" {
		c = peerCost{seconds: r.Processor / 1e9, executions: r.Executions, complete: r.Complete}
		if r.Distinct > 0 {
			c.executions, c.cut = r.Distinct, r.Executions-r.Distinct
		}
		if r.Executions < costly {
			c.seconds = math.NaN()
		}
	}
	b.note(p.name, way, c)
	return nil
}

// sample measures sampled executions by a peer.
func (b *peerBench) sample(ctx context.Context, p *peer, program string) {
	var failed error
	took, ok := perExecution(p.few, max(4, p.few), peerLeast, func(n int) (float64, bool) {
		_, took, err := b.runs[p.name](ctx, program, n)
		failed = err
		return took, err == nil
	})
	c := peerCost{seconds: took}
	if !ok {
		c.seconds, c.why = math.NaN(), failed.Error()
	}
	b.note(program, p.name, c)
}

// search measures a search by a peer.
func (b *peerBench) search(ctx context.Context, p *peer, program string) {
	_, base, err := b.runs[p.name](ctx, "Nothing", 1)
	if err == nil && (b.bases[p.name] == 0 || base < b.bases[p.name]) {
		b.bases[p.name] = base
	}
	var c peerCost
	out, took, err := b.runs[p.name](ctx, program, peerMost)
	if err == nil {
		c, err = p.counted(out)
	}
	c.seconds = took
	if err != nil {
		c.why = err.Error()
	}
	b.note(program, p.name, c)
}

// peerPage returns the page: of costs by program and way, for the peers that are there; absent says
// why others are not, by name.
func peerPage(file string, there []*peer, versions, absent map[string]string,
	costs map[string]map[string]*peerCost) string {
	var b strings.Builder
	fmt.Fprintf(&b, peerHead, file, commit(), peerRounds)
	for _, p := range there {
		fmt.Fprintf(&b, "- %s: %s.\n", strings.TrimSpace(p.name+" "+versions[p.name]), p.about)
	}
	for _, name := range slices.Sorted(maps.Keys(absent)) {
		fmt.Fprintf(&b, "- %s: %s.\n", name, strings.TrimRight(absent[name], "."))
	}
	with := func(programs []peerProgram, columns ...string) []string {
		for _, p := range there {
			if slices.ContainsFunc(programs, func(s peerProgram) bool {
				return slices.Contains(p.programs, s.name)
			}) {
				columns = append(columns, p.name)
			}
		}
		return columns
	}
	columns := with(sampledPrograms, "heddle", "-race=false", "go test", "go test -race")
	fmt.Fprintf(&b, sampledHead, strings.Join(columns, " | "), strings.Repeat(" ---: |", len(columns)))
	for _, p := range sampledPrograms {
		fmt.Fprintf(&b, "| %s |", p.what)
		for _, way := range columns {
			fmt.Fprintf(&b, " %s |", costs[p.name][way].beside(costs[p.name]["heddle"], way))
		}
		b.WriteString("\n")
	}
	columns = with(searchedPrograms, "heddle")
	fmt.Fprintf(&b, searchedHead, grouped(peerMost), strings.Join(columns, " | | "),
		strings.Repeat(" ---: | ---: |", len(columns)))
	for _, p := range searchedPrograms {
		fmt.Fprintf(&b, "| %s |", p.what)
		for _, way := range columns {
			c := costs[p.name][way]
			fmt.Fprintf(&b, " %s | %s |", c.made(), c.beside(costs[p.name]["heddle"], way))
		}
		b.WriteString("\n")
	}
	return b.String()
}

const (
	peerHead = `# Beside other model checkers

Made by ` + "`go run ./bench -peers %s`" + ` at %s: what an execution costs of
the same programs, written in each language (` + "`bench/programs/peers`" + `), in processor time, the
least of %d measurements in turns. In brackets: how many times heddle's cost it is. A start is taken
off. An empty cell: the checker has no such program, or too few executions to be told from its
start.

`
	sampledHead = `
## Executions in any order

By ` + "`-strategy random`" + `, with race detection and without, and by what a peer makes first. ` + "`go test`" + `
explores nothing.

| program | %s |
| --- |%s
`
	searchedHead = `
## All executions

By ` + "`-strategy dpor`" + ` with race detection, each checker as far as it goes, and libraries to at most
%s executions. "+ n" are executions that a checker cut short; the cost is one of either kind.
Checkers count other things as one execution: Nidhugg orders, GenMC which write each read reads,
Loom also what weak memory allows.

| program | %s | |
| --- |%s
`
)

// made says how many executions a search made.
func (c *peerCost) made() string {
	switch {
	case c == nil:
		return ""
	case c.why != "":
		return c.why
	case !c.complete:
		return "> " + grouped(c.executions)
	case c.cut > 0:
		return grouped(c.executions) + " + " + grouped(c.cut)
	}
	return grouped(c.executions)
}

// beside says what an execution costs in a way, and how many times heddle's own that is.
func (c *peerCost) beside(heddle *peerCost, way string) string {
	if c == nil || c.executions == 0 && c.why != "" || math.IsNaN(c.seconds) {
		return ""
	}
	cell := duration(c.seconds * 1e9)
	if way != "heddle" && heddle != nil && heddle.seconds > 0 {
		times := c.seconds / heddle.seconds
		if times < 10 {
			cell += fmt.Sprintf(" (%.2g)", times)
		} else {
			cell += fmt.Sprintf(" (%.0f)", times)
		}
	}
	return cell
}
