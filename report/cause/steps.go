package cause

import (
	"slices"

	"heddle/model"
	"heddle/rt/wire"
	"heddle/trace"
)

// Steps are those of a clip.
type steps []wire.Step

// last returns the index of the last step of p's goroutine at p, -1 if there is none.
func (ss steps) last(p wire.Place) int {
	for i, s := range slices.Backward(ss) {
		if s.G == p.Goroutine && s.Op == p.Op && s.Where.Line == p.Line && s.Where.File == p.File {
			return i
		}
	}
	return -1
}

// A Lock is one that a goroutine holds.
type Lock struct {
	Line   string // where it was taken
	Object string
	Read   bool // for reading
}

// Held returns the locks that g holds after the steps of a clip, in the order in which it took
// them. ok is false if that is not known.
func Held(steps []wire.Step, g string) (locks []Lock, ok bool) {
	for i := range steps {
		s := &steps[i]
		if s.G != g {
			continue
		}
		op, _ := trace.ParseOp(s.Op)
		section, certain := model.SectionOfOp(op)
		switch {
		case !certain && !model.AwaitsSection(op):
			return nil, false // of a TryLock, the step does not say whether it succeeds
		case section.Enters():
			locks = append(locks, Lock{lineOf(s.Where), s.Where.Object, op == trace.OpRLock})
		case section.Leaves():
			n := len(locks) - 1
			for k, l := range slices.Backward(locks) { // a deferred unlock has another name at times
				if l.Object == s.Where.Object {
					n = k
					break
				}
			}
			if n < 0 {
				return nil, false
			}
			locks = slices.Delete(locks, n, n+1)
		}
	}
	return locks, true
}

// linesOf returns where locks were taken.
func linesOf(locks []Lock) (lines []string) {
	for _, l := range locks {
		lines = append(lines, l.Line)
	}
	return lines
}

// switchAt reports whether the steps have a switch, whether one moves one of the accesses (a line
// can have much else): it is the first step after the switch, or the one at which the interrupted
// goroutine goes on; and whether one comes right after an access.
func (ss steps) switchAt(places []wire.Place) (switched, at, after bool) {
	is := func(i int) bool {
		return slices.ContainsFunc(places, func(p wire.Place) bool {
			return ss[i].Where.File == p.File && ss[i].Where.Line == p.Line && ss[i].Op == p.Op
		})
	}
	for i := 1; i < len(ss); i++ {
		if !ss[i].Switch {
			continue
		}
		switched, at, after = true, at || is(i), after || is(i-1)
		for k := i + 1; k < len(ss); k++ {
			if ss[k].G == ss[i-1].G {
				at = at || is(k)
				break
			}
		}
	}
	return switched, at, after
}
