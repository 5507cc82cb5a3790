package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"heddle/clip"
	"heddle/cluster"
	"heddle/explore"
	"heddle/explore/question"
	"heddle/internal/shard"
	"heddle/report/timeline"
	"heddle/rt/wire"
)

// options are the flags of test, run and replay; each command takes some of them.
type options struct {
	goOptions
	searchOptions
	boundOptions
	watchOptions
	outputOptions
	workerOptions

	knownOptions

	question   *question.Question // of ask
	asked      []uint64           // memory accesses that it is about, once they are known
	strategies []explore.Choice   // of compare

	set map[string]bool // flags that were given
}

// goOptions are the options that go test has.
type goOptions struct {
	run, skip, tags string
	exec            string
	short           bool
	testVerbose     bool // of the tests alone, see under
	failFast        bool
	count           int
	timeout         time.Duration
	args            []string // after -args
	debug           bool     // binaries are for a debugger
}

// searchOptions are the options that say how a test is explored.
type searchOptions struct {
	strategy          string
	unit              *explore.Unit  // of strategy
	values            explore.Values // of its options, those that were given
	seed              uint64
	predict, complete bool
	patterns, regions string
	mapCover          bool
	fuzz, solver      string
	symbolic          []string // names of what else is an input
	chance            bool
}

// boundOptions are the options that end executions, searches and runs.
type boundOptions struct {
	budget                      time.Duration
	whole                       bool     // a finding does not shorten it
	input                       []string // of a fuzz target, in all executions; nil: its corpus
	runs, steps, lose           int
	hang, solve, longest, share time.Duration
	total                       time.Duration
	memory                      int64 // for data flow
	held                        int64 // by a search
}

// watchOptions are the options that say what is observed of an execution, and how it is made.
type watchOptions struct {
	visible, time, isolate string
	race, determinism      bool
	dataFlow               bool
}

// outputOptions are the options that say what is written, and where.
type outputOptions struct {
	verbose, json      bool
	clips              string
	sarif, junit, html string
	md                 string
	editor             timeline.Editor // that pages lead to
}

// workerOptions are the options that say which processes and machines explore.
type workerOptions struct {
	parallel int
	resume   bool
	shard    shard.Shard
	times    string // of tests, for it
	nats     cluster.Network
	trust    invitations
}

