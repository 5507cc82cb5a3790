package flow

import (
	"unsafe"

	"heddle/rt/hook"
	"heddle/trace"
)

// Conversions between texts and runes: of how many bytes a rune is made, and whether bytes are
// UTF-8, are branches.

// ToRunes is []rune(s): r.
func ToRunes[S ~[]E, E ~int32](r S, s *Val, at hook.Site) S {
	if !Exprs || !here() || s.l == 0 && !s.labelled() {
		return r
	}
	x := Runes{v: *s, s: at}
	rounds(Len(s.l), int64(s.v), at)
	r = HeapSlice(append(S(nil), r...))
	for i := range r {
		l, size := x.decode()
		memory.set(uintptr(unsafe.Pointer(&r[i])), 4, is(l, runeKind, uint64(uint32(r[i]))))
		x.at += size
	}
	return r
}

// OfRunes is string(s) of runes: r.
func OfRunes[T ~string](r T, s *Val, at hook.Site) T {
	if !Exprs || !here() || s.l == 0 && !Labelled(s.p, uintptr(s.v)*4) {
		return r
	}
	s.fix(at)
	var out []letter
	for i := range s.v {
		p := s.p + uintptr(i)*4
		c := *(*rune)(noescape(*(*unsafe.Pointer)(unsafe.Pointer(&p))))
		x := Val{k: runeKind, v: uint64(uint32(c))}
		x.l = is(memory.get(p, 4), runeKind, x.v)
		out = x.encoded(out, at)
	}
	return spelled(r, out)
}

// OfRune is string(x) of a number: r.
func OfRune[T ~string](r T, x *Val, at hook.Site, to *Slot) T {
	if to.l = 0; !Exprs {
		to.l = x.l
		return r
	}
	if x.l == 0 || !here() {
		return r
	}
	return spelled(r, x.encoded(nil, at))
}

// spelled returns letters as a string, which is r.
func spelled[T ~string](r T, ls []letter) T {
	same := len(ls) == len(r)
	for i, x := range ls {
		same = same && x.c == r[i]
	}
	if !same {
		lost()
		return r
	}
	return T(spell(ls))
}

// encoded appends the bytes of a rune.
func (v *Val) encoded(out []letter, at hook.Site) []letter {
	x := Val{l: Conv(v.l, word), k: word, v: v.k.Extend(v.v)} // negative ones are too great
	below := func(c uint64) bool {
		if x.l != 0 {
			once(Two1(trace.FlowLess, trace.Bool, &x, c, word), x.v < c, at)
		}
		return x.v < c
	}
	// of the byte of x from bit n on
	part := func(n, mask, high uint64) letter {
		b := x.does(trace.FlowShr, Val{k: word, v: n})
		b = b.does(trace.FlowAnd, Val{k: word, v: mask}).does(trace.FlowOr, Val{k: word, v: high})
		return letter{byte(b.v), Conv(b.l, 8)}
	}
	switch {
	case below(0x80):
		return append(out, part(0, 0x7f, 0))
	case below(0x800):
		return append(out, part(6, 0x1f, 0xc0), part(0, 0x3f, 0x80))
	case !below(0xd800) && below(0xe000), !below(0x110000):
		return append(out, letter{c: 0xef}, letter{c: 0xbf}, letter{c: 0xbd}) // U+FFFD
	case below(0x10000):
		return append(out, part(12, 0xf, 0xe0), part(6, 0x3f, 0x80), part(0, 0x3f, 0x80))
	}
	return append(out, part(18, 7, 0xf0), part(12, 0x3f, 0x80), part(6, 0x3f, 0x80), part(0, 0x3f, 0x80))
}
