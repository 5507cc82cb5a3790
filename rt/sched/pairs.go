package sched

import (
	"math"
	"reflect"
	"unsafe"

	"heddle/rt/flow"
	"heddle/trace"
)

// mostPairs bounds how many parts of two values are compared by one expression.
const mostPairs = 1024

// pairs is flow.Pairs.
func pairs(x, y any, lx, ly flow.Label, deep bool) ([]flow.Pair, bool) {
	c := comparison{deep: deep}
	ok := c.compare(reflect.ValueOf(x), reflect.ValueOf(y), lx, ly)
	return c.all, ok
}

type comparison struct {
	all   []flow.Pair
	deep  bool // as reflect.DeepEqual compares
	depth int
	seen  map[[2]walked]bool // pointers
}

// mostDeep bounds how deep a comparison goes.
const mostDeep = 100

// compare adds the parts of x and y, at which == or reflect.DeepEqual looks.
func (c *comparison) compare(x, y reflect.Value, lx, ly flow.Label) bool {
	for x.IsValid() && x.Kind() == reflect.Interface {
		x = x.Elem()
	}
	for y.IsValid() && y.Kind() == reflect.Interface {
		y = y.Elem()
	}
	if len(c.all) > mostPairs || c.depth > mostDeep {
		return false
	}
	c.depth++
	defer func() { c.depth-- }()
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
			if f.Name == "_" && !c.deep {
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
	switch {
	case c.deep && x.Kind() == reflect.Slice:
		return c.slices(x, y, lx, ly)
	case lx != 0 || ly != 0:
		return false
	case c.deep && x.Kind() == reflect.Pointer:
		return c.pointers(x, y)
	case c.deep && x.Kind() == reflect.Map:
		return c.maps(x, y)
	case c.deep && x.Kind() == reflect.Func:
		c.add(flow.Pair{Equal: x.IsNil() && y.IsNil()})
		return true
	case !x.Comparable():
		return false
	}
	c.add(flow.Pair{Equal: x.Equal(y)})
	return true
}

// again reports whether what the pointers x and y lead to is compared already.
func (c *comparison) again(x, y reflect.Value) bool {
	k := [2]walked{{x.UnsafePointer(), x.Type()}, {y.UnsafePointer(), y.Type()}}
	if c.seen[k] {
		return true
	}
	if c.seen == nil {
		c.seen = map[[2]walked]bool{}
	}
	c.seen[k] = true
	return false
}

// slices adds what two slices of one type consist of.
func (c *comparison) slices(x, y reflect.Value, lx, ly flow.Label) bool {
	t := x.Type().Elem()
	p, q, n := x.UnsafePointer(), y.UnsafePointer(), x.Len()
	ok := x.IsNil() == y.IsNil()
	if t.Kind() == reflect.Uint8 && ok {
		c.add(flow.Pair{Text: true, Fixed: true, S: unsafe.String((*byte)(p), n),
			T: unsafe.String((*byte)(q), y.Len()), LX: lx, LY: ly})
		return true
	}
	c.add(flow.Pair{Fixed: true, X: uint64(n), Y: uint64(y.Len()), LX: lx, LY: ly})
	if !ok || n != y.Len() || p == q {
		c.add(flow.Pair{Equal: ok && n == y.Len()})
		return true
	}
	for i := range n {
		off, size := uintptr(i)*t.Size(), t.Size()
		if !c.compare(x.Index(i), y.Index(i), flow.LabelAt(unsafe.Add(p, off), size),
			flow.LabelAt(unsafe.Add(q, off), size)) {
			return false
		}
	}
	return true
}

// pointers adds what two pointers of one type lead to.
func (c *comparison) pointers(x, y reflect.Value) bool {
	p, q, n := x.UnsafePointer(), y.UnsafePointer(), x.Type().Elem().Size()
	if p == nil || q == nil || p == q || c.again(x, y) {
		c.add(flow.Pair{Equal: p == q || p != nil && q != nil})
		return true
	}
	return c.compare(x.Elem(), y.Elem(), flow.LabelAt(p, n), flow.LabelAt(q, n))
}

// maps adds what two maps of one type consist of, if none of it has a label.
func (c *comparison) maps(x, y reflect.Value) bool {
	if leadsOn(x, true) || leadsOn(y, true) {
		return false
	}
	if x.IsNil() != y.IsNil() || x.Len() != y.Len() || x.UnsafePointer() == y.UnsafePointer() {
		c.add(flow.Pair{Equal: x.IsNil() == y.IsNil() && x.Len() == y.Len()})
		return true
	}
	for it := x.MapRange(); it.Next(); {
		v := y.MapIndex(it.Key())
		if !v.IsValid() {
			c.add(flow.Pair{})
			return true
		}
		if !c.compare(it.Value(), v, 0, 0) {
			return false
		}
	}
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
	case v.Kind() == reflect.Float32:
		return trace.Float32
	case v.Kind() == reflect.Float64:
		return trace.Float64
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
	case v.Kind() == reflect.Float32:
		return uint64(math.Float32bits(float32(v.Float())))
	case v.Kind() == reflect.Float64:
		return math.Float64bits(v.Float())
	}
	return v.Uint()
}

// encode is flow.Encode.
func encode(x any) string {
	b, ok := encoded(nil, reflect.ValueOf(x))
	if !ok {
		return ""
	}
	return "v" + string(b)
}

// encoded appends what tells v from others of its type. ok is false if == does not.
func encoded(b []byte, v reflect.Value) (out []byte, ok bool) {
	number := func(n uint64) ([]byte, bool) {
		for i := range 8 {
			b = append(b, byte(n>>(56-8*i)))
		}
		return b, true
	}
	switch k := v.Kind(); {
	case k == reflect.Invalid:
		return append(b, 0), true
	case k == reflect.Interface:
		if v.IsNil() {
			return append(b, 0), true
		}
		b = append(append(b, 1), v.Elem().Type().String()...)
		number(uint64(reflect.ValueOf(v.Elem().Type()).Pointer()))
		return encoded(b, v.Elem())
	case k == reflect.String:
		number(uint64(v.Len()))
		return append(b, v.String()...), true
	case k == reflect.Array:
		for i := range v.Len() {
			if b, ok = encoded(b, v.Index(i)); !ok {
				return nil, false
			}
		}
		return b, true
	case k == reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Name == "_" {
				continue
			}
			if b, ok = encoded(b, v.Field(i)); !ok {
				return nil, false
			}
		}
		return b, true
	case v.CanFloat():
		f := v.Float()
		if f == 0 {
			f = 0 // -0 is equal to it
		}
		number(math.Float64bits(f))
		return b, f == f
	case k == reflect.Pointer || k == reflect.Chan || k == reflect.UnsafePointer:
		return number(uint64(v.Pointer()))
	case kindOf(v) != 0:
		return number(numberOf(v))
	}
	return nil, false
}
