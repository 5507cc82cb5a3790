package sched

import (
	"reflect"
	"testing"
	"unsafe"
)

// The layout of a reflect.Value is that of package reflect.
func TestRefers(t *testing.T) {
	type pair struct {
		a int8
		b string
	}
	x := &pair{7, "seven"}
	v := reflect.ValueOf(x)
	if r := refers(v); r.P != nil {
		t.Errorf("a pointer refers to %v", r)
	}
	for i, want := range []unsafe.Pointer{unsafe.Pointer(&x.a), unsafe.Pointer(&x.b)} {
		f := v.Elem().Field(i)
		if r := refers(f); r.P != want || r.N != f.Type().Size() {
			t.Errorf("field %d: %v, want %v", i, r, want)
		}
	}
	if refers(v.Elem()).P != unsafe.Pointer(x) || refers(&v).P != nil || refers(reflect.Value{}).P != nil {
		t.Error("what a struct, a pointer to a pointer, or nothing refers to")
	}
	for _, y := range []any{uint8(7), "seven", pair{7, "seven"}, 7.5, []int{1}} {
		v := reflect.ValueOf(y)
		was := refers(v).P
		p, n := unshare(unsafe.Pointer(&v))
		if was == nil || p == was || p != refers(v).P || n != v.Type().Size() || v.CanAddr() ||
			!reflect.DeepEqual(v.Interface(), y) {
			t.Errorf("%v: a copy at %v, was %v", y, p, was)
		}
	}
	if p, _ := unshare(unsafe.Pointer(&v)); p != nil || v.Interface() != x {
		t.Error("a pointer was copied")
	}
}
