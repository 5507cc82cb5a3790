package reach

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
	"slices"

	"heddle/explore"
	"heddle/explore/why"
	"heddle/trace"
	"heddle/trace/varint"
)

// Splitting a search. What is still to be exercised of a sequence's variants
// depends on nothing but the sequence, which of its events are old or black, and
// the last row that was made of its race table: variants need no history. So any set of the
// entries of the stack is a search of its own, and whoever goes on with one
// executes its sequence once more, which counts for nothing.

// A rest is an entry of the stack by what makes it again.
type rest struct {
	data  []byte // as it is in an explore.Piece
	size  float64
	steps []trace.Step

	// What the node has to be.
	events, shapes int
	hash           uint64

	old, black []uint64
	done       int
	pending    bool
	row        []restPick
}

type restPick struct {
	at, tried, hits int
	hit             bool
	in              []choice
}

// Resume returns a strategy that exercises what is in an explore.Piece, and nothing else.
// No data is the whole search. Table().Know must have been told what the Table of the strategy that the piece
// comes from knew (Known). The strategy does not begin anew when it learns more: it fails, and Outdated says so.
func Resume(opt Options, data []byte) (*Strategy, error) {
	s := New(opt)
	s.part = true
	if len(data) == 0 {
		return s, nil
	}
	s.begun = true
	for d := (varint.Reader{B: data}); len(d.B) > 0; {
		r, err := readRest(&d)
		if err != nil {
			return nil, err
		}
		s.given = append(s.given, r)
	}
	return s, nil
}

// Outdated reports whether a strategy that Resume returned cannot go on because it has
// learnt that more operations depend on each other: the whole search is to begin anew.
func (s *Strategy) Outdated() bool { return s.outdated }

// Broken reports whether s ended before everything was exercised; the Reason of its Result says why.
func (s *Strategy) Broken() bool { return !s.failed.None() }

// Again reports whether the schedule that Next returned last has been executed before, by whoever gave the piece away:
// it counts for nothing, and nothing that it shows is new.
func (s *Strategy) Again() bool { return s.making != nil }

// Split returns what is still to be exercised, in n pieces at most; none if
// nothing is left. s goes on with the first of them. It must not be called between Next and Done.
func (s *Strategy) Split(n int) []explore.Piece {
	if n > 1 {
		s.part = true
		s.separate()
	}
	groups := s.share(n)
	var pieces []explore.Piece
	for _, g := range groups {
		var p explore.Piece
		for _, x := range g {
			p.Size += x.size
			p.Data = x.append(p.Data, s)
		}
		pieces = append(pieces, p)
	}
	if len(groups) > 1 {
		s.keep(groups[0])
	}
	return pieces
}

// An entry is one of the stack, or of what is given and was not made yet.
type entry struct {
	node *node
	rest *rest
	size float64
}

// separate makes every node of the stack one that stands by itself, with the
// row that comes next; those without are gone.
func (s *Strategy) separate() {
	above := 0.0 // about how many executions come from the variant that the node above is
	for i := len(s.stack) - 1; i >= 0; i-- {
		n := s.stack[i]
		s.find.look(n)
		n.done += int(min(above, 1e15))
		above = 0
		if !n.apart {
			above = n.total(&s.find, 0)
		}
	}
	kept := s.stack[:0]
	for _, n := range s.stack {
		s.find.look(n)
		n.apart = true
		if n.pending || n.next(&s.find) {
			n.pending = true
			kept = append(kept, n)
		} else if s.find.late {
			s.failed = why.Of(why.TimeOver)
		} else {
			s.free = append(s.free, n)
		}
	}
	s.stack = kept
}

// share deals the entries out, the largest first, to who has least.
func (s *Strategy) share(n int) [][]entry {
	var all []entry
	for _, r := range s.given {
		all = append(all, entry{rest: r, size: r.size})
	}
	sizes := s.sizes()
	for i, x := range s.stack {
		all = append(all, entry{node: x, size: sizes[i]})
	}
	if n = min(n, len(all)); n <= 1 {
		if len(all) == 0 {
			return nil
		}
		return [][]entry{all}
	}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(sign(all[b].size - all[a].size)) })
	owner, load, count := make([]int, len(all)), make([]float64, n), make([]int, n)
	for _, i := range order {
		least := 0
		for k := range n {
			if count[k] == 0 || count[least] > 0 && load[k] < load[least] {
				least = k
				if count[k] == 0 {
					break
				}
			}
		}
		owner[i] = least
		load[least] += all[i].size
		count[least]++
	}
	groups := make([][]entry, n)
	for i, x := range all { // in the order of the stack
		groups[owner[i]] = append(groups[owner[i]], x)
	}
	return groups
}

