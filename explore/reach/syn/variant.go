package syn

import "slices"

// A Variant is a race variant (Definition 7): the rest of a sequence after some receiving events
// got other partners.
type Variant struct {
	Events  []*Event          // kept, in the order of the sequence
	Partner map[*Event]*Event // by receiving event; no entry: unmatched
	Changed map[*Event]bool   // receiving events whose partner was changed
	Black   map[*Event]bool   // receiving events that later variants must not change
}

// Has reports whether the variant kept e.
func (v *Variant) Has(e *Event) bool { return slices.Contains(v.Events, e) }

// Variant makes the variant of row k of table t.
func (q *Sequence) Variant(t *RaceTable, k int) *Variant {
	v := &Variant{Partner: map[*Event]*Event{}, Changed: map[*Event]bool{}, Black: map[*Event]bool{}}
	for i, x := range t.Rows[k] {
		if x > 0 {
			v.Changed[t.Heading[i]] = true
			v.Partner[t.Heading[i]] = t.Sets[i][x-1]
		}
	}
	for _, e := range q.Events {
		if !slices.ContainsFunc(q.ControlStructure(e), func(r *Event) bool { return v.Changed[r] }) {
			v.Events = append(v.Events, e)
		}
	}
	taken := map[*Event]bool{}
	for _, s := range v.Partner {
		taken[s] = true
	}
	for _, r := range v.Events {
		if s := r.Partner; !r.Sends && !v.Changed[r] && s != nil && v.Has(s) && !taken[s] {
			v.Partner[r] = s
		}
	}
	for _, e := range v.Events {
		if e.black {
			v.Black[e] = true
		}
	}
	for r := range v.Changed { // Fig. 10, lines 5 to 12
		v.Black[r] = true
		for _, f := range v.Events {
			s := v.Partner[r]
			if !f.Sends && f != r && (q.inControl(f, r) || q.inControl(f, s)) {
				v.Black[f] = true
			}
		}
	}
	return v
}
