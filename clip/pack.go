package clip

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"heddle/rt/wire"
)

// The steps of a long clip are packed. Between the lines "steps packed" and "end" stands, in
// base64, a DEFLATE stream of these lists:
//
//	names    of goroutines, by first appearance: the parent's index and the child number, or a text
//	shapes   the distinct steps without goroutine and star, as text
//	ranks    the goroutine of each step, as a rank (see recency)
//	stars    one bit for each step: whether its star differs from the expected one (see starModel)
//	counts   the number of steps of each goroutine
//	steps    the steps of each goroutine: indices of shapes
//	places   those after the ones in the header: indices of shapes, then differences of goroutine indices
//
// All numbers are varints. Each list begins with its length and has code tables of its own, so
// that repetition, such as two goroutines in turn or a loop, costs almost nothing. MaxFile,
// MaxSteps and MaxText bound the memory, as they do for text.

// mostText is the size in bytes from which steps are packed.
const mostText = 32 << 10

// mostPlaces is how many places a clip with packed steps lists in its header.
const mostPlaces = 50

// packedLine is the length of a line of base64 in bytes.
const packedLine = 100

// A packer writes the lists.
type packer struct {
	buf   bytes.Buffer
	w     *flate.Writer
	names map[string]int
	order []string
}

func newPacker() *packer {
	k := &packer{names: map[string]int{}}
	// At the default level random schedules take 18 % more with go1.27 than with go1.26. At the
	// best level both take the same.
	k.w, _ = flate.NewWriter(&k.buf, flate.BestCompression)
	return k
}

func (k *packer) uint(n uint64) { k.w.Write(binary.AppendUvarint(nil, n)) }

func (k *packer) text(s string) {
	k.uint(uint64(len(s)))
	io.WriteString(k.w, s)
}

// list writes the length of numbers, and numbers.
func (k *packer) list(numbers []uint64) {
	k.w.Flush() // starts new code tables
	k.uint(uint64(len(numbers)))
	for _, n := range numbers {
		k.uint(n)
	}
}

// zigzag maps numbers near 0 to small non-negative ones. zagzig is its inverse.
func zigzag(n int) uint64 { return uint64(n)<<1 ^ uint64(n>>63) }
func zagzig(n int) int    { return n>>1 ^ -(n & 1) }

// goroutine returns the index of a goroutine and assigns one at its first use. A parent's index is
// lower than its children's.
func (k *packer) goroutine(name string) int {
	var todo []string
	for known := false; !known; {
		todo = append(todo, name)
		up, _, ok := parent(name)
		_, known = k.names[up]
		known, name = known || !ok, up
	}
	for _, name := range slices.Backward(todo) {
		if _, ok := k.names[name]; !ok {
			k.names[name], k.order = len(k.order), append(k.order, name)
		}
	}
	return k.names[todo[0]]
}

// pack returns the steps, and the places that are not in the header, as lines of base64.
func pack(steps []wire.Step, places []wire.Place) []byte {
	k := newPacker()
	shapes, shapeOf := []string(nil), map[wire.Step]int{}
	shape := func(s wire.Step) uint64 {
		s.G, s.Switch, s.With, s.Row = "-", false, "", 0
		n, ok := shapeOf[s]
		if !ok {
			n = len(shapes)
			shapeOf[s], shapes = n, append(shapes, strings.TrimSpace(string(appendStep(nil, &s))))
		}
		return uint64(n)
	}
	var recent recency
	model := starModel{without: map[int]bool{}}
	ranks, stars := make([]uint64, len(steps)), make([]uint64, (len(steps)+7)/8)
	by := map[int][]uint64{}
	for i := range steps {
		g := k.goroutine(steps[i].G)
		id := shape(steps[i])
		by[g] = append(by[g], id)
		if ranks[i] = recent.rank(g); model.expected(ranks[i] != 0) != steps[i].Switch {
			stars[i/8] |= 1 << (i % 8)
		}
		model.see(steps[i].Switch, ranks[i] != 0, int(id))
	}
	var placed, where []uint64
	last := 0
	for i := range places {
		g := k.goroutine(places[i].Goroutine)
		placed = append(placed, shape(wire.Step{Op: places[i].Op, Choice: -1, Where: placeShape(places[i])}))
		where, last = append(where, zigzag(g-last)), g
	}
	k.writeNames()
	k.uint(uint64(len(shapes)))
	for _, s := range shapes {
		k.text(s)
	}
	var counts, ids []uint64
	for g := range k.order {
		counts, ids = append(counts, uint64(len(by[g]))), append(ids, by[g]...)
	}
	for _, l := range [][]uint64{ranks, stars, counts, ids, placed, where} {
		k.list(l)
	}
	k.w.Close()
	return lines(k.buf.Bytes())
}

// placeShape is p without the fields that the list of places stores elsewhere.
func placeShape(p wire.Place) wire.Place {
	p.Op, p.Goroutine = "", ""
	return p
}

