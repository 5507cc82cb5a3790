package branch

import "slices"

// A Table has the branch-affect groups with their outcomes, and the branch-condition table: the
// combinations of outcomes that were tested. It chooses the next variants (Algorithm 4, steps 2 and
// 3). The caller numbers the variants. Branches and groups have names that are the same in all
// executions.
//
// The outcome of a condition is 0 or 1, that of a loop its number of rounds. Two numbers of rounds
// that give the same MANNERS, everything else being equal, count as one outcome.
type Table struct {
	branches []*branchRow
	byName   map[string]*branchRow
	rows     []row
	tested   map[int]bool // variants that were executed, or are impossible
}

type branchRow struct {
	name   string
	at     int
	loop   bool
	seen   []int64 // outcomes
	same   map[int64]int64
	groups []*groupRow
	byKey  map[string]*groupRow
}

type groupRow struct {
	members []int
	known   bool // the outcome is known, or there is none
	has     bool
	outcome int64
}

// A row is a combination of outcomes that was tested.
type row struct {
	outcomes []int64 // by branch; notReached for one that was not reached
	manners  string
}

const notReached = -1 << 62

// maxRows bounds the combinations that are enumerated.
const maxRows = 1 << 10

// NewTable returns an empty table.
func NewTable() *Table {
	return &Table{byName: map[string]*branchRow{}, tested: map[int]bool{}}
}

// Branch adds a branch. The outcomes of a loop are numbers of rounds.
func (t *Table) Branch(name string, loop bool) {
	if t.byName[name] == nil {
		b := &branchRow{name: name, at: len(t.branches), loop: loop, same: map[int64]int64{},
			byKey: map[string]*groupRow{}}
		t.branches = append(t.branches, b)
		t.byName[name] = b
	}
}

// Classify adds a variant to a group of a branch, and creates the group if necessary.
func (t *Table) Classify(branch, group string, variant int) {
	g := t.group(branch, group)
	if !slices.Contains(g.members, variant) {
		g.members = append(g.members, variant)
	}
}

// group returns the group of that name, and creates it if necessary.
func (t *Table) group(branch, group string) *groupRow {
	b := t.byName[branch]
	g := b.byKey[group]
	if g == nil {
		g = &groupRow{}
		b.byKey[group] = g
		b.groups = append(b.groups, g)
	}
	return g
}

// Executed records the execution of a variant: the outcomes of the branches that it reached, and
// its MANNERS.
func (t *Table) Executed(variant int, outcomes map[string]int64, manners string) {
	t.tested[variant] = true
	for _, b := range t.branches {
		for _, g := range b.groups {
			if slices.Contains(g.members, variant) {
				t.settle(b, g, outcomes)
			}
		}
	}
	r := row{manners: manners}
	for _, b := range t.branches {
		o, ok := outcomes[b.name]
		if !ok {
			o = notReached
		} else if !slices.Contains(b.seen, o) {
			b.seen = append(b.seen, o)
		}
		r.outcomes = append(r.outcomes, o)
	}
	t.rows = append(t.rows, r)
	t.countOnce(&r)
}

// Covered records that an execution performed the order of a group, though it was made for
// something else.
func (t *Table) Covered(branch, group string, outcomes map[string]int64) {
	t.settle(t.byName[branch], t.group(branch, group), outcomes)
}

// Settled reports whether the outcome of a group is known.
func (t *Table) Settled(branch, group string) bool {
	g := t.byName[branch].byKey[group]
	return g != nil && g.known
}

func (t *Table) settle(b *branchRow, g *groupRow, outcomes map[string]int64) {
	if g.known {
		return
	}
	g.known = true
	g.outcome, g.has = outcomes[b.name]
}

// Drop removes an impossible variant. A group without variants is removed.
func (t *Table) Drop(variant int) {
	t.tested[variant] = true
	for _, b := range t.branches {
		for key, g := range b.byKey {
			i := slices.Index(g.members, variant)
			if i < 0 {
				continue
			}
			g.members = slices.Delete(g.members, i, i+1)
			if len(g.members) == 0 && !g.known {
				delete(b.byKey, key)
				b.groups = slices.DeleteFunc(b.groups, func(h *groupRow) bool { return h == g })
			}
		}
	}
}

// countOnce merges two numbers of rounds: that of row r, and that of a row that differs in this
// loop alone and has the same MANNERS.
func (t *Table) countOnce(r *row) {
	for i := range t.rows {
		q := &t.rows[i]
		if q.manners != r.manners {
			continue
		}
		differs := -1
		for k := range q.outcomes {
			if t.class(k, q.outcomes[k]) != t.class(k, r.outcomes[k]) {
				if differs >= 0 || !t.branches[k].loop {
					differs = -2
					break
				}
				differs = k
			}
		}
		if differs >= 0 {
			b := t.branches[differs]
			x, y := t.class(differs, q.outcomes[differs]), t.class(differs, r.outcomes[differs])
			b.same[max(x, y)] = min(x, y)
		}
	}
}

// class returns the representative of the outcomes that count as o.
func (t *Table) class(branch int, o int64) int64 {
	same := t.branches[branch].same
	for {
		x, ok := same[o]
		if !ok {
			return o
		}
		o = x
	}
}

