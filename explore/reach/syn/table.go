package syn

// A RaceTable is the table of section 6.2. It has a column for each receiving event whose race set
// is not empty, and a row for each race variant. A value says of its column: removed (-1),
// unchanged (0), or the v-th sending event of its race set.
type RaceTable struct {
	Heading []*Event
	Sets    [][]*Event
	Rows    [][]int

	control [][]bool // control[i][j]: column i is in the control structure of column j
	sender  [][][]bool
}

// newTable makes the heading of q's table, in an order that agrees with happened-before. set
// returns the race set of a receiving event.
func newTable(q *Sequence, set func(*Event) []*Event) *RaceTable {
	t := &RaceTable{}
	for _, r := range q.Events { // an order in which they happened
		if s := set(r); !r.Sends && len(s) > 0 {
			t.Heading, t.Sets = append(t.Heading, r), append(t.Sets, s)
		}
	}
	n := len(t.Heading)
	t.control, t.sender = make([][]bool, n), make([][][]bool, n)
	for i, r := range t.Heading {
		t.control[i], t.sender[i] = make([]bool, n), make([][]bool, n)
		for j, e := range t.Heading {
			t.control[i][j] = q.inControl(r, e)
			for _, s := range t.Sets[j] {
				t.sender[i][j] = append(t.sender[i][j], q.inControl(r, s))
			}
		}
	}
	return t
}

// keepsSenders is rule 3: no column that the row changes removes a sending event that the row makes
// a partner.
func (t *RaceTable) keepsSenders(row []int) bool {
	for i, v := range row {
		if v <= 0 {
			continue
		}
		for j, w := range row {
			if j != i && w > 0 && t.sender[j][i][v-1] {
				return false
			}
		}
	}
	return true
}

// Naive makes the rows from all combinations, by rules 1 to 3.
func (q *Sequence) Naive(set func(*Event) []*Event) *RaceTable {
	t := newTable(q, set)
	row := make([]int, len(t.Heading))
	var fill func(i int)
	fill = func(i int) {
		if i == len(row) {
			if t.valid(row) {
				t.Rows = append(t.Rows, append([]int(nil), row...))
			}
			return
		}
		for v := -1; v <= len(t.Sets[i]); v++ {
			row[i] = v
			fill(i + 1)
		}
	}
	fill(0)
	return t
}

func (t *RaceTable) valid(row []int) bool {
	changes := false
	for i, v := range row {
		changes = changes || v > 0
		if (v == -1) != t.removed(row, i) {
			return false
		}
	}
	return changes && t.keepsSenders(row)
}

// removed reports whether the row changes a column that is in the control structure of column i.
func (t *RaceTable) removed(row []int, i int) bool {
	for j, v := range row {
		if j != i && v > 0 && t.control[j][i] {
			return true
		}
	}
	return false
}

// Construct is Construct-Race-Table (Fig. 7). The rows are the numbers of a number system with a
// digit for each column, counted upwards, without those that rules 1 to 3 forbid.
func (q *Sequence) Construct(set func(*Event) []*Event) *RaceTable {
	t := newTable(q, set)
	row := make([]int, len(t.Heading))
	for {
		i := len(row) - 1
		for i >= 0 && (row[i] == len(t.Sets[i]) || row[i] == -1) {
			i--
		}
		if i < 0 {
			return t
		}
		row[i]++
		if row[i] == 1 { // was 0: remove the columns that it controls
			for j := i + 1; j < len(row); j++ {
				if t.control[i][j] {
					row[j] = -1
				}
			}
		}
		for j := i + 1; j < len(row); j++ {
			if row[j] != len(t.Sets[j]) {
				continue
			}
			row[j] = 0 // carried: restore the columns that only it removed
			for k := j + 1; k < len(row); k++ {
				if row[k] == -1 && t.control[j][k] && !t.removedBefore(row, k) {
					row[k] = 0
				}
			}
		}
		if t.keepsSenders(row) {
			t.Rows = append(t.Rows, append([]int(nil), row...))
		}
	}
}

func (t *RaceTable) removedBefore(row []int, k int) bool {
	for l := range k {
		if row[l] > 0 && t.control[l][k] {
			return true
		}
	}
	return false
}
