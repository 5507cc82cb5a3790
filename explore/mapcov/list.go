package mapcov

import (
	"maps"
	"slices"
)

// A State is what is known of a pattern.
type State uint8

const (
	Shown     State = iota // an execution has shown it
	Untried                // some of its accesses were not asked for
	Led                    // a schedule for it was executed, or leads where another one led, without it
	Same                   // it would let no read see another value: strategy map does not ask for it
	Undecided              // the solver ran out of time
	// Refuted: no order of what an execution seen did shows it, as long as each read sees what it
	// saw.
	Refuted
)

var states = [...]string{"covered", "not tried", "tried", "nothing new", "not decided", "refuted"}

func (s State) String() string { return states[s] }

// A Listed is a pattern with its state.
type Listed struct {
	Pattern
	State State
}

// List returns the patterns covered and others, by variables, row and places.
func (s *Set) List(others []Listed) []Listed {
	all := others
	for k := range maps.Keys(s.covered) {
		all = append(all, Listed{s.Names.Pattern(k), Shown})
	}
	slices.SortFunc(all, func(a, b Listed) int {
		x, y := s.order(&a), s.order(&b)
		return slices.Compare(x[:], y[:])
	})
	return all
}

// order returns what patterns are sorted by.
func (s *Set) order(l *Listed) (by [4 + 2*MaxSteps]uint64) {
	vars := l.Vars()
	by[0] = uint64(len(vars)) // what is about one variable comes first
	by[1] = uint64(vars[0])
	by[2] = uint64(vars[len(vars)-1])
	by[3] = uint64(l.Row)
	for i, st := range l.Steps[:l.Len()] {
		by[4+2*i], by[5+2*i] = uint64(st.Site), uint64(st.Thread)
	}
	return by
}

// Vars returns the numbers of a pattern's variables, ascending: one or two.
func (p *Pattern) Vars() (vars []int32) {
	for _, st := range p.Steps[:p.Len()] {
		if !slices.Contains(vars, st.Var) {
			vars = append(vars, st.Var)
		}
	}
	slices.Sort(vars)
	return vars
}
