package mapcov

import (
	"maps"
	"slices"

	"heddle/trace"
)

// A Set is the patterns that executions have covered.
type Set struct {
	Names   *Names
	covered map[Key]struct{}
	recent  [1024]Key // some of covered, at hashes of them
	syncs   int       // of covered, those with a variable that is no memory
	vars    map[int32]*instructions
	listed  int      // steps of Names that are in vars, or of no memory
	counted Accesses // of the last trace that was added
	skipped bool
}

// instructions are the places that read and write one variable: I_{x,R} and I_{x,W}.
type instructions struct{ reads, writes map[Place]struct{} }

// NewSet returns an empty set.
func NewSet() *Set {
	return &Set{Names: NewNames(), covered: make(map[Key]struct{}), vars: make(map[int32]*instructions)}
}

// Add adds the patterns of a trace, and returns how many of them are new.
func (s *Set) Add(t *trace.Trace) (fresh int) {
	s.Names.read(t, &s.counted)
	return s.AddAccesses(&s.counted)
}

// AddAccesses is Add for a trace whose accesses were read with Names.
func (s *Set) AddAccesses(as *Accesses) (fresh int) {
	for ; s.listed < len(s.Names.steps.list); s.listed++ {
		if st := &s.Names.steps.list[s.listed]; !syncs(s.Names.kinds[st.Var]) {
			s.instruction(st)
		}
	}
	n := len(s.covered)
	all := as.each(s.cover)
	s.skipped = s.skipped || !all
	return len(s.covered) - n
}

func (s *Set) cover(k Key) {
	h := (uint64(k[0]) | uint64(k[1])<<32) * 0x9e3779b97f4a7c15
	h = (h ^ h>>29 ^ (uint64(k[2]) | uint64(k[3])<<32)) * 0x9e3779b97f4a7c15
	r := &s.recent[h>>54]
	if *r == k {
		return
	}
	*r = k
	had := len(s.covered)
	if s.covered[k] = struct{}{}; len(s.covered) > had && s.Names.Syncs(k) {
		s.syncs++
	}
}

func (s *Set) instruction(st *Step) {
	in := s.vars[st.Var]
	if in == nil {
		in = &instructions{make(map[Place]struct{}), make(map[Place]struct{})}
		s.vars[st.Var] = in
	}
	if st.Write {
		in.writes[st.Site] = struct{}{}
	} else {
		in.reads[st.Site] = struct{}{}
	}
}

// Has reports whether a pattern was covered.
func (s *Set) Has(p Pattern) bool { return p.Row != 0 && s.HasKey(s.Names.Key(&p)) }

// HasKey is Has for a pattern by its key in Names.
func (s *Set) HasKey(k Key) bool {
	_, ok := s.covered[k]
	return ok
}

// Covered returns the number of patterns of memory and atomics covered. The same statement,
// executed by another goroutine or on another variable, gives another pattern.
func (s *Set) Covered() int { return len(s.covered) - s.syncs }

// Syncs returns the number of covered patterns that have a lock, a channel or a sync.Map.
func (s *Set) Syncs() int { return s.syncs }

// maxForms bounds what Forms returns.
const maxForms = 5000

// Forms returns hashes of the rows and statements of the patterns covered, ascending. Patterns of
// other tests on the same types have equal ones, whatever their goroutines and variables are
// called.
func (s *Set) Forms() []uint64 {
	forms := make(map[uint64]struct{})
	for k := range s.covered {
		p := s.Names.Pattern(k)
		h := uint64(p.Row) + 1
		for _, st := range p.Steps[:p.Len()] {
			h = (h^uint64(st.Site))*0x9e3779b97f4a7c15 + 1
			h ^= h >> 29
		}
		forms[h] = struct{}{}
	}
	all := slices.Sorted(maps.Keys(forms))
	return all[:min(len(all), maxForms)]
}

// Truncated reports whether a trace had too many variables to look at all pairs.
func (s *Set) Truncated() bool { return s.skipped }

// Estimate is T_C of section 2.4: the approximate number of possible patterns, from the numbers of
// instructions that read and write each shared variable, as far as executions have reached them.
// Covered distinguishes goroutines and T_C does not, so T_C can be smaller.
func (s *Set) Estimate() float64 {
	total, ww, rw := 0.0, 0.0, 0.0
	for _, in := range s.vars {
		r, w := float64(len(in.reads)), float64(len(in.writes))
		total += 2*r*w + w*w + r*r*w + 3*r*w*w + w*w*w
		total -= (3*w*w*w*w + 6*w*r*w*r) / 2 // a pair has two different variables
		ww, rw = ww+w*w, rw+w*r
	}
	return total + (3*ww*ww+6*rw*rw)/2
}

// maxPairs bounds the pairs of variables that are searched in a trace.
const maxPairs = 200_000

