// Package engine is the loop that explores one test, over an Executor: it asks a strategy for
// schedules, has them executed, makes clips of what they show, and says what was covered. Around
// that stand the budget, what executions teach for later ones, the comparison of two executions of
// one schedule, inputs of fuzz targets, prediction, the portfolio of the default strategy, and the
// pieces of a search that go to other processes. The same loop runs in a test binary and in the
// command.
package engine

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"heddle/explore"
	"heddle/explore/sample"
	"heddle/explore/succession"
	"heddle/explore/why"
	"heddle/rt/limit"
	"heddle/rt/wire"
	"heddle/symbolic"
	"heddle/trace"
)

// exploration is the state of one test's exploration. It is the same whether
// the test is executed in this process or in others: all that it knows of an
// execution is in Execution.
type exploration struct {
	x    Executor
	here Process // x, if it executes in this process; nil otherwise
	cfg  *wire.Config
	test string
	send func(*wire.Record)

	unit    *explore.Unit  // the strategy
	options explore.Values // of it

	budget
	lessons
	account
	halt
	notes

	q       wire.Request      // of run, used again and again
	keeping bool              // executions are made for the clip of a finding
	shown   bool              // what one execution prints
	expect  *wire.Expectation // looked for in every execution
	// every interleaving, or prediction, is to be covered: a finding does not end that
	whole    bool
	foretold *foreteller // predicts from executions after the first; nil: it is not predicted

	input    []string         // of a fuzz target; nil: its corpus
	named    []string         // what its values are, see wire.Result
	paths    witness          // of executions with inputs that are searched for, nil if none are
	together *symbolic.Inputs // they and the schedules are explored in one net

	cover    *coverage        // of memory-access patterns; nil: not asked for
	orders   *orders          // that executions have shown, of strategy auto
	compared *orders          // the same, as strategies are compared by
	measures explore.Measures // of the strategy
}

// A halt says why an exploration ends, or goes on elsewhere.
type halt struct {
	err    error  // what kept the last execution from being made
	over   bool   // an execution said that there is no point in others
	move   string // why the test is to be executed in processes of its own; "": it is not
	moveAt trace.Site
	looked bool        // at an execution, for what it shows
	anew   bool        // the test is to begin again in another process, see heir
	share  *wire.Share // others go on
	draws  int         // inputs that properties have drawn
	short  bool        // executions are too short for others to make them
}

// newExploration prepares the exploration of one test. Records go to send.
func newExploration(ctx context.Context, cfg *wire.Config, test string, x Executor,
	send func(*wire.Record)) *exploration {
	e := &exploration{x: x, cfg: cfg, test: test, send: send, budget: newBudget(ctx, cfg)}
	e.here, _ = x.(Process)
	e.seen, e.progress, e.working = make(map[string]*wire.Finding), e.start, e.tellWorking
	if e.unit = explore.Lookup(cfg.Strategy); e.unit == nil {
		e.unit = &explore.Unit{Name: cfg.Strategy, Policy: cfg.Strategy}
	}
	e.options = e.unit.With(cfg.Options)
	e.whole, e.input = e.isWhole(), cfg.Input
	if cfg.Compare {
		e.compared = &orders{set: succession.NewSet()}
	}
	for _, s := range cfg.VisibleAt {
		e.visible = append(e.visible, trace.Site(s))
	}
	return e
}

// isWhole reports whether a finding does not end an exploration.
func (e *exploration) isWhole() bool { return e.unit.Whole || e.cfg.Whole }

// depth is that of policy pct.
func (e *exploration) depth() int { return cmp.Or(e.options.Int(sample.Depth.Name), 3) }

// Explore executes one test by x until the budget ends, and sends Records. It begins with the
// schedules first, whatever shows there, and the clips of the configuration. The error is x's.
//
// Where cfg.Isolate is "auto" and executions turn out not to be independent of each other, it ends
// with a Record of type "isolate": the test is to be explored by an Executor that uses a process
// for each; and where a test fails at once after others with one of type "anew": it is to be
// explored in a process in which it comes first. So it does where a clip does not fit after
// others.
func Explore(ctx context.Context, cfg *wire.Config, test string, x Executor, send func(*wire.Record),
	first ...*trace.Schedule) error {
	return newExploration(ctx, cfg, test, x, send).toEnd(first)
}