func sign(x float64) float64 {
	switch {
	case x < 0:
		return -1
	case x > 0:
		return 1
	}
	return 0
}

// keep drops all but g.
func (s *Strategy) keep(g []entry) {
	s.given = s.given[:0]
	stack := s.stack
	s.stack = nil
	for _, x := range g {
		if x.rest != nil {
			s.given = append(s.given, x.rest)
		} else {
			s.stack = append(s.stack, x.node)
		}
	}
	for _, n := range stack {
		if !slices.Contains(s.stack, n) {
			s.free = append(s.free, n)
		}
	}
}

// sizes returns about how many executions are to come from each node of the stack.
func (s *Strategy) sizes() []float64 {
	sizes := make([]float64, len(s.stack))
	above := 0.0
	for i := len(s.stack) - 1; i >= 0; i-- {
		n := s.stack[i]
		s.find.look(n)
		total := n.total(&s.find, above)
		sizes[i] = min(max(total-1-float64(n.done)-above, 1), 1e300)
		if above = total; n.apart {
			above = 0
		}
	}
	return sizes
}

// Left is about how many executions are to come.
func (s *Strategy) Left() (n float64) {
	for _, r := range s.given {
		n += r.size
	}
	for _, x := range s.sizes() {
		n += x
	}
	return n
}

// remake makes the next entry that was given again: v becomes its sequence.
func (s *Strategy) remake() {
	k := len(s.given) - 1
	r := s.given[k]
	s.given, s.making = s.given[:k], r
	v := &s.v
	v.events, v.from, v.sleepers, v.old, v.black = v.events[:0], v.from[:0], v.sleepers[:0], nil, nil
	v.schedule.Steps, v.schedule.Names, v.schedule.Guide = append(v.schedule.Steps[:0], r.steps...), nil, enough{}
}

// enough ends executions.
type enough struct{}

// Choose is trace.Guide's.
func (enough) Choose(*trace.Trace, trace.GID, []trace.Way) int { return -1 }

// remade takes the sequence that was made again.
func (s *Strategy) remade(n *node, t *trace.Trace) error {
	r := s.making
	s.making = nil
	s.find.look(n)
	if n.seq.n != r.events || len(r.old) > n.seq.w || len(r.black) > n.seq.w {
		return errOther
	}
	n.old, n.black = widen(n.old, r.old, n.seq.w), widen(n.black, r.black, n.seq.w)
	s.find.look(n)
	n.shapes = s.find.shapes(n.shapes[:0])
	if len(n.shapes) != r.shapes || n.hash() != r.hash {
		return errOther
	}
	n.row, n.done, n.apart, n.pending = n.row[:0], r.done, true, r.pending
	for k := range r.row {
		if !n.put(&s.find, &r.row[k]) {
			return errOther
		}
	}
	return nil
}

var errOther = errors.New("a sequence that was to be gone on with came out otherwise")

// put adds a pick to the row as it was.
func (n *node) put(f *finder, r *restPick) bool {
	if r.at >= len(n.shapes) {
		return false
	}
	n.push(r.at)
	k := len(n.row) - 1
	p := &n.row[k]
	p.tried, p.hits, p.hit = r.tried, r.hits, r.hit
	p.walk.begun, p.walk.in = true, append(p.walk.in[:0], r.in...)
	must, gone := n.before(f, k)
	if !f.open(&n.shapes[p.at], must, gone) || len(r.in) > len(f.deps) {
		return false
	}
	f.replay(&p.walk)
	if !f.make(&p.extension, f.h) {
		return false
	}
	p.keep(must, gone)
	return true
}

func widen(to set, from []uint64, w int) set {
	to = append(to[:0], from...)
	for len(to) < w {
		to = append(to, 0)
	}
	return to
}

