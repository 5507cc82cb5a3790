// Package varint reads what encoding/binary's AppendVarint and AppendUvarint
// wrote, from bytes that may be damaged or hostile.
package varint

import "encoding/binary"

// A Reader reads the numbers of B from its beginning, and shortens it. After
// something that is none, Bad is true and every further number 0.
type Reader struct {
	B   []byte
	Bad bool
}

// Fail makes r bad.
func (r *Reader) Fail() { r.Bad, r.B = true, nil }

// skip takes k bytes, those of a number; k <= 0: it was none.
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

// Count reads how many things follow, as AppendUvarint wrote it. Each of them takes a byte at least: what cannot be is bad, and 0.
func (r *Reader) Count() int {
	n := r.Uint()
	if n > uint64(len(r.B)) {
		r.Fail()
		return 0
	}
	return int(n)
}

// Bytes reads n bytes, nil where there are fewer.
func (r *Reader) Bytes(n int) []byte {
	if n < 0 || n > len(r.B) {
		r.Fail()
		return nil
	}
	b := r.B[:n]
	r.B = r.B[n:]
	return b
}
