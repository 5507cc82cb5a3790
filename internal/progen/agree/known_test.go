package agree

import (
	"strings"
	"testing"

	"heddle/internal/progen"
)

// Programs for which a strategy was once wrong, in shrunk form.
func TestAgreeKnown(t *testing.T) {
	type stmts = []*progen.Stmt
	start := func(body ...*progen.Stmt) *progen.Stmt { return &progen.Stmt{Op: progen.Go, Body: body} }
	send := func(c int) *progen.Stmt { return &progen.Stmt{Op: progen.Send, Obj: c, Val: 1, Src: -1} }
	recv := func(c int) *progen.Stmt { return &progen.Stmt{Op: progen.Recv, Obj: c} }
	closed := func(c int) *progen.Stmt { return &progen.Stmt{Op: progen.Close, Obj: c} }
	length := func(c int) *progen.Stmt { return &progen.Stmt{Op: progen.Len, Obj: c} }
	choose := func(def bool, cs ...progen.Case) *progen.Stmt {
		return &progen.Stmt{Op: progen.Select, Cases: cs, Def: def}
	}
	sends := func(c int, body ...*progen.Stmt) progen.Case {
		return progen.Case{Send: true, Obj: c, Val: 1, Body: body}
	}
	receives := func(c int) progen.Case { return progen.Case{Obj: c} }
	write := func() *progen.Stmt { return &progen.Stmt{Op: progen.Write, Val: 1, Src: -1} }
	read := func() *progen.Stmt { return &progen.Stmt{Op: progen.Read} }
	for name, p := range map[string]progen.Program{
		"a race of two goroutines of one chain, with one between them that does nothing": {Vars: 1, Body: stmts{
			start(&progen.Stmt{Op: progen.After, Val: 10, Body: stmts{start(write())}}),
			write(), {Op: progen.After, Val: 10},
		}},
		"a goroutine left at the second of two waits, as a timer runs": {Groups: 1, Timers: []int{20},
			Body: stmts{start(&progen.Stmt{Op: progen.Join}, &progen.Stmt{Op: progen.Join}),
				{Op: progen.GroupAdd, Val: 1}}},
		"a timer that fires only where no send panics": {Chans: []int{1}, Body: stmts{
			start(choose(false, sends(0))), start(recv(0), &progen.Stmt{Op: progen.After, Val: 10}),
			start(send(0)), closed(0),
		}},
		"a race that what is started after it may hide": {Vars: 1, RWs: 1, Body: stmts{
			start(start(&progen.Stmt{Op: progen.RWTry, Reg: 1},
				&progen.Stmt{Op: progen.If, Reg: 1, Val: 1, Body: stmts{read(), {Op: progen.RWUnlock}}})),
			write(),
			start(&progen.Stmt{Op: progen.RLock}, &progen.Stmt{Op: progen.RUnlock}),
		}},
		"the length of a channel before its capacity is known": {Chans: []int{1, 1}, Body: stmts{
			start(recv(1), send(0)),
			choose(false, sends(1)), length(0), choose(false, receives(1)),
		}},
		"a capacity that not every execution tells": {Chans: []int{1, 0}, Body: stmts{
			length(0), start(choose(true, receives(1))), send(1), choose(true, sends(0)),
		}},
		"and one that is closed": {Chans: []int{1, 1, 1}, Body: stmts{
			start(send(0), choose(false, sends(2))),
			closed(2), choose(false, sends(1), sends(0)),
		}},
		"a send that would panic after the length was asked for": {Chans: []int{1}, Body: stmts{
			start(send(0)),
			choose(false, sends(0, closed(0))), length(0),
		}},
		"several sides of polled channels to arrive at, by somebody who was left": {Chans: []int{0, 0}, Body: stmts{
			start(choose(true, sends(1), sends(0, &progen.Stmt{Op: progen.Range}), receives(1))),
			start(choose(false, sends(1), receives(0))),
			choose(false, receives(1), receives(0)), choose(false, sends(0), receives(0)),
		}},
		"goroutines that are started after a draw": {Atomics: 1, Body: stmts{
			start(start(&progen.Stmt{Op: progen.Store, Val: 1, Src: -1})),
			&progen.Stmt{Op: progen.Draw, Val: 2}, start(),
			&progen.Stmt{Op: progen.Add, Val: 1},
		}},
		"an arrival that what was to be done alongside must come before": {Chans: []int{0, 1}, Body: stmts{
			start(recv(0)),
			start(choose(true, sends(0))),
			start(choose(false, sends(1))),
			choose(false, sends(1), sends(0)),
		}},
		"a mutex that is unlocked by a goroutine that has not locked it": {Mutexes: 1, Body: stmts{
			start(&progen.Stmt{Op: progen.Unlock}),
			&progen.Stmt{Op: progen.Lock}, &progen.Stmt{Op: progen.Lock},
		}},
		"a Cond that is signalled before it is waited at or after": {Mutexes: 1, Conds: []int{0}, Body: stmts{
			start(&progen.Stmt{Op: progen.Signal}),
			{Op: progen.Lock}, {Op: progen.Wait}, {Op: progen.Wait},
		}},
		"a send to a goroutine that polls, or to one that does not": {Chans: []int{0}, Body: stmts{
			start(recv(0)),
			start(choose(false, sends(0), receives(0)), length(0)),
			choose(true, sends(0), receives(0), receives(0)),
		}},
		"a counter that becomes negative, or does not": {Groups: 1, Body: stmts{
			start(&progen.Stmt{Op: progen.Done}),
			start(&progen.Stmt{Op: progen.GroupAdd, Val: 1}),
			{Op: progen.Join},
		}},
		"a loop that polls after a draw, and after a loop that was left": {Atomics: 2, Body: stmts{
			{Op: progen.Reread}, {Op: progen.Draw, Val: 2},
			{Op: progen.SpinCAS, Obj: 1, Val: 1, Val2: 2},
		}},
		"a loop that polls after a select of two cases, and after a loop that was left": {
			Chans: []int{0}, Mutexes: 1,
			Older: &progen.Older{Held: []int{0}, Closed: []bool{true}, Locked: []bool{false}},
			Body: stmts{{Op: progen.SpinLock}, choose(false, receives(0), receives(0)),
				{Op: progen.SpinLock}},
		},
		"a channel that is older and that not every execution uses": {Chans: []int{1, 0, 2},
			Older: &progen.Older{Held: []int{0, 0, 1}, Closed: make([]bool, 3), Locked: []bool{}},
			Body:  stmts{start(send(0), send(2)), start(send(0)), start(send(2), recv(1))},
		},
		"a receiver whose number a changed draw changes": {Chans: []int{0}, Body: stmts{
			{Op: progen.Draw, Val: 2}, start(start(recv(0)), send(0)),
			{Op: progen.Draw, Val: 2}, start(start(recv(0)), send(0)),
		}},
		"a read that starts a timer": {Vars: 1, Body: stmts{
			start(read(), &progen.Stmt{Op: progen.After, Val: 10}),
			start(write(), write()),
			read(), read(),
		}},
	} {
		p.Number()
		r, err := Check(&p, 20000, strategies)
		if err != nil || len(r.Wrong) > 0 {
			t.Errorf("%s: %v\n%s", name, err, strings.Join(r.Wrong, "\n"))
		}
		for s, n := range r.Partial {
			if n > 0 && !p.Spins() {
				t.Errorf("%s: %s broke off %d executions", name, s, n)
			}
		}
	}
}
