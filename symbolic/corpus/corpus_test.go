package corpus

import (
	"bytes"
	"math"
	"reflect"
	"testing"
)

func TestRoundTrip(t *testing.T) {
	values := []any{
		-5, int8(-128), int16(7), int32('x'), int32(-1), int64(math.MinInt64), uint(3), uint8(200),
		uint8('a'), uint16(9), uint32(1 << 31), uint64(math.MaxUint64),
		true, false, float32(1.5), float64(-0.25), math.Inf(1), math.Inf(-1), "a\"b\n\x00\xff", "",
		[]byte("\x00\xff`"), []byte{},
	}
	data := Format(values)
	got, err := Parse(data)
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	if !reflect.DeepEqual(got, values) {
		t.Errorf("got %#v\nwant %#v", got, values)
	}
	nan, err := Value(Text(math.NaN()))
	if f, ok := nan.(float64); err != nil || !ok || !math.IsNaN(f) {
		t.Errorf("NaN: %v %v", nan, err)
	}
}

func TestValue(t *testing.T) {
	for text, want := range map[string]any{
		"int(0x10)": 16, "byte('\\x41')": uint8('A'), "rune('ä')": int32('ä'), "uint8(3)": uint8(3),
		"string(`a\\b`)": `a\b`,
		"math.Float64frombits(0x7ff8000000000002)": nil, " bool( true ) ": true,
	} {
		got, err := Value(text)
		if err != nil || want != nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %#v, %v", text, got, err)
		}
	}
	for _, bad := range []string{"", "5", "int(5", "int(x)", "int8(200)", "uint(-1)", "byte('€')",
		"complex64(1)", "string(5)", "bool(1)", "rune('xy')"} {
		if v, err := Value(bad); err == nil {
			t.Errorf("%q is read as %#v", bad, v)
		}
	}
	for _, bad := range []string{"", "go test fuzz v2\nint(1)", "go test fuzz v1\n",
		"go test fuzz v1\nint(1)\nx"} {
		if v, err := Parse([]byte(bad)); err == nil {
			t.Errorf("%q is read as %#v", bad, v)
		}
	}
}

// What is read is written so that it is read again as the same.
func FuzzParse(f *testing.F) {
	f.Add([]byte("go test fuzz v1\nint(-5)\nstring(\"a\")\n[]byte(\"\\x00\")\n"))
	f.Add([]byte("go test fuzz v1\r\nrune('x')\nfloat64(NaN)\nmath.Float32frombits(0x7fc00001)\nbyte(7)\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		values, err := Parse(data)
		if err != nil {
			return
		}
		text := Format(values)
		again, err := Parse(text)
		if err != nil {
			t.Fatalf("%q becomes %q: %v", data, text, err)
		}
		if !bytes.Equal(Format(again), text) {
			t.Fatalf("%q becomes %q, then %q", data, text, Format(again))
		}
	})
}
