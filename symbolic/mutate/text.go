package mutate

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strconv"
	"unicode"

	"heddle/rt/counters"
)

// marks are the bytes that texts are mostly divided by.
const marks = " \n\t,;:=.-_/|&?#@!%+*\"'`\\()[]{}<>0a1A\x00\xff\x80"

// text changes a text, which it may overwrite. other is one at the same place of another input.
func (m *Mutator) text(b, other []byte) []byte {
	if len(b) == 0 && m.n(4) != 0 {
		return m.insert(b, 0, m.piece(other))
	}
	at := m.n(len(b) + 1)
	switch k := m.n(28); {
	case k > 23 && len(b) > 0 && (b[0] == '{' || b[0] == '['): // perhaps JSON
		if end := bytes.LastIndexByte(b, '}'); end > 0 && m.n(2) == 0 {
			return m.insert(b, end, append([]byte{','}, m.pair(true)...))
		}
		if m.n(4) == 0 {
			return m.json(nil, "", 2)
		}
		return m.object(nil, 2)
	case k > 21: // a word in place of another
		if w, ok := m.word(); ok {
			from, to := m.span(b)
			return m.insert(slices.Delete(b, from, to), from, []byte(w))
		}
	case k > 16: // another after it, or before
		if len(other) > 0 {
			if m.n(2) == 0 {
				b, other = slices.Clone(other), b
			}
			if m.n(4) > 0 {
				b = m.insert(b, len(b), []byte{m.mark(b, other)})
			}
			return m.insert(b, len(b), other)
		}
	case k < 3:
		return m.insert(b, m.border(b, at), m.piece(other))
	case k < 6: // in place of others
		from, to := m.span(b)
		return m.insert(slices.Delete(b, from, to), from, m.piece(other))
	case k == 6:
		from, to := m.span(b)
		return slices.Delete(b, from, to)
	case k == 7: // once more, somewhere
		from, to := m.span(b)
		return m.insert(b, m.border(b, at), slices.Clone(b[from:to]))
	case k == 8: // many times
		from, to := m.span(b)
		return m.insert(b, to, bytes.Repeat(b[from:to], 1+m.n(1<<(1+m.n(2)*m.n(7)))))
	case k == 9: // what follows comes from another
		if len(other) > 0 {
			cut := m.border(other, m.n(len(other)+1))
			at = m.border(b, at)
			return m.insert(b[:at], at, other[cut:])
		}
	case k == 10:
		return m.decimal(b)
	case k == 11 && len(b) > 1:
		return m.binary(b)
	case k == 12 && len(b) > 1: // two bytes change places
		i, j := m.n(len(b)), m.n(len(b))
		b[i], b[j] = b[j], b[i]
		return b
	case k == 13:
		return b[:at]
	case k == 14 && len(b) > 0: // letters of the other case
		from, to := m.span(b)
		for i, c := range b[from:to] {
			if unicode.IsLetter(rune(c)) {
				b[from+i] = c ^ 0x20
			}
		}
		return b
	}
	if len(b) == 0 {
		return append(b, marks[m.n(len(marks))])
	}
	i := m.n(len(b))
	switch m.n(5) {
	case 0:
		b[i] ^= 1 << m.n(8)
	case 1:
		b[i] += byte(1 + m.n(16))
	case 2:
		b[i] -= byte(1 + m.n(16))
	case 3:
		b[i] = marks[m.n(len(marks))]
	case 4:
		b[i] = byte(m.rng.Next())
	}
	return b
}

// mark draws a mark: one that the source of the program has, one of the texts, one that stands
// before many a value, or any.
func (m *Mutator) mark(texts ...[]byte) byte {
	switch k := m.n(4); {
	case k < 2 && len(m.marks) > 0:
		return m.marks[m.n(len(m.marks))]
	case k < 3:
		var own []byte
		for _, b := range texts {
			for _, c := range b[:min(len(b), firstLength)] {
				if kind(c) > 1 && bytes.IndexByte(own, c) < 0 {
					own = append(own, c)
				}
			}
		}
		if len(own) > 0 {
			return own[m.n(len(own))]
		}
	default:
		return before[m.n(len(before))]
	}
	return marks[m.n(len(marks))]
}

// insert inserts a piece, as far as the text does not become too long.
func (m *Mutator) insert(b []byte, at int, piece []byte) []byte {
	if len(b)+len(piece) > m.longest {
		piece = piece[:max(0, m.longest-len(b))]
	}
	return slices.Insert(b, at, piece...)
}

// piece returns what is to be inserted: mostly a word, perhaps with a mark beside it.
func (m *Mutator) piece(other []byte) []byte {
	switch m.n(8) {
	case 6:
		return m.pair(m.n(4) == 0)
	case 0:
		return []byte{marks[m.n(len(marks))]}
	case 1:
		if len(other) > 0 {
			from, to := m.span(other)
			return slices.Clone(other[from:to])
		}
	case 2:
		p := make([]byte, 1+m.n(4))
		for i := range p {
			p[i] = byte(m.rng.Next())
		}
		return p
	case 3:
		return strconv.AppendInt(nil, int64(m.number(0, 0, 64)), 10)
	}
	w, ok := m.word()
	if !ok {
		return []byte{byte(' ' + m.n(95))}
	}
	switch m.n(8) {
	case 0:
		return append([]byte{m.mark(other)}, w...)
	case 1:
		return append([]byte(w), m.mark(other))
	case 2:
		return append(append([]byte{'"'}, w...), '"')
	}
	return []byte(w)
}

