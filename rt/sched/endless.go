package sched

import (
	"heddle/rt/hook"
	"heddle/trace"
)

// Executions without end. Goroutines that only the clock wakes again and again
// (tickers, servers) keep an execution from coming to rest, so that a test
// which waits for what no goroutine will do would run on for ever. go test ends it
// after ten minutes, and so does heddle, by the program's clock: if main has
// waited at one place for so long, or come back again and again to places where it had waited
// confirmTicks times before, and every timer that is running only
// repeats itself, the test has timed out. An execution is given as many timers as that
// takes, up to mostTicks; without a prospect of getting there it is bounded after fewTicks.
// A program (Options.Program) may run for as long as it likes.
//
// It has timed out at once where main waits for what nothing that goes on can reach (reach.go),
// which is asked after askTicks timers.
//
// Where main waited in an execution that timed out is known: later ones of the
// same test end after fewTicks if it waits there.

const (
	timeout      = 600_000_000_000 // ns: -timeout of go test
	fewTicks     = 20_000          // timers that fire while main does not make a step
	someTicks    = 10 * fewTicks   // the same, with a lock cycle that is not certain yet
	mostTicks    = 1_000_000
	countTicks   = 1_000 // after how many of an execution they are counted
	confirmTicks = 100   // that make a series repeat itself
	// after how many that main waits it is asked whether it waits for good; after askFactor times
	// as many again
	askTicks  = 1_000
	askFactor = 16
)

// ticks are the timers that have fired because no goroutine could go on.
type ticks struct {
	all   int // in this execution
	idle  int // since main made its at-th step
	at    int32
	since int64                 // when main last came to a place that was new to it
	waits map[trace.Pending]int // how often it came where
	most  int                   // bound on idle
	// at how many that are idle main is asked about again, see askTicks
	ask    int
	look   int // at how many the time is looked at again
	counts fires
}

// fires counts timers by their series.
type fires map[series]int

func (f *fires) add(t *timer) {
	if *f == nil {
		*f = make(fires)
	}
	(*f)[seriesOf(t)]++
}

// A series is timers started at one place that run for about the same time.
type series struct {
	site trace.Site
	d    int64
}

// computing a deadline takes a little time
func seriesOf(t *timer) series { return series{t.site, t.d >> 16} }

func (k *ticks) reset() {
	clear(k.counts)
	clear(k.waits)
	*k = ticks{most: fewTicks, ask: askTicks, look: countTicks, counts: k.counts, waits: k.waits}
}

// endless is called when t is about to fire since no goroutine can go on. It ends the
// execution, and returns true, if there have been too many before.
func (s *Sched) endless(t *timer) bool {
	k := &s.ticks
	if n := s.gs[0].steps; n != k.at {
		k.idle, k.at, k.most, k.ask = 0, n, fewTicks, askTicks
		if k.waits == nil {
			k.waits = make(map[trace.Pending]int)
		}
		at := waitOf(s.pend[0])
		if k.waits[at]++; k.waits[at] <= confirmTicks {
			k.since = s.vtime.now
		}
	}
	k.all++
	k.idle++
	if k.idle == k.ask && !s.opt.Program && !s.mainOver && !hook.Frozen && !hook.Real {
		k.ask *= askFactor
		if s.cutOff = s.mainCutOff(); s.cutOff {
			s.stop(trace.TimedOut)
			return true
		}
	}
	if k.all > countTicks {
		k.counts.add(t)
	}
	if k.all >= k.look {
		k.look += countTicks
		if s.vtime.now-k.since >= timeout && s.onlyTicks() {
			s.timedOut()
			return true
		}
	}
	if k.idle <= k.most {
		return false
	}
	switch {
	case s.locks.cycle != nil && k.idle <= someTicks:
	case !s.onlyTicks():
		s.stop(trace.Bounded)
	case s.lessons.waits[waitOf(s.pend[0])]:
		s.stop(trace.TimedOut)
	case (s.vtime.now-k.since)/int64(k.idle) >= timeout/mostTicks && k.most < mostTicks:
		k.most = mostTicks
	default:
		s.stop(trace.Bounded)
	}
	return s.over
}

// onlyTicks reports whether main waits and all that the clock does is to repeat itself.
func (s *Sched) onlyTicks() bool {
	if s.opt.Program || s.mainOver || hook.Frozen || hook.Real || s.outsiders() > 0 {
		return false
	}
	for _, t := range s.timers.heap {
		if t.when != never && t.period == 0 && (t.looks() || s.ticks.counts[seriesOf(t)] < confirmTicks) {
			return false
		}
	}
	return true
}

// KeptAsking reports whether main woke up again and again in the last execution, which timed out.
func (s *Sched) KeptAsking() bool { return s.ticks.waits[waitOf(s.pend[0])] > confirmTicks }

func (s *Sched) timedOut() {
	s.lessons.timedOut(waitOf(s.pend[0]))
	s.stop(trace.TimedOut)
}

// waitOf is where a goroutine waits and for what, as it is in any execution.
func waitOf(p trace.Pending) trace.Pending { return trace.Pending{Op: p.Op, Site: p.Site} }
