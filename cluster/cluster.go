// Package cluster lets many workers explore one test: what a test binary gave
// away (wire.Share) goes out in Items and comes back as results.
//
//	share ──► Search or Samples ──► Run ──► Item ──► worker ──► Worked ──┐
//	               ▲                 │                                   │
//	               └──── counted ◄── Log ◄───────────────────────────────┘
//
// A plan (search, samples, portfolio, prediction, closure) is a function of the results that it was given, in
// their order: it knows what is left to do and what was found out. A Run hands
// its Items out to workers that come and go, as often as it takes, and gives
// the plan the first result of each: delivered at least once, counted exactly once.
// Every result that counts is in the Log, with what it left over, in one line; so
// a plan that is given the lines of a Log again is where it was.
//
// What a worker is does not matter here: a process of this machine
// (cmd/heddle), or one that a Queue leads to (NATS, see Coordinator and Serve).
package cluster

import (
	"heddle/rt/wire"
)

// A plan says what is to be done next. Its methods are called one at a time.
type plan interface {
	// next returns an Item that nobody has, nil if there is none now.
	next() *wire.Item
	// back takes an Item again that was not done.
	back(it *wire.Item)
	// take counts a result and returns those that are certain now, in their order; none if it had been
	// counted before, or is void. They are what is to be logged and told of.
	take(w *wire.Worked) []*wire.Worked
	// replay counts what was certain before.
	replay(w *wire.Worked)
	// done reports whether nothing is left, neither here nor in anybody's hands.
	done() bool
	// end gives up: results that would be certain only after others are taken as they are.
	end() []*wire.Worked
	outcome() Outcome
	// estimate is about how many executions there will be, 0 where that is not known.
	estimate() float64
}

// An Outcome is what an exploration came to.
type Outcome struct {
	Tally    wire.Tally // without Others of the Share
	Know     wire.Knowledge
	Complete bool    // of a search: nothing is left
	Again    int     // executions that were made once more, to go on from there
	Items    int     // that were counted
	Working  float64 // seconds that workers worked, all together

	Predicted *wire.Predicted // by a prediction
	Formulas  *wire.Formulas  // that a closure has asked for
}
