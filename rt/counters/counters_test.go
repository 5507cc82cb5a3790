package counters

import (
	"reflect"
	"testing"
	"unsafe"
)

func TestSeen(t *testing.T) {
	defer func() { All = nil }()
	All = make([]byte, 13)
	var s Seen
	for i, x := range []struct {
		set              map[int]byte
		branches, counts int
	}{
		{nil, 0, 0},
		{map[int]byte{0: 1, 9: 3, 12: 255}, 3, 3},
		{map[int]byte{0: 1, 9: 2, 12: 128}, 0, 0},
		{map[int]byte{0: 2, 11: 1}, 1, 2},
		{map[int]byte{12: 1}, 0, 1},
	} {
		Reset()
		for at, n := range x.set {
			All[at] = n
		}
		b, news := s.Add()
		if b != x.branches || len(news) != x.counts {
			t.Errorf("%d: %d new branches and %d counts, want %d and %d", i, b, len(news), x.branches,
				x.counts)
		}
		if !Has(news) {
			t.Errorf("%d: not all of %v", i, news)
		}
		if Reset(); len(news) > 0 && Has(news) {
			t.Errorf("%d: %v without any", i, news)
		}
	}
}

// What is equal, or nearer, is news at each place, whatever branch it leads to.
func TestCompared(t *testing.T) {
	Reset()
	var s Seen
	Text("", "b", false, 1)
	Number(7, 7, 8, false, 2) // no constant
	Number('a', 'a', 1, true, 3)
	if b, news := s.Add(); b != 0 || news != nil {
		t.Errorf("%d branches, %v, want none", b, news)
	}
	Text("a", "a", false, 1)
	Number(7, 7, 8, true, 2)
	b, news := s.Add()
	if b != 2 || !Has(news) {
		t.Errorf("%d branches, %v, want 2", b, news)
	}
	if b, again := s.Add(); b != 0 || again != nil {
		t.Errorf("%d branches, %v, want none", b, again)
	}
	for i, want := range []int{1, 0, 1, 0, 1, 0, 0} {
		Text([]string{"x", "y", "an", "a", "abcd", "abc4", "abc5"}[i], "abc45", false, 1)
		if b, _ := s.Add(); b != want {
			t.Errorf("text %d: %d branches, want %d", i, b, want)
		}
	}
	if Reset(); Has(news) {
		t.Errorf("%v without any", news)
	}
}

func TestWatch(t *testing.T) {
	Number(1, 2, 8, false, 1) // before
	Watch()
	Number(3, 3, 8, false, 1) // equal
	Number(4, 5, 2, true, 77)
	Text("a", "bcd", true, 9)
	p := new([1 << 16]byte)
	Number(uint64(uintptr(unsafe.Pointer(p))), 0, 8, false, 78) // an address
	Number(0, uint64(uintptr(unsafe.Pointer(&p[9]))), 8, false, 79)
	want := []Pair{{Text: true, S: "a", T: "bcd", Fold: true}, {A: 4, B: 5, Size: 2, Const: true}}
	if got := Watched(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	Watch()
	if got := Watched(); got != nil {
		t.Errorf("%+v of an earlier execution", got)
	}
}
