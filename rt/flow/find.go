package flow

import (
	"unsafe"

	"heddle/rt/counters"
	"heddle/rt/hook"
	"heddle/trace"
)

// Where something is in a text, as one expression instead of a branch for every byte that is looked
// at (compare the summaries of loops over strings: Kapus, Ish-Shalom, Itzhaky, Rinetzky and Cadar,
// "Computing summaries of string loops in C", PLDI 2019). A text s[i:], where i is such an
// expression, is a FlowSeq on a FlowFrom: the labels of its bytes are those of the place where it
// begins, and those by address hold only as long as it begins where it does.

// inputs are copies of the inputs that are texts.
var inputs [][]byte

func keepInput(i int, p unsafe.Pointer, n int) {
	for len(inputs) <= i {
		inputs = append(inputs, nil)
	}
	inputs[i] = append(inputs[i][:0], unsafe.Slice((*byte)(p), n)...)
}

// A region is the part of an input that a text is: from off on, which has the label l.
type region struct {
	input uint32
	off   uint64
	l     Label
}

// region returns which part of an input a string is. ok is false if it is none, or one that ends
// beyond MostSought.
func (v *Val) region() (r region, ok bool) {
	if v.view() {
		n := F.Nodes[F.Nodes[v.l].A]
		r = region{n.A, values[n.B], Label(n.B)}
		return r, r.off+v.v <= trace.MostSought
	}
	switch {
	case !v.str:
		return r, false
	case v.l != 0:
		if F.Nodes[v.l].A == 0 {
			return r, false
		}
		n := F.Nodes[F.Nodes[v.l].A]
		if n.Op != trace.FlowBase || int32(n.B) < 0 {
			return r, false
		}
		r = region{input: n.A, off: uint64(n.B)}
	default:
		l := v.byteAt(0)
		if l == 0 || F.Nodes[l].Op != trace.FlowByte {
			return r, false
		}
		r = region{input: F.Nodes[l].A, off: uint64(F.Nodes[l].B)}
	}
	if int(r.input) >= len(inputs) || len(inputs[r.input]) > trace.MostSought ||
		r.off+v.v > uint64(len(inputs[r.input])) {
		return r, false
	}
	for i := range v.v {
		l := v.byteAt(i)
		if l == 0 {
			return r, false
		}
		n := F.Nodes[l]
		if n.Op != trace.FlowByte || n.A != r.input || uint64(n.B) != r.off+i {
			return r, false
		}
	}
	return r, true
}

// Few: whether an input is of at most trace.FewSought bytes is to be a branch.
var Few bool

// sought returns where what is sought in an input ends at most.
func sought(input int) trace.Num {
	if Few && input < len(inputs) && len(inputs[input]) <= trace.FewSought {
		return trace.FewSought
	}
	return trace.MostSought
}

// short tells how long the input is, as far as that decides where something is sought: branches.
func (r *region) short(at hook.Site) { short(r.input, at) }

func short(input uint32, at hook.Site) {
	n := uint64(len(inputs[input]))
	l := expr(trace.FlowNode{Op: trace.FlowLen, Kind: trace.Int, A: input}, n)
	length := Val{l: l, k: trace.Int, v: n}
	for _, most := range [...]uint64{trace.FewSought, trace.MostSought} {
		if most == trace.FewSought && !Few {
			continue
		}
		once(Two1(trace.FlowLess, trace.Bool, &length, most+1, trace.Int), n <= most, at)
		if n <= most {
			return
		}
	}
}

// long tells, of a text that is no region, that the input which it begins in is too long, if it is.
func (v *Val) long(at hook.Site) {
	if !v.str || v.v == 0 || printing() {
		return
	}
	if l := v.byteAt(0); l != 0 && F.Nodes[l].Op == trace.FlowByte && int(F.Nodes[l].A) < len(inputs) &&
		len(inputs[F.Nodes[l].A]) > trace.MostSought {
		short(F.Nodes[l].A, at)
	}
}

