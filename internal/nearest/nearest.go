// Package nearest finds the name that was probably meant: To("budgt", names) is "budget".
package nearest

import "slices"

// To returns the name with the least edit distance to s, if it is near: a third of its letters at
// most, and three. "" if none is. Of equally near names it returns the first.
func To(s string, names []string) string {
	best, least := "", 0
	for _, n := range names {
		d := Distance(s, n)
		if d <= min(3, max(1, len(n)/3)) && (best == "" || d < least) {
			best, least = n, d
		}
	}
	return best
}

// Distance returns how many letters must be put in, taken out, replaced, or swapped with the next,
// to make b of a (optimal string alignment).
func Distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range y {
		rows[0][j+1] = j + 1
	}
	for i := range x {
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			d := slices.Min([]int{rows[i][j] + cost, rows[i][j+1] + 1, rows[i+1][j] + 1})
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				d = min(d, rows[i-1][j-1]+1)
			}
			rows[i+1][j+1] = d
		}
	}
	return rows[len(x)][len(y)]
}
