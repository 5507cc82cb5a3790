package gen

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"math/rand/v2"
	"slices"
	"strings"
)

// values makes arguments for the calls of one type.
type values struct {
	p       *Package
	rng     *rand.Rand
	imports map[string]string // names of packages that texts may use, by path
	needs   []string          // types of what other calls return, in the order of their marks
	size    int               // of what was made so far: smaller is simpler

	subject types.Type          // nil while its objects are made
	another string              // text that makes another object of the type; "": there is none
	given   map[string]bool     // types that the methods of the type return, by typePath
	small   bool                // numbers are sizes: small, not negative
	making  map[*types.Func]int // functions whose arguments are being made
}

// A mark stands in an argument for what an earlier call returned.
const mark = "\x01"

// maxDepth bounds the nesting of values.
const maxDepth = 3

// of returns the text of a random value of type t. ok is false if none can be made.
func (v *values) of(t types.Type, depth int) (text string, ok bool) {
	if depth > maxDepth {
		return "", false
	}
	if v.given[typePath(t)] {
		name, ok := v.name(t)
		v.needs = append(v.needs, name)
		return mark, ok
	}
	if v.subject != nil && v.another != "" && types.Identical(t, v.subject) {
		v.size++
		return v.another, true
	}
	if text, ok := v.special(t); ok {
		return text, true
	}
	t = types.Unalias(t)
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if n, ok := t.(*types.Named); ok {
			if names := v.p.enumeration(n); len(names) > 0 {
				return v.pick(names...), true
			}
		}
		text, ok = v.basic(u)
		if _, named := t.(*types.Named); ok && named {
			return v.convert(t, text)
		}
		if _, untyped := t.(*types.Basic); ok && untyped && u.Kind() != types.Int &&
			u.Kind() != types.String &&
			u.Kind() != types.Bool {
			return u.Name() + "(" + text + ")", true
		}
		return text, ok
	case *types.Slice:
		n := v.rng.IntN(3)
		v.size += n
		return v.list(t, u.Elem(), n, depth)
	case *types.Array:
		return v.list(t, u.Elem(), int(min(u.Len(), 4)), depth)
	case *types.Map:
		k, ok1 := v.of(u.Key(), depth+1)
		e, ok2 := v.of(u.Elem(), depth+1)
		name, ok3 := v.name(t)
		return fmt.Sprintf("%s{%s: %s}", name, k, e), ok1 && ok2 && ok3
	case *types.Interface:
		if u.NumMethods() == 0 && !u.IsComparable() {
			return v.pick("1", "2", `"a"`, "nil"), true
		}
		return v.produced(t, depth)
	case *types.Signature:
		if named, ok := t.(*types.Named); ok && named.Obj().Pkg() == v.p.types {
			if text, ok := v.produced(t, depth); ok {
				return text, true
			}
		}
		return v.function(u, depth)
	case *types.Struct:
		if text, ok := v.produced(t, depth); ok {
			return text, true
		}
		return v.structure(t, u, depth)
	case *types.Pointer:
		return v.pointer(t, u, depth)
	case *types.Chan:
		name, ok := v.name(types.NewChan(types.SendRecv, u.Elem()))
		return "make(" + name + ", 4)", ok
	}
	return "", false
}

func (v *values) pointer(t types.Type, u *types.Pointer, depth int) (string, bool) {
	if text, ok := v.produced(t, depth); ok {
		return text, true
	}
	if st, ok := u.Elem().Underlying().(*types.Struct); ok {
		text, ok := v.structure(u.Elem(), st, depth)
		return "&" + text, ok
	}
	if name, ok := v.name(u.Elem()); ok {
		return "new(" + name + ")", true
	}
	return "", false
}

// special has types of the standard library with a meaning.
func (v *values) special(t types.Type) (text string, ok bool) {
	use := func(pkg, text string) (string, bool) {
		v.imports[pkg] = pkg
		return text, true
	}
	switch typePath(t) {
	case "context.Context":
		return use("context", "context.Background()")
	case "time.Duration":
		if v.small {
			return use("time", "time.Hour") // how long something is kept
		}
		return use("time", fmt.Sprintf("%d * time.Millisecond", 1+v.rng.IntN(5)))
	case "time.Time":
		return use("time", fmt.Sprintf("time.Unix(%d, 0)", v.rng.IntN(3)))
	case "error":
		if v.rng.IntN(2) == 0 {
			return "nil", true
		}
		return use("errors", `errors.New("some error")`)
	case "io.Writer":
		return use("io", "io.Discard")
	case "io.Reader":
		v.imports["strings"] = "strings"
		return `strings.NewReader("a")`, true
	case "sync.Locker":
		return use("sync", "new(sync.Mutex)")
	case "*testing.T", "testing.TB", "*testing.B", "unsafe.Pointer", "reflect.Type", "reflect.Value":
		return "", false
	}
	return "", false
}

