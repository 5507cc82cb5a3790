package fair

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A class that grows while it has its turns keeps no other waiting, and one that comes late is
// next.
func TestTurns(t *testing.T) {
	q := New[string, int](func(c string) int {
		if c == "dear" {
			return 3
		}
		return 1
	})
	q.Add("grows", 0, 0)
	for i := range 10 {
		q.Add("small", 0, 100+i)
		q.Add("dear", 0, 200+i)
	}
	var got []int
	for range 14 {
		x, ok := q.Next()
		if !ok {
			t.Fatal("empty")
		}
		got = append(got, x)
		if x < 100 {
			q.Add("grows", 0, x+1)
			q.Add("grows", 0, x+1)
		}
	}
	if want := []int{0, 100, 200, 1, 101, 1, 102, 2, 103, 201, 2, 104, 2, 105}; !slices.Equal(got, want) {
		t.Errorf("turns %v, want %v", got, want)
	}
	q.Add("late", 0, -1)
	if x, _ := q.Next(); x != -1 {
		t.Errorf("next is %d, want that of the class which had no turn", x)
	}
}

// Within a class the lowest rank comes first, and of the same rank what was added first; Ahead says
// what will come, and changes nothing.
func TestRank(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		q := New[int, [2]int](func(c int) int { return c })
		for i := range 40 {
			q.Add(r.IntN(3), r.IntN(4), [2]int{i})
		}
		var ahead [][2]int
		q.Ahead(30, func(x [2]int) bool { ahead = append(ahead, x); return true })
		for i, want := range ahead {
			if got, ok := q.Next(); !ok || got != want {
				t.Fatalf("%d: next is %v, and was to be %v", i, got, want)
			}
		}
		if len(ahead) != 30 || q.Len() != 10 {
			t.Fatalf("%d ahead, %d left", len(ahead), q.Len())
		}
	}
	q := New[int, int](func(int) int { return 1 })
	for i, rank := range []int{2, 1, 2, 0, 1, 0} {
		q.Add(0, rank, i)
	}
	var got []int
	for q.Len() > 0 {
		x, _ := q.Next()
		got = append(got, x)
	}
	if want := []int{3, 5, 1, 4, 0, 2}; !slices.Equal(got, want) {
		t.Errorf("by rank %v, want %v", got, want)
	}
}

// What was done by the way counts as a turn.
func TestCharge(t *testing.T) {
	q := New[int, int](func(int) int { return 1 })
	q.Add(1, 0, 1)
	q.Add(2, 0, 2)
	q.Charge(1)
	if x, _ := q.Next(); x != 2 {
		t.Errorf("next is %d", x)
	}
}
