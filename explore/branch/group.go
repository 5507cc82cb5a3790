package branch

import (
	"encoding/binary"
	"slices"
)

// A Group is a branch-affect group: variants that do the operations of
// BranchRelOP in the same order, up to the first that changes, and so have the same
// effect on the branch. Orders that lead to the same node of the graph are the same.
type Group struct {
	Order    []int32 // related ops done, in order of the trace; the changed one last, if it is related
	Changed  bool    // the last one changes: without, the branch has the outcome that it had
	Executed bool    // the order of the trace itself
	Members  []int   // variants, by their index
}

// Key tells a group from the others of its branch: by its order, in which an
// operation that sees another version because of something unrelated is no other one.
func (g *Group) Key() string {
	var b []byte
	for _, op := range g.Order {
		b = binary.AppendUvarint(b, uint64(op))
	}
	return string(b)
}

// Full returns the group's order with the related ops that it leaves open, as the trace has them.
func (g *Group) Full(related []int32) []int32 {
	full := slices.Clone(g.Order)
	for _, op := range related {
		if !slices.Contains(g.Order, op) {
			full = append(full, op)
		}
	}
	return full
}

// Groups makes the branch-affect groups of a branch (Algorithm 3). The first is that of the trace.
//
// A variant that changes something else before the branch has been reached says
// nothing about the branch, and is in no group.
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

// groupOf returns the group that a variant is of, without members.
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
