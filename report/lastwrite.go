package report

import (
	"slices"

	"heddle/report/pattern"
	"heddle/rt/wire"
	"heddle/trace"
)

// mostLast bounds the events of a goroutine that are taken for its last round, and the rows of last
// writes.
const (
	mostLast     = 64
	mostLastRows = 3
)

// lastWrites returns the rows of the last writes to what a goroutine of a livelock reads in the
// last round of its loop, in their order: the loop waits for another one. What nothing has written
// has no row. There are none where the story of the execution is not known.
func (r *Reporter) lastWrites(f *wire.Finding) (rows [][]string) {
	var reads []int // objects
	for i := range f.Places {
		reads = append(reads, lastRound(f.Story, f.Places[i].Goroutine)...)
	}
	for _, e := range slices.Backward(f.Story) {
		op, _ := trace.ParseOp(e.Op)
		if e.Waits || !pattern.Writes(op) || !slices.Contains(reads, e.Obj) {
			continue
		}
		reads = slices.DeleteFunc(reads, func(o int) bool { return o == e.Obj })
		p := e.Where
		p.Goroutine, p.Op = e.G, e.Op
		row := r.placeRow(p, nil)
		row[0] = "last write"
		if rows = append(rows, row); len(rows) == mostLastRows {
			break
		}
	}
	slices.Reverse(rows)
	return rows
}

// lastRound returns the memory that a goroutine has read since it let others go on, or began to
// wait, for the last time but one.
func lastRound(story wire.Events, g string) (reads []int) {
	rounds, n := 0, 0
	for _, e := range slices.Backward(story) {
		if e.G != g || e.Waits {
			continue
		}
		if n++; n > mostLast {
			break
		}
		switch e.Op {
		case trace.OpGosched.String(), trace.OpAwait.String(), trace.OpSleep.String():
			if rounds++; rounds == 2 {
				return reads
			}
		case trace.OpRead.String(), trace.OpAtomicLoad.String():
			if !slices.Contains(reads, e.Obj) {
				reads = append(reads, e.Obj)
			}
		}
	}
	return reads
}
