package flow

import (
	"heddle/rt/hook"
	"heddle/trace"
)

// Texts whose letters are small or large, as one expression, where they are ASCII: that is a branch
// in package strings.

// Mapped is s with each byte replaced by its element of a table of 256. The labels are those of s
// and the table.
func Mapped(_ int, s, table string, l, _ Label, at hook.Site, to *Slot) string {
	b := make([]letter, len(s))
	for i := range len(s) {
		b[i].c = table[s[i]]
	}
	if to.l = 0; !Exprs || !here() {
		return spell(b)
	}
	var v Val
	Str(s, l, 0, &v, at)
	t := rows(bytesOf(table), uintptr(len(table)))
	for i := range b {
		b[i].l = element(v.byteAt(uint64(i)), t, uint64(s[i]))
	}
	if v.l == 0 || t == 0 {
		return spell(b)
	}
	base := F.Nodes[v.l].A
	if base != 0 && !v.mapped() {
		base = uint32(expr(trace.FlowNode{Op: trace.FlowMapped, A: base, B: uint32(t)}, 0))
	} else {
		base = 0
	}
	to.l = seq(Label(base), Len(v.l), v.v)
	return spell(b)
}

// element returns the label of element v of a table of 256 bytes, where v has the label l.
func element(l, table Label, v uint64) Label {
	if l = Conv(l, word); l == 0 || table == 0 {
		return 0
	}
	n := F.Nodes[table]
	for range v / 4 { // four bytes in a node
		n = F.Nodes[n.B]
	}
	return expr(trace.FlowNode{Op: trace.FlowTable, Kind: 8, A: uint32(l), B: uint32(table)},
		uint64(n.A>>(8*(v%4))&0xff))
}

// mostFolded is how long a text may be that another one is compared with without regard to case.
const mostFolded = 64

// Fold is 1 if s and t are equal but for the case of letters, and 0 if not, where one of them
// depends on no input and is ASCII, and the other is ASCII as far as the first one is long: that is
// a branch. Else it is NotSought.
func Fold(_ int, s, t string, ls, lt Label, at hook.Site, to *Slot) int {
	if to.l = 0; !Exprs || !here() {
		return NotSought
	}
	var v, w Val
	Str(s, ls, 0, &v, at)
	Str(t, lt, 0, &w, at)
	if v.l == 0 && !v.labelled() {
		v, w, t = w, v, s
	}
	if w.l != 0 || w.labelled() || v.l == 0 && !v.labelled() || len(t) > mostFolded || printing() {
		return NotSought
	}
	for i := range len(t) {
		if t[i] >= 0x80 {
			return NotSought
		}
	}
	if v.l != 0 && F.Nodes[v.l].A == 0 && w.v > v.v {
		v.fix(at) // what would stand there is not known
	}
	length, n := v.length(), Val{k: trace.Int, v: w.v}
	high, all := Val{k: trace.Bool}, conjunct{v: 1}
	all.and(two(trace.FlowEq, trace.Bool, &length, &n), truth(length.v == n.v))
	same := length.v == n.v
	for i := range w.v {
		if v.l == 0 && i >= v.v {
			break
		}
		b, ok := v.byteVal(i)
		if !ok {
			return NotSought
		}
		has := Val{l: Two2(trace.FlowLess, trace.Bool, i, trace.Int, &length), k: trace.Bool,
			v: truth(i < length.v)}
		above := Val{l: Two2(trace.FlowLess, trace.Bool, 0x7f, 8, &b), k: trace.Bool, v: truth(b.v > 0x7f)}
		high = high.does(trace.FlowOr, has.does(trace.FlowAnd, above))
		c := uint64(t[i])
		if low := c | 0x20; low >= 'a' && low <= 'z' {
			b, c = b.does(trace.FlowOr, Val{k: 8, v: 0x20}), low
		}
		same = same && b.v == c
		all.and(Two1(trace.FlowEq, trace.Bool, &b, c, 8), truth(b.v == c))
	}
	if once(high.l, high.v == 1, at); high.v == 1 {
		return NotSought
	}
	to.l = Conv(all.label(), trace.Int)
	return int(truth(same))
}
