package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"strings"
	"time"

	"heddle/internal/run"
	"heddle/predict"
	"heddle/rt/wire"
)

const pecan = "heddle/bench/programs/pecan"

const (
	predictRuns   = 5 // of each program: the least times count
	predictBudget = 5 * time.Minute
	activeRuns    = 100 // executions of the active tester for each anomaly
)

// A predictRow is a program of bench/programs/pecan with the figures of its row in Table 1 of
// Huang & Zhang.
type predictRow struct {
	test  string
	paper string // threads, shared variables, events | races, AV, ASV | real, exceptions, failed
	asset string // it is also a row of Table 2, with AssetFuzzer's success there

	// its bug lies between critical sections: regions reach from one wait of a goroutine to the
	// next
	whole bool
}

var predictRows = []predictRow{
	{test: "Account", paper: "3, 4, 66 / 7, 2, 6 / 15, 8, 0"},
	{test: "BuggyProgram", paper: "4, 5, 225 / 9, 1, 0 / 10, 1, 0"},
	{test: "CriticalSection", paper: "3, 1, 19 / 16, 14, 0 / 28, 2, 0"},
	{test: "Loader", paper: "4, 1, 48 / 2, 4, 0 / 5, 1, 0"},
	{test: "Manager", paper: "5, 3, 158 / 15, 0, 0 / 14, 1, 1"},
	{test: "MergeSort", paper: "6, 2, 1587 / 8, 10, 0 / 8, 1, 10", whole: true},
	{test: "Shop", paper: "4, 1, 429 / 4, 0, 0 / 4, 1, 0"},
	{test: "StringBuf", paper: "3, 2, 86 / 0, 1, 0 / 1, 1, 0", asset: "0.90"},
	{test: "ArrayList", paper: "3, 3, 294 / 6, 1, 4 / 11, 2, 0", asset: "0.35"},
	{test: "LinkedList", paper: "3, 9, 357 / 6, 1, 7 / 13, 3, 0", asset: "0.53"},
	{test: "HashSet", paper: "3, 11, 404 / 4, 3, 4 / 10, 5, 0", asset: "0.35"},
	{test: "TreeSet", paper: "3, 23, 475 / 4, 2, 4 / 10, 4, 0", asset: "0.11"},
	{test: "Moldyn", paper: "2, 11, 134375 / 4, 0, 0 / 1, 0, 3", asset: "1.00"},
	{test: "RayTracer", paper: "2, 399, 15140 / 2, 2, 0 / 4, 0, 0", asset: "0.998"},
	{test: "MonteCarlo", paper: "2, 9, 7650 / 1, 0, 0 / 1, 0, 0", asset: "0.990"},
	{test: "Cache", paper: "Cache4j: 5, 19, 1077 / 5, 2, 0 / 5, 0, 2", asset: "0.933"},
	{test: "Warehouses", paper: "SpecJBB: 4, 116, 60775 / 24, 1, 0 / 18, 2, 7"},
	{test: "Crawler", paper: "Hedc: 7, 10, 3117 / 25, 3, 0 / 12, 2, 16", asset: "0.976"},
	{test: "Mirror", paper: "Weblech: 3, 26, 10640 / 10, 0, 0 / 4, 0, 6", asset: "0.261"},
	{test: "Figure6", paper: "figure 6, OpenJMS"},
	{test: "Figure7", paper: "figure 7, Jigsaw", whole: true},
	{test: "Store10k"},
	{test: "Store100k"},
	{test: "Store450k"},
	{test: "Store1M"},
	{test: "Database100k"},
	{test: "Database450k", paper: "Derby: 4, 99, 447392 / 144, 319, 0 / 38, 6, 62"},
	{test: "Database2M"},
}

// large reports whether the trace is so long that one prediction is measured.
func (r predictRow) large() bool {
	return strings.HasPrefix(r.test, "Store") || strings.HasPrefix(r.test, "Database")
}

// measurePredictions writes docs/results/prediction.md: the predictions for the programs, how many
// are confirmed, and how often an active tester shows the same.
func measurePredictions(ctx context.Context, file string) error {
	b, err := buildPackage(ctx, pecan, false)
	if err != nil {
		return err
	}
	plain, err := buildNative(ctx, pecan, b.dir)
	if err != nil {
		return err
	}
	defer plain.remove()
	var one, two, three strings.Builder
	for _, r := range predictRows {
		runs := predictRuns
		if r.large() {
			runs = 1
		}
		p, err := b.predictions(ctx, r, runs)
		if err != nil {
			return err
		}
		line := p.row(r, plain.overhead(ctx, r.test, p))
		log.Print(line)
		fmt.Fprintln(&one, line)
		if r.asset != "" {
			p, err := b.predict(ctx, r, activeRuns)
			if err != nil {
				return err
			}
			line := successRow(r, p)
			log.Print(line)
			fmt.Fprintln(&two, line)
		}
		if r.large() {
			line, err := b.atBudget(ctx, r)
			if err != nil {
				return err
			}
			log.Print(line)
			fmt.Fprintln(&three, line)
		}
	}
	return os.WriteFile(file,
		[]byte(fmt.Sprintf(predictionPage, commit(), predictRuns, one.String(), activeRuns, two.String(),
			defaultBudget, three.String())),
		0o666)
}

