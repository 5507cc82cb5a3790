package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"heddle/instrument/std"
)

// The border of a package of the standard library: its functions announce at their start which
// memory of the caller they read and write, and at their results which memory they wrote into the
// results. Package std lists them.

// borderOf returns the announcements of a function at its border, or nil.
func (r *rewriter) borderOf(d *ast.FuncDecl) *std.Border {
	if !r.in.Standard || forbidsCalls(d) {
		return nil
	}
	return std.BorderOf(r.in.ImportPath, std.FunctionName(d))
}

// border adds the announcements of a function whose body is rewritten, and returns those for its
// start. In the build for data flow writes get only sites, so that both builds have the same
// sites: an announced write would clear the labels of the written memory.
func (r *rewriter) border(d *ast.FuncDecl, b *std.Border) string {
	vars := r.borderVars(d)
	var begin strings.Builder
	named := map[string]bool{}
	for _, p := range b.Parts {
		root, path, _ := strings.Cut(p.Name, ".")
		named[root] = true
		v := vars[root]
		if v == nil {
			r.skip(d, fmt.Sprintf("%s has no parameter %s", d.Name.Name, root))
			continue
		}
		switch p.Do {
		case 'a', 'f', 'g':
			begin.WriteString(r.borderResults(d, v, p.Do))
		case 'u', 'v':
			fmt.Fprintf(&begin, "_hd.%s(%s, %s); ",
				map[byte]string{'u': "ReadsRune", 'v': "ReadsLastRune"}[p.Do], v.Name(),
				r.sites.add("read", d.Name.Pos(), v.Name(), types.Typ[types.Byte]))
		case 'r', 'R', 'w', 'W':
			e := borderPath(v, path)
			e.count = p.Count
			write := p.Do == 'w' || p.Do == 'W'
			text := r.touches(d, e, write, p.Do == 'R')
			if p.Do == 'W' {
				text += r.kept(d, e)
			}
			if !write || !r.in.Mode.Flow {
				begin.WriteString(text)
			}
		}
	}
	if b.Rest != 0 {
		for _, v := range r.borderOrder(d) {
			if !named[v.Name()] {
				begin.WriteString(r.touches(d, borderPath(v, ""), false, b.Rest == 'R'))
			}
		}
	}
	return begin.String()
}

// borderOrder returns the named receiver and parameters of a function.
func (r *rewriter) borderOrder(d *ast.FuncDecl) []*types.Var {
	var vs []*types.Var
	for _, list := range []*ast.FieldList{d.Recv, d.Type.Params} {
		if list == nil {
			continue
		}
		for _, f := range list.List {
			for _, id := range f.Names {
				if v, ok := r.info.Defs[id].(*types.Var); ok && id.Name != "_" {
					vs = append(vs, v)
				}
			}
		}
	}
	return vs
}

func (r *rewriter) borderVars(d *ast.FuncDecl) map[string]*types.Var {
	vars := map[string]*types.Var{}
	for _, v := range r.borderOrder(d) {
		vars[v.Name()] = v
	}
	return vars
}

// A borderExpr is a parameter, or a location that a path of fields reaches from one.
type borderExpr struct {
	text  string
	typ   types.Type
	nils  []string // pointers on the path that may be nil
	count string   // number of elements; "" for all
}

// borderPath returns the expression for the fields in path from v; "" is v itself.
func borderPath(v *types.Var, path string) borderExpr {
	e := borderExpr{text: v.Name(), typ: v.Type()}
	for name := range strings.SplitSeq(path, ".") {
		if f := fieldOf(e.typ, name); f != nil {
			e = e.field(f)
		}
	}
	return e
}

func fieldOf(t types.Type, name string) *types.Var {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok || name == "" {
		return nil
	}
	for f := range s.Fields() {
		if f.Name() == name {
			return f
		}
	}
	return nil
}

func (e borderExpr) field(f *types.Var) borderExpr {
	nils := e.nils
	if _, ok := e.typ.Underlying().(*types.Pointer); ok {
		nils = append(nils[:len(nils):len(nils)], e.text)
	}
	return borderExpr{text: e.text + "." + f.Name(), typ: f.Type(), nils: nils}
}

