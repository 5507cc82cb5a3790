// Package why says why a result is incomplete: a code for programs, with details.
// The text for people is made here alone, and no code compares it.
package why

import (
	"fmt"
	"strings"

	"heddle/trace"
)

// A Code says why not everything was covered. Codes are part of the JSON format
// (docs/guide/json.md).
type Code string

// The codes, and what their Detail is.
const (
	// NotAll: the search was not at its end. Detail: of what, if not interleavings.
	NotAll Code = "not-all"
	// VirtualOnly: all in virtual time, and timers may fire early too. Detail: what keeps that from
	// being covered, if it is known.
	VirtualOnly Code = "virtual-only"
	// HeldBack: a polling loop was held back by a guess.
	HeldBack Code = "held-back"
	// Uncontrolled: goroutines or files outside control took part.
	Uncontrolled Code = "uncontrolled"
	// Varying: the same schedule gave two executions.
	Varying Code = "varying"

	// A bound ended an execution: on steps, time, memory or goroutines.
	StepBound   Code = "step-bound"
	TimeBound   Code = "time-bound"
	MemoryBound Code = "memory-bound"
	CrowdBound  Code = "crowd-bound"

	// ClockOnly: an execution went on by the clock alone.
	ClockOnly Code = "clock-only"
	// TooLong: an execution has too many steps to look for others.
	TooLong Code = "too-long"
	// Aborted: an execution was broken off.
	Aborted Code = "aborted"
	// Strayed: an execution left its schedule. Detail: where, if it does so each time.
	Strayed Code = "strayed"
	// Hidden: order inside the standard library hides another one.
	Hidden Code = "hidden"
	// Nameless: executions do not agree on which memory is which.
	Nameless Code = "nameless"
	// Elsewhere: processes do not agree on that.
	Elsewhere Code = "elsewhere"
	// OneWay: of a race one order was tried.
	OneWay Code = "one-way"
	// Unseen: something was not seen. Detail: what, and where.
	Unseen Code = "unseen"
	// Unreported: the test fails, which is not reported.
	Unreported Code = "unreported"
	// TimeOver: the budget was spent while the strategy was at work between executions.
	TimeOver Code = "time-over"
	// Search: the search held as much memory as it may. Detail: how much.
	Search Code = "search-memory"
	// Wished: an option leaves something out. Detail: what.
	Wished Code = "wished"
	// Bounded: the strategy covers what is within bounds. Detail: the bounds.
	Bounded Code = "bounded"
	// Limit: a limit of the strategy. Detail: which.
	Limit Code = "limit"
	// Came: the strategy covers nothing. Detail: how far it came.
	Came Code = "came"
	// Exhausted: no read can see another value.
	Exhausted Code = "exhausted"
	// Lost: what was explored was lost. Detail: how.
	Lost Code = "lost"
	// Inputs: inputs were searched for. Detail: the number of inputs that were executed, a space,
	// and how far the search came.
	Inputs Code = "inputs"
	// AllInputs: the same, and every branch was tried both ways.
	AllInputs Code = "all-inputs"
	// Cases: properties were called with some of their inputs. Detail: the number of those, a
	// space, and how far the search came.
	Cases Code = "cases"
	// Alone: there is no concurrency.
	Alone Code = "alone"
	// Predicted: predicted from one execution, or from some.
	Predicted Code = "predicted"
	// Unpredicted: nothing can be predicted, since not all is under control.
	Unpredicted Code = "unpredicted"
	// Early: sampled only where timers fire early. Detail: as of VirtualOnly.
	Early Code = "early"
	// Untimed: free time cannot be covered. Detail: why.
	Untimed Code = "untimed"
	// NoTime: no time of -total was left for the test.
	NoTime Code = "no-time"
	// Interrupted: by the user.
	Interrupted Code = "interrupted"
	// Other: Detail says it.
	Other Code = "other"
)

