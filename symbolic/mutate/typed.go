package mutate

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"heddle/rt/counters"
	"heddle/rt/decoded"
	"heddle/symbolic"
	"heddle/symbolic/corpus"
)

// Inputs that the program decodes without an error: values of the types that it decodes to are
// made, by chance (as testing/quick does) or from those of another input, and are encoded by the
// package that decodes them.

// MatchTyped is Match for what an execution decoded: where its values have one side of a comparison
// they get the other. Others are made by chance.
func (m *Mutator) MatchTyped(values []any, calls []decoded.Call, pairs []counters.Pair, most int) (
	inputs [][]any) {
	if len(calls) == 0 {
		return nil
	}
	pairs = slices.Clone(pairs)
	for i := range pairs {
		j := i + m.n(len(pairs)-i)
		pairs[i], pairs[j] = pairs[j], pairs[i]
	}
	for i := range calls {
		c, end := &calls[i], len(inputs)+1+most/len(calls)
		for range 1 + most/len(calls)/4 {
			if in, ok := m.Typed(values, calls[i:i+1]); ok {
				inputs = append(inputs, in)
			}
		}
		for _, p := range pairs {
			if known := m.matchedTyped[p]; known && m.n(perKnown) > 0 {
				continue
			}
			for at := 0; at < perPair && len(inputs) < end; at++ {
				vs, ok := again(c)
				if !ok {
					break
				}
				if n := at; !each(vs, func(v reflect.Value) bool { return m.match(v, p, &n) }) {
					break
				}
				if in, ok := m.encoded(values, c, vs); ok {
					inputs = append(inputs, in)
					remember(m.matchedTyped, p)
				}
			}
		}
	}
	return inputs
}

// match makes the n-th of the changes that a comparison suggests for values, if v has it, and
// reports whether it did. Else it lessens n by how many v has.
func (m *Mutator) match(v reflect.Value, p counters.Pair, n *int) bool {
	turn := func() bool { *n--; return *n < 0 }
	if p.Text {
		for _, q := range [2][2]string{{p.S, p.T}, {p.T, p.S}} {
			is := func(s string) bool { return s == q[0] || p.Fold && strings.EqualFold(s, q[0]) }
			switch {
			case v.Kind() == reflect.String && is(v.String()) && turn():
				v.SetString(q[1])
				return true
			case isBytes(v.Type()) && is(string(v.Bytes())) && turn():
				v.SetBytes([]byte(q[1]))
				return true
			}
		}
		return false
	}
	for _, q := range [2][2]uint64{{p.B, p.A}, {p.A, p.B}} {
		if q[0] == p.A && p.Const {
			continue
		}
		for _, want := range [3]uint64{q[1], q[1] + 1, q[1] - 1} {
			if m.toNumber(v, q[0], want, p.Size, turn) {
				return true
			}
		}
	}
	return false
}

// toNumber makes v the number want if it is another one and it is v's turn; or the length of v.
func (m *Mutator) toNumber(v reflect.Value, is, want uint64, size int, turn func() bool) bool {
	mask, fits := ^uint64(0)>>(64-8*size), size >= int(v.Type().Size())
	switch k := v.Kind(); {
	case !fits && (v.CanInt() || v.CanUint()):
	case v.CanInt() && uint64(v.Int())&mask == is&mask && turn():
		shift := 64 - 8*size
		v.SetInt(int64(want<<shift) >> shift)
		return true
	case v.CanUint() && v.Uint()&mask == is&mask && turn():
		v.SetUint(want & mask)
		return true
	case k == reflect.Slice && uint64(v.Len()) == is && want <= mostElements && turn():
		m.resize(v, int(want))
		return true
	case k == reflect.String && uint64(v.Len()) == is && want <= firstLength && turn():
		v.SetString(string(stretched([]byte(v.String()), int(want))))
		return true
	}
	return false
}

// mostElements is how long lists become at most.
const mostElements = 16

// Typed returns an input with what an execution decoded, changed by chance.
func (m *Mutator) Typed(values []any, calls []decoded.Call) ([]any, bool) {
	c := &calls[m.n(len(calls))]
	vs, ok := again(c)
	if !ok || m.n(8) == 0 {
		vs = fresh(c)
		for _, v := range vs {
			m.fill(v, mostDepth)
		}
		return m.encoded(values, c, vs)
	}
	for n := 1; ; n++ {
		nodes := 0
		each(vs, func(reflect.Value) bool { nodes++; return false })
		at := m.n(nodes)
		each(vs, func(v reflect.Value) bool {
			if at--; at < 0 {
				m.vary(v)
			}
			return at < 0
		})
		if n == mostAtOnce || m.n(2) == 0 {
			return m.encoded(values, c, vs)
		}
	}
}

