package gen

import (
	"fmt"
	"go/types"
	"math/rand/v2"
	"slices"
	"strings"
)

// Options of a Suite.
type Options struct {
	Tests      int    // to write; 0: 10
	Goroutines int    // 2 or 3; 0: either
	Calls      int    // most calls of one goroutine; 0: 2
	Seed       uint64 // of all random choices

	// Order is what sequential orders are looked for: "" or "linearizable", "sequential",
	// "quiescent" (see package sentence of oracle.tmpl).
	Order string
	// Spec is a type of the package with the same methods, that says what is right; "": the type.
	Spec     string
	Validate string     // a function of the package, func(object) error, called in the end; "": none
	Once     []string   // methods that are called once at most
	Serial   [][]string // groups of methods that one goroutine alone calls
	New      []string   // functions that make objects; nil: all whose objects are for several goroutines
	NoDocs   bool       // do not keep to what the documentation says about several goroutines
}

// Orders are the values of Options.Order.
var Orders = []string{"linearizable", "sequential", "quiescent"}

// A Suite has the tests of one type.
type Suite struct {
	p       *Package
	opt     Options
	obj     *types.TypeName
	rng     *rand.Rand
	imports map[string]string

	result   types.Type // what makes return: the type, a pointer to it, or an interface
	makes    []creator
	spec     types.Type // of Options.Spec, or a pointer to it; nil: none
	specMake []string   // for each of makes
	end      string     // the method that ends what an object has started; "": none

	pool    []entry
	fine    []int           // makes that work, the simplest first
	usable  []int           // entries of the pool that may be called
	methods []string        // of them
	waits   map[string]bool // methods that wait if they are called alone, on a new object
	levels  map[string]int
	advice  *advice
	notes   []string

	binary string // of the check
	remove func()

	tests    []*scenario
	failures []Failure // of the first tests

	drawn, executed, executions int            // scenarios, those of them that were executed, how often
	why                         map[string]int // why others were not kept
	cut                         bool           // the search had no time for all its rounds
}

// A Failure is what a test has shown.
type Failure struct {
	Kind, Message string
	Executions    int
	Output        string
}

// Suite makes the calls that tests for the named type can have. The error says why there are none.
func (p *Package) Suite(name string, opt Options) (*Suite, error) {
	if opt.Tests == 0 {
		opt.Tests = 10
	}
	if opt.Calls == 0 {
		opt.Calls = 2
	}
	if opt.Order == "" {
		opt.Order = Orders[0]
	}
	obj, ok := p.types.Scope().Lookup(name).(*types.TypeName)
	if !ok {
		hint := p.instead(name)
		if strings.ContainsAny(name, "*.[ ") {
			hint = " (-type takes the name alone, without package, pointer and type arguments)"
		}
		return nil, fmt.Errorf("%s has no type %s%s; those with exported methods are %s", p.Path, name,
			hint, list(p.Types()))
	}
	s := &Suite{p: p, opt: opt, obj: obj, rng: newRand(opt.Seed), imports: map[string]string{},
		levels: map[string]int{}, why: map[string]int{}, waits: map[string]bool{}}
	if err := s.creators(obj); err != nil {
		return nil, err
	}
	if err := s.heed(); err != nil {
		return nil, err
	}
	s.entries()
	if len(s.pool) == 0 {
		if set := types.NewMethodSet(types.NewPointer(obj.Type())); set.Lookup(nil, "Lock") != nil {
			s.note("methods of an embedded lock are not called")
		}
		return nil,
			fmt.Errorf("%s%s has no exported methods that arguments can be made for; types with exported methods are %s%s; export a method, or give -type one of these",
				p.at(obj), name, list(p.Types()), s.because())
	}
	for _, m := range methodsOn(s.result) {
		if m.sig.Params().Len() == 0 && slices.Contains([]string{"Close", "Stop", "Shutdown", "StopAll"},
			m.name) {
			s.end = m.name
			break
		}
	}
	if err := s.known(); err != nil {
		return nil, err
	}
	return s, s.specify()
}

// because lists the notes.
func (s *Suite) because() string {
	if len(s.notes) == 0 {
		return ""
	}
	return " (" + strings.Join(s.notes, "; ") + ")"
}

// note says something about the type, once.
func (s *Suite) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(s.notes, text) {
		s.notes = append(s.notes, text)
	}
}

// Notes says what is not tested, and why.
func (s *Suite) Notes() []string { return s.notes }

// Failures returns what the first tests have shown.
func (s *Suite) Failures() []Failure { return s.failures }

// known checks that the methods of Options are there.
func (s *Suite) known() error {
	var names []string
	for _, e := range s.pool {
		names = append(names, e.method)
	}
	names = slices.Compact(names)
	for _, group := range append([][]string{s.opt.Once}, s.opt.Serial...) {
		for _, m := range group {
			if !slices.Contains(names, m) {
				return fmt.Errorf("%s%s has no method %s that is called; there are %s: -once and -serial name some of these",
					s.p.at(s.obj), s.typeName(), m, list(names))
			}
		}
	}
	return nil
}

