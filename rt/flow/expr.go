package flow

import (
	"runtime"
	"unsafe"

	"heddle/rt/hook"
	"heddle/trace"
)

// Expressions over inputs. In a build for them (instrument.Mode.Exprs) operators
// keep the labels and the values of their operands in a Val each, and the label
// of the result is the node of an expression (trace.FlowAdd, ...):
//
//	y := x + 1           y := _hf.Num(x, _hl1, 0xc0, &_hv1) + 1
//	                     _hl2 = _hf.Two1(trace.FlowAdd, 0xc0, &_hv1, 1, 0xc0)
//	if s[i] == 'x' {     if _hf.B(_hf.Num(
//	                             _hf.Str(s, _hl3, 0, &_hv1, S)[_hf.Index(i, _hl4, 0xc0, &_hv1, &_hv2, S)],
//	                             _hf.ByteAt(&_hv1, &_hv2), 8, &_hv3) == 'x', ..., S) {
//
// A label is 0 where the value is the same for all inputs, or is no longer
// followed. Every node has the value that it has in this execution beside it,
// and the user of a label compares: what code that is not rewritten wrote over
// loses its label, and is never taken for what was there before.
//
// A string or slice has a FlowSeq where its length depends on inputs, and where it
// can grow with an input; its bytes have labels in the shadow, by address.

// Exprs is true while an execution runs that records expressions instead of sets of reads.
var Exprs bool

// values are those that the nodes of F have in this execution, by label.
var values []uint64

// A part is the label of some bytes of a struct or array.
type part struct {
	off, n uintptr
	l      Label
}

// structs are the parts of FlowParts, which have the index in A.
var structs [][]part

// Where values were lost, by site, as far as it is known.
var LostAt map[hook.Site]int

// folded remembers expressions, so that what is computed again is no new node.
var folded [4096]struct {
	n trace.FlowNode
	l Label
}

func resetExprs() {
	values = append(values[:0], 0)
	structs = structs[:0]
	clear(LostAt)
	sent, pending = false, question{}
	clear(folded[:])
	pinned = pinned[:0]
	clear(entries)
	clear(keyed)
	clear(digitOf)
	clear(tableOf)
	clear(held)
	inputs = inputs[:0]
}

// expr returns the label of an expression, whose value is v.
func expr(n trace.FlowNode, v uint64) Label {
	h := (uint32(n.Op)<<8 | uint32(n.Kind)) * 0xc2b2ae35
	m := &folded[(h^n.A*0x9e3779b1^n.B*0x85ebca6b)>>20]
	if m.l != 0 && m.n == n {
		return m.l
	}
	if F.Full {
		return 0 // it was noted where that began
	}
	if full(nodeSize + 8) {
		return lost()
	}
	F.Nodes, values = append(F.Nodes, n), append(values, v)
	m.n, m.l = n, Label(len(F.Nodes)-1)
	return m.l
}

// lost is the label of a value that is not followed any further. Where is told by the place of the
// program that is at work.
func lost() Label {
	if !printing() {
		noteLost(userSite())
	}
	return 0
}

// noteLost counts a value that is not followed any further from s on.
func noteLost(s hook.Site) {
	if LostAt == nil {
		LostAt = map[hook.Site]int{}
	}
	LostAt[s]++
	F.Foreign++
}

// userSite returns the place of the innermost function that is neither heddle's nor below it.
func userSite() hook.Site {
	var pcs [16]uintptr
	const kindPC = 15 << 59 // as trace.PCSite has it
	for _, pc := range pcs[:runtime.Callers(2, pcs[:])] {
		f := runtime.FuncForPC(pc - 1)
		if f == nil {
			continue
		}
		if name := f.Name(); !under(name, "heddlert/") && !under(name, "heddle/rt/") {
			return hook.Site(pc)&(1<<48-1) | kindPC
		}
	}
	return 0
}

func under(s, prefix string) bool { return len(s) >= len(prefix) && s[:len(prefix)] == prefix }

