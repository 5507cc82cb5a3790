package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"heddle/clip"
	"heddle/cluster"
	"heddle/explore/pcr"
	"heddle/explore/question"
	"heddle/internal/shard"
	"heddle/rt/policy"
	"heddle/rt/wire"
)

// options are the flags of test, run and replay; each command takes some of them.
type options struct {
	// as in go test
	run, skip, tags      string
	exec                 string
	verbose, json, short bool
	testVerbose          bool // of the tests alone, see under
	failFast             bool
	count, parallel      int
	timeout, hang, solve time.Duration
	longest, share       time.Duration
	resume               bool
	shard                shard.Shard
	times                string // of tests, for it
	nats                 cluster.Network
	trust                invitations
	args                 []string // after -args

	// heddle's own
	strategy, visible, time, isolate string
	seed                             uint64
	budget                           time.Duration
	runs, depth, steps               int
	preempt, delay                   int
	race, determinism                bool
	predict, complete                bool
	patterns, regions                string
	clips                            string
	mapCover                         bool
	formula                          time.Duration
	rules                            string
	dataFlow                         bool
	memory                           int64 // for it
	held                             int64 // by a search
	pv, symmetry                     bool
	oneOrder                         places
	targets, seedWith                string
	seedRuns                         int
	ordered                          []uint64 // the sites of oneOrder, once they are known
	sarif, junit, html               string
	question                         *question.Question // of ask
	asked                            []uint64           // memory accesses that it is about, once they are known
	strategies                       []string           // of compare
	fuzz, solver                     string

	set map[string]bool // flags that were given
}

// Choices of the flags that name one of a few things.
var (
	strategies = []string{"auto", "sample", "first", "random", "pos", "pct", "dpor", "reach", "unfold", "branch", "map", "mcr", "maptest"}
	exhaustive = []string{"dpor", "reach", "unfold", "branch", "map", "mcr"} // those that end by themselves
	flowing    = []string{"branch", "map", "mcr"}                            // those that ask what values were computed from: they have a build of their own
	following  = []string{"map", "mcr", "auto"}                              // those that can do without, too
	seeding    = []string{"none", "sample", "pos", "pct", "random", "dpor", "reach", "branch", "map", "mcr", "maptest"}
	visibles   = []string{"auto", "sync", "all"}
	times      = []string{"auto", "virtual", "free"}
	solvers    = []string{"own", "z3"}
	isolations = []string{"auto", "vars", "process", "none"}
)

// A choice is the value of such a flag.
type choice struct {
	value   *string
	choices []string
}

func (c choice) String() string {
	if c.value == nil {
		return ""
	}
	return *c.value
}

func (c choice) Set(s string) error {
	if !slices.Contains(c.choices, s) {
		return fmt.Errorf("want one of: %s", strings.Join(c.choices, ", "))
	}
	*c.value = s
	return nil
}

func choose(fs *flag.FlagSet, p *string, name string, choices []string, usage string) {
	*p = choices[0]
	fs.Var(choice{p, choices}, name, usage+": "+strings.Join(choices, ", "))
}

// A duration is the value of a flag that takes a time.
type duration struct{ value *time.Duration }

func (d duration) String() string {
	if d.value == nil {
		return ""
	}
	return d.value.String()
}

func (d duration) Set(s string) error {
	v, err := time.ParseDuration(s)
	if err != nil {
		if _, e := strconv.ParseFloat(s, 64); e == nil {
			return fmt.Errorf("which unit? For seconds write %ss, for minutes %sm", s, s)
		}
		return errors.New("want a time such as 500ms, 10s or 2m")
	}
	*d.value = v
	return nil
}

func durationVar(fs *flag.FlagSet, p *time.Duration, name string, value time.Duration, usage string) {
	*p = value
	fs.Var(duration{p}, name, usage)
}

// A size is the value of a flag that takes an amount of memory.
type size struct{ value *int64 }

func (z size) String() string {
	if z.value == nil {
		return ""
	}
	return wire.Size(*z.value)
}

func (z size) Set(s string) error {
	n, err := wire.ParseSize(s)
	if err == nil {
		*z.value = n
	}
	return err
}

// Places is the value of a flag that names lines, one each time it is given.
type places []place

type place struct {
	file string
	line int
}

func (p places) String() string {
	var s []string
	for _, x := range p {
		s = append(s, fmt.Sprintf("%s:%d", x.file, x.line))
	}
	return strings.Join(s, ",")
}

