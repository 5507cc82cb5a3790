package sched

import (
	"cmp"
	"maps"
	"slices"

	"heddle/trace"
	"heddle/trace/remains"
)

// lessons are what executions of a test have taught, by which later ones end sooner.
type lessons struct {
	cycles     map[uint64]remains.End // lock cycles that are known to be deadlocks, see cycle.go
	handedOver bool                   // a lock was released by another goroutine than its owner
	waits      map[trace.Pending]bool // of main, in executions that timed out
	excused    map[uint64]int         // situations in which no goroutine was stuck, see situation
}

// Memory is what executions of a test have taught the scheduler, by which it ends later ones
// sooner. It means the same in every process that runs the same binary.
type Memory struct {
	Cycles map[uint64]remains.End `json:",omitempty"` // lock cycles that are known to be deadlocks
	// a lock was released by another goroutine than its owner
	HandedOver bool            `json:",omitempty"`
	Waits      []trace.Pending `json:",omitempty"` // of main, in executions that timed out
}

// ForgetDeadlocks forgets what is known from earlier executions: another test begins.
func (l *lessons) ForgetDeadlocks() { *l = lessons{} }

// Memory returns what is known.
func (l *lessons) Memory() Memory {
	m := Memory{Cycles: maps.Clone(l.cycles), HandedOver: l.handedOver}
	for w := range l.waits {
		m.Waits = append(m.Waits, w)
	}
	slices.SortFunc(m.Waits, func(a, b trace.Pending) int { return cmp.Compare(a.Site, b.Site) })
	return m
}

// Remember takes what Memory returned, here or in another process, in the place of what is known.
func (l *lessons) Remember(m Memory) {
	*l = lessons{cycles: maps.Clone(m.Cycles), handedOver: m.HandedOver}
	for _, w := range m.Waits {
		l.timedOut(w)
	}
}

// deadlock makes a lock cycle known.
func (l *lessons) deadlock(cycle uint64, end remains.End) {
	if l.cycles == nil {
		l.cycles = make(map[uint64]remains.End)
	}
	l.cycles[cycle] = end
}

// timedOut makes known where main waited in an execution that timed out.
func (l *lessons) timedOut(w trace.Pending) {
	if l.waits == nil {
		l.waits = make(map[trace.Pending]bool)
	}
	l.waits[w] = true
}

// ask reports whether memory is to be walked in a situation: it was not, or for the 1st, 2nd, 4th,
// 8th ... execution that ends in it, or a goroutine was stuck there.
func (l *lessons) ask(situation uint64) bool {
	n := l.excused[situation]
	if n <= 0 {
		return true
	}
	l.excused[situation]++
	return n&(n-1) == 0
}

// answered notes whether a walk found stuck goroutines.
func (l *lessons) answered(situation uint64, stuck bool) {
	if l.excused == nil {
		l.excused = make(map[uint64]int)
	}
	switch {
	case stuck:
		// it is walked each time: what makes a schedule simpler relies on it
		l.excused[situation] = -1
	case l.excused[situation] == 0:
		l.excused[situation] = 1
	}
}