// drop is lost for a value with the label l.
func drop(l Label) Label {
	if l != 0 {
		return lost()
	}
	return 0
}

// Lost is drop, and notes where.
func Lost(l Label, s hook.Site) Label {
	if !Exprs {
		return l
	}
	if l != 0 && here() && !printing() {
		noteLost(s)
	}
	return 0
}

// Vanish returns x, which goes where it is not followed: the second argument, evaluated after it,
// says so.
func Vanish[T any](x T, _ Label) T { return x }

// Panics notes that the running goroutine panics with x, which has the label l.
func Panics(x any, l Label) any {
	if Exprs && here() {
		g := Running()
		g.panics = append(g.panics, panicking{x, l})
	}
	return x
}

// A panicking is what a goroutine panicked with.
type panicking struct {
	x any
	l Label
}

// Recovered returns x, which recover has returned, and gives to the label of what was panicked
// with. A panic of the runtime, or of code that is not rewritten, has another value: what a panic
// before it had stays with that.
func Recovered(x any, to *Slot, s hook.Site) any {
	if to.l = 0; !Exprs || !here() || x == nil {
		return x
	}
	g := Running()
	for i := len(g.panics) - 1; i >= 0; i-- {
		p := g.panics[i]
		if identical(p.x, x) {
			to.l, g.panics, g.outside = p.l, g.panics[:i], false
			return x
		}
	}
	if g.outside {
		g.outside = false
		noteLost(s) // what the message says of the index
	}
	if len(g.panics) > 0 { // it is not known which value this one was made of
		for _, p := range g.panics {
			Lost(p.l, s)
		}
	}
	return x
}

// identical reports whether two values are in the same memory.
func identical(x, y any) bool {
	return *(*[2]uintptr)(unsafe.Pointer(&x)) == *(*[2]uintptr)(unsafe.Pointer(&y))
}

// Any returns one of two labels that is not 0, if there is one: of what both go into, where that is
// not followed.
func Any(a, b Label) Label {
	if !Exprs {
		return U(a, b)
	}
	if a != 0 {
		return a
	}
	return b
}

// is returns l if it is an expression of that type whose value is v; else the value has gone
// another way than labels do.
func is(l Label, k trace.Num, v uint64) Label {
	if l == 0 || l == trace.Everything || !Exprs {
		return 0
	}
	if n := &F.Nodes[l]; n.Kind != k || values[l] != v && !(isNaN(v, k) && isNaN(values[l], k)) ||
		n.Op == trace.FlowSeq || n.Op == trace.FlowParts {
		return lost()
	}
	return l
}

func constant(v uint64, k trace.Num) Label {
	v = k.Mask(v)
	return expr(trace.FlowNode{Op: trace.FlowConst, Kind: k, A: uint32(v), B: uint32(v >> 32)}, v)
}

// two returns the label of x op y; those of constants are made when they are needed.
func two(op trace.FlowOp, k trace.Num, x, y *Val) Label {
	if !Exprs {
		return U(x.l, y.l)
	}
	if x.l == 0 && y.l == 0 {
		return 0
	}
	a, b := x.l, y.l
	if a == 0 {
		a = constant(x.v, x.k)
	}
	if b == 0 {
		b = constant(y.v, y.k)
	}
	if a == 0 || b == 0 {
		return 0
	}
	return expr(trace.FlowNode{Op: op, Kind: k, A: uint32(a), B: uint32(b)}, Apply(op, x.k, y.k, x.v, y.v))
}

