package mutate

import (
	"encoding/binary"
	"strconv"

	"heddle/symbolic"
)

// words is a dictionary: texts and numbers that the program compares its input with, or has as
// constants.
type words struct {
	known   map[string]bool
	texts   []string
	numbers []uint64
	floats  []float64
	latest  int // where the next word goes when there are mostWords
}

// mostWords bounds each list; after that new words take the place of others.
const mostWords = 1 << 10

// add adds a word: a text, which may be a number too.
func (w *words) add(s string) {
	if s == "" || len(s) > symbolic.MostText/16 || w.known[s] {
		return
	}
	if w.known == nil || len(w.known) == 4*mostWords {
		w.known = map[string]bool{}
	}
	w.known[s] = true
	put(&w.texts, s, &w.latest)
	if n, err := strconv.ParseInt(s, 0, 64); err == nil {
		put(&w.numbers, uint64(n), &w.latest)
		put(&w.floats, float64(n), &w.latest)
	} else if n, err := strconv.ParseUint(s, 0, 64); err == nil {
		put(&w.numbers, n, &w.latest)
	} else if f, err := strconv.ParseFloat(s, 64); err == nil {
		put(&w.floats, f, &w.latest)
	}
}

func put[T any](list *[]T, x T, latest *int) {
	if len(*list) < mostWords {
		*list = append(*list, x)
		return
	}
	(*list)[*latest%mostWords] = x
	*latest++
}

// perFar is of how many words one is far from the target, if there are any.
const perFar = 16

// pick draws an item: half of the time of the first list, a quarter of each of the next two; of
// what was compared mostly what was last, as that led somewhere.
func pick[T any](m *Mutator, of func(*words) []T) (x T, ok bool) {
	first := [...]int{0, 0, 1, 2}[m.n(4)]
	if len(m.lists[3].texts) > 0 && m.n(perFar) == 0 {
		first = 3
	}
	for _, i := range [...]int{first, 0, 1, 2, 3} {
		list := of(&m.lists[i])
		if i == 2 && m.n(2) == 0 {
			list = list[len(list)-min(len(list), 16):]
		}
		if len(list) > 0 {
			return list[m.n(len(list))], true
		}
	}
	return x, false
}

func (m *Mutator) word() (string, bool) { return pick(m, func(w *words) []string { return w.texts }) }

func (m *Mutator) knownNumber() (uint64, bool) {
	return pick(m, func(w *words) []uint64 { return w.numbers })
}

func (m *Mutator) knownFloat() (float64, bool) {
	return pick(m, func(w *words) []float64 { return w.floats })
}

// addNumber adds a number, and the text that shows it.
func (w *words) addNumber(n uint64, size int) {
	signed := int64(n)
	switch size {
	case 1:
		signed = int64(int8(n))
	case 2:
		signed = int64(int16(n))
	case 4:
		signed = int64(int32(n))
	}
	w.add(strconv.FormatInt(signed, 10))
	if size > 1 && n > 0xffff {
		w.add(string(encode(n, size, binary.BigEndian)))
		w.add(string(encode(n, size, binary.LittleEndian)))
	}
}

// encode returns a number in so many bytes, at most 8, and decode the number that bytes are.
func encode(n uint64, size int, order binary.ByteOrder) []byte {
	b := make([]byte, 8)
	if order.PutUint64(b, n); order == binary.BigEndian {
		return b[8-size:]
	}
	return b[:size]
}

func decode(p []byte, order binary.ByteOrder) uint64 {
	b := make([]byte, 8)
	if order == binary.BigEndian {
		copy(b[8-len(p):], p)
	} else {
		copy(b, p)
	}
	return order.Uint64(b)
}