// Choices of the flags that name one of a few things.
var (
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

// A strategy is the value of flag -strategy.
type strategy struct{ o *options }

func (s strategy) String() string {
	if s.o == nil {
		return ""
	}
	return s.o.strategy
}

func (s strategy) Set(text string) error {
	u, values, err := explore.Parse(text)
	if err == nil {
		s.o.choose(u, values)
	}
	return err
}

// choose makes a strategy that of the command.
func (o *options) choose(u *explore.Unit, values explore.Values) {
	o.unit, o.values, o.strategy = u, values, u.Name
}

// goneFlags are the flags of strategies that are options of them now, with what to write instead.
var goneFlags = map[string]string{
	"pv": "reach,pv", "symmetry": "reach,vouched", "one-order": "reach,one-order=FILE:LINE",
	"targets": "unfold,targets=VALUE", "seed-with": "unfold,seed-with=VALUE",
	"seed-runs": "unfold,seed-with=STRATEGY,seed-runs=N",
	"formula":   "map,formula=TIME", "rules": "map,rules=DIGITS", "depth": "pct,depth=N",
	"preempt": "bound,preempt=N", "delay": "bound,delay=N",
}

// buildFlags, exploreFlags and testFlags define the flags, in groups.
func (o *options) buildFlags(fs *flag.FlagSet) {
	fs.StringVar(&o.tags, "tags", "", "build `tags`, separated by commas")
	fs.StringVar(&o.exec, "exec", "",
		"start test binaries by `xprog`, such as an emulator; without, binaries for another GOOS and GOARCH by go_GOOS_GOARCH_exec, if it is in $PATH")
	fs.BoolVar(&o.verbose, "v", false, "verbose: every test with its output, whole stacks")
}

func (o *options) exploreFlags(fs *flag.FlagSet) {
	fs.BoolVar(&o.json, "json", false, "print events as JSON, one a line, as go test -json does")
	fs.BoolVar(&o.failFast, "failfast", false, "stop at the first finding")
	durationVar(fs, &o.timeout, "timeout", 0,
		"end a test binary that takes longer than `d`; 0: 10m beside the budgets of its tests")
	o.hangFlag(fs)
	o.strategyFlag(fs)
	choose(fs, &o.visible, "visible", visibles, "memory accesses at which the scheduler may choose")
	choose(fs, &o.time, "time", times, "when timers fire")
	o.loseFlag(fs)
	choose(fs, &o.isolate, "isolate", isolations, "what is put back between executions")
	fs.Uint64Var(&o.seed, "seed", 0, "`number` that all random choices come from")
	durationVar(fs, &o.budget, "budget", 10*time.Second, "`time` for each test")
	fs.IntVar(&o.runs, "runs", 0, "execute each test `n` times at most; 0: until the budget ends")
	fs.BoolVar(&o.dataFlow, "flow", true,
		"strategies map and mcr, and auto with -p: follow what values are computed from, in a build of its own")
	o.memory = 256 << 20
	fs.Var(size{&o.memory}, "mem",
		"strategies that ask what values were computed from: `memory` that an execution may take for it")
	o.memoryFlag(fs)
	fs.IntVar(&o.steps, "steps", 0, "bound on the steps of an execution; 0: heddle's own")
	durationVar(fs, &o.longest, "longest", 0,
		"end an execution that takes longer than `d`; 0: a minute, or -budget if that is more")
	fs.BoolVar(&o.race, "race", true, "report data races")
	fs.BoolVar(&o.determinism, "check-determinism", false, "run every schedule twice and compare")
	fs.BoolVar(&o.predict, "predict", true,
		"begin with what the first execution lets expect of others (strategies auto and sample)")
	fs.BoolVar(&o.mapCover, "mapcover", false,
		"list the memory-access patterns that were covered, and those that were not (strategy map);\nwith -html they are drawn; all memory accesses are visible then")
	fs.StringVar(&o.clips, "clips", "", "`folder` for clips (default testdata/heddle in each package)")
}

func (o *options) strategyFlag(fs *flag.FlagSet) {
	o.choose(explore.Lookup("auto"), nil)
	fs.Var(strategy{o}, "strategy",
		"how to explore: `name` of a strategy, and its options behind commas, as in unfold,targets=oldest; heddle help strategies lists them")
}

func (o *options) loseFlag(fs *flag.FlagSet) {
	fs.IntVar(&o.lose, "lose", 0,
		"lose up to `n` UDP packets of an execution: each that is sent may be one of them")
}

func (o *options) memoryFlag(fs *flag.FlagSet) {
	o.held = 2 << 30
	fs.Var(size{&o.held}, "memory",
		"end a search that holds more `memory` in one process, what executions take not counted")
}

func (o *options) hangFlag(fs *flag.FlagSet) {
	durationVar(fs, &o.hang, "hang", 10*time.Second,
		"end a test when nothing happens in it for `d`, or four times as long as an execution takes; 0: never")
}

// pickFlags are those of test that replay needs too: a test may do something else under them.
func (o *options) pickFlags(fs *flag.FlagSet) {
	fs.StringVar(&o.run, "run", "", "only the tests, and subtests of them, that match `regexp`")
	fs.StringVar(&o.skip, "skip", "", "leave out the tests that match `regexp`")
	fs.BoolVar(&o.short, "short", false, "tell the tests to be short")
}

// judgeFlags are those of the search for the bug of a clip that does not show it any more.
func (o *options) judgeFlags(fs *flag.FlagSet) {
	durationVar(fs, &o.budget, "budget", 10*time.Second,
		"`time` to search for the bug of a clip that does not show it any more")
}

// fuzzFlags are those of test alone.
func (o *options) fuzzFlags(fs *flag.FlagSet) {
	fs.StringVar(&o.fuzz, "fuzz", "",
		"search for inputs of the fuzz targets that match `regexp`, and explore each; without, targets are explored on their corpus")
	o.symbolicFlags(fs)
}

// symbolicFlags are those of test and run.
func (o *options) symbolicFlags(fs *flag.FlagSet) {
	fs.Var(nameList{&o.symbolic}, "symbolic",
		"take values that have these `names`, separated by commas, as inputs that are searched for: fields of the elements of a table test and variables of tests (in, tt.in, TestParse.tt.in), and flags of a main package")
	choose(fs, &o.solver, "solver", solvers, "what solves the conditions on inputs of -fuzz and -symbolic")
	fs.BoolVar(&o.chance, "chance", true,
		"with -fuzz and -symbolic: make inputs by chance too, for the rest of the budget")
}

func (o *options) testFlags(fs *flag.FlagSet) {
	fs.IntVar(&o.count, "count", 1, "explore every test `n` times, also those that the cache has the verdict of")
	fs.IntVar(&o.parallel, "p", runtime.GOMAXPROCS(0),
		"run `n` test binaries at the same time: of several packages, or of one test")
	durationVar(fs, &o.share, "share", 500*time.Millisecond,
		"let several processes explore a test that takes longer than `d`; 0: never")
	fs.BoolVar(&o.resume, "resume", false,
		"go on with the tests that several processes explored when heddle was ended: the same packages and flags, -budget anew")
}

// errHelp says that help was asked for and printed.
var errHelp = errors.New("help")

// parse reads the command line of a subcommand. Flags and packages may come in
// any order, as for go test; what follows -args goes to the test binary.
// mixed is false for run, where what follows the package is the program's.
func (t *tool) parse(name string, o *options, args []string, mixed bool,
	groups ...func(*flag.FlagSet)) (rest []string, err error) {
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
	if o.unit == nil { // the command has no -strategy
		o.choose(explore.Lookup("auto"), nil)
	}
	for {
		if err := fs.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				t.usage(fs, name)
				return nil, errHelp
			}
			if instead, ok := goneFlag(err); ok {
				return nil, fmt.Errorf("heddle %s: %s", name, instead)
			}
			return nil, fmt.Errorf("heddle %s: %v%s\nRun 'heddle %s -h' for its flags", name, err,
				goFlag(err), name)
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
	if slices.Contains(settled, name) {
		if err := t.readSettings(o, fs); err != nil {
			return nil, fmt.Errorf("heddle %s: %w", name, err)
		}
	}
	return append(rest, args...), nil
}

// goFlag returns what to say of a flag that only the go command has.
func goFlag(err error) string {
	_, name, ok := strings.Cut(err.Error(), "flag provided but not defined: -")
	switch {
	case !ok:
	case slices.Contains([]string{"a", "asmflags", "gcflags", "ldflags", "mod", "modfile", "pgo", "trimpath"},
		name):
		return ": go test has it; set GOFLAGS to build with it"
	case slices.Contains([]string{"bench", "benchmem", "benchtime", "c", "cover", "covermode", "coverpkg",
		"coverprofile", "cpu", "cpuprofile", "list",
		"memprofile", "mutexprofile", "o", "parallel", "shuffle", "trace", "vet"}, name):
		return ": that is go test's alone"
	}
	return ""
}

// goneFlag returns what to write instead of a flag that was one of a strategy's.
func goneFlag(err error) (text string, ok bool) {
	_, name, ok := strings.Cut(err.Error(), "flag provided but not defined: -")
	instead := goneFlags[name]
	return fmt.Sprintf("flag -%s is an option of a strategy now: write -strategy %s", name, instead), ok &&
		instead != ""
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
	}{{"count", o.count, 1}, {"p", o.parallel, o.leastParallel()}, {"runs", o.runs, 0}, {"steps", o.steps, 0},
		{"lose", o.lose, 0}} {
		if o.set[f.name] && f.value < f.least {
			return fmt.Errorf("invalid value %d for flag -%s: want %d or more", f.value, f.name, f.least)
		}
	}
	if o.set["budget"] && (o.budget < 0 || o.budget == 0 && o.runs == 0 && !o.unit.Ends) {
		return fmt.Errorf("invalid value %v for flag -budget: want more than 0, or an end by -runs or by an exhaustive strategy (%s)", o.budget, strings.Join(explore.Names(func(u *explore.Unit) bool { return u.Ends }), ", "))
	}
	if err := o.checkFuzz(); err != nil {
		return err
	}
	if err := o.checkShard(); err != nil {
		return err
	}
	if err := o.checkKnown(); err != nil {
		return err
	}
	if o.set["total"] && (o.total <= 0 || o.count > 1) {
		return fmt.Errorf("invalid value %v for flag -total: want more than 0, and not with -count", o.total)
	}
	if o.set["flow"] && !follows(o.unit) && !follows(o.seedWith()) {
		return fmt.Errorf("flag -flow is for strategies %s", strings.Join(explore.Names(follows), ", "))
	}
	if o.set["mem"] && !o.flow() && !o.flowSeeds() && o.unit.Needs.Flow == explore.NoFlow && !o.searching() {
		names := explore.Names(func(u *explore.Unit) bool { return u.Needs.Flow > explore.FlowBeside })
		return fmt.Errorf("flag -mem is for data flow: use it with -strategy %s", strings.Join(names, " or "))
	}
	if o.mapCover && o.set["visible"] && o.visible != "all" {
		return fmt.Errorf("flag -mapcover needs all memory accesses: not with -visible=%s", o.visible)
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
	if !o.searching() {
		if o.set["solver"] {
			return errors.New("flag -solver is for the search for inputs: use it with -fuzz or -symbolic")
		}
		if o.set["chance"] {
			return errors.New("flag -chance is for the search for inputs: use it with -fuzz or -symbolic")
		}
		return nil
	}
	if err := o.checkSymbolic(); err != nil {
		return err
	}
	for _, u := range []*explore.Unit{o.unit, o.seedWith()} {
		if u != nil && u.Needs.Accesses {
			return fmt.Errorf("flags -fuzz and -symbolic: not with strategy %s, in whose executions every memory access is a step", u.Name)
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
	if o.fuzz == "" || strings.HasPrefix(test, "Example") {
		return false
	}
	ok, err := regexp.MatchString(o.fuzz, test)
	return ok && err == nil
}

// seedWith returns the strategy that this one is to start from; nil: none.
func (o *options) seedWith() *explore.Unit {
	return explore.Lookup(o.unit.With(o.values)[explore.SeedWith.Name])
}

// follows reports whether a strategy can make use of what values were computed from, and do
// without.
func follows(u *explore.Unit) bool {
	return u != nil && (u.Needs.Flow == explore.FlowBeside || u.Needs.Flow == explore.FlowHelps)
}

// flow reports whether it is recorded what values were computed from.
func (o *options) flow() bool { return o.flows(o.unit) }

// flowSeeds reports whether that is so of executions that a strategy is to start from.
func (o *options) flowSeeds() bool { return o.flows(o.seedWith()) }

func (o *options) flows(u *explore.Unit) bool {
	return u != nil && (u.Needs.Flow == explore.FlowNeeded || u.Needs.Flow == explore.FlowHelps && o.dataFlow)
}

// lean reports whether test binaries need no strategy that is Heavy.
func (o *options) lean() bool {
	heavy := func(c explore.Choice) bool { return c.Unit.Heavy }
	return !o.unit.Heavy && !o.searching() && !slices.ContainsFunc(o.strategies, heavy)
}

// config returns what to tell a test binary; the caller adds what differs from one to the next.
func (o *options) config() wire.Config {
	c := wire.Config{
		Mode: "test", Strategy: o.strategy, Options: maps.Clone(o.values), Seed: o.seed, Runs: o.runs,
		Budget: int64(o.budget), Steps: o.steps,
		Visible: o.visible, Time: o.time, Lose: o.lose, Race: o.race, FailFast: o.failFast, Count: o.count,
		Isolate:          o.isolate,
		CheckDeterminism: o.determinism,
		Flow:             o.flow() && !o.searching(), ForFlow: o.flowSeeds(), FlowMemory: o.memory,
		Memory: o.held, Fuzz: o.fuzz, Solved: o.searching() && !o.chance, Symbolic: o.symbolic,
		Ask: o.question, VisibleAt: o.asked,
		Predict: o.predict, Patterns: o.patterns, Regions: o.regions, Complete: o.complete,
		Solve: int64(o.solve), Whole: o.whole, Input: o.input,
	}
	if o.set["solver"] && o.solver != "own" {
		c.Solver = o.solver
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
