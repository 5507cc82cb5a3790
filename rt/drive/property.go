package drive

import (
	"reflect"
	"slices"
	"unsafe"

	"heddle/rt/flow"
	"heddle/rt/hook"
	"heddle/symbolic/corpus"
)

// Properties that generators draw values for (testing/quick, pgregory.net/rapid): each is called
// once in an execution. What it draws from is a part of the input of the test, which has the parts
// of all its properties, in the order in which they are checked.

// usualSeed is what a property draws by that has no part in the input: in executions without one,
// and where what is called before it depends on the schedule.
const usualSeed = 1

// HasProperties reports whether the binary may have properties.
func HasProperties() bool { return config.Properties }

// A Part is what one call of a property is made with.
type Part struct {
	Values []any  // a copy; of the zero values where it draws by Seed
	Seed   uint64 // not 0: by chance, see Drew

	at     int // in what is told
	labels []flow.Label
}

// Property returns the part of the input that the next property gets; zero are the zero values of
// its arguments, by which it is told what the input consists of.
func Property(zero []any) *Part {
	p := &Part{Values: slices.Clone(zero), Seed: given.draw, at: len(given.told)}
	if given.tell {
		given.told = append(given.told, corpus.Texts(zero)...)
	}
	switch {
	case given.draw != 0:
	case given.values != nil && len(named.order) == 0 && suits(zero):
		given.labels = append(given.labels[:0], 0) // no receiver
		p.Values = arguments(given.values[given.at:given.at+len(zero)], given.at)
		p.labels = slices.Clone(given.labels)
		given.at += len(zero)
	default:
		p.Seed = usualSeed
		PropertyBeside()
	}
	return p
}

// PropertyBeside notes that a property is called with cases of its own, a hundred of them, since it
// depends on the schedule which property is next. So not all inputs are known.
func PropertyBeside() {
	if given.exprs {
		flow.F.Foreign++
	}
}

// Silent reports whether the output of the execution is not looked at.
func Silent() bool { return given.count }

// suits reports whether the values of the input that come next have the types of zero.
func suits(zero []any) bool {
	if len(given.values)-given.at < len(zero) {
		return false
	}
	for i, v := range zero {
		if reflect.TypeOf(v) != reflect.TypeOf(given.values[given.at+i]) {
			return false
		}
	}
	return true
}

// Drew tells what a property drew by its seed: values that make it draw the same.
func (p *Part) Drew(values []any) {
	if given.tell && p.at+len(values) <= len(given.told) {
		copy(given.told[p.at:], corpus.Texts(values))
	}
}

// Pass passes the labels of the part to the function that is called next, which has more parameters
// behind those.
func (p *Part) Pass(more int) {
	if given.exprs && hook.Here() && p.labels != nil {
		for range more {
			p.labels = append(p.labels, 0)
		}
		flow.Pass(flow.Sig(len(p.labels)-1), p.labels...)
	}
}

// PropertyBy notes that a goroutine calls the next property. If another one has called one before,
// it may be up to the schedule which comes first.
func PropertyBy(g uintptr) {
	if given.by != 0 && given.by != g {
		PropertyBeside()
	}
	given.by = g
}

// A Piece says where a value of a part is in an argument.
type Piece struct {
	Value     int // its index
	Off, Size uintptr
	Whole     bool // it is the argument
}

// PassTo passes labels of the part to the function that is called next: for each parameter those of
// its pieces.
func (p *Part) PassTo(args [][]Piece) {
	if !p.followed() {
		return
	}
	ls := []flow.Label{0}
	for _, ps := range args {
		ls = append(ls, p.labelOf(ps))
	}
	flow.Pass(flow.Sig(len(args)), ls...)
}

// followed reports whether the values have labels.
func (p *Part) followed() bool { return given.exprs && hook.Here() && p.labels != nil }

func (p *Part) labelOf(ps []Piece) flow.Label {
	var parts []flow.Part
	for _, x := range ps {
		l := p.labels[1+x.Value]
		if x.Whole {
			return l
		}
		parts = append(parts, flow.Part{Off: x.Off, N: x.Size, L: l})
	}
	if parts == nil {
		return 0
	}
	return flow.Struct(parts...)
}

// Put gives memory at p, which has pieces, their labels.
func (p *Part) Put(at unsafe.Pointer, ps []Piece) {
	if p.followed() {
		for _, x := range ps {
			flow.SetBytes(unsafe.Add(at, x.Off), x.Size, p.labels[1+x.Value])
		}
	}
}

// Judged notes what the function that was passed labels has returned, a condition: it is a branch.
func (p *Part) Judged(v bool) {
	if p.followed() {
		flow.B(v, flow.Got(1, 0)[0], judgedSite)
	}
}

// judgedSite is the site of that branch, partSite those of branches on how an argument is made.
const (
	partSite   = 15<<59 | 6
	judgedSite = 15<<59 | 7
)

// Decide returns the value with that index, a condition by which an argument is made one way or
// another: it is a branch.
func (p *Part) Decide(i int) bool {
	v := p.Values[i].(bool)
	if p.followed() {
		flow.B(v, p.labels[1+i], partSite)
	}
	return v
}

// drawn reports whether the execution had properties that are called with the input of the test,
// and makes what they drew, or may, the corpus.
func drawn() bool {
	if asked() || given.told == nil || given.corpus != nil { // else they are checked within a fuzz target
		return false
	}
	given.corpus = [][]string{given.told}
	return true
}