// texts are what codes are in words; %s is the Detail.
var texts = map[Code]string{
	NotAll:       "not all %s",
	VirtualOnly:  "all interleavings in virtual time, but timers may also be early (-time=free)",
	HeldBack:     "a polling loop was held back",
	Uncontrolled: "partly uncontrolled",
	Varying:      "not deterministic",
	StepBound:    "step bound reached",
	TimeBound:    trace.Expired.String(),
	MemoryBound:  trace.Filled.String(),
	CrowdBound:   trace.Crowded.String(),
	ClockOnly:    "an execution that only the clock kept going was ended",
	TooLong:      "an execution is too long to look for others",
	Aborted:      "an execution was broken off",
	Strayed:      "a schedule of the search was not possible, at %s",
	Hidden: "goroutines were put in an order inside the standard library, " +
		"where others are not tried",
	Nameless: "an object is made where heddle does not see it, " +
		"so that two executions do not agree on it",
	Elsewhere:   "an object older than the test is at another address in every process",
	OneWay:      "of a race one order was tried, since its accesses are no scheduling points",
	Unreported:  "the test fails, which is not reported",
	TimeOver:    "the time was over",
	Search:      "memory bound (-memory %s) reached",
	Bounded:     "only interleavings with %s",
	Exhausted:   "no read can see another value",
	Alone:       "no concurrency",
	Predicted:   "predicted from %s",
	Unpredicted: "partly uncontrolled: nothing can be predicted",
	Early: "sampled where timers fire early, " +
		"all interleavings covered where they do not",
	NoTime:      "no time of -total was left",
	Interrupted: "interrupted",
	Untimed:     "timers may also be early: %s",
}

// A Reason is a code with its detail. The zero Reason is none. It implements error.
type Reason struct {
	Code   Code   `json:",omitempty"`
	Detail string `json:",omitempty"`

	// Outer: it is the reason why not all interleavings were covered, of a test that was sampled
	// too.
	Outer bool `json:",omitempty"`
}

// Of returns the reason of a code that needs no detail.
func Of(c Code) Reason { return Reason{Code: c} }

// With returns the reason of a code with its detail.
func With(c Code, format string, args ...any) Reason {
	if len(args) > 0 {
		format = fmt.Sprintf(format, args...)
	}
	return Reason{Code: c, Detail: format}
}

// From returns the reason that an error is, or that it tells in words.
func From(err error) Reason {
	if r, ok := err.(Reason); ok {
		return r
	}
	return With(Other, "%s", err.Error())
}

// Ended returns the reason that a bound which ended an execution is; none if none did.
func Ended(v trace.Verdict) Reason {
	switch v {
	case trace.Bounded:
		return Of(StepBound)
	case trace.Expired:
		return Of(TimeBound)
	case trace.Filled:
		return Of(MemoryBound)
	case trace.Crowded:
		return Of(CrowdBound)
	}
	return Reason{}
}

// None reports whether there is no reason: everything was covered, as far as is known.
func (r Reason) None() bool { return r.Code == "" }

// Error implements error.
func (r Reason) Error() string { return r.String() }

// String returns the reason in words.
func (r Reason) String() string {
	text, ok := texts[r.Code]
	switch {
	case !ok, r.Code == Strayed && r.Detail == "":
		if text = r.Detail; r.Code == Strayed {
			text = "an execution did not follow its schedule"
		}
	case r.Code == NotAll && r.Detail == "":
		text = "not all interleavings"
	case (r.Code == VirtualOnly || r.Code == Early) && r.Detail != "":
		text += ": " + r.Detail
	case strings.Contains(text, "%s"):
		text = fmt.Sprintf(text, r.Detail)
	}
	if r.Outer {
		return "not all interleavings: " + text
	}
	return text
}

