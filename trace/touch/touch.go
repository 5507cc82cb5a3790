// Package touch says which variables an access to memory touches. It is compiled
// into the program under test.
package touch

import (
	"cmp"
	"slices"

	"heddle/trace"
)

// most bounds how many variables one access touches: there are more only where
// large arrays are copied.
const most = 64

// Variables are the objects of a trace that accesses are about, ordered by
// address. One is where some access begins; an access to several bytes touches
// all that begin among them.
type Variables struct {
	Objs  []trace.ObjID // by place
	t     *trace.Trace
	place []int32 // of an object in Objs; -1: it is none
}

// In finds the variables of t: its objects of the kinds that of says.
func In(t *trace.Trace, of func(trace.ObjKind) bool) *Variables {
	v := &Variables{t: t, place: make([]int32, len(t.Objects))}
	for i := range t.Objects {
		v.place[i] = -1
		if i > 0 && of(t.Objects[i].Kind) {
			v.Objs = append(v.Objs, trace.ObjID(i))
		}
	}
	slices.SortStableFunc(v.Objs, func(a, b trace.ObjID) int { return cmp.Compare(t.Objects[a].Addr, t.Objects[b].Addr) })
	for i, o := range v.Objs {
		v.place[o] = int32(i)
	}
	return v
}

// By yields the places of the variables that an access to size bytes at obj
// touches; what is not memory, an atomic say, is touched alone.
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
