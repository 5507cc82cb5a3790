package main

import (
	"math"
	"testing"
)

// ranked returns samples of n pairs whose differences have the ranks 1 to n, those of minus below
// zero.
func ranked(n int, minus ...int) (x, y []float64) {
	x, y = make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = float64(i + 1)
	}
	for _, r := range minus {
		x[r-1] *= -1
	}
	return x, y
}

// TestSignedRankCritical compares with published critical values: the greatest sum of ranks that is
// significant at 0.05, two-sided.
func TestSignedRankCritical(t *testing.T) {
	published := map[int]int{6: 0, 7: 2, 8: 3, 9: 5, 10: 8, 12: 13, 15: 25, 20: 52, 25: 89, 30: 137}
	for n, critical := range published {
		for _, c := range []struct {
			sum         int
			significant bool
		}{{critical, true}, {critical + 1, false}} {
			var minus []int
			left := c.sum
			for r := n; r > 0; r-- {
				if r <= left {
					left -= r
					minus = append(minus, r)
				}
			}
			w, pairs, p := signedRank(ranked(n, minus...))
			if int(w) != c.sum || pairs != n || p <= 0.05 != c.significant {
				t.Errorf("%d pairs, sum %d: found sum %v of %d, p = %.4f", n, c.sum, w, pairs, p)
			}
		}
	}
}

func TestSignedRankExact(t *testing.T) {
	for _, c := range []struct {
		x, y []float64
		w, p float64
		n    int
	}{
		{[]float64{1, 2, 3, 4, 5}, []float64{0, 0, 0, 0, 0}, 0, 2.0 / 32, 5},
		{[]float64{7, 7}, []float64{7, 7}, 0, 1, 0},
		// |d| = 1, 1, 2 have the ranks 1.5, 1.5, 3: 3 of 8 choices of signs give 1.5 or less
		{[]float64{1, -1, 2, 5}, []float64{0, 0, 0, 5}, 1.5, 6.0 / 8, 3},
		// of 1024 choices 2 are as extreme: the least p for ten runs
		{[]float64{9, 8, 7, 6, 5, 4, 3, 2, 1, 10}, make([]float64, 10), 0, 2.0 / 1024, 10},
	} {
		w, n, p := signedRank(c.x, c.y)
		if w != c.w || n != c.n || math.Abs(p-c.p) > 1e-12 {
			t.Errorf("%v, %v: found sum %v of %d, p = %v; expected %v of %d, p = %v", c.x, c.y, w, n, p,
				c.w, c.n, c.p)
		}
	}
}