const predictionPage = `# What prediction comes to

Made by ` + "`" + `go run ./bench -predict docs/results/prediction.md` + "`" + ` at %s.

The programs are those of ` + "`" + `bench/programs/pecan` + "`" + `, in the spirit of the rows of Table 1 of Huang &
Zhang (PECAN, ISSTA 2011), and of its figures 6 and 7. They were written from what the literature
says of them, so their numbers are not the paper's. Stores of several sizes have traces that are
recorded like any other; databases are that with dozens of anomalies. One execution of each program
is recorded and predicted from. Times are processor time of all threads, garbage collection
included: the least of %d predictions (stores and databases: of one).

- *Native*: an execution by ` + "`" + `go test` + "`" + `, without heddle. Where it fails natively there is no figure.
- *Recorded*: the execution that was recorded, with every memory access a step.
- *Overhead*: how many times the native execution the recorded one took longer, as in the paper.
- *Analysis*: making the graph and searching it.
- *Schedule*: making one schedule by moving operations, on average.
- *Solver*: one question to the solver, on average; 0: it was not asked.
- *Confirmed*: an execution of a schedule showed it, or one in which its goroutines were brought to
  its events one after the other (` + "`" + `predict.Director` + "`" + `).
- *Refuted*: there is no schedule, or it did not fit and the goroutines could not be brought there.
- *Panics*: executions of schedules in which the program panicked.

Regions are the outermost critical sections, where nothing else is said. Confirmed and refuted are
of races, atomicity and serializability; these programs have no deadlocks, leaks or misuse. The last
column has, where there is a row for it, the paper's threads, variables, events / races, atomicity,
serializability / real, exceptions, failed.

| program | goroutines | variables | events | native | recorded | overhead | analysis | schedule | solver | races | atomicity | serializability | confirmed | refuted | panics | paper |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |
%s
## Beside an active tester

As in the paper's Table 2, real anomalies are those that any execution showed, of a schedule or of
the tester. The tester is ` + "`" + `predict.Tester` + "`" + `. It goes on at random, but postpones, at random, a
goroutine that is about to access a suspected place out of turn. It makes %d executions for every
anomaly. *Confirmed* is the share of the real anomalies that heddle predict confirmed. *Active
tester* is the share of its executions that showed the anomaly, the mean over the real ones, and the
lowest.

| program | real | confirmed | active tester | lowest | paper: PECAN | paper: AssetFuzzer |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
%s
## Long executions at the default budget

One process, a budget of %v, and the time that it took in all, clips included. *First*: from the
end of the recorded execution to the first verdict. *Findings*: with what the first execution and
those in other orders show.

| program | events | predicted | confirmed | refuted | not tried | findings | first | time |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
%s`

// defaultBudget is what heddle predict has for a test.
const defaultBudget = 10 * time.Second

// atBudget returns a row of the third table.
func (b *binary) atBudget(ctx context.Context, r predictRow) (string, error) {
	began := time.Now()
	told, findings, err := b.predicting(ctx, r, wire.Config{Budget: int64(defaultBudget)})
	if err != nil {
		return "", err
	}
	n := map[string]int{}
	for _, c := range told.All {
		n[c.Verdict]++
	}
	return fmt.Sprintf("| %s | %d | %d | %d | %d | %d | %d | %.1f s | %.1f s |", r.test, told.Events,
		len(told.All), n[wire.Confirmed], n[wire.Refuted], n[wire.Untried]+n[wire.Unknown], findings,
		told.First, time.Since(began).Seconds()), nil
}

// predictions are several predictions from the same execution.
type predictions []*wire.Predicted

