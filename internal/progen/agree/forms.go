package agree

import (
	"slices"
	"strconv"

	"heddle/explore"
	"heddle/explore/transition"
	"heddle/trace"
)

// forms is a set of classes of equivalent executions. Two executions are
// equivalent if their goroutines make the same transitions, and what happened
// before each of them is the same.
type forms struct {
	path *transition.Path
	seen map[string]bool
	key  []byte
}

// newForms returns an empty set. What depends on what is as the strategy has it,
// if it says: it may have found out more from executions that were not made.
func newForms(s explore.Strategy) *forms {
	tab := transition.NewTable()
	if s, ok := s.(interface{ Table() *transition.Table }); ok {
		tab = s.Table()
	}
	return &forms{path: transition.NewPath(tab), seen: map[string]bool{}}
}

// add reports whether t is the first of its class. A trace that cannot be read is: the strategy will say so.
func (f *forms) add(t *trace.Trace) bool {
	p := f.path
	if p.Read(t, 0) != nil {
		return true
	}
	n := p.Len()
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return int(p.At(i).Proc) - int(p.At(j).Proc) })
	b := f.key[:0]
	for _, j := range order {
		x := p.At(j)
		for _, v := range []int{int(x.Proc), int(x.With), int(x.Case), int(x.WithCase), int(x.Choice), int(x.Op)} {
			b = append(strconv.AppendInt(b, int64(v), 10), ' ')
		}
		for pos, i := range order { // names by place in the order, which is the same for equivalent executions
			if i < j && p.Before(i, j) {
				b = append(strconv.AppendInt(b, int64(pos), 10), ',')
			}
		}
		b = append(b, ';')
	}
	f.key = b
	if f.seen[string(b)] {
		return false
	}
	f.seen[string(b)] = true
	return true
}
