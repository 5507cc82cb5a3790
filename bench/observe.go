package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"time"

	"heddle/rt/wire"
)

const observed = "heddle/bench/programs/observed"

// An observedRow is a program of bench/programs/observed with what is known of it; 0: not known.
type observedRow struct {
	test, what string

	dpor          int  // executions of optimal DPOR, as published
	observers, rf int  // by nidhugg --observers, nidhugg --rf
	outcomes      int  // different observations
	most          int  // the goal, where it is given as such
	likeDPOR      bool // the goal is as many as dpor, in at most 1.3 times the time
}

// goal is the largest number of executions wanted of observe: 1.2 times the best other figure.
func (r *observedRow) goal(dpor int) int {
	if r.most > 0 {
		return r.most
	}
	least := math.MaxInt
	for _, n := range []int{r.observers, r.rf, r.outcomes} {
		if n > 0 {
			least = min(least, n)
		}
	}
	if r.likeDPOR || least == math.MaxInt {
		return dpor
	}
	return least * 12 / 10
}

var literatureRows = []observedRow{
	{test: "TestFloatingRead", what: "floating read, 7 writers", dpor: 40320, observers: 449, rf: 8,
		outcomes: 8},
	{test: "TestLastWrite", what: "last write of 7", dpor: 5040, observers: 7, rf: 7, outcomes: 7},
	{test: "TestUnusedAdds", what: "seven Adds, results unused", dpor: 5040, observers: 1, rf: 5040,
		outcomes: 1},
	{test: "TestSigma6", what: "sigma 6", dpor: 10395, observers: 720, rf: 720, outcomes: 720},
	{test: "TestReorder4", what: "four setters, then a checker", dpor: 14400, observers: 1089, rf: 25,
		outcomes: 25},
	{test: "TestExponential3", what: "exponential 3", dpor: 36570, observers: 7714, rf: 3634},
	{test: "TestLoadStore5", what: "load, then store load+1, 5", dpor: 14400, observers: 5566, rf: 1296},
	{test: "TestRace5", what: "race 5", dpor: 34904, observers: 34904, rf: 8953},
	{test: "TestCompareAndStore4", what: "CAS of a word, 4", dpor: 1200, observers: 524, rf: 200},
	{test: "TestFib4", what: "Fib 4", dpor: 19605, likeDPOR: true},
	{test: "TestRotate6", what: "CASRot 6", likeDPOR: true},
	{test: "TestLastZero10", what: "LastZero 10", dpor: 3328, likeDPOR: true},
}

// shapeRows are shapes of Go tests. Their observations are counted by hand.
var shapeRows = []observedRow{
	{test: "TestFirstAnswer", what: "first of 5 answers, buffered channel", outcomes: 5},
	{test: "TestSemaphore", what: "semaphore channel, disjoint data", outcomes: 1},
	{test: "TestSlots", what: "6 set elements of a slice under a mutex", outcomes: 1},
	{test: "TestKeys", what: "6 set keys of a map under a mutex", outcomes: 1},
	{test: "TestSet", what: "6 add to a set under a mutex", outcomes: 1},
	{test: "TestSum", what: "5 queue values under a mutex, summed", outcomes: 1},
	{test: "TestCache", what: "RWMutex cache, 2 writers, 3 readers"},
	{test: "TestErrors", what: "group with a context, 2 of 3 fail", outcomes: 4},
	{test: "TestGroup", what: "group that keeps the first error", outcomes: 1},
	{test: "TestBuffer", what: "2 senders, 2 receivers, buffer of 2"},
	{test: "TestPairs", what: "16 pairs and a join", most: 32},
	{test: "TestSwaps", what: "4 goroutines swap a word twice"},
	{test: "TestAdds", what: "seven Adds, their sum looked at", outcomes: 1},
	{test: "TestPool", what: "3 workers, 6 jobs, results sorted"},
	{test: "TestOffers", what: "4 workers offer themselves for 6 jobs"},
	{test: "TestServer", what: "3 clients, 4 requests each to a server"},
	{test: "TestPasses", what: "3 goroutines pass 2 slots twice"},
	{test: "TestOrders", what: "order of 8 sections of 4 goroutines", outcomes: 2520},
}

const (
	observedRuns   = 3 // how often each search is made; the least time counts
	observedBudget = 30 * time.Second

	// costly is how many executions both searches must have made for the time of one to be told:
	// the first few take longer
	costly = 30
)

