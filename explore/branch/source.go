package branch

import (
	"encoding/binary"
	"hash/fnv"
	"slices"
	"strings"

	"heddle/trace"
)

// What an execution tells the strategy: its branches, what they depend on, and the versions that
// operations see.

// A source is an execution that variants are derived from.
type source struct {
	x       *Execution
	seeker  *Seeker
	seed    uint64 // of its draws
	objects *names
	ops     []uint64       // by op: its name
	names   []string       // by branch
	round   map[string]int // by name: the branch
	related []*related     // by branch, once computed
	taken   []taken        // by selects
	chain   [][]uint64     // by counter: see version
	due     []int          // see considered
	stamp   int
}

// A related is the BranchRelOP of a branch.
type related struct {
	ops      []int32
	affected bool
}

// A sight is an operation with the version that it sees: a hash of all changes before it.
type sight struct{ op, version uint64 }

// A pair is two operations, a before b.
type pair struct{ a, b uint64 }

// A run is an execution: what its operations saw, and when.
type run struct {
	saw      map[uint64]uint64
	at       map[uint64]int
	outcomes map[string]int64
}

// seen reports whether an execution has these sights.
func (r *run) seen(sees []sight) bool {
	for _, x := range sees {
		if v, ok := r.saw[x.op]; !ok || v != x.version {
			return false
		}
	}
	return true
}

// did reports whether an execution has these pairs in their order.
func (r *run) did(before []pair) bool {
	for _, p := range before {
		a, ok := r.at[p.a]
		b, both := r.at[p.b]
		if !ok || !both || a > b {
			return false
		}
	}
	return len(before) > 0
}

// newSource makes a source of an execution whose schedule had that seed.
func newSource(x *Execution, seed uint64) *source {
	t, names := x.Trace, newNames(x.Trace)
	f := &source{x: x, seeker: NewSeeker(x), seed: seed, objects: names}
	f.seeker.seed = seed
	nth := map[string]uint64{}
	for i := range x.Ops {
		name := t.Name(x.Ops[i].G) + " " + names.op(int(x.Ops[i].Event))
		nth[name]++
		f.ops = append(f.ops, hashOf([]byte(name), nth[name]))
	}
	f.round = map[string]int{}
	for i := range x.Branches {
		name := branchName(t, &x.Branches[i], x.Branches[i].Nth)
		f.names = append(f.names, name)
		f.round[name] = i
	}
	f.related = make([]*related, len(x.Branches))
	f.taken = f.cases()
	f.makeChains()
	return f
}

// rel returns BranchRelOP of a branch, see RelatedOP.
func (f *source) rel(b int) *related {
	if f.related[b] == nil {
		r := new(related)
		r.ops, r.affected = f.x.RelatedOP(b)
		f.related[b] = r
	}
	return f.related[b]
}

// branchName returns the name of the nth evaluation of a branch.
func branchName(t *trace.Trace, b *Branch, nth int32) string {
	e := &t.Events[b.Event]
	site := siteName(e.Site)
	if b.Check { // a condition, and several operations, may have the same site
		site += "/" + e.Op.String()
	}
	return t.Name(b.G) + " " + site + " " + siteName(trace.Site(nth))
}

// placeOf returns the name of a branch without the round.
func placeOf(name string) string { return name[:strings.LastIndexByte(name, ' ')] }

func hashOf(text []byte, numbers ...uint64) uint64 {
	h := fnv.New64a()
	h.Write(text)
	for _, n := range numbers {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], n)
		h.Write(b[:])
	}
	return h.Sum64()
}

// run returns what the operations of an execution saw.
func (f *source) run() *run {
	r := &run{map[uint64]uint64{}, map[uint64]int{}, map[string]int64{}}
	for op := range f.x.Ops {
		r.at[f.ops[op]] = op
		r.saw[f.ops[op]] = f.version(int32(op), func(w int32) bool { return w < int32(op) })
	}
	for _, c := range f.taken {
		r.saw[c.sight.op] = c.version
	}
	for b, name := range f.names {
		r.outcomes[name] = f.x.Branches[b].Outcome
	}
	return r
}

