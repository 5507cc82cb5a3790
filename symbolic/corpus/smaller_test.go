package corpus

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"
)

func TestSmaller(t *testing.T) {
	never := func() bool { return false }
	for _, c := range []struct {
		name     string
		in, want []any
		still    func(v []any) bool
	}{
		{"a bound", []any{int32(2147483647)}, []any{int32(2147483548)},
			func(v []any) bool { x := v[0].(int32); return x > 0 && x+100 < 0 }},
		{"anything", []any{5, int8(-128), uint64(math.MaxUint64), true, "x", []byte("y"), 2.5},
			[]any{0, int8(0), uint64(0), false, "", []byte{}, 0.0}, func([]any) bool { return true }},
		{"a negative number", []any{-1000}, []any{-7}, func(v []any) bool { return v[0].(int) <= -7 }},
		{"the least number", []any{int64(math.MinInt64)}, []any{int64(math.MinInt64)},
			func(v []any) bool { return v[0].(int64) == math.MinInt64 }},
		{"one of two", []any{99, 77}, []any{0, 50},
			func(v []any) bool { return v[0].(int)+v[1].(int) >= 50 }},
		{"what a text contains", []any{"\x00..ab\xff..c", 1}, []any{"abc", 0}, func(v []any) bool {
			s := v[0].(string)
			return strings.Contains(strings.ReplaceAll(strings.ReplaceAll(s, ".", ""), "\xff", ""), "abc")
		}},
		{"how long a text is", []any{[]byte("\x00\x01\x02\x03\x04")}, []any{[]byte("000")},
			func(v []any) bool { return len(v[0].([]byte)) >= 3 }},
		{"a float", []any{-12.75}, []any{1.0}, func(v []any) bool { return v[0].(float64) != 0 }},
		{"a float that has to be one", []any{float32(0.5)}, []any{float32(0.5)},
			func(v []any) bool { return v[0].(float32) == 0.5 }},
	} {
		asked := 0
		got := Smaller(c.in, func(v []any) bool { asked++; return c.still(v) }, never)
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		if asked > 500 {
			t.Errorf("%s: asked %d times", c.name, asked)
		}
	}
	in := []any{9, []byte("abc")}
	n := 0
	if got := Smaller(in, func([]any) bool { n++; return true },
		func() bool { return n == 1 }); got[0] != 0 || !bytes.Equal(got[1].([]byte),
		[]byte("abc")) || in[0] != 9 {
		t.Errorf("stopped after one: %v of %v", got, in)
	}
}
