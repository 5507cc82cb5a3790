package flow

import (
	"unsafe"

	"heddle/rt/hook"
)

// A Sig says which function a call means: a hash of its name in the upper bits
// (0: a function value, whose name is not known) and its number of parameters in the lower eight.
type Sig uint64

const sigParams = 0xff

// matches reports whether a call with the signature s may be a call of a function f.
func (s Sig) matches(f Sig) bool {
	return s == f || (s <= sigParams || f <= sigParams) && s&sigParams == f&sigParams
}

// Labels are those of the receiver (or 0) and the parameters of a call, or of its results.
// What there is no room for goes to the last one.
type Labels [16]Label

// A call is the labels of arguments or results on their way. They are set
// immediately before the call or return and taken immediately after it.
type call struct {
	g   uintptr // whose they are
	sig Sig
	n   int
	set bool
	l   Labels
}

var args, results call

// none are the labels of a call that nothing is known of. They are not written to.
var none Labels

func (c *call) fill(sig Sig, ls []Label) {
	if pending.open && c == &args {
		answer()
	}
	c.g, c.sig, c.n, c.set = hook.Cur, sig, len(ls), true
	c.l = Labels{}
	for i, l := range ls {
		i = min(i, len(c.l)-1)
		c.l[i] = U(c.l[i], l)
	}
}

// all returns the union of the labels.
func (c *call) all() (l Label) {
	if Exprs {
		return 0
	}
	for _, x := range c.l[:min(c.n, len(c.l))] {
		l = U(l, x)
	}
	return l
}

// A is the last argument of a call, or what else is evaluated last: the
// receiver's label and those of the arguments wait for the function that sig means.
func A[T any](v T, sig Sig, ls ...Label) T {
	if here() {
		args.fill(sig, ls)
		results.set = false
	}
	return v
}

// Pass is A as a statement: before a deferred call.
func Pass(sig Sig, ls ...Label) {
	if here() {
		args.fill(sig, ls)
	}
}

// Take returns the labels of the function's receiver and parameters. Where
// the function was called by code that is not rewritten, each has all that went into that.
func Take(sig Sig) *Labels {
	if !here() {
		return &none
	}
	l := Running().Amb
	if Exprs {
		l = 0
	}
	uncollected()
	if args.set && args.g == hook.Cur {
		if args.sig.matches(sig) {
			args.set, pending = false, question{}
			return &args.l
		}
		l = U(l, args.all())
	}
	if pending.open {
		answer()
	}
	return same(l)
}

var filled Labels

// same returns labels that are all l.
func same(l Label) *Labels {
	if l == 0 {
		return &none
	}
	for i := range filled {
		filled[i] = l
	}
	return &filled
}

// Drop forgets arguments that were not taken.
func Drop() {
	if here() {
		if pending.open {
			answer()
		}
		args.set, results.set = false, false
	}
}

// Ret sets the labels of the results that the function is about to return.
func Ret(ls ...Label) {
	if here() {
		results.fill(0, ls)
	}
}

// Got returns the labels of the n results of the call just made. Where it was
// of code that is not rewritten each has l, which is all that went into it, and what that read.
func Got(n int, l Label) *Labels {
	if !here() {
		return &none
	}
	if pending.open {
		answer()
	}
	args.set = false
	if results.set && results.g == hook.Cur && results.n == n {
		results.set = false
		return &results.l
	}
	if Exprs {
		return same(drop(l))
	}
	g := Running()
	l = U(l, g.Amb)
	if g.depth == 0 {
		g.Amb = 0
	}
	foreign(l)
	return same(l)
}

// foreign counts a value that came through code that is not rewritten.
func foreign(l Label) {
	if l != 0 {
		F.Foreign++
	}
}

// V is a call with one result v, whose label goes into to.
func V[T any](v T, l Label, to *Slot) T {
	if On {
		to.l = Got(1, l)[0]
	}
	return v
}

// Into puts the labels of the results of the call just made beside the variables they went to. It
// is true.
func Into(l Label, to ...*Label) bool {
	ls := Got(len(to), l)
	for i, p := range to {
		if p != nil {
			*p = ls[min(i, len(ls)-1)]
		}
	}
	return true
}

// SetAll gives all variables the label l. It is true.
func SetAll(l Label, to ...*Label) bool {
	for _, p := range to {
		if p != nil {
			*p = l
		}
	}
	return true
}

// Forward2, Forward3 and Forward4 stand around g() in f(g()): its results become arguments.
func Forward2[A, B any](a A, b B) (A, B) {
	forward(2)
	return a, b
}

