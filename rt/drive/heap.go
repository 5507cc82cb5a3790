package drive

import (
	"encoding/binary"
	"math"
	"reflect"
	"strconv"

	"heddle/rt/limit"
	"heddle/rt/sched"
)

// full reports whether an execution has taken as much memory as it may.
func full() bool {
	return limit.Heap() > limit.MostHeap
}

// formatValue prints a value that a channel moved, without calling methods of the program under
// test.
func formatValue(v any) string {
	if v == nil {
		return "nil"
	}
	rv := reflect.ValueOf(v)
	switch rv.Kind() {
	case reflect.Bool:
		return strconv.FormatBool(rv.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(rv.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return strconv.FormatUint(rv.Uint(), 10)
	case reflect.Float32, reflect.Float64:
		return strconv.FormatFloat(rv.Float(), 'g', -1, 64)
	case reflect.String:
		s := strconv.Quote(rv.String())
		if len(s) > 40 {
			s = s[:37] + `..."`
		}
		return s
	case reflect.Struct:
		if rv.NumField() == 0 {
			return "{}"
		}
		return rv.Type().String() + "{...}"
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.Slice:
		if rv.IsNil() {
			return "nil"
		}
	}
	return rv.Type().String()
}

// keyOf gives map keys of any kind an order; see sched.KeyOf.
func keyOf(k any) (class uint8, num uint64, str string, flt float64) {
	const number, float, text, pointer = 1, 2, 3, 4
	rv := reflect.ValueOf(k)
	switch rv.Kind() {
	case reflect.Bool:
		if rv.Bool() {
			num = 1
		}
		return number, num, "", 0
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return number, uint64(rv.Int()) ^ 1<<63, "", 0
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return number, rv.Uint(), "", 0
	case reflect.Float32, reflect.Float64:
		if math.IsNaN(rv.Float()) {
			return number, 0, "", 0
		}
		return float, 0, "", rv.Float()
	case reflect.String:
		return text, 0, rv.String(), 0
	case reflect.Pointer, reflect.Chan, reflect.UnsafePointer:
		return pointer, uint64(rv.Pointer()), "", 0
	case reflect.Struct, reflect.Array, reflect.Complex64, reflect.Complex128:
		if s, ok := flat(rv, nil); ok {
			return text, 0, string(s), 0
		}
	}
	return 0, 0, "", 0
}

// flat prints a value of ordered parts so that equal keys, and only those, print the same.
func flat(rv reflect.Value, b []byte) ([]byte, bool) {
	ok := true
	switch rv.Kind() {
	case reflect.Struct:
		for i := 0; i < rv.NumField() && ok; i++ {
			b, ok = flat(rv.Field(i), b)
		}
		return b, ok
	case reflect.Array:
		for i := 0; i < rv.Len() && ok; i++ {
			b, ok = flat(rv.Index(i), b)
		}
		return b, ok
	case reflect.String:
		return append(strconv.AppendQuote(b, rv.String()), ' '), true
	case reflect.Bool:
		return strconv.AppendBool(b, rv.Bool()), true
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return appendKey(b, uint64(rv.Int())^1<<63), true
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return appendKey(b, rv.Uint()), true
	case reflect.Float32, reflect.Float64:
		return appendKey(b, math.Float64bits(rv.Float())), true
	case reflect.Complex64, reflect.Complex128:
		c := rv.Complex()
		return appendKey(appendKey(b, math.Float64bits(real(c))), math.Float64bits(imag(c))), true
	case reflect.Pointer, reflect.Chan, reflect.UnsafePointer:
		num, sub := sched.S.Identity(rv.Pointer())
		return appendKey(appendKey(b, num), sub), true
	case reflect.Interface:
		if rv.IsNil() {
			return append(b, 0), true
		}
		return flat(rv.Elem(), append(append(b, rv.Elem().Type().String()...), 0))
	}
	return b, false
}

func appendKey(b []byte, n uint64) []byte {
	return binary.BigEndian.AppendUint64(b, n)
}
