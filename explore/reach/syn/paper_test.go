package syn

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The paper's examples. The figures themselves are lost: sequences are rebuilt
// from the text, which states the race sets, and timestamps are what the rules give.

func names(es []*Event) string {
	var s []string
	for _, e := range es {
		s = append(s, e.Name)
	}
	slices.Sort(s)
	return strings.Join(s, " ")
}

func wantRaces(t *testing.T, q *Sequence, want map[string]string) {
	t.Helper()
	for _, e := range q.Events {
		if got := names(q.RaceSet(e)); !e.Sends && got != want[e.Name] {
			t.Errorf("race_set(%s) = {%s}, want {%s}", e.Name, got, want[e.Name])
		}
	}
}

func wantTimes(t *testing.T, q *Sequence, want map[string]string) {
	t.Helper()
	for _, e := range q.Events {
		if got := strings.Trim(fmt.Sprint(e.TS), "[]"); got != want[e.Name] {
			t.Errorf("timestamp of %s is %s, want %s", e.Name, got, want[e.Name])
		}
	}
}

func descriptor(e *Event) string {
	if e.Sends {
		return fmt.Sprintf("(%s,%s,%s,%d)", e.Owner, e.Dest, e.Operation, e.Index)
	}
	return fmt.Sprintf("(%s,%v,%d)", e.Owner, e.OpenList, e.Index)
}

func wantDescriptors(t *testing.T, q *Sequence, want ...string) {
	t.Helper()
	for i, e := range q.Events {
		if got := e.Name + descriptor(e); got != want[i] {
			t.Errorf("event %s, want %s", got, want[i])
		}
	}
}

func TestFigure2(t *testing.T) {
	q := New(3)
	s1 := q.Send("s1", 3, "p1", "send")
	q.Receive("r1", 2, s1, false, "p1")
	s2 := q.Send("s2", 1, "p1", "send")
	q.Receive("r2", 2, s2, false, "p1")
	s3 := q.Send("s3", 3, "p2", "send")
	q.Receive("r3", 2, s3, false, "p2")
	s4 := q.Send("s4", 1, "p1", "send")
	q.Receive("r4", 2, s4, false, "p1")
	wantRaces(t, q, map[string]string{"r1": "s2"})
	wantTimes(t, q, map[string]string{
		"s1": "0 0 1", "r1": "0 1 1", "s2": "1 0 0", "r2": "1 2 1", "s3": "0 0 2", "r3": "1 3 2",
		"s4": "2 0 0", "r4": "2 4 2",
	})
	wantDescriptors(t, q, "s1(T3,p1,send,1)", "r1(T2,[p1],1)", "s2(T1,p1,send,1)", "r2(T2,[p1],2)",
		"s3(T3,p2,send,2)", "r3(T2,[p2],3)", "s4(T1,p1,send,2)", "r4(T2,[p1],4)")
	if !open(s2, q.Find("r1")) || open(s3, q.Find("r2")) || open(s4, q.Find("r3")) {
		t.Error("s2 is open at r1; s3 at r2 and s4 at r3 are not")
	}
}

func TestFigure3(t *testing.T) {
	q := New(3)
	s1 := q.Send("s1", 3, "p2", "send")
	q.Receive("r1", 2, s1, true, "p1", "p2")
	s2 := q.Send("s2", 1, "p1", "send")
	q.Receive("r2", 2, s2, true, "p1")
	s3 := q.Send("s3", 3, "p2", "send")
	q.Receive("r3", 2, s3, true, "p1", "p2")
	s4 := q.Send("s4", 1, "p1", "send")
	q.Receive("r4", 2, s4, true, "p1")
	wantRaces(t, q, map[string]string{"r1": "s2", "r3": "s4"})
	wantTimes(t, q, map[string]string{
		"s1": "0 0 1", "r1": "0 1 1", "s2": "1 0 0", "r2": "1 2 1", "s3": "0 1 2", "r3": "1 3 2",
		"s4": "2 2 1", "r4": "2 4 2",
	})
	wantDescriptors(t, q, "s1(T3,p2,send,1)", "r1(T2,[p1 p2],1)", "s2(T1,p1,send,1)", "r2(T2,[p1],2)",
		"s3(T3,p2,send,2)", "r3(T2,[p1 p2],3)", "s4(T1,p1,send,2)", "r4(T2,[p1],4)")
	if Before(s1, s2) || Before(s2, s1) {
		t.Error("s1 and s2 were sent at the same time")
	}
	if open(s3, q.Find("r2")) {
		t.Error("s3 is open at r2, where p2 was closed")
	}
}

