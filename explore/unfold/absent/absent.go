// Package unfold stands for heddle/explore/unfold in test binaries of runs that do not use that strategy: compiling it takes a tenth
// of what heddle itself takes. It has the names that package drive uses, and nothing of it is called.
package unfold

import (
	"heddle/explore"
	"heddle/explore/question"
	"heddle/symbolic"
	"heddle/trace"
)

// Options are those of the strategy.
type Options struct {
	Expired func() bool
	Choose  func(n int) int
	Inputs  *Inputs
	Loose   bool
}

// Inputs are inputs of a fuzz target.
type Inputs struct {
	Table  *symbolic.Table
	Solver *symbolic.Solver
	Corpus [][]any
}

// A Strategy is none.
type Strategy struct {
	explore.Strategy
	Why string
}

// New panics: the command asked for the strategy and did not say so when it built the binary.
func New(Options) *Strategy { panic("heddle: strategy unfold is not in this test binary") }

// Seed, Successor, Input, ForeseenInputs, Unsolved and Ask are the strategy's.
func (*Strategy) Seed(*trace.Trace) bool { panic("not there") }

func (*Strategy) Successor() explore.Strategy { panic("not there") }

func (*Strategy) Input() []any { panic("not there") }

func (*Strategy) ForeseenInputs() [][]any { panic("not there") }

func (*Strategy) Unsolved() []trace.Site { panic("not there") }

func (*Strategy) Ask(*question.Question, func(trace.Site, *question.Place) bool) (*Inquiry, error) {
	panic("not there")
}

// An Inquiry is none.
type Inquiry struct{}

// Next and Late are the inquiry's.
func (*Inquiry) Next() *trace.Schedule { panic("not there") }

func (*Inquiry) Late() bool { panic("not there") }
