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
	syncs   int // of covered, those with a variable that is no memory
	vars    map[int32]*instructions
	skipped bool
}

// instructions are the places that read and write one variable: I_{x,R} and I_{x,W}.
type instructions struct{ reads, writes map[Place]struct{} }

// NewSet returns an empty set.
func NewSet() *Set {
	return &Set{Names: NewNames(), covered: make(map[Key]struct{}), vars: make(map[int32]*instructions)}
}

// Add adds the patterns of a trace, and returns how many of them are new.
func (s *Set) Add(t *trace.Trace) (fresh int) { return s.AddAccesses(s.Names.Read(t)) }

// AddAccesses is Add for a trace whose accesses were read with Names.
func (s *Set) AddAccesses(as *Accesses) (fresh int) {
	for i := range as.All {
		if v := &as.Vars[as.All[i].Var]; !v.Sync {
			s.instruction(&as.All[i], v.ID)
		}
	}
	n := len(s.covered)
	all := as.each(func(k Key) {
		if had := len(s.covered); s.Names.Syncs(k) {
			if s.covered[k] = struct{}{}; len(s.covered) > had {
				s.syncs++
			}
			return
		}
		s.covered[k] = struct{}{}
	})
	s.skipped = s.skipped || !all
	return len(s.covered) - n
}

func (s *Set) instruction(a *Access, v int32) {
	in := s.vars[v]
	if in == nil {
		in = &instructions{make(map[Place]struct{}), make(map[Place]struct{})}
		s.vars[v] = in
	}
	if a.Read {
		in.reads[a.Site] = struct{}{}
	}
	if a.Write {
		in.writes[a.Site] = struct{}{}
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
	if i == len(accesses) {
		if k, row := as.Key(accesses, write[:i]); row != 0 {
			f(k)
		}
		return
	}
	a := &as.All[accesses[i]]
	for _, w := range [2]bool{false, true} {
		if w && a.Write || !w && a.Read {
			write[i] = w
			as.assign(f, accesses, write, i+1)
		}
	}
}

// pairs has rows 1 to 3. Of the accesses of one statement the first and the last suffice.
func (as *Accesses) pairs(v *Var, f func(Key)) {
	type class struct {
		thread int32
		site   Place
		op     bool
	}
	index := make(map[class]int)
	var first, last []int32
	for _, i := range v.All {
		a := &as.All[i]
		c := class{a.Thread, a.Site, a.Write}
		k, ok := index[c]
		if !ok {
			k = len(first)
			index[c] = k
			first, last = append(first, i), append(last, i)
		}
		last[k] = i
	}
	for i, u := range first {
		for j, w := range last {
			if i != j && u < w && as.All[u].G != as.All[w].G {
				as.roles(f, u, w)
			}
		}
	}
}

// triples has rows 4 to 8.
func (as *Accesses) triples(v *Var, f func(Key)) {
	prev := make(map[trace.GID]int)
	for j, w := range v.All {
		g := as.All[w].G
		if i, ok := prev[g]; ok {
			for _, m := range v.All[i+1 : j] {
				as.roles(f, v.All[i], m, w)
			}
		}
		prev[g] = j
	}
}

// quadruples has rows 9 to 17, on two variables. A leg is two consecutive accesses of one
// goroutine, one to each variable. b's leg lies within a's, or begins in it and ends after it.
func (as *Accesses) quadruples(x, y int, f func(Key)) {
	both := merge(as.Vars[x].All, as.Vars[y].All)
	end := as.legs(both)
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

// legs returns, for each of these accesses, the index of the end of its leg; -1 if it begins none.
func (as *Accesses) legs(both []int32) []int {
	end := make([]int, len(both))
	last := make(map[trace.GID]int)
	for j, w := range both {
		end[j] = -1
		b := &as.All[w]
		if i, ok := last[b.G]; ok {
			if a := &as.All[both[i]]; a.Var != b.Var && a.Event != b.Event {
				end[i] = j
			}
		}
		last[b.G] = j
	}
	return end
}

func merge(a, b []int32) []int32 {
	out := make([]int32, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0] < b[0] {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}
