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

// held returns the lines at which g took the locks that it holds after the steps, and whether the
// last of them is held for reading. ok is false if that is not known.
func (ss steps) held(g string) (lines []string, read, ok bool) {
	type lock struct {
		line, object string
		read         bool
	}
	var locks []lock
	for i := range ss {
		s := &ss[i]
		if s.G != g {
			continue
		}
		op, _ := trace.ParseOp(s.Op)
		section, certain := model.SectionOfOp(op)
		switch {
		case !certain && !model.AwaitsSection(op):
			return nil, false, false // of a TryLock, the step does not say whether it succeeds
		case section.Enters():
			locks = append(locks, lock{lineOf(s.Where), s.Where.Object, op == trace.OpRLock})
		case section.Leaves():
			n := len(locks) - 1
			for k, l := range slices.Backward(locks) { // a deferred unlock has another name at times
				if l.object == s.Where.Object {
					n = k
					break
				}
			}
			if n < 0 {
				return nil, false, false
			}
			locks = slices.Delete(locks, n, n+1)
		}
	}
	for _, l := range locks {
		lines = append(lines, l.line)
		read = l.read
	}
	return lines, read, true
}

// switchAt reports whether the steps have a switch, and whether one is beside a step at one of the
// places: the last before it, the first after it, or where the interrupted goroutine goes on.
func (ss steps) switchAt(places []wire.Place) (switched, at bool) {
	beside := func(i int) bool {
		return i >= 0 && i < len(ss) && slices.ContainsFunc(places, func(p wire.Place) bool {
			return ss[i].Where.File == p.File && ss[i].Where.Line == p.Line
		})
	}
	for i := range ss {
		if !ss[i].Switch {
			continue
		}
		switched = true
		if i == 0 || beside(i-1) || beside(i) {
			at = at || i > 0
			continue
		}
		for k := i + 1; k < len(ss); k++ {
			if ss[k].G == ss[i-1].G {
				at = at || beside(k)
				break
			}
		}
	}
	return switched, at
}