func (p *places) Set(s string) error {
	i := strings.LastIndexByte(s, ':')
	if i < 1 {
		return errors.New("want a line, such as queue.go:12")
	}
	line, err := strconv.Atoi(s[i+1:])
	if err != nil || line < 1 {
		return errors.New("want a line, such as queue.go:12")
	}
	*p = append(*p, place{s[:i], line})
	return nil
}

// buildFlags, exploreFlags and testFlags define the flags, in groups.
func (o *options) buildFlags(fs *flag.FlagSet) {
	fs.StringVar(&o.tags, "tags", "", "build `tags`, separated by commas")
	fs.StringVar(&o.exec, "exec", "", "start test binaries by `xprog`, such as an emulator; without, binaries for another GOOS and GOARCH by go_GOOS_GOARCH_exec, if it is in $PATH")
	fs.BoolVar(&o.verbose, "v", false, "verbose: every test with its output, whole stacks")
}

func (o *options) exploreFlags(fs *flag.FlagSet) {
	fs.BoolVar(&o.json, "json", false, "print events as JSON, one a line, as go test -json does")
	fs.BoolVar(&o.failFast, "failfast", false, "stop at the first finding")
	durationVar(fs, &o.timeout, "timeout", 0, "end a test binary that takes longer than `d`; 0: 10m beside the budgets of its tests")
	o.hangFlag(fs)
	choose(fs, &o.strategy, "strategy", strategies, "how to explore")
	choose(fs, &o.visible, "visible", visibles, "memory accesses at which the scheduler may choose")
	choose(fs, &o.time, "time", times, "when timers fire")
	choose(fs, &o.isolate, "isolate", isolations, "what is put back between executions")
	fs.Uint64Var(&o.seed, "seed", 0, "`number` that all random choices come from")
	durationVar(fs, &o.budget, "budget", 10*time.Second, "`time` for each test")
	fs.IntVar(&o.runs, "runs", 0, "execute each test `n` times at most; 0: until the budget ends")
	fs.IntVar(&o.depth, "depth", 3, "`d` of strategy pct")
	fs.IntVar(&o.preempt, "preempt", -1, "with -strategy=dpor: only schedules with at most `n` preemptions; -1: all")
	fs.IntVar(&o.delay, "delay", -1, "with -strategy=dpor: only schedules with at most `n` delays; -1: all")
	fs.BoolVar(&o.dataFlow, "flow", true, "strategies map and mcr, and auto with -p: follow what values are computed from, in a build of its own")
	o.memory = 256 << 20
	fs.Var(size{&o.memory}, "mem", "strategies that ask what values were computed from: `memory` that an execution may take for it")
	o.memoryFlag(fs)
	fs.IntVar(&o.steps, "steps", 0, "bound on the steps of an execution; 0: heddle's own")
	durationVar(fs, &o.longest, "longest", 0, "end an execution that takes longer than `d`; 0: a minute, or -budget if that is more")
	fs.BoolVar(&o.race, "race", true, "report data races")
	fs.BoolVar(&o.determinism, "check-determinism", false, "run every schedule twice and compare")
	fs.BoolVar(&o.pv, "pv", false, "strategy reach: leave out races that a V of a counting semaphore has won")
	fs.BoolVar(&o.symmetry, "symmetry", false, "strategy reach: goroutines that one goroutine starts by one go statement, with equal arguments, are interchangeable")
	fs.Var(&o.oneOrder, "one-order", "strategy reach: `file:line` where channels are made whose receivers ignore in which order values come; may come several times")
	choose(fs, &o.targets, "targets", []string{"auto", "newest", "oldest", "random"}, "strategy unfold: which event that no execution has shown is next; auto: classes of branches in turn with -fuzz, else the newest")
	choose(fs, &o.seedWith, "seed-with", seeding, "strategy unfold: begin with executions of another strategy")
	fs.IntVar(&o.seedRuns, "seed-runs", 100, "with -seed-with: `n` of them")
	fs.BoolVar(&o.predict, "predict", true, "begin with what the first execution lets expect of others (strategies auto and sample)")
	fs.BoolVar(&o.mapCover, "mapcover", false, "tell which memory-access patterns were covered; all memory accesses are visible then")
	durationVar(fs, &o.formula, "formula", pcr.DefaultLimit, "strategies map and mcr: `time` for one formula; past it is not known whether it can be met")
	fs.StringVar(&o.rules, "rules", "123456", "strategy map: `digits` of the rules that leave patterns out")
	fs.StringVar(&o.clips, "clips", "", "`folder` for clips (default testdata/heddle in each package)")
}

