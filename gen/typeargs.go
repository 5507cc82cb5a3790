package gen

import (
	"go/types"
	"slices"
)

// An instantiated is a generic function or type with type arguments.
type instantiated struct {
	typ  types.Type
	sig  *types.Signature // of a function
	with []types.Type
}

// Bounds of how many lists of type arguments are kept, and tried.
const (
	maxInstances = 64
	maxTries     = 2000
)

// instances returns a function with type arguments that satisfy its constraints, the simplest
// first; itself if it is not generic.
func (p *Package) instances(fn *types.Func) []instantiated {
	sig := fn.Signature()
	if sig.TypeParams().Len() == 0 {
		return []instantiated{{sig: sig}}
	}
	if _, ok := p.insts[fn]; !ok {
		p.insts[fn] = p.arguments(sig, sig.TypeParams())
		for i := range p.insts[fn] {
			p.insts[fn][i].sig = p.insts[fn][i].typ.(*types.Signature)
		}
	}
	return p.insts[fn]
}

// instance returns t with type arguments.
func (p *Package) instance(t types.Type) (types.Type, bool) {
	n, ok := t.(*types.Named)
	if !ok || n.TypeParams().Len() == 0 {
		return t, true
	}
	if all := p.arguments(n, n.TypeParams()); len(all) > 0 {
		return all[0].typ, true
	}
	return nil, false
}

// arguments returns a generic type or signature with lists of types that satisfy the constraints of
// its parameters.
func (p *Package) arguments(generic types.Type, params *types.TypeParamList) (all []instantiated) {
	a := &arguments{p, params, make([]types.Type, params.Len())}
	tries := 0
	order := a.order()
	var next func(k int)
	next = func(k int) {
		if k == len(order) {
			tries++
			with := slices.Clone(a.with)
			if t, err := types.Instantiate(p.ctx, generic, with, true); err == nil {
				all = append(all, instantiated{typ: t, with: with})
			}
			return
		}
		i := order[k]
		for _, t := range a.candidates(i) {
			if tries == maxTries || len(all) == maxInstances {
				break
			}
			a.with[i] = t
			next(k + 1)
		}
		a.with[i] = nil
	}
	next(0)
	return all
}

// An arguments chooses types for type parameters, one after the other.
type arguments struct {
	p      *Package
	params *types.TypeParamList
	with   []types.Type // nil: not chosen yet
}

// order returns the parameters, each after those that its constraint names.
func (a *arguments) order() (order []int) {
	for len(order) < a.params.Len() {
		free := -1
		for i := range a.params.Len() {
			if slices.Contains(order, i) {
				continue
			}
			waits := slices.ContainsFunc(a.named(a.params.At(i).Constraint()), func(j int) bool {
				return j != i && !slices.Contains(order, j)
			})
			if free < 0 || !waits {
				free = i
			}
			if !waits {
				break
			}
		}
		order = append(order, free)
	}
	return order
}

// asked reports whether the constraint of another parameter names parameter i.
func (a *arguments) asked(i int) bool {
	for j := range a.params.Len() {
		if j != i && slices.Contains(a.named(a.params.At(j).Constraint()), i) {
			return true
		}
	}
	return false
}

