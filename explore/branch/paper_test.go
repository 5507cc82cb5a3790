package branch

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"heddle/trace"
)

// figure3 is the trace that section III gives for the program of Fig. 3:
//
//	T1  1: n = x + y      T2  10: x = ...
//	    2: if n < 0           11: y = ...
//	    3: ...                12: print x
//	    7: print y
const figure3 = `
	T1 1 read x
	T2 10 write x
	T1 1 read y
	T1 1 write n < x y
	T1 2 read n
	T1 2 branch true < n
	T2 11 write y
	T1 7 read y
	T2 12 read x
`

func TestFigure4(t *testing.T) {
	w := parse(t, figure3)
	x := Read(w.Trace)
	g, ok := Draw(x, 1000)
	if !ok {
		t.Fatal("not drawn")
	}
	var got []string
	for i, v := range g.Variants {
		got = append(got, fmt.Sprintf("V%d (%d %d) %s", i+1, v.Cut[1], v.Cut[2],
			w.text(x.Ops[v.Changed].Event)))
	}
	// By index of T1 and T2 before the operation that sees another version.
	equal(t, "variants", got, []string{
		"V1 (2 0) 7:read y", "V2 (2 1) 7:read y", "V3 (1 2) 1:read y", "V4 (1 3) 1:read y",
		"V5 (0 1) 1:read x", "V6 (0 2) 1:read x", "V7 (0 3) 1:read x",
	})
	if len(g.Infeasible) > 0 {
		t.Errorf("infeasible without locks: %v", g.Infeasible)
	}
}

// Fig. 8, with ud3 = (y, 1, 11) where the paper prints x.
func TestFigure8(t *testing.T) {
	w := parse(t, figure3)
	x := Read(w.Trace)
	equal(t, "conventional", w.uds(x.SetUD(), false), []string{"(n, 2, 1)", "(x, 12, 10)"})
	equal(t, "extended", w.uds(x.SetUD(), true), []string{"(x, 1, 10)", "(y, 1, 11)", "(y, 7, 11)"})
	related := x.RelatedUD(0)
	equal(t, "BranchRelUD, conventional", w.uds(related, false), []string{"(n, 2, 1)"})
	equal(t, "BranchRelUD, extended", w.uds(related, true), []string{"(x, 1, 10)", "(y, 1, 11)"})
	ops, affected := x.RelatedOP(0)
	if got, want := w.order(x, ops), "1:read x -> 10:write x -> 1:read y -> 11:write y"; got != want ||
		!affected {
		t.Errorf("BranchRelOP: %s, affected %v; want %s", got, affected, want)
	}
}

func TestTableII(t *testing.T) {
	w := parse(t, figure3)
	x := Read(w.Trace)
	g, _ := Draw(x, 1000)
	equal(t, "groups", w.groups(x, x.Groups(0, g.Variants)), []string{
		"{V1} 1:read x -> 1:read y",
		"{V2} 1:read x -> 10:write x -> 1:read y",
		"{V3, V4} 1:read x -> 10:write x -> 11:write y -> 1:read y",
		"{V5} 10:write x -> 1:read x",
		"{V6, V7} 10:write x -> 11:write y -> 1:read x",
	})
}

// Fig. 5: T1 reads x at 10; if that was true it writes x under a lock, else without. Executions 1
// and 2 are those of Fig. 6(a) and (b), 3 and 4 those of (c) and (d). (In P1 the paper has 12 read
// x, in M1 12 write x: it is both there.)
const (
	t1True  = "T1 11 lock a\nT1 12 read x\nT1 12 write x\nT1 13 unlock a\n"
	t1False = "T1 15 write x\n"
	t2      = "T2 20 lock a\nT2 21 lock b\nT2 22 read y\nT2 23 write x\nT2 24 unlock b\nT2 25 unlock a\n"
	isTrue  = "T1 10 read x\nT1 10 branch true < x\n"
	isFalse = "T1 10 read x\nT1 10 branch false < x\n"
)