// An End says how far a test was explored that was not covered, or what of a test was covered.
// The zero End is "sampled".
type End struct {
	Covered string   `json:",omitempty"` // of a complete one, if not interleavings: "local states"
	Bare    bool     `json:",omitempty"` // the reasons stand by themselves, not behind "sampled"
	Reasons []Reason `json:",omitempty"`
	Within  Bounds   `json:",omitzero"` // of one that was sampled: all interleavings within are covered

	// EarlyFailures, of a complete one, is in how many executions the test failed after an early
	// timer: a time-out is there to fail, so that is no finding.
	EarlyFailures int `json:",omitempty"`
}

// Bounds are limits on what the switches of an interleaving cost. nil: no limit; the zero Bounds is
// nothing, rather than everything. Bounds are part of the JSON format (docs/guide/json.md).
type Bounds struct {
	Preemptions *int `json:",omitempty"`
	Delays      *int `json:",omitempty"`
}

// None reports whether b is nothing.
func (b Bounds) None() bool { return b == Bounds{} }

// Wider returns the wider one of a and b.
func (b Bounds) Wider(a Bounds) Bounds {
	if b.None() || !a.None() && wider(a.Preemptions, b.Preemptions) && wider(a.Delays, b.Delays) {
		return a
	}
	return b
}

func wider(a, b *int) bool { return a == nil || b != nil && *a >= *b }

// String returns the bounds in words: "at most 2 preemptions".
func (b Bounds) String() string {
	var s []string
	for _, x := range [...]struct {
		n    *int
		what string
	}{{b.Preemptions, "preemption"}, {b.Delays, "delay"}} {
		switch {
		case x.n == nil:
		case *x.n == 1:
			s = append(s, "1 "+x.what)
		default:
			s = append(s, fmt.Sprintf("%d %ss", *x.n, x.what))
		}
	}
	return "at most " + strings.Join(s, " and ")
}

// Covered says what is covered: "all interleavings with at most 2 preemptions covered".
func (b Bounds) Covered() string { return "all interleavings with " + b.String() + " covered" }

// Sampled returns the end of a test that was sampled, with the reason why not more was done, if
// there is one.
func Sampled(r Reason) End {
	if r.None() {
		return End{}
	}
	return End{Reasons: []Reason{r}}
}

// Bare returns an end that is nothing but a reason.
func Bare(r Reason) End { return End{Bare: true, Reasons: []Reason{r}} }

// Open reports whether there is no reason but that the exploration had no end by itself.
func (e End) Open() bool { return e.Covered == "" && len(e.Reasons) == 0 }

// Is reports whether the first reason has a code.
func (e End) Is(c Code) bool { return len(e.Reasons) > 0 && e.Reasons[0].Code == c }

// Code is the first reason's, "sampled" where there is none; "" of one that was covered.
func (e End) Code(complete bool) Code {
	switch {
	case complete:
		return ""
	case len(e.Reasons) == 0:
		return "sampled"
	}
	return e.Reasons[0].Code
}

// And adds a reason, in the place of one that says only that the search was not at its end.
func (e End) And(r Reason) End {
	var reasons []Reason
	for _, x := range e.Reasons {
		if x.Code != NotAll || x.Outer {
			reasons = append(reasons, x)
		}
	}
	e.Reasons = append(reasons, r)
	return e
}

// Details are the reasons in words, and what is covered all the same.
func (e End) Details() string {
	var s []string
	for _, r := range e.Reasons {
		if e.Within.None() || r != Of(NotAll) && r.Code != Bounded {
			s = append(s, r.String())
		}
	}
	if !e.Within.None() {
		s = append(s, e.Within.Covered())
	}
	return strings.Join(s, "; ")
}

// Text returns the end in words; complete: everything was covered.
func (e End) Text(complete bool) string {
	if complete {
		return e.Covered
	}
	return e.String()
}

// String returns the end of a test that was not covered in words.
func (e End) String() string {
	switch s := e.Details(); {
	case e.Bare:
		return s
	case s == "":
		return "sampled"
	default:
		return "sampled; " + s
	}
}
