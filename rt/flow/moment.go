package flow

import (
	"heddle/rt/hook"
	"heddle/trace"
)

// Times where labels are expressions. What rewritten code of package time gives to the scheduler,
// how long a Sleep takes and when a timer is due, comes with a label, and so does the time that the
// clock shows once it depends on such a duration. rt/sched computes with both, and makes a branch
// of every question which of two moments comes first.

// A Moment is a time on the scheduler's clock, or a duration, and its label.
type Moment struct {
	At int64
	L  Label
}

func (m Moment) val() Val {
	return Val{l: is(m.L, trace.Int, uint64(m.At)), k: trace.Int, v: uint64(m.At)}
}

// compute returns m op n.
func (m Moment) compute(op trace.FlowOp, n Moment) Moment {
	x, y := m.val(), n.val()
	return Moment{int64(Apply(op, trace.Int, trace.Int, x.v, y.v)), two(op, trace.Int, &x, &y)}
}

// Plus returns m + n.
func (m Moment) Plus(n Moment) Moment { return m.compute(trace.FlowAdd, n) }

// Minus returns m - n.
func (m Moment) Minus(n Moment) Moment { return m.compute(trace.FlowSub, n) }

// Modulo returns m % n, where n is not 0.
func (m Moment) Modulo(n Moment) Moment { return m.compute(trace.FlowRem, n) }

// Before returns the label of whether m < n, 0 if that depends on no input.
func (m Moment) Before(n Moment) Label {
	if m.L == 0 && n.L == 0 {
		return 0
	}
	x, y := m.val(), n.val()
	return two(trace.FlowLess, trace.Bool, &x, &y)
}

// Now is the clock as the running goroutine has just seen it.
func Now(now int64, to *Slot) int64 {
	if to.l = 0; Exprs && here() {
		to.l = is(Running().Now, trace.Int, uint64(now))
	}
	return now
}

// Span is the duration of a Sleep, or when a timer is due, that an operation is about to get; its
// label waits in G.Span. Every is the period of a ticker, in G.Every.
func Span(d int64, l Label) int64 {
	if Exprs && here() {
		Running().Span = Moment{d, is(l, trace.Int, uint64(d))}
	}
	return d
}

// Every is Span for the period of a ticker.
func Every(d int64, l Label) int64 {
	if Exprs && here() {
		Running().Every = Moment{d, is(l, trace.Int, uint64(d))}
	}
	return d
}

// LoseTime notes that a moment is not followed any further. s is where, 0 for the place of the
// program that is at work.
func LoseTime(m Moment, s hook.Site) {
	switch {
	case m.L == 0:
	case s == 0:
		lost()
	default:
		noteLost(s)
	}
}