// hash tells sequences apart whose shapes differ.
func (n *node) hash() uint64 {
	h := fnv.New64a()
	var b []byte
	for i := range n.shapes {
		x := &n.shapes[i]
		b = append(b[:0], byte(x.kind), bit(x.send))
		for _, y := range [...]int64{int64(x.at), int64(x.theirs), int64(x.call), int64(x.with), int64(x.choice)} {
			b = binary.AppendVarint(b, y)
		}
		h.Write(b)
	}
	return h.Sum64()
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// append encodes an entry: its length, then what a rest holds.
func (x *entry) append(to []byte, s *Strategy) []byte {
	b := []byte(nil)
	if x.rest != nil {
		b = x.rest.data
	} else {
		b = s.encode(x.node, x.size)
	}
	return append(binary.AppendUvarint(to, uint64(len(b))), b...)
}

// encode writes down what makes a node again.
func (s *Strategy) encode(n *node, size float64) []byte {
	e := encoder{}
	e.number(int(min(size, 1e15)))
	steps := s.wholeOf(n)
	e.count(len(steps))
	for i := range steps {
		st := &steps[i]
		for _, x := range [...]int{int(st.G), int(st.Op), int(st.Choice), int(st.With), int(st.Case), int(st.WithCase)} {
			e.number(x)
		}
	}
	e.number(n.seq.n)
	e.number(len(n.shapes))
	e.b = binary.LittleEndian.AppendUint64(e.b, n.hash())
	e.set(n.old)
	e.set(n.black)
	e.number(n.done)
	e.number(int(bit(n.pending)))
	e.count(len(n.row))
	for i := range n.row {
		p := &n.row[i]
		e.number(p.at)
		e.number(p.tried)
		e.number(p.hits)
		e.number(int(bit(p.hit)))
		e.count(len(p.walk.in))
		for _, c := range p.walk.in {
			e.b = append(e.b, byte(c))
		}
	}
	return e.b
}

// wholeOf returns the schedule of a node's sequence.
func (s *Strategy) wholeOf(n *node) []trace.Step {
	v := &s.whole
	v.events, v.from = v.events[:0], v.from[:0]
	for i := range n.seq.n {
		v.events, v.from = append(v.events, eventOf(n.seq.At(i))), append(v.from, int32(i))
	}
	v.number(n)
	return v.schedule.Steps
}

type encoder struct{ b []byte }

func (e *encoder) number(x int) { e.b = binary.AppendVarint(e.b, int64(x)) }

// count writes how many things follow.
func (e *encoder) count(n int) { e.b = binary.AppendUvarint(e.b, uint64(n)) }

func (e *encoder) set(s set) {
	e.count(len(s))
	for _, x := range s {
		e.b = binary.AppendUvarint(e.b, x)
	}
}

var errPiece = errors.New("what is to be gone on with is no piece of a search")

// readRest reads an entry.
func readRest(d *varint.Reader) (*rest, error) {
	data := d.Bytes(d.Count())
	e := varint.Reader{B: data}
	r := &rest{data: data, size: float64(e.Int())}
	r.steps = make([]trace.Step, e.Count())
	for i := range r.steps {
		st := &r.steps[i]
		st.G, st.Op, st.Choice = trace.GID(e.Int()), trace.Op(e.Int()), int32(e.Int())
		st.With, st.Case, st.WithCase = int32(e.Int()), int16(e.Int()), int16(e.Int())
	}
	r.events, r.shapes = e.Int(), e.Int()
	if hash := e.Bytes(8); hash != nil {
		r.hash = binary.LittleEndian.Uint64(hash)
	}
	r.old, r.black = readSet(&e), readSet(&e)
	r.done, r.pending = e.Int(), e.Int() != 0
	r.row = make([]restPick, e.Count())
	for i := range r.row {
		p := &r.row[i]
		p.at, p.tried, p.hits, p.hit = e.Int(), e.Int(), e.Int(), e.Int() != 0
		for _, c := range e.Bytes(e.Count()) {
			p.in = append(p.in, choice(c))
		}
	}
	if d.Bad || e.Bad || len(e.B) > 0 {
		return nil, errPiece
	}
	return r, nil
}

func readSet(d *varint.Reader) []uint64 {
	s := make([]uint64, d.Count())
	for i := range s {
		s[i] = d.Uint()
	}
	return s
}