// Section 4: s and s' were sent at the same time though T3 received one after the other.
func TestSynchronousSendsAtTheSameTime(t *testing.T) {
	q := New(3)
	s := q.Send("s", 1, "p", "send")
	r := q.Receive("r", 3, s, true, "p")
	s2 := q.Send("s'", 2, "p", "send")
	r2 := q.Receive("r'", 3, s2, true, "p")
	for _, c := range []struct {
		e, f *Event
		want bool
	}{{s, r, true}, {s2, r2, true}, {r, r2, true}, {s, r2, true}, {s, s2, false}, {s2, s, false},
		{r, s2, false}, {r2, s, false}} {
		if got := Before(c.e, c.f); got != c.want {
			t.Errorf("%s happened before %s: %v, want %v", c.e.Name, c.f.Name, got, c.want)
		}
	}
	wantRaces(t, q, map[string]string{"r": "s'"})
}

func TestFigure4(t *testing.T) {
	q := New(2)
	c1 := q.Send("c1", 2, "s", "P")
	q.Complete("e1", c1, "P")
	q.Learn(2, "s")
	c2 := q.Send("c2", 2, "s", "V")
	c3 := q.Send("c3", 1, "s", "P")
	q.Complete("e2", c2, "V")
	q.Learn(2, "s")
	q.Complete("e3", c3, "P")
	q.Learn(1, "s")
	c4 := q.Send("c4", 1, "s", "V")
	q.Complete("e4", c4, "V")
	q.Learn(1, "s")
	wantRaces(t, q, map[string]string{"e1": "c3"})
	wantTimes(t, q, map[string]string{
		"c1": "0 1", "e1": "0 1", "c2": "0 2", "c3": "1 0", "e2": "0 2", "e3": "1 2", "c4": "2 2",
		"e4": "2 2",
	})
	wantDescriptors(t, q, "c1(T2,s,P,1)", "e1(s,[P],1)", "c2(T2,s,V,2)", "c3(T1,s,P,1)", "e2(s,[V],2)",
		"e3(s,[P],3)", "c4(T1,s,V,2)", "e4(s,[V],4)")
	if open(c3, q.Find("e2")) {
		t.Error("P is open at the V of a binary semaphore")
	}
}

func TestFigure5(t *testing.T) {
	q := New(2)
	c1 := q.Send("c1", 1, "M", "m1")
	q.Complete("e1", c1, "m1", "m2")
	c2 := q.Send("c2", 2, "M", "m2")
	q.Complete("e2", c2, "m1", "m2")
	q.Learn(1, "M") // signalled
	c3 := q.Send("c3", 1, "M", "m1")
	q.Learn(2, "M")
	q.Complete("e3", c3, "m1", "m2")
	q.Learn(1, "M")
	wantRaces(t, q, map[string]string{"e1": "c2"})
	wantTimes(t, q, map[string]string{"c1": "1 0", "e1": "1 0", "c2": "0 1", "e2": "1 1", "c3": "2 1",
		"e3": "2 1"})
	wantDescriptors(t, q, "c1(T1,M,m1,1)", "e1(M,[m1 m2],1)", "c2(T2,M,m2,1)", "e2(M,[m1 m2],2)",
		"c3(T1,M,m1,2)", "e3(M,[m1 m2],3)")
	if !Before(q.Find("e2"), c3) {
		t.Error("e2 happened before c3")
	}
}

// rename gives events the paper's names.
func rename(q *Sequence, m map[string]string) *Sequence {
	for _, e := range q.Events {
		if n := m[key(e)]; n != "" {
			e.Name = n
		}
	}
	return q
}

func first(prog Program) *Sequence {
	q, _, _ := prog.run(nil)
	return q
}

func all(q *Sequence) func(*Event) []*Event {
	return func(r *Event) []*Event {
		if r.Sends {
			return nil
		}
		return q.RaceSet(r)
	}
}

