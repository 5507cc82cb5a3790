package drive

import (
	"testing"
	"unsafe"

	"heddle/rt/hook"
)

type placed struct {
	next *placed
	n    [3]int
	by   map[string]*int
	any  any
	at   map[*int]*int
}

func newPlaced() *placed {
	x, y := new(int), new(int)
	return &placed{next: &placed{by: map[string]*int{"a": new(int), "b": new(int)}}, any: new(int),
		at: map[*int]*int{x: y}}
}

var placedRoot, placedOther *placed

// Two processes have the same things at different addresses, and names that
// each of them understands; what cannot be told apart has none.
func TestPlaces(t *testing.T) {
	placedRoot, placedOther = newPlaced(), newPlaced()
	hook.GlobalVars = []any{&placedRoot, &placedOther}
	defer func() { hook.GlobalVars = nil }()
	here := &places{vars: save()}
	was := [2]*placed{placedRoot, placedOther}
	placedRoot, placedOther = newPlaced(), newPlaced()
	there := &places{vars: save()}
	names := map[uint64]bool{}
	for i, now := range [2]*placed{placedRoot, placedOther} {
		for k, pair := range [][2]unsafe.Pointer{
			{unsafe.Pointer(was[i]), unsafe.Pointer(now)},
			{unsafe.Pointer(&was[i].n[2]), unsafe.Pointer(&now.n[2])},
			{unsafe.Pointer(was[i].next), unsafe.Pointer(now.next)},
			{unsafe.Pointer(was[i].next.by["a"]), unsafe.Pointer(now.next.by["a"])},
			{unsafe.Pointer(was[i].next.by["b"]), unsafe.Pointer(now.next.by["b"])},
			{unsafe.Pointer(was[i].any.(*int)), unsafe.Pointer(now.any.(*int))},
		} {
			name, ok := here.Name(uintptr(pair[0]))
			addr, known := there.Addr(name)
			if !ok || !known || addr != uintptr(pair[1]) || names[name] {
				t.Errorf("%d of %d: %x %v is %x %v there, want %x", k, i, name, ok, addr, known, pair[1])
			}
			names[name] = true
		}
		for _, y := range was[i].at {
			if name, ok := here.Name(uintptr(unsafe.Pointer(y))); ok {
				t.Errorf("what has a pointer for its key has the name %x", name)
			}
		}
	}
	if name, ok := here.Name(uintptr(unsafe.Pointer(&placedRoot))); !ok {
		t.Error("a variable has no name")
	} else if addr, ok := there.Addr(name); !ok || addr != uintptr(unsafe.Pointer(&placedRoot)) {
		t.Errorf("a variable is %x, %v", addr, ok)
	}
	if name, ok := here.Name(uintptr(unsafe.Pointer(new([100]int)))); ok {
		t.Errorf("what no variable leads to has the name %x", name)
	}
	if _, ok := there.Addr(pathName | 12345<<32); ok {
		t.Error("a name of nothing is understood")
	}
}
