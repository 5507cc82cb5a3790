package pcr

import (
	"context"
	"slices"
	"testing"

	"heddle/explore/mapcov"
	"heddle/internal/progen"
	"heddle/internal/progen/machine"
	"heddle/order"
	"heddle/trace"
)

// figure1 is the execution of Fig. 1(b). The paper calls the accesses s6 to s26 by their lines.
const figure1 = `
1 R aL s6 1
2 R aL s19 1
1 R aL s8 1
2 R aL s20 1
1 R aL s11 1
2 R aL s22 1
2 R aL s25 1
2 W aL s26 0`

// TestFigure3: from that execution exactly p2, p4, p6, p7 and p9 are made; p1, p3, p5 it
// shows, and p8 is interrupted.
func TestFigure3(t *testing.T) {
	createFrom(traceOf(t, figure1), AllRules).same(t, "W26 R6", "W26 R8", "W26 R11", "R6 W26 R8",
		"R8 W26 R11")
	c := createFrom(traceOf(t, figure1), AllRules&^Interrupted)
	if c.texts()["R6 W26 R11"] == 0 {
		t.Error("p8 is not made without rule 5")
	}
	for _, p := range []string{"R6 W26", "R8 W26", "R11 W26"} {
		if c := createFrom(traceOf(t, figure1), AllRules&^(Covered|OldState)); c.texts()[p] == 0 {
			t.Errorf("%s is not made without rules 2 and 4", p)
		}
	}
}

// TestFigure4: a schedule for p7 satisfies i1 < i8 < i3 and the order of both
// goroutines, and goes no further than i3.
func TestFigure4(t *testing.T) {
	tr := traceOf(t, figure1)
	c := createFrom(tr, AllRules)
	for i := range c.found {
		k := &c.found[i]
		if c.text(k) != "R6 W26 R8" {
			continue
		}
		a := c.problem.Solve(context.Background(), c.goal(k, k.n, true))
		if a.Verdict != order.Found {
			t.Fatalf("no schedule: %v", a)
		}
		var at []int
		for _, site := range []int{6, 19, 20, 22, 25, 26} {
			at = append(at, slices.IndexFunc(a.Order,
				func(e int) bool { return tr.Events[e].Site.Index() == site }))
		}
		if !slices.IsSorted(at[1:]) || at[0] < 0 || at[0] > at[5] {
			t.Errorf("the order %v does not satisfy the constraints", a.Order)
		}
		if slices.ContainsFunc(a.Order, func(e int) bool { return tr.Events[e].Site.Index() == 8 }) {
			t.Error("i3 is done already, it is to be next")
		}
		return
	}
	t.Fatal("p7 was not made")
}

// figure2 is the class and the test of Fig. 1 and 2: v0 is aL, which is 0 when
// it is null; a size or an element of null panics.
func figure2() *progen.Program {
	read := func() []*progen.Stmt {
		return []*progen.Stmt{{Op: progen.Read}, {Op: progen.If, Val: 0,
			Body: []*progen.Stmt{{Op: progen.Panic}}}}
	}
	attached := append([]*progen.Stmt(nil), read()...)
	attached = append(attached, read()...)
	isAttached := []*progen.Stmt{{Op: progen.Read}, {Op: progen.If, Val: 1, Body: attached}}
	var remove []*progen.Stmt
	for range 3 {
		remove = append(remove, read()...)
	}
	remove = append(remove, &progen.Stmt{Op: progen.Write, Src: -1, Val: 0})
	removeAll := []*progen.Stmt{{Op: progen.Read}, {Op: progen.If, Val: 1, Body: remove}}
	p := &progen.Program{Vars: 1, Body: []*progen.Stmt{
		{Op: progen.Write, Src: -1, Val: 1}, {Op: progen.Go, Body: isAttached},
		{Op: progen.Go, Body: removeAll},
	}}
	p.Number()
	return p
}

// TestSection3: the first execution is that of Fig. 1(b), the second one has the bug.
func TestSection3(t *testing.T) {
	m := machine.New(figure2())
	m.Values = true
	s := New(Map())
	first := *s.Next()
	// main's write and go statements, then as in the figure.
	for _, g := range []trace.GID{0, 0, 0, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 3, 3} {
		first.Steps = append(first.Steps, trace.Step{G: g, Choice: -1})
	}
	tr, err := m.Execute(context.Background(), &first)
	if err != nil || tr.Verdict != trace.Finished {
		t.Fatal(tr.Verdict, err)
	}
	s.Done(tr)
	second := s.Next()
	if s.target == nil || s.target.n != 3 {
		t.Fatalf("the longest pattern is not the first: %+v", s.target)
	}
	if tr, err = m.Execute(context.Background(), second); err != nil || tr.Verdict != trace.Panicked {
		t.Fatalf("the second execution %v: %v", tr.Verdict, err)
	}
	s.Done(tr)
	if s.Stats().Missed > 0 {
		t.Error("the schedule did not show its pattern")
	}
}