func TestFigure6(t *testing.T) {
	prog := Program{{To("p"), To("p")}, {From("p"), From("p"), From("p")}, {From("q"), To("p")}, {To("q")}}
	label := map[string]string{"T1.1": "s1", "T1.2": "s4", "T2.1": "r1", "T2.2": "r3", "T2.3": "r4",
		"T3.1": "r2", "T3.2": "s3", "T4.1": "s2"}
	// Q: r3 receives s3. Free runs take what was sent first, so make it by a variant.
	q0 := first(prog)
	var q *Sequence
	prog.Reach(func(p, _ *Sequence, _ *Variant, _ bool) {
		if p.Find("T2.1").Partner == p.Find("T1.1") && p.Find("T2.2").Partner == p.Find("T3.2") {
			q = p
		}
	})
	if q == nil {
		t.Fatalf("no sequence in which r3 receives s3, only such as %v", q0)
	}
	rename(q, label)
	r3, s3, s4 := q.Find("r3"), q.Find("s3"), q.Find("s4")
	if got := names(q.ControlStructure(s3)); got != "r2 s2" {
		t.Errorf("c-struct(s3) = {%s}", got)
	}
	if got := names(q.ControlStructure(r3)); got != "r1 s1" {
		t.Errorf("c-struct(r3) = {%s}", got)
	}
	if got := names(q.ControlStructure(s4)); got != "s1" {
		t.Errorf("c-struct(s4) = {%s}", got)
	}
	if !slices.Contains(q.RaceSet(r3), s4) {
		t.Fatal("s4 does not race at r3")
	}
	table := q.Construct(func(r *Event) []*Event {
		if r == r3 {
			return []*Event{s4}
		}
		return nil
	})
	if len(table.Rows) != 1 {
		t.Fatalf("rows %v", table.Rows)
	}
	v := q.Variant(table, 0)
	if v.Has(q.Find("r4")) {
		t.Error("V1 keeps r4")
	}
	q1, _, _ := prog.run(v)
	rename(q1, label)
	for _, n := range []string{"s4", "r3", "s3", "r1"} {
		if !Equal(q, q.Find(n), q1, q1.Find(n)) {
			t.Errorf("%s of Q and of Q1 are different events", n)
		}
	}
	if Equal(q, q.Find("r4"), q1, q1.Find("r4")) {
		t.Error("the third receive is the same event in Q and in Q1: r4 and r5 are two")
	}
}

// fig1 is the program of Fig. 1.
var fig1 = Program{{To("p1")}, {From("p1"), To("p2"), From("p1")}, {From("p2"), From("p2")},
	{To("p1"), To("p2")}}

var fig1Names = map[string]string{"T1.1": "s1", "T2.1": "r1", "T2.2": "s3", "T2.3": "r2", "T3.1": "r3",
	"T3.2": "r4", "T4.1": "s2", "T4.2": "s4"}

func TestTable3(t *testing.T) {
	q := rename(first(fig1), fig1Names)
	wantRaces(t, q, map[string]string{"r1": "s2", "r3": "s4"})
	table := q.Construct(all(q))
	if names(table.Heading) != "r1 r3" || fmt.Sprint(table.Rows) != "[[0 1] [1 0] [1 1]]" {
		t.Fatalf("heading %s, rows %v", names(table.Heading), table.Rows)
	}
	v1, v2, v3 := q.Variant(table, 0), q.Variant(table, 1), q.Variant(table, 2)
	r1, r3 := q.Find("r1"), q.Find("r3")
	partner := func(v *Variant, r *Event) string {
		if s := v.Partner[r]; s != nil {
			return s.Name
		}
		return "none"
	}
	for i, c := range []struct {
		v      *Variant
		r1, r3 string
		third  bool // s3 and r2, which come after r1, are kept
	}{{v1, "s1", "s4", true}, {v2, "s2", "none", false}, {v3, "s2", "s4", false}} {
		if partner(c.v, r1) != c.r1 || partner(c.v, r3) != c.r3 || c.v.Has(q.Find("s3")) != c.third ||
			c.v.Has(q.Find("r2")) != c.third {
			t.Errorf("V%d: r1 from %s, r3 from %s, s3 kept: %v, r2 kept: %v", i+1, partner(c.v, r1),
				partner(c.v, r3), c.v.Has(q.Find("s3")), c.v.Has(q.Find("r2")))
		}
	}
	// r4's control structure has r3 in it, and r1, which happened before r3.
	for i, v := range []*Variant{v1, v2, v3} {
		if v.Has(q.Find("r4")) || !v.Has(r3) {
			t.Errorf("V%d keeps r4, or not r3", i+1)
		}
	}
}

