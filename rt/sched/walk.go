package sched

import (
	"reflect"
	"unsafe"

	"heddle/rt/flow"
)

// What code that is not rewritten for data flow can reach: see package flow.

// mostWalked bounds how many values are looked at; where there are more, one of them may have a
// label.
const mostWalked = 20_000

type walker struct {
	seen map[walked]bool
	left int
	deep bool
}

type walked struct {
	p unsafe.Pointer
	t reflect.Type
}

// walk is flow.Reachable.
func walk(v any, deep bool) bool { return leadsOn(reflect.ValueOf(v), deep) }

// leadsOn is walk for what v holds.
func leadsOn(v reflect.Value, deep bool) bool {
	w := walker{seen: map[walked]bool{}, left: mostWalked, deep: deep}
	return w.value(v)
}

// value reports whether something that has a label can be reached from v, whose own memory was
// looked at.
func (w *walker) value(v reflect.Value) bool {
	if w.left--; w.left < 0 {
		return true
	}
	switch v.Kind() {
	case reflect.String:
		s := v.String()
		return flow.Labelled(uintptr(unsafe.Pointer(unsafe.StringData(s))), uintptr(len(s)))
	case reflect.Interface:
		return !v.IsNil() && w.value(v.Elem())
	case reflect.Array:
		return w.elements(v)
	case reflect.Struct:
		return w.fields(v)
	}
	if !w.deep {
		return false
	}
	switch v.Kind() {
	case reflect.Pointer:
		return w.pointer(v.UnsafePointer(), v.Type().Elem())
	case reflect.Slice:
		size := v.Type().Elem().Size()
		if !w.first(v.UnsafePointer(), v.Type()) {
			return false
		}
		return flow.Labelled(uintptr(v.UnsafePointer()), uintptr(v.Len())*size) || w.elements(v)
	case reflect.Map:
		if !w.first(v.UnsafePointer(), v.Type()) {
			return false
		}
		if flow.LabelledMap(uintptr(v.UnsafePointer())) {
			return true
		}
		if !leads(v.Type().Key()) && !leads(v.Type().Elem()) {
			return false
		}
		for it := v.MapRange(); it.Next(); {
			if w.value(it.Key()) || w.value(it.Value()) {
				return true
			}
		}
	case reflect.Chan:
		return !v.IsNil() && flow.Sent()
	case reflect.UnsafePointer:
		return v.UnsafePointer() != nil && flow.Labelled(uintptr(v.UnsafePointer()), 1)
	}
	return false
}

// first reports whether p is not nil and was not come to before.
func (w *walker) first(p unsafe.Pointer, t reflect.Type) bool {
	if p == nil || w.seen[walked{p, t}] {
		return false
	}
	w.seen[walked{p, t}] = true
	return true
}

// isTypeInfo reports whether t is what the runtime says of types: much, and none of it the
// program's.
func isTypeInfo(t reflect.Type) bool {
	return t.PkgPath() == "internal/abi" || t.PkgPath() == "reflect" && t.Name() == "rtype"
}

func (w *walker) pointer(p unsafe.Pointer, t reflect.Type) bool {
	if t.PkgPath() == "testing" || isTypeInfo(t) || !w.first(p, t) {
		return false
	}
	if flow.Labelled(uintptr(p), t.Size()) {
		return true
	}
	return leads(t) && w.value(reflect.NewAt(t, p).Elem())
}

func (w *walker) elements(v reflect.Value) bool {
	if !leads(v.Type().Elem()) {
		return false
	}
	for i := range v.Len() {
		if w.value(v.Index(i)) {
			return true
		}
	}
	return false
}

var valueType = reflect.TypeFor[reflect.Value]()

// referred is value for what v, a reflect.Value, refers to.
func (w *walker) referred(v reflect.Value) bool {
	var x reflect.Value
	switch {
	case v.CanInterface():
		x = v.Interface().(reflect.Value)
	case v.CanAddr():
		x = *(*reflect.Value)(unsafe.Pointer(v.UnsafeAddr()))
	default:
		return true // it cannot be looked at
	}
	if !x.IsValid() {
		return false
	}
	r := refers(x)
	return r.P != nil && flow.Labelled(uintptr(r.P), r.N) || w.value(x)
}

func (w *walker) fields(v reflect.Value) bool {
	t := v.Type()
	if t == valueType {
		return w.referred(v)
	}
	if t.PkgPath() == "sync" && t.Name() == "Map" && w.deep && v.CanAddr() &&
		flow.LabelledMap(v.UnsafeAddr()) {
		return true
	}
	for i := range v.NumField() {
		f := v.Field(i)
		// Pointer[T], with a [0]*T
		if f.Kind() == reflect.UnsafePointer && t.PkgPath() == "sync/atomic" &&
			t.Field(0).Type.Kind() == reflect.Array {
			if w.deep && f.UnsafePointer() != nil &&
				w.pointer(f.UnsafePointer(), t.Field(0).Type.Elem().Elem()) {
				return true
			}
			continue
		}
		if leads(f.Type()) && w.value(f) {
			return true
		}
	}
	return false
}

// leads reports whether values of a type lead to others, or to texts.
func leads(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String, reflect.Interface, reflect.Pointer, reflect.Slice, reflect.Map, reflect.Chan,
		reflect.UnsafePointer:
		return true
	case reflect.Array:
		return t.Len() > 0 && leads(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if leads(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}
