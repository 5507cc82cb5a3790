package flow

import (
	"unsafe"

	"heddle/rt/hook"
	"heddle/trace"
)

// Strings and slices where labels are expressions: the label of one is a
// FlowSeq or 0, its bytes have labels by address.

// maxCompared is how many bytes of a string a comparison follows; of longer ones it is lost.
const maxCompared = 1 << 10

func bytesOf[T ~string](s T) uintptr { return uintptr(unsafe.Pointer(unsafe.StringData(string(s)))) }

// Input returns the label of input i of the test, a number of the type k with the value v.
func Input(i int, k trace.Num, v uint64) Label {
	return expr(trace.FlowNode{Op: trace.FlowInput, Kind: k, A: uint32(i)}, k.Mask(v))
}

// InputText gives the bytes of input i, a string or []byte at p, their labels and returns that of
// the whole.
func InputText(i int, p unsafe.Pointer, n int) Label {
	keepInput(i, p, n)
	for k := range n {
		at := unsafe.Add(p, k)
		memory.set(uintptr(at), 1, expr(trace.FlowNode{Op: trace.FlowByte, Kind: 8, A: uint32(i),
			B: uint32(k)}, uint64(*(*byte)(at))))
	}
	length := expr(trace.FlowNode{Op: trace.FlowLen, Kind: trace.Int, A: uint32(i)}, uint64(n))
	return seq(baseOf(i, 0), length, uint64(n))
}

func baseOf(input int, off int32) Label {
	return expr(trace.FlowNode{Op: trace.FlowBase, Kind: sought(input), A: uint32(input), B: uint32(off)}, 0)
}

// seq returns the label of a string or slice of n elements.
func seq(base, length Label, n uint64) Label {
	if length == 0 {
		return 0 // as long for all inputs
	}
	return expr(trace.FlowNode{Op: trace.FlowSeq, A: uint32(base), B: uint32(length)}, n)
}

// Len returns the label of the length of what has the label l.
func Len(l Label) Label {
	switch {
	case !Exprs:
		return l
	case l == 0 || l == trace.Everything || F.Nodes[l].Op != trace.FlowSeq:
		return 0
	}
	return Label(F.Nodes[l].B)
}

// Str keeps a string with the label l and returns it. least, if not 0, is how long it has to be for
// what is done with it: a branch.
func Str[T ~string](s T, l Label, least int, to *Val, at hook.Site) T {
	to.p, to.str = bytesOf(s), true
	to.text(len(s), l, least, at)
	return s
}

// Slc is Str for a slice.
func Slc[S ~[]E, E any](s S, l Label, least int, to *Val, at hook.Site) S {
	to.p, to.str = uintptr(unsafe.Pointer(unsafe.SliceData(s))), false
	to.text(len(s), l, least, at)
	return s
}

func (to *Val) text(n int, l Label, least int, at hook.Site) {
	to.l, to.k, to.v = l, 0, uint64(n)
	if !Exprs {
		return
	}
	if l != 0 && (l == trace.Everything || F.Nodes[l].Op != trace.FlowSeq || values[l] != uint64(n)) {
		to.l = lost()
	}
	if least > 0 && to.l != 0 && here() {
		length := to.length()
		outside(n < least)
		once(Two1(trace.FlowLess, trace.Bool, &length, uint64(least), trace.Int), n < least, at)
	}
}

// length returns the operand that the length of the string or slice is.
func (v *Val) length() Val { return Val{l: Len(v.l), k: trace.Int, v: v.v} }

// Index keeps an index into of, and tells whether it is within: a branch. What is
// found there is known for this index alone, so that it is this one is a branch too.
func Index[T integer](i T, l Label, k trace.Num, of, to *Val, at hook.Site) T {
	to.set(uint64(i), l, k)
	if length := of.length(); (to.l != 0 || length.l != 0) && Exprs && here() {
		if to.l != 0 && of.table() {
			to.less(&length, at)
		} else {
			to.within(&length, at)
		}
	}
	return i
}

