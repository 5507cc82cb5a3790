// Package varint reads numbers written by AppendVarint and AppendUvarint of encoding/binary, from
// bytes that may be damaged or hostile.
package varint

import "encoding/binary"

// A Reader reads numbers from the beginning of B, and shortens B. After damage Bad is true and
// every further number is 0.
type Reader struct {
	B   []byte
	Bad bool
}

// Fail sets Bad.
func (r *Reader) Fail() { r.Bad, r.B = true, nil }

// skip takes the k bytes of a number; k <= 0 means that there was none.
func (r *Reader) skip(k int) bool {
	if k <= 0 {
		r.Fail()
		return false
	}
	r.B = r.B[k:]
	return true
}

// Uint reads a number that AppendUvarint wrote.
func (r *Reader) Uint() uint64 {
	x, k := binary.Uvarint(r.B)
	if !r.skip(k) {
		return 0
	}
	return x
}

// Int reads a number that AppendVarint wrote.
func (r *Reader) Int() int {
	x, k := binary.Varint(r.B)
	if !r.skip(k) {
		return 0
	}
	return int(x)
}

// Count reads a number of items, as AppendUvarint wrote it. An item takes at least one byte: a
// larger number sets Bad and returns 0.
func (r *Reader) Count() int {
	n := r.Uint()
	if n > uint64(len(r.B)) {
		r.Fail()
		return 0
	}
	return int(n)
}

// Bytes reads n bytes. It returns nil and sets Bad if there are fewer.
func (r *Reader) Bytes(n int) []byte {
	if n < 0 || n > len(r.B) {
		r.Fail()
		return nil
	}
	b := r.B[:n]
	r.B = r.B[n:]
	return b
}
