package branch

import "heddle/model"

// Pairs returns the number of test cases that criterion TPAIR requires for an execution (Lu, Jiang
// & Zhou, ESEC/FSE 2007): for every two goroutines, all different interleavings of their accesses
// to shared variables, whatever the others do. Interleavings that differ in commuting operations
// are one, and critical sections entered in the same order are one. Read-shared variables are left
// out, as for other strategies. The execution itself is counted once.
//
// It is the baseline of section V.B. Only the number is computed, by counting the words in normal
// form.
func Pairs(x *Execution) float64 {
	total, pairs := 1.0, 0
	for g := range x.byG {
		for h := g + 1; h < len(x.byG); h++ {
			a, b := x.paired(g, h), x.paired(h, g)
			if len(a) > 0 && len(b) > 0 {
				total += x.interleavings(a, b) - 1
				pairs++
			}
		}
	}
	if pairs == 0 {
		return 0
	}
	return total
}

// paired returns the accesses, locks and unlocks of g that are on objects which h uses too.
func (x *Execution) paired(g, h int) (ops []int32) {
	theirs := map[int32]bool{}
	for _, op := range x.byG[h] {
		if v := x.variable[x.Ops[op].Event]; v >= 0 {
			theirs[v] = true
		}
	}
	accesses := 0
	for _, op := range x.byG[g] {
		e := x.event(int(op))
		if v := x.variable[x.Ops[op].Event]; v < 0 || !theirs[v] {
			continue
		}
		if IsAccess(e.Op) {
			accesses++
		} else if sectionOf(x.Trace, e) == model.Outside {
			continue
		}
		ops = append(ops, op)
	}
	if accesses == 0 {
		return nil
	}
	return ops
}

// interleavings counts the classes of interleavings of two sequences: the words in which no op of b
// stands directly before a commuting op of a (the lexicographic normal form), and no lock is taken
// while the other holds it.
func (x *Execution) interleavings(a, b []int32) float64 {
	heldA, heldB := x.holdings(a), x.holdings(b)
	// Indexed by the number of ops of b: words that end in an op of a, and words that end in one of
	// b.
	fromA, fromB := make([]float64, len(b)+1), make([]float64, len(b)+1)
	for i := 0; i <= len(a); i++ {
		nextA, nextB := make([]float64, len(b)+1), make([]float64, len(b)+1)
		for j := 0; j <= len(b); j++ {
			if overlap(heldA[i], heldB[j]) {
				continue
			}
			switch {
			case i == 0 && j == 0:
				nextA[0] = 1
				continue
			case i > 0:
				nextA[j] = fromA[j]
				if j > 0 && !x.commute(a[i-1], b[j-1]) {
					nextA[j] += fromB[j]
				}
			}
			if j > 0 {
				nextB[j] = nextA[j-1] + nextB[j-1]
			}
		}
		fromA, fromB = nextA, nextB
	}
	return fromA[len(b)] + fromB[len(b)]
}

func (x *Execution) commute(p, q int32) bool {
	e, f := x.event(int(p)), x.event(int(q))
	if x.variable[x.Ops[p].Event] != x.variable[x.Ops[q].Event] {
		return true
	}
	return IsAccess(e.Op) && IsAccess(f.Op) && !changes[e.Op] && !changes[f.Op]
}

// holdings returns, by number of ops, the locks held after them.
func (x *Execution) holdings(ops []int32) (held [][]holding) {
	var now []holding
	held = append(held, nil)
	for _, op := range ops {
		e := x.event(int(op))
		section := sectionOf(x.Trace, e)
		if section.Enters() {
			now = append(append([]holding(nil), now...), holding{e.Obj, section == model.Enter})
		} else if section.Leaves() {
			var left []holding
			for _, h := range now {
				if h.lock != e.Obj {
					left = append(left, h)
				}
			}
			now = left
		}
		held = append(held, now)
	}
	return held
}

// overlap reports whether two goroutines would hold one lock at the same time, at least one of them
// for writing.
func overlap(a, b []holding) bool {
	for _, h := range a {
		for _, k := range b {
			if h.lock == k.lock && (h.write || k.write) {
				return true
			}
		}
	}
	return false
}
