// Package predict finds in the trace of one execution what another order of its operations would
// show, and generates the schedules that show it: Huang & Zhang, "Persuasive Prediction of
// Concurrency Access Anomalies" (PECAN, ISSTA 2011). Trace in, schedules out:
//
//	g := predict.NewGraph(t, predict.Locks)                       // attributes, order: sections 4.1, 5.1
//	for _, c := range g.Search(predict.Builtin(predict.Locks), 0) { // pattern search, section 5.2
//	    a := c.Instances[0]
//	    schedules, why := predict.Moves{}.Schedules(g, a.Goal())    // schedule generation, section 6
//	    ...                                                         // to be executed, section 6.3
//	}
//
// Beyond the paper, by the same recipe: deadlocks (Deadlocks, Stuck), leaks (Leaks), misuse of
// channels and WaitGroups (Misuses, WaitGroups). A Solver makes schedules where moving operations
// does not, and a Director guides an execution that no schedule fits.
//
// What Search returns are candidates. The caller executes the schedules strictly, and reports only
// what such an execution has shown (package engine does).
//
// Where the paper leaves something open or has a mistake, this package does the following:
//
//   - Algorithm 1 must read "no common lock and no order".
//   - The order relation is the Go memory model's for go statements, channels,
//     WaitGroup, Once, Cond, atomics, timers, sync.Map and sync.Pool. Locks give
//     no order (that is the hybrid model of section 4.2); RLocks of one RWMutex
//     do not exclude each other.
//   - Schedules are made by replaying the trace on a model of its locks
//     and its order (see Moves), so that Theorem 1 holds where the printed
//     Algorithms 3 and 4 fail: nested locks that both goroutines use.
//   - The eleven serialisability patterns are those of Vaziri, Tip and Dolby
//     (POPL 2006), which the paper cites.
//
// The package is laid into the program under test: it imports the standard library, trace and order
// only.
package predict
