package sched

import (
	"reflect"
	"unsafe"

	"heddle/rt/flow"
)

// valueWords is a reflect.Value as package reflect lays it out; TestRefers looks whether it does.
type valueWords struct {
	typ, ptr unsafe.Pointer
	flag     uintptr
}

// indirect is the flag that ptr is the address of the value and not the value.
const indirect = 1 << 7

// refers is flow.Refers.
func refers(v any) (r flow.Referred) {
	x, ok := v.(reflect.Value)
	if p, is := v.(*reflect.Value); is && p != nil {
		x, ok = *p, true
	}
	if !ok || !x.IsValid() {
		return r
	}
	if w := (*valueWords)(unsafe.Pointer(&x)); w.flag&indirect != 0 {
		r.P, r.N = w.ptr, x.Type().Size()
	}
	switch r.K = kindOf(x); {
	case r.K != 0:
		r.Kind = flow.ReferredNumber
	case x.Kind() == reflect.String:
		r.Kind, r.Len = flow.ReferredText, x.Len()
	case x.Kind() == reflect.Slice:
		r.Kind, r.Len = flow.ReferredSlice, x.Len()
	case x.Kind() == reflect.Interface:
		r.Kind = flow.ReferredInterface
	case x.Kind() == reflect.Struct || x.Kind() == reflect.Array:
		r.Kind = flow.ReferredParts
	default:
		r.Kind = flow.ReferredOther
	}
	return r
}

// unshare is flow.Unshare.
func unshare(v unsafe.Pointer) (p unsafe.Pointer, n uintptr) {
	x, w := (*reflect.Value)(v), (*valueWords)(v)
	if !x.IsValid() || w.flag&indirect == 0 {
		return nil, 0
	}
	c := reflect.New(x.Type())
	c.Elem().Set(reflect.NewAt(x.Type(), w.ptr).Elem())
	w.ptr = c.UnsafePointer()
	return w.ptr, x.Type().Size()
}
