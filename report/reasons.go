package report

import "heddle/explore/why"

// A Reason explains a code of package why: a reason why a test was not covered.
type Reason struct {
	Code   why.Code
	Means  string // a sentence
	Change string // what would change it; "": nothing the user can do
}

// Sampled is the code of a summary where there is no reason but that the executions had no end by
// themselves.
const Sampled why.Code = "sampled"

const more = "give it more time (-budget), or make the test smaller: fewer goroutines, fewer repetitions"

// Reasons are all codes.
var Reasons = []Reason{
	{Sampled, "executions were made until the budget or -runs ended; there are other interleavings", more},
	{why.NotAll, "the search for all interleavings was not at its end when the budget or -runs ended", more},
	{why.VirtualOnly,
		"all interleavings are covered in which timers fire when nothing else can run; they may also fire early",
		"say -time=virtual if early timers do not matter to this test; else give it more time (-budget)"},
	{why.HeldBack, "a loop that polls was kept from running by a guess, so orders may be missing",
		"wait by a channel, a WaitGroup or a Cond in the place of polling; heddle then need not guess"},
	{why.Uncontrolled, "goroutines, files or processes outside heddle's control took part",
		"put what is outside behind something that the test replaces; a note of the test names it"},
	{why.Varying, "the same schedule gave two executions: something that heddle does not see decides",
		"look for state that outlives an execution, files, the real clock, or a seed of the program's own; -check-determinism says where"},
	{why.StepBound, "an execution reached the bound on steps and was ended",
		"raise -steps, or repeat less in the test"},
	{why.TimeBound, "an execution took longer than it may and was ended",
		"raise -longest, or repeat less in the test"},
	{why.MemoryBound, "an execution took more memory than it may and was ended",
		"let the test hold less memory"},
	{why.CrowdBound, "an execution started more goroutines than it may and was ended",
		"let the test start fewer goroutines"},
	{why.ClockOnly, "an execution in which only the clock went on was ended",
		"let the test end its tickers and timers when it is done"},
	{why.TooLong, "an execution has too many steps to look for others",
		"repeat less in the test, or explore it with -visible=sync"},
	{why.Aborted, "an execution was broken off before its end", "the notes of the test say by what"},
	{why.Strayed, "an execution did not follow its schedule: something that heddle does not see decides",
		"-check-determinism says where two executions of one schedule differ"},
	{why.Hidden,
		"goroutines were put in an order inside the standard library, and other orders are not tried",
		"use an object of the standard library from one goroutine, or behind a lock of the program"},
	{why.Nameless,
		"an object is made where heddle does not see it, so that two executions do not agree on it",
		"-strategy dpor does not need the name"},
	{why.Elsewhere, "an object older than the test has another address in every process",
		"explore with one process (-p 1)"},
	{why.OneWay, "of a race one order was tried: its accesses are no scheduling points",
		"remove the race, or say -visible=all"},
	{why.Unseen,
		"an operation was made that heddle does not see: assembly, cgo, a direct system call, a goroutine from before the test",
		"the reason names the place: replace it in the test, or take the result as it is"},
	{why.Unreported, "the test fails in a way that is not reported as a finding",
		"a note of the test says why"},
	{why.TimeOver, "the budget ended while the strategy worked between two executions", more},
	{why.Search, "the search held as much memory as it may", "raise -memory, or make the test smaller"},
	{why.Wished, "an option leaves something out", "leave out the option that the reason names"},
	{why.Bounded, "the strategy looks only at interleavings within a bound",
		"raise the bound, or take a strategy without one: -strategy dpor"},
	{why.Limit, "a limit of the strategy was reached", "take another strategy: -strategy auto or dpor"},
	{why.Came, "the strategy does not prove that all is covered; the reason says how far it came",
		"take a strategy that covers: -strategy auto or dpor"},
	{why.Exhausted, "no read can see another value, which is less than all interleavings",
		"take a strategy that covers: -strategy auto or dpor"},
	{why.Lost, "a part of what was explored was lost: a process died",
		"the notes of the test say how; run it again"},
	{why.Inputs, "inputs were searched for (-fuzz), and there are others", "give it more time (-budget)"},
	{why.AllInputs, "inputs were searched for (-fuzz), every branch both ways, and there are others",
		"give it more time (-budget)"},
	{why.Cases, "properties (testing/quick, rapid) were called with some cases, one an execution; there are others",
		"search for others by -fuzz, or give it more time (-budget)"},
	{why.Alone, "the test starts no goroutine: there is nothing to explore", ""},
	{why.Predicted, "other executions were predicted from one (heddle predict)", "explore it: heddle test"},
	{why.Unpredicted, "nothing can be predicted, since not all is under control",
		"put what is outside behind something that the test replaces"},
	{why.Early,
		"all interleavings are covered in which timers fire when nothing else can run; those with early timers were sampled",
		"say -time=virtual if early timers do not matter to this test; else give it more time (-budget)"},
	{why.Untimed, "timers may also fire early, in ways that a search cannot cover; the reason says which",
		"end tickers, or say -time=virtual if early timers do not matter to this test"},
	{why.NoTime, "no time of -total was left for the test: it was not explored",
		"raise -total; the next run gives its time first to tests that are new or have changed"},
	{why.Interrupted, "heddle was interrupted while it explored the test", "run it again"},
	{why.Other, "the reason stands in the result itself", ""},
}

// ReasonOf returns the row of a code. For an unknown code it has only the code.
func ReasonOf(c why.Code) Reason {
	for _, r := range Reasons {
		if r.Code == c {
			return r
		}
	}
	return Reason{Code: c}
}
