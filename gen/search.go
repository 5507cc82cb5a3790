package gen

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Batch is how many scenarios one run of the pool's binary can have.
const Batch = 24

// A Runner executes scenarios under heddle's control.
type Runner interface {
	// Run executes the scenarios with these arguments of the binary of the pool's file: the tests
	// TestHeddleGen0 to n-1, each so many times at most. It returns what became of each.
	Run(ctx context.Context, args []string, n, runs int, seed uint64, how How) ([]Ran, error)
}

// How says how scenarios are executed.
type How uint8

// Ways to execute scenarios.
const (
	UntilFailure How = iota
	ForPatterns      // until a failure, with every access a step; Ran has the patterns
	Throughout       // also after a failure
)

// A Ran is what became of a scenario.
type Ran struct {
	Executions int
	Failure    *Failure // nil: none
	Leaks      bool     // goroutines were left that wait for ever
	Waits      bool     // calls waited for ever, in an execution
	Forms      []uint64 // of the memory-access patterns that its executions have shown
}

// A search looks for tests: scenarios that fail, and scenarios that show patterns which no other
// one shows. As MAPTest does, calls and sequences that gave new patterns are kept, and changed at
// one place to give others.
type search struct {
	*Suite
	run     Runner
	seen    map[uint64]bool // patterns
	tried   map[string]bool
	corpus  []*scenario
	failing []found
	endless []found        // the same, but calls of it may wait for ever
	dropped map[string]int // by kind of failure: tests that fail with one goroutine too
	seed    uint64
	begun   time.Time
	budget  time.Duration
}

// A found is a scenario that fails.
type found struct {
	sc *scenario
	Failure
	levels  string // how results were compared
	blocked string // orders that waited, as the check had found them
}

// maxFailures is after how many failures of different kinds or methods a search ends.
const maxFailures = 3

// Rounds of a search, and how often each scenario of a round is executed: the same for the same
// seed, however fast the machine is.
const (
	rounds       = 8
	afterFailure = 2 // rounds
	patternRuns  = 10
	firstRuns    = 50
	smallerRuns  = 400
)

// Search looks for tests, for so long at most, and makes those that fail smaller. The error says
// why there are none.
func (s *Suite) Search(ctx context.Context, run Runner, budget time.Duration) error {
	f := &search{Suite: s, run: run, seen: map[uint64]bool{}, tried: map[string]bool{},
		dropped: map[string]int{}, seed: s.opt.Seed,
		begun: time.Now(), budget: budget}
	last := rounds
	for round := 0; round < last && len(f.failing) < maxFailures; round++ {
		if s.cut = time.Since(f.begun) > budget; s.cut {
			break
		}
		batch := s.draw(Batch, f)
		if len(batch) == 0 {
			break
		}
		s.drawn += len(batch)
		fine, why, err := f.checked(ctx, batch, 2)
		if err != nil {
			return err
		}
		for k, n := range why {
			s.why[k] += n
		}
		s.executed += len(fine)
		if round == 2 && len(f.corpus) == 0 && len(fine) == 0 {
			break
		}
		levels := f.levelsText()
		rans, err := f.execute(ctx, fine, patternRuns, ForPatterns)
		if err != nil {
			return err
		}
		more, err := f.execute(ctx, fine, firstRuns<<(round/2), UntilFailure)
		if err != nil {
			return err
		}
		if more, err = f.wakeups(ctx, fine, more); err != nil {
			return err
		}
		for i := range rans {
			if rans[i].Failure == nil {
				rans[i].Failure = more[i].Failure
			}
		}
		for i, r := range rans {
			fresh := 0
			for _, p := range r.Forms {
				if !f.seen[p] {
					f.seen[p], fresh = true, fresh+1
				}
			}
			fine[i].leaks = r.Leaks || more[i].Leaks
			if fine[i].fails = r.Failure != nil || fine[i].woken; fine[i].fails {
				s.why["fails"]++
			}
			if fresh > 0 {
				fine[i].kept = fresh
				f.corpus = append(f.corpus, fine[i])
			} else if r.Failure == nil && len(f.corpus) < s.opt.Tests {
				f.corpus = append(f.corpus, fine[i])
			}
			if r.Failure == nil || f.known(fine[i], r.Failure) || len(f.failing) >= maxFailures {
				continue
			}
			if excused, err := f.excuses(ctx, fine[i], r.Failure.Kind); err != nil {
				return err
			} else if excused {
				continue
			}
			if err := f.failed(ctx, found{fine[i], *r.Failure, levels, fine[i].blocked}); err != nil {
				return err
			}
			if len(f.failing) > 0 {
				last = min(last, round+afterFailure+1)
			}
		}
	}
	f.quiet()
	slices.SortStableFunc(f.corpus, func(a, b *scenario) int { return b.kept - a.kept })
	if err := f.steady(ctx); err != nil {
		return err
	}
	for _, x := range f.endless {
		if !f.known(x.sc, &x.Failure) {
			f.note("%s, but the calls may wait for ever, so it is no test: %s: %s", x.Kind, x.sc.show(s),
				x.Message)
		}
	}
	for _, x := range f.failing {
		if again, err := f.stillFails(ctx, x); err != nil {
			return err
		} else if !again {
			continue
		}
		s.tests, s.failures = append(s.tests, x.sc), append(s.failures, x.Failure)
	}
	for _, sc := range f.corpus {
		if !sc.fails && len(s.tests) < s.opt.Tests && !slices.ContainsFunc(s.tests,
			func(o *scenario) bool { return o.text() == sc.text() }) {
			s.tests = append(s.tests, sc)
		}
	}
	if len(s.tests) == 0 {
		return s.none()
	}
	return nil
}

