package gen

import (
	"fmt"
	"go/token"
	"go/types"
	"math/rand/v2"
	"slices"
	"strings"
)

// functions returns the exported functions of the package, sorted by name.
func (p *Package) functions() []*types.Func {
	if p.funcs == nil {
		p.funcs = []*types.Func{}
		for _, name := range p.types.Scope().Names() {
			if fn, ok := p.types.Scope().Lookup(name).(*types.Func); ok && fn.Exported() {
				p.funcs = append(p.funcs, fn)
			}
		}
	}
	return p.funcs
}

// args returns the type arguments as text.
func (f *instantiated) args(v *values) string {
	if len(f.with) == 0 {
		return ""
	}
	var names []string
	for _, t := range f.with {
		name, _ := v.name(t)
		names = append(names, name)
	}
	return "[" + strings.Join(names, ", ") + "]"
}

// A maker is a way to make objects of the type under test.
type maker struct {
	by     *types.Func
	result types.Type // what it returns: the type, a pointer to it, or an interface
	fails  bool       // it returns an error too
	text   func(v *values) (string, bool)
}

// makers returns the ways to make objects of a named type: functions, and methods of what functions
// return (builders).
func (p *Package) makers(obj *types.TypeName) (all []maker) {
	var by *types.Func
	is := func(t types.Type) bool {
		if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
			t = ptr.Elem()
		}
		n, ok := types.Unalias(t).(*types.Named)
		return ok && n.Obj() == obj
	}
	add := func(sig *types.Signature, text func(v *values) (string, bool)) bool {
		res := sig.Results()
		if res.Len() == 0 || res.Len() > 2 || !is(res.At(0).Type()) {
			return false
		}
		fails := res.Len() == 2
		if fails && typePath(res.At(1).Type()) != "error" {
			return false
		}
		all = append(all, maker{by, res.At(0).Type(), fails, text})
		return true
	}
	for _, by = range p.functions() {
		fn := by
		for _, f := range p.instances(fn) {
			if takes(f.sig, is) {
				continue // it makes one of another
			}
			call := func(v *values) (string, bool) { return v.call(fn, f, 0) }
			if add(f.sig, call) {
				continue
			}
			p.builders(f, call, add)
		}
	}
	return all
}

// takes reports whether a parameter is of a type.
func takes(sig *types.Signature, is func(types.Type) bool) bool {
	for v := range sig.Params().Variables() {
		t := v.Type()
		if s, ok := t.(*types.Slice); ok && sig.Variadic() {
			t = s.Elem()
		}
		if is(t) {
			return true
		}
	}
	return false
}

// builders adds methods of what f returns that make objects, after up to two of its methods that
// return what they are called on.
func (p *Package) builders(f instantiated, call func(v *values) (string, bool),
	add func(*types.Signature, func(v *values) (string, bool)) bool) {
	if f.sig.Results().Len() != 1 {
		return
	}
	b := f.sig.Results().At(0).Type()
	inner := b
	if ptr, ok := b.(*types.Pointer); ok {
		inner = ptr.Elem()
	}
	if n, ok := types.Unalias(inner).(*types.Named); !ok || n.Obj().Pkg() != p.types {
		return
	}
	set := types.NewMethodSet(b)
	var setters []*types.Func
	for i := range set.Len() {
		m := set.At(i).Obj().(*types.Func)
		sig := set.At(i).Type().(*types.Signature)
		if m.Exported() && sig.Results().Len() == 1 && types.Identical(sig.Results().At(0).Type(), b) {
			setters = append(setters, m)
		}
	}
	for i := range set.Len() {
		m, sig := set.At(i).Obj().(*types.Func), set.At(i).Type().(*types.Signature)
		if !m.Exported() {
			continue
		}
		add(sig, func(v *values) (string, bool) {
			text, ok := call(v)
			if !ok {
				return "", false
			}
			if len(setters) > 0 {
				for range v.rng.IntN(3) {
					s := setters[v.rng.IntN(len(setters))]
					if args, ok := v.args(s.Signature(), 1); ok {
						text += "." + s.Name() + "(" + strings.Join(args, ", ") + ")"
						v.size++
					}
				}
			}
			args, ok := v.args(sig, 1)
			return text + "." + m.Name() + "(" + strings.Join(args, ", ") + ")", ok
		})
	}
}

// A creator is a statement that makes an object x.
type creator struct {
	text string
	size int
}

// shown is the call that makes the object.
func (c *creator) shown() string {
	_, text, _ := strings.Cut(c.text, " := ")
	text, _, _ = strings.Cut(text, "; if err")
	return text
}

// maxCreators is how many ways to make objects are used.
const maxCreators = 12