// touches returns the statements that announce accesses to e; deep: also to the memory that its
// slices and maps lead to.
func (r *rewriter) touches(d *ast.FuncDecl, e borderExpr, write, deep bool) string {
	op, hook := "read", "Reads"
	if write {
		op, hook = "write", "Writes"
	}
	call := func(hook string, t types.Type) string {
		args := e.text
		if e.count != "" {
			hook, args = strings.Replace(hook, "All", "First", 1), args+", "+e.count
		}
		s := "_hd." + hook + "(" + args + ", " + r.sites.add(op, d.Name.Pos(), e.text, t) + "); "
		if len(e.nils) > 0 {
			return "if " + strings.Join(e.nils, " != nil && ") + " != nil { " + s + "}; "
		}
		return s
	}
	switch t := core(e.typ).(type) {
	case *types.Slice:
		if inner, ok := t.Elem().Underlying().(*types.Slice); ok && !write {
			return call("ReadsEach", inner.Elem())
		}
		return call(hook+"All", t.Elem())
	case *types.Map:
		return call(hook+"Map", t)
	case *types.Pointer:
		s := call(hook, t.Elem())
		if opaque(t.Elem()) {
			s = call(hook+"Head", t.Elem())
		}
		if deep {
			s += r.deeper(d, e, t.Elem(), write)
		}
		return s
	case *types.Struct:
		if deep {
			return r.deeper(d, e, t, write)
		}
	}
	return ""
}

// deeper announces accesses to the memory of the slices and maps among the fields of e, a struct
// of type t or a pointer to one.
func (r *rewriter) deeper(d *ast.FuncDecl, e borderExpr, t types.Type, write bool) string {
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return ""
	}
	var s strings.Builder
	for f := range st.Fields() {
		x := e.field(f)
		switch f.Type().Underlying().(type) {
		case *types.Slice, *types.Map:
			s.WriteString(r.touches(d, x, write, false))
		case *types.Struct:
			s.WriteString(r.deeper(d, x, f.Type(), write))
		}
	}
	return s.String()
}

// kept announces at the function's return the writes to the slices in *e that are still the same.
func (r *rewriter) kept(d *ast.FuncDecl, e borderExpr) string {
	p, ok := e.typ.Underlying().(*types.Pointer)
	if !ok {
		return ""
	}
	var s strings.Builder
	var visit func(e borderExpr, t types.Type)
	visit = func(e borderExpr, t types.Type) {
		st, ok := t.Underlying().(*types.Struct)
		if !ok {
			return
		}
		for f := range st.Fields() {
			x := e.field(f)
			switch t := f.Type().Underlying().(type) {
			case *types.Slice:
				fmt.Fprintf(&s, "defer _hd.Kept(&%s, %s, %s); ", x.text, x.text,
					r.sites.add("write", d.Name.Pos(), x.text, t.Elem()))
			case *types.Struct:
				visit(x, t)
			}
		}
	}
	visit(e, p.Elem())
	return "if _hd.On && " + e.text + " != nil { " + s.String() + "}; "
}

// opaque reports whether a struct is opaque to other packages: they neither know its parts nor get
// pointers to them. Then its first word stands for all of it.
func opaque(t types.Type) bool {
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range st.Fields() {
		if _, nested := f.Type().Underlying().(*types.Struct); nested || f.Exported() {
			return false
		}
	}
	return true
}

// borderResults wraps a result of each return in the announcement of what was done to v: 'a'
// appended to it, 'f' and 'g' filled it.
func (r *rewriter) borderResults(d *ast.FuncDecl, v *types.Var, do byte) string {
	hook, wholly, which := "Filled", "Filler", 0
	switch do {
	case 'a':
		hook, wholly = "Appended", "Appender"
	case 'g':
		wholly, which = "", 1
	}
	var elem types.Type
	if t, ok := core(v.Type()).(*types.Slice); ok {
		elem = t.Elem()
	}
	was, site := r.name(), r.sites.add("write", d.Name.Pos(), v.Name(), elem)
	if r.in.Mode.Flow {
		return ""
	}
	results := resultNames(d)
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			switch count := d.Type.Results.NumFields(); {
			case len(n.Results) == 0 && len(results) == count:
				r.wrap(n, fmt.Sprintf("_hd.%s(%s, %s, %s); ", hook, was, results[which], site), "")
			case len(n.Results) == count && r.touchedReturn(n):
				r.skip(n, "the results of "+d.Name.Name+" cannot be announced")
			case len(n.Results) == count:
				r.wrap(n.Results[which], "_hd."+hook+"("+was+", ", ", "+site+")")
			case len(n.Results) == 1 && count == 2 && wholly != "":
				r.wrap(n.Results[0], "_hd."+wholly+"("+was+", "+site+")(", ")")
			default:
				r.skip(n, "the results of "+d.Name.Name+" cannot be announced")
			}
		}
		return true
	})
	return was + " := " + v.Name() + "; "
}

// touchedReturn reports whether a return statement is replaced as a whole.
func (r *rewriter) touchedReturn(n *ast.ReturnStmt) bool {
	e := r.buf.edits[r.off(n.Results[0].Pos())]
	return e != nil && e.replaced
}

