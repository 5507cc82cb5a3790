// Package mapcov measures MAP-coverage: which of the memory-access patterns that
// are behind most concurrency bugs executions have shown (Zhao, Wang, Liu, Sun, Chen, Chen,
// "Achieving High MAP-Coverage through Pattern Constraint Reduction", section 2; the patterns are those of Park,
// Vuduc & Harrold's Unicorn).
//
//	s := mapcov.NewSet()
//	fresh := s.Add(t)   // patterns of t that no trace before it had
//	s.Covered()         // how many there are
//	s.Estimate()        // T_C: about how many there could be
//
// The traces need every access to shared memory as an event (wire.Request.All).
package mapcov

// A Row is one of the generic patterns: 2 to 4 accesses of two goroutines, a and b, to one or
// two variables, x and y.
type Row struct {
	ID    int
	Steps string // in their order: who, R for reads or W for writes, and what
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

// byShape finds rows by the shape of their steps.
var byShape = make(map[shape]uint8)

func init() {
	for _, r := range Table {
		byShape[shapeOf(r.Steps)] = uint8(r.ID)
	}
}

// A shape says of up to four steps who does what to what, in four bits each:
// there is a step, it is b's, it writes, it is about y.
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

// shapeOf reads the steps of a row.
func shapeOf(steps string) (s shape) {
	for i := 0; i*4 < len(steps); i++ {
		w := steps[i*4:]
		s = s.step(i, w[0] == 'b', w[1] == 'W', w[2] == 'y')
	}
	return s
}

// A Step is one access of a pattern as it is known in every execution: by the name of its goroutine, its variable and its place.
type Step struct {
	Thread, Var int32 // numbers in Names
	Write       bool
	Site        Place
}

// A Place is a site without how its values are shown.
type Place uint64

// A Pattern is a row of the table with statements for its steps; 0 is no row. Patterns can be compared.
type Pattern struct {
	Row   uint8
	Steps [MaxSteps]Step
}

// MakePattern returns the pattern that steps are an instance of. Row is 0 where the table has none.
func MakePattern(steps ...Step) (p Pattern) {
	var s shape
	for i, st := range steps {
		p.Steps[i] = st
		s = s.step(i, st.Thread != steps[0].Thread, st.Write, st.Var != steps[0].Var)
	}
	p.Row = byShape[s]
	return p
}

// Len returns the number of steps.
func (p *Pattern) Len() int {
	n := 0
	for n < MaxSteps && p.Steps[n].Thread != 0 {
		n++
	}
	return n
}
