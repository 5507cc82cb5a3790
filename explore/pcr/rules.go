package pcr

import "fmt"

// Rules is a set of the filtering rules of Table 2. Bit n stands for rule n.
type Rules uint8

const (
	NonDefined    Rules = 1 << 1 // 1: the pattern is not in Table 1
	Covered       Rules = 1 << 2 // 2: an execution has shown it
	HappensBefore Rules = 1 << 3 // 3: it contradicts happens-before
	OldState      Rules = 1 << 4 // 4: no read would see another value, no two writes swap
	Interrupted   Rules = 1 << 5 // 5: accesses of one goroutine are not adjacent in it
	Redundant     Rules = 1 << 6 // 6: both variables are accessed in the order of the trace

	// AllRules are the rules of the strategy map.
	AllRules = NonDefined | Covered | HappensBefore | OldState | Interrupted | Redundant
)

// ParseRules parses rules from their digits, such as "1345".
func ParseRules(digits string) (r Rules, err error) {
	for _, d := range digits {
		if d < '1' || d > '6' {
			return 0, fmt.Errorf("no rule %q: want some of the digits 1 to 6", d)
		}
		r |= 1 << (d - '0')
	}
	return r, nil
}

// has reports whether rule is one of r.
func (r Rules) has(rule Rules) bool { return r&rule != 0 }

// broken returns the first rule, by number, that excludes the candidate; 0 if none does.
func (c *creation) broken(k *candidate) Rules {
	for rule := NonDefined; rule <= Redundant; rule <<= 1 {
		if c.rules.has(rule) && c.breaks(rule, k) {
			return rule
		}
	}
	return 0
}

func (c *creation) breaks(rule Rules, k *candidate) bool {
	switch rule {
	case NonDefined:
		return k.row == 0
	case Covered:
		return c.set.HasKey(k.key)
	case HappensBefore:
		return c.contradicts(k)
	case OldState:
		return !c.changes(k)
	case Interrupted:
		return c.interrupted(k)
	case Redundant:
		return k.n == 4 && !c.exchanges(k)
	}
	return false
}

// contradicts reports whether the candidate has two accesses in an order that contradicts
// happens-before.
func (c *creation) contradicts(k *candidate) bool {
	for j := 1; j < k.n; j++ {
		for i := range j {
			if c.problem.Must(k.event(c, j), k.event(c, i)) {
				return true
			}
		}
	}
	return false
}

// changes reports whether a read sees another value than in the trace, or two writes are swapped.
func (c *creation) changes(k *candidate) bool {
	for _, x := range k.conflicts(c) {
		if c.changed(k, x) {
			return true
		}
	}
	return false
}

// changed is changes for the accesses i and j of one variable.
func (c *creation) changed(k *candidate, x [2]int) bool {
	u, w := k.access[x[0]], k.access[x[1]]
	reversed := w < u
	switch {
	case k.write[x[0]] && k.write[x[1]]:
		return reversed
	case k.write[x[0]]:
		return !c.sameValue(c.source[w], c.seen(w), u, c.left(u))
	}
	// The read would see the value before the write, or an older one.
	return reversed && !c.sameValue(c.source[u], c.seen(u), c.source[w], c.before(w))
}

// sameValue reports whether two values are known to be equal: they come from the same write, or the
// recorded texts are equal.
func (c *creation) sameValue(from int32, value string, orFrom int32, or string) bool {
	return from == orFrom || value != "" && value == or
}

// interrupted reports whether a goroutine accesses one of the pattern's variables, in the trace,
// between two of its accesses that are adjacent in the pattern.
func (c *creation) interrupted(k *candidate) bool {
	for j := 1; j < k.n; j++ {
		for i := range j {
			if c.as.All[k.access[i]].G == c.as.All[k.access[j]].G && !c.consecutive(k, k.access[i],
				k.access[j]) {
				return true
			}
		}
	}
	return false
}

func (c *creation) consecutive(k *candidate, u, w int32) bool {
	if w < u {
		u, w = w, u
	}
	a, b := &c.as.All[u], &c.as.All[w]
	for _, v := range [2]int{a.Var, b.Var} {
		if c.next(v, a.G, u) < w {
			return false
		}
		if a.Var == b.Var {
			break
		}
	}
	return true
}

// exchanges reports whether on one of the variables the two accesses have the other order than in
// the trace.
func (c *creation) exchanges(k *candidate) bool {
	for _, x := range k.conflicts(c) {
		if k.access[x[1]] < k.access[x[0]] {
			return true
		}
	}
	return false
}
