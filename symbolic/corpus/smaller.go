package corpus

import (
	"bytes"
	"math"
	"slices"
)

// Smaller returns an input that is easier to read than values and for which still returns true, as
// it does for values: numbers nearer to zero, shorter texts, plain letters. It stops when over
// returns true or nothing is left to try. still must not keep its argument.
func Smaller(values []any, still func([]any) bool, over func() bool) []any {
	s := smaller{slices.Clone(values), still, over}
	for changed := true; changed && !over(); {
		changed = false
		for i := range s.values {
			changed = s.argument(i) || changed
		}
	}
	return s.values
}

type smaller struct {
	values []any
	still  func([]any) bool
	over   func() bool
}

// try replaces the i-th argument by v if still allows it.
func (s *smaller) try(i int, v any) bool {
	if s.over() {
		return false
	}
	was := s.values[i]
	s.values[i] = v
	if s.still(s.values) {
		return true
	}
	s.values[i] = was
	return false
}

// argument makes the i-th argument smaller, and reports whether it did.
func (s *smaller) argument(i int) bool {
	switch v := s.values[i].(type) {
	case bool:
		return v && s.try(i, false)
	case int:
		return number(s, i, v)
	case int8:
		return number(s, i, v)
	case int16:
		return number(s, i, v)
	case int32:
		return number(s, i, v)
	case int64:
		return number(s, i, v)
	case uint:
		return number(s, i, v)
	case uint8:
		return number(s, i, v)
	case uint16:
		return number(s, i, v)
	case uint32:
		return number(s, i, v)
	case uint64:
		return number(s, i, v)
	case float32:
		return float(s, i, v)
	case float64:
		return float(s, i, v)
	case string:
		return s.text(i, []byte(v), func(b []byte) any { return string(b) })
	case []byte:
		return s.text(i, v, func(b []byte) any { return b })
	}
	return false
}

type whole interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// number tries zero, then half of the number, a quarter, ..., one less; for a negative number also
// a positive one.
func number[T whole](s *smaller, i int, v T) (changed bool) {
	if v < 0 && -v > 0 && s.try(i, -v) {
		v, changed = -v, true
	}
	for d := v; d != 0; d /= 2 {
		for (d > 0 && v >= d || d < 0 && v <= d) && s.try(i, v-d) {
			v, changed = v-d, true
		}
	}
	return changed
}

// float tries zero, one, whole numbers, and positive numbers.
func float[T ~float32 | ~float64](s *smaller, i int, v T) bool {
	if v == 0 {
		return false
	}
	for _, w := range []float64{0, 1, math.Abs(float64(v)), math.Trunc(float64(v))} {
		if T(w) == v || v == 1 {
			continue
		}
		if s.try(i, T(w)) {
			return true
		}
	}
	return false
}

// text removes halves, quarters, ..., single bytes, and then replaces bytes by plain ones.
func (s *smaller) text(i int, b []byte, as func([]byte) any) (changed bool) {
	for size := len(b); size > 0; size /= 2 {
		for at := 0; at < len(b); {
			less := slices.Delete(slices.Clone(b), at, min(at+size, len(b)))
			if s.try(i, as(less)) {
				b, changed = less, true
			} else {
				at += size
			}
		}
	}
	for at := range b {
		for rank, c := range plain {
			if k := bytes.IndexByte(plain, b[at]); k >= 0 && k <= rank {
				break
			}
			other := slices.Clone(b)
			other[at] = c
			if s.try(i, as(other)) {
				b, changed = other, true
				break
			}
		}
	}
	return changed
}

// plain has bytes that are easy to read, the plainest first.
var plain = []byte("0aA ")