func (o *options) memoryFlag(fs *flag.FlagSet) {
	o.held = 2 << 30
	fs.Var(size{&o.held}, "memory", "end a search that holds more `memory` in one process, what executions take not counted")
}

func (o *options) hangFlag(fs *flag.FlagSet) {
	durationVar(fs, &o.hang, "hang", 10*time.Second, "end a test when nothing happens in it for `d`, or four times as long as an execution takes; 0: never")
}

// pickFlags are those of test that replay needs too: a test may do something else under them.
func (o *options) pickFlags(fs *flag.FlagSet) {
	fs.StringVar(&o.run, "run", "", "only the tests, and subtests of them, that match `regexp`")
	fs.StringVar(&o.skip, "skip", "", "leave out the tests that match `regexp`")
	fs.BoolVar(&o.short, "short", false, "tell the tests to be short")
}

// fuzzFlags are those of test alone.
func (o *options) fuzzFlags(fs *flag.FlagSet) {
	fs.StringVar(&o.fuzz, "fuzz", "", "search for inputs of the fuzz targets that match `regexp`, and explore each; without, targets are explored on their corpus")
	choose(fs, &o.solver, "solver", solvers, "what solves the conditions on inputs of -fuzz")
}

func (o *options) testFlags(fs *flag.FlagSet) {
	fs.IntVar(&o.count, "count", 1, "explore every test `n` times")
	fs.IntVar(&o.parallel, "p", runtime.GOMAXPROCS(0), "run `n` test binaries at the same time: of several packages, or of one test")
	durationVar(fs, &o.share, "share", 500*time.Millisecond, "let several processes explore a test that takes longer than `d`; 0: never")
	fs.BoolVar(&o.resume, "resume", false, "go on with the tests that several processes explored when heddle was ended: the same packages and flags, -budget anew")
}

// errHelp says that help was asked for and printed.
var errHelp = errors.New("help")

// parse reads the command line of a subcommand. Flags and packages may come in
// any order, as for go test; what follows -args goes to the test binary.
// mixed is false for run, where what follows the package is the program's.
func (t *tool) parse(name string, o *options, args []string, mixed bool, groups ...func(*flag.FlagSet)) (rest []string, err error) {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	for _, g := range groups {
		g(fs)
	}
	if mixed {
		for i, a := range args {
			if a == "-args" || a == "--args" {
				args, o.args = args[:i], args[i+1:]
				break
			}
		}
	}
	o.set = map[string]bool{}
	for {
		if err := fs.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				t.usage(fs, name)
				return nil, errHelp
			}
			return nil, fmt.Errorf("heddle %s: %v%s\nRun 'heddle %s -h' for its flags", name, err, goFlag(err), name)
		}
		fs.Visit(func(f *flag.Flag) { o.set[f.Name] = true })
		args = fs.Args()
		if len(args) == 0 || !mixed {
			break
		}
		rest, args = append(rest, args[0]), args[1:]
	}
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("heddle %s: %v\nRun 'heddle %s -h' for its flags", name, err, name)
	}
	return append(rest, args...), nil
}

// goFlag returns what to say of a flag that only the go command has.
func goFlag(err error) string {
	_, name, ok := strings.Cut(err.Error(), "flag provided but not defined: -")
	switch {
	case !ok:
	case slices.Contains([]string{"a", "asmflags", "gcflags", "ldflags", "mod", "modfile", "pgo", "trimpath"}, name):
		return ": go test has it; set GOFLAGS to build with it"
	case slices.Contains([]string{"bench", "benchmem", "benchtime", "c", "cover", "covermode", "coverpkg", "coverprofile", "cpu", "cpuprofile", "list",
		"memprofile", "mutexprofile", "o", "parallel", "shuffle", "trace", "vet"}, name):
		return ": that is go test's alone"
	}
	return ""
}

func (t *tool) usage(fs *flag.FlagSet, name string) {
	for _, c := range commands() {
		if c.name == name {
			fmt.Fprintf(t.Stdout, "usage: heddle %s %s\n\n%s.\n\n", name, c.args, strings.ToUpper(c.what[:1])+c.what[1:])
		}
	}
	fs.SetOutput(t.Stdout)
	fs.PrintDefaults()
}