// steady looks at the tests that are to be written for what the search did not come to: results
// that vary by what goes on inside the type, and calls that wait for ever, for each other, for
// instance. Then results are compared less, or the test is not written. Nor is one for which there
// is no time.
func (f *search) steady(ctx context.Context) error {
	n := 0
	for _, sc := range f.corpus {
		if sc.fails || n == f.opt.Tests {
			continue
		}
		if n > 0 && f.late() {
			sc.fails, f.cut = true, true
			continue
		}
		r, err := f.throughout(ctx, sc)
		if err != nil {
			return err
		}
		if r.Waits {
			f.why["waits"]++
		}
		x := r.Failure
		sc.fails = r.Waits || x != nil
		if x != nil && !f.known(sc, x) && len(f.failing) < maxFailures {
			if excused, err := f.excuses(ctx, sc, x.Kind); err != nil {
				return err
			} else if !excused {
				if err := f.failed(ctx, found{sc, *x, f.levelsText(), sc.blocked}); err != nil {
					return err
				}
			}
		}
		for varies := true; varies && !sc.fails; {
			levels := f.levelsText()
			var err error
			if varies, err = f.alone(ctx, sc, "test failure"); err != nil {
				return err
			}
			sc.fails = varies && levels == f.levelsText()
		}
		if !sc.fails {
			n++
		}
	}
	return nil
}

// late reports whether the search has taken all the time it has, twice.
func (f *search) late() bool { return time.Since(f.begun) > 2*f.budget }

// wakeups executes scenarios more often that have not failed and whose calls wait: for a wakeup to
// be lost, several goroutines must come in one order, each at one place.
func (f *search) wakeups(ctx context.Context, all []*scenario, rans []Ran) ([]Ran, error) {
	var again []*scenario
	var at []int
	for i, sc := range all {
		if sc.blocked != "" && rans[i].Failure == nil {
			again, at = append(again, sc), append(at, i)
		}
	}
	more, err := f.execute(ctx, again, smallerRuns, UntilFailure)
	for k, r := range more {
		rans[at[k]] = r
	}
	return rans, err
}

// throughout executes a scenario in which calls may wait, also after a failure, which may hide that
// they wait for ever. Another scenario is not executed.
func (f *search) throughout(ctx context.Context, sc *scenario) (r Ran, err error) {
	if sc.blocked == "" {
		return r, nil
	}
	rans, err := f.execute(ctx, []*scenario{sc}, smallerRuns, Throughout)
	if err == nil {
		r = rans[0]
	}
	return r, err
}

// waits reports whether calls of a scenario wait for ever in an execution, though they need not.
func (f *search) waits(ctx context.Context, sc *scenario) (bool, error) {
	r, err := f.throughout(ctx, sc)
	return r.Waits, err
}

// quiet leaves scenarios out that leave goroutines behind, such as one that feeds a channel which
// no test reads, unless all do: then it is the type that does.
func (f *search) quiet() {
	is := func(sc *scenario) bool { return sc.leaks && !sc.fails }
	i := slices.IndexFunc(f.corpus, is)
	if i < 0 || !slices.ContainsFunc(f.corpus, func(sc *scenario) bool { return !sc.leaks && !sc.fails }) {
		return
	}
	f.note("tests were dropped that leave goroutines waiting for what the test does not do: %s",
		f.corpus[i].show(f.Suite))
	f.corpus = slices.DeleteFunc(f.corpus, is)
}

