package shard

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

// Every test is in exactly one shard, the same on every machine and for every order of the tests,
// and no shard has much more than its share.
func TestComplete(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for try := range 500 {
		var pkgs []Package
		times := Times{}
		heaviest, total, count := 0.0, 0.0, 0
		for i := range r.IntN(30) {
			p := Package{Path: fmt.Sprint("m/p", i)}
			for j := range r.IntN(1 + r.IntN(40)) {
				name := fmt.Sprint("Test", j)
				p.Tests = append(p.Tests, name)
				if try%3 > 0 {
					s := r.ExpFloat64() * 5
					times.Set(p.Path, name, Took{Seconds: s})
					heaviest, total = max(heaviest, s), total+s
				}
				count++
			}
			pkgs = append(pkgs, p)
		}
		if try%3 == 0 {
			heaviest, total = 1, float64(count)
		}
		of := 1 + r.IntN(12)
		one := New(of, pkgs, times)
		r.Shuffle(len(pkgs), func(i, j int) { pkgs[i], pkgs[j] = pkgs[j], pkgs[i] })
		loads := make([]float64, of+1)
		for i := range pkgs {
			ts := pkgs[i].Tests
			r.Shuffle(len(ts), func(i, j int) { ts[i], ts[j] = ts[j], ts[i] })
		}
		other := New(of, pkgs, times)
		if one.Digest != other.Digest {
			t.Fatalf("try %d: two machines have two plans", try)
		}
		for _, p := range pkgs {
			tests := p.Tests
			if len(tests) == 0 {
				tests = []string{""}
			}
			for _, name := range tests {
				n := one.Shard(p.Path, name)
				if n < 1 || n > of || n != other.Shard(p.Path, name) {
					t.Fatalf("try %d: %s %s is in shard %d of %d, and in %d", try, p.Path, name, n, of,
						other.Shard(p.Path, name))
				}
				w := times[p.Path][name].Seconds
				if try%3 == 0 && name != "" {
					w = 1
				}
				loads[n] += w
			}
		}
		if most := slices.Max(loads); most > 1.5*total/float64(of)+heaviest+1 {
			t.Errorf("try %d: %.1f in one shard of %d, of %.1f; the heaviest test takes %.1f", try, most, of, total, heaviest)
		}
	}
}

// A package that is small compared with a shard is not divided.
func TestTogether(t *testing.T) {
	var pkgs []Package
	for i := range 10 {
		pkgs = append(pkgs, Package{fmt.Sprint("p", i), []string{"TestA", "TestB", "TestC"}})
	}
	p := New(2, pkgs, nil)
	for _, pkg := range pkgs {
		if a := p.Shard(pkg.Path, "TestA"); a != p.Shard(pkg.Path, "TestB") ||
			a != p.Shard(pkg.Path, "TestC") {
			t.Errorf("%s is divided", pkg.Path)
		}
	}
}

func TestSet(t *testing.T) {
	for text, want := range map[string]Shard{"1/1": {1, 1}, "2/5": {2, 5}, "0/5": {}, "6/5": {}, "2": {},
		"a/b": {}, "-1/2": {}, "": {}, "1/2/3": {}} {
		var s Shard
		if err := s.Set(text); s != want || (err != nil) != (want == Shard{}) {
			t.Errorf("%q: %v, %v", text, s, err)
		}
	}
}

func TestTimes(t *testing.T) {
	cache := filepath.Join(t.TempDir(), "cache")
	if all, err := Kept(cache); err != nil || len(all) != 0 {
		t.Fatal(all, err)
	}
	for _, at := range []int64{5, 3} { // the later one stays
		if err := Keep(cache, "p",
			map[string]Took{"TestA": {Seconds: float64(at), At: at},
				fmt.Sprint("Test", at): {1, at}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := Keep(cache, "q", map[string]Took{"TestA": {2, 7}}); err != nil {
		t.Fatal(err)
	}
	all, err := Kept(cache)
	if err != nil || len(all) != 2 || len(all["p"]) != 3 || all["p"]["TestA"] != (Took{5, 5}) ||
		all["q"]["TestA"] != (Took{2, 7}) {
		t.Error(all, err)
	}
	again, err := Read(filepath.Join(cache, folder))
	if err != nil || !reflect.DeepEqual(again, all) {
		t.Error(again, err)
	}
}
