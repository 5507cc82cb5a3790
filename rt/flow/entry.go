package flow

import (
	"heddle/rt/hook"
	"heddle/trace"
)

// Maps where labels are expressions: the value of every key has a label of its
// own, and which key is looked for is known by which of those that are there it is.

// An Entry is a key of a map, about to be used.
type Entry struct {
	m    uintptr
	nums []uint64 // the keys that are there, where they are few
	text []string
	num  uint64
	str  string
	is   uint8 // 1: num, 2: str
	many bool  // there are more than are asked about
	open bool  // it depends on inputs which key it is, if none of those that are there
}

type entryKey struct {
	m   uintptr
	num uint64
	str string
}

// entries are the labels of values.
var entries = map[entryKey]Label{}

// mostKeys is of how many keys it is asked whether one of them is looked for.
const mostKeys = 32

// InMap keeps the map m and returns it.
func InMap[M ~map[K]V, K comparable, V any](m M, to *Entry) M {
	to.is, to.nums, to.text, to.open = 0, to.nums[:0], to.text[:0], false
	to.many = len(m) > mostKeys
	if !Exprs || !here() {
		return m
	}
	to.m = uintptr(mapptr(&m))
	if to.many {
		return m
	}
	for k := range m {
		switch k := any(k).(type) {
		case int:
			to.nums = append(to.nums, uint64(k))
		case int32:
			to.nums = append(to.nums, uint64(uint32(k)))
		case int64:
			to.nums = append(to.nums, uint64(k))
		case uint8:
			to.nums = append(to.nums, uint64(k))
		case uint32:
			to.nums = append(to.nums, uint64(k))
		case uint64:
			to.nums = append(to.nums, k)
		case string:
			to.text = append(to.text, k)
		}
	}
	sortNums(to.nums) // maps have no order, executions must
	sortTexts(to.text)
	return m
}

func sortNums(a []uint64) {
	for i := range a {
		for k := i; k > 0 && a[k] < a[k-1]; k-- {
			a[k], a[k-1] = a[k-1], a[k]
		}
	}
}

func sortTexts(a []string) {
	for i := range a {
		for k := i; k > 0 && a[k] < a[k-1]; k-- {
			a[k], a[k-1] = a[k-1], a[k]
		}
	}
}

// AtNum and AtText are for keys that are constants, KeyNum and KeyText for others, with the label
// l.
func AtNum[M any](m M, k uint64, to *Entry) M {
	to.num, to.is = k, 1
	return m
}

// AtText is AtNum for a text.
func AtText[M any](m M, k string, to *Entry) M {
	to.str, to.is = k, 2
	return m
}

// KeyNum notes the key x with the label l.
func KeyNum[T integer](x T, l Label, k trace.Num, to *Entry, s hook.Site) T {
	to.num, to.is = k.Mask(uint64(x)), 1
	if l == 0 || !Exprs || !here() {
		return x
	}
	var v Val
	v.set(uint64(x), l, k)
	for _, c := range to.nums {
		once(Two1(trace.FlowEq, trace.Bool, &v, c, k), v.v == k.Mask(c), s)
		if v.v == k.Mask(c) {
			return x
		}
	}
	if len(to.nums) == 0 {
		pin(v.l, v.v, s)
		return x
	}
	to.open = v.l != 0
	return x
}

// KeyText is KeyNum for a text.
func KeyText[T ~string](x T, l Label, to *Entry, s hook.Site) T {
	to.str, to.is = string(x), 2
	if !Exprs || !here() {
		return x
	}
	var v Val
	Str(x, l, 0, &v, s)
	for _, c := range to.text {
		w := v
		condition(string(x) == c, Texts(trace.FlowEq, &w, Const(c), s), s)
		if string(x) == c {
			return x
		}
	}
	if l == 0 {
		l = memory.get(bytesOf(x), uintptr(len(x)))
	}
	if to.open = l != 0; to.many {
		Lost(l, s)
	}
	return x
}

func (e *Entry) key() entryKey {
	return entryKey{e.m, e.num * uint64(e.is&1), e.str[:len(e.str)*int(e.is>>1)]}
}

// Get returns the label of the value, Set sets it.
func (e *Entry) Get() Label {
	if !Exprs || e.is == 0 || len(entries) == 0 || !here() {
		return 0
	}
	return entries[e.key()]
}

// Set sets the label of the value.
func (e *Entry) Set(l Label) {
	if !Exprs || e.is == 0 || !here() {
		return
	}
	if e.open {
		lost() // the map has this key for some inputs and another for others
	}
	if l != 0 {
		entries[e.key()] = l
	} else if len(entries) > 0 {
		delete(entries, e.key())
	}
}