// excuses reports whether a failure of a scenario whose calls may wait is none: no sequential order
// has what one returns that another one woke by ending the object. That calls wait for ever is none
// if they do so too when each begins only when all others have returned, or wait: one that waits
// can keep others from going on, by its place in a queue for instance. If they never do so then,
// though there is always a call that can go on (see sequential), a wakeup was lost.
func (f *search) excuses(ctx context.Context, sc *scenario, kind string) (bool, error) {
	if kind == "test failure" && sc.woken {
		return true, nil
	}
	if kind != "deadlock" || sc.blocked == "" {
		return false, nil
	}
	ended, err := f.inTurn(ctx, []*scenario{sc}, []string{""}, inTurnRuns)
	return err != nil || !ended[0], err
}

// What stands in the place of the orders that wait: before the name of a file, in scenarios whose
// calls are made in turn; before results, in those whose calls wait for each other.
const (
	inTurn  = "in-turn"
	results = "results"
)

// How often calls are made in turn, at first and if they ended so often, and how many results of
// that are many.
const (
	firstTurns  = 100
	inTurnRuns  = 2000
	manyResults = 60
)

// inTurn executes scenarios such that a call begins only when all others have returned or wait. It
// returns which of them have always ended. Results go to the files that have a name.
func (f *search) inTurn(ctx context.Context, all []*scenario, files []string, runs int) ([]bool, error) {
	var turns []*scenario
	for i, sc := range all {
		c := sc.clone()
		c.blocked = inTurn + " " + files[i]
		turns = append(turns, c)
	}
	rans, err := f.execute(ctx, turns, runs, UntilFailure)
	var ended []bool
	for _, r := range rans {
		ended = append(ended, !r.Waits && r.Failure == nil && !r.Leaks)
	}
	return ended, err
}

// checked is sequential, and adds the scenarios whose calls wait for each other: no order of calls
// that come one after the other is one of theirs.
func (f *search) checked(ctx context.Context, all []*scenario, repeat int) (fine []*scenario,
	why map[string]int, err error) {
	fine, why, err = f.sequential(ctx, all, repeat)
	if err != nil || why["meets"] == 0 || f.spec != nil {
		return fine, why, err
	}
	var meet []*scenario
	for _, sc := range all {
		if sc.meets {
			meet = append(meet, sc)
		}
	}
	met, err := f.meet(ctx, meet)
	why["meets"] -= len(met)
	return append(fine, met...), why, err
}

// meet returns those of some scenarios that always end if their calls are made in turn, with what
// these return.
func (f *search) meet(ctx context.Context, all []*scenario) (fine []*scenario, err error) {
	dir, err := os.MkdirTemp("", "heddle-gen-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for _, runs := range []int{firstTurns, inTurnRuns} {
		var files []string
		for i := range all {
			files = append(files, filepath.Join(dir, strconv.Itoa(i)))
			if err := os.WriteFile(files[i], nil, 0o666); err != nil {
				return nil, err
			}
		}
		ended, err := f.inTurn(ctx, all, files, runs)
		if err != nil {
			return nil, err
		}
		fine = nil
		for i, sc := range all {
			text, err := os.ReadFile(files[i])
			if err != nil {
				return nil, err
			}
			lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
			slices.Sort(lines)
			if lines = slices.Compact(lines); ended[i] && len(lines) < manyResults {
				sc.blocked, sc.woken = results+"\n"+strings.Join(lines, "\n"), f.hasEnd(sc)
				fine = append(fine, sc)
			}
		}
		all = fine
	}
	return fine, nil
}

// ends has the names of methods that end an object, and with it the calls that wait.
var ends = regexp.MustCompile(`^(Close|Stop|Shut|Dispose|Cancel|Quit|Terminate|Abort)`)

// draw makes up to n scenarios that were not tried yet; half of them, where f has some that gave
// new patterns, by a change of one of these.
func (s *Suite) draw(n int, f *search) (all []*scenario) {
	tried := map[string]bool{}
	if f != nil {
		tried = f.tried
	}
	for tries := 0; len(all) < n && tries < 40*n; tries++ {
		var sc *scenario
		if f != nil && len(f.corpus) > 0 && s.rng.IntN(2) == 0 {
			sc = s.mutate(f.corpus[s.rng.IntN(len(f.corpus))])
		} else {
			sc = s.random()
		}
		if text := sc.text(); s.allowed(sc) && !tried[text] {
			tried[text] = true
			all = append(all, sc)
		}
	}
	return all
}

