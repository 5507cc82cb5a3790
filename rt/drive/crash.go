package drive

import (
	"os"
	"slices"

	"heddle/rt/wire"
	"heddle/trace"
)

// A crashLog is a mapped file in which the scheduler keeps the running
// execution's steps, so that the command can read them after the process has
// died (fatal error, os.Exit, kill). It implements sched.Log.
type crashLog struct {
	mem        []byte
	file       *os.File          // to make room
	goroutines []trace.Goroutine // as many as the file is known to have room for
	steps      []trace.Step
	input      []string
	lines      []byte // of the input
}

var crash *crashLog

// crashPiece is by how many rows a crash file grows: writing to a mapped page that
// the disk has no room for would be a fatal error.
const crashPiece = 8 << 10

func openCrashLog(path string) (*crashLog, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	c := &crashLog{file: f}
	if err = f.Truncate(int64(wire.CrashSize)); err == nil {
		_, err = f.WriteAt(make([]byte, wire.CrashHeader), 0)
	}
	if err == nil {
		_, err = f.WriteAt(make([]byte, wire.CrashInputRoom), int64(wire.CrashSize))
	}
	if err == nil {
		c.mem, err = mapFile(f, wire.CrashSize+wire.CrashInputRoom)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return c, nil
}

// grow makes room in the file from one offset to another; false: there is none.
func (c *crashLog) grow(from, to int) bool {
	_, err := c.file.WriteAt(make([]byte, to-from), int64(from))
	return err == nil
}

// Goroutines implements sched.Log.
func (c *crashLog) Goroutines(n int) []trace.Goroutine {
	rows, _ := wire.CrashRows(c.mem)
	c.goroutines = roomFor(c, rows, c.goroutines, n, wire.CrashGoroutineRoom)
	return c.goroutines
}

// Steps implements sched.Log.
func (c *crashLog) Steps(n int) []trace.Step {
	_, rows := wire.CrashRows(c.mem)
	c.steps = roomFor(c, rows, c.steps, n, wire.CrashStepRoom)
	return c.steps
}

// roomFor returns have, those of rows that the file has room for, or more of them if
// n are asked for and the disk has them. in says where in the file rows are.
func roomFor[T any](c *crashLog, rows, have []T, n int, in func(from, to int) (int, int)) []T {
	if n <= len(have) || n > len(rows) {
		return have
	}
	want := min(len(have)+crashPiece, len(rows))
	if from, to := in(len(have), want); c.grow(from, to) {
		return rows[:want:want]
	}
	return have
}

// Counts implements sched.Log.
func (c *crashLog) Counts() *wire.CrashCounts { return wire.CrashCountsOf(c.mem) }

// begin notes which execution of which test starts, and what a fuzz target is called with (nil:
// its corpus).
func (c *crashLog) begin(test string, execution int, s *trace.Schedule, input []string) {
	if c == nil {
		return
	}
	if !slices.Equal(c.input, input) {
		c.input = input
		c.lines = wire.AppendCrashInput(c.lines[:0], input)
		if len(c.lines) <= wire.CrashInputRoom {
			copy(c.mem[wire.CrashSize:], c.lines)
		} else { // where the disk has no room, a clip without it is not confirmed
			c.file.WriteAt(c.lines, int64(wire.CrashSize))
		}
	}
	h := wire.CrashInfo{Test: test, Execution: execution, Policy: s.Policy, Seed: s.Seed, Depth: s.Depth,
		Free: s.Free, Exhaustive: s.Exhaustive, Running: true}
	h.Put(c.mem)
}

// hurry reports whether others have nothing to do.
func (c *crashLog) hurry() bool { return c != nil && c.mem[wire.CrashHurry] != 0 }

func (c *crashLog) end() {
	if c != nil {
		c.mem[0] = 0
	}
}
