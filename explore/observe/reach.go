package observe

// What a goroutine may access.

// A reach is a set of items that are read, one of items that are written, and one of items that are
// changed by operations that commute with each other, such as the Adds of a WaitGroup.
type reach struct{ reads, writes, adds bits }

func (r *reach) join(q *reach) (grown bool) {
	a := r.reads.join(&q.reads)
	b := r.writes.join(&q.writes)
	return r.adds.join(&q.adds) || a || b
}

// meets reports whether a step and a future access an item in ways that conflict.
func (r *reach) meets(q *reach) bool {
	return r.writes.meets(&q.writes) || r.writes.meets(&q.reads) || r.reads.meets(&q.writes) ||
		r.adds.meets(&q.writes) || r.writes.meets(&q.adds) || r.reads.meets(&q.adds) ||
		r.adds.meets(&q.reads)
}

func (r *reach) clear() {
	r.reads.clear()
	r.writes.clear()
	r.adds.clear()
}

func (r *reach) empty() bool { return r.reads.empty() && r.writes.empty() && r.adds.empty() }

// isWord reports whether each set is a word.
func (r *reach) isWord() bool {
	return len(r.reads.high)+len(r.writes.high)+len(r.adds.high) == 0
}

// has reports whether an item is accessed.
func (r *reach) has(i int32) bool { return r.reads.has(i) || r.writes.has(i) || r.adds.has(i) }

func (r *reach) add(i int32, write bool) {
	if write {
		r.writes.add(i)
	} else {
		r.reads.add(i)
	}
}

// An exception says which accesses of a step do not conflict in a state, or do. -1: none.
type exception struct {
	summed  int32 // reads of this item do not conflict with what the step adds to it
	firsts  int32 // the step's write of this item does not conflict with other writes
	ordered int32 // additions to this item conflict with what the step adds to it
}

var nothingElse = exception{-1, -1, -1}

func futureOf(n *node) *reach { return &n.future }
func soonOf(n *node) *reach   { return &n.soon }
func bareOf(n *node) *reach   { return &n.bare }

// grow adds to what may be accessed from a node on, and from those before it.
func (p *program) grow(at int32, r *reach, old int32) {
	p.upwards(at, r, old, futureOf, false)
	p.upwards(at, r, old, soonOf, true)
}

// before returns the node before one; 0: there is none. Before the first node of a goroutine that
// is the one before the step that started it: after that step the goroutine is one of the state.
// Such a node may have others before it, see eachOther.
func (p *program) before(at int32) int32 {
	n := p.node(at)
	if b := p.node(n.parent); b.proc != n.proc {
		return b.parent
	}
	return n.parent
}

// eachOther yields the nodes before one beside that which before returns.
func (p *program) eachOther(at int32, yield func(before int32)) {
	if p.node(at).many {
		for _, w := range p.others[at] {
			yield(w.from)
		}
	}
}

// expose is grow for what is accessed without the lock that guards it.
func (p *program) expose(at int32, r *reach, old int32) { p.upwards(at, r, old, bareOf, false) }

// upwards joins r to a set of a node and of those before it; soon: as far as they are behind no
// Wait that is passed. The way is long, and r has few numbers in many words: it looks at its words
// that are not empty.
func (p *program) upwards(at int32, r *reach, old int32, of func(*node) *reach, soon bool) {
	var few [3][]fullWord
	few[0], few[1], few[2] = r.reads.spots(p.spots[0]), r.writes.spots(p.spots[1]), r.adds.spots(p.spots[2])
	p.spots = few
	p.joinUpwards(at, &few, old, of, soon)
}

func (p *program) joinUpwards(at int32, few *[3][]fullWord, old int32, of func(*node) *reach, soon bool) {
	for at != 0 {
		p.climbed++
		q := of(p.node(at))
		a, b, c := q.reads.joinFew(few[0]), q.writes.joinFew(few[1]), q.adds.joinFew(few[2])
		if !a && !b && !c {
			return
		}
		p.grown = p.grown || at < old
		p.eachOther(at, func(before int32) {
			if !soon || !p.node(before).pauses() {
				p.joinUpwards(before, few, old, of, soon)
			}
		})
		at = p.before(at)
		if soon && p.node(at).pauses() {
			return
		}
	}
}