// IndexN is Index for an array of n elements.
func IndexN[T integer](i T, l Label, k trace.Num, n uint64, to *Val, at hook.Site) T {
	to.set(uint64(i), l, k)
	if to.l != 0 && Exprs && here() {
		to.within(&Val{k: trace.Int, v: n}, at)
	}
	return i
}

// table reports whether the bytes of v are constants, so that one of them is an expression of its
// index.
func (v *Val) table() bool {
	return v.str && v.l == 0 && v.v > 0 && v.v <= mostRows && !v.labelled()
}

// mostRuns is of how many runs of equal elements a table may be made for an index to be one of
// those.
const mostRuns = 64

// Rows is IndexN for a table, which is not written to: what is found there is known for all indices
// with an equal element.
func Rows[T integer, E comparable](i T, l Label, k trace.Num, table []E, to *Val, at hook.Site) T {
	to.set(uint64(i), l, k)
	if to.l == 0 || !Exprs || !here() || !to.less(&Val{k: trace.Int, v: uint64(len(table))}, at) {
		return i
	}
	is := table[to.v]
	x := Val{l: Conv(to.l, word), k: word, v: to.v}
	one, runs, rest := Val{k: trace.Bool}, 0, false
	for lo := 0; lo < len(table); {
		hi := lo
		for hi < len(table) && table[hi] == table[lo] {
			hi++
		}
		if table[lo] != is {
			rest = true
		} else if runs++; runs <= mostRuns {
			one = x.orBetween(&one, uint64(lo), uint64(hi))
		}
		lo = hi
	}
	switch {
	case runs > mostRuns:
		pin(to.l, to.v, at)
	case rest && one.l != 0 && !printing() && !asked(one.l):
		Branched(trace.Pinned, one.l, at)
	}
	return i
}

// orBetween is a || lo <= v && v < hi, where v has no sign.
func (v *Val) orBetween(a *Val, lo, hi uint64) Val {
	low := Val{l: Two1(trace.FlowSub, word, v, lo, word), k: word, v: v.v - lo}
	in := Val{l: Two1(trace.FlowLess, trace.Bool, &low, hi-lo, word), k: trace.Bool, v: truth(low.v < hi-lo)}
	if a.l == 0 && a.v == 0 {
		return in
	}
	return Val{l: two(trace.FlowOr, trace.Bool, a, &in), k: trace.Bool, v: a.v | in.v}
}

// word is the type uint64: without a sign negative numbers are too great.
const word = trace.Num(64)

// within tells whether v is less than length, and pins it if it is.
func (v *Val) within(length *Val, at hook.Site) bool {
	ok := v.less(length, at)
	if ok {
		pin(v.l, v.v, at)
	}
	return ok
}

// less tells whether v, an index, is less than length: a branch.
func (v *Val) less(length *Val, at hook.Site) bool {
	x := Val{l: Conv(v.l, word), k: word, v: v.k.Extend(v.v)}
	n := Val{l: Conv(length.l, word), k: word, v: length.v}
	ok := x.v < n.v
	outside(!ok)
	once(two(trace.FlowLess, trace.Bool, &x, &n), ok, at)
	return ok
}

// outside notes whether an index or a bound is out of range: the message of the panic has its
// value.
func outside(is bool) {
	if is {
		Running().outside = true
	}
}

// Bound keeps a bound of s[lo:hi], which lies between from (nil: 0) and the length of of.
func Bound[T integer](i T, l Label, k trace.Num, of, from, to *Val, at hook.Site) T {
	to.set(uint64(i), l, k)
	if !Exprs || !here() {
		return i
	}
	x := Val{l: Conv(to.l, word), k: word, v: to.k.Extend(to.v)}
	if length := of.length(); x.l != 0 || length.l != 0 {
		n := Val{l: Conv(length.l, word), k: word, v: length.v}
		outside(n.v < x.v)
		once(two(trace.FlowLess, trace.Bool, &n, &x), n.v < x.v, at)
	}
	if from != nil && (x.l != 0 || from.l != 0) {
		y := Val{l: Conv(from.l, word), k: word, v: from.k.Extend(from.v)}
		outside(x.v < y.v)
		once(two(trace.FlowLess, trace.Bool, &x, &y), x.v < y.v, at)
	}
	return i
}

