package transition

import (
	"hash/fnv"
	"slices"
	"strconv"

	"heddle/trace"
)

// Forms is a set of equivalence classes of executions, for checking strategies from outside. Two
// executions are equivalent if their goroutines make the same transitions with the same
// happens-before.
type Forms struct {
	path  *Path
	seen  map[[16]byte]bool
	order []int
	key   []byte
	last  [16]byte
}

// NewForms returns an empty set that uses tab for names and dependence.
func NewForms(tab *Table) *Forms { return &Forms{path: NewPath(tab), seen: map[[16]byte]bool{}} }

// Len returns the number of classes.
func (f *Forms) Len() int { return len(f.seen) }

// Add adds t and reports whether it is the first of its class. A trace that cannot be read counts
// as the first.
func (f *Forms) Add(t *trace.Trace) bool {
	if f.path.Read(t, 0) != nil {
		return true
	}
	h := fnv.New128a()
	h.Write(f.form())
	f.last = [16]byte(h.Sum(nil))
	first := !f.seen[f.last]
	f.seen[f.last] = true
	return first
}

// Last returns the name of the class that Add was given last.
func (f *Forms) Last() [16]byte { return f.last }

// Covers reports whether f has all classes of o, which uses the same table.
func (f *Forms) Covers(o *Forms) bool {
	for k := range o.seen {
		if !f.seen[k] {
			return false
		}
	}
	return true
}

// form returns the text that identifies a class: the transitions goroutine by goroutine, each with
// its predecessors in happens-before, numbered in that order.
func (f *Forms) form() []byte {
	p := f.path
	f.order = f.order[:0]
	for i := range p.n {
		f.order = append(f.order, i)
	}
	slices.SortStableFunc(f.order, func(i, j int) int { return int(p.steps[i].Proc) - int(p.steps[j].Proc) })
	b := f.key[:0]
	for _, j := range f.order {
		x := &p.steps[j]
		for _, v := range [...]int{int(x.Proc), int(x.With), int(x.Case), int(x.WithCase), int(x.Choice),
			int(x.Op)} {
			b = append(strconv.AppendInt(b, int64(v), 10), ' ')
		}
		for pos, i := range f.order {
			if i < j && p.Before(i, j) {
				b = append(strconv.AppendInt(b, int64(pos), 10), ',')
			}
		}
		b = append(b, ';')
	}
	f.key = b
	return b
}