// fresh returns variables for what a call decodes.
func fresh(c *decoded.Call) []reflect.Value {
	vs := make([]reflect.Value, len(c.Types))
	for i, t := range c.Types {
		vs[i] = reflect.New(t).Elem()
	}
	return vs
}

// pointers returns pointers to variables.
func pointers(vs []reflect.Value) []any {
	ps := make([]any, len(vs))
	for i, v := range vs {
		ps[i] = v.Addr().Interface()
	}
	return ps
}

// again returns what a call decoded, once more; false: its text cannot be decoded. Methods of the
// program that take part may panic.
func again(c *decoded.Call) (vs []reflect.Value, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	vs = fresh(c)
	return vs, c.Known && c.Decode(bytes.Clone(c.Text), pointers(vs)) == nil
}

// encoded returns the input with other values in the place of what a call decoded.
func (m *Mutator) encoded(values []any, c *decoded.Call, vs []reflect.Value) (in []any, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	if c.Format == "gob" { // it writes maps in any order, and inputs must depend on the seed alone
		each(vs, func(v reflect.Value) bool { onlyFirst(v); return false })
	}
	text, err := c.Encode(pointers(vs))
	if err != nil || m.encodedBefore[string(text)] {
		return nil, false
	}
	remember(m.encodedBefore, string(text))
	if c.Format == "json" && m.n(2) == 0 {
		text = joined(c.Text, text)
	}
	if m.n(16) == 0 {
		text = m.text(text, c.Text)
	}
	at := m.n(len(values))
	for range values {
		if b, ok := corpus.Bytes(values[at]); ok {
			if b, ok = m.replaced(b, c, text); ok && len(b) <= symbolic.MostText {
				in = slices.Clone(values)
				in[at] = corpus.WithBytes(values[at], b)
				return in, true
			}
		}
		at = (at + 1) % len(values)
	}
	return nil, false
}

// codes are how texts may stand in an input.
var codes = [...]func([]byte) string{
	func(b []byte) string { return string(b) }, base64.StdEncoding.EncodeToString,
	base64.RawStdEncoding.EncodeToString, base64.URLEncoding.EncodeToString,
	base64.RawURLEncoding.EncodeToString, hex.EncodeToString,
}

// replaced returns b with another text in the place of what a call decoded, if it is there. What
// was decoded from nothing comes last.
func (m *Mutator) replaced(b []byte, c *decoded.Call, text []byte) ([]byte, bool) {
	switch {
	case !c.Known:
		return text, true
	case len(c.Text) == 0:
		return slices.Concat(b, text), true
	}
	for _, code := range codes {
		was := []byte(code(c.Text))
		if n := bytes.Count(b, was); n > 0 {
			at := 0
			for range 1 + m.n(n) {
				at += bytes.Index(b[at:], was) + 1
			}
			at--
			now := []byte(code(text))
			return slices.Concat(m.lengths(b[:at], len(was), len(now)), now, b[at+len(was):]), true
		}
	}
	return nil, false
}

// lengths returns what stands before a text, with the number that is perhaps the text's length
// changed.
func (m *Mutator) lengths(before []byte, was, now int) []byte {
	if was == now || m.n(4) == 0 {
		return before
	}
	for _, size := range [...]int{8, 4, 2, 1} {
		for _, order := range [...]binary.ByteOrder{binary.BigEndian, binary.LittleEndian} {
			n := encode(uint64(was), size, order)
			if at := bytes.LastIndex(before, n); at >= 0 && was>>(8*size) == 0 {
				return slices.Concat(before[:at], encode(uint64(now), size, order), before[at+size:])
			}
		}
	}
	n := strconv.AppendInt(nil, int64(was), 10)
	if at := bytes.LastIndex(before, n); at >= 0 {
		return slices.Concat(before[:at], strconv.AppendInt(nil, int64(now), 10), before[at+len(n):])
	}
	return before
}

// joined returns a JSON object with those members of another one too that it has not: what the
// program decodes more than once, to other types, keeps what those are made by.
func joined(old, text []byte) []byte {
	var have, more map[string]json.RawMessage
	if json.Unmarshal(old, &more) != nil || json.Unmarshal(text, &have) != nil || have == nil {
		return text
	}
	for k, v := range more {
		if _, ok := have[k]; !ok {
			have[k] = v
		}
	}
	if all, err := json.Marshal(have); err == nil {
		return all
	}
	return text
}