// broken lists the variables that some lock does not protect, as the paper counts: what a condition
// reads is left out.
func broken(w *written) []string {
	var s []string
	for _, b := range Check(w.Trace, func(event int) bool { return w.lines[w.Events[event].Site] != "10" }) {
		s = append(s, w.name(w.Events[b.Event].Obj))
	}
	return s
}

func TestFigure6(t *testing.T) {
	split := strings.Index(t2, "T2 23")
	executions := []*written{
		parse(t, isTrue+t1True+t2),
		parse(t, isTrue+t2+t1True),
		parse(t, t2+isFalse+t1False),
		parse(t, t2[:split]+"T2 23 write x\n"+isFalse+t1False+t2[split+len("T2 23 write x\n"):]),
	}
	var manners []string
	for i, w := range executions {
		m := Manners(w.Trace, all)
		m["main/1"] = slices.DeleteFunc(m["main/1"],
			func(s string) bool { return strings.HasPrefix(s, siteName(w.Events[w.find("10")].Site)+":") })
		manners = append(manners, MannersText(m))
		want := []string{}
		if i >= 2 {
			want = []string{"x"}
		}
		if got := broken(w); !slices.Equal(got, want) {
			t.Errorf("execution %d: locking is broken for %v, want %v", i+1, got, want)
		}
	}
	for i, same := range [][2]int{{0, 1}, {2, 3}} {
		if manners[same[0]] != manners[same[1]] {
			t.Errorf("pair %d is not race-equivalent:\n%s\n%s", i, manners[same[0]], manners[same[1]])
		}
	}
	if manners[0] == manners[2] {
		t.Errorf("executions 1 and 3 are race-equivalent:\n%s", manners[0])
	}
}

func (w *written) find(line string) int {
	return slices.IndexFunc(w.Events, func(e trace.Event) bool { return w.lines[e.Site] == line })
}

// Fig. 7: lock a stands before the loop, its unlock at the end of the loop's body.
func TestFigure7(t *testing.T) {
	var m []map[string][]string
	for n := 1; n <= 3; n++ {
		m = append(m, Manners(parse(t, "T1 1 lock a\n"+strings.Repeat("T1 3 write x\nT1 4 unlock a\n", n)+
			"T2 20 lock a\nT2 21 read x\nT2 22 unlock a\n").Trace, all))
	}
	if MannersText(m[0]) == MannersText(m[1]) {
		t.Errorf("executions 1 and 2 are race-equivalent:\n%s", MannersText(m[0]))
	}
	if MannersText(m[1]) != MannersText(m[2]) {
		t.Errorf("executions 2 and 3 are not race-equivalent:\n%s\n%s", MannersText(m[1]), MannersText(m[2]))
	}
	// M1 = {(1:lock a, 3:write x, 4:unlock a), (3:write x), (4:unlock a)}, M2 = {(20:lock a,
	// 21:read x, 22:unlock a)}
	var sizes []int
	for _, s := range m[1]["main/1"] {
		sizes = append(sizes, strings.Count(s, ",")+1)
	}
	slices.Sort(sizes)
	if !slices.Equal(sizes, []int{1, 1, 3}) || len(m[1]["main/2"]) != 1 {
		t.Errorf("M1, M2: %v", m[1])
	}
}

// figure13 is an execution of the program of Fig. 13.
const figure13 = `
	T1 1 lock a
	T1 2 read x
	T1 2 read y
	T1 3 unlock a
	T1 4 wait c
	T2 20 lock a
	T2 21 write x
	T2 22 write y
	T2 23 unlock a
	T2 24 notifyAll c
	T2 25 read x
	T1 10 read y
`

