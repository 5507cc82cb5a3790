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
}

// A Suite has the tests of one type.
type Suite struct {
	p       *Package
	opt     Options
	typ     types.Type // the type, instantiated if it is generic
	rng     *rand.Rand
	methods []*types.Func
	create  string // the expression that makes an object
	tests   []test
	imports map[string]bool

	// Observers are methods without parameters: their results at the end tell two states of an
	// object apart.
	observers []*types.Func
}

// A test is a prefix of calls, and a suffix of calls for each goroutine.
type test struct {
	prefix   []string
	suffixes [][]call
	imports  []string
}

// A call is a call of a method, as text.
type call struct {
	text    string
	results int
}

// Suite makes tests for the named type. The error says why that is impossible.
func (p *Package) Suite(name string, opt Options) (*Suite, error) {
	if opt.Tests == 0 {
		opt.Tests = 10
	}
	if opt.Calls == 0 {
		opt.Calls = 2
	}
	obj, ok := p.types.Scope().Lookup(name).(*types.TypeName)
	if !ok {
		return nil, fmt.Errorf("%s has no type %s; those with exported methods are %s", p.Path, name,
			list(p.Types()))
	}
	s := &Suite{p: p, opt: opt, rng: rand.New(rand.NewPCG(opt.Seed, 0x67656e)), imports: map[string]bool{}}
	if s.typ, ok = instance(obj.Type()); !ok {
		return nil, fmt.Errorf("%s is generic, and neither int nor string satisfies its type parameters", name)
	}
	for _, m := range methodsOf(s.typ) {
		if _, ok := s.call(m, &values{s, map[string]bool{}}); ok {
			s.methods = append(s.methods, m)
		}
		if sig := m.Signature(); sig.Params().Len() == 0 && sig.Results().Len() > 0 {
			s.observers = append(s.observers, m)
		}
	}
	if len(s.methods) == 0 {
		return nil, fmt.Errorf("%s has no exported methods that arguments can be made for; types with exported methods are %s", name, list(p.Types()))
	}
	v := &values{s, s.imports}
	s.create = s.creator(v)
	// More tests than requested, because Check removes some.
	for range 6 * opt.Tests {
		s.tests = append(s.tests, s.test())
	}
	return s, nil
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// instance returns t with int, or else string, for each type parameter.
func instance(t types.Type) (types.Type, bool) {
	n, ok := t.(*types.Named)
	if !ok || n.TypeParams().Len() == 0 {
		return t, true
	}
	args := make([]types.Type, n.TypeParams().Len())
	for i := range args {
		for _, kind := range []types.BasicKind{types.Int, types.String} {
			args[i] = types.Typ[kind]
			if c, ok := n.TypeParams().At(i).Constraint().Underlying().(*types.Interface); ok &&
				types.Satisfies(args[i], c) {
				break
			}
		}
	}
	inst, err := types.Instantiate(nil, n, args, true)
	return inst, err == nil
}

// name returns the type's name with a lower-case first letter, for functions of the test file.
func (s *Suite) name() string {
	n := s.typeName()
	return strings.ToLower(n[:1]) + n[1:]
}

func (s *Suite) typeName() string { return s.typ.(*types.Named).Obj().Name() }

// typeText returns the type as the test file writes it.
func (s *Suite) typeText() string {
	text, _ := (&values{s, s.imports}).name(s.typ)
	return text
}

// creator returns the expression that makes an object: a call of NewT, New or MakeT, or else
// new(T).
func (s *Suite) creator(v *values) string {
	name := s.typeName()
	for _, f := range []string{"New" + name, "Make" + name, "New"} {
		fn, ok := s.p.types.Scope().Lookup(f).(*types.Func)
		if !ok || fn.Signature().TypeParams().Len() > 0 || fn.Signature().Results().Len() == 0 {
			continue
		}
		out := fn.Signature().Results()
		if !types.Identical(out.At(0).Type(), types.NewPointer(s.typ)) {
			continue
		}
		args, ok := s.args(fn.Signature(), v)
		switch {
		case !ok:
		case out.Len() == 1:
			return fmt.Sprintf("return %s(%s)", f, args)
		case out.Len() == 2 && typePath(out.At(1).Type()) == "error":
			return fmt.Sprintf("x, err := %s(%s)\n\tif err != nil {\n\t\tpanic(err)\n\t}\n\treturn x", f,
				args)
		}
	}
	return "return new(" + s.typeText() + ")"
}

// args returns random arguments for a function.
func (s *Suite) args(sig *types.Signature, v *values) (string, bool) {
	var args []string
	for i := range sig.Params().Len() {
		t := sig.Params().At(i).Type()
		n := 1
		if sig.Variadic() && i == sig.Params().Len()-1 {
			t, n = t.(*types.Slice).Elem(), s.rng.IntN(3)
		}
		for range n {
			text, ok := v.of(t, 0)
			if !ok {
				return "", false
			}
			args = append(args, text)
		}
	}
	return strings.Join(args, ", "), true
}

// call returns a random call of a method of x.
func (s *Suite) call(m *types.Func, v *values) (call, bool) {
	args, ok := s.args(m.Signature(), v)
	return call{fmt.Sprintf("%s(%s)", m.Name(), args), m.Signature().Results().Len()}, ok
}

// test makes a random test.
func (s *Suite) test() (t test) {
	v := &values{s, map[string]bool{}}
	random := func() call {
		c, _ := s.call(s.methods[s.rng.IntN(len(s.methods))], v)
		return c
	}
	for range s.rng.IntN(4) {
		t.prefix = append(t.prefix, random().text)
	}
	goroutines := s.opt.Goroutines
	if goroutines == 0 {
		goroutines = 2 + s.rng.IntN(4)/3
	}
	for range goroutines {
		var calls []call
		for range 1 + s.rng.IntN(s.opt.Calls) {
			calls = append(calls, random())
		}
		t.suffixes = append(t.suffixes, calls)
	}
	for path := range v.imports {
		t.imports = append(t.imports, path)
	}
	slices.Sort(t.imports)
	return t
}