// view reports whether v is a text that begins where an expression says.
func (v *Val) view() bool {
	return Exprs && v.l != 0 && v.l != trace.Everything && F.Nodes[v.l].Op == trace.FlowSeq &&
		F.Nodes[v.l].A != 0 && F.Nodes[F.Nodes[v.l].A].Op == trace.FlowFrom
}

// mapped reports whether v is a text whose bytes are those of another one by a table.
func (v *Val) mapped() bool {
	return Exprs && v.l != 0 && v.l != trace.Everything && F.Nodes[v.l].Op == trace.FlowSeq &&
		F.Nodes[v.l].A != 0 && F.Nodes[F.Nodes[v.l].A].Op == trace.FlowMapped
}

// pick returns the label of byte i of a view, which may lie beyond its end.
func (v *Val) pick(i uint64) Label { return pick(F.Nodes[v.l].A, i) }

// pick returns the label of byte i of what a FlowFrom says.
func pick(from uint32, i uint64) Label {
	b := uint64(0)
	if in, at := inputs[F.Nodes[from].A], values[from]+i; at < uint64(len(in)) {
		b = uint64(in[at])
	}
	return expr(trace.FlowNode{Op: trace.FlowPick, Kind: 8, A: from, B: uint32(i)}, b)
}

// from returns the base of v[lo:], where lo has a label; ok is false if it is none that can be
// known.
func (v *Val) from(lo *Val, at hook.Site) (base Label, ok bool) {
	r, ok := v.region()
	l := Conv(lo.l, trace.Int)
	if !ok || l == 0 || printing() {
		return 0, false
	}
	r.short(at)
	off := lo.k.Extend(lo.v)
	if r.l != 0 || r.off != 0 {
		begin, more := Val{l: r.l, k: trace.Int, v: r.off}, Val{l: l, k: trace.Int, v: off}
		l = two(trace.FlowAdd, trace.Int, &begin, &more)
	}
	if l == 0 {
		return 0, false
	}
	return expr(trace.FlowNode{Op: trace.FlowFrom, Kind: sought(int(r.input)), A: r.input, B: uint32(l)},
		r.off+off), true
}

// unview pins where a view begins: its bytes have the labels by address then.
func (v *Val) unview(at hook.Site) {
	if v.view() {
		from := F.Nodes[F.Nodes[v.l].A]
		pin(Label(from.B), values[from.B], at)
	}
}

// labelsTo gives the bytes at p, a copy of v, their labels.
func (v *Val) labelsTo(p uintptr) {
	if !v.view() {
		memory.move(p, v.p, uintptr(v.v), 0)
		return
	}
	for i := range v.v {
		memory.set(p+uintptr(i), 1, v.byteAt(i))
	}
}

// The ways to find something: see trace.FlowFind.
const (
	findFirst = iota
	findLast
	findIn // a byte of a set
	findInLast
)

// NotSought is what Find returns where it has no expression: the caller is to look byte by byte.
const NotSought = -2

// mostNeedle is how long a text that is sought may be.
const mostNeedle = 32

