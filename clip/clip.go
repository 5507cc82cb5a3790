// Package clip reads and writes clips: schedules kept in files because they
// show a finding. A clip is text, so that a person can read it, a review can
// show what changed in it, and a merge can lose nothing silently. It stands in
// testdata/heddle/<Test>/<name> beside the test it belongs to, as a fuzz
// corpus does; the name is 8 hex digits made from the kind and the places of the
// finding (see Name), so the same bug gets the same name on every machine.
//
// The format follows what section 4 of Huang and Zhang (PECAN, ISSTA 2011)
// asks of a schedule: enough to make the real program do it again, and nothing
// that depends on addresses, times or the machine. An example:
//
//	heddle clip v2
//	# A schedule of TestTransfer that shows the finding below. Run it: heddle replay FILE
//	test       TestTransfer
//	package    example.com/bank
//	kind       data race
//	message    two goroutines access acct.balance at the same time, and at least one writes
//	go         go1.26.8
//	heddle     v0.1.0
//	policy     first
//	seed       0
//	isolate    vars
//	visible    read acct.balance bank.go:21 func=example.com/bank.Transfer nth=1
//	place      write acct.balance bank.go:22 by=main/2 func=example.com/bank.Transfer nth=2
//	place      read acct.balance bank.go:21 by=main/1 func=example.com/bank.Transfer nth=1
//	steps
//	  main       go                           bank.go:30
//	  main       go                           bank.go:31
//	  main       wg-wait wg                   bank.go:33
//	  main/1     lock mu                      bank.go:20
//	* main/2     read acct.balance            bank.go:21 x2
//	  main/2     select =1                    bank.go:24
//	end 7
//
// The first line names the format and its version. Then come the header lines,
// a word and its value, in any order, each at most once but visible and place. What is visible
// is a memory access that is a step; it is found again by its function, its text and its number
// among those of the same text there, so that edits elsewhere do not matter.
// A line that begins with # is a comment.
//
// After the line "steps" every line is a step: the goroutine and its operation
// (a word of trace.Op), and then, each where known and in this order,
//
//	=2          the outcome taken, of an operation that has several (select, draws, which waiter)
//	mu          the object, as the source calls it
//	bank.go:20  the place
//	@0x4d2a     the place's number in the position tables
//	by=main/2   the goroutine of a place
//	op=, func=, nth=, down=, note=
//	x12         the line stands for 12 equal steps
//
// A star in the first column marks a switch: without the clip somebody else would
// have gone on. Only goroutine, operation and outcome are followed; the rest is
// for the reader and for saying where a clip no longer fits.
//
// The last line says how many steps there were, so that a file cut short is noticed.
// A word that is empty, holds white space or could be taken for something else is
// quoted as in Go; so is a header value that begins or ends with a space.
//
// A file may come from anywhere, so it is bounded (MaxFile, MaxLine, MaxText, MaxSteps),
// and everything that is wrong with one is an error that says where.
package clip

import "heddle/rt/wire"

// Version is the format's, the number in the first line. Version 1, which is read too, has no lines flag, arg, env
// and code, and no packed steps.
const Version = 2

// What a clip may hold at most. MaxText is low enough that any line of legal texts, quoted, stays below MaxLine.
const (
	MaxFile  = 64 << 20
	MaxLine  = 1 << 20
	MaxText  = 16 << 10  // bytes of one text: a name, an object, the message
	MaxSteps = 2_000_000 // the step bound of an execution
)

// Reached is the kind of a clip that answers a question (heddle ask): no bug, but a moment.
const Reached = "reached"

const magic = "heddle clip v"

// A File is a clip with the build it was recorded on, where known.
type File struct {
	wire.Clip
	Package string // import path of the test's package
	Go      string // runtime.Version()
	Heddle  string // version of heddle
}

// Switches returns the number of steps at which somebody else than the
// non-preemptive policy's choice went on.
func Switches(c *wire.Clip) int {
	n := 0
	for i := range c.Steps {
		if c.Steps[i].Switch {
			n++
		}
	}
	return n
}

// Simpler reports whether a is the simpler of two clips that show the same: fewer switches, then fewer steps.
func Simpler(a, b *wire.Clip) bool {
	if s, t := Switches(a), Switches(b); s != t {
		return s < t
	}
	return len(a.Steps) < len(b.Steps)
}