// execute has scenarios executed.
func (f *search) execute(ctx context.Context, all []*scenario, runs int, how How) (rans []Ran,
	err error) {
	for part := range slices.Chunk(all, Batch) {
		args := []string{f.levelsText()}
		for _, sc := range part {
			args = append(args, sc.text())
		}
		f.seed++
		rs, err := f.run.Run(ctx, args, len(part), runs, f.seed, how)
		if err != nil {
			return nil, err
		}
		for _, r := range rs {
			f.executions += r.Executions
		}
		rans = append(rans, rs...)
	}
	return rans, nil
}

// known reports whether a failure of the same kind is known of methods that sc calls too.
func (f *search) known(sc *scenario, failure *Failure) bool { return f.among(f.failing, sc, failure) }

// among is known for a list of failures.
func (f *search) among(all []found, sc *scenario, failure *Failure) bool {
	have := f.methodsOf(sc)
	return slices.ContainsFunc(all, func(x found) bool {
		return x.Kind == failure.Kind && !slices.ContainsFunc(f.methodsOf(x.sc), func(m string) bool {
			return !slices.Contains(have, m)
		})
	})
}

// Repeats of the check of a scenario that fails, and how often it is made smaller.
const (
	failingRepeat = 40
	smallerRounds = 12
)

// failed keeps a scenario that fails, made as small as it can be, unless its results vary when its
// calls are made one after the other.
func (f *search) failed(ctx context.Context, now found) error {
	sc := now.sc
	if again, err := f.stillFails(ctx, now); err != nil || !again {
		return err
	}
	fine, _, err := f.checked(ctx, []*scenario{sc}, failingRepeat)
	if err != nil {
		return err
	}
	if len(fine) == 0 {
		f.note("a test was dropped whose calls give other results each time, one after the other: %s",
			sc.show(f.Suite))
		return nil
	}
	if alone, err := f.alone(ctx, sc, now.Kind); err != nil || alone {
		return err
	}
	endless := false
	if now.Kind != "deadlock" {
		if endless, err = f.waits(ctx, sc); err != nil || endless && f.among(f.endless, sc, &now.Failure) {
			return err
		}
	}
	tried := map[string]bool{}
	for round := 0; round < smallerRounds && !f.late(); round++ {
		var all []*scenario
		for _, c := range f.smaller(now.sc) {
			if text := c.text(); !tried[text] && f.allowed(c) {
				tried[text] = true
				all = append(all, c)
			}
		}
		if all, _, err = f.checked(ctx, all, 3); err != nil {
			return err
		}
		rans, err := f.execute(ctx, all, smallerRuns, UntilFailure)
		if err != nil {
			return err
		}
		best := -1 // the first that fails, and ends if there is one that does
		for i := range rans {
			if rans[i].Failure == nil || rans[i].Failure.Kind != now.Kind {
				continue
			}
			if excused, err := f.excuses(ctx, all[i], now.Kind); err != nil {
				return err
			} else if excused {
				continue
			}
			w := false
			if now.Kind != "deadlock" {
				if w, err = f.waits(ctx, all[i]); err != nil {
					return err
				}
			}
			if !w || endless && best < 0 {
				if best = i; !w {
					endless = false
					break
				}
			}
		}
		if best < 0 {
			break
		}
		now = found{all[best], *rans[best].Failure, f.levelsText(), all[best].blocked}
	}
	if endless {
		f.endless = append(f.endless, now)
		return nil
	}
	fine, _, err = f.checked(ctx, []*scenario{now.sc}, failingRepeat)
	if err != nil || len(fine) == 0 {
		return err
	}
	if alone, err := f.alone(ctx, now.sc, now.Kind); err != nil || alone || f.known(now.sc, &now.Failure) {
		return err
	}
	if again, err := f.stillFails(ctx, now); err != nil || !again {
		return err
	}
	now.blocked, now.levels = now.sc.blocked, f.levelsText()
	f.failing = append(f.failing, now)
	return nil
}

