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
	Objs  []trace.ObjID // by index
	t     *trace.Trace
	place []int32 // index in Objs by ObjID; -1: not in Objs
}

// In returns the variables of t: its objects of the kinds for which of is true.
func In(t *trace.Trace, of func(trace.ObjKind) bool) *Variables {
	v := &Variables{t: t, place: make([]int32, len(t.Objects))}
	for i := range t.Objects {
		v.place[i] = -1
		if i > 0 && of(t.Objects[i].Kind) {
			v.Objs = append(v.Objs, trace.ObjID(i))
		}
	}
	slices.SortStableFunc(v.Objs, func(a, b trace.ObjID) int {
		return cmp.Compare(t.Objects[a].Addr,
			t.Objects[b].Addr)
	})
	for i, o := range v.Objs {
		v.place[o] = int32(i)
	}
	return v
}

// By yields the indices in Objs of the variables that an access to size bytes at obj touches. What
// is not memory, such as an atomic, is touched alone.
func (v *Variables) By(obj trace.ObjID, size int64) func(yield func(int32) bool) {
	return func(yield func(int32) bool) {
		p := v.place[obj]
		if p < 0 || !yield(p) || v.t.Objects[obj].Kind != trace.ObjMemory {
			return
		}
		end := v.t.Objects[obj].Addr + uintptr(max(size, 1))
		for i := p + 1; int(i) < len(v.Objs) && i < p+most && v.t.Objects[v.Objs[i]].Addr < end; i++ {
			if !yield(i) {
				return
			}
		}
	}
}
