package model

import "heddle/trace"

const (
	running Counter = iota
	done
)

// once is sync.Once. The outcome of Do is 1 for the call that runs the function, and 0 for calls
// after it has returned.
var once = &Primitive{
	Kind: trace.ObjOnce, Counters: []string{"running", "done"},
	Initial: func(o *Object) (s State) {
		if o.Init != 0 {
			s[done] = 1
		}
		return s
	},
	Blocking: []trace.Op{trace.OpOnce},
	Rules: []Rule{
		{
			Op:      trace.OpOnce,
			Arg:     1,
			Needs:   []Need{is(running, 0), is(done, 0)},
			Effects: []Effect{set(running, 1)},
			Mode:    Write,
			Section: Enter,
		},
		{Op: trace.OpOnce, Arg: 0, Needs: []Need{is(running, 0), is(done, 1)}, Mode: Read, Order: Acquires},
		{
			Op:      trace.OpOnceDone,
			Outcome: Given,
			Sign:    anySign,
			Effects: []Effect{set(running, 0), set(done, 1)},
			Mode:    Write,
			Order:   Releases,
			Section: Leave,
		},
	},
}