// pair returns a key with a value: of a JSON object, or with a mark between.
func (m *Mutator) pair(json bool) []byte {
	n := m.name()
	if json {
		return m.member(nil, n, 2)
	}
	value, _ := m.word()
	return append(append([]byte(n.Name), m.mark()), value...)
}

// name draws what a key is: a name, or any word.
func (m *Mutator) name() counters.Name {
	if len(m.names) > 0 && m.n(8) > 0 {
		return m.names[m.n(len(m.names))]
	}
	w, _ := m.word()
	return counters.Name{Name: w}
}

// member appends a member of a JSON object, mostly with a value of its kind.
func (m *Mutator) member(b []byte, n counters.Name, depth int) []byte {
	kind := n.Kind
	if m.n(8) == 0 {
		kind = ""
	}
	b = append(strconv.AppendQuote(b, n.Name), ':')
	return m.json(b, kind, depth)
}

// kinds are those of counters.Name, the frequent ones twice.
var kinds = [...]string{"text", "text", "number", "number", "bool", "null", "list", "object"}

// json appends a JSON value of a kind, of lists and objects within each other at most depth.
func (m *Mutator) json(b []byte, kind string, depth int) []byte {
	if kind == "" {
		kind = kinds[m.n(len(kinds))]
	}
	switch kind {
	case "text":
		w, _ := m.word()
		return strconv.AppendQuote(b, w)
	case "number":
		n, ok := m.knownNumber()
		if !ok || m.n(8) == 0 {
			n = m.edge(m.bits)
		}
		if f, ok := m.knownFloat(); ok && m.n(4) == 0 {
			return strconv.AppendFloat(b, f, 'g', -1, 64)
		}
		return strconv.AppendInt(b, int64(n), 10)
	case "bool":
		return strconv.AppendBool(b, m.n(2) == 0)
	case "list":
		n := m.n(4)
		b = several(append(b, '['), n, depth, func(b []byte) []byte { return m.json(b, "", depth-1) })
		return append(b, ']')
	case "object":
		return m.object(b, depth-1)
	}
	return append(b, "null"...)
}

// object appends a JSON object.
func (m *Mutator) object(b []byte, depth int) []byte {
	n := 1 + m.n(4)
	b = several(append(b, '{'), n, depth, func(b []byte) []byte { return m.member(b, m.name(), depth) })
	return append(b, '}')
}

// several appends n things with commas between; none where the depth is used up.
func several(b []byte, n, depth int, one func([]byte) []byte) []byte {
	if depth <= 0 {
		return b
	}
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = one(b)
	}
	return b
}

// span draws a part of a text: half of them words or other runs of one kind.
func (m *Mutator) span(b []byte) (from, to int) {
	if len(b) == 0 {
		return 0, 0
	}
	from = m.n(len(b))
	if m.n(2) == 0 {
		k := kind(b[from])
		for to = from + 1; to < len(b) && kind(b[to]) == k; to++ {
		}
		for from > 0 && kind(b[from-1]) == k {
			from--
		}
		return from, to
	}
	return from, from + 1 + m.n(min(len(b)-from, 1+m.n(16)))
}

// border returns a position near at where one run ends and another begins, or at.
func (m *Mutator) border(b []byte, at int) int {
	if m.n(2) == 0 {
		return at
	}
	for at > 0 && at < len(b) && kind(b[at-1]) == kind(b[at]) {
		at++
	}
	return at
}

// kind tells bytes of words, digits, blanks and others apart.
func kind(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return 0
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c >= 0x80:
		return 1
	case c == ' ', c == '\n', c == '\t', c == '\r':
		return 2
	}
	return 3 + int(c)
}

// decimal changes one of the numbers that are written in a text.
func (m *Mutator) decimal(b []byte) []byte {
	var starts []int
	for i, c := range b {
		if kind(c) == 0 && (i == 0 || kind(b[i-1]) != 0) {
			starts = append(starts, i)
		}
	}
	if len(starts) == 0 {
		return m.insert(b, m.n(len(b)+1), strconv.AppendInt(nil, int64(m.edge(m.bits)), 10))
	}
	from := starts[m.n(len(starts))]
	to := from
	for to < len(b) && kind(b[to]) == 0 {
		to++
	}
	n, _ := strconv.ParseUint(string(b[from:to]), 10, 64)
	n = m.number(n, n/2, 64)
	return m.insert(slices.Delete(b, from, to), from, strconv.AppendInt(nil, int64(n), 10))
}

// binary changes a number of two, four or eight bytes.
func (m *Mutator) binary(b []byte) []byte {
	size := 2 << m.n(3)
	if size > len(b) {
		size = 2
	}
	var order binary.ByteOrder = binary.LittleEndian
	if m.n(2) == 0 {
		order = binary.BigEndian
	}
	at := m.n(len(b) - size + 1)
	n := decode(b[at:at+size], order)
	if m.n(3) == 0 {
		n = uint64(len(b) - m.n(at+size+1)) // how long something is
	} else {
		n = m.number(n, n, 8*size)
	}
	copy(b[at:], encode(n, size, order))
	return b
}
