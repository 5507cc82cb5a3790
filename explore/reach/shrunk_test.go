package reach

import (
	"strings"
	"testing"

	"heddle/internal/progen"
)

func concurrently(body ...*progen.Stmt) *progen.Stmt {
	return &progen.Stmt{Op: progen.Go, Body: body}
}

func choose(cases ...progen.Case) *progen.Stmt {
	return &progen.Stmt{Op: progen.Select, Cases: cases}
}

func sends(c int) *progen.Stmt { return &progen.Stmt{Op: progen.Send, Obj: c, Val: 1, Src: -1} }

func receives(c int) *progen.Stmt { return &progen.Stmt{Op: progen.Recv, Obj: c} }

// later is what a timer starts when no goroutine is enabled.
func later(body ...*progen.Stmt) *progen.Stmt {
	return &progen.Stmt{Op: progen.After, Val: 10, Body: body}
}

func polling(cases ...progen.Case) *progen.Stmt {
	return &progen.Stmt{Op: progen.Select, Cases: cases, Def: true}
}

// Programs about which reach was wrong once, as they were shrunk: every
// sequence exactly once, and the outcomes that exhaustive search finds.
func TestShrunkPrograms(t *testing.T) {
	send := func(c int) progen.Case { return progen.Case{Send: true, Obj: c, Val: 1} }
	recv := func(c int) progen.Case { return progen.Case{Obj: c} }
	for _, c := range []struct {
		name string
		p    progen.Program
		want int
	}{
		// c0 has a buffer of one, c1 none. Two selects meet over c1 only once one of them can do
		// nothing else.
		{"two selects that need not wait", progen.Program{Chans: []int{1, 0}, Body: []*progen.Stmt{
			concurrently(choose(recv(1), send(0))),
			choose(send(1), send(0)),
		}}, 2},
		{"a third fills the buffer", progen.Program{Chans: []int{1, 0}, Body: []*progen.Stmt{
			concurrently(choose(recv(1), send(0))),
			concurrently(&progen.Stmt{Op: progen.Send, Obj: 0, Val: 1, Src: -1}),
			choose(send(1), send(0)),
		}}, 3},
		{"a poll of a select that need not wait", progen.Program{Chans: []int{1, 0}, Body: []*progen.Stmt{
			concurrently(polling(recv(1))),
			choose(send(0), send(1)),
		}}, 3},
		{"a poll of a select that waits once the buffer is full",
			progen.Program{Chans: []int{1, 0}, Body: []*progen.Stmt{
				concurrently(choose(send(0), send(1))),
				&progen.Stmt{Op: progen.Send, Obj: 0, Val: 1, Src: -1},
				polling(recv(1)),
			}}, 3},
		// A goroutine that had arrived at the polled c1 leaves it for c0, before or after the
		// others that wait there are served.
		{"one of two who wait leaves", progen.Program{Chans: []int{1, 0}, Body: []*progen.Stmt{
			concurrently(choose(send(1))),
			concurrently(choose(send(1), send(0))),
			polling(recv(1)),
		}}, 8},
		{"one of two who wait receives", progen.Program{Chans: []int{1, 0}, Body: []*progen.Stmt{
			concurrently(choose(send(0), recv(1))),
			concurrently(polling(send(1))),
			{Op: progen.Recv, Obj: 1},
		}}, 8},
		// A goroutine on both sides of c0 is not in the way of its own partner.
		{"a partner on both sides, since an earlier time",
			progen.Program{Chans: []int{0}, Body: []*progen.Stmt{
				concurrently(choose(recv(0), send(0))),
				{Op: progen.After, Val: 20, Body: []*progen.Stmt{choose(send(0),
					progen.Case{Send: true, Obj: 0, Val: 3})}},
			}}, 2},
		{"a partner on both sides of a polled channel", progen.Program{Chans: []int{0}, Body: []*progen.Stmt{
			concurrently(polling(send(0), recv(0)), choose(recv(0), send(0))),
			choose(send(0), recv(0)),
		}}, 6},
		// A goroutine that waited when time passed is served before all others.
		{"one waits since an earlier time", progen.Program{Chans: []int{0}, Body: []*progen.Stmt{
			concurrently(sends(0)),
			later(concurrently(sends(0)), concurrently(receives(0)), concurrently(receives(0)), receives(0)),
		}}, 6},
		{"one waits since an earlier time for two things",
			progen.Program{Chans: []int{0, 1}, Body: []*progen.Stmt{
				concurrently(choose(send(0), recv(1))),
				later(concurrently(sends(0)), concurrently(receives(0)), concurrently(sends(1)), receives(1)),
			}}, 4},
		{"one who waits since an earlier time goes elsewhere",
			progen.Program{Chans: []int{0, 0}, Body: []*progen.Stmt{
				concurrently(choose(send(0), recv(1))),
				later(concurrently(sends(0)), concurrently(receives(0)), concurrently(sends(1)), receives(1)),
			}}, 2},
		// A select that need not wait is passed over at the polled c0: that depends on what is in
		// c1.
		{"one is passed over", progen.Program{Chans: []int{0, 1}, Body: []*progen.Stmt{
			concurrently(choose(send(0), recv(1))),
			concurrently(sends(0)),
			concurrently(sends(1)),
			polling(recv(0)),
		}}, 9},
		{"one is passed over until it waits again", progen.Program{Chans: []int{0, 1}, Body: []*progen.Stmt{
			concurrently(choose(send(0), recv(1))),
			concurrently(sends(0)),
			concurrently(sends(1), receives(1)),
			polling(recv(0)),
		}}, 15},
		// Variants that change a draw name their goroutines: no goroutine overtakes a senior in
		// them either.
		{"arrivals beside a draw", progen.Program{Chans: []int{0}, Body: []*progen.Stmt{
			concurrently(receives(0)),
			concurrently(&progen.Stmt{Op: progen.Draw, Val: 2}),
			concurrently(polling(send(0), recv(0)), sends(0)),
			sends(0),
		}}, 28},
		{"a reader unlocks too early", progen.Program{RWs: 1, Body: []*progen.Stmt{
			concurrently(&progen.Stmt{Op: progen.RUnlock}),
			{Op: progen.RLock},
			{Op: progen.RWLock},
		}}, 3},
	} {
		c.p.Number()
		st, ds, err := compare(&c.p, 20000)
		if err != nil || len(ds) > 0 || st.Sequences != c.want {
			t.Errorf("%s: %+v, want %d sequences; %v\n%s\n%s", c.name, st, c.want, err,
				strings.Join(ds, "\n"), progen.Source(&c.p))
		}
	}
}
