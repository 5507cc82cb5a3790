// Package touch says which variables a memory access touches. It is compiled into the program under
// test.
package touch

import (
	"cmp"
	"slices"

	"heddle/trace"
)

// most bounds how many variables one access touches. Only copies of large arrays touch more.
const most = 64

// Variables are the accessed objects of a trace, ordered by address. A variable is the address at
// which some access begins; an access to several bytes touches all variables that begin among them.
type Variables struct {
	Objs  []trace.ObjID // by index; of several at one address the first
	t     *trace.Trace
	place []int32 // index in Objs by ObjID; -1: not among the variables
	all   []trace.ObjID
}

// In returns the variables of t: its objects of the kinds for which of is true.
func In(t *trace.Trace, of func(trace.ObjKind) bool) *Variables {
	v := new(Variables)
	v.Read(t, of)
	return v
}

// Read sets v to what In returns, in the memory that v has.
func (v *Variables) Read(t *trace.Trace, of func(trace.ObjKind) bool) {
	v.t, v.Objs, v.place = t, v.Objs[:0], slices.Grow(v.place[:0], len(t.Objects))[:len(t.Objects)]
	all := v.all[:0]
	for i := range t.Objects {
		v.place[i] = -1
		if i > 0 && of(t.Objects[i].Kind) {
			all = append(all, trace.ObjID(i))
		}
	}
	slices.SortStableFunc(all, func(a, b trace.ObjID) int {
		return cmp.Compare(t.Objects[a].Addr, t.Objects[b].Addr)
	})
	v.all = all
	for _, o := range all {
		n := len(v.Objs)
		if a := t.Objects[o].Addr; n == 0 || a == 0 || a != t.Objects[v.Objs[n-1]].Addr {
			v.Objs = append(v.Objs, o)
			n++
		}
		v.place[o] = int32(n - 1)
	}
}

// By yields the indices in Objs of the variables that an access to that many bytes at obj touches.
func (v *Variables) By(obj trace.ObjID, bytes int64) func(yield func(int32) bool) {
	return func(yield func(int32) bool) {
		p := v.place[obj]
		if p < 0 || !yield(p) {
			return
		}
		end := v.t.Objects[obj].Addr + uintptr(max(bytes, 1))
		for i := p + 1; int(i) < len(v.Objs) && i < p+most && v.t.Objects[v.Objs[i]].Addr < end; i++ {
			if !yield(i) {
				return
			}
		}
	}
}
