package gen

import (
	"fmt"
	"go/types"
	"strings"
)

// values makes arguments.
type values struct {
	s       *Suite
	imports map[string]bool // imports that their text needs
}

// maxDepth bounds the nesting of values.
const maxDepth = 3

// of returns the text of a random value of type t. ok is false if none can be made.
func (v *values) of(t types.Type, depth int) (text string, ok bool) {
	if depth > maxDepth {
		return "", false
	}
	if v.isSubject(t) {
		return v.subject()
	}
	switch path := typePath(t); path {
	case "context.Context":
		v.imports["context"] = true
		return "context.Background()", true
	case "time.Duration":
		v.imports["time"] = true
		return fmt.Sprintf("%d * time.Millisecond", 1+v.s.rng.IntN(5)), true
	case "error":
		v.imports["errors"] = true
		return v.pick("nil", `errors.New("some error")`), true
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		text, ok = v.basic(u)
		if _, named := t.(*types.Named); ok && named {
			text, ok = v.convert(t, text)
		}
		return text, ok
	case *types.Slice:
		return v.list(t, u.Elem(), v.s.rng.IntN(4), depth)
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
	case *types.Signature:
		return v.function(u, depth)
	case *types.Struct:
		return v.structure(t, u, depth)
	case *types.Pointer:
		if st, ok := u.Elem().Underlying().(*types.Struct); ok {
			text, ok = v.structure(u.Elem(), st, depth)
			return "&" + text, ok
		}
		if name, ok := v.name(u.Elem()); ok {
			return "new(" + name + ")", true
		}
	}
	return "", false
}

// isSubject reports whether t is the type under test, or a pointer to it.
func (v *values) isSubject(t types.Type) bool {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
		return types.Identical(t, v.s.typ)
	}
	return false
}

// subject returns another object of the type under test.
func (v *values) subject() (string, bool) { return v.s.name() + "New()", true }

func typePath(t types.Type) string { return types.TypeString(t, nil) }

func (v *values) pick(texts ...string) string { return texts[v.s.rng.IntN(len(texts))] }

// basic returns a value that the source of the package mentions, or a small one.
func (v *values) basic(b *types.Basic) (string, bool) {
	known := v.s.p.values[b.Name()]
	if b.Info()&types.IsInteger != 0 && b.Kind() != types.Int {
		known = nil // it is not known which of them fit
	}
	switch {
	case len(known) > 0 && b.Info()&types.IsBoolean == 0 && v.s.rng.IntN(3) == 0:
		return known[v.s.rng.IntN(len(known))], true
	case b.Info()&types.IsBoolean != 0:
		return v.pick("true", "false"), true
	case b.Info()&types.IsUnsigned != 0:
		return v.pick("0", "1", "2", "3"), true
	case b.Info()&types.IsInteger != 0:
		return v.pick("0", "1", "1", "2", "2", "3", "-1"), true
	case b.Info()&types.IsFloat != 0:
		return v.pick("0", "1", "2.5"), true
	case b.Info()&types.IsString != 0:
		return v.pick(`"a"`, `"a"`, `"b"`, `"c"`, `""`), true
	}
	return "", false
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

// structure sets the exported fields for which a value can be made.
func (v *values) structure(t types.Type, st *types.Struct, depth int) (string, bool) {
	name, ok := v.name(t)
	if !ok {
		return "", false
	}
	var fields []string
	for f := range st.Fields() {
		if f.Exported() && !f.Embedded() {
			if text, ok := v.of(f.Type(), depth+1); ok {
				fields = append(fields, f.Name()+": "+text)
			}
		}
	}
	return name + "{" + strings.Join(fields, ", ") + "}", true
}

// function returns a function that always returns the same values.
func (v *values) function(sig *types.Signature, depth int) (string, bool) {
	name, ok := v.name(sig)
	if !ok || sig.TypeParams().Len() > 0 {
		return "", false
	}
	var results []string
	for r := range sig.Results().Variables() {
		text, ok := v.of(r.Type(), depth+1)
		if !ok {
			return "", false
		}
		results = append(results, text)
	}
	return name + " { return " + strings.Join(results, ", ") + " }", true
}

// name returns the text of a type and adds its imports. ok is false if it cannot be written
// outside its package.
func (v *values) name(t types.Type) (text string, ok bool) {
	ok = true
	text = types.TypeString(t, func(p *types.Package) string {
		if p == v.s.p.types {
			return ""
		}
		v.imports[p.Path()] = true
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
