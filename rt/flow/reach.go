package flow

import "heddle/rt/hook"

// Where values are not followed. Code that is not rewritten may look at whatever it can reach from
// its receiver and its arguments, and what it returns or does may depend on that. So all that it
// reaches is looked at, and if anything there has a label, it is lost.
//
// Of a function value and a method of an interface it is not known whether it is rewritten: Ask
// keeps what the call reaches, and if the callee has not taken the labels of its arguments by the
// time that something else is called or the call is over, it is not.

// Reachable reports whether memory with a label can be reached from v; set by rt/sched. deep: by
// way of pointers too, not only by what is compared when v is.
var Reachable func(v any, deep bool) bool

// sent is true once something with a label was sent over a channel.
var sent bool

// NoteSent notes that a value with the label l is sent.
func NoteSent(l Label) { sent = sent || l != 0 }

// Sent reports whether something with a label was sent over a channel.
func Sent() bool { return sent }

// Labelled reports whether any of n bytes at p has a label.
func Labelled(p, n uintptr) bool {
	if memory.lost {
		return true
	}
	for p != 0 && n > 0 && memory.n > 0 {
		k := min(n, pageSize-p%pageSize)
		if pg := memory.find(p, false); pg != nil && pg.any(p%pageSize, k) {
			return true
		}
		p, n = p+k, n-k
	}
	return false
}

func (pg *page) any(at, n uintptr) bool {
	if pg.fine != nil {
		for _, l := range pg.fine[at : at+n] {
			if l != 0 {
				return true
			}
		}
		return false
	}
	for i := at / 8; i <= (at+n-1)/8; i++ {
		if pg.words[i] != 0 {
			return true
		}
	}
	return false
}

// reaches reports whether something with a label can be reached from v.
func reaches(v any, deep bool) bool {
	if memory.n == 0 && !memory.lost && len(entries) == 0 && len(keyed) == 0 && !sent || Reachable == nil {
		return false
	}
	g := hook.Cur
	hook.Cur = 0
	found := Reachable(v, deep)
	hook.Cur = g
	return found
}

// Reach returns v, which is given to code that is not rewritten.
func Reach[T any](v T, s hook.Site) T {
	if Exprs && here() && !printing() && reaches(v, true) {
		noteLost(s)
	}
	return v
}

// Content returns v, which is compared by what is in it.
func Content[T any](v T, s hook.Site) T {
	if Exprs && here() && reaches(v, false) {
		noteLost(s)
	}
	return v
}

// A question is a call of which it is not known whether the callee is rewritten.
type question struct {
	open bool
	held []any
	site hook.Site

	prints bool // asked while something is printed
}

// pending is the last such call: it goes with args.
var pending question

// Hold returns v, which the call c can reach.
func Hold[T any](v T, c *Call) T {
	if Exprs && here() {
		c.held = append(c.held, v)
	}
	return v
}

// Held returns what c can reach, and forgets it.
func (c *Call) Held() []any {
	held := c.held
	c.held = nil
	return held
}

// Ask is A for such a call.
func Ask[T any](v T, c *Call, s hook.Site, sig Sig, ls ...Label) T {
	if here() {
		args.fill(sig, ls)
		results.set = false
		if Exprs {
			pending = question{true, c.Held(), s, printing()}
		}
	}
	return v
}

// AskLate is Ask before a deferred call. foreign: it is known that the callee is not rewritten.
func AskLate(held []any, foreign bool, s hook.Site, sig Sig, ls ...Label) {
	if here() {
		args.fill(sig, ls)
		pending = question{Exprs, held, s, printing()}
		if foreign {
			answer()
		}
	}
}

// answer takes it that the callee of the last question is not rewritten: the labels were not taken.
func answer() {
	q := pending
	pending = question{}
	if !q.open || !Exprs {
		return
	}
	args.set = false
	if q.prints {
		return
	}
	for _, l := range args.l[:min(args.n, len(args.l))] {
		if l != 0 {
			noteLost(q.site)
			return
		}
	}
	for _, v := range q.held {
		if reaches(v, true) {
			noteLost(q.site)
			return
		}
	}
}

// uncollected notes that results with labels were returned to code that does not take them.
func uncollected() {
	if !Exprs || !results.set || results.g != hook.Cur {
		return
	}
	results.set = false
	for _, l := range results.l[:min(results.n, len(results.l))] {
		if l != 0 {
			lost()
			return
		}
	}
}

// Settle is called at the end of an execution.
func Settle() {
	if Exprs {
		answer()
	}
}
