package engine

import (
	"context"
	"time"

	"heddle/rt/limit"
	"heddle/rt/wire"
)

// A budget bounds an exploration: by time, executions and memory.
type budget struct {
	ctx      context.Context
	total    time.Duration // what the test was given; 0: there is no bound
	start    time.Time
	deadline time.Time     // zero: there is none
	allotted time.Time     // deadline before something was found
	called   func() bool   // nil, or reports whether the exploration was called off
	most     int           // executions for this input, 0: no such bound
	memory   *limit.Memory // what a search may hold; nil: there is no bound
	outgrown bool          // a search was given up since it held as much as it may
	// until when the clips of one execution may become simpler, where others wait; zero: no such
	// bound
	clipUntil time.Time
	brief     time.Time // until when the execution of an input by chance is to end; zero: no such bound
	// from when on there is no time for any clip, so that it has the steps that were seen; zero:
	// never
	asSeenFrom time.Time

	executing bool                // an execution is being made
	working   func(now time.Time) // called between executions, while a search thinks

	timed    int           // executions whose time was taken
	shortest time.Duration // of them
}

// newBudget returns the budget that a configuration gives one test, from now on.
func newBudget(ctx context.Context, cfg *wire.Config) budget {
	b := budget{ctx: ctx, total: time.Duration(cfg.Budget), start: time.Now(),
		memory: limit.NewMemory(cfg.Memory)}
	if b.total > 0 {
		b.deadline = b.start.Add(b.total)
	}
	return b
}

// late reports whether the budget is spent: the time, or the memory.
func (b *budget) late() bool {
	now := time.Now()
	if !b.executing && b.working != nil {
		b.working(now)
	}
	return !b.deadline.IsZero() && now.After(b.deadline) || b.ctx.Err() != nil ||
		b.called != nil && b.called() || b.overfull(now)
}

// overdue reports whether the budget is over by so much that findings which wait to be told, as
// they were seen, are counted and not told: a quarter of it, and a second at least.
func (b *budget) overdue() bool {
	return !b.deadline.IsZero() && time.Since(b.deadline) > max(time.Second, b.total/4) || b.ctx.Err() != nil
}

// overfull reports whether the search holds as much memory as it may.
func (b *budget) overfull(now time.Time) bool {
	return b.memory.Reached() || !b.executing && b.memory.Full(now)
}

// elapsedShare is the share of the time that is over, where there is an end to it.
func (b *budget) elapsedShare() float64 {
	return float64(time.Since(b.start)) / float64(max(b.deadline.Sub(b.start), 1))
}

// heavy reports whether the first execution alone took a multiple of the
// budget: a second one would tell little for its price.
func (b *budget) heavy() bool {
	return !b.deadline.IsZero() && time.Since(b.start) > 3*b.deadline.Sub(b.start)
}

// Overtime returns how much longer than its budget a test may take for what has begun by then.
func Overtime(total time.Duration) time.Duration { return max(time.Second, total/10) }

// hard returns when an execution is to end; zero if only its own bounds end it.
func (b *budget) hard() time.Time {
	if b.deadline.IsZero() {
		return time.Time{}
	}
	return b.deadline.Add(Overtime(b.total))
}

// minimiseUntil returns until when a clip that is begun now may be made simpler: all clips
// together take no more than Overtime when the budget is spent.
func (b *budget) minimiseUntil() time.Time {
	return earlier(earlier(time.Now().Add(minimiseTime), b.clipUntil), b.hard())
}

// earlier returns the earlier of two ends; zero is none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// Clips of earlier runs may become simpler for half of the budget; of that of heddle predict, which
// mostly finds the same again, they have a quarter, to be replayed too.
const (
	clipsShare   = 2
	clipsPredict = 4
)

// allotClip gives the next of so many clips an equal part of what is left of a share of the budget.
func (b *budget) allotClip(left, share int) {
	if b.total > 0 {
		now, end := time.Now(), b.start.Add(b.total/time.Duration(share))
		b.clipUntil = now.Add(max(0, end.Sub(now)) / time.Duration(left))
	}
}

// spentShare reports whether a share of the budget is spent.
func (b *budget) spentShare(share int) bool {
	return b.total > 0 && time.Since(b.start) > b.total/time.Duration(share)
}

// slice returns until when one input may be explored while others wait: for an equal part of
// what is left, and an eighth at least.
func (b *budget) slice(waiting int) time.Time {
	if b.deadline.IsZero() {
		return b.deadline
	}
	left := time.Until(b.deadline)
	return time.Now().Add(max(left/8, left/time.Duration(1+waiting)))
}

// afterFinding is how much longer a test is explored once something was found: that many times
// what it took so far, and at least moreAfter. A finding that hides no others leaves it a fair
// share of its budget at least, up to mostShare, and so does each new one.
const (
	afterFinding = 2
	moreAfter    = 200 * time.Millisecond
	fairShare    = 10 // of the budget
	mostShare    = 5 * time.Second
)

// After returns for how much longer a test with the budget total is sampled in which something
// was found after elapsed. hides: findings may keep others from showing.
func After(elapsed, total time.Duration, hides bool) time.Duration {
	d := max(moreAfter, afterFinding*elapsed)
	if !hides {
		d = max(d, min(total/fairShare, mostShare))
	}
	return d
}

// hasten is called at a finding: a test is not explored to the end of its budget after its
// first, but each one that hides no others gives it a while to find them.
func (b *budget) hasten(first, hides bool) {
	if b.deadline.IsZero() || !first && hides {
		return
	}
	if first {
		b.allotted = b.deadline
	}
	d := time.Now().Add(After(time.Since(b.start), b.total, hides))
	if d.After(b.allotted) {
		d = b.allotted
	}
	if first || d.After(b.deadline) {
		b.deadline = d
	}
}

// The time is taken of some of the first executions, but not of the very first, and of one in
// timedEvery: looking at the clock costs some of a short one's.
const (
	timedEvery = 16
	timedFirst = 4
)

// timely calls execute, which makes the execution after n others, and now and then takes its time.
func (b *budget) timely(n int, execute func() (Execution, error)) (Execution, error) {
	b.executing = true
	defer func() { b.executing = false }()
	if n == 0 || n >= timedFirst && n%timedEvery != 0 {
		return execute()
	}
	began := time.Now()
	ex, err := execute()
	took := time.Since(began)
	if b.timed++; b.timed == 1 || took < b.shortest {
		b.shortest = took
	}
	return ex, err
}

// seconds returns a time that was told in seconds.
func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