// lines encodes data as lines of base64.
func lines(data []byte) []byte {
	text := base64.StdEncoding.AppendEncode(nil, data)
	var b []byte
	for len(text) > packedLine {
		b = append(append(b, text[:packedLine]...), '\n')
		text = text[packedLine:]
	}
	return append(append(b, text...), '\n')
}

func (k *packer) writeNames() {
	k.uint(uint64(len(k.order)))
	// next: the expected number of a parent's next child; last: the index of the parent before
	next, last := map[int]int{}, 0
	for i, name := range k.order {
		if up, n, ok := parent(name); ok {
			if p, known := k.names[up]; known && p < i {
				k.uint(1 + zigzag(p-last))
				k.uint(zigzag(n - next[p]))
				next[p], last = n+1, p
				continue
			}
		}
		k.uint(0)
		k.text(cut(name))
	}
}

// parent splits the name of a goroutine such as main/2 into the parent's name and the child
// number.
func parent(name string) (up string, n int, ok bool) {
	i := strings.LastIndexByte(name, '/')
	if i < 0 {
		return "", 0, false
	}
	n, err := strconv.Atoi(name[i+1:])
	return name[:i], n, err == nil && n >= 0 && strconv.Itoa(n) == name[i+1:]
}

// farBack is how many goroutines a recency remembers.
const farBack = 64

// A recency replaces the numbers of a list by ranks: how many distinct numbers came since the last
// occurrence. Numbers that alternate all have the same rank. A number that is not among the last
// farBack distinct ones has the rank farBack + zigzag(n - m - 1), where m is the largest number so
// far.
type recency struct {
	last []int
	next int
}

// rank returns the rank of n, the next number of the list.
func (r *recency) rank(n int) uint64 {
	at := slices.Index(r.last, n)
	rank := uint64(at)
	if at < 0 {
		rank = farBack + zigzag(n-r.next)
	}
	r.use(n, at)
	return rank
}

// number returns the number that has this rank, the next number of the list, or -1 if there is
// none.
func (r *recency) number(rank int) int {
	n, at := 0, rank
	switch {
	case rank >= farBack:
		n = r.next + zagzig(rank-farBack)
		at = slices.Index(r.last, n)
	case rank < len(r.last):
		n = r.last[rank]
	default:
		return -1
	}
	if n >= 0 {
		r.use(n, at)
	}
	return n
}

// use makes n the most recent number. at is its index in r.last, or -1.
func (r *recency) use(n, at int) {
	if at < 0 {
		if len(r.last) < farBack {
			r.last = append(r.last, 0)
		}
		at = len(r.last) - 1
	}
	copy(r.last[1:at+1], r.last[:at])
	r.last[0], r.next = n, max(r.next, n+1)
}

// A starModel predicts whether a step has a star (see File). It expects one at a step of another
// goroutine than the step before, unless the last switch after a step of that shape had none: such
// a step probably blocks.
type starModel struct {
	without map[int]bool // by shape: whether the last switch after it had no star
	before  int
}

func (s *starModel) expected(other bool) bool { return other && !s.without[s.before] }

func (s *starModel) see(star, other bool, shape int) {
	if other {
		s.without[s.before] = !star
	}
	s.before = shape
}

// An unpacker reads what a packer wrote. On an error it panics, as the parser does.
type unpacker struct {
	p    *parser
	in   *bytes.Reader
	size int // bytes of the goroutines' names
}

func (u *unpacker) fail(want, got string) {
	u.p.fail("packed steps: "+want, got)
}

func (u *unpacker) uint(most int, what string) int {
	n, err := binary.ReadUvarint(u.in)
	if err != nil {
		u.fail(what, "the end of the data (is it damaged?)")
	}
	if n > uint64(most) {
		u.fail(fmt.Sprintf("%s of at most %d", what, most), strconv.FormatUint(n, 10))
	}
	return int(n)
}

func (u *unpacker) text(what string) string {
	b := make([]byte, u.uint(min(MaxText, u.in.Len()), "the length of "+what))
	if _, err := io.ReadFull(u.in, b); err != nil {
		u.fail(what, "the end of the data (is it damaged?)")
	}
	return u.p.text(string(b))
}

// list reads a list of at most n numbers, each at most most. An error names the list by what.
func (u *unpacker) list(n, most int, what string) []int {
	out := make([]int, u.uint(min(n, u.in.Len()), "a number of "+what)) // each number takes at least one byte
	for i := range out {
		out[i] = u.uint(most, "one of the "+what)
	}
	return out
}

// packed reads the lines after "steps packed" and decodes them.
func (p *parser) packed() {
	var text []byte
	at := p.line
	for {
		_, line, ok := p.next()
		if !ok {
			p.fail(`packed steps or "end" with the number of steps`, "the end of the file (is it cut short?)")
		}
		if n, isEnd := strings.CutPrefix(line, "end "); isEnd {
			steps := p.number(strings.TrimSpace(n), 63)
			if steps > uint64(p.maxSteps) {
				p.fail(fmt.Sprintf("at most %d steps in all", p.maxSteps), shown(line))
			}
			end := p.line
			p.line = at
			p.unpack(text, int(steps))
			p.line = end
			return
		}
		text = append(text, line...)
	}
}