// observeTable measures dpor and observe on the programs of bench/programs/observed, and writes the
// table to a file.
func observeTable(ctx context.Context, file string) error {
	b, err := buildPackage(ctx, observed, false)
	if err != nil {
		return err
	}
	dpor, err := b.searches(ctx, "dpor")
	if err != nil {
		return err
	}
	observe, err := b.searches(ctx, "observe")
	if err != nil {
		return err
	}
	var text strings.Builder
	fmt.Fprintf(&text, observeHead, file, commit(), observedRuns, costly,
		observedBudget.Seconds())
	for _, part := range []struct {
		title string
		rows  []observedRow
	}{{"Programs of the literature", literatureRows}, {"Shapes of Go tests", shapeRows}} {
		fmt.Fprintf(&text, "\n## %s\n\n%s", part.title, observeColumns)
		for _, r := range part.rows {
			d, o := dpor[r.test], observe[r.test]
			if d == nil || o == nil {
				return fmt.Errorf("%s was not measured", r.test)
			}
			text.WriteString(r.line(d, o))
		}
	}
	fmt.Print(text.String())
	return os.WriteFile(file, []byte(text.String()), 0o666)
}

// searches makes all searches by one strategy.
func (b *binary) searches(ctx context.Context, strategy string) (map[string]*wire.Bench, error) {
	least := map[string]*wire.Bench{}
	for range observedRuns {
		found, err := b.benched(ctx, "^Test", "", wire.Config{Package: observed, Strategy: strategy,
			Race: true, Budget: int64(observedBudget)})
		if err != nil {
			return nil, err
		}
		for test, r := range found {
			if least[test] == nil || r.Processor < least[test].Processor {
				least[test] = r
			}
		}
	}
	return least, nil
}

const (
	observeHead = `# Executions of observe, beside dpor and Nidhugg

Made by ` + "`go run ./bench -observe %s`" + ` at %s: the
programs of ` + "`bench/programs/observed`" + `, each explored to its end by ` + "`-strategy dpor`" + ` and by
` + "`-strategy observe`" + ` in one run.

- *published*: executions of optimal DPOR; beside it those of ` + "`nidhugg --observers`" + ` and
  ` + "`nidhugg --rf`" + `. They were not measured here.
- *observations*: how many different things the program can observe, counted by hand.
- *goal*: 1.2 times the best of these figures; dpor's own where none is known, and for Fib, CASRot
  and LastZero, there in at most 1.3 times its time; for the pairs 32.
- Times are of the processor after the first execution, race detection included, the least of %d
  runs. What observe thinks between executions is in its time.
- *an execution*: this time, of dpor and of observe, for each execution, where both made at least
  %d. The goal is twice.
- > means that the search was ended after %.0f s of real time.
- *by dpor*: observe gave up and dpor went on. The reason follows.
`
	observeColumns = "| program | dpor | published | --observers | --rf | observations | goal | observe | reached " +
		"| time of dpor | of observe | an execution |\n" +
		"| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- | ---: | ---: | --- |\n"
)

// line is the row in the table.
func (r *observedRow) line(dpor, observe *wire.Bench) string {
	goal, reached := r.goal(dpor.Executions), "yes"
	spent, allowed := processor(observe), processor(dpor)
	switch {
	case observe.Executions > goal:
		reached = fmt.Sprintf("%.1f times", float64(observe.Executions)/float64(goal))
	case r.likeDPOR && spent > 1.3*allowed:
		reached = fmt.Sprintf("no: %.1f times the time", spent/allowed)
	}
	count := commas(observe.Executions)
	switch {
	case !observe.Complete:
		count, reached = "> "+count, "not complete"
	case observe.Yielded != "":
		count += " by dpor: " + observe.Yielded
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", r.what,
		commas(dpor.Executions), figure(r.dpor), figure(r.observers), figure(r.rf), figure(r.outcomes),
		commas(goal), count, reached, seconds(allowed), seconds(spent), each(dpor, observe))
}

// each says what an execution of both takes; nothing where they are too few, or not observe's.
func each(dpor, observe *wire.Bench) string {
	if min(dpor.Executions, observe.Executions) < costly || observe.Yielded != "" {
		return ""
	}
	return fmt.Sprintf("%.0f and %.0f µs: %.1f times", dpor.Processor/1000, observe.Processor/1000,
		observe.Processor/dpor.Processor)
}

// processor is the processor time of a search in seconds.
func processor(b *wire.Bench) float64 { return b.Processor * float64(b.Executions) / 1e9 }

// figure is a number of executions, nothing where it is not known.
func figure(n int) string {
	if n == 0 {
		return ""
	}
	return commas(n)
}