// Cut returns the label of s[lo:hi]. lo and hi are nil where the bound is a constant: low and high,
// -1 for none.
func Cut(s, lo, hi *Val, low, high int64, at hook.Site) Label {
	if !Exprs {
		l := s.l
		if lo != nil {
			l = U(l, lo.l)
		}
		if hi != nil {
			l = U(l, hi.l)
		}
		return l
	}
	if lo == nil {
		lo = &Val{k: trace.Int, v: uint64(max(0, low))}
	}
	base, known := Label(0), false
	if lo.l != 0 {
		if base, known = s.from(lo, at); !known {
			pin(lo.l, lo.v, at) // where it begins
			s.unview(at)
		}
	}
	end := s.length()
	switch {
	case hi != nil:
		end = Val{l: Conv(hi.l, trace.Int), k: trace.Int, v: hi.k.Extend(hi.v)}
	case high >= 0:
		end = Val{k: trace.Int, v: uint64(high)}
	}
	from := lo.k.Extend(lo.v)
	if known { // a view
		start := Val{l: Conv(lo.l, trace.Int), k: trace.Int, v: from}
		return view(base, two(trace.FlowSub, trace.Int, &end, &start), end.v-from)
	}
	length := end.l
	if from != 0 && length != 0 {
		length = Two1(trace.FlowSub, trace.Int, &end, from, trace.Int)
	}
	if s.view() && lo.l == 0 {
		base := Label(F.Nodes[s.l].A)
		if n := F.Nodes[base]; from != 0 {
			off := Val{l: Label(n.B), k: trace.Int, v: values[n.B]}
			base = expr(trace.FlowNode{Op: trace.FlowFrom, Kind: n.Kind, A: n.A,
				B: uint32(Two1(trace.FlowAdd, trace.Int, &off, from, trace.Int))}, off.v+from)
		}
		return view(base, length, end.v-from)
	}
	if end.l == 0 {
		return 0
	}
	if s.l != 0 && F.Nodes[s.l].A != 0 && !s.view() && !s.mapped() {
		n := F.Nodes[F.Nodes[s.l].A]
		base = baseOf(int(n.A), int32(n.B)+int32(from))
	}
	return seq(base, length, end.v-from)
}

// view returns the label of a text of n bytes on a FlowFrom.
func view(from, length Label, n uint64) Label {
	if from == 0 {
		return 0
	}
	return expr(trace.FlowNode{Op: trace.FlowSeq, A: uint32(from), B: uint32(length)}, n)
}

// ByteAt returns the label of s[i]; ByteOf that of s[c], c a constant.
func ByteAt(s, i *Val) Label {
	if !Exprs {
		return U(s.l, i.l)
	}
	if i.l != 0 && s.table() && here() {
		return i.element(s.p, s.v, 8, 0)
	}
	return s.byteAt(i.k.Extend(i.v))
}

// ByteOf returns the label of s[c], c a constant.
func ByteOf(s *Val, c uint64) Label {
	if !Exprs {
		return s.l
	}
	return s.byteAt(c)
}

// byteAt returns the label of byte i of a string.
func (v *Val) byteAt(i uint64) Label {
	if i >= v.v || memory.n == 0 {
		return 0
	}
	p := v.p + uintptr(i)
	if v.view() {
		return is(v.pick(i), 8, uint64(peek(p)))
	}
	l := memory.get(p, 1)
	if l == 0 {
		return 0
	}
	return is(l, 8, uint64(peek(p)))
}

// Elems returns the label of the n bytes that a slice begins with.
func Elems(s *Val, n uintptr) Label {
	if !Exprs {
		return s.l
	}
	if !here() || n == 0 {
		return 0
	}
	if s.view() {
		return lost()
	}
	return memory.get(s.p, n)
}

