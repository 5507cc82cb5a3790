// Package clip reads and writes clips: schedules kept in files because they show a finding. A clip
// is text: it can be read, reviewed and merged. Its file is testdata/heddle/<Test>/<name> beside
// the test, like a fuzz corpus. The name is 8 hex digits made from the kind and the places of the
// finding (see Name), so the same defect has the same name on every machine.
//
// The format follows section 4 of Huang and Zhang (PECAN, ISSTA 2011): a schedule contains enough
// to make the program do the same again, and nothing that depends on addresses, times or the
// machine. An example:
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
// The first line names the format and its version. Header lines follow in any order: a word and
// its value, each word at most once except visible and place. A visible line names a memory access
// that is a scheduling point. It is found again by its function, its text and its number among the
// equal texts in that function, so that edits elsewhere do not matter. A line that begins with #
// is a comment.
//
// After the line "steps" every line is a step: the goroutine and its operation (a word of
// trace.Op). These may follow, in this order:
//
//	=2          the outcome of an operation that has several (select, draws, the waiter that is woken)
//	mu          the object, as the source calls it
//	bank.go:20  the position
//	@0x4d2a     the number of the position in the tables of the build
//	by=main/2   the goroutine of a place
//	op=, func=, nth=, down=, note=
//	x12         the line stands for 12 equal steps
//
// A star in the first column marks a switch: the non-preemptive policy would have continued
// another goroutine. A replay follows only goroutine, operation and outcome. The rest is for the
// reader, and for reporting where a clip no longer fits.
//
// The last line has the number of steps, so that a truncated file is recognised. A word that is
// empty, holds white space or could be read as something else is quoted as in Go; so is a header
// value that begins or ends with a space.
//
// A clip may come from an untrusted place. Its size is bounded (MaxFile, MaxLine, MaxText,
// MaxSteps), and every error names the line.
package clip

import "heddle/rt/wire"

// Version is the version of the format, the number in the first line. Parse reads version 1 too:
// it has no lines flag, arg, env and code, and no packed steps.
const Version = 2

// Limits of a clip. MaxText is so low that every line of legal texts, quoted, stays below MaxLine.
const (
	MaxFile  = 64 << 20
	MaxLine  = 1 << 20
	MaxText  = 16 << 10  // bytes of one text: a name, an object, the message
	MaxSteps = 2_000_000 // steps of one execution
)

// Reached is the kind of a clip that shows no defect but answers a question of heddle ask.
const Reached = "reached"

const magic = "heddle clip v"

// A File is a clip and the build it was recorded on, as far as that is known.
type File struct {
	wire.Clip
	Package string // import path of the test's package
	Go      string // runtime.Version()
	Heddle  string // version of heddle
}

// Switches counts the steps of c at which the clip departs from the non-preemptive policy.
func Switches(c *wire.Clip) int {
	n := 0
	for i := range c.Steps {
		if c.Steps[i].Switch {
			n++
		}
	}
	return n
}

// Simpler reports whether a is simpler than b, a clip of the same finding: fewer switches, or as
// many and fewer steps.
func Simpler(a, b *wire.Clip) bool {
	if s, t := Switches(a), Switches(b); s != t {
		return s < t
	}
	return len(a.Steps) < len(b.Steps)
}