// creators chooses the type arguments of the type under test, and makes statements that make its
// objects. The error says why there are none.
func (s *Suite) creators(obj *types.TypeName) error {
	byType := map[string][]maker{}
	var order []string
	makers, err := s.chosen(s.p.makers(obj))
	if err != nil {
		return err
	}
	for _, m := range makers {
		key := typePath(m.result)
		if byType[key] == nil {
			order = append(order, key)
		}
		byType[key] = append(byType[key], m)
	}
	v := s.values()
	v.subject, v.small = nil, true
	for _, key := range order {
		if len(byType[key]) < len(byType[best(order, byType)]) {
			continue // fewer functions make objects with these type arguments
		}
		var made []creator
		for range 8 * maxCreators {
			m := byType[key][v.rng.IntN(len(byType[key]))]
			v.size, v.needs = 0, nil
			text, ok := m.text(v)
			if !ok {
				continue
			}
			if m.fails {
				text = "x, err := " + text + "; if err != nil { panic(err) }"
			} else {
				text = "x := " + text
			}
			if !slices.ContainsFunc(made, func(c creator) bool { return c.text == text }) {
				made = append(made, creator{text, v.size + len(text)})
			}
		}
		if len(made) > len(s.makes) {
			s.makes, s.result = made, byType[key][0].result
		}
	}
	slices.SortFunc(s.makes, func(a, b creator) int { return a.size - b.size })
	s.makes = s.makes[:min(len(s.makes), 2*maxCreators)]
	if len(s.makes) > 0 {
		return nil
	}
	if types.IsInterface(obj.Type()) {
		return fmt.Errorf("%s%s is an interface, and no exported function of %s whose arguments can be made returns it: name a type with a constructor",
			s.p.at(obj), obj.Name(), s.p.Path)
	}
	t, ok := s.p.instance(obj.Type())
	if !ok {
		return fmt.Errorf("%s%s is generic, and no type that is known satisfies its constraints: int, string, what they list, and types of the package were tried; declare one that does",
			s.p.at(obj), obj.Name())
	}
	for _, m := range makers {
		s.note("%s makes no objects: no arguments can be made for it", m.by.Name())
	}
	s.result = types.NewPointer(t)
	name, _ := v.name(t)
	s.makes = []creator{{"x := new(" + name + ")", 0}}
	return nil
}