func peek(p uintptr) byte { return *(*byte)(noescape(*(*unsafe.Pointer)(unsafe.Pointer(&p)))) }

// byteVal returns byte i as an operand. It may lie beyond the end: then it is that of the input, if
// the string can grow with it.
func (v *Val) byteVal(i uint64) (x Val, ok bool) {
	if i < v.v {
		return Val{l: v.byteAt(i), k: 8, v: uint64(peek(v.p + uintptr(i)))}, true
	}
	if v.l == 0 || F.Nodes[v.l].A == 0 {
		return Val{}, false
	}
	base := F.Nodes[v.l].A
	if v.mapped() {
		m := F.Nodes[base]
		x, ok := beyond1(m.A, i)
		l := element(x.l, Label(m.B), x.v)
		return Val{l: l, k: 8, v: values[l]}, ok && l != 0
	}
	return beyond1(base, i)
}

// beyond1 returns byte i of a text with that base, which lies beyond its end.
func beyond1(base uint32, i uint64) (x Val, ok bool) {
	n := F.Nodes[base]
	if n.Op == trace.FlowFrom {
		l := pick(base, i)
		return Val{l: l, k: 8, v: values[l]}, l != 0
	}
	off := int64(int32(n.B)) + int64(i)
	if off < 0 {
		return Val{}, false
	}
	return Val{l: expr(trace.FlowNode{Op: trace.FlowByte, Kind: 8, A: n.A, B: uint32(off)}, 0), k: 8}, true
}

// fix pins the length of a string.
func (v *Val) fix(at hook.Site) {
	v.unview(at)
	pin(Len(v.l), v.v, at)
	v.l = 0
}

// Fixed is a string or slice with the label l whose length goes where it is not followed: for other
// inputs it may be another one, which is a branch.
func Fixed[T any](v T, l Label, at hook.Site) T {
	if Exprs && l != 0 && l != trace.Everything && here() {
		w := Val{l: l, v: values[l]}
		w.fix(at)
	}
	return v
}

// Texts returns the label of s op t, of == and <.
func Texts(op trace.FlowOp, s, t *Val, at hook.Site) Label {
	if !Exprs {
		return U(s.l, t.l)
	}
	if !here() || s.l == 0 && t.l == 0 && !s.labelled() && !t.labelled() {
		return 0
	}
	if op == trace.FlowLess {
		return lessText(s, t, at)
	}
	if s.l == 0 {
		s, t = t, s
	}
	if t.l != 0 { // two that can grow
		t.fix(at)
	}
	if s.l != 0 && F.Nodes[s.l].A == 0 && t.v > s.v {
		s.fix(at) // what would stand there is not known
	}
	if s.l == 0 && s.v != t.v {
		return 0
	}
	if t.v > maxCompared {
		return lost()
	}
	length, n := s.length(), Val{k: trace.Int, v: t.v}
	all := conjunct{v: 1}
	all.and(two(trace.FlowEq, trace.Bool, &length, &n), truth(length.v == n.v))
	for i := uint64(0); i < t.v; i++ {
		if l, v, n, ok := s.number(t, i); ok {
			all.and(l, v)
			i += n - 1
			continue
		}
		x, ok := s.byteVal(i)
		y, _ := t.byteVal(i)
		if !ok {
			return lost()
		}
		all.and(two(trace.FlowEq, trace.Bool, &x, &y), truth(x.v == y.v))
	}
	return all.label()
}

// labelled reports whether any byte of the string has a label.
func (v *Val) labelled() bool {
	if memory.n == 0 {
		return false
	}
	if v.view() {
		return v.v > 0
	}
	return Labelled(v.p, uintptr(v.v))
}

// A conjunct is a condition made of several.
type conjunct struct {
	l    Label
	v    uint64
	fail bool // one of them is false for all inputs
}