// specify finds the sequential specification, and the function that validates objects.
func (s *Suite) specify() error {
	if f := s.opt.Validate; f != "" {
		fn, ok := s.p.types.Scope().Lookup(f).(*types.Func)
		if !ok {
			return fmt.Errorf("%s has no function %s%s: -validate names one, func(%s) error, of the package or its tests",
				s.p.Path, f, s.p.instead(f), s.resultText())
		}
		sig := fn.Signature()
		if sig.TypeParams().Len() == 0 && (sig.Params().Len() != 1 || sig.Results().Len() != 1 ||
			!types.AssignableTo(s.result, sig.Params().At(0).Type()) ||
			typePath(sig.Results().At(0).Type()) != "error") {
			return fmt.Errorf("%s-validate %s is %s: want func(%s) error", s.p.at(fn), f, s.p.text(sig),
				s.resultText())
		}
	}
	if s.opt.Spec == "" {
		return nil
	}
	obj, ok := s.p.types.Scope().Lookup(s.opt.Spec).(*types.TypeName)
	if !ok {
		return fmt.Errorf("%s has no type %s%s: -spec names one, of the package or its tests, with the methods of %s",
			s.p.Path, s.opt.Spec, s.p.instead(s.opt.Spec), s.typeName())
	}
	t, ok := obj.Type(), true
	if n, generic := t.(*types.Named); generic && n.TypeParams().Len() > 0 {
		if t, ok = s.p.instance(t); !ok {
			return fmt.Errorf("%s-spec %s: no type that is known satisfies its constraints: write one without type parameters",
				s.p.at(obj), s.opt.Spec)
		}
	}
	s.spec = types.NewPointer(t)
	spec := map[string]*types.Signature{}
	for _, m := range methodsOn(s.spec) {
		spec[m.name] = m.sig
	}
	var missing []string
	for _, m := range methodsOn(s.result) {
		if sig := spec[m.name]; sig == nil || !types.Identical(sig, m.sig) {
			if sig != nil {
				return fmt.Errorf("%s-spec %s: its method %s is %s, and that of %s is %s: want the same parameters and results",
					s.p.at(obj), s.opt.Spec, m.name, s.p.text(sig), s.typeName(), s.p.text(m.sig))
			}
			missing = append(missing, m.name)
		}
	}
	s.pool = slices.DeleteFunc(s.pool, func(e entry) bool { return slices.Contains(missing, e.method) })
	if len(s.pool) == 0 {
		return fmt.Errorf("%s-spec %s has none of the methods of %s, which are %s: write those that are to be compared",
			s.p.at(obj), s.opt.Spec, s.typeName(), list(missing))
	}
	if len(missing) > 0 {
		s.note("%s has no %s: not called", s.opt.Spec, list(missing))
	}
	return s.specMakers()
}

// specMakers makes objects of the specification with the arguments of those of the type: by a
// function NewSPEC or newSPEC, or else new(SPEC).
func (s *Suite) specMakers() error {
	v := s.values()
	name, _ := v.name(s.spec.(*types.Pointer).Elem())
	for _, m := range s.makes {
		text := "x := new(" + name + ")"
		for _, f := range []string{"New" + s.opt.Spec,
			"new" + strings.ToUpper(s.opt.Spec[:1]) + s.opt.Spec[1:]} {
			fn, ok := s.p.types.Scope().Lookup(f).(*types.Func)
			if !ok {
				continue
			}
			_, rest, found := strings.Cut(m.text, "(")
			if fn.Signature().Params().Len() == 0 {
				rest, found = ")", true
			}
			args := ""
			if i := strings.LastIndexByte(name, '['); i >= 0 && fn.Signature().TypeParams().Len() > 0 {
				args = name[i:]
			}
			if found && !strings.Contains(rest, "err != nil") {
				text = "x := " + f + args + "(" + rest
			} else if call, _, ok := strings.Cut(rest, "; if err"); found && ok {
				text = "x := " + f + args + "(" + call
			}
		}
		s.specMake = append(s.specMake, text)
	}
	return nil
}

// instead says what a name stands for that should be another kind of thing; "" if it is not known.
func (p *Package) instead(name string) string {
	switch obj := p.types.Scope().Lookup(name).(type) {
	case nil:
		return ""
	case *types.Func:
		return fmt.Sprintf(" (%s%s is a function)", p.at(obj), name)
	case *types.TypeName:
		return fmt.Sprintf(" (%s%s is a type)", p.at(obj), name)
	default:
		return fmt.Sprintf(" (%s%s is a variable or a constant)", p.at(obj), name)
	}
}

// text writes a type as the package itself does.
func (p *Package) text(t types.Type) string {
	return types.TypeString(t, types.RelativeTo(p.types))
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// name returns the type's name with a lower-case first letter, for functions of the test file.
func (s *Suite) name() string {
	n := s.typeName()
	return strings.ToLower(n[:1]) + n[1:]
}

func (s *Suite) typeName() string { return s.obj.Name() }

// TestName is what the names of tests begin with, before their numbers.
func (s *Suite) TestName() string {
	n := s.typeName()
	return "Test" + strings.ToUpper(n[:1]) + n[1:] + "Heddle"
}

// resultText returns the type of variables with objects, as the test file writes it.
func (s *Suite) resultText() string {
	text, _ := s.values().name(s.result)
	return text
}
