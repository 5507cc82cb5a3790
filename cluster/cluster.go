// Package cluster lets many workers explore one test. The parts that a test binary hands over
// (wire.Share) are given out as Items, and come back as results.
//
//	share ──► Search or Samples ──► Run ──► Item ──► worker ──► Worked ──┐
//	               ▲                 │                                   │
//	               └──── counted ◄── Log ◄───────────────────────────────┘
//
// A plan (search, samples, portfolio, prediction, closure) is a function of the sequence of its
// results: it knows what is left to do and what was found. A Run hands its Items out to workers
// that come and go, each as often as necessary, and gives the plan the first result of each:
// delivery at least once, counting exactly once. The Log has a line for every result that counts,
// with the work that it left over. So a plan that is given the lines of a Log again is in the same
// state.
//
// A worker is a process of this machine (cmd/heddle), or one that is reached through a Queue
// (NATS, see Coordinator and Serve). This package treats both alike.
package cluster

import (
	"heddle/rt/wire"
)

// A plan decides what is done next. Its methods are called one at a time.
type plan interface {
	// next returns an Item that no worker has, or nil if there is none now.
	next() *wire.Item
	// back takes back an Item that was not done.
	back(it *wire.Item)
	// take counts a result. It returns the results that became certain, in their order, for the
	// Log and for the user. It returns none if the result was counted before or is void.
	take(w *wire.Worked) []*wire.Worked
	// replay counts a result of the Log.
	replay(w *wire.Worked)
	// done reports whether nothing is left, neither here nor at a worker.
	done() bool
	// end stops the plan: results that would become certain only after others are accepted as they
	// are.
	end() []*wire.Worked
	outcome() Outcome
	// estimate returns the approximate number of executions, or 0 if it is unknown.
	estimate() float64
}

// An Outcome is the result of an exploration.
type Outcome struct {
	Tally    wire.Tally // without Others of the Share
	Know     wire.Knowledge
	Complete bool    // a search with nothing left
	Again    int     // executions that were repeated to continue from there
	Items    int     // Items that were counted
	Working  float64 // total working time of all workers in seconds

	Predicted *wire.Predicted // of a prediction
	Formulas  *wire.Formulas  // formulas of a closure
}
