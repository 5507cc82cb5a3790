package trace

// A Schedule is the choices to follow, and the policy for what comes after
// them. The zero Schedule is the non-preemptive one.
type Schedule struct {
	Steps  []Step   // the prefix, one entry a step
	Names  []string // if not nil, Names[i] names the goroutine of Steps[i], whose G is not looked at
	Policy string   // "first", "random", "pos", "pct"; "" is "first"
	Seed   uint64   // of the policy, of map iteration and of random numbers; 0 for the first execution
	Depth  int      // pct: number of priority change points + 1
	Free   bool     // timers may fire at any moment once their turn by deadline has come

	// Exhaustive: operations commute wherever Go lets them, which is what
	// strategies that cover every interleaving need: arriving at a channel is a
	// step only where somebody can poll, a goroutine that crashes lets the
	// others go on before the program ends, and the clock stands still while
	// anybody can go on.
	Exhaustive bool

	// Awaits: an iteration of a polling loop that changed nothing ends with a step
	// (OpAwait) even if what it looked at has been written meanwhile, so that
	// nobody needs to wait. Otherwise it does so only where Steps has that step.
	// Exhaustive executions only.
	Awaits bool

	// Loose: of the order that operations inside the standard library give only
	// what no other order of them could lack counts for data races: a race that
	// is then seen may be none. Exhaustive executions only.
	Loose bool

	// Ways: after the prefix the non-preemptive round robin goes on, and the trace
	// tells all ways to go on that there were at each of its steps (Trace.Ways).
	// Exhaustive executions only.
	Ways bool

	// Guide, if not nil, chooses after the prefix, and the policy only draws.
	// Exhaustive executions only; it is for strategies that run beside the
	// scheduler, since no schedule file can hold it.
	Guide Guide

	// Insert: a goroutine of the prefix that is about to access memory where
	// another operation is expected does so first, as a step of its own.
	Insert bool

	// Rejoin: where a step does not fit, its goroutine goes on first or, if it cannot, the one that went last, as long as that one
	// can: it may have to make what was there already when the prefix was recorded.
	Rejoin bool

	// Sites: a step does not fit either where its operation stands elsewhere in the source.
	Sites bool

	// Strict: a step that does not fit ends the execution as Diverged.
	// Otherwise it is skipped and the rest is followed as far as it goes.
	Strict bool
}

// A Way is one way to go on: a goroutine with what it would do.
type Way struct {
	G              GID
	Op             Op    // OpSend or OpRecv for a case of a select, OpSelect for its default
	Obj            ObjID // of that case
	With           int32 // as in Step
	Case, WithCase int16
	Site           Site // of the operation that G announced
	WithSite       Site // of the partner's

	Step int32 // in Trace.Ways: index of the step that it could have been
}

// A Guide chooses how to go on.
type Guide interface {
	// Choose returns the index of one of ways, all there are, in order of the
	// goroutines' creation; -1 ends the execution as Aborted. t is the trace
	// so far, without identities of objects; prev made the last step.
	Choose(t *Trace, prev GID, ways []Way) int
}

// Pending is what a goroutine has announced and not yet done.
type Pending struct {
	Op   Op
	Obj  ObjID
	Site Site
	Seq  uint32 // counts announcements of this execution: a new Seq is a new operation
}