// Each calls f with the patterns of Table 1 that a trace shows, some of them more than once. A
// pattern's accesses are in its order, and those of one goroutine follow each other directly among
// all accesses of that goroutine to the variables of the pattern. (Otherwise the pattern is
// interrupted, and stands for two others: section 3, p8.) Each returns false if there were too many
// variables to look at all pairs.
func (as *Accesses) Each(f func(Pattern)) (all bool) {
	return as.each(func(k Key) { f(as.names.Pattern(k)) })
}

// each is Each with keys.
func (as *Accesses) each(f func(Key)) (all bool) {
	for v := range as.Vars {
		as.pairs(&as.Vars[v], f)
		as.triples(&as.Vars[v], f)
	}
	n := 0
	for x := range as.Vars {
		for y := range as.Vars[:x] {
			if n++; n > maxPairs {
				return false
			}
			as.quadruples(x, y, f)
		}
	}
	return true
}

// roles calls f for each assignment of reads and writes to the accesses: more than one if an access
// both reads and writes.
func (as *Accesses) roles(f func(Key), accesses ...int32) {
	var write [MaxSteps]bool
	as.assign(f, accesses, &write, 0)
}

func (as *Accesses) assign(f func(Key), accesses []int32, write *[MaxSteps]bool, i int) {
	for ; i < len(accesses); i++ {
		a := &as.All[accesses[i]]
		write[i] = a.Write
		if a.Read && a.Write {
			as.assign(f, accesses, write, i+1)
			write[i] = false
		}
	}
	if k, row := as.Key(accesses, write[:i]); row != 0 {
		f(k)
	}
}

// pairs has rows 1 to 3. Of the accesses of one statement the first and the last suffice.
func (as *Accesses) pairs(v *Var, f func(Key)) {
	l := &as.legs
	l.first, l.last = l.first[:0], l.last[:0]
	for _, i := range v.All {
		k := as.class(i)
		for j := range l.first { // there are few
			if as.class(l.first[j]) == k {
				l.last[j], k = i, 0
				break
			}
		}
		if k != 0 {
			l.first, l.last = append(l.first, i), append(l.last, i)
		}
	}
	for i, u := range l.first {
		for j, w := range l.last {
			if i != j && u < w && as.All[u].G != as.All[w].G {
				as.roles(f, u, w)
			}
		}
	}
}

// class returns a number for the statement of an access and its goroutine, not 0.
func (as *Accesses) class(i int32) int32 {
	if steps := &as.steps[i]; steps[1] != 0 {
		return steps[1]
	}
	return as.steps[i][0]
}

// triples has rows 4 to 8.
func (as *Accesses) triples(v *Var, f func(Key)) {
	last := as.none()
	for j, w := range v.All {
		g := as.All[w].G
		if i := last[g]; i >= 0 {
			for _, m := range v.All[i+1 : j] {
				as.roles(f, v.All[i], m, w)
			}
		}
		last[g] = j
	}
}

// quadruples has rows 9 to 17, on two variables. A leg is two consecutive accesses of one
// goroutine, one to each variable. b's leg lies within a's, or begins in it and ends after it.
func (as *Accesses) quadruples(x, y int, f func(Key)) {
	l := &as.legs
	l.merge(as.Vars[x].All, as.Vars[y].All)
	if !as.findLegs() {
		return
	}
	both, end := l.both, l.end
	for i, j := range end {
		for p := i + 1; p < j; p++ {
			if q := end[p]; as.All[both[p]].G == as.All[both[i]].G || q < 0 {
				continue
			} else if q < j {
				as.roles(f, both[i], both[p], both[q], both[j]) // x x y y, x y x y
			} else if as.All[both[p]].Var == as.All[both[j]].Var {
				as.roles(f, both[i], both[p], both[j], both[q]) // x y y x
			}
		}
	}
}

// legs are the accesses to two variables, and for each of them the index of the end of its leg; -1
// if it begins none.
type legs struct {
	both        []int32
	end         []int
	first, last []int32 // see pairs
	prev        []int   // see none
}

// none returns -1 for each goroutine.
func (as *Accesses) none() []int {
	l := &as.legs
	l.prev = l.prev[:0]
	for range as.Trace.Goroutines {
		l.prev = append(l.prev, -1)
	}
	return l.prev
}

// findLegs finds the ends of the legs. It returns false unless two goroutines have some.
func (as *Accesses) findLegs() bool {
	l, last := &as.legs, as.none()
	l.end = l.end[:0]
	first, two := trace.NoG, false
	for j, w := range l.both {
		l.end = append(l.end, -1)
		b := &as.All[w]
		if i := last[b.G]; i >= 0 {
			if a := &as.All[l.both[i]]; a.Var != b.Var && a.Event != b.Event {
				l.end[i] = j
				two = two || first != trace.NoG && first != b.G
				first = b.G
			}
		}
		last[b.G] = j
	}
	return two
}

func (l *legs) merge(a, b []int32) {
	l.both = l.both[:0]
	for len(a) > 0 && len(b) > 0 {
		if a[0] < b[0] {
			l.both, a = append(l.both, a[0]), a[1:]
		} else {
			l.both, b = append(l.both, b[0]), b[1:]
		}
	}
	l.both = append(append(l.both, a...), b...)
}
