package trace

// A Schedule is the choices to follow, and the policy that chooses after them. The zero Schedule is
// non-preemptive.
type Schedule struct {
	Steps  []Step   // the prefix, one entry per step
	Names  []string // if not nil, Names[i] names the goroutine of Steps[i], and its G is ignored
	With   []string // if not nil and With[i] is not "", it names the receiver: With of Steps[i] is ignored
	Policy string   // "first", "random", "pos", "pct"; "" is "first"
	Seed   uint64   // of the policy, map iteration and random numbers; 0 for the first execution
	Depth  int      // pct: priority change points + 1
	Free   bool     // timers may fire at any time once their deadline is the next

	// Exhaustive: operations commute wherever Go allows it, as strategies that cover every
	// interleaving need it. Arriving at a channel is a step only where a goroutine may poll it.
	// After a crash the other goroutines continue before the program ends. The clock stands still
	// while any goroutine is enabled.
	Exhaustive bool

	// Awaits: an iteration of a polling loop that changed nothing ends with a step OpAwait even if
	// what it read has been written since, so that the loop need not wait. Without Awaits it does
	// so only where Steps has that step. Exhaustive executions only.
	Awaits bool

	// NoRetry: after an iteration of a polling loop that changed nothing its goroutine makes no
	// further step, unless time passes while nothing has changed that the iteration read. An
	// execution whose end leaves a goroutine that would go on ends as Aborted. Exhaustive
	// executions only.
	NoRetry bool

	// Loose: of the orders that operations inside the standard library give, only those count for
	// data races that every other order of these operations gives too. A race seen so may be a
	// false one. Exhaustive executions only.
	Loose bool

	// Ways: after the prefix goroutines take turns without preemption, and Trace.Ways lists all
	// alternatives at each of these steps. Exhaustive executions only.
	Ways bool

	// Guide, if not nil, chooses after the prefix, and the policy only draws. Exhaustive executions
	// only. No schedule file can hold it: it is for strategies in the process of the scheduler.
	Guide Guide

	// Insert: a goroutine of the prefix that is about to access memory where the schedule expects
	// another operation does so first, in a step of its own.
	Insert bool

	// Rejoin: where a step does not fit, its goroutine continues first, or else the goroutine of
	// the step before, while it can. It may have to make an object that existed when the prefix was
	// recorded.
	Rejoin bool

	// Sites: a step fits only if its operation has the same place in the source.
	Sites bool

	// Strict: a step that does not fit ends the execution as Diverged. Without Strict it is
	// skipped, and the rest is followed as far as possible.
	Strict bool
}

// A Way is one enabled continuation: a goroutine with what it would do.
type Way struct {
	G              GID
	Op             Op    // OpSend or OpRecv for a case of a select, OpSelect for its default
	Obj            ObjID // the object of that case
	With           int32 // as in Step
	Case, WithCase int16
	Site           Site // of the operation that G announced
	WithSite       Site // of the partner's

	Step int32 // in Trace.Ways: index of the step that it could have been instead
}

// A Guide chooses steps during an execution.
type Guide interface {
	// Choose returns an index in ways, which lists all continuations in order of the goroutines'
	// creation. -1 ends the execution as Aborted. t is the trace so far, without identities of
	// objects; prev made the last step.
	Choose(t *Trace, prev GID, ways []Way) int
}

// Pending is what a goroutine has announced and not yet performed.
type Pending struct {
	Op   Op
	Obj  ObjID
	Site Site
	Seq  uint32 // numbers the announcements of an execution: a new Seq is a new operation
}
