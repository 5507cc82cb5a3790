package mutate

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"heddle/rt/counters"
	"heddle/symbolic"
	"heddle/symbolic/corpus"
)

// perPair is how many inputs are made of one comparison.
const perPair = 12

const (
	perKnown    = 10
	mostMatched = 1 << 16 // comparisons that are remembered
)

// Match returns inputs that may make comparisons of an execution come out otherwise: where the
// input has one side, they have the other (input-to-state correspondence: Aschermann et al.,
// "REDQUEEN", NDSS 2019; we change no colours first, and try decimal numbers, hex, base64 and
// lengths of texts): about most of them, of comparisons that are drawn if there are more. Of those
// that earlier inputs had too perKnown times fewer are made, so that a loop over all bytes does not
// take all the time. What was compared goes to the dictionary.
func (m *Mutator) Match(values []any, pairs []counters.Pair, most int) (inputs [][]any) {
	compared := &m.lists[2]
	for _, p := range pairs {
		if p.Text {
			compared.add(p.S)
			compared.add(p.T)
		} else if compared.addNumber(p.A, p.Size); !p.Const {
			compared.addNumber(p.B, p.Size)
		}
	}
	pairs = slices.Clone(pairs)
	for i := range pairs {
		j := i + m.n(len(pairs)-i)
		pairs[i], pairs[j] = pairs[j], pairs[i]
	}
	known := 0 // inputs made of those that were known
	for _, p := range pairs {
		old := m.matched[p]
		if len(inputs) >= most || old && known >= most/perKnown {
			continue
		}
		of := m.matchPair(values, p)
		switch {
		case old:
			known += len(of)
		case len(of) > 0:
			remember(m.matched, p)
		}
		inputs = append(inputs, of...)
	}
	return inputs
}

// remember adds x to a set of at most mostMatched.
func remember[T comparable](set map[T]bool, x T) {
	if len(set) == mostMatched {
		clear(set)
	}
	set[x] = true
}

// matchPair returns at most perPair inputs for a comparison.
func (m *Mutator) matchPair(values []any, p counters.Pair) (inputs [][]any) {
	put := func(i int, v any) {
		if len(inputs) < perPair {
			in := slices.Clone(values)
			in[i] = v
			inputs = append(inputs, in)
		}
	}
	for i, v := range values {
		if p.Text {
			matchText(v, p.S, p.T, p.Fold, func(v any) { put(i, v) })
			matchText(v, p.T, p.S, p.Fold, func(v any) { put(i, v) })
			continue
		}
		m.matchNumber(v, p.B, p.A, p.Size, func(v any) { put(i, v) })
		if !p.Const {
			m.matchNumber(v, p.A, p.B, p.Size, func(v any) { put(i, v) })
		}
	}
	return inputs
}

// matchText puts a text where v has another, as it is or encoded.
func matchText(v any, is, want string, fold bool, give func(any)) {
	b, ok := corpus.Bytes(v)
	if !ok {
		return
	}
	put := func(b []byte) { give(corpus.WithBytes(v, b)) }
	if len(is) >= leastEncoded {
		in := string(b)
		for _, code := range [...]func([]byte) string{hex.EncodeToString,
			base64.RawStdEncoding.EncodeToString} {
			// of three bytes of base64 the last ones stand in a letter with the next
			was := code([]byte(is[:len(is)/3*3]))
			if at := strings.Index(in, was); at >= 0 {
				now := code([]byte(want))
				put([]byte(in[:at] + now + in[min(len(in), at+len(now)):]))
			}
		}
	}
	if is == "" {
		for _, b := range missing(b, want) {
			put(b)
		}
		return
	}
	in, what := b, []byte(is)
	if fold {
		in, what = bytes.ToLower(b), bytes.ToLower(what)
	}
	for at := 0; at < len(in); at++ {
		i := bytes.Index(in[at:], what)
		if i < 0 || len(in) != len(b) {
			return
		}
		at += i
		if len(b)-len(is)+len(want) <= symbolic.MostText {
			put(slices.Concat(b[:at], []byte(want), b[at+len(is):]))
		}
	}
}

