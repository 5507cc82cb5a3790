package touch

import (
	"slices"
	"testing"

	"heddle/trace"
)

// Two words one after the other, an atomic of eight bytes and one of its upper half, and memory at
// the address of the atomic and behind it.
func TestBy(t *testing.T) {
	tr := &trace.Trace{Objects: []trace.Object{{},
		{Kind: trace.ObjMemory, Addr: 0x108}, {Kind: trace.ObjMemory, Addr: 0x100},
		{Kind: trace.ObjMutex, Addr: 0x104},
		{Kind: trace.ObjAtomic, Addr: 0x110}, {Kind: trace.ObjMemory, Addr: 0x118},
		{Kind: trace.ObjAtomic, Addr: 0x114}, {Kind: trace.ObjMemory, Addr: 0x110}}}
	both := func(k trace.ObjKind) bool { return k == trace.ObjMemory || k == trace.ObjAtomic }
	memory := func(k trace.ObjKind) bool { return k == trace.ObjMemory }
	for _, c := range []struct {
		of   func(trace.ObjKind) bool
		obj  trace.ObjID
		size int64
		want []trace.ObjID
	}{
		{both, 2, 8, []trace.ObjID{2}},
		{both, 2, 9, []trace.ObjID{2, 1}},
		{both, 2, 0, []trace.ObjID{2}},
		{both, 2, 25, []trace.ObjID{2, 1, 4, 6, 5}},
		{memory, 2, 25, []trace.ObjID{2, 1, 7, 5}},
		{both, 4, 8, []trace.ObjID{4, 6}},
		{both, 4, 4, []trace.ObjID{4}},
		{both, 6, 4, []trace.ObjID{6}},
		{both, 7, 4, []trace.ObjID{4}},
		{both, 7, 9, []trace.ObjID{4, 6, 5}},
		{memory, 4, 8, nil},
		{both, 3, 8, nil},
	} {
		v := In(tr, c.of)
		var got []trace.ObjID
		for p := range v.By(c.obj, c.size) {
			got = append(got, v.Objs[p])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%d bytes at object %d: %v, want %v", c.size, c.obj, got, c.want)
		}
	}
	n := 0
	for range In(tr, both).By(2, 25) {
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("%d, want to stop at 2", n)
	}
}
