package symbolic

import (
	"fmt"

	"heddle/symbolic/corpus"
	"heddle/trace"
)

// MostText is the largest length of a string or []byte.
const MostText = 4096

// Filler is the value of a byte in no condition.
const Filler = 'a'

// A part is what a variable is of input i: its byte at that place, or, if that is less than 0, its
// length or a number.
type part struct{ i, at int }

const (
	number = -1 - iota
	length
)

// Number returns the variable for input i, a number of that width.
func (t *Table) Number(i, width int) Term { return t.part(part{i, number}, InputName, width) }

// Length returns the variable for the length of input i, a text.
func (t *Table) Length(i int) Term { return t.part(part{i, length}, LenName, lenWidth) }

// Byte returns the variable for byte n of input i, a text.
func (t *Table) Byte(i, n int) Term {
	return t.part(part{i, n}, func(i int) string { return ByteName(i, n) }, 8)
}

func (t *Table) part(p part, name func(i int) string, width int) Term {
	x, ok := t.parts[p]
	if !ok {
		x = t.Var(name(p.i), width)
		t.parts[p] = x
	}
	return x
}

// Near returns the model of the given inputs, without variables that are not in the table.
func (t *Table) Near(values []any) Model {
	m := Model{}
	set := func(p part, v uint64) {
		if x, ok := t.parts[p]; ok {
			m[x] = v & mask(t.Width(x))
		}
	}
	for i, v := range values {
		if n, ok := corpus.Bits(v); ok {
			set(part{i, number}, n)
			continue
		}
		b, ok := corpus.Bytes(v)
		if !ok {
			continue
		}
		set(part{i, length}, uint64(len(b)))
		for k := range b {
			set(part{i, k}, uint64(b[k]))
		}
		for k := len(b); k < 2*trace.MostSought; k++ { // of what an expression may look at
			set(part{i, k}, Filler)
		}
	}
	return m
}

// Limits returns conditions that texts are no longer than most, or than their value in near if
// that is longer.
func (t *Table) Limits(near []any, most int) []Term {
	var cs []Term
	for i, v := range near {
		b, _ := corpus.Bytes(v)
		if x, ok := t.parts[part{i, length}]; ok {
			cs = append(cs, t.Op(ULt, x, t.Const(uint64(max(most, len(b)))+1, t.Width(x))))
		}
	}
	return cs
}

// Length returns the total length of the texts in an input.
func Length(values []any) (n int) {
	for _, v := range values {
		b, _ := corpus.Bytes(v)
		n += len(b)
	}
	return n
}

// Values returns the inputs of a model. Values that the model does not determine are taken from
// near, a list of values of the same types.
func (t *Table) Values(m Model, near []any) []any {
	out := make([]any, len(near))
	for i, old := range near {
		out[i] = t.input(m, i, old)
	}
	return out
}

func (t *Table) input(m Model, i int, old any) any {
	if b, ok := corpus.Bytes(old); ok {
		n := len(b)
		if x, ok := t.parts[part{i, length}]; ok {
			if v, ok := m[x]; ok {
				n = int(v)
			}
		}
		out := make([]byte, n)
		for k := range out {
			out[k] = Filler
			if k < len(b) {
				out[k] = b[k]
			}
			if x, ok := t.parts[part{i, k}]; ok {
				if v, ok := m[x]; ok {
					out[k] = byte(v)
				}
			}
		}
		return corpus.WithBytes(old, out)
	}
	x, ok := t.parts[part{i, number}]
	if !ok {
		return old
	}
	v, ok := m[x]
	if !ok {
		return old
	}
	return corpus.WithBits(old, v)
}

// Zero returns the zero value of v's type.
func Zero(v any) any {
	switch v.(type) {
	case string:
		return ""
	case []byte:
		return []byte{}
	}
	if _, ok := corpus.Bits(v); !ok {
		panic(fmt.Sprintf("symbolic: expected a value of a type that fuzz targets take, found %T", v))
	}
	return corpus.WithBits(v, 0)
}
