package sched

import (
	"reflect"

	"heddle/rt/flow"
	"heddle/trace"
)

// mostPairs bounds how many parts of two values are compared by one expression.
const mostPairs = 1024

// pairs is flow.Pairs.
func pairs(x, y any, lx, ly flow.Label) ([]flow.Pair, bool) {
	var c comparison
	ok := c.compare(reflect.ValueOf(x), reflect.ValueOf(y), lx, ly)
	return c.all, ok
}

type comparison struct{ all []flow.Pair }

// compare adds the parts of x and y, in which == looks.
func (c *comparison) compare(x, y reflect.Value, lx, ly flow.Label) bool {
	for x.IsValid() && x.Kind() == reflect.Interface {
		x = x.Elem()
	}
	for y.IsValid() && y.Kind() == reflect.Interface {
		y = y.Elem()
	}
	if len(c.all) > mostPairs {
		return false
	}
	if !x.IsValid() || !y.IsValid() || x.Type() != y.Type() {
		// which type it is depends on branches alone
		c.add(flow.Pair{Equal: x.IsValid() == y.IsValid() && !x.IsValid()})
		return true
	}
	switch x.Kind() {
	case reflect.Array:
		size := x.Type().Elem().Size()
		for i := range x.Len() {
			off := uintptr(i) * size
			if !c.compare(x.Index(i), y.Index(i), flow.Field(lx, off, size), flow.Field(ly, off, size)) {
				return false
			}
		}
		return true
	case reflect.Struct:
		t := x.Type()
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Name == "_" {
				continue
			}
			n := f.Type.Size()
			if !c.compare(x.Field(i), y.Field(i), flow.Field(lx, f.Offset, n), flow.Field(ly, f.Offset, n)) {
				return false
			}
		}
		return true
	case reflect.String:
		c.add(flow.Pair{Text: true, S: x.String(), T: y.String(), LX: lx, LY: ly})
		return true
	}
	if k := kindOf(x); k != 0 {
		c.add(flow.Pair{K: k, X: numberOf(x), Y: numberOf(y), LX: lx, LY: ly})
		return true
	}
	if lx != 0 || ly != 0 || !x.Comparable() {
		return false
	}
	c.add(flow.Pair{Equal: x.Equal(y)})
	return true
}

func (c *comparison) add(l flow.Pair) { c.all = append(c.all, l) }

// kindOf returns what kind of number v is, 0 for others.
func kindOf(v reflect.Value) trace.Num {
	switch {
	case v.Kind() == reflect.Bool:
		return trace.Bool
	case v.CanInt():
		return trace.NumOf(v.Type().Bits(), true)
	case v.CanUint():
		return trace.NumOf(v.Type().Bits(), false)
	}
	return 0
}

// numberOf returns the number that v is.
func numberOf(v reflect.Value) uint64 {
	switch {
	case v.Kind() == reflect.Bool:
		if v.Bool() {
			return 1
		}
		return 0
	case v.CanInt():
		return uint64(v.Int())
	}
	return v.Uint()
}
