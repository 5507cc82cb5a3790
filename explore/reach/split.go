package reach

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
	"math"
	"slices"

	"heddle/explore"
	"heddle/explore/why"
	"heddle/trace"
	"heddle/trace/varint"
)

// A search in parts. The variants of a sequence that are still to be exercised depend only on the
// sequence, its old and black events, and the last row of its race table: variants need no history.
// So any set of stack entries is a search of its own. A worker that continues an entry executes its
// sequence once more, which counts for nothing.

// A rest is a stack entry in the form from which it is made again.
type rest struct {
	data  []byte // as encoded in an explore.Piece
	size  float64
	steps []trace.Step

	// For comparison with the node that was made again.
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

// Resume returns a strategy that exercises only what is in data, an explore.Piece; no data is the
// whole search. Table().Know must be called first, with Known of the strategy that the piece comes
// from. If it learns that more operations are dependent it does not begin anew: it fails, and
// Outdated returns true.
func Resume(opt Options, data []byte) (*Strategy, error) {
	s := New(opt)
	s.part, s.paper = true, true
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

// Outdated reports whether a strategy of Resume ended because it learnt that more operations are
// dependent: the whole search must begin anew.
func (s *Strategy) Outdated() bool { return s.outdated }

// Broken reports whether s ended before everything was exercised; the Reason of its Result says
// why.
func (s *Strategy) Broken() bool { return !s.failed.None() }

// Again reports whether the last schedule of Next was executed before, by the strategy that gave
// the piece away. It counts for nothing and shows nothing new.
func (s *Strategy) Again() bool { return s.making != nil }

// Split divides what is still to be exercised into at most n pieces, none if nothing is left, or if
// it cannot be divided now. s keeps the first. It must not be called between Next and Done.
func (s *Strategy) Split(n int) []explore.Piece {
	if slices.ContainsFunc(s.stack, func(n *node) bool { return len(n.elders) > 0 }) {
		return nil // an entry is no search of its own then
	}
	s.part = s.part || n > 1
	s.asPrinted() // other pieces have witnesses that this one would need
	s.separate()  // also for one piece: it is the same then in memory and made again
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

// An entry is an entry of the stack, or one that Resume was given and that is not made yet.
type entry struct {
	node *node
	rest *rest
	size float64
}

// separate gives every node of the stack its next row, so that it is independent of the nodes
// below; nodes without a row are dropped.
func (s *Strategy) separate() {
	above := 0.0 // expected number of executions of the variant from the node above
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

// share distributes the entries, the largest first, each to the share with the least work.
func (s *Strategy) share(n int) [][]entry {
	var all []entry
	for _, r := range s.given {
		all = append(all, entry{rest: r, size: r.size})
	}
	sizes := s.sizes()
	for i, x := range s.stack { // with the size that an entry has which is made again
		all = append(all, entry{node: x, size: math.Trunc(min(sizes[i], 1e15))})
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

// keep drops all entries but those in g.
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

// sizes returns the expected number of executions for each node of the stack.
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

// Left returns the expected number of executions still to come.
func (s *Strategy) Left() (n float64) {
	for _, r := range s.given {
		n += r.size
	}
	for _, x := range s.sizes() {
		n += x
	}
	return n
}

// remake makes the next entry of Resume again: v becomes its sequence.
func (s *Strategy) remake() {
	k := len(s.given) - 1
	r := s.given[k]
	s.given, s.making = s.given[:k], r
	v := &s.v
	v.events, v.from, v.sleepers, v.old, v.black = v.events[:0], v.from[:0], v.sleepers[:0], nil, nil
	v.schedule.Steps, v.schedule.Names, v.schedule.With = append(v.schedule.Steps[:0], r.steps...), nil, nil
	v.schedule.Guide = enough{}
}

// enough ends executions.
type enough struct{}

// Choose implements trace.Guide.
func (enough) Choose(*trace.Trace, trace.GID, []trace.Way) int { return -1 }

// remade takes the sequence of an entry that was made again.
func (s *Strategy) remade(n *node, t *trace.Trace) error {
	r := s.making
	s.making = nil
	s.find.look(n)
	if n.seq.n != r.events || len(r.old) > n.seq.w || len(r.black) > n.seq.w {
		return errOther
	}
	n.old, n.black = widen(n.old, r.old, n.seq.w), widen(n.black, r.black, n.seq.w)
	s.find.look(n)
	if n.shapes = s.find.shapes(n.shapes[:0]); s.find.late {
		return why.Of(why.TimeOver)
	}
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

// put adds a pick to the row, as recorded.
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

// hash distinguishes sequences with different shapes.
func (n *node) hash() uint64 {
	h := fnv.New64a()
	var b []byte
	for i := range n.shapes {
		x := &n.shapes[i]
		b = append(b[:0], byte(x.kind), bit(x.send))
		for _, y := range [...]int64{int64(x.at), int64(x.theirs), int64(x.call), int64(x.with),
			int64(x.choice)} {
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

// append encodes an entry: its length, then a rest.
func (x *entry) append(to []byte, s *Strategy) []byte {
	b := []byte(nil)
	if x.rest != nil {
		b = x.rest.data
	} else {
		b = s.encode(x.node, x.size)
	}
	return append(binary.AppendUvarint(to, uint64(len(b))), b...)
}

// encode encodes what is needed to make a node again.
func (s *Strategy) encode(n *node, size float64) []byte {
	e := encoder{}
	e.number(int(min(size, 1e15)))
	steps := s.wholeOf(n)
	e.count(len(steps))
	for i := range steps {
		st := &steps[i]
		for _, x := range [...]int{int(st.G), int(st.Op), int(st.Choice), int(st.With), int(st.Case),
			int(st.WithCase)} {
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

// count encodes a number of items.
func (e *encoder) count(n int) { e.b = binary.AppendUvarint(e.b, uint64(n)) }

func (e *encoder) set(s set) {
	e.count(len(s))
	for _, x := range s {
		e.b = binary.AppendUvarint(e.b, x)
	}
}

var errPiece = errors.New("what is to be gone on with is no piece of a search")

// readRest decodes an entry.
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
