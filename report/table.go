package report

import (
	"fmt"
	"strconv"
	"strings"
)

// A row is one step in a table with a column for each goroutine. Time runs down.
//
//	   main             main/1            main/2
//	1  go                                                   bank.go:30  go a.add(1)
//	2                   lock mu                             bank.go:20  mu.Lock()
//	3                                     * read a.n        bank.go:21  x := a.n
//
// A star marks a switch: the non-preemptive policy would have continued another goroutine. A sign
// before the number marks what the finding is about. A row without a number was never performed, or
// belongs to the step above it.
type row struct {
	num    int
	g      string
	text   string
	whole  string // behind the text; it is not cut
	mark   bool   // a switch
	about  bool   // the finding is about it
	where  string
	source string
	gap    string // in place of all other fields: what is omitted here
}

const (
	mostColumns = 6  // goroutines side by side; more share one column
	leastCell   = 12 // a narrower cell is useless
	goodCell    = 22 // cells are not shortened below this for others or for the source
	mostCell    = 36
	mostWhere   = 40
	someText    = 8 // of an operation is left before what is not cut
	leastSource = 16
)

// table lays rows out in at most total columns of the terminal.
func table(rows []row, total int) []string {
	if len(rows) == 0 {
		return nil
	}
	gs := goroutines(rows)
	t := layout{rows: rows, total: total, cells: map[string]int{}, least: map[string]int{}}
	for _, r := range rows {
		if r.gap == "" {
			t.num = max(t.num, len(strconv.Itoa(r.num)))
			t.where = min(max(t.where, width(r.where)), mostWhere)
			t.cells[r.g] = max(t.cells[r.g], width(r.text)+width(r.whole)+2, width(r.g)+2)
			t.least[r.g] = max(t.least[r.g], min(width(r.text), someText)+width(r.whole)+2)
		}
	}
	for _, r := range rows {
		t.about = t.about || r.about
	}
	rest := total - width(t.number(row{})) - 2 - t.where - 2
	if len(gs) <= mostColumns && (t.squeeze(rest-leastSource) || t.squeeze(rest)) {
		return t.wide(gs)
	}
	return t.narrow()
}

// squeeze narrows the widest columns until all fit into room. ok is false, and nothing changes, if
// they would be too narrow.
func (t *layout) squeeze(room int) (ok bool) {
	for most := mostCell; most >= goodCell; most-- {
		sum := 0
		for g, w := range t.cells {
			sum += min(w, max(most, t.least[g])) + 2
		}
		if sum <= room {
			for g, w := range t.cells {
				t.cells[g] = min(w, max(most, t.least[g]))
			}
			return true
		}
	}
	return false
}

// goroutines returns the goroutines of the rows, sorted by name.
func goroutines(rows []row) []string {
	var out []string
	seen := map[string]bool{}
	for _, r := range rows {
		if r.gap == "" && !seen[r.g] {
			seen[r.g] = true
			out = append(out, r.g)
		}
	}
	sortNames(out)
	return out
}

// A layout has the widths of a table's columns.
type layout struct {
	rows       []row
	total      int
	num, where int
	about      bool           // there is a row that the finding is about
	cells      map[string]int // by goroutine: width of its column
	least      map[string]int // its least width: what is not cut, and some text before it
}

// wide lays out one column for each goroutine.
func (t *layout) wide(gs []string) []string {
	head := t.number(row{})
	for _, g := range gs {
		head += "  " + fill("  "+fit(oneLine(g), t.cells[g]-2), t.cells[g])
	}
	out := []string{strings.TrimRight(head, " ")}
	for _, r := range t.rows {
		if r.gap != "" {
			out = append(out, t.gap(r))
			continue
		}
		line := t.number(r)
		for _, g := range gs {
			cell := ""
			if g == r.g {
				cell = marked(r, t.cells[g])
			}
			line += "  " + fill(cell, t.cells[g])
		}
		out = append(out, t.end(line, r))
	}
	return out
}

// narrow lays out one column for all goroutines, with names in each row.
func (t *layout) narrow() []string {
	name, cell, least := 0, 0, 0
	for g, w := range t.cells {
		name, cell = max(name, width(g)), max(cell, w)
	}
	for _, w := range t.least {
		least = max(least, w)
	}
	name = min(name, 24)
	cell = max(least, min(cell, mostCell, max(leastCell, t.total-width(t.number(row{}))-name-t.where-6)))
	var out []string
	for _, r := range t.rows {
		if r.gap != "" {
			out = append(out, t.gap(r))
			continue
		}
		line := fmt.Sprintf("%s  %s  %s", t.number(r), fill(fit(oneLine(r.g), name), name),
			fill(marked(r, cell), cell))
		out = append(out, t.end(line, r))
	}
	return out
}

// marked returns the cell of a row in n columns. What is to stay whole is wider if it must.
func marked(r row, n int) string {
	sign := "  "
	if r.mark {
		sign = "* "
	}
	return sign + fit(r.text, max(n-2-width(r.whole), 0)) + r.whole
}

func (t *layout) gap(r row) string {
	return t.number(row{}) + "    " + r.gap
}

// number returns the first column of a row: its sign and its number.
func (t *layout) number(r row) string {
	s := strings.Repeat(" ", t.num)
	if r.num > 0 {
		s = fmt.Sprintf("%*d", t.num, r.num)
	}
	switch {
	case r.about:
		return "> " + s
	case t.about:
		return "  " + s
	}
	return s
}

// end adds position and source, as far as there is room.
func (t *layout) end(line string, r row) string {
	line += "  " + fill(fitLeft(r.where, t.where), t.where)
	if room := t.total - width(line) - 2; room >= leastCell && r.source != "" {
		line += "  " + fit(r.source, room)
	}
	return strings.TrimRight(line, " ")
}

// fitLeft shortens s at its left end: the line number of a position matters most.
func fitLeft(s string, n int) string {
	if width(s) <= n {
		return s
	}
	r := []rune(s)
	for len(r) > 0 && width(string(r)) > n-1 {
		r = r[1:]
	}
	return "…" + string(r)
}
