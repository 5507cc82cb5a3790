package wire

import (
	"unsafe"

	"heddle/trace"
)

// The debug file: what heddle debug and the test binary tell each other while the binary is stopped
// or runs under a debugger. The command makes it; the binary maps it. A header, a DebugState, comes
// before a row for each goroutine.
const (
	DebugGoroutines = 1 << 16 // rows
	DebugHeader     = 64
	DebugSize       = DebugHeader + DebugGoroutines*debugRowSize

	debugRowSize = int(unsafe.Sizeof(DebugGoroutine{}))
)

// A Debug in a Config says that the recorded execution of a replay is looked at by a debugger.
type Debug struct {
	File string // the debug file
	Real bool   // the clip shows its finding in real time
}

// A DebugState is the header of a debug file. Steps are numbered from 1, as in the table of a
// replay: step n is the n-th event.
type DebugState struct {
	Stop   uint64 // written by the command: the binary pauses before this step; 0: before none
	Step   uint64 // written by the binary: the step that was begun last
	Pause  uint32 // why the binary pauses
	Rows   uint32 // goroutines so far
	Pauses uint32 // written by the command: bits 1<<PauseStep and so on: for what it pauses
	Whole  uint32 // written by the command: 1: it numbers whole steps of the schedule, not events
}

// Offsets in a debug file of what the command writes.
const (
	DebugStopAt   = int64(unsafe.Offsetof(DebugState{}.Stop))
	DebugPauseAt  = int64(unsafe.Offsetof(DebugState{}.Pause))
	DebugPausesAt = int64(unsafe.Offsetof(DebugState{}.Pauses))
	DebugWholeAt  = int64(unsafe.Offsetof(DebugState{}.Whole))
)

// DebugRoom returns the size of a debug file with so many rows.
func DebugRoom(rows int) int { return DebugHeader + rows*debugRowSize }

// Why a binary pauses.
const (
	PauseStep = 1 + iota // the step of DebugState.Stop is next
	PauseRace            // the step that was begun races with an earlier one, or misuses an object so
	PauseFail            // a goroutine panics, misuses an object, or says that the test fails
	PauseEnd             // no goroutine goes on
)

// PauseFunc is the function in which a binary pauses: a debugger has a breakpoint there.
const PauseFunc = "heddlert/sched.debugPause"

// A DebugGoroutine is one goroutine under test, in the order of their go statements.
type DebugGoroutine struct {
	ID     uint64 // the runtime's number of what it runs on now; 0: it has not started, or has ended
	Parent trace.GID
	N      int32
}

// A DebugView is a debug file in memory.
type DebugView struct {
	*DebugState
	Goroutines []DebugGoroutine // all rows
}

// DebugViewOf returns the view of a debug file of which mem has all.
func DebugViewOf(mem []byte) *DebugView {
	_ = mem[DebugSize-1]
	return &DebugView{(*DebugState)(unsafe.Pointer(&mem[0])),
		unsafe.Slice((*DebugGoroutine)(unsafe.Pointer(&mem[DebugHeader])), DebugGoroutines)}
}

// Names returns the names of the goroutines that have a stack, by the runtime's numbers.
func (v *DebugView) Names() map[uint64]string {
	n := min(int(v.Rows), len(v.Goroutines))
	t := trace.Trace{Goroutines: make([]trace.Goroutine, n)}
	for i, g := range v.Goroutines[:n] {
		t.Goroutines[i] = trace.Goroutine{Parent: g.Parent, N: g.N}
	}
	names := make(map[uint64]string)
	for i, g := range v.Goroutines[:n] {
		if g.ID != 0 {
			names[g.ID] = t.Name(trace.GID(i))
		}
	}
	return names
}