// toEnd explores the test, and tells of it from beginning to end.
func (e *exploration) toEnd(first []*trace.Schedule) error {
	cfg, test := e.cfg, e.test
	e.send(&wire.Record{Type: "begin", Test: test})
	end := e.guarded(first)
	if e.err != nil {
		return e.err
	}
	if e.move == "" && !e.anew && e.share == nil {
		e.tellCoverage()
		if text := AbortedNote(e.aborted); text != "" {
			e.note("%s", text)
		}
	}
	end.Buggy, end.Covering = e.buggy, e.covering
	if e.compared != nil {
		end.Orders, end.Memory = e.compared.set.Len(), limit.Peak()
	}
	end.Test, end.Executions, end.Elapsed, end.Strategy, end.Estimate = test, e.n,
		time.Since(e.start).Seconds(), cfg.Strategy, known(e.estimate)
	e.send(&end)
	return nil
}

// explore returns the Record that ends the test.
func (e *exploration) explore(first []*trace.Schedule) wire.Record {
	for i := range e.cfg.Clips {
		if c := &e.cfg.Clips[i]; c.Test == e.test && c.Isolate == "process" && e.cfg.Isolate == "auto" {
			return wire.Record{Type: "isolate", Text: fmt.Sprintf("%s was recorded in a process of its own, so every execution has one (-isolate=process)", c.Path)}
		}
	}
	for _, s := range first {
		if !e.ended() {
			e.run(s)
		}
	}
	e.tryClips()
	if e.anew {
		return wire.Record{Type: "anew"}
	}
	if e.cfg.Ask != nil {
		return ended(e.answer())
	}
	search := e.searching()
	if whole := search; e.cfg.Properties && (e.cfg.Fuzz == "" || e.cfg.Fuzz == wire.Named) {
		search = func() (string, bool, why.End) { return e.cases(e.searchingOne(), whole) }
	}
	if whole := search; e.cfg.Fuzz != "" {
		search = func() (string, bool, why.End) { return e.inputs(e.searchingOne(), whole) }
	}
	result, complete, end := search()
	if !complete && (e.outgrown || e.memory.Reached()) {
		end = end.And(e.memoryBound())
	}
	if e.move != "" {
		p := e.x.Resolve(e.moveAt)
		return wire.Record{Type: "isolate", Place: &p,
			Text: e.moved()}
	}
	if e.anew {
		return wire.Record{Type: "anew"}
	}
	if e.share != nil {
		return wire.Record{Type: "share", Share: e.share}
	}
	rec := ended(result, complete, end)
	rec.Groups = (*wire.Groups)(e.measures.Groups)
	return rec
}

// memoryBound says that a search held as much memory as it may.
func (e *exploration) memoryBound() why.Reason {
	return why.With(why.Search, "%s", wire.Size(e.cfg.Memory))
}

// ended is the Record that ends a test.
func ended(result string, complete bool, end why.End) wire.Record {
	return wire.Record{Type: "end", Result: result, Complete: complete, Reason: end.Text(complete), Why: end}
}

// searching returns how the strategy explores a test.
func (e *exploration) searching() func() (result string, complete bool, end why.End) {
	if e.unit.New != nil {
		return func() (string, bool, why.End) { return e.think(e.unit, nil) }
	}
	if composed := e.composed(); composed != nil {
		return composed
	}
	return e.sample
}

// searchingOne returns how it explores one of many inputs.
func (e *exploration) searchingOne() func() (result string, complete bool, end why.End) {
	if e.unit.Needs.Flow == explore.FlowBeside { // auto, which takes longer
		return e.sample
	}
	return e.searching()
}

// moved says that the test is to be executed in processes of its own, and why.
func (e *exploration) moved() string {
	return e.move + InProcesses
}

// InProcesses follows the reason why a test is executed in processes of its own.
const InProcesses = "; executions in one process are not independent of each other, so every one has a process of its own (-isolate=process)"

// ended reports whether there is to be no other execution, whatever the budget.
func (e *exploration) ended() bool {
	return e.err != nil || e.over || e.anew || e.move != "" || e.found > 0 && e.cfg.FailFast
}