// predictions predicts from one test several times.
func (b *binary) predictions(ctx context.Context, r predictRow, runs int) (all predictions, err error) {
	for range runs {
		p, err := b.predict(ctx, r, 0)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// predict predicts from one test. The active tester makes the given number of executions for each
// prediction.
func (b *binary) predict(ctx context.Context, r predictRow, active int) (*wire.Predicted, error) {
	regions := predict.Locks
	if r.whole {
		regions = predict.Goroutines
	}
	told, _, err := b.predicting(ctx, r, wire.Config{Budget: int64(predictBudget), Regions: regions.String(),
		Active: active, Measure: true})
	return told, err
}

// predicting predicts from one test as c says. It returns what is told, and how many findings came.
func (b *binary) predicting(ctx context.Context, r predictRow, c wire.Config) (told *wire.Predicted,
	findings int, err error) {
	c.Mode, c.Package, c.Strategy, c.Seed = "test", pecan, "predict", 1
	c.Visible, c.Race, c.Isolate, c.Count = "auto", true, "vars", 1
	err = run.Binary(ctx, b.path, b.dir, c, []string{"-test.run=^Test" + r.test + "$"},
		func(rec *wire.Record) {
			if rec.Predicted != nil {
				told = rec.Predicted
			}
			if rec.Finding != nil {
				findings++
			}
		})
	if err != nil && err != io.EOF {
		return nil, 0, err
	}
	if told == nil {
		return nil, 0, fmt.Errorf("nothing was predicted of Test%s in %s", r.test, pecan)
	}
	return told, findings, nil
}

// least returns the least value of a figure.
func (ps predictions) least(f func(*wire.Predicted) float64) float64 {
	low := f(ps[0])
	for _, p := range ps {
		low = min(low, f(p))
	}
	return low
}

// accessKinds are the kinds of findings of Table 1.
var accessKinds = []string{predict.DataRace, predict.Atomicity, predict.Serializability}

// name returns the table's name of a program.
func (r predictRow) name() string {
	if r.whole {
		return r.test + " (regions of goroutines)"
	}
	return r.test
}

// row returns a row of the first table.
func (ps predictions) row(r predictRow, overhead string) string {
	p := ps[0]
	kinds, verdicts := map[string]int{}, map[string]int{}
	for _, c := range p.All {
		if slices.Contains(accessKinds, c.Kind) {
			kinds[c.Kind]++
			verdicts[c.Verdict]++
		}
	}
	refuted := fmt.Sprint(verdicts[wire.Refuted])
	if n := verdicts[wire.Unknown] + verdicts[wire.Untried]; n > 0 {
		refuted += fmt.Sprintf(", %d not decided", n)
	}
	schedule := ps.least(func(p *wire.Predicted) float64 { return p.Scheduling / float64(max(p.Moved, 1)) })
	solved := ps.least(func(p *wire.Predicted) float64 { return p.Solving / float64(max(p.Questions, 1)) })
	return fmt.Sprintf("| %s | %d | %d | %d | %s | %s | %s | %s | %d | %d | %d | %d | %s | %d | %s |",
		r.name(), p.Goroutines, p.Locations, p.Events, overhead,
		spent(ps.least(func(p *wire.Predicted) float64 { return p.Analysis })), spent(schedule),
		spent(solved),
		kinds[predict.DataRace], kinds[predict.Atomicity], kinds[predict.Serializability],
		verdicts[wire.Confirmed], refuted, p.Panics, r.paper)
}

// overhead returns how the recorded execution compares with a native one, as text: the time of the
// native one, and how many times that the recorded one took longer.
func (n *native) overhead(ctx context.Context, test string, ps predictions) string {
	recorded := ps.least(func(p *wire.Predicted) float64 { return p.Recorded })
	plain, ok := n.execution(ctx, test)
	if !ok || plain == 0 {
		return "- | " + spent(recorded) + " | -"
	}
	return fmt.Sprintf("%s | %s | %.1fx", spent(plain), spent(recorded), max(0, recorded/plain-1))
}

// successRow returns a row of the second table.
func successRow(r predictRow, p *wire.Predicted) string {
	real, confirmed, lowest, sum := 0, 0, 1.0, 0.0
	for _, c := range p.All {
		if !slices.Contains(accessKinds, c.Kind) || c.Verdict != wire.Confirmed && c.Active == 0 {
			continue
		}
		real++
		if c.Verdict == wire.Confirmed {
			confirmed++
		}
		share := float64(c.Active) / activeRuns
		sum += share
		lowest = min(lowest, share)
	}
	n := float64(max(real, 1))
	return fmt.Sprintf("| %s | %d | %.2f | %.2f | %.2f | 1.00 | %s |", r.test, real, float64(confirmed)/n,
		sum/n, lowest, r.asset)
}

// spent returns a time in milliseconds as text.
func spent(seconds float64) string { return fmt.Sprintf("%.2f ms", 1000*seconds) }