// candidates returns types that may satisfy the constraint of parameter i: int and string, what the
// constraint lists, and types of the package, interfaces last, if there are none or if another
// constraint asks something of them. A constraint that names parameters without types yet is not
// checked.
func (a *arguments) candidates(i int) (ts []types.Type) {
	constraint := a.params.At(i).Constraint()
	if known := a.subst(constraint); known != nil {
		constraint = known
	}
	iface := constraint.Underlying().(*types.Interface)
	depends := len(a.named(iface)) > 0
	add := func(t types.Type) {
		if u, ok := t.Underlying().(*types.Interface); ok && !u.IsMethodSet() {
			return // a constraint itself
		}
		if (depends || types.Satisfies(t, iface)) && !slices.ContainsFunc(ts,
			func(u types.Type) bool { return types.Identical(t, u) }) {
			ts = append(ts, t)
		}
	}
	if !depends {
		add(types.Typ[types.Int])
		add(types.Typ[types.String])
	}
	var terms func(t types.Type)
	terms = func(t types.Type) {
		t = types.Unalias(t)
		switch u := t.(type) {
		case *types.Union:
			for term := range u.Terms() {
				terms(term.Type())
			}
			return
		case *types.Interface:
			for e := range u.EmbeddedTypes() {
				terms(e)
			}
			return
		}
		if u, ok := t.Underlying().(*types.Interface); ok {
			terms(u)
		} else if s := a.subst(t); s != nil {
			add(s)
		}
	}
	terms(iface)
	if len(ts) > 0 && !a.asked(i) {
		return ts
	}
	if depends && len(ts) == 0 {
		add(types.Typ[types.Int])
		add(types.Typ[types.String])
	}
	for _, interfaces := range []bool{false, true} {
		for _, name := range a.p.types.Scope().Names() {
			obj, ok := a.p.types.Scope().Lookup(name).(*types.TypeName)
			if !ok || !obj.Exported() || obj.IsAlias() {
				continue
			}
			n, ok := obj.Type().(*types.Named)
			if ok && n.TypeParams().Len() == 0 && types.IsInterface(n) == interfaces {
				add(n)
				if !interfaces {
					add(types.NewPointer(n))
				}
			}
		}
	}
	return ts
}

// subst puts the chosen types into t; nil if t names a parameter without one, or is of a kind that
// names none as a rule.
func (a *arguments) subst(t types.Type) types.Type {
	one := func(t types.Type, with func(types.Type) types.Type) types.Type {
		if t = a.subst(t); t != nil {
			return with(t)
		}
		return nil
	}
	switch u := types.Unalias(t).(type) {
	case *types.TypeParam:
		if i := a.index(u); i >= 0 {
			return a.with[i]
		}
	case *types.Pointer:
		return one(u.Elem(), func(e types.Type) types.Type { return types.NewPointer(e) })
	case *types.Slice:
		return one(u.Elem(), func(e types.Type) types.Type { return types.NewSlice(e) })
	case *types.Array:
		return one(u.Elem(), func(e types.Type) types.Type { return types.NewArray(e, u.Len()) })
	case *types.Chan:
		return one(u.Elem(), func(e types.Type) types.Type { return types.NewChan(u.Dir(), e) })
	case *types.Map:
		return one(u.Key(), func(k types.Type) types.Type {
			return one(u.Elem(), func(e types.Type) types.Type { return types.NewMap(k, e) })
		})
	case *types.Named:
		var args []types.Type
		for arg := range u.TypeArgs().Types() {
			s := a.subst(arg)
			if s == nil {
				return nil
			}
			args = append(args, s)
		}
		if len(args) == 0 {
			return u
		}
		if inst, err := types.Instantiate(a.p.ctx, u.Origin(), args, false); err == nil {
			return inst
		}
	default:
		if len(a.named(t)) == 0 {
			return t
		}
	}
	return nil
}

// index returns which of the parameters p is, -1 if it is another one.
func (a *arguments) index(p *types.TypeParam) int {
	if i := p.Index(); i >= 0 && i < a.params.Len() && a.params.At(i) == p {
		return i
	}
	return -1
}

// named returns the parameters that a type names, with repeats.
func (a *arguments) named(t types.Type) (all []int) {
	add := func(ts ...types.Type) {
		for _, t := range ts {
			all = append(all, a.named(t)...)
		}
	}
	switch u := types.Unalias(t).(type) {
	case *types.TypeParam:
		if i := a.index(u); i >= 0 {
			all = append(all, i)
		}
	case *types.Pointer:
		add(u.Elem())
	case *types.Slice:
		add(u.Elem())
	case *types.Array:
		add(u.Elem())
	case *types.Chan:
		add(u.Elem())
	case *types.Map:
		add(u.Key(), u.Elem())
	case *types.Named:
		for arg := range u.TypeArgs().Types() {
			add(arg)
		}
	case *types.Struct:
		for f := range u.Fields() {
			add(f.Type())
		}
	case *types.Signature:
		add(u.Params(), u.Results())
	case *types.Tuple:
		for v := range u.Variables() {
			add(v.Type())
		}
	case *types.Union:
		for term := range u.Terms() {
			add(term.Type())
		}
	case *types.Interface:
		for e := range u.EmbeddedTypes() {
			add(e)
		}
		for m := range u.ExplicitMethods() {
			add(m.Signature())
		}
	}
	return all
}
