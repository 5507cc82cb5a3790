package mutate

import (
	"reflect"
	"testing"

	"heddle/rt/counters"
	"heddle/symbolic"
)

// all has a value of each type that fuzz targets take.
var all = some()

func some() []any {
	return []any{"key=12", []byte("\x00\x01abc"), true, 1, int8(-1), int16(2), int32('x'), int64(-9), uint(7),
		uint8(200), uint16(3), uint32(4), uint64(1 << 63), float32(1.5), 2.5}
}

// Words that the source of the target leads to are drawn far more often than all others; without
// that they are all alike.
func TestNear(t *testing.T) {
	c := &counters.Constants{Compared: []string{"near", "far1", "far2", "far3"},
		Near: map[string][]int{"FuzzX": {0}}}
	for target, want := range map[string][2]int{"FuzzX": {850, 1000}, "FuzzY": {150, 350}} {
		m, n := New(1, c, target), 0
		for range 1000 {
			if w, _ := m.word(); w == "near" {
				n++
			}
		}
		if n < want[0] || n > want[1] {
			t.Errorf("%s: drawn %d times of 1000, want %v", target, n, want)
		}
	}
}

// Changed inputs have the types of those that they are made of, no text is too long, and the input
// stays as it was.
func TestChange(t *testing.T) {
	m := New(1, &counters.Constants{Compared: []string{"port", "8080"}, Other: []string{"1.5"},
		Names: []counters.Name{{Name: "Mode", Kind: "text"}}}, "")
	values := all
	for range 200000 {
		out := m.Change(values, all)
		for i, v := range out {
			if reflect.TypeOf(v) != reflect.TypeOf(all[i]) {
				t.Fatalf("%T became %T", all[i], v)
			}
			if r := reflect.ValueOf(v); r.Kind() == reflect.String || r.Kind() == reflect.Slice {
				if r.Len() > symbolic.MostText {
					t.Fatalf("a text of %d bytes", r.Len())
				}
			}
		}
		if m.N(8) == 0 {
			values = all
		} else {
			values = out
		}
	}
	if !reflect.DeepEqual(all, some()) {
		t.Errorf("an input was overwritten: %v", all)
	}
}

// The same seed makes the same inputs.
func TestSeed(t *testing.T) {
	a, b := New(7, nil, ""), New(7, nil, "")
	for range 1000 {
		x, y := a.Change(all, all), b.Change(all, all)
		if nan := x[13] != x[13] || x[14] != x[14]; !nan && !reflect.DeepEqual(x, y) {
			t.Fatalf("%v and %v", x, y)
		}
	}
}

// One side of a comparison is put where the input has the other.
func TestMatch(t *testing.T) {
	text := func(s, t string) counters.Pair { return counters.Pair{Text: true, S: s, T: t} }
	number := func(konst, b uint64, size int) counters.Pair {
		return counters.Pair{A: konst, B: b, Size: size, Const: true}
	}
	for _, x := range []struct {
		in   any
		pair counters.Pair
		want any
	}{
		{"a=b", text("a", "port"), "port=b"},
		{"a=b", text("8080", "b"), "a=8080"},
		{[]byte("x-Y"), counters.Pair{Text: true, S: "y", T: "zz", Fold: true}, []byte("x-zz")},
		{"", text("", "GET"), "GET"},
		{"?shared", text("", "1"), "?shared=1"},
		{"a=&b=", text("on", ""), "a=on&b="},
		{"x YWJjZA", text("abcd", "key:"), "x a2V5Og"},
		{"00616263", text("abc", "xyz"), "0078797a"},
		{"00ff1122", number(0xcafebabe, 0x00ff1122, 4), "cafebabe"},
		{"abc", number('{', 'b', 1), "a{c"},
		{"abc", number('{', 'b', 4), "a{c"},
		{"n=17;", number(1000, 17, 8), "n=1000;"},
		{"n=-17;", number(999, ^uint64(16), 8), "n=1000;"}, // one beside it
		{"abc", number(6, 3, 8), "abcccc"},
		{[]byte("\x34\x12x"), number(0xbeef, 0x1234, 2), []byte("\xef\xbex")},
		{[]byte("\x12\x34x"), number(0xbeef, 0x1234, 8), []byte("\xbe\xefx")},
		{int16(5), number(1000, 5, 2), int16(999)},
		{int(5), number(1000, 25, 8), int(980)},
		{int(-5), number(1000, ^uint64(4), 8), int(1000)},
	} {
		found := false
		m := New(1, nil, "")
		for range 64 {
			m.Greater()
		}
		for _, in := range m.Match([]any{x.in}, []counters.Pair{x.pair}, 100) {
			found = found || reflect.DeepEqual(in[0], x.want)
		}
		if !found {
			t.Errorf("%v where %+v differ: no %v", x.in, x.pair, x.want)
		}
	}
}

// Numbers stay small as long as nothing says that they may be greater, whatever they come from.
func TestSmall(t *testing.T) {
	m := New(1, &counters.Constants{Compared: []string{"123456789"}}, "")
	pairs := []counters.Pair{{A: 1 << 40, B: 5, Size: 8, Const: true}}
	for range 20000 {
		for _, in := range append(m.Match([]any{5}, pairs, 10), m.Change([]any{5}, []any{70000})) {
			if n := in[0].(int); n >= 1<<firstBits || n <= -1<<firstBits {
				t.Fatalf("%d is greater than %d bits", n, firstBits)
			}
		}
	}
}