// TestFigure5: the four examples of section 4.2, rebuilt from the prose.
func TestFigure5(t *testing.T) {
	// (a) (s3, s2, s1): s1 and s3 would change places.
	a := traceOf(t, "1 R x s1 7\n1 R x s3 7\n2 W x s2 8")
	createFrom(a, AllRules).same(t, "W2 R1", "W2 R3", "R1 W2 R3")
	if createFrom(a, AllRules&^HappensBefore).texts()["R3 W2 R1"] == 0 {
		t.Error("(a) is not made without rule 3")
	}

	// (b) s3 sees what s2 wrote. That s3 is after s1 is so already and changes nothing; it sees
	// another value only between s1 and s2.
	b := traceOf(t, "1 W x s1 7\n1 W x s2 8\n2 R x s3 8")
	createFrom(b, AllRules).same(t, "R3 W1", "R3 W2", "W1 R3 W2")
	equal := traceOf(t, "1 W x s1 8\n1 W x s2 8\n2 R x s3 8")
	createFrom(equal, AllRules).same(t, "R3 W1")
	if createFrom(equal, AllRules&^OldState).texts()["W1 R3 W2"] == 0 {
		t.Error("(b) is not made without rule 4")
	}

	// (c) (s1, s4, s3) leaves open whether s2 or s4 is first.
	c := traceOf(t, "1 W x s1 7\n1 W x s2 8\n2 W x s4 9\n1 R x s3 9")
	cc := createFrom(c, AllRules&^(Covered|OldState))
	if n := cc.texts(); n["W1 W4 R3"] > 0 || n["W2 W4 R3"] == 0 {
		t.Error("(c) ", n)
	}
	if n := createFrom(c, AllRules&^(Covered|OldState|Interrupted)).texts(); n["W1 W4 R3"] == 0 {
		t.Error("(c) is not made without rule 5")
	}

	// (d) both x and y are accessed in the order in which they were; only the order between them is
	// another.
	d := traceOf(t, "2 R y s1 1\n1 W x s2 2\n3 W x s5 4\n2 R x s3 4\n1 W y s4 3")
	want := "W2 R1 W4 R3"
	if createFrom(d, AllRules).texts()[want] > 0 {
		t.Error("(d) is made in spite of rule 6")
	}
	if createFrom(d, AllRules&^(Redundant|Covered)).texts()[want] == 0 {
		t.Error("(d) is not made without rule 6")
	}
}

// minimal is for each row of Table 1 a trace that shows it.
var minimal = [...]string{
	1:  "1 R x s1\n2 W x s2",
	2:  "1 W x s1\n2 R x s2",
	3:  "1 W x s1\n2 W x s2",
	4:  "1 R x s1\n2 W x s2\n1 R x s3",
	5:  "1 W x s1\n2 W x s2\n1 R x s3",
	6:  "1 W x s1\n2 R x s2\n1 W x s3",
	7:  "1 R x s1\n2 W x s2\n1 W x s3",
	8:  "1 W x s1\n2 W x s2\n1 W x s3",
	9:  "1 W x s1\n2 W x s2\n2 W y s3\n1 W y s4",
	10: "1 W x s1\n2 W y s2\n2 W x s3\n1 W y s4",
	11: "1 W x s1\n2 W y s2\n1 W y s3\n2 W x s4",
	12: "1 W x s1\n2 R x s2\n2 R y s3\n1 W y s4",
	13: "1 W x s1\n2 R y s2\n2 R x s3\n1 W y s4",
	14: "1 R x s1\n2 W x s2\n2 W y s3\n1 R y s4",
	15: "1 R x s1\n2 W y s2\n2 W x s3\n1 R y s4",
	16: "1 R x s1\n2 W y s2\n1 R y s3\n2 W x s4",
	17: "1 W x s1\n2 R y s2\n1 W y s3\n2 R x s4",
}

// TestTable1: every row is found in its trace, once, and no other row of that length.
func TestTable1(t *testing.T) {
	if len(mapcov.Table) != 17 {
		t.Fatalf("the table has %d rows", len(mapcov.Table))
	}
	for _, row := range mapcov.Table {
		tr := traceOf(t, minimal[row.ID])
		n := 0
		mapcov.NewNames().Read(tr).Each(func(p mapcov.Pattern) {
			if p.Len() == len(tr.Events)-2 {
				n++
				if int(p.Row) != row.ID {
					t.Errorf("row %d: the trace shows row %d", row.ID, p.Row)
				}
			}
		})
		if n != 1 {
			t.Errorf("row %d: found %d times", row.ID, n)
		}
	}
}

// TestTable1Created: from a sequential execution every row can be made, and its schedule shows it.
func TestTable1Created(t *testing.T) {
	for _, row := range mapcov.Table {
		// goroutine 1, then goroutine 2, whatever the pattern says.
		tr := traceOf(t, sequential(minimal[row.ID]))
		if !slices.ContainsFunc(createFrom(tr, NonDefined|HappensBefore).found,
			func(k candidate) bool { return int(k.row) == row.ID }) {
			t.Errorf("row %d is not made", row.ID)
		}
	}
}