// produced returns a call of a function of the package whose only result, or whose first with an
// error after it, is of type t or implements it; or an object of a type that implements it.
func (v *values) produced(t types.Type, depth int) (string, bool) {
	named, isNamed := t.(*types.Named)
	if p, ok := t.(*types.Pointer); ok {
		named, isNamed = types.Unalias(p.Elem()).(*types.Named)
	}
	if !isNamed || named.Obj().Pkg() != v.p.types {
		return "", false
	}
	var makers []string
	for _, fn := range v.p.functions() {
		if v.making[fn] > 0 {
			continue
		}
		for _, f := range v.p.instances(fn) {
			res := f.sig.Results()
			if res.Len() != 1 || !types.AssignableTo(res.At(0).Type(), t) {
				continue
			}
			if text, ok := v.call(fn, f, depth+1); ok {
				makers = append(makers, text)
			}
			break
		}
	}
	if len(makers) > 0 {
		return makers[v.rng.IntN(len(makers))], true
	}
	iface, ok := t.Underlying().(*types.Interface)
	if !ok {
		return "", false
	}
	for _, name := range v.p.types.Scope().Names() {
		obj, ok := v.p.types.Scope().Lookup(name).(*types.TypeName)
		if !ok || obj.IsAlias() || !obj.Exported() {
			continue
		}
		n, ok := obj.Type().(*types.Named)
		if !ok || n.TypeParams().Len() > 0 || types.IsInterface(n) {
			continue
		}
		if types.Implements(n, iface) {
			if text, ok := v.of(n, depth+1); ok {
				return text, true
			}
		} else if st, ok := n.Underlying().(*types.Struct); ok && types.Implements(types.NewPointer(n),
			iface) {
			if text, ok := v.structure(n, st, depth+1); ok {
				return "&" + text, true
			}
		}
	}
	return "", false
}

// call returns a call of a function of the package with random arguments.
func (v *values) call(fn *types.Func, f instantiated, depth int) (string, bool) {
	v.making[fn]++
	defer func() { v.making[fn]-- }()
	args, ok := v.args(f.sig, depth)
	return v.p.qual + fn.Name() + f.args(v) + "(" + strings.Join(args, ", ") + ")", ok
}

// args returns random arguments for a function.
func (v *values) args(sig *types.Signature, depth int) (args []string, ok bool) {
	for i := range sig.Params().Len() {
		t := sig.Params().At(i).Type()
		n := 1
		if sig.Variadic() && i == sig.Params().Len()-1 {
			t, n = t.(*types.Slice).Elem(), v.rng.IntN(3)
		}
		for range n {
			text, ok := v.of(t, depth)
			if !ok && sig.Variadic() && i == sig.Params().Len()-1 {
				break
			}
			if !ok {
				return nil, false
			}
			args = append(args, text)
		}
	}
	return args, true
}

func typePath(t types.Type) string { return types.TypeString(t, nil) }

func (v *values) pick(texts ...string) string {
	i := v.rng.IntN(len(texts))
	v.size += i
	return texts[i]
}

// basic returns a value that the source of the package mentions, or a small one. It fits the type
// on every platform.
func (v *values) basic(b *types.Basic) (string, bool) {
	info := b.Info()
	if info&types.IsUntyped != 0 {
		return "", false
	}
	if info&types.IsComplex != 0 {
		return v.pick("1", "0", "2i"), true
	}
	if known := v.p.fitting(b); len(known) > 0 && info&types.IsBoolean == 0 && !v.small &&
		v.rng.IntN(6) == 0 {
		v.size += 5
		return known[v.rng.IntN(len(known))], true
	}
	switch {
	case info&types.IsBoolean != 0:
		return v.pick("true", "false"), true
	case v.small && info&types.IsInteger != 0:
		return v.pick("1", "2", "3"), true
	case info&types.IsUnsigned != 0:
		return v.pick("1", "2", "0", "3"), true
	case info&types.IsInteger != 0:
		return v.pick("1", "2", "1", "2", "0", "3", "-1"), true
	case info&types.IsFloat != 0:
		return v.pick("1", "0", "2.5"), true
	case info&types.IsString != 0:
		return v.pick(`"a"`, `"b"`, `"a"`, `"bb"`, `""`), true
	}
	return "", false
}

// fitting returns the constants of the source that fit b, also where int has 32 bits.
func (p *Package) fitting(b *types.Basic) (texts []string) {
	kind := b
	switch b.Kind() {
	case types.Int:
		kind = types.Typ[types.Int32]
	case types.Uint, types.Uintptr:
		kind = types.Typ[types.Uint32]
	}
	for _, c := range p.values[b.Name()] {
		x := constant.MakeFromLiteral(c, literalKind(b), 0)
		if b.Info()&types.IsString != 0 || representable(x, kind) {
			texts = append(texts, c)
		}
	}
	return texts
}

func literalKind(b *types.Basic) token.Token {
	switch {
	case b.Info()&types.IsInteger != 0:
		return token.INT
	case b.Info()&types.IsFloat != 0:
		return token.FLOAT
	}
	return token.STRING
}