// Apply computes x op y, numbers of the types k and l, as Go does. Division by zero and negative
// counts are not asked for.
func Apply(op trace.FlowOp, k, l trace.Num, x, y uint64) uint64 {
	if k.Float() {
		return applyFloat(op, k, x, y)
	}
	a, b := k.Extend(x), l.Extend(y)
	switch op {
	case trace.FlowAdd:
		a += b
	case trace.FlowSub:
		a -= b
	case trace.FlowMul:
		a *= b
	case trace.FlowQuo, trace.FlowRem:
		a = quotient(op, k, a, b)
	case trace.FlowAnd:
		a &= b
	case trace.FlowOr:
		a |= b
	case trace.FlowXor:
		a ^= b
	case trace.FlowAndNot:
		a &^= b
	case trace.FlowShl:
		a <<= b
	case trace.FlowShr:
		if k.Signed() {
			a = uint64(int64(a) >> b)
		} else {
			a >>= b
		}
	case trace.FlowEq:
		return truth(a == b)
	case trace.FlowLess:
		if k.Signed() {
			return truth(int64(a) < int64(b))
		}
		return truth(a < b)
	}
	return k.Mask(a)
}

func quotient(op trace.FlowOp, k trace.Num, a, b uint64) uint64 {
	switch {
	case b == 0:
		return 0
	case k.Signed() && op == trace.FlowQuo:
		return uint64(int64(a) / int64(b))
	case k.Signed():
		return uint64(int64(a) % int64(b))
	case op == trace.FlowQuo:
		return a / b
	}
	return a % b
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// A Val is an operand: its value, and the label of that. Of a string or slice p and v are where it
// is and how long.
type Val struct {
	l Label
	k trace.Num
	v uint64
	p uintptr

	str bool // a string, whose bytes do not change
}

type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

// Num keeps an operand with the label l and returns it.
func Num[T integer](x T, l Label, k trace.Num, to *Val) T {
	to.set(uint64(x), l, k)
	return x
}

func (to *Val) set(v uint64, l Label, k trace.Num) {
	if Exprs {
		v = k.Mask(v)
		l = is(l, k, v)
	}
	to.l, to.k, to.v = l, k, v
}

// Cond is Num for a condition.
func Cond[T ~bool](x T, l Label, to *Val) T {
	to.set(truth(bool(x)), l, trace.Bool)
	return x
}

// Two returns the label of x op y, of the type k. Two1 and Two2 are those where y, or x, is a
// constant.
func Two(op trace.FlowOp, k trace.Num, x, y *Val) Label { return two(op, k, x, y) }

// Two1 is Two for a constant y.
func Two1(op trace.FlowOp, k trace.Num, x *Val, y uint64, ky trace.Num) Label {
	if x.l == 0 {
		return 0
	}
	return two(op, k, x, &Val{v: ky.Mask(y), k: ky})
}

// Two2 is Two for a constant x.
func Two2(op trace.FlowOp, k trace.Num, x uint64, kx trace.Num, y *Val) Label {
	if y.l == 0 {
		return 0
	}
	return two(op, k, &Val{v: kx.Mask(x), k: kx}, y)
}

// Invert returns the label of ^x, or of !x, where x has the label l.
func Invert(l Label) Label {
	if !Exprs || l == 0 {
		return l
	}
	n := &F.Nodes[l]
	if n.Kind == 0 || n.Op == trace.FlowSeq {
		return lost()
	}
	return expr(trace.FlowNode{Op: trace.FlowNot, Kind: n.Kind, A: uint32(l)}, n.Kind.Mask(^values[l]))
}

// Negative returns the label of -x.
func Negative(l Label) Label {
	if !Exprs || l == 0 {
		return l
	}
	k := F.Nodes[l].Kind
	if k == 0 || F.Nodes[l].Op == trace.FlowSeq {
		return lost()
	}
	if k.Float() {
		return Val{l: l, v: values[l], k: k}.withSign(trace.FlowXor, false).l
	}
	return two(trace.FlowSub, k, &Val{k: k}, &Val{l: l, v: values[l], k: k})
}

// Conv returns the label of a number converted to the type k.
func Conv(l Label, k trace.Num) Label {
	if !Exprs || l == 0 {
		return l
	}
	n := &F.Nodes[l]
	switch {
	case n.Kind == k:
		return l
	case n.Kind == 0 || n.Op == trace.FlowSeq || n.Kind.Float() && !k.Float():
		return lost()
	}
	return expr(trace.FlowNode{Op: trace.FlowConv, Kind: k, A: uint32(l)}, converted(values[l], n.Kind, k))
}

// condition records the outcome of a branch on a condition with the label l.
func condition(outcome bool, l Label, s hook.Site) {
	if l == 0 || !here() || printing() {
		return
	}
	if l = is(l, trace.Bool, truth(outcome)); l != 0 {
		Branched(int64(truth(outcome)), l, s)
	}
}

// pinned are the conditions that hold already because a value was needed as a number, by goroutine.
var pinned []pin1

type pin1 struct {
	g uintptr
	l Label
}

// pin records that a value with the label l is v, where it is needed as a number (an index, how
// often a loop goes round). For other inputs it may be another number: that is a branch like any
// other.
func pin(l Label, v uint64, s hook.Site) {
	if l == 0 || !Exprs || !here() || printing() {
		return
	}
	n := &F.Nodes[l]
	if n.Kind == 0 || n.Op == trace.FlowSeq || n.Op == trace.FlowParts || values[l] != n.Kind.Mask(v) {
		lost()
		return
	}
	if c := two(trace.FlowEq, trace.Bool, &Val{l: l, k: n.Kind, v: values[l]},
		&Val{k: n.Kind, v: values[l]}); c != 0 && !asked(c) {
		Branched(trace.Pinned, c, s)
	}
}

// mostRounds is of how many rounds of a loop each is a branch; of longer ones only that there are
// so many.
const mostRounds = 64

// rounds records that a loop goes round n times, as often as a number with the label l says:
// whether there is another round is a branch each time.
func rounds(l Label, n int64, s hook.Site) {
	if l == 0 || !here() {
		return
	}
	k := F.Nodes[l].Kind
	if k == 0 || is(l, k, k.Mask(uint64(n))) == 0 {
		return
	}
	x := Val{l: l, k: k, v: values[l]}
	another := func(round int64) {
		once(two(trace.FlowLess, trace.Bool, &Val{k: k, v: uint64(round)}, &x), round < n, s)
	}
	if n > mostRounds {
		pin(l, x.v, s)
		return
	}
	for i := range max(0, n) {
		another(i)
	}
	another(max(0, n))
}

// once is condition for what an operation asks by itself: the same answer twice in a goroutine
// tells nothing.
func once(c Label, outcome bool, s hook.Site) {
	if !printing() && !asked(c) {
		condition(outcome, c, s)
	}
}

// asked reports whether the running goroutine has asked c before, and notes that it does now.
func asked(c Label) bool {
	for i := len(pinned) - 1; i >= 0 && i >= len(pinned)-256; i-- {
		if pinned[i].l == c && pinned[i].g == hook.Cur {
			return true
		}
	}
	pinned = append(pinned, pin1{hook.Cur, c})
	return false
}

// Divisor is Num for y in x / y and x % y: whether it is zero is a branch.
func Divisor[T integer](y T, l Label, k trace.Num, to *Val, s hook.Site) T {
	to.set(uint64(y), l, k)
	if to.l != 0 && Exprs && here() {
		once(two(trace.FlowEq, trace.Bool, to, &Val{k: k}), y == 0, s)
	}
	return y
}

// Count is Num for y in x << y and x >> y: whether it is negative is a branch.
func Count[T integer](y T, l Label, k trace.Num, to *Val, s hook.Site) T {
	to.set(uint64(y), l, k)
	if to.l != 0 && k.Signed() && Exprs && here() {
		once(two(trace.FlowLess, trace.Bool, to, &Val{k: k}), k.Extend(to.v)>>63 == 1, s)
	}
	return y
}

// Length returns n, the length of what is made: for other inputs it may be another one. Where it is
// negative that is all that is asked.
func Length[T integer](n T, l Label, k trace.Num, s hook.Site) T {
	var v Val
	v.set(uint64(n), l, k)
	if v.l == 0 || !Exprs || !here() {
		return n
	}
	if k.Signed() {
		once(two(trace.FlowLess, trace.Bool, &v, &Val{k: k}), n < 0, s)
	}
	if n >= 0 {
		pin(v.l, v.v, s)
	}
	return n
}

// Number returns a constant as an operand.
func Number(v uint64, k trace.Num) *Val { return &Val{v: k.Mask(v), k: k} }

// Extreme is r, the lesser or the greater of x and y: which of them it is, is a branch.
func Extreme[T integer](r T, least bool, x, y *Val, to *Slot, s hook.Site) T {
	if !Exprs {
		to.l = U(x.l, y.l)
		return r
	}
	if to.l = 0; x.l == 0 && y.l == 0 || !here() {
		return r
	}
	less := Apply(trace.FlowLess, x.k, y.k, x.v, y.v) == 1
	once(two(trace.FlowLess, trace.Bool, x, y), less, s)
	if to.l = y.l; less == least {
		to.l = x.l
	}
	return r
}

// Extremes is Extreme of any number of numbers, or of texts.
func Extremes[T any](r T, least bool, to *Slot, s hook.Site, xs ...*Val) T {
	if to.l = 0; !Exprs || !here() {
		return r
	}
	best, k, some := xs[0], trace.Num(0), Label(0)
	for _, x := range xs {
		if x.k == 0 && x.str {
			x.k = aText
		}
		k, some = max(k, x.k), Any(some, x.l)
	}
	if k == whole {
		to.l = Lost(some, s)
		return r
	}
	for _, x := range xs {
		if x.k == 0 { // a constant
			x.become(k)
		}
	}
	if k.Float() {
		for _, x := range xs[1:] {
			best = extreme(least, best, x, s)
		}
		to.l = best.l
		return r
	}
	for _, x := range xs[1:] {
		a, b := best, x // the operands in question: for max the other way round
		if !least {
			a, b = x, best
		}
		l := Generic2(trace.FlowLess, b, a, s)
		less := below(b, a)
		if once(l, less, s); less {
			best = x
		}
	}
	to.l = best.l
	return r
}

// below reports whether x < y, two numbers of one type or two texts.
func below(x, y *Val) bool {
	if x.k == aText {
		return x.string() < y.string()
	}
	return Apply(trace.FlowLess, x.k, y.k, x.v, y.v) == 1
}

// string returns a text that is kept.
func (v *Val) string() string {
	return unsafe.String((*byte)(noescape(*(*unsafe.Pointer)(unsafe.Pointer(&v.p)))), int(v.v))
}

// Switch records which of the constants x is equal to, if any, in their order: the cases of a
// switch.
func Switch[T integer](x T, l Label, k trace.Num, s hook.Site, cases ...uint64) T {
	if l == 0 || !Exprs || !here() {
		return x
	}
	var v Val
	v.set(uint64(x), l, k)
	for _, c := range cases {
		c = k.Mask(c)
		condition(v.v == c, Two1(trace.FlowEq, trace.Bool, &v, c, k), s)
		if v.v == c {
			break
		}
	}
	return x
}

// A Part says which label some bytes of a struct or array have.
type Part struct {
	Off, N uintptr
	L      Label
}

// Struct returns the label of a struct or array made of parts; what is in none of them has the
// label 0.
func Struct(ps ...Part) Label {
	if !Exprs {
		l := Label(0)
		for _, p := range ps {
			l = U(l, p.L)
		}
		return l
	}
	var out []part
	for _, p := range ps {
		out = within(out, p.Off, p.N, p.L)
	}
	return structure(out)
}

// within adds n bytes at off with the label l to parts.
func within(ps []part, off, n uintptr, l Label) []part {
	if in := partsOf(l); in != nil && !beyond(in, n) {
		for _, p := range in {
			ps = append(ps, part{off + p.off, p.n, p.l})
		}
		return ps
	}
	if l != 0 {
		ps = append(ps, part{off, n, l})
	}
	return ps
}

// beyond reports whether parts are of something larger than n bytes: of what an interface
// there holds.
func beyond(ps []part, n uintptr) bool {
	for _, p := range ps {
		if p.off+p.n > n {
			return true
		}
	}
	return false
}

func structure(ps []part) Label {
	if len(ps) == 0 {
		return 0
	}
	if full(nodeSize + 8 + int64(len(ps))*int64(unsafe.Sizeof(part{}))) {
		return lost()
	}
	structs = append(structs, ps)
	F.Nodes, values = append(F.Nodes, trace.FlowNode{Op: trace.FlowParts, A: uint32(len(structs) - 1)}),
		append(values, 0)
	return Label(len(F.Nodes) - 1)
}

// partsOf returns the parts of a struct's label, nil if it is none.
func partsOf(l Label) []part {
	if !Exprs || l == 0 || l == trace.Everything || F.Nodes[l].Op != trace.FlowParts {
		return nil
	}
	return structs[F.Nodes[l].A]
}

// Field returns the label of n bytes at off of a struct or array with the label l.
func Field(l Label, off, n uintptr) Label {
	ps := partsOf(l)
	if ps == nil {
		return l // all of it is the same
	}
	var out []part
	for _, p := range ps {
		lo, hi := max(p.off, off), min(p.off+p.n, off+n)
		if lo < hi {
			if lo == off && hi == off+n {
				return p.l
			}
			out = append(out, part{lo - off, hi - lo, p.l})
		}
	}
	return structure(out)
}

// PutField returns the label of a struct or array with the label l, of size bytes, once n bytes at
// off have the label v.
func PutField(l Label, size, off, n uintptr, v Label) Label {
	if !Exprs {
		return U(l, v)
	}
	if l == 0 && v == 0 {
		return 0
	}
	var out []part
	for _, p := range within(nil, 0, size, l) {
		if p.off < off {
			out = append(out, part{p.off, min(p.n, off-p.off), p.l})
		}
		if end := p.off + p.n; end > off+n {
			from := max(p.off, off+n)
			out = append(out, part{from, end - from, p.l})
		}
	}
	return structure(within(out, off, n, v))
}

// At returns the offset of an element of that size, of an array whose index v is.
func (v *Val) At(size uintptr) uintptr { return uintptr(v.v) * size }

// parts is get where labels are expressions: one label, or those of the parts.
func (m *shadow) parts(p, n uintptr) Label {
	var ps []part
	add := func(off, n uintptr, l Label) {
		if l == 0 {
			return
		}
		if k := len(ps) - 1; k >= 0 && ps[k].l == l && ps[k].off+ps[k].n == off {
			ps[k].n += n
			return
		}
		ps = append(ps, part{off, n, l})
	}
	for done := uintptr(0); done < n; {
		k := min(n-done, pageSize-(p+done)%pageSize)
		if pg := m.find(p+done, false); pg != nil {
			for at := (p + done) % pageSize; k > 0; {
				step := min(k, 8-at%8)
				if pg.fine != nil {
					step = 1
					add(done, step, pg.fine[at])
				} else {
					add(done, step, pg.words[at/8])
				}
				at, done, k = at+step, done+step, k-step
			}
			continue
		}
		done += k
	}
	if len(ps) == 1 && ps[0].off == 0 && ps[0].n == n {
		return ps[0].l
	}
	return structure(ps)
}

// setParts is set of a struct or array.
func (m *shadow) setParts(p, n uintptr, ps []part) {
	m.set(p, n, 0)
	for _, x := range ps {
		m.set(p+x.off, x.n, x.l)
	}
}

// Sender is set by rt/sched: it returns the event of the send that a receive took its value from,
// -1 for none.
var Sender func(event int32) int32

// received returns the label of what the last operation of g received.
func received(g *G) Label {
	if g.Event < 0 || Sender == nil {
		return 0
	}
	if from := Sender(g.Event); from >= 0 && int(from) < len(F.Of) {
		return F.Of[from]
	}
	return 0
}