// makeChains hashes the changes of every counter: chain[c][k] is the hash of the first k.
func (f *source) makeChains() {
	f.chain = make([][]uint64, f.x.counters)
	for c := range f.chain {
		f.chain[c] = []uint64{uint64(c)}
		at := uint64(0)
		for _, w := range f.x.bumpers(int32(c)) {
			at = hashOf(nil, at, f.ops[w])
			f.chain[c] = append(f.chain[c], at)
		}
		f.chain[c][0] = 0
	}
}

// version returns the version that an operation sees after the operations for which done holds: of
// each counter, the first changes, as many as are done.
func (f *source) version(op int32, done func(int32) bool) uint64 {
	var all []uint64
	for _, c := range f.x.Ops[op].sees {
		k, own, changers := 0, -1, f.x.bumpers(c)
		for k < len(changers) && (changers[k] == op || done(changers[k])) {
			if changers[k] == op {
				own = k
			}
			k++
		}
		if own < 0 || own == k-1 {
			if own >= 0 {
				k--
			}
			all = append(all, f.chain[c][k])
			continue
		}
		at := f.chain[c][own] // it comes later than in the trace, after these
		for _, w := range changers[own+1 : k] {
			at = hashOf(nil, at, f.ops[w])
		}
		all = append(all, at)
	}
	return hashOf(nil, all...)
}

// sees returns the sights of the operations of a group. done reports which of the other operations
// are done.
func (f *source) sees(g *Group, done func(int32) bool) (sees []sight) {
	unchanged := g.Order
	if g.Changed {
		op := g.Order[len(g.Order)-1]
		unchanged = g.Order[:len(g.Order)-1]
		sees = append(sees, sight{f.ops[op], f.version(op,
			func(w int32) bool { return slices.Contains(unchanged, w) || done(w) })})
	}
	for _, op := range unchanged {
		sees = append(sees, sight{f.ops[op], f.version(op, func(w int32) bool { return w < op })})
	}
	slices.SortFunc(sees, func(a, b sight) int {
		if a.op < b.op {
			return -1
		}
		return 1
	})
	return sees
}

func keyOf(sees []sight) string {
	var b []byte
	for _, x := range sees {
		b = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, x.op), x.version)
	}
	return string(b)
}

// orders returns the order of a group, completed as in the trace, as far as it matters: the pairs
// of operations that do not commute.
func (f *source) orders(b int, g *Group) (before []pair) {
	f.inOrder(b, g, func(p, q int32) { before = append(before, pair{f.ops[p], f.ops[q]}) })
	return before
}

// inOrder calls do for the ordered pairs of operations.
func (f *source) inOrder(b int, g *Group, do func(p, q int32)) {
	full := g.Full(f.rel(b).ops)
	for i, p := range full {
		for _, q := range full[i+1:] {
			if f.x.Ops[p].G == f.x.Ops[q].G || f.x.conflict(p, q) {
				do(p, q)
			}
		}
	}
}

// statement returns the name of an operation as in the paper: location, operation, operand.
func (f *source) statement(op int32) string {
	return f.x.Trace.Name(f.x.Ops[op].G) + ":" + f.objects.op(int(f.x.Ops[op].Event))
}

// conflict reports whether one of two operations changes what the other sees.
func (x *Execution) conflict(p, q int32) bool {
	meets := func(a, b []int32) bool {
		return slices.ContainsFunc(a, func(c int32) bool { return slices.Contains(b, c) })
	}
	return meets(x.Ops[p].bumps, x.Ops[q].sees) || meets(x.Ops[q].bumps, x.Ops[p].sees)
}

// nth returns the nth evaluation of branch b, -1 if there is none.
func (f *source) nth(b int, nth int32) int {
	if i, ok := f.round[branchName(f.x.Trace, &f.x.Branches[b], nth)]; ok {
		return i
	}
	return -1
}

// statements returns BranchRelOP as in the paper: location, operation, operand, without duplicates.
func (f *source) statements(b int) (list []string) {
	for _, op := range f.rel(b).ops {
		list = append(list, f.statement(op))
	}
	slices.Sort(list)
	return slices.Compact(list)
}
