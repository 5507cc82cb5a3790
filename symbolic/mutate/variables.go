package mutate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"time"
)

// Variables of the program's types, by reflection.

// mostDepth is how many pointers, lists and maps are made within each other.
const mostDepth = 4

// each calls do with variables and all that they hold, until it returns true; then so does each.
// do may change what it is given.
func each(vs []reflect.Value, do func(v reflect.Value) bool) bool {
	return slices.ContainsFunc(vs, func(v reflect.Value) bool { return inside(v, do) })
}

func inside(v reflect.Value, do func(v reflect.Value) bool) bool {
	if v.CanSet() && do(v) {
		return true
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Field(i)
			// fields of an embedded struct may be exported where its type is not
			if (f.CanSet() || v.Type().Field(i).Anonymous && f.Kind() == reflect.Struct) && inside(f, do) {
				return true
			}
		}
	case reflect.Slice, reflect.Array:
		if isBytes(v.Type()) {
			return false
		}
		for i := range v.Len() {
			if inside(v.Index(i), do) {
				return true
			}
		}
	case reflect.Pointer:
		return !v.IsNil() && inside(v.Elem(), do)
	case reflect.Interface:
		if v.IsNil() || v.NumMethod() > 0 {
			return false
		}
		x := copyOf(v.Elem())
		done := inside(x, do)
		v.Set(x)
		return done
	case reflect.Map:
		return insideMap(v, do)
	}
	return false
}

func insideMap(v reflect.Value, do func(v reflect.Value) bool) bool {
	for _, k := range sorted(v.MapKeys()) {
		key, x := copyOf(k), copyOf(v.MapIndex(k))
		done := do(key) || inside(x, do)
		if !key.Comparable() {
			return done
		}
		v.SetMapIndex(k, reflect.Value{})
		v.SetMapIndex(key, x)
		if done {
			return true
		}
	}
	return false
}

func copyOf(v reflect.Value) reflect.Value {
	x := reflect.New(v.Type()).Elem()
	x.Set(v)
	return x
}

// sorted sorts keys: what is drawn must not depend on the order of a map.
func sorted(keys []reflect.Value) []reflect.Value {
	slices.SortFunc(keys, func(a, b reflect.Value) int {
		return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b))
	})
	return keys
}

func isBytes(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8
}

// special makes a value of a type that only some values of are any good. The program may have
// another package of that name, which is all the same.
func (m *Mutator) special(v reflect.Value) bool {
	switch v.Type().String() {
	case "time.Time":
		if t, ok := v.Addr().Interface().(*time.Time); ok {
			n, _ := m.knownNumber()
			*t = time.Unix(int64(n>>m.n(32)), 0).UTC()
		}
	case "json.RawMessage":
		if isBytes(v.Type()) {
			v.SetBytes(m.json(nil, "", 2))
		}
	case "json.Number":
		if v.Kind() == reflect.String {
			v.SetString(string(m.json(nil, "number", 0)))
		}
	case "xml.Name": // as the type says
	default:
		return false
	}
	return true
}

// fill gives a variable a value by chance.
func (m *Mutator) fill(v reflect.Value, depth int) {
	if !v.CanSet() || m.special(v) {
		if v.Kind() == reflect.Struct && !v.CanSet() {
			m.fillFields(v, depth)
		}
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(m.n(2) == 0)
	case reflect.String:
		v.SetString(m.some())
	case reflect.Float32, reflect.Float64:
		v.SetFloat(m.float(float64(m.n(16))))
	case reflect.Struct:
		m.fillFields(v, depth)
	case reflect.Array:
		if w, ok := m.word(); ok && v.Type().Elem().Kind() == reflect.Uint8 {
			reflect.Copy(v, reflect.ValueOf([]byte(w)))
			return
		}
		for i := range v.Len() {
			m.fill(v.Index(i), depth)
		}
	case reflect.Slice:
		if v.SetZero(); isBytes(v.Type()) {
			v.SetBytes([]byte(m.some()))
		} else if depth > 0 {
			m.resizeTo(v, m.n(4), depth)
		}
	case reflect.Pointer:
		if v.SetZero(); depth > 0 && m.n(4) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			m.fill(v.Elem(), depth-1)
		}
	case reflect.Map:
		if v.SetZero(); depth > 0 {
			for range m.n(4) {
				m.entry(v, depth)
			}
		}
	case reflect.Interface:
		m.fillAny(v, depth)
	default:
		m.fillNumber(v)
	}
}