// chosen returns the makers that Options has, or those that make objects for several goroutines.
func (s *Suite) chosen(all []maker) (some []maker, err error) {
	var names, left []string
	said := ""
	for _, m := range all {
		if name := m.by.Name(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range s.opt.New {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("no function %s makes objects of %s; there are %s", name, s.typeName(),
				list(names))
		}
	}
	for _, m := range all {
		name := m.by.Name()
		if one := forOne(s.p.docs[m.by.Pos()]); len(s.opt.New) == 0 && one != "" && !s.opt.NoDocs {
			if said = one; !slices.Contains(left, name) {
				left = append(left, name)
				s.note("objects of %s are not tested: it is documented so: %q; -new %s tests them", name, one,
					name)
			}
		} else if len(s.opt.New) == 0 || slices.Contains(s.opt.New, name) {
			some = append(some, m)
		}
	}
	if len(all) > 0 && len(some) == 0 {
		return nil, fmt.Errorf("all objects of %s are for one goroutine, by the documentation of %s: %q; -new %s tests them all the same",
			s.typeName(), list(left), said, left[0])
	}
	return some, nil
}

// best returns the key with the most makers.
func best(order []string, byType map[string][]maker) string {
	b := order[0]
	for _, k := range order {
		if len(byType[k]) > len(byType[b]) {
			b = k
		}
	}
	return b
}

// givenBy returns the types that only methods of type t give: of the package, without fields that
// could be set; numbers and texts with a name, but no enumerations; channels. A type argument of
// t is for the caller to give.
func (p *Package) givenBy(t types.Type, methods []method) map[string]bool {
	given := map[string]bool{}
	if ptr, ok := t.(*types.Pointer); ok {
		t = ptr.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		defer func() {
			for arg := range n.TypeArgs().Types() {
				delete(given, typePath(arg))
			}
		}()
	}
	for _, m := range methods {
		for r := range m.sig.Results().Variables() {
			t := types.Unalias(r.Type())
			inner := t
			if ptr, ok := t.(*types.Pointer); ok {
				inner = types.Unalias(ptr.Elem())
			}
			n, named := inner.(*types.Named)
			switch u := inner.Underlying().(type) {
			case *types.Chan:
				given[typePath(t)] = true
			case *types.Basic:
				if named && n.Obj().Pkg() == p.types && inner == t && len(p.enumeration(n)) == 0 {
					given[typePath(t)] = true
				}
			case *types.Struct:
				settable := false
				for f := range u.Fields() {
					settable = settable || f.Exported()
				}
				if named && n.Obj().Pkg() == p.types && !settable && u.NumFields() > 0 {
					given[typePath(t)] = true
				}
			case *types.Interface:
				if named && n.Obj().Pkg() == p.types && u.NumMethods() > 0 {
					given[typePath(t)] = true
				}
			}
		}
	}
	return given
}

// enumeration returns the exported constants of a type of the package, if there are three.
func (p *Package) enumeration(n *types.Named) (names []string) {
	if known, ok := p.enums[n]; ok {
		return known
	}
	for _, name := range p.types.Scope().Names() {
		c, ok := p.types.Scope().Lookup(name).(*types.Const)
		if ok && c.Exported() && types.Identical(c.Type(), n) {
			names = append(names, p.qual+name)
		}
	}
	if len(names) < 3 {
		names = nil
	}
	p.enums[n] = names
	return names
}

// A method is one of the type under test.
type method struct {
	name string
	pos  token.Pos // of its name, where it is declared
	sig  *types.Signature
}

// methods returns the exported methods that can be called on a variable of the type, without those
// of an embedded lock: Unlock without Lock ends the program.
func methodsOn(t types.Type) (ms []method) {
	if !types.IsInterface(t) {
		if _, ok := t.(*types.Pointer); !ok {
			t = types.NewPointer(t)
		}
	}
	set := types.NewMethodSet(t)
	for i := range set.Len() {
		f, ok := set.At(i).Obj().(*types.Func)
		if ok && f.Exported() && (f.Pkg() == nil || f.Pkg().Path() != "sync") {
			ms = append(ms, method{f.Name(), f.Pos(), set.At(i).Type().(*types.Signature)})
		}
	}
	return ms
}

// An entry is a call of a method with arguments.
type entry struct {
	method  string
	args    []string // with marks for what earlier calls returned
	needs   []string // the types of these, in order
	results []string // types of the results; "_" if they cannot be named
	size    int
	guard   string // the method that must have been called before; "": none
	keys    []key  // arguments that other calls may have too
}

// A key is an argument by which a call can be about the same thing as another one.
type key struct{ typ, text string }

// about reports whether calls are about the same thing: at best both in the first place.
func (e *entry) about(o *entry, first bool) bool {
	if first {
		return len(e.keys) > 0 && len(o.keys) > 0 && e.keys[0] == o.keys[0]
	}
	return slices.ContainsFunc(e.keys, func(k key) bool { return slices.Contains(o.keys, k) })
}

// keysOf returns the arguments of a function that other calls may have too: numbers, texts, and
// what is made of them.
func keysOf(sig *types.Signature, args []string) (keys []key) {
	for i, text := range args {
		t := sig.Params().At(min(i, sig.Params().Len()-1)).Type()
		if s, ok := t.(*types.Slice); ok && sig.Variadic() && i >= sig.Params().Len()-1 {
			t = s.Elem()
		}
		switch u := t.Underlying().(type) {
		case *types.Signature, *types.Chan, *types.Pointer:
			continue
		case *types.Basic:
			if u.Info()&types.IsBoolean != 0 {
				continue
			}
		}
		if strings.Contains(text, mark) || text == "nil" || strings.HasPrefix(text, "context.") {
			continue
		}
		keys = append(keys, key{typePath(t), text})
	}
	return keys
}

// text shows the call.
func (e *entry) text() string {
	return e.method + "(" + strings.ReplaceAll(strings.Join(e.args, ", "), mark, "_") + ")"
}

// perMethod is how many calls of one method there are, with other arguments.
const perMethod = 5

// entries makes calls of the methods. Methods for which no arguments can be made are left out.
func (s *Suite) entries() {
	methods := methodsOn(s.result)
	v := s.values()
	v.subject, v.given = s.result, s.p.givenBy(s.result, methods)
	v.another = ""
	if text, ok := strings.CutPrefix(s.makes[0].text, "x := "); ok {
		v.another = text
	}
	for _, m := range methods {
		if s.givesToken(m, methods, v.given) {
			s.levels[m.name] = notCompared
		}
		var made []entry
		for range 6 * perMethod {
			v.size, v.needs = 0, nil
			args, ok := v.args(m.sig, 0)
			if !ok {
				continue
			}
			e := entry{method: m.name, args: args, needs: slices.Clone(v.needs), size: v.size,
				keys: keysOf(m.sig, args)}
			for r := range m.sig.Results().Variables() {
				name, ok := v.name(r.Type())
				if !ok {
					name = "_"
				}
				e.results = append(e.results, name)
			}
			if len(made) < perMethod && !slices.ContainsFunc(made,
				func(o entry) bool { return o.text() == e.text() }) {
				made = append(made, e)
			}
		}
		if len(made) == 0 {
			s.note("%s is left out: no arguments can be made for it", m.name)
		}
		slices.SortStableFunc(made, func(a, b entry) int { return a.size - b.size })
		s.pool = append(s.pool, made...)
	}
}

// givesToken reports whether a method without parameters returns what only the type makes and
// another method takes back, such as RLock: which one, or none, is for the type to say.
func (s *Suite) givesToken(m method, methods []method, given map[string]bool) bool {
	if m.sig.Params().Len() > 0 {
		return false
	}
	for r := range m.sig.Results().Variables() {
		if _, ok := r.Type().(*types.Pointer); !ok || !given[typePath(r.Type())] {
			continue
		}
		if slices.ContainsFunc(methods, func(o method) bool {
			for p := range o.sig.Params().Variables() {
				if types.Identical(p.Type(), r.Type()) {
					return true
				}
			}
			return false
		}) {
			return true
		}
	}
	return false
}

// values returns a maker of values.
func (s *Suite) values() *values {
	return &values{p: s.p, rng: s.rng, imports: s.imports, making: map[*types.Func]int{}}
}

// newRand returns the source of all random choices.
func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x67656e)) }