// possible returns the outcomes that a branch may have, one of each class.
func (b *branchRow) possible(t *Table) (values []int64) {
	for _, o := range b.seen {
		if o = t.class(b.at, o); !slices.Contains(values, o) {
			values = append(values, o)
		}
	}
	if !b.loop {
		for o := int64(1); o >= 0; o-- {
			if !slices.Contains(values, o) {
				values = append(values, o)
			}
		}
	}
	return values
}

// untested returns the combinations that were not tested; ok is false if there are too many to
// enumerate.
func (t *Table) untested() (rows [][]int64, ok bool) {
	rows = [][]int64{nil}
	for _, b := range t.branches {
		values := b.possible(t)
		var longer [][]int64
		if len(rows)*len(values) > maxRows {
			return nil, false
		}
		for _, r := range rows {
			for _, v := range values {
				longer = append(longer, append(slices.Clone(r), v))
			}
		}
		rows = longer
	}
	return slices.DeleteFunc(rows, t.isTested), true
}

// isTested reports whether a combination was tested. A branch that was not reached may have any
// outcome.
func (t *Table) isTested(r []int64) bool {
	return slices.ContainsFunc(t.rows, func(q row) bool {
		for k := range r {
			if k < len(q.outcomes) && q.outcomes[k] != notReached && t.class(k, q.outcomes[k]) != t.class(k,
				r[k]) {
				return false
			}
		}
		return true
	})
}

// Rows returns the number of combinations and of those tested; total is -1 if there are too many to
// count.
func (t *Table) Rows() (tested, total int) {
	rows, ok := t.untested()
	if !ok {
		return len(t.rows), -1
	}
	total = 1
	for _, b := range t.branches {
		total *= len(b.possible(t))
	}
	return total - len(rows), total
}

// Groups returns the number of groups of a branch, and of those with a known outcome.
func (t *Table) Groups(branch string) (total, known int) {
	if b := t.byName[branch]; b != nil {
		for _, g := range b.groups {
			total++
			if g.known {
				known++
			}
		}
	}
	return total, known
}

// Branches returns the names of the branches in order of addition.
func (t *Table) Branches() (names []string) {
	for _, b := range t.branches {
		names = append(names, b.name)
	}
	return names
}

// Next returns the variants to test next (step 3); none if the test is over (step 2): all
// combinations were tested, or the outcomes of all groups are known.
func (t *Table) Next() (variants []int) {
	rows, ok := t.untested()
	if ok && len(rows) == 0 {
		return nil
	}
	if variants = t.forRows(rows); len(variants) > 0 {
		return variants
	}
	for _, b := range t.branches {
		for _, g := range b.groups {
			if v, ok := t.untried(g); ok {
				return []int{v}
			}
		}
	}
	return nil
}

// Ahead returns the variants that Next will return, one after the other, if the variant under way,
// and these, show only what their own groups require.
func (t *Table) Ahead(underWay int) (variants []int) {
	rows, ok := t.untested()
	if ok && len(rows) == 0 {
		return nil
	}
	variants = t.forRows(rows)
	for _, b := range t.branches {
		for _, g := range b.groups {
			if slices.ContainsFunc(g.members, func(v int) bool {
				return v == underWay ||
					slices.Contains(variants, v)
			}) {
				continue
			}
			if v, ok := t.untried(g); ok {
				variants = append(variants, v)
			}
		}
	}
	return variants
}

// forRows returns the variants that should show these combinations, without duplicates.
func (t *Table) forRows(rows [][]int64) (variants []int) {
	if len(rows) == 0 {
		return nil
	}
	with := t.byOutcome()
	for _, r := range rows {
		if v, ok := t.candidate(with, r); ok && !slices.Contains(variants, v) {
			variants = append(variants, v)
		}
	}
	return variants
}

// untried returns a variant of a group whose outcome is not known.
func (t *Table) untried(g *groupRow) (variant int, ok bool) {
	if g.known {
		return 0, false
	}
	i := slices.IndexFunc(g.members, func(v int) bool { return !t.tested[v] })
	if i < 0 {
		return 0, false
	}
	return g.members[i], true
}

// byOutcome returns, for every branch and outcome, the variants of the groups with that outcome.
func (t *Table) byOutcome() []map[int64]map[int]bool {
	with := make([]map[int64]map[int]bool, len(t.branches))
	for k, b := range t.branches {
		with[k] = map[int64]map[int]bool{}
		for _, g := range b.groups {
			if !g.known || !g.has {
				continue
			}
			o := t.class(k, g.outcome)
			if with[k][o] == nil {
				with[k][o] = map[int]bool{}
			}
			for _, v := range g.members {
				with[k][o][v] = !t.tested[v]
			}
		}
	}
	return with
}

// candidate returns the first variant that gives every branch the outcome of the row, according to
// its groups.
func (t *Table) candidate(with []map[int64]map[int]bool, r []int64) (variant int, ok bool) {
	if len(r) == 0 {
		return 0, false
	}
	for v, may := range with[0][r[0]] {
		for k := 1; may && k < len(r); k++ {
			may = with[k][r[k]][v]
		}
		if may && (!ok || v < variant) {
			variant, ok = v, true
		}
	}
	return variant, ok
}