// Find returns where what is in s, -1 for nowhere, and gives to its label. The labels of the two
// are l and lw. Where there are none it tells counters that the two were compared.
func Find(way int, s, what string, l, lw Label, at hook.Site, to *Slot) int {
	if to.l = 0; !Exprs || !here() {
		if way >= findIn {
			return NotSought
		}
		i := find(way, s, what)
		if i >= 0 {
			counters.Text(what, what, false, uint(at))
		} else {
			counters.Text(s[:min(len(s), len(what))], what, false, uint(at))
		}
		return i
	}
	var v, w Val
	Str(s, l, 0, &v, at)
	Str(what, lw, 0, &w, at)
	switch {
	case w.l != 0 || w.labelled():
		return NotSought
	case v.l == 0 && !v.labelled():
		return find(way, s, what)
	case len(what) == 0 || len(what) > mostNeedle || printing():
		return NotSought
	}
	r, ok := v.region()
	if !ok {
		v.long(at)
		return NotSought
	}
	r.short(at)
	length := v.length()
	if length.l == 0 {
		length.l = constant(length.v, trace.Int)
	}
	from := Label(0)
	if v.view() {
		from = Label(F.Nodes[v.l].A)
	} else {
		from = baseOf(int(r.input), int32(r.off))
	}
	chars := charsOf(what)
	if length.l == 0 || from == 0 || chars == 0 {
		return NotSought
	}
	i := find(way, s, what)
	to.l = expr(trace.FlowNode{Op: trace.FlowFind + trace.FlowOp(way), Kind: trace.Int,
		A: uint32(seq(from, length.l, v.v)), B: uint32(chars)}, uint64(int64(i)))
	return i
}

// FindByte is Find for a byte.
func FindByte(way int, s string, c byte, l, lc Label, at hook.Site, to *Slot) int {
	if to.l = 0; lc != 0 {
		return NotSought
	}
	return Find(way, s, string(unsafe.Slice(&c, 1)), l, 0, at, to)
}

func find(way int, s, what string) int {
	n := len(what)
	if way >= findIn {
		n = 1
	}
	for k := range len(s) - n + 1 {
		i := k
		if way == findLast || way == findInLast {
			i = len(s) - n - k
		}
		if way >= findIn && what[s[i]/8]>>(s[i]%8)&1 == 1 || way < findIn && s[i:i+n] == what {
			return i
		}
	}
	return -1
}

// charsOf returns the label of a constant text.
func charsOf(s string) (l Label) {
	for end := len(s); end > 0; {
		begin := (end - 1) &^ 3
		n, k := uint32(0), end-begin
		for i := range k {
			n |= uint32(s[begin+i]) << (8 * i)
		}
		l = expr(trace.FlowNode{Op: trace.FlowChars, Kind: trace.Num(k), A: n, B: uint32(l)}, uint64(n))
		if l == 0 {
			return 0
		}
		end = begin
	}
	return l
}

// Among reports whether r is one of the runes of set, and gives to the label of that. The labels of
// the two are ls and lr.
func Among(_ int, set string, r rune, ls, lr Label, at hook.Site, to *Slot) (is bool) {
	to.l = 0
	follow := Exprs && here()
	if follow && ls != 0 {
		Fixed(set, ls, at)
	}
	x, any := Val{}, Val{k: trace.Bool}
	if follow {
		x.set(uint64(r), lr, runeKind)
	}
	lo, hi := rune(0), rune(-1) // runes that follow each other
	add := func() {
		is = is || lo <= r && r <= hi
		if x.l != 0 && lo <= hi {
			any = x.orWithin(&any, lo, hi)
		}
	}
	for _, c := range set {
		if c != hi+1 {
			add()
			lo = c
		}
		hi = c
	}
	add()
	if x.l != 0 {
		to.l = any.l
	}
	return is
}

// orWithin is a || lo <= v && v <= hi, of a rune.
func (v *Val) orWithin(a *Val, lo, hi rune) Val {
	in := Val{l: Two1(trace.FlowEq, trace.Bool, v, uint64(lo), runeKind), k: trace.Bool,
		v: truth(rune(v.v) == lo)}
	if lo != hi {
		u := Val{l: Conv(v.l, 32), k: 32, v: v.v}
		u = u.does(trace.FlowSub, Val{k: 32, v: uint64(uint32(lo))})
		in = Val{l: Two1(trace.FlowLess, trace.Bool, &u, uint64(hi-lo)+1, 32), k: trace.Bool,
			v: truth(u.v < uint64(hi-lo)+1)}
	}
	if a.l == 0 {
		return in
	}
	return Val{l: two(trace.FlowOr, trace.Bool, a, &in), k: trace.Bool, v: a.v | in.v}
}
