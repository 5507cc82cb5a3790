package varint

import (
	"encoding/binary"
	"math"
	"testing"
)

func TestReader(t *testing.T) {
	var b []byte
	b = binary.AppendVarint(b, math.MinInt64)
	b = binary.AppendUvarint(b, math.MaxUint64)
	b = append(binary.AppendUvarint(b, 3), "abc"...)
	r := Reader{B: b}
	if x := r.Int(); x != math.MinInt64 {
		t.Error(x)
	}
	if x := r.Uint(); x != math.MaxUint64 {
		t.Error(x)
	}
	if s := string(r.Bytes(r.Count())); s != "abc" || r.Bad || len(r.B) > 0 {
		t.Error(s, r)
	}
	if x := r.Int(); x != 0 || !r.Bad {
		t.Errorf("%d after the end, %+v", x, r)
	}
}

// What is damaged is bad, and stays so.
func TestBad(t *testing.T) {
	for name, read := range map[string]func(*Reader){
		"a number without an end": func(r *Reader) { r.Uint() },
		"more than there is":      func(r *Reader) { r.Bytes(4) },
		"less than nothing":       func(r *Reader) { r.Bytes(-1) },
	} {
		r := Reader{B: []byte{0xff, 0xff, 0xff}}
		read(&r)
		if !r.Bad || r.Uint() != 0 || !r.Bad {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if r := (Reader{B: []byte{100, 1, 2}}); r.Count() != 0 || !r.Bad {
		t.Errorf("a count of things that are not there: %+v", r)
	}
}
