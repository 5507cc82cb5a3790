package branch

import (
	"slices"
	"testing"
)

const (
	b11 = "b1,1"
	b21 = "b2,1"
)

// Tables III and IV. V5 makes both branches false, as row 4 says; the paper enters that
// only when row 4 is looked at, and executes V5 again: the variants are the same four of six.
func TestTablesIIIAndIV(t *testing.T) {
	tab := NewTable()
	tab.Branch(b11, false)
	tab.Branch(b21, false)
	for _, m := range []struct {
		branch, group string
		variants      []int
	}{{b11, "g1", []int{1, 2, 3}}, {b11, "g2", []int{5}}, {b11, "g3", []int{4}},
		{b21, "g1", []int{1, 2, 4}}, {b21, "g2", []int{3, 5}}} {
		for _, v := range m.variants {
			tab.Classify(m.branch, m.group, v)
		}
	}
	rows := func(tested int) {
		t.Helper()
		if n, total := tab.Rows(); n != tested || total != 4 {
			t.Errorf("%d of %d rows tested, want %d of 4", n, total, tested)
		}
	}
	next := func(want ...int) {
		t.Helper()
		if got := tab.Next(); !slices.Equal(got, want) {
			t.Fatalf("test cases %v, want %v", got, want)
		}
	}

	// Fig. 11.
	tab.Executed(1, map[string]int64{b11: 1, b21: 1}, "")
	rows(1)
	if tab.Settled(b11, "g2") || tab.Settled(b11, "g3") || tab.Settled(b21, "g2") ||
		!tab.Settled(b11, "g1") || !tab.Settled(b21, "g1") {
		t.Error("other groups than g1 are tested")
	}
	next(5) // step 3.2.3 produces none; 3.2.4 takes V5 from g2(b1,1)

	tab.Classify(b11, "g2", 6) // steps 4.3 and 4.4
	tab.Classify(b21, "g1", 6)
	tab.Executed(5, map[string]int64{b11: 0, b21: 0}, "")
	rows(2)
	next(3, 6) // rows 2 and 3 of Table IV: {V5, V6} with {V1, V2, V4, V6}, {V1, V2, V3} with {V3, V5}

	tab.Executed(3, map[string]int64{b11: 1, b21: 0}, "")
	tab.Executed(6, map[string]int64{b11: 0, b21: 1}, "")
	rows(4)
	next()
	if tab.Settled(b11, "g3") { // Fig. 12
		t.Error("g3(b1,1) was tested")
	}
}

// The other end of step 2: a combination cannot be, and all groups are tested.
func TestInfeasibleCombination(t *testing.T) {
	tab := NewTable()
	tab.Branch(b11, false)
	tab.Branch(b21, false)
	for _, b := range []string{b11, b21} {
		tab.Classify(b, "g1", 1)
		tab.Classify(b, "g2", 2)
	}
	tab.Executed(1, map[string]int64{b11: 1, b21: 1}, "")
	if got := tab.Next(); !slices.Equal(got, []int{2}) {
		t.Fatalf("test cases %v", got)
	}
	tab.Executed(2, map[string]int64{b11: 0, b21: 0}, "")
	if got := tab.Next(); got != nil {
		t.Errorf("test cases %v where all groups are tested", got)
	}
	if n, total := tab.Rows(); n != 2 || total != 4 {
		t.Errorf("%d of %d rows", n, total)
	}
}

// Rounds with the same MANNERS count once (Fig. 7: 2 and 3 do, 1 does not).
func TestRoundsCountOnce(t *testing.T) {
	tab := NewTable()
	tab.Branch("loop", true)
	tab.Branch(b21, false)
	manners := map[int64]string{1: "first", 2: "second", 3: "second"}
	for n := int64(1); n <= 3; n++ {
		tab.Executed(int(n), map[string]int64{"loop": n, b21: 1}, manners[n])
	}
	if n, total := tab.Rows(); n != 2 || total != 4 {
		t.Errorf("%d of %d rows, want 2 of 4: rounds 1 and 2, condition true", n, total)
	}
	tab.Executed(4, map[string]int64{"loop": 3, b21: 0}, "other")
	if n, _ := tab.Rows(); n != 3 {
		t.Errorf("%d rows: three rounds with a false condition are two", n)
	}
}

// A variant that cannot be takes its group with it, unless that was tested.
func TestDrop(t *testing.T) {
	tab := NewTable()
	tab.Branch(b11, false)
	tab.Classify(b11, "g1", 1)
	tab.Classify(b11, "g2", 2)
	tab.Executed(1, map[string]int64{b11: 1}, "")
	tab.Drop(2)
	if got := tab.Next(); got != nil {
		t.Errorf("test cases %v", got)
	}
	if n, known := tab.Groups(b11); n != 1 || known != 1 {
		t.Errorf("%d groups, %d known", n, known)
	}
}