// leastParallel is how many test binaries run at least: others may do it.
func (o *options) leastParallel() int {
	if o.nats.URL != "" && o.trust == nil {
		return 0
	}
	return 1
}

// check refuses values that make no sense, before anything is built.
func (o *options) check() error {
	for _, f := range []struct{ name, value string }{{"run", o.run}, {"skip", o.skip}, {"fuzz", o.fuzz}} {
		if _, err := regexp.Compile(f.value); err != nil {
			return fmt.Errorf("invalid value %q for flag -%s: %v", f.value, f.name, err)
		}
	}
	for _, f := range []struct {
		name  string
		value int
		least int
	}{{"count", o.count, 1}, {"p", o.parallel, o.leastParallel()}, {"runs", o.runs, 0}, {"depth", o.depth, 1}, {"steps", o.steps, 0}, {"preempt", o.preempt, -1}, {"delay", o.delay, -1}} {
		if o.set[f.name] && f.value < f.least {
			return fmt.Errorf("invalid value %d for flag -%s: want %d or more", f.value, f.name, f.least)
		}
	}
	if o.set["budget"] && (o.budget < 0 || o.budget == 0 && o.runs == 0 && !slices.Contains(exhaustive, o.strategy)) {
		return fmt.Errorf("invalid value %v for flag -budget: want more than 0, or an end by -runs or by an exhaustive strategy (%s)", o.budget, strings.Join(exhaustive, ", "))
	}
	for _, name := range []string{"targets", "seed-with", "seed-runs"} {
		if o.set[name] && o.strategy != "unfold" && o.question == nil {
			return fmt.Errorf("flag -%s is of unfoldings: use it with -strategy unfold", name)
		}
	}
	if o.set["seed-runs"] && (o.seedRuns < 1 || o.seedWith == "none") {
		return fmt.Errorf("invalid value %d for flag -seed-runs: want 1 or more, and -seed-with to say of which strategy", o.seedRuns)
	}
	for _, name := range []string{"pv", "symmetry", "one-order"} {
		if o.set[name] && o.strategy != "reach" {
			return fmt.Errorf("flag -%s is of reachability testing: use it with -strategy reach", name)
		}
	}
	if err := o.checkFuzz(); err != nil {
		return err
	}
	if err := o.checkShard(); err != nil {
		return err
	}
	if o.set["flow"] && !slices.Contains(following, o.strategy) && !slices.Contains(following, o.seedWith) {
		return fmt.Errorf("flag -flow is for strategies %s", strings.Join(following, " and "))
	}
	if o.set["mem"] && !o.flow() && !o.flowSeeds() && o.strategy != "auto" && o.fuzz == "" {
		return fmt.Errorf("flag -mem is for data flow: use it with -strategy %s", strings.Join(flowing, " or "))
	}
	if o.set["formula"] && (o.strategy != "map" && o.strategy != "mcr" || o.formula <= 0) {
		return errors.New("flag -formula is for strategies map and mcr, and wants more than 0")
	}
	if _, err := pcr.ParseRules(o.rules); err != nil {
		return fmt.Errorf("invalid value %q for flag -rules: %v", o.rules, err)
	}
	if o.set["rules"] && o.strategy != "map" {
		return errors.New("flag -rules is for strategy map")
	}
	if o.mapCover && o.set["visible"] && o.visible != "all" {
		return fmt.Errorf("flag -mapcover needs all memory accesses: not with -visible=%s", o.visible)
	}
	if (o.set["preempt"] || o.set["delay"]) && o.strategy != "dpor" {
		return errors.New("-preempt and -delay bound a search: they need -strategy=dpor")
	}
	if o.depth > policy.MaxDepth {
		return fmt.Errorf("invalid value %d for flag -depth: want %d or less", o.depth, policy.MaxDepth)
	}
	if o.timeout < 0 {
		return fmt.Errorf("invalid value %v for flag -timeout: want 0 or more", o.timeout)
	}
	if o.longest < 0 {
		return fmt.Errorf("invalid value %v for flag -longest: want 0 or more", o.longest)
	}
	if o.solve < 0 {
		return fmt.Errorf("invalid value %v for flag -solve: want 0 or more", o.solve)
	}
	if o.hang < 0 {
		return fmt.Errorf("invalid value %v for flag -hang: want 0 or more", o.hang)
	}
	return nil
}

