package branch

import (
	"encoding/binary"
	"slices"
)

// A Group is a branch-affect group: variants with the same order of the operations of BranchRelOP,
// up to the first that changes, and so with the same effect on the branch. Orders that lead to the
// same node of the graph are equal.
type Group struct {
	Order    []int32 // the related ops, in order of the trace; the changed one last, if it is related
	Changed  bool    // the last one changes; if none does, the branch keeps its outcome
	Executed bool    // the order of the trace itself
	Members  []int   // variants, by their index
}

// Key identifies a group among those of its branch: its order, where an operation that sees another
// version because of an unrelated operation counts as the same.
func (g *Group) Key() string {
	var b []byte
	for _, op := range g.Order {
		b = binary.AppendUvarint(b, uint64(op))
	}
	return string(b)
}

// Full returns the group's order, completed with the related ops that it leaves open, in order of
// the trace.
func (g *Group) Full(related []int32) []int32 {
	full := slices.Clone(g.Order)
	for _, op := range related {
		if !slices.Contains(g.Order, op) {
			full = append(full, op)
		}
	}
	return full
}

// Groups returns the branch-affect groups of a branch (Algorithm 3). The first is that of the
// trace.
//
// A variant whose change comes before the branch and is unrelated to it says nothing about the
// branch: it is in no group.
func (x *Execution) Groups(branch int, variants []Variant) []Group {
	related, _ := x.RelatedOP(branch)
	groups := []Group{{Order: related, Executed: true}}
	at := map[string]int{groups[0].Key(): 0}
	for i := range variants {
		g, ok := x.groupOf(branch, related, &variants[i])
		if !ok {
			continue
		}
		key := g.Key()
		n, known := at[key]
		if !known {
			n = len(groups)
			at[key] = n
			groups = append(groups, g)
		}
		groups[n].Members = append(groups[n].Members, i)
	}
	return groups
}

// groupOf returns the group of a variant, without members.
func (x *Execution) groupOf(branch int, related []int32, v *Variant) (g Group, ok bool) {
	for _, op := range related {
		if o := &x.Ops[op]; o.At < v.Cut[o.G] {
			g.Order = append(g.Order, op)
		}
	}
	if slices.Contains(related, v.Changed) {
		g.Order, g.Changed = append(g.Order, v.Changed), true
		return g, true
	}
	b := &x.Branches[branch]
	return g, v.Cut[b.G] >= b.At
}
