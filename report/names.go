package report

import (
	"slices"
	"strconv"
	"strings"
)

// sortNames sorts goroutines by their position in the tree of go statements: main, main/1,
// main/1/1, main/2, main/10.
func sortNames(names []string) { slices.SortFunc(names, compareNames) }

func compareNames(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "/"), strings.Split(b, "/"), func(x, y string) int {
		m, err1 := strconv.Atoi(x)
		n, err2 := strconv.Atoi(y)
		if err1 == nil && err2 == nil && m != n {
			return m - n
		}
		return strings.Compare(x, y)
	})
}