func (m *Mutator) fillFields(v reflect.Value, depth int) {
	for i := range v.NumField() {
		if m.n(8) > 0 {
			m.fill(v.Field(i), depth)
		}
	}
}

func (m *Mutator) fillNumber(v reflect.Value) {
	n, ok := m.knownNumber()
	if !ok || m.n(3) == 0 {
		n = m.edge(min(m.bits, 8))
	}
	setNumber(v, n)
}

// setNumber gives a variable a number, if it holds one.
func setNumber(v reflect.Value, n uint64) {
	switch {
	case v.CanInt():
		v.SetInt(int64(n))
	case v.CanUint():
		v.SetUint(n)
	}
}

// fillAny gives a value to an interface without methods.
func (m *Mutator) fillAny(v reflect.Value, depth int) {
	if v.NumMethod() > 0 {
		return
	}
	var x any
	if depth > 0 && json.Unmarshal(m.json(nil, "", 2), &x) == nil && x != nil {
		v.Set(reflect.ValueOf(x))
	}
}

// some returns a text: mostly a word.
func (m *Mutator) some() string {
	if w, ok := m.word(); ok && m.n(8) > 0 {
		return w
	}
	if m.n(2) == 0 {
		return ""
	}
	return strconv.Itoa(m.n(1000))
}

// entry adds an entry to a map, which may be nil.
func (m *Mutator) entry(v reflect.Value, depth int) {
	if v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	k, x := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
	m.fill(k, 1)
	if m.n(2) == 0 && k.Kind() == reflect.String && len(m.lists[0].texts) > 0 {
		k.SetString(m.lists[0].texts[m.n(len(m.lists[0].texts))])
	}
	if m.fill(x, depth-1); k.Comparable() {
		v.SetMapIndex(k, x)
	}
}

// onlyFirst removes all entries but one, if v is a map.
func onlyFirst(v reflect.Value) {
	if v.Kind() == reflect.Map && v.Len() > 1 {
		for _, k := range sorted(v.MapKeys())[1:] {
			v.SetMapIndex(k, reflect.Value{})
		}
	}
}

// resize makes a list shorter or longer, by values by chance.
func (m *Mutator) resize(v reflect.Value, n int) { m.resizeTo(v, n, 2) }

func (m *Mutator) resizeTo(v reflect.Value, n, depth int) {
	for v.Len() < n {
		x := reflect.New(v.Type().Elem()).Elem()
		m.fill(x, depth-1)
		v.Set(reflect.Append(v, x))
	}
	v.Set(v.Slice(0, n))
}

// vary changes a variable a little.
func (m *Mutator) vary(v reflect.Value) {
	if v.Type() == timeType || m.n(8) == 0 {
		m.fill(v, 2)
		return
	}
	switch k := v.Kind(); {
	case k == reflect.Bool:
		v.SetBool(!v.Bool())
	case k == reflect.String:
		if m.n(4) == 0 {
			v.SetString(string(m.text([]byte(v.String()), nil)))
		} else {
			v.SetString(m.some())
		}
	case v.CanInt():
		v.SetInt(int64(m.number(uint64(v.Int()), 0, 8*int(v.Type().Size()))))
	case v.CanUint():
		v.SetUint(m.number(v.Uint(), 0, 8*int(v.Type().Size())))
	case v.CanFloat():
		v.SetFloat(m.float(v.Float()))
	case isBytes(v.Type()):
		v.SetBytes(m.text(slices.Clone(v.Bytes()), nil))
	case k == reflect.Slice:
		m.varyList(v)
	case k == reflect.Map:
		if keys := sorted(v.MapKeys()); len(keys) > 0 && m.n(3) == 0 {
			v.SetMapIndex(keys[m.n(len(keys))], reflect.Value{})
		} else {
			m.entry(v, 2)
		}
	case k == reflect.Pointer && !v.IsNil():
		v.SetZero()
	case k == reflect.Struct, k == reflect.Array && v.Type().Elem().Kind() != reflect.Uint8:
		// another one of its parts is as likely
	default:
		m.fill(v, 2)
	}
}

var timeType = reflect.TypeFor[time.Time]()

// varyList changes the length or the order of a list.
func (m *Mutator) varyList(v reflect.Value) {
	n := v.Len()
	switch k := m.n(4); {
	case n == 0 || k == 0:
		m.resize(v, n+1)
	case k == 1:
		m.resize(v, n-1)
	case k == 2:
		v.Set(reflect.Append(v, v.Index(m.n(n))))
	default:
		reflect.Swapper(v.Interface())(m.n(n), m.n(n))
	}
}
