package transition

import (
	"hash/fnv"
	"slices"
	"strconv"

	"heddle/trace"
)

// Forms is a set of classes of equivalent executions, for checking strategies
// from outside. Two executions are equivalent if their goroutines make the same
// transitions, and what happened before each of them is the same.
type Forms struct {
	path  *Path
	seen  map[[16]byte]bool
	order []int
	key   []byte
	last  [16]byte
}

// NewForms returns an empty set. What depends on what is as tab has it.
func NewForms(tab *Table) *Forms { return &Forms{path: NewPath(tab), seen: map[[16]byte]bool{}} }

// Len returns how many classes were seen.
func (f *Forms) Len() int { return len(f.seen) }

// Add reports whether t is the first of its class. A trace that cannot be read is.
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

// Last names the class of the trace that was added last.
func (f *Forms) Last() [16]byte { return f.last }

// Covers reports whether f has all classes that o, of the same table, has.
func (f *Forms) Covers(o *Forms) bool {
	for k := range o.seen {
		if !f.seen[k] {
			return false
		}
	}
	return true
}

// form is the text that all executions of a class share: the transitions
// goroutine by goroutine, each with those before it by their places in that order.
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
		for _, v := range [...]int{int(x.Proc), int(x.With), int(x.Case), int(x.WithCase), int(x.Choice), int(x.Op)} {
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
