// Package mapcov measures MAP-coverage: the memory-access patterns, of those behind most
// concurrency bugs, that executions have shown (Zhao, Wang, Liu, Sun, Chen, Chen, "Achieving High
// MAP-Coverage through Pattern Constraint Reduction", section 2; the patterns are those of Park,
// Vuduc and Harrold's Unicorn).
//
//	s := mapcov.NewSet()
//	fresh := s.Add(t)   // new patterns of t
//	s.Covered()         // number of patterns
//	s.Estimate()        // T_C: approximate number of possible patterns
//
// Every access to shared memory must be an event of the traces (wire.Request.All).
package mapcov

import "heddle/trace"

// A Row is a generic pattern: 2 to 4 accesses of two goroutines, a and b, to one or two variables,
// x and y.
type Row struct {
	ID    int
	Steps string // in order: the goroutine, R for read or W for write, and the variable
}

// Table is Table 1 of the paper. Row 2 is write, then read: the paper prints two
// writes, with one set too many, and counts it as half of 2 * |R| * |W|.
var Table = [...]Row{
	{1, "aRx bWx"},
	{2, "aWx bRx"},
	{3, "aWx bWx"},
	{4, "aRx bWx aRx"},
	{5, "aWx bWx aRx"},
	{6, "aWx bRx aWx"},
	{7, "aRx bWx aWx"},
	{8, "aWx bWx aWx"},
	{9, "aWx bWx bWy aWy"},
	{10, "aWx bWy bWx aWy"},
	{11, "aWx bWy aWy bWx"},
	{12, "aWx bRx bRy aWy"},
	{13, "aWx bRy bRx aWy"},
	{14, "aRx bWx bWy aRy"},
	{15, "aRx bWy bWx aRy"},
	{16, "aRx bWy aRy bWx"},
	{17, "aWx bRy aWy bRx"},
}

// MaxSteps is the length of the longest pattern.
const MaxSteps = 4

// byShape has the number of the row of each shape, 0 for none.
var byShape [1 << 16]uint8

func init() {
	for _, r := range Table {
		byShape[shapeOf(r.Steps)] = uint8(r.ID)
	}
}

// A shape encodes up to four steps, in four bits each: the step exists, it is b's, it writes, it
// accesses y.
type shape uint16

func (s shape) step(i int, b, write, y bool) shape {
	bits := shape(1)
	if b {
		bits |= 2
	}
	if write {
		bits |= 4
	}
	if y {
		bits |= 8
	}
	return s | bits<<(4*i)
}

// shapeOf parses the steps of a row.
func shapeOf(steps string) (s shape) {
	for i := 0; i*4 < len(steps); i++ {
		w := steps[i*4:]
		s = s.step(i, w[0] == 'b', w[1] == 'W', w[2] == 'y')
	}
	return s
}

// A Step is one access of a pattern, in terms that hold in every execution: its goroutine, its
// variable and its place.
type Step struct {
	Thread, Var int32 // numbers in Names
	Write       bool
	Site        Place
}

// A Place is a site without the display of its values.
type Place uint64

// placeOf returns the place of a site.
func placeOf(s trace.Site) Place {
	if s.PC() != 0 { // of a lock or a channel
		return Place(s.Loud())
	}
	return Place(s.Plain())
}

// A Pattern is a row of the table with a statement for each step. Row 0 is no row. Patterns can be
// compared.
type Pattern struct {
	Row   uint8
	Steps [MaxSteps]Step
}

// MakePattern returns the pattern of which steps are an instance. Its Row is 0 if the table has
// none.
func MakePattern(steps ...Step) (p Pattern) {
	var s shape
	for i, st := range steps {
		p.Steps[i] = st
		s = s.step(i, st.Thread != steps[0].Thread, st.Write, st.Var != steps[0].Var)
	}
	p.Row = rowOf(s)
	return p
}

// rowOf returns the row of a shape, 0 if there is none.
func rowOf(s shape) uint8 { return byShape[s] }

// Len returns the number of steps.
func (p *Pattern) Len() int {
	n := 0
	for n < MaxSteps && p.Steps[n].Thread != 0 {
		n++
	}
	return n
}
