// Package shard divides tests among machines that do not communicate: each computes the whole plan
// and takes its part. So everything that the plan depends on must be the same on all machines: the
// tests, their times and the number of shards.
package shard

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Shard is shard N of Of, counted from 1. The zero Shard is everything.
type Shard struct{ N, Of int }

// String implements flag.Value.
func (s Shard) String() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.N, s.Of)
}

// Set implements flag.Value. It parses 2/5.
func (s *Shard) Set(text string) error {
	n, of, _ := strings.Cut(text, "/")
	a, err1 := strconv.Atoi(n)
	b, err2 := strconv.Atoi(of)
	if err1 != nil || err2 != nil || a < 1 || a > b || b > 10000 {
		return fmt.Errorf("want which of how many, from 1/%s on, such as 2/5", cmp.Or(of, "5"))
	}
	*s = Shard{a, b}
	return nil
}

// A Package is a package with its tests. A package without tests belongs to one shard as a whole.
type Package struct {
	Path  string
	Tests []string
}

// A Plan assigns each test to a shard, numbered from 1.
type Plan struct {
	shards map[[2]string]int // by package and test; test "": the package as a whole
	Digest string            // equal for equal plans
	Timed  int               // number of tests with a time
}

// Shard returns the shard of a test.
func (p *Plan) Shard(pkg, test string) int { return p.shards[[2]string{pkg, test}] }

// A piece goes to a shard as a whole: a package, or some of its tests.
type piece struct {
	pkg    string
	tests  []string
	weight float64
}

// New divides the tests of packages among the shards. A test without a time counts as much as the
// mean of the others. The order of packages and tests does not matter.
//
// A package is not divided if the shards are balanced without that, because it is compiled once
// then. A package larger than half a shard's share is divided. Pieces are assigned by weight, the
// heaviest first, to the shard with the least.
func New(of int, pkgs []Package, seconds Times) *Plan {
	p := &Plan{shards: map[[2]string]int{}}
	pkgs = sorted(pkgs) // sums of floating-point numbers depend on their order
	weights := p.weigh(pkgs, seconds)
	total := 0.0
	for _, pkg := range pkgs {
		for _, t := range pkg.Tests {
			total += weights[[2]string{pkg.Path, t}]
		}
	}
	var pieces []piece
	for _, pkg := range pkgs {
		pieces = append(pieces, cut(pkg, weights, total/float64(of)/2)...)
	}
	slices.SortStableFunc(pieces, func(a, b piece) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.pkg, b.pkg),
			slices.Compare(a.tests, b.tests))
	})
	loads := make([]float64, of)
	for _, piece := range pieces {
		least := 0
		for i, l := range loads {
			if l < loads[least] {
				least = i
			}
		}
		loads[least] += piece.weight
		for _, t := range piece.tests {
			p.shards[[2]string{piece.pkg, t}] = least + 1
		}
	}
	p.digest(of)
	return p
}

// sorted returns packages and their tests by name, without duplicates.
func sorted(pkgs []Package) []Package {
	tests := map[string][]string{}
	for _, p := range pkgs {
		tests[p.Path] = append(tests[p.Path], p.Tests...)
	}
	var out []Package
	for _, path := range slices.Sorted(maps.Keys(tests)) {
		slices.Sort(tests[path])
		out = append(out, Package{path, slices.Compact(tests[path])})
	}
	return out
}

// weigh returns the weight of each test.
func (p *Plan) weigh(pkgs []Package, seconds Times) map[[2]string]float64 {
	weights := map[[2]string]float64{}
	var sum float64
	for _, pkg := range pkgs {
		for _, t := range pkg.Tests {
			if s, ok := seconds[pkg.Path][t]; ok && s.Seconds >= 0 && !math.IsInf(s.Seconds, 0) {
				s.Seconds = max(s.Seconds, 0.001)
				weights[[2]string{pkg.Path, t}] = s.Seconds
				sum += s.Seconds
			}
		}
	}
	mean := 1.0
	if p.Timed = len(weights); p.Timed > 0 {
		mean = sum / float64(p.Timed)
	}
	for _, pkg := range pkgs {
		if len(pkg.Tests) == 0 {
			weights[[2]string{pkg.Path, ""}] = mean / 1000
		}
		for _, t := range pkg.Tests {
			if k := [2]string{pkg.Path, t}; weights[k] == 0 {
				weights[k] = mean
			}
		}
	}
	return weights
}

// cut divides a package into pieces no heavier than most, as far as its tests allow.
func cut(pkg Package, weights map[[2]string]float64, most float64) []piece {
	tests := slices.Clone(pkg.Tests)
	if len(tests) == 0 {
		tests = []string{""}
	}
	weight := func(t string) float64 { return weights[[2]string{pkg.Path, t}] }
	total := 0.0
	for _, t := range tests {
		total += weight(t)
	}
	n := 1
	if total > most && most > 0 {
		n = min(len(tests), int(math.Ceil(total/most)))
	}
	pieces := make([]piece, n)
	for i := range pieces {
		pieces[i].pkg = pkg.Path
	}
	slices.SortStableFunc(tests, func(a, b string) int { return cmp.Compare(weight(b), weight(a)) })
	for _, t := range tests {
		least := 0
		for i := range pieces {
			if pieces[i].weight < pieces[least].weight {
				least = i
			}
		}
		pieces[least].tests = append(pieces[least].tests, t)
		pieces[least].weight += weight(t)
	}
	return pieces
}

func (p *Plan) digest(of int) {
	var rows []string
	for k, n := range p.shards {
		rows = append(rows, fmt.Sprintf("%q %q %d", k[0], k[1], n))
	}
	slices.Sort(rows)
	sum := sha256.Sum256([]byte(fmt.Sprint(of, "\n", strings.Join(rows, "\n"))))
	p.Digest = hex.EncodeToString(sum[:4])
}