// before is what stands before a value in most texts that have names and values.
const before = "=: ,;/&-"

// missing returns texts that have want where nothing is: behind a text, perhaps after one of before
// and where one of these stands and no value follows.
func missing(b []byte, want string) (texts [][]byte) {
	if len(b)+len(want) >= symbolic.MostText {
		return nil
	}
	texts = append(texts, slices.Concat(b, []byte(want)))
	if len(b) == 0 {
		return texts
	}
	for _, c := range []byte(before) {
		texts = append(texts, slices.Concat(b, []byte{c}, []byte(want)))
	}
	for i := range len(b) - 1 {
		if strings.IndexByte(before, b[i]) >= 0 && kind(b[i+1]) > 1 {
			texts = append(texts, slices.Concat(b[:i+1], []byte(want), b[i+1:]))
		}
	}
	return texts
}

// leastEncoded is how long a text is at least that is looked for encoded.
const leastEncoded = 3

// matchNumber puts a number, or one beside it, where v has another.
func (m *Mutator) matchNumber(v any, is, want uint64, bytes int, put func(any)) {
	if n, ok := corpus.Number(v); ok {
		put := func(v any) {
			if x, _ := corpus.Number(v); m.fits(x, n) {
				put(v)
			}
		}
		mask := ^uint64(0) >> (64 - 8*min(bytes, size(v)))
		if n&mask == is&mask {
			put(corpus.WithNumber(v, want))
			put(corpus.WithNumber(v, want+1))
			put(corpus.WithNumber(v, want-1))
		} else if bytes == size(v) { // something was added to it or taken away, perhaps
			put(corpus.WithNumber(v, n+want-is))
		}
		return
	}
	b, ok := corpus.Bytes(v)
	if !ok {
		return
	}
	if is == uint64(len(b)) && want <= uint64(m.longest) {
		for _, n := range [...]int{int(want), int(want) + 1, int(want) - 1} {
			if n >= 0 {
				put(corpus.WithBytes(v, stretched(b, n)))
			}
		}
	}
	replace := func(is, want []byte) { matchText(v, string(is), string(want), false, put) }
	if is < 0x80 || bytes == 1 { // a byte, perhaps as a rune or an int
		if want < 0x100 {
			replace([]byte{byte(is)}, []byte{byte(want)})
		}
	}
	if bytes > 1 {
		for _, n := range [...]int{2, 4, 8} {
			if n > bytes || n < 8 && (is>>(8*n) != 0 || want>>(8*n) != 0) || is < 0x100 && n > 2 && is == 0 {
				continue
			}
			for _, order := range [...]binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
				x, y := encode(is, n, order), encode(want, n, order)
				replace(x, y)
				replace([]byte(hex.EncodeToString(x)), []byte(hex.EncodeToString(y)))
			}
		}
		replace(decimalOf(is, bytes), decimalOf(want, bytes))
		replace(decimalOf(is, bytes), decimalOf(want+1, bytes))
		replace(decimalOf(is, bytes), decimalOf(want-1, bytes))
	}
}

// decimalOf writes a number of so many bytes, with a sign.
func decimalOf(n uint64, bytes int) []byte {
	shift := 64 - 8*bytes
	return strconv.AppendInt(nil, int64(n<<shift)>>shift, 10)
}

// stretched returns a text of length n: the beginning, or with its last byte again and again.
func stretched(b []byte, n int) []byte {
	if n <= len(b) {
		return slices.Clone(b[:n])
	}
	last := byte('a')
	if len(b) > 0 {
		last = b[len(b)-1]
	}
	return append(slices.Clone(b), bytes.Repeat([]byte{last}, n-len(b))...)
}
