// Package why says why a result is incomplete: a code for programs, with details. The text for people is made here and nowhere else, and
// nobody compares it.
package why

import (
	"fmt"
	"strings"

	"heddle/trace"
)

// A Code says why not everything was covered. Codes are part of the JSON format (docs/json.md).
type Code string

const (
	NotAll       Code = "not-all"       // the search was not at its end; Detail: of what, if not interleavings
	VirtualOnly  Code = "virtual-only"  // all in virtual time, and timers may fire early too
	HeldBack     Code = "held-back"     // a polling loop was held back by a guess
	Uncontrolled Code = "uncontrolled"  // goroutines or files outside control took part
	Varying      Code = "varying"       // the same schedule gave two executions
	StepBound    Code = "step-bound"    // a bound has ended an execution: on steps, on time, on memory, on goroutines
	TimeBound    Code = "time-bound"    //
	MemoryBound  Code = "memory-bound"  //
	CrowdBound   Code = "crowd-bound"   //
	ClockOnly    Code = "clock-only"    // an execution went on by the clock alone
	TooLong      Code = "too-long"      // an execution has too many steps to look for others
	Aborted      Code = "aborted"       // an execution was broken off
	Strayed      Code = "strayed"       // an execution left its schedule; Detail: where, if it does so each time
	Hidden       Code = "hidden"        // order inside the standard library hides another one
	Nameless     Code = "nameless"      // executions do not agree on which memory is which
	Elsewhere    Code = "elsewhere"     // processes do not agree on that
	OneWay       Code = "one-way"       // of a race one order was tried
	Unseen       Code = "unseen"        // something was not seen; Detail: what, and where
	Unreported   Code = "unreported"    // the test fails, which is not reported
	TimeOver     Code = "time-over"     // the budget was spent while the strategy was thinking
	Search       Code = "search-memory" // the search held as much memory as it may; Detail: how much
	Wished       Code = "wished"        // an option leaves something out; Detail: what
	Bounded      Code = "bounded"       // the strategy is bounded by an option; Detail: how
	Limit        Code = "limit"         // a limit of the strategy; Detail: which
	Came         Code = "came"          // the strategy covers nothing; Detail: how far it came
	Exhausted    Code = "exhausted"     // no read can see another value
	Lost         Code = "lost"          // what was explored was lost; Detail: how
	Inputs       Code = "inputs"        // inputs were searched for; Detail: how far
	AllInputs    Code = "all-inputs"    // and every branch was tried both ways
	Alone        Code = "alone"         // there is no concurrency
	Predicted    Code = "predicted"     // predicted from one execution
	Unpredicted  Code = "unpredicted"   // and nothing could be, since not all is under control
	Early        Code = "early"         // sampled only where timers fire early
	Interrupted  Code = "interrupted"   // by the user
	Plain        Code = "plain"         // the test fails without heddle's doing
	Other        Code = "other"         // Detail says it
)

// texts are what codes are in words; %s is the Detail.
var texts = map[Code]string{
	NotAll: "not all %s", VirtualOnly: "all interleavings in virtual time, but timers may also be early (-time=free)", HeldBack: "a polling loop was held back",
	Uncontrolled: "partly uncontrolled", Varying: "not deterministic", StepBound: "step bound reached", ClockOnly: "an execution that only the clock kept going was ended",
	TooLong: "an execution is too long to look for others", Aborted: "an execution was broken off", Strayed: "a schedule of the search was not possible, at %s",
	Hidden:   "goroutines were put in an order inside the standard library, where others are not tried",
	Nameless: "an object is made where heddle does not see it, so that two executions do not agree on it", Elsewhere: "an object older than the test is at another address in every process",
	OneWay: "of a race one order was tried, since its accesses are no scheduling points", Unreported: "the test fails, which is not reported", TimeOver: "the time was over",
	Search: "memory bound (-memory %s) reached", Alone: "no concurrency", Exhausted: "no read can see another value", Predicted: "predicted from one execution", Unpredicted: "partly uncontrolled: nothing can be predicted",
	Early: "sampled where timers fire early, all interleavings covered where they do not", Interrupted: "interrupted",
	TimeBound: trace.Expired.String(), MemoryBound: trace.Filled.String(), CrowdBound: trace.Crowded.String(),
}

// A Reason is a code with its detail. The zero Reason is none. It implements error.
type Reason struct {
	Code   Code   `json:",omitempty"`
	Detail string `json:",omitempty"`

	// Outer: it is the reason why not all interleavings were covered, of a test that was sampled too.
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
	case strings.Contains(text, "%s"):
		text = fmt.Sprintf(text, r.Detail)
	}
	if r.Outer {
		return "not all interleavings: " + text
	}
	return text
}

// An End says how far a test was explored that was not covered; of one that was: what was covered. The zero End is "sampled".
type End struct {
	Covered string   `json:",omitempty"` // of a complete one, if not interleavings: "local states"
	Bare    bool     `json:",omitempty"` // the reasons stand by themselves, not behind "sampled"
	Reasons []Reason `json:",omitempty"`
}

// Sampled returns the end of a test that was sampled, with the reason why not more was done, if there is one.
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

// Details are the reasons in words.
func (e End) Details() string {
	var s []string
	for _, r := range e.Reasons {
		s = append(s, r.String())
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