func (c *conjunct) and(l Label, v uint64) {
	switch {
	case l == 0 && v == 0:
		c.fail = true
	case l == 0:
	case c.l == 0:
		c.l, c.v = l, v
	default:
		x, y := Val{l: c.l, k: trace.Bool, v: c.v}, Val{l: l, k: trace.Bool, v: v}
		c.l, c.v = two(trace.FlowAnd, trace.Bool, &x, &y), c.v&v
	}
}

func (c *conjunct) label() Label {
	if c.fail {
		return 0
	}
	return c.l
}

// lessText is s < t for strings of these lengths, byte by byte from the end.
func lessText(s, t *Val, at hook.Site) Label {
	s.fix(at)
	t.fix(at)
	n := min(s.v, t.v)
	if n > maxCompared {
		return lost()
	}
	less := Val{k: trace.Bool, v: truth(s.v < t.v)}
	for i := int64(n) - 1; i >= 0; i-- { // x < y || x == y && less
		x, _ := s.byteVal(uint64(i))
		y, _ := t.byteVal(uint64(i))
		below := Val{l: two(trace.FlowLess, trace.Bool, &x, &y), k: trace.Bool, v: truth(x.v < y.v)}
		same := Val{l: two(trace.FlowEq, trace.Bool, &x, &y), k: trace.Bool, v: truth(x.v == y.v)}
		rest := Val{l: two(trace.FlowAnd, trace.Bool, &same, &less), k: trace.Bool, v: same.v & less.v}
		less = Val{l: two(trace.FlowOr, trace.Bool, &below, &rest), k: trace.Bool, v: below.v | rest.v}
	}
	return less.l
}

// Const is a constant string as an operand.
func Const(s string) *Val {
	return &Val{p: bytesOf(s), v: uint64(len(s)), str: true}
}

// SwitchText is Switch for a string.
func SwitchText[T ~string](x T, l Label, at hook.Site, cases ...string) T {
	if !Exprs || !here() {
		return x
	}
	for _, c := range cases {
		var v Val
		Str(x, l, 0, &v, at)
		condition(string(x) == c, Texts(trace.FlowEq, &v, Const(c), at), at)
		if string(x) == c {
			break
		}
	}
	return x
}

// Cat is a + b, which is r.
func Cat[T ~string](r T, a, b *Val, at hook.Site, to *Slot) T {
	if !Exprs {
		to.l = U(a.l, b.l)
		return r
	}
	to.l = 0
	if !here() || a.l == 0 && b.l == 0 && !a.labelled() && !b.labelled() {
		return r
	}
	if a.l != 0 && b.v > 0 || a.l != 0 && b.l != 0 {
		a.fix(at) // or b would stand elsewhere
	}
	r = T(fresh(string(r)))
	p := bytesOf(r)
	a.labelsTo(p)
	b.labelsTo(p + uintptr(a.v))
	switch {
	case a.l != 0:
		if to.l = a.l; a.view() {
			to.l = seq(0, Len(a.l), a.v)
		}
	case b.l != 0:
		to.l = b.behind(a.v)
	}
	return r
}

// fresh returns s in memory of its own on the heap: gc uses the stack again.
func fresh(s string) string {
	if len(s) == 0 {
		return s
	}
	b := make([]byte, len(s))
	copy(b, s)
	Kept = b
	return unsafe.String(&b[0], len(b))
}

// Kept makes what it holds escape, and is never looked at.
var Kept []byte

// ToText is string(b), or a conversion between strings: r.
func ToText[T ~string](r T, b *Val, to *Slot) T {
	to.l = b.l
	if !Exprs || !here() || b.l == 0 && !b.labelled() || uint64(len(r)) != b.v {
		return r
	}
	r = T(fresh(string(r)))
	if b.labelsTo(bytesOf(r)); b.view() {
		to.l = seq(0, Len(b.l), b.v)
	}
	return r
}