// checkFuzz refuses what the search for inputs cannot be combined with.
func (o *options) checkFuzz() error {
	if o.fuzz == "" {
		if o.set["solver"] {
			return errors.New("flag -solver is for the search for inputs: use it with -fuzz")
		}
		return nil
	}
	for _, f := range []struct{ name, strategy string }{{"strategy", o.strategy}, {"seed-with", o.seedWith}} {
		switch f.strategy {
		case "branch", "map", "mcr", "maptest":
			return fmt.Errorf("flag -fuzz: not with -%s %s, which records data flow of its own kind", f.name, f.strategy)
		}
	}
	if o.solver == "z3" {
		if _, err := exec.LookPath("z3"); err != nil {
			return errors.New("flag -solver: there is no z3 in PATH; install it (package z3 of most distributions), or leave -solver out: heddle's own needs nothing")
		}
	}
	return nil
}

// searches reports whether inputs of a test are searched for.
func (o *options) searches(test string) bool {
	if o.fuzz == "" || !strings.HasPrefix(test, "Fuzz") {
		return false
	}
	ok, err := regexp.MatchString(o.fuzz, test)
	return ok && err == nil
}

// flow reports whether it is recorded what values were computed from.
func (o *options) flow() bool {
	return o.flows(o.strategy)
}

// flowSeeds reports whether that is so of executions that a net is to start from.
func (o *options) flowSeeds() bool { return o.flows(o.seedWith) }

func (o *options) flows(strategy string) bool {
	return slices.Contains(flowing, strategy) && (o.dataFlow || !slices.Contains(following, strategy))
}

// lean reports whether test binaries need no strategy unfold.
func (o *options) lean() bool {
	return o.strategy != "unfold" && o.question == nil && o.fuzz == "" && !slices.Contains(o.strategies, "unfold")
}

// config returns what to tell a test binary; the caller adds what differs from one to the next.
func (o *options) config() wire.Config {
	c := wire.Config{
		Mode: "test", Strategy: o.strategy, Seed: o.seed, Runs: o.runs, Budget: int64(o.budget), Depth: o.depth, Steps: o.steps,
		Visible: o.visible, Time: o.time, Race: o.race, FailFast: o.failFast, Count: o.count, Isolate: o.isolate,
		CheckDeterminism: o.determinism, PV: o.pv, Symmetry: o.symmetry, OneOrder: o.ordered,
		Flow: o.flow() && o.fuzz == "", ForFlow: o.flowSeeds(), FlowMemory: o.memory, Memory: o.held, Fuzz: o.fuzz, Ask: o.question, VisibleAt: o.asked,
		Predict: o.predict, Patterns: o.patterns, Regions: o.regions, Complete: o.complete, Solve: int64(o.solve),
	}
	if o.seedWith != "none" {
		c.SeedWith, c.SeedRuns = o.seedWith, o.seedRuns
	}
	c.Targets = o.targets
	if o.set["preempt"] && o.preempt >= 0 {
		c.Preempt = &o.preempt
	}
	if o.set["delay"] && o.delay >= 0 {
		c.Delay = &o.delay
	}
	if o.strategy == "map" && o.set["rules"] {
		c.Rules = o.rules
	}
	if o.set["solver"] && o.solver != "own" {
		c.Solver = o.solver
	}
	if o.set["formula"] {
		c.Formula = int64(o.formula)
	}
	if c.MapCover = o.mapCover; o.mapCover {
		c.Visible = "all"
	}
	if c.Time == "auto" {
		c.Time = ""
	}
	if o.runs > 0 && !o.set["budget"] {
		c.Budget = 0 // that many executions, however long they take
	}
	if c.Longest = int64(o.longest); c.Longest == 0 {
		c.Longest = max(int64(time.Minute), c.Budget)
	}
	return c
}

// replayArgs returns the arguments that heddle replay needs, since clips do not hold them.
func (o *options) replayArgs() []string {
	if !slices.ContainsFunc(o.args, clip.Refused) {
		return nil
	}
	return append([]string{"-args"}, o.args...)
}

// testArgs returns the -test flags of a binary.
func (o *options) testArgs(skip string) []string {
	args := []string{"-test.paniconexit0", "-test.timeout=0"}
	if o.run != "" {
		args = append(args, "-test.run="+o.run)
	}
	if skip != "" {
		args = append(args, "-test.skip="+skip)
	}
	if o.short {
		args = append(args, "-test.short")
	}
	if o.verbose || o.json || o.testVerbose {
		args = append(args, "-test.v")
	}
	if o.failFast {
		args = append(args, "-test.failfast")
	}
	return append(args, o.args...)
}