// representable reports whether the value of an integer or a float fits its type.
func representable(x constant.Value, b *types.Basic) bool {
	if b.Info()&types.IsInteger == 0 {
		return x.Kind() != constant.Unknown
	}
	n, exact := constant.Int64Val(x)
	if x.Kind() != constant.Int || !exact {
		return false
	}
	bits := map[types.BasicKind]uint{types.Int8: 7, types.Uint8: 8, types.Int16: 15, types.Uint16: 16,
		types.Int32: 31, types.Uint32: 32, types.Int64: 63, types.Uint64: 63}[b.Kind()]
	return n >= 0 && (bits >= 63 || n < 1<<bits)
}

func (v *values) convert(t types.Type, text string) (string, bool) {
	name, ok := v.name(t)
	return name + "(" + text + ")", ok
}

func (v *values) list(t, elem types.Type, n, depth int) (string, bool) {
	name, ok := v.name(t)
	if !ok {
		return "", false
	}
	var items []string
	for range n {
		text, ok := v.of(elem, depth+1)
		if !ok {
			return "", false
		}
		items = append(items, text)
	}
	return name + "{" + strings.Join(items, ", ") + "}", true
}

// structure sets some of the exported fields for which a value can be made; fields that are
// functions stay nil.
func (v *values) structure(t types.Type, st *types.Struct, depth int) (string, bool) {
	name, ok := v.name(t)
	if !ok {
		return "", false
	}
	var fields []string
	for f := range st.Fields() {
		if !f.Exported() || f.Embedded() || v.rng.IntN(2) == 0 {
			continue
		}
		if _, ok := f.Type().Underlying().(*types.Signature); ok {
			continue
		}
		needs := len(v.needs)
		text, ok := v.of(f.Type(), depth+1)
		if !ok {
			v.needs = v.needs[:needs]
			continue
		}
		fields = append(fields, f.Name()+": "+text)
		v.size++
	}
	return name + "{" + strings.Join(fields, ", ") + "}", true
}

// function returns a function that always returns the same values, or an order of two parameters
// of one type.
func (v *values) function(sig *types.Signature, depth int) (string, bool) {
	if sig.TypeParams().Len() > 0 {
		return "", false
	}
	params, results := sig.Params(), sig.Results()
	var ps, rs []string
	for i := range params.Len() {
		name, ok := v.name(params.At(i).Type())
		if !ok {
			return "", false
		}
		if sig.Variadic() && i == params.Len()-1 {
			name = "..." + strings.TrimPrefix(name, "[]")
		}
		ps = append(ps, fmt.Sprintf("%s %s", string(rune('a'+i)), name))
	}
	for i := range results.Len() {
		name, ok := v.name(results.At(i).Type())
		if !ok {
			return "", false
		}
		rs = append(rs, name)
	}
	head := "func(" + strings.Join(ps, ", ") + ")"
	if len(rs) == 1 {
		head += " " + rs[0]
	} else if len(rs) > 1 {
		head += " (" + strings.Join(rs, ", ") + ")"
	}
	if params.Len() == 2 && len(rs) == 1 && types.Identical(params.At(0).Type(), params.At(1).Type()) {
		b, ok := params.At(0).Type().Underlying().(*types.Basic)
		if ok && b.Info()&types.IsOrdered != 0 {
			switch rs[0] {
			case "int":
				v.imports["cmp"] = "cmp"
				return head + " { return cmp.Compare(a, b) }", true
			case "bool":
				return head + " { return a < b }", true
			}
		}
	}
	var returned []string
	for r := range results.Variables() {
		if typePath(r.Type()) == "error" {
			returned = append(returned, "nil")
			continue
		}
		needs := len(v.needs)
		text, ok := v.of(r.Type(), depth+1)
		if !ok || len(v.needs) > needs {
			return "", false
		}
		returned = append(returned, text)
	}
	if len(returned) == 0 {
		return head + " {}", true
	}
	return head + " { return " + strings.Join(returned, ", ") + " }", true
}

// name returns the text of a type and adds its imports. ok is false if it cannot be written
// outside its package.
func (v *values) name(t types.Type) (text string, ok bool) {
	ok = true
	text = types.TypeString(t, func(p *types.Package) string {
		if p == v.p.types {
			return strings.TrimSuffix(v.p.qual, ".")
		}
		v.imports[p.Path()] = p.Name()
		if internal := slices.Contains(strings.Split(p.Path(), "/"), "internal"); internal {
			ok = false
		}
		return p.Name()
	})
	for _, part := range strings.FieldsFunc(text,
		func(r rune) bool { return strings.ContainsRune(" *[](){},;", r) }) {
		if i := strings.IndexByte(part, '.'); i > 0 && i+1 < len(part) &&
			(part[i+1] < 'A' || part[i+1] > 'Z') && part[i+1] != '.' {
			ok = false
		}
	}
	return text, ok
}