// alone reports whether a scenario that fails does so too if one goroutine makes all its calls:
// then what goes on inside the type varies, and not what callers do at the same time. A data race,
// misuse and a panic are failures all the same. Methods whose results vary so are compared less.
func (f *search) alone(ctx context.Context, sc *scenario, kind string) (bool, error) {
	if kind != "test failure" && kind != "deadlock" {
		return false, nil
	}
	fails := func() (bool, error) {
		one, _, err := f.sequential(ctx, sc.joined(), 3)
		if err != nil {
			return false, err
		}
		rans, err := f.execute(ctx, one, smallerRuns, UntilFailure)
		return slices.ContainsFunc(rans, func(r Ran) bool {
			return r.Failure != nil && r.Failure.Kind == kind
		}), err
	}
	if same, err := fails(); err != nil || !same {
		return false, err
	}
	if kind == "test failure" && f.spec != nil {
		if steady, err := f.steadyAlone(ctx, sc); err != nil || steady {
			if err == nil {
				f.note("-spec %s: one goroutine alone, too, gets other results from %s than it says",
					f.opt.Spec, f.typeName())
			}
			return false, err
		}
	}
	if kind == "test failure" {
		for _, c := range sc.all() {
			m := f.pool[c.entry].method
			for had := f.levels[m]; f.levels[m] < notCompared; {
				f.levels[m]++
				if same, err := fails(); err != nil {
					return false, err
				} else if !same {
					how := "not compared"
					if f.levels[m] == asSets {
						how = "compared as sets"
					}
					if f.opt.Spec != "" {
						f.note("-spec %s: with one goroutine, %s of %s returns something else than the "+
							"specification says in some executions: its results are %s",
							f.opt.Spec, m, f.typeName(), how)
						return true, nil
					}
					f.note("what %s returns varies by itself, with one goroutine: it is called, and its results are %s",
						m, how)
					return true, nil
				} else if f.levels[m] == notCompared {
					f.levels[m] = had
					break
				}
			}
		}
	}
	if f.dropped[kind]++; f.dropped[kind] == 1 && f.opt.Spec != "" && kind == "test failure" {
		f.note("-spec %s: tests were dropped in which it panics, or says other results than %s has, though "+
			"one goroutine alone makes the calls, one after the other; mend the one that is wrong: %s",
			f.opt.Spec, f.typeName(), sc.show(f.Suite))
	} else if f.dropped[kind] == 1 {
		f.note("tests were dropped that fail (%s) if one goroutine alone makes the calls, one after the other, too: %s",
			kind, sc.show(f.Suite))
	}
	return true, nil
}

// steadyAlone reports whether the type itself, and not the specification, returns the same each
// time if one goroutine makes the calls of a scenario, and each execution fails: then the type is
// not what the specification says.
func (f *search) steadyAlone(ctx context.Context, sc *scenario) (bool, error) {
	all := sc.joined()
	for _, c := range all {
		c.blocked = own
	}
	verdicts, err := f.verdicts(ctx, all, failingRepeat)
	if err != nil || slices.ContainsFunc(verdicts,
		func(v string) bool { return !strings.HasPrefix(v, "fine") }) {
		return false, err
	}
	all, failed := sc.joined(), make([]int, len(all))
	for range aloneTimes {
		rans, err := f.execute(ctx, all, 1, UntilFailure)
		if err != nil {
			return false, err
		}
		for i, r := range rans {
			if r.Failure != nil {
				failed[i]++
			}
		}
	}
	return slices.Contains(failed, aloneTimes), nil
}

// aloneTimes is how many executions must fail of calls that one goroutine makes.
const aloneTimes = 5

// own stands in the place of the orders that wait where the calls are not those of a specification.
const own = "own"

// stillFails reports whether a scenario fails with results compared as they are now.
func (f *search) stillFails(ctx context.Context, x found) (bool, error) {
	if x.Kind != "test failure" || x.levels == f.levelsText() && x.blocked == x.sc.blocked {
		return true, nil
	}
	rans, err := f.execute(ctx, []*scenario{x.sc}, smallerRuns, UntilFailure)
	return err == nil && rans[0].Failure != nil && rans[0].Failure.Kind == x.Kind, err
}

// Shown returns a test in one line.
func (s *Suite) Shown(i int) string { return s.tests[i].show(s) }

// show writes a scenario in one line.
func (sc *scenario) show(s *Suite) string {
	part := func(calls []*call) string {
		var words []string
		for _, c := range calls {
			words = append(words, s.pool[c.entry].text())
		}
		return strings.Join(words, "; ")
	}
	var gs []string
	for _, g := range sc.goroutines {
		gs = append(gs, part(g))
	}
	text := s.makes[sc.creator].shown()
	for _, calls := range []string{part(sc.before), strings.Join(gs, " beside "), part(sc.after)} {
		if calls != "" {
			text += "; then " + calls
		}
	}
	return text
}
