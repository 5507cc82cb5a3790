package timeline

import (
	"io"
	"math"
	"slices"
)

// A Compared has the results of one test under several strategies.
type Compared struct {
	Package, Test string
	Note          string   // why there are no rows
	Best          []string // the best strategies, "" if none is better than the others
	Why           string   // why they are, or why none is
	Columns       []string
	Rows          []ComparedRow
}

// A ComparedRow is one strategy: an Amount for each column, and what it covered.
type ComparedRow struct {
	Strategy string
	Amounts  []Amount
	Complete bool // everything was covered
	Covered  string
}

// An Amount is a number in a column and its text. The length of its bar is logarithmic, as
// strategies differ by orders of magnitude.
type Amount struct {
	Value float64 // negative: no value and no bar
	Text  string
}

// bar is an Amount with the length of its bar in percent of the longest one in the column.
type bar struct {
	Amount
	Percent int
}

// Won reports whether a row's strategy is one of the best.
func (c *Compared) Won(row ComparedRow) bool { return slices.Contains(c.Best, row.Strategy) }

// Bars returns the amounts of a row with their bars.
func (c *Compared) Bars(row ComparedRow) []bar {
	bars := make([]bar, len(row.Amounts))
	for i, a := range row.Amounts {
		least, most := math.Inf(1), 0.0
		for _, r := range c.Rows {
			if v := r.Amounts[i].Value; v > 0 {
				least, most = min(least, v), max(most, v)
			}
		}
		bars[i] = bar{a, 0}
		if a.Value > 0 { // the smallest value has a bar too
			bars[i].Percent = int(math.Round(100 * (1 + math.Log2(a.Value/least)) / (1 +
				math.Log2(most/least))))
		}
	}
	return bars
}

// WriteCompared writes a page that shows comparisons, a table with bars for each test.
func WriteCompared(w io.Writer, all []Compared) error {
	return pages.ExecuteTemplate(w, "compare.html", struct {
		Title string
		Tests []Compared
	}{"Strategies on the same tests", all})
}
