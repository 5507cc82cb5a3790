package corpus

import "math"

// Number returns the bits of an integer, or 1 of true; ok is false if v is none of them.
func Number(v any) (n uint64, ok bool) {
	switch v := v.(type) {
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	case int:
		return uint64(v), true
	case int8:
		return uint64(v), true
	case int16:
		return uint64(v), true
	case int32:
		return uint64(v), true
	case int64:
		return uint64(v), true
	case uint:
		return uint64(v), true
	case uint8:
		return uint64(v), true
	case uint16:
		return uint64(v), true
	case uint32:
		return uint64(v), true
	case uint64:
		return v, true
	}
	return 0, false
}

// WithNumber returns the integer or bool of old's type with the bits of v; old, if it is of another
// type.
func WithNumber(old any, v uint64) any {
	switch old.(type) {
	case bool:
		return v != 0
	case int:
		return int(v)
	case int8:
		return int8(v)
	case int16:
		return int16(v)
	case int32:
		return int32(v)
	case int64:
		return int64(v)
	case uint:
		return uint(v)
	case uint8:
		return uint8(v)
	case uint16:
		return uint16(v)
	case uint32:
		return uint32(v)
	case uint64:
		return v
	}
	return old
}

// Bits is Number, and of a float its bits.
func Bits(v any) (n uint64, ok bool) {
	switch v := v.(type) {
	case float32:
		return uint64(math.Float32bits(v)), true
	case float64:
		return math.Float64bits(v), true
	}
	return Number(v)
}

// WithBits is WithNumber, and for a float the one with these bits.
func WithBits(old any, v uint64) any {
	switch old.(type) {
	case float32:
		return math.Float32frombits(uint32(v))
	case float64:
		return math.Float64frombits(v)
	}
	return WithNumber(old, v)
}

// Bytes returns the bytes of a string or []byte; ok is false if v is none.
func Bytes(v any) (b []byte, ok bool) {
	switch v := v.(type) {
	case string:
		return []byte(v), true
	case []byte:
		return v, true
	}
	return nil, false
}

// WithBytes returns the string or []byte of old's type with these bytes.
func WithBytes(old any, b []byte) any {
	if _, ok := old.(string); ok {
		return string(b)
	}
	return b
}