// Which nodes are infeasible is worked out here by the two rules of section IV.C, since the figure
// is lost: while one holds a (index 1 to 3 of either) the other does not take it; after its wait,
// index 5, T1 does not go on to 10 unless 24 comes after 4. The last one is the notification that
// comes too early.
func TestFigure13(t *testing.T) {
	w := parse(t, figure13)
	x := Read(w.Trace)
	g, ok := Draw(x, 1000)
	if !ok {
		t.Fatal("not drawn")
	}
	var got []string
	for _, n := range g.Infeasible {
		s := fmt.Sprintf("(%d %d) %s", n.Cut[1], n.Cut[2], w.text(x.Ops[n.Op].Event))
		if !slices.Contains(got, s) {
			got = append(got, s)
		}
	}
	slices.Sort(got)
	want := []string{
		"(0 1) 1:lock a", "(0 2) 1:lock a", "(0 3) 1:lock a",
		"(1 0) 20:lock a", "(2 0) 20:lock a", "(3 0) 20:lock a",
		"(5 0) 10:read y", "(5 1) 10:read y", "(5 2) 10:read y", "(5 3) 10:read y", "(5 4) 10:read y",
		"(5 5) 10:read y", "(5 6) 10:read y",
	}
	equal(t, "infeasible", got, want)
	for _, v := range g.Variants {
		if l := w.lines[w.Events[x.Ops[v.Changed].Event].Site]; l == "10" {
			t.Errorf("10 sees another y after %v: it waits for 24, which comes after 22", v.Cut)
		}
	}
}

// Fig. 14 and 15, rebuilt from the text: T2 reads _numActive, which T3 writes; if it was not 0 it
// goes on without _factory.
const figure15 = `
	T1 1084 lock p
	T1 1085 read _pool
	T1 1086 unlock p
	T3 764 lock p
	T3 765 write _numActive
	T3 766 unlock p
	T2 905 lock p
	T2 906 read _numActive
	T2 906 branch true < _numActive
	T2 907 write _pool
	T2 908 unlock p
	T1 1090 read _factory
	T3 770 write _pool
`

// orders returns the full orders of the groups of a branch.
func (w *written) orders(x *Execution, branch int, g *Graph) (s []string) {
	related, _ := x.RelatedOP(branch)
	for _, gr := range x.Groups(branch, g.Variants) {
		s = append(s, w.order(x, gr.Full(related)))
	}
	return s
}

func TestTableVI(t *testing.T) {
	w := parse(t, figure15)
	x := Read(w.Trace)
	g, _ := Draw(x, 10000)
	equal(t, "BranchRelUD", w.uds(x.RelatedUD(0), true), []string{"(_numActive, 906, 765)"})
	equal(t, "test cases", w.orders(x, 0, g), []string{
		"765:write _numActive -> 906:read _numActive",
		"906:read _numActive -> 765:write _numActive",
	})
}

// Fig. 18 and 19: T2 is a loop without end, of which the trace has two rounds.
const figure19 = `
	T2 279 read pingInterval
	T2 279 branch false < pingInterval
	T2 286 write pingInterval
	T2 279 read pingInterval
	T2 279 branch false < pingInterval
	AWT 112 write pingInterval
`

func TestTableVII(t *testing.T) {
	w := parse(t, figure19)
	x := Read(w.Trace)
	g, _ := Draw(x, 1000)
	first, second := w.orders(x, 0, g), w.orders(x, 1, g)
	equal(t, "b2,1", first, []string{
		"279:read pingInterval -> 112:write pingInterval",
		"112:write pingInterval -> 279:read pingInterval",
	})
	slices.Sort(second[1:])
	equal(t, "b2,2", second, []string{
		"286:write pingInterval -> 279:read pingInterval -> 112:write pingInterval",
		"112:write pingInterval -> 286:write pingInterval -> 279:read pingInterval",
		"286:write pingInterval -> 112:write pingInterval -> 279:read pingInterval",
	})
	if n := len(first) + len(second); n != 5 {
		t.Errorf("%d test cases, want 5", n)
	}
}