// Forward3 is Forward2 for three results.
func Forward3[A, B, C any](a A, b B, c C) (A, B, C) {
	forward(3)
	return a, b, c
}

// Forward4 is Forward2 for four results.
func Forward4[A, B, C, D any](a A, b B, c C, d D) (A, B, C, D) {
	forward(4)
	return a, b, c, d
}

func forward(n int) {
	if !here() {
		return
	}
	ls := *Got(n, 0)
	args.g, args.sig, args.n, args.set = hook.Cur, Sig(n), n+1, true
	args.l = Labels{}
	copy(args.l[1:], ls[:n])
}

// Then returns v; the other argument is evaluated before it.
func Then[T any](_ bool, v T) T { return v }

// Pure is a call of code that is not rewritten and has no operations: its result depends on what
// went in.
func Pure[T any](v T, l Label, to *Slot) T {
	if Exprs {
		l = drop(l)
	}
	to.l = l
	if l != 0 && here() {
		F.Foreign++
	}
	return v
}

// A Call keeps what was there before a call of code that is not rewritten.
type Call struct {
	in, amb Label
	on      bool
	prints  bool // printing before
	atomic  anAtomic
	mapped  bool // see OutSyncMap
	puts    bool // see Puts
	put     Referred
	putL    Label
	held    []any // see Hold and Side
	ls      []Label
}

// Out is what is evaluated last before a call of code that is not rewritten:
// all that went into it has the label l.
func Out[T any](v T, l Label, c *Call) T {
	c.on = here()
	if c.on {
		g := Running()
		c.in, c.amb, c.prints = l, g.Amb, g.prints
		g.Amb, g.Leaf, g.Event = l, 0, -1
		g.depth++
	}
	return v
}

// OutSelect is Out before a select. ls are the labels of what its cases send, of all of them in
// order; they are expressions.
func OutSelect[T any](v T, c *Call, ls ...Label) T {
	Out(0, 0, c)
	if c.on {
		g := Running()
		g.sends = append(g.sends[:0], ls...)
	}
	return v
}

// Sends returns the label of what g, whose labels are expressions, sends now as that case of a
// select, from 0 on.
func (g *G) Sends(at int) Label {
	if at >= 0 && at < len(g.sends) {
		return g.sends[at]
	}
	return g.Amb
}

// In is the call itself, whose result has all that went in and that it read. known: it is an
// operation, not a value that passed through unknown code.
func In[T any](v T, c *Call, known bool, to *Slot) T {
	to.l = Back(c, known)
	return v
}

// Back ends what Out began and returns the label of what the call returned.
func Back(c *Call, known bool) Label {
	if c.puts {
		c.written()
	}
	if !c.on {
		return 0
	}
	c.on = false
	uncollected()
	g := Running()
	l := g.Amb
	g.Amb = c.amb
	g.depth--
	if Exprs {
		g.sends, g.prints = g.sends[:0], c.prints
		switch x := c.atomic; {
		case x.on:
			c.atomic.on = false
			return x.did(&g.Done)
		case c.mapped:
			c.mapped = false
			l, g.mapGives = g.mapGives, 0
			return l
		case known:
			return received(g)
		}
		return 0
	}
	switch {
	case !known:
		foreign(c.in)
	case g.Leaf != 0:
		return g.Leaf
	}
	return l
}

// BackInto is Into for such a call. Where labels are expressions that is the first result's:
// whether a channel was closed is up to no input.
func BackInto(c *Call, known bool, to ...*Label) bool {
	l := Back(c, known)
	for i, p := range to {
		if p != nil {
			*p = l
		}
		if i == 0 && Exprs {
			l = 0
		}
	}
	return true
}

// Foreign accesses: those of code that is rewritten for hooks but not for data flow.

// Ambient returns what the running goroutine's code depends on as a whole.
func Ambient() Label {
	if Exprs {
		return 0
	}
	l := Running().Amb
	if args.set && args.g == hook.Cur {
		l = U(l, args.all())
	}
	return l
}

// ForeignRead adds what was read to what the code depends on; ForeignWrite gives what was written
// all of it.
func ForeignRead(p unsafe.Pointer, n uintptr) {
	if Exprs {
		return
	}
	g := Running()
	g.Amb = U(g.Amb, memory.get(place(p), n))
}

// ForeignWrite gives what was written all that the code depends on.
func ForeignWrite(p unsafe.Pointer, n uintptr) { memory.set(place(p), n, Ambient()) }