// Fig. 7 by its rules, on sequences in which each of them has something to do.
func TestFigure7(t *testing.T) {
	// Rule 1: r1, changed, removes r2, which its thread receives afterwards.
	q := New(4)
	s1, s2, s3 := q.Send("s1", 1, "p", "send"), q.Send("s2", 3, "p", "send"), q.Send("s3", 4, "p", "send")
	q.Receive("r1", 2, s1, false, "p")
	q.Receive("r2", 2, s2, false, "p")
	q.Receive("r3", 2, s3, false, "p")
	wantTable(t, q, "r1 r2", "[[0 1] [1 -1] [2 -1]]")

	// Rule 2: a comes first in the heading, and does not control the others; when it is counted up
	// r1 goes back, and r2 is there again.
	q = New(7)
	a, b := q.Send("a", 5, "p'", "send"), q.Send("b", 6, "p'", "send")
	q.Receive("a'", 7, a, false, "p'")
	q.Receive("b'", 7, b, false, "p'")
	s1, s2, s3 = q.Send("s1", 1, "p", "send"), q.Send("s2", 3, "p", "send"), q.Send("s3", 4, "p", "send")
	q.Receive("r1", 2, s1, false, "p")
	q.Receive("r2", 2, s2, false, "p")
	q.Receive("r3", 2, s3, false, "p")
	wantTable(t, q, "a' r1 r2", "[[0 0 1] [0 1 -1] [0 2 -1] [1 0 0] [1 0 1] [1 1 -1] [1 2 -1]]")

	// Rule 3, in Q1 of Fig. 1: s3 cannot go to r3 when r1, before s3, is changed.
	q0 := rename(first(fig1), fig1Names)
	q, _, _ = fig1.run(q0.Variant(q0.Construct(all(q0)), 0))
	rename(q, fig1Names)
	wantRaces(t, q, map[string]string{"r1": "s2", "r3": "s3"})
	wantTable(t, q, "r1 r3", "[[0 1] [1 0]]")
}

// wantTable asks both algorithms for the race table of q.
func wantTable(t *testing.T, q *Sequence, heading, rows string) {
	t.Helper()
	a, b := q.Construct(all(q)), q.Naive(all(q))
	var names []string
	for _, e := range a.Heading {
		names = append(names, e.Name)
	}
	if got := strings.Join(names, " "); got != heading || fmt.Sprint(a.Rows) != rows {
		t.Errorf("heading %s, rows %v, want %s, %s", got, a.Rows, heading, rows)
	}
	slices.SortFunc(a.Rows, slices.Compare)
	slices.SortFunc(b.Rows, slices.Compare)
	if fmt.Sprint(a.Rows) != fmt.Sprint(b.Rows) {
		t.Errorf("Construct-Race-Table gives %v, the naive algorithm %v", a.Rows, b.Rows)
	}
}

// within reports whether variant v of q is a prefix of p.
func within(q *Sequence, v *Variant, p *Sequence) bool {
	for _, e := range v.Events {
		f := p.Find(e.Name)
		if f == nil || !Equal(q, e, p, f) && !v.unsettled(q, e) {
			return false
		}
		if s := v.Partner[e]; s != nil && (f.Partner == nil || f.Partner.Name != s.Name) {
			return false
		}
	}
	return true
}

// unsettled reports whether an unmatched receiving event comes before e, whose
// control structure is then not known yet.
func (v *Variant) unsettled(q *Sequence, e *Event) bool {
	return slices.ContainsFunc(q.ControlStructure(e),
		func(r *Event) bool { return !r.Sends && v.Partner[r] == nil })
}

