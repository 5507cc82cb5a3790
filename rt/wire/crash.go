package wire

import (
	"bytes"
	"encoding/binary"
	"slices"
	"unsafe"

	"heddle/trace"
)

// The crash file: what a test binary leaves behind when its process dies in the middle of an
// execution. It is mapped into memory, and the scheduler keeps the running execution's goroutines
// and steps there, as they are: a header (see CrashInfo.Put) with the CrashCounts at its end, then
// rows of trace.Goroutine, then rows of trace.Step. What follows, AppendCrashInput says.
const (
	CrashHeader     = 1024
	CrashGoroutines = 1 << 15 // rows
	CrashSteps      = 1 << 17
	CrashSize       = crashSteps + CrashSteps*stepSize

	crashCounts = CrashHeader - int(unsafe.Sizeof(CrashCounts{}))
	crashSteps  = CrashHeader + CrashGoroutines*goroutineSize

	goroutineSize = int(unsafe.Sizeof(trace.Goroutine{}))
	stepSize      = int(unsafe.Sizeof(trace.Step{}))
)

// CrashCounts are the numbers of a crash file that change while an execution runs.
type CrashCounts struct {
	Goroutines uint32 // rows in use
	Steps      uint32
	Beats      uint32 // signs of life between steps
	Lost       uint32 // not 0: there was no room for all rows
}

// CrashCountsOf returns the counts in the header of a crash file, which mem holds at least.
func CrashCountsOf(mem []byte) *CrashCounts {
	return (*CrashCounts)(unsafe.Pointer(&mem[crashCounts]))
}

// CrashRows returns the rows of a crash file as they are in mem, which is as long as CrashSize.
func CrashRows(mem []byte) (gs []trace.Goroutine, steps []trace.Step) {
	_ = mem[CrashSize-1]
	return unsafe.Slice((*trace.Goroutine)(unsafe.Pointer(&mem[CrashHeader])), CrashGoroutines),
		unsafe.Slice((*trace.Step)(unsafe.Pointer(&mem[crashSteps])), CrashSteps)
}

// CrashGoroutineRoom returns where in a crash file the goroutines from one to another are, in
// bytes.
func CrashGoroutineRoom(from, to int) (int, int) {
	return CrashHeader + from*goroutineSize, CrashHeader + to*goroutineSize
}

// CrashStepRoom is CrashGoroutineRoom for steps.
func CrashStepRoom(from, to int) (int, int) {
	return crashSteps + from*stepSize, crashSteps + to*stepSize
}

// CrashTrace returns the goroutines and steps of the execution in a crash file;
// nil where they were too many to be kept, or mem is none.
func CrashTrace(mem []byte) *trace.Trace {
	if len(mem) < CrashSize {
		return nil
	}
	n := CrashCountsOf(mem)
	if n.Lost != 0 || n.Goroutines > CrashGoroutines || n.Steps > CrashSteps {
		return nil
	}
	gs, steps := CrashRows(mem)
	return &trace.Trace{Verdict: trace.Panicked, Goroutines: slices.Clone(gs[:n.Goroutines]),
		Steps: slices.Clone(steps[:n.Steps])}
}

// CrashInputRoom is how much of what follows CrashSize is mapped.
const CrashInputRoom = 1 << 13

// AppendCrashInput appends what a crash file holds after CrashSize: the input of its execution (see
// Request.Input), a value on each line, and an empty line.
func AppendCrashInput(b []byte, input []string) []byte {
	for _, s := range input {
		b = append(append(b, s...), '\n')
	}
	return append(b, '\n')
}

// CrashInput returns the input of the execution in a crash file; nil if it has none.
func CrashInput(mem []byte) (input []string) {
	if len(mem) <= CrashSize {
		return nil
	}
	for rest := mem[CrashSize:]; ; {
		line, after, whole := bytes.Cut(rest, []byte("\n"))
		if !whole {
			return nil
		}
		if len(line) == 0 {
			return input
		}
		input, rest = append(input, string(line)), after
	}
}

// A CrashInfo says which execution was running.
type CrashInfo struct {
	Running   bool
	Test      string
	Execution int
	Policy    string
	Seed      uint64
	Depth     int
	Free      bool

	Exhaustive bool
}

// Put writes c into the header of mem. Names are cut at 700 bytes.
func (c *CrashInfo) Put(mem []byte) {
	mem[0] = 0
	le := binary.LittleEndian
	le.PutUint64(mem[8:], uint64(c.Execution))
	le.PutUint64(mem[16:], c.Seed)
	le.PutUint32(mem[24:], uint32(c.Depth))
	mem[28] = 0
	if c.Free {
		mem[28] |= 1
	}
	if c.Exhaustive {
		mem[28] |= 2
	}
	mem[29] = byte(copy(mem[32:64], c.Policy))
	n := copy(mem[64:764], c.Test)
	le.PutUint16(mem[30:], uint16(n))
	if c.Running {
		mem[0] = 1
	}
}

// ReadCrash reads the header of a crash file; ok is false if it is too short to be one.
func ReadCrash(mem []byte) (c CrashInfo, ok bool) {
	if len(mem) < CrashHeader {
		return c, false
	}
	le := binary.LittleEndian
	return CrashInfo{
		Running: mem[0] == 1, Execution: int(le.Uint64(mem[8:])), Seed: le.Uint64(mem[16:]),
		Depth: int(le.Uint32(mem[24:])),
		Free:  mem[28]&1 != 0, Exhaustive: mem[28]&2 != 0, Policy: string(mem[32 : 32+min(int(mem[29]), 32)]),
		Test: string(mem[64 : 64+min(int(le.Uint16(mem[30:])), 700)]),
	}, true
}