// unpack decodes base64 text and appends the steps and places.
func (p *parser) unpack(text []byte, steps int) {
	data, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil {
		p.fail("packed steps in base64", err.Error())
	}
	plain, err := inflate(data)
	switch {
	case err != nil:
		p.fail("packed steps", fmt.Sprintf("damaged data (%v)", err))
	case len(plain) > MaxFile:
		p.fail(fmt.Sprintf("packed steps of at most %d bytes", MaxFile), "more")
	}
	u := &unpacker{p: p, in: bytes.NewReader(plain)}
	names, shapes := u.names(), u.shapes()
	ranks := u.list(steps, 1<<31, "goroutines")
	stars := u.list((steps+7)/8, 255, "stars")
	counts := u.list(len(names), steps, "numbers of steps")
	ids := u.list(steps, len(shapes)-1, "steps")
	if len(ranks) != steps || len(ids) != steps || len(stars) != (steps+7)/8 {
		u.fail(fmt.Sprintf("%d steps", steps), strconv.Itoa(min(len(ids), len(ranks))))
	}
	next := make([]int, len(names)) // by goroutine: index in ids of its next step
	for i, at := 0, 0; i < len(counts); i++ {
		next[i] = at
		if at += counts[i]; at > steps {
			u.fail(fmt.Sprintf("%d steps", steps), "more")
		}
	}
	p.f.Steps = make([]wire.Step, steps)
	var recent recency
	model := starModel{without: map[int]bool{}}
	for i, rank := range ranks {
		g := recent.number(rank)
		if g < 0 || g >= len(names) || next[g] == steps {
			u.fail("a goroutine with steps left", fmt.Sprintf("%d at step %d", g, i+1))
		}
		s := &p.f.Steps[i]
		id := ids[next[g]]
		*s = shapes[id]
		next[g]++
		s.G, s.Switch = names[g], model.expected(rank != 0) != (stars[i/8]>>(i%8)&1 == 1)
		model.see(s.Switch, rank != 0, id)
	}
	u.places(names, shapes)
	if u.in.Len() > 0 {
		u.fail("nothing more", fmt.Sprintf("%d bytes", u.in.Len()))
	}
}

// inflate decompresses data, at most one byte more than MaxFile.
func inflate(data []byte) ([]byte, error) {
	return io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(data)), MaxFile+1))
}

// names reads the names of the goroutines.
func (u *unpacker) names() []string {
	n := u.uint(u.in.Len(), "a number of goroutines")
	var names []string
	next, p := map[int]int{}, 0
	for range n {
		way := u.uint(1<<32, "a parent")
		if way == 0 {
			names = append(names, u.text("a goroutine's name"))
			continue
		}
		if p += zagzig(way - 1); p < 0 || p >= len(names) {
			u.fail("a goroutine before as parent", strconv.Itoa(p))
		}
		num := next[p] + zagzig(u.uint(1<<32, "the number of a child"))
		if num < 0 || num > 1<<31 {
			u.fail("the number of a child", strconv.Itoa(num))
		}
		next[p] = num + 1
		name := names[p] + "/" + strconv.Itoa(num)
		if u.size += len(name); u.size > MaxFile || len(name) > MaxText {
			u.fail(fmt.Sprintf("names of at most %d bytes, each of at most %d", MaxFile, MaxText), "more")
		}
		names = append(names, name)
	}
	return names
}

// shapes reads the distinct steps, without goroutines.
func (u *unpacker) shapes() []wire.Step {
	n := u.uint(u.in.Len(), "a number of shapes")
	var shapes []wire.Step
	for range n {
		b := make([]byte, u.uint(min(MaxLine, u.in.Len()), "the length of a shape"))
		io.ReadFull(u.in, b)
		if bytes.ContainsAny(b, "\r\n") {
			u.fail("a step in one line", shown(string(b)))
		}
		s, times := u.p.parseStep(string(b))
		if times != 1 {
			u.fail("one step", shown(string(b)))
		}
		shapes = append(shapes, s)
	}
	return shapes
}

// places reads the places that are not in the header.
func (u *unpacker) places(names []string, shapes []wire.Step) {
	placed := u.list(u.in.Len(), len(shapes)-1, "places")
	where := u.list(len(placed), 1<<31, "goroutines of places")
	if len(placed) != len(where) {
		u.fail(fmt.Sprintf("%d goroutines of places", len(placed)), strconv.Itoa(len(where)))
	}
	g := 0
	for i, n := range placed {
		if g += zagzig(where[i]); g < 0 || g >= len(names) {
			u.fail("the goroutine of a place", strconv.Itoa(g))
		}
		s := shapes[n]
		s.Where.Op, s.Where.Goroutine = s.Op, names[g]
		u.p.f.Places = append(u.p.f.Places, s.Where)
	}
}