func TestFigure8(t *testing.T) {
	var qs []*Sequence
	var tree []string
	number := func(q *Sequence) int { return slices.Index(qs, q) }
	fig1.Reach(func(q, from *Sequence, _ *Variant, partial bool) {
		if partial {
			t.Error("partial run")
		}
		qs = append(qs, rename(q, fig1Names))
		if from != nil {
			tree = append(tree, fmt.Sprint(number(from)))
		}
	})
	// Q0 to Q3 as in the paper, by the senders to r1 and r3.
	which := map[string]int{"s1 s3": 0, "s1 s4": 1, "s2 s3": 2, "s2 s4": 3}
	order := make([]*Sequence, 4)
	for _, q := range qs {
		order[which[q.Find("r1").Partner.Name+" "+q.Find("r3").Partner.Name]] = q
	}
	if len(qs) != 4 || slices.Contains(order, nil) {
		t.Fatalf("%d sequences", len(qs))
	}
	if strings.Join(tree, " ") != "0 0 0" {
		t.Errorf("the spanning tree's edges come from %v, want all three from Q0", tree)
	}
	var edge [4][4]bool
	for i, q := range order {
		table := q.Construct(all(q))
		for k := range table.Rows {
			v := q.Variant(table, k)
			for j, p := range order {
				edge[i][j] = edge[i][j] || within(q, v, p)
			}
		}
	}
	if !edge[0][1] || !edge[1][0] || !edge[2][1] || edge[1][2] || !edge[0][2] || !edge[2][3] || !edge[0][3] {
		t.Errorf("edges %v: want the cycle Q0 Q1 Q0, the path Q0 Q2 Q3, Q0 to Q3, Q2 to Q1 and not back",
			edge)
	}
	for i := range 4 { // Theorem 1
		var seen [4]bool
		seen[i] = true
		for range 4 {
			for a := range 4 {
				for b := range 4 {
					seen[b] = seen[b] || seen[a] && edge[a][b]
				}
			}
		}
		if seen != [4]bool{true, true, true, true} {
			t.Errorf("from Q%d only %v can be reached", i, seen)
		}
	}
}

// Fig. 9: whichever sequence the first run exercises, all four are exercised once.
func TestFigure9(t *testing.T) {
	var qs []*Sequence
	fig1.Reach(func(q, _ *Sequence, _ *Variant, _ bool) { qs = append(qs, q) })
	for _, q0 := range qs {
		for _, e := range q0.Events {
			e.black = false // the first run has no variant
		}
		seen := map[string]int{shapeOf(q0): 1}
		fig1.reachFrom(q0, nil, nil, func(q, _ *Sequence, _ *Variant, partial bool) {
			if seen[shapeOf(q)]++; partial {
				t.Error("a partial run")
			}
		})
		for _, q := range qs {
			if seen[shapeOf(q)] != 1 || len(seen) != 4 {
				t.Errorf("from %v, %v is exercised %d times, and there are %d", shapeOf(q0), shapeOf(q),
					seen[shapeOf(q)], len(seen))
			}
		}
	}
}

// Fig. 10: what the variants of Fig. 1 leave to be changed, which is nothing: "no new variants can
// be derived from Q1, Q2, and Q3".
func TestFigure10(t *testing.T) {
	q0 := rename(first(fig1), fig1Names)
	table := q0.Construct(all(q0))
	for k, c := range []struct {
		black string
		races map[string]string // by Proposition 2 alone
	}{
		{"r3", map[string]string{"r1": "s2", "r3": "s3"}}, // r3 is black; r1 and s2 are old
		// r1 is black; r3, which had no partner, and s4 are old
		{"r1", map[string]string{"r1": "s1", "r3": "s4"}},
		{"r1 r3", map[string]string{"r1": "s1", "r3": "s3"}},
	} {
		v := q0.Variant(table, k)
		q, old, _ := fig1.run(v)
		rename(q, fig1Names)
		var black []*Event
		for _, e := range q.Events {
			if e.black {
				black = append(black, e)
			}
		}
		if got := names(black); got != c.black {
			t.Errorf("Q%d: {%s} are black, want {%s}", k+1, got, c.black)
		}
		wantRaces(t, q, c.races)
		if vs := q.Generate(v, old); len(vs) > 0 {
			t.Errorf("Q%d has %d variants", k+1, len(vs))
		}
	}
}

func TestFigure11(t *testing.T) {
	prog := Program{{To("p")}, {From("p"), To("q")}, {From("q")}, {To("p")}}
	q := rename(first(prog), map[string]string{"T1.1": "s1", "T2.1": "r1", "T2.2": "s2", "T3.1": "r2",
		"T4.1": "s3"})
	table := q.Construct(all(q))
	if fmt.Sprint(table.Rows) != "[[1]]" || names(table.Sets[0]) != "s3" {
		t.Fatalf("rows %v", table.Rows)
	}
	v := q.Variant(table, 0)
	r2 := q.Find("r2")
	if v.Has(q.Find("s2")) || !v.Has(r2) || v.Partner[r2] != nil {
		t.Error("s2 goes, and r2 stays without a partner")
	}
	p, _, partial := prog.run(v)
	if partial || p.Find("T3.1").Partner != p.Find("T2.2") {
		t.Error("r2 does not receive what r1's thread sends after s3")
	}
}
