package reach

// A raceTable enumerates the race variants of a sequence (section 6.2), one
// row at a time. A row is a non-empty set of extensions that can happen
// together: what Construct-Race-Table (Fig. 7) writes as a number whose digits
// are the receiving events. An extension that changes the control structure of
// another, or of its call, excludes it: rules 2 and 3.
type raceTable struct {
	n     int   // extensions that may be chosen
	w     int   // words of a set of them
	fits  []set // fits[i]: those that can happen together with i
	row   []int // the extensions of the current row, ascending
	allow []set // allow[k]: what fits the first k+1 of the row
	all   set   // those that may be chosen at all
}

// next moves on to the next row and reports whether there is one.
func (t *raceTable) next() bool {
	from, allowed := 0, t.all
	if k := len(t.row); k > 0 {
		from, allowed = t.row[k-1]+1, t.allow[k-1]
	}
	for {
		if i := nextOf(allowed, from, t.n); i >= 0 {
			t.push(i, allowed)
			return true
		}
		k := len(t.row) - 1
		if k < 0 {
			return false
		}
		from = t.row[k] + 1
		t.row = t.row[:k]
		allowed = t.all
		if k > 0 {
			allowed = t.allow[k-1]
		}
	}
}

func nextOf(s set, from, n int) int {
	if from >= n {
		return -1
	}
	return s.next(from)
}

func (t *raceTable) push(i int, allowed set) {
	k := len(t.row)
	t.row = append(t.row, i)
	for len(t.allow) <= k {
		t.allow = append(t.allow, nil)
	}
	if len(t.allow[k]) != t.w {
		t.allow[k] = make(set, t.w)
	}
	a := t.allow[k]
	for j := range a {
		a[j] = allowed[j] & t.fits[i][j]
	}
}
