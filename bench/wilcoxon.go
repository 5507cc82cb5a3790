package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// signedRank is the Wilcoxon signed-rank test of paired samples. It returns the smaller of the two
// sums of ranks, the number of pairs that differ, and the exact probability, two-sided, of a sum
// that is as small if neither sample tends to be greater. Pairs that are equal do not count; equal
// differences share the mean of their ranks.
func signedRank(x, y []float64) (w float64, n int, p float64) {
	var diffs []float64
	for i := range x {
		if d := x[i] - y[i]; d != 0 {
			diffs = append(diffs, d)
		}
	}
	n = len(diffs)
	slices.SortFunc(diffs, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	ranks := make([]int, n) // doubled, so that means are whole
	plus, all := 0, n*(n+1)
	for i := 0; i < n; {
		k := i
		for k < n && math.Abs(diffs[k]) == math.Abs(diffs[i]) {
			k++
		}
		for j := i; j < k; j++ {
			if ranks[j] = i + 1 + k; diffs[j] > 0 {
				plus += ranks[j]
			}
		}
		i = k
	}
	// ways has, by sum, the share of the 2^n choices of signs that give the sum.
	ways := make([]float64, all+1)
	ways[0] = 1
	for _, r := range ranks {
		for s := all; s >= 0; s-- {
			ways[s] /= 2
			if s >= r {
				ways[s] += ways[s-r] / 2
			}
		}
	}
	small := min(plus, all-plus)
	for _, share := range ways[:small+1] {
		p += share
	}
	return float64(small) / 2, n, min(1, 2*p)
}

// probability is how tables write a probability.
func probability(p float64) string {
	if p < 0.001 {
		return "<0.001"
	}
	return fmt.Sprintf("%.3f", p)
}
