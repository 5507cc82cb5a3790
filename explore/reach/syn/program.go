package syn

import (
	"slices"
	"strconv"
)

// A Program passes messages asynchronously. Each thread executes its operations in order.
type Program [][]Op

// An Op sends to a port or receives from it.
type Op struct {
	Send bool
	Port string
}

// To returns the operation that sends to a port.
func To(port string) Op { return Op{true, port} }

// From returns the operation that receives from a port.
func From(port string) Op { return Op{false, port} }

// run is a modified prefix-based test run (section 7.3) of p with variant v; nil is the empty
// variant. old has the events of q that were in the variant.
func (prog Program) run(v *Variant) (q *Sequence, old map[*Event]bool, partial bool) {
	q, old = New(len(prog)), map[*Event]bool{}
	next := make([]int, len(prog))
	var sent []*Event
	was := map[string]*Event{} // events of the variant by owner and index
	if v != nil {
		for _, e := range v.Events {
			was[key(e)] = e
		}
	}
	isOld := func(e *Event) bool { return old[e] }
	step := func(t int) bool {
		op := prog[t][next[t]]
		name := ThreadName(t+1) + "." + strconv.Itoa(next[t]+1)
		w := was[name]
		if op.Send {
			s := q.Send(name, t+1, op.Port, "send")
			sent, old[s] = append(sent, s), w != nil
			next[t]++
			return true
		}
		want := (*Event)(nil)
		if w != nil {
			want = v.Partner[w]
		}
		for _, s := range sent {
			first := !slices.ContainsFunc(sent, func(o *Event) bool {
				return o.Thread == s.Thread && o.Dest == s.Dest && o.Index < s.Index && o.Partner == nil
			})
			if s.Partner != nil || s.Dest != op.Port || !first {
				continue
			}
			if want != nil && key(s) != key(want) {
				continue
			}
			if w != nil && want == nil && isOld(s) {
				partial = true
				continue // unmatched, and not with an old send
			}
			if w == nil && promised(v, was, q, s) {
				continue // reserved for a receiving event of the variant
			}
			r := q.Receive(name, t+1, s, false, op.Port)
			old[r] = w != nil
			r.black = w != nil && v.Black[w]
			next[t]++
			return true
		}
		return false
	}
	for moved := true; moved; {
		moved, partial = false, false
		for t := range prog {
			for next[t] < len(prog[t]) && step(t) {
				moved = true
			}
		}
	}
	return q, old, partial
}

// promised reports whether the variant gives s to a receiving event that has not happened yet.
func promised(v *Variant, was map[string]*Event, q *Sequence, s *Event) bool {
	if v == nil || was[key(s)] == nil {
		return false
	}
	for r, p := range v.Partner {
		if p == was[key(s)] && q.Find(key(r)) == nil {
			return true
		}
	}
	return false
}

// A Visit is called with every sequence q, the sequence from which it derives (nil for the first),
// the variant v, and whether its run was partial.
type Visit func(q, from *Sequence, v *Variant, partial bool)

// Reach is Reachability-Testing (Fig. 9).
func (prog Program) Reach(visit Visit) {
	q, old, partial := prog.run(nil)
	visit(q, nil, nil, partial)
	prog.reachFrom(q, nil, old, visit)
}

// reachFrom continues after q, which was collected with v; old has the events of q that were in v.
func (prog Program) reachFrom(q *Sequence, v *Variant, old map[*Event]bool, visit Visit) {
	type job struct {
		from *Sequence
		v    *Variant
	}
	var stack []job
	push := func(q *Sequence, v *Variant, old map[*Event]bool) {
		for _, w := range q.Generate(v, old) {
			stack = append(stack, job{q, w})
		}
	}
	push(q, v, old)
	for len(stack) > 0 {
		j := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		q, old, partial := prog.run(j.v)
		visit(q, j.from, j.v, partial)
		push(q, j.v, old)
	}
}

// Generate is GenerateVariants (Fig. 10). old has the events of q that were in variant v.
func (q *Sequence) Generate(v *Variant, old map[*Event]bool) []*Variant {
	t := q.Construct(func(r *Event) []*Event {
		if r.Sends || r.black {
			return nil
		}
		set := q.RaceSet(r)
		if old[r] {
			set = slices.DeleteFunc(set, func(s *Event) bool { return old[s] })
		}
		return set
	})
	var vs []*Variant
	for k := range t.Rows {
		vs = append(vs, q.Variant(t, k))
	}
	return vs
}
