package total

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

func TestClassOf(t *testing.T) {
	for _, c := range []struct {
		past *Past
		want Class
	}{
		{nil, New},
		{&Past{Code: "b", Covered: true}, Changed},
		{&Past{Code: "b", Findings: 1}, Changed},
		{&Past{Code: "a", Findings: 1}, Promising},
		{&Past{Code: "a", Findings: 1, Covered: true}, Promising},
		{&Past{Code: "a", Covered: true, Seconds: 1}, Covered},
		{&Past{Code: "a", Seconds: 10, Need: 90}, Promising},
		{&Past{Code: "a", Seconds: 10, Need: 900}, Open},
		{&Past{Code: "a", Seconds: 10}, Open},
	} {
		if got := ClassOf(c.past, "a"); got != c.want {
			t.Errorf("%+v: %v, want %v", c.past, got, c.want)
		}
	}
}

// TestAllocate: cases computed by hand.
func TestAllocate(t *testing.T) {
	isNew, changed := Want{Class: New}, Want{Class: Changed}
	found := Want{Class: Promising, Past: Past{Findings: 1, Seconds: 4}}
	nearly := Want{Class: Promising, Past: Past{Seconds: 10, Need: 40}}
	covered := Want{Class: Covered, Past: Past{Seconds: 3}}
	open := Want{Class: Open, Past: Past{Seconds: 10}}
	can := Want{Class: Open, Past: Past{Seconds: 1, Need: 20}}
	for _, c := range []struct {
		name          string
		seconds, most float64
		tests         []Want
		want          []float64
	}{
		{"none", 10, 0, nil, nil},
		{"one gets all", 600, 0, []Want{isNew}, []float64{600}},
		{"two new ones share", 600, 0, []Want{isNew, changed}, []float64{300, 300}},
		{"new before open", 15, 0, []Want{open, isNew}, []float64{2.5, 12.5}},
		{"too little: open gets nothing", 10, 0, []Want{open, isNew, found}, []float64{0, 5, 5}},
		{"covered gets what it took", 100, 0, []Want{covered, open}, []float64{13, 87}},
		{"covered alone leaves the rest", 100, 0, []Want{covered}, []float64{13}},
		{"no more than what covering needs, first", 70, 0, []Want{open, can}, []float64{40, 30}},
		{"near to being covered gets what it needs", 100, 0, []Want{nearly, isNew, open}, []float64{70,
			20, 10}},
		{"the rest of the time goes to all that are not covered", 130, 0, []Want{isNew, covered, open, open},
			[]float64{10 + 107/3., 13, 107 / 3., 107 / 3.}},
		{"-budget is the most", 1000, 20, []Want{isNew, open, covered}, []float64{20, 20, 13}},
		{"nothing left", 0, 0, []Want{isNew, open}, []float64{0, 0}},
		{"-budget below all", 100, 2, []Want{isNew, covered, nearly}, []float64{2, 2, 2}},
	} {
		got := Allocate(c.seconds, c.most, c.tests)
		for i := range c.want {
			if len(got) != len(c.want) || math.Abs(got[i]-c.want[i]) > 1e-9 {
				t.Errorf("%s: %v, want %v", c.name, got, c.want)
				break
			}
		}
	}
}

// TestAllocateRandomly: what holds of every division. The sum is what there is at most; no test
// gets less than nothing, or more than it may; those that come first are served before the others;
// tests that are alike get the same.
func TestAllocateRandomly(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var tests []Want
		for range r.IntN(8) {
			tests = append(tests, Want{Class(r.IntN(5)), Past{Seconds: float64(r.IntN(20)),
				Need: float64(r.IntN(3) * r.IntN(200))}})
		}
		seconds, most := float64(r.IntN(300)), float64(r.IntN(2)*r.IntN(30))
		got := Allocate(seconds, most, tests)
		sum := 0.0
		others, hungry := 0.0, false
		for i, s := range got {
			sum += s
			if s < 0 || most > 0 && s > most+1e-9 || math.IsNaN(s) {
				t.Fatalf("%v of %v %v %+v", got, seconds, most, tests)
			}
			if !tests[i].Class.first() {
				others += s
			} else if want := max(usual, tests[i].Past.Need*needFactor); s < want-1e-9 && (most == 0 ||
				s < most-1e-9) {
				hungry = hungry || s < seconds-1e-9
			}
			for k := range i {
				if tests[k] == tests[i] && math.Abs(got[k]-s) > 1e-6 {
					t.Fatalf("alike, and not the same: %v of %+v", got, tests)
				}
			}
		}
		if sum > seconds+1e-6 {
			t.Fatalf("%v is more than %v: %+v", got, seconds, tests)
		}
		if hungry && others > 1e-9 {
			t.Fatalf("others got %v while one that comes first lacks time: %v of %v %v %+v", others,
				got, seconds,
				most, tests)
		}
	}
}

func TestStore(t *testing.T) {
	cache := t.TempDir()
	if got := Kept(cache, "a"); len(got) != 0 {
		t.Errorf("%v", got)
	}
	one := Past{Code: "x", Covered: true, Seconds: 1.5}
	two := Past{Code: "y", Findings: 2, Need: 7}
	for _, m := range []map[string]Past{{"TestA": two}, {"TestA": one, "TestB": two}} {
		if err := Keep(cache, "a", m); err != nil {
			t.Fatal(err)
		}
	}
	if err := Keep(cache, "b", map[string]Past{"TestC": one}); err != nil {
		t.Fatal(err)
	}
	if got := Kept(cache, "a"); len(got) != 2 || got["TestA"] != one || got["TestB"] != two {
		t.Errorf("%+v", got)
	}
	if err := os.WriteFile(fileOf(cache, "a"), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := Kept(cache, "a"); len(got) != 0 {
		t.Errorf("of a file that is broken: %v", got)
	}
}