// ToBytes is []byte(s): r.
func ToBytes[S ~[]byte](r S, s *Val, to *Slot) S {
	to.l = s.l
	if !Exprs || !here() || s.l == 0 && !s.labelled() || uint64(len(r)) != s.v || len(r) == 0 {
		return r
	}
	b := make(S, len(r))
	copy(b, r)
	Kept = b
	if s.labelsTo(uintptr(unsafe.Pointer(&b[0]))); s.view() {
		to.l = seq(0, Len(s.l), s.v)
	}
	return b
}

// A Runes follows a range over a string.
type Runes struct {
	v  Val
	at int
	s  hook.Site
}

// Range begins one over s: how long s is, is a branch.
func Range[T ~string](s T, l Label, to *Runes, at hook.Site) T {
	Str(s, l, 0, &to.v, at)
	to.at, to.s = 0, at
	if Exprs {
		rounds(Len(to.v.l), int64(to.v.v), at)
	}
	return s
}

// Next returns the label of the rune that comes next. Of how many bytes it is made, and whether
// they are UTF-8, are branches.
func (x *Runes) Next(rune) Label {
	if !Exprs {
		return x.v.l
	}
	if !here() || uint64(x.at) >= x.v.v {
		return 0
	}
	l, size := x.decode()
	x.at += size
	return l
}

// runeKind is the type rune.
var runeKind = trace.NumOf(32, true)

// decode returns the label of the rune at x.at, and its size. As utf8.DecodeRune has it: what is no
// UTF-8 is the rune 0xfffd, and one byte long.
func (x *Runes) decode() (l Label, size int) {
	b, _ := x.v.byteVal(uint64(x.at))
	size = 4
	switch {
	case x.below(&b, 0x80):
		return Conv(b.l, runeKind), 1
	case x.below(&b, 0xc2):
		return 0, 1
	case x.below(&b, 0xe0):
		size = 2
	case x.below(&b, 0xf0):
		size = 3
	case !x.below(&b, 0xf5):
		return 0, 1
	}
	if uint64(x.at+size) > x.v.v { // how long the string is, is a branch of its own
		return 0, 1
	}
	least, most := x.second(&b, size)
	r := part6(&b, 1<<(7-size)-1)
	for i := 1; i < size; i++ {
		c, _ := x.v.byteVal(uint64(x.at + i))
		if x.below(&c, least) || !x.below(&c, most+1) {
			return 0, 1
		}
		low := part6(&c, 0x3f)
		high := Val{l: Two1(trace.FlowShl, runeKind, &r, 6, 64), k: runeKind, v: r.v << 6}
		r = Val{l: two(trace.FlowOr, runeKind, &high, &low), k: runeKind, v: high.v | low.v}
		least, most = 0x80, 0xbf
	}
	return r.l, size
}

// second returns between what the second byte of a rune must be: longer forms than needed,
// surrogates and what is beyond the last rune are no UTF-8.
func (x *Runes) second(b *Val, size int) (least, most uint64) {
	least, most = 0x80, 0xbf
	switch {
	case size == 3 && x.equals(b, 0xe0):
		least = 0xa0
	case size == 3 && x.equals(b, 0xed):
		most = 0x9f
	case size == 4 && x.equals(b, 0xf0):
		least = 0x90
	case size == 4 && x.equals(b, 0xf4):
		most = 0x8f
	}
	return least, most
}

// below and equals ask a byte: a branch.
func (x *Runes) below(b *Val, c uint64) bool  { return x.ask(trace.FlowLess, b, c, b.v < c) }
func (x *Runes) equals(b *Val, c uint64) bool { return x.ask(trace.FlowEq, b, c, b.v == c) }

func (x *Runes) ask(op trace.FlowOp, b *Val, c uint64, outcome bool) bool {
	if b.l != 0 {
		once(Two1(op, trace.Bool, b, c, 8), outcome, x.s)
	}
	return outcome
}

// part6 is the part of a rune that a byte has.
func part6(b *Val, mask uint64) Val {
	x := Val{l: Conv(b.l, runeKind), k: runeKind, v: b.v}
	return Val{l: Two1(trace.FlowAnd, runeKind, &x, mask, runeKind), k: runeKind, v: b.v & mask}
}