// resultNames returns the names of a function's results, or nil if they are unnamed.
func resultNames(d *ast.FuncDecl) []string {
	var names []string
	if d.Type.Results == nil {
		return nil
	}
	for _, f := range d.Type.Results.List {
		for _, id := range f.Names {
			if id.Name == "_" {
				return nil
			}
			names = append(names, id.Name)
		}
	}
	return names
}

// ofRuntime are functions of package runtime, and of those that belong to it, which read or change
// what they are given: the index of that argument, and of a method its receiver.
var ofRuntime = map[string]struct {
	arg  int
	hook string
}{
	"runtime.CallersFrames":        {0, "SR"},
	"runtime.Callers":              {1, "SA"},
	"runtime.Stack":                {0, "SA"},
	"runtime.GoroutineProfile":     {0, "SA"},
	"runtime.ThreadCreateProfile":  {0, "SA"},
	"runtime.MemProfile":           {0, "SA"},
	"runtime.BlockProfile":         {0, "SA"},
	"runtime.MutexProfile":         {0, "SA"},
	"runtime/metrics.Read":         {0, "SA"},
	"runtime.ReadMemStats":         {0, "PA"},
	"runtime/debug.ReadGCStats":    {0, "PA"},
	"(*runtime.Frames).Next":       {hook: "PA"},
	"(*runtime.StackRecord).Stack": {hook: "PR"},
}

// runtimeCall announces what a call of one of these does to memory of the program.
func (r *rewriter) runtimeCall(e *ast.CallExpr, f *types.Func) {
	use, ok := ofRuntime[f.FullName()]
	if !ok || use.arg >= len(e.Args) && f.Signature().Recv() == nil {
		return
	}
	var x ast.Expr
	address := ""
	if f.Signature().Recv() == nil {
		x = e.Args[use.arg]
	} else if sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok {
		if x = sel.X; !isPointer(r.info.TypeOf(x)) {
			address = "&"
		}
	}
	if x == nil || r.info.Types[x].IsNil() || r.info.Types[x].IsType() ||
		address != "" && !r.info.Types[x].Addressable() {
		return
	}
	op := "write"
	if use.hook[1] == 'R' {
		op = "read"
	}
	site := r.elements(op, x.Pos(), x)
	if use.hook[0] == 'P' {
		site = r.site(op, x.Pos(), x)
	}
	r.wrap(x, "_hd."+use.hook+"("+address, ", "+site+")")
}

// belowRead wraps what is passed to a function below package hook, so that its reads or writes
// of it are announced.
func (r *rewriter) belowRead(e *ast.CallExpr) {
	if !r.mem || e.Ellipsis != token.NoPos {
		return
	}
	f, ok := r.callee(e)
	if !ok || f.Pkg() == nil {
		return
	}
	if !r.in.Standard {
		r.runtimeCall(e, f)
		return
	}
	if f.Signature().Recv() != nil {
		return
	}
	switch f.Pkg().Path() {
	case "internal/bytealg":
		for _, a := range e.Args {
			if isSlice(r.info.TypeOf(a)) {
				r.wrap(a, "_hd.SR(", ", "+r.elements("read", a.Pos(), a)+")")
			}
		}
	case "internal/byteorder":
		r.byteOrder(e, f.Name())
	}
}

// byteOrder is belowRead for package internal/byteorder, for example BEPutUint32(b, v).
func (r *rewriter) byteOrder(e *ast.CallExpr, name string) {
	name, ok := strings.CutPrefix(name, "BE")
	if !ok {
		if name, ok = strings.CutPrefix(name, "LE"); !ok {
			return
		}
	}
	what, bits, _ := strings.Cut(name, "Uint")
	n, err := strconv.Atoi(bits)
	if err != nil {
		return
	}
	b := e.Args[0]
	switch what {
	case "":
		r.wrap(b, "_hd.SRN(", fmt.Sprintf(", %d, %s)", n/8, r.elements("read", b.Pos(), b)))
	case "Put":
		r.wrap(b, "_hd.SWN(", fmt.Sprintf(", %d, %s)", n/8, r.elements("write", b.Pos(), b)))
	case "Append":
		r.wrap(b, "_hd.Room(", fmt.Sprintf(", %d, %s)", n/8, r.elements("write", e.Pos(), b)))
	}
}

// callee returns the function that a call names.
func (r *rewriter) callee(e *ast.CallExpr) (*types.Func, bool) {
	var id *ast.Ident
	switch x := ast.Unparen(e.Fun).(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	default:
		return nil, false
	}
	f, ok := r.info.Uses[id].(*types.Func)
	return f, ok
}
