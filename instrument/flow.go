package instrument

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"runtime"
	"strings"
	"sync"

	"heddle"
)

// Data flow is a second pass over the output of Rewrite. Everything that passes through a hook is
// a call of package hook by then, so local variables, operators and calls remain. The pass adds a
// label (see package rt/flow) to every value that is not a constant:
//
//   - a local variable that passes no hook has a label variable _hl1; hooks take and return labels
//     as operands;
//   - labels from hooks and calls inside an expression stay in slots _hs1 until the expression is
//     complete;
//   - arguments and results travel through the buffers of package flow.
//
// Values, order of evaluation and sites of hooks do not change; branches get sites after all
// others. Hooked variables also stay where they are: accesses to variables on a stack are not
// announced. With Mode.Exprs they move to the heap.
//
// The labels over-approximate: a local struct, array or map has one label as a whole; a composite
// literal gives the union of its parts to each part; code that is not rewritten returns the union
// of its inputs. Values of panics, and values written by reflection and unsafe, keep no labels.

// flowPass rewrites the files of p a second time. A file where that fails is listed as skipped and
// stays without data flow.
func (im *Importer) flowPass(in *Input, imp types.Importer, out *Output) {
	fset := token.NewFileSet()
	p := &pkg{in: in}
	var texts [][]byte
	for i, f := range in.Files {
		text := f.Content
		if t := out.Files[f.Path]; t != nil {
			text = t
		}
		if in.Mode.Exprs {
			text = plainly(in.ImportPath, text, i == 0)
		}
		a, err := parser.ParseFile(fset, f.Path, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			out.Skipped = append(out.Skipped, "no data flow: "+err.Error())
			return
		}
		p.files, texts = append(p.files, a), append(texts, text)
	}
	for _, name := range in.CgoFiles {
		a, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			out.Skipped = append(out.Skipped, "no data flow: "+err.Error())
			return
		}
		p.files = append(p.files, a)
	}
	info := newInfo()
	tp, err := p.check(fset, withHook{imp}, info)
	if err != nil {
		out.Skipped = append(out.Skipped, "no data flow: "+err.Error())
		return
	}
	sites := newSites(in, fset, out)
	var tables map[types.Object]bool
	if in.Mode.Exprs {
		tables = tablesOf(p.files, tp, info)
	}
	for i, f := range in.Files {
		if importsC(p.files[i]) {
			continue
		}
		r := &rewriter{in: in, fset: fset, ast: p.files[i], tok: fset.File(p.files[i].FileStart), pkg: tp,
			info:  info,
			sites: sites, buf: newBuffer(texts[i]), out: out, mem: true, prefix: "_hx"}
		fl := &flower{rewriter: r, im: im, tables: tables, vars: map[*types.Var]*flowVar{},
			slot: map[ast.Expr]string{}, aux: map[ast.Expr]string{}, hooks: map[*types.Var]bool{},
			iters: map[*types.Var]*flowIter{}, cells: map[ast.Expr]string{},
			reads: map[ast.Expr]bool{}}
		if text := fl.file(); text != nil {
			out.Files[f.Path] = text
		}
	}
}

// withHook imports package hook as it is laid, if the build does not have it (in tests).
type withHook struct{ imp types.Importer }

func (h withHook) Import(path string) (*types.Package, error) {
	if h.imp != nil {
		if p, err := h.imp.Import(path); err == nil || path != hookPath {
			return p, err
		}
	}
	if path == hookPath {
		return hookTypes()
	}
	return nil, fmt.Errorf("package %s is not part of the build", path)
}

const hookPath = "heddlert/hook"

// hookTypes checks the declarations in the sources of package hook.
var hookTypes = sync.OnceValues(func() (*types.Package, error) {
	fset := token.NewFileSet()
	var files []*ast.File
	entries, err := heddle.Sources.ReadDir("rt/hook")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name := e.Name()
		if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "_rt.go") ||
			!strings.HasSuffix(name, ".go") {
			continue
		}
		src, err := heddle.Sources.ReadFile(path.Join("rt/hook", name))
		if err != nil {
			return nil, err
		}
		a, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, a)
	}
	conf := types.Config{IgnoreFuncBodies: true, Sizes: types.SizesFor("gc", runtime.GOARCH),
		Importer: noImports{}, Error: func(error) {}}
	p, _ := conf.Check(hookPath, fset, files, nil)
	return p, nil
})

// noImports imports empty packages: the declarations of package hook use nothing of other packages
// except runtime.MemStats.
type noImports struct{}

func (noImports) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	p := types.NewPackage(path, path)
	name := types.NewTypeName(token.NoPos, p, "MemStats", nil)
	types.NewNamed(name, types.NewStruct(nil, nil), nil)
	p.Scope().Insert(name)
	p.MarkComplete()
	return p, nil
}

// A flower adds labels to one rewritten file.
type flower struct {
	*rewriter
	im     *Importer
	tables map[types.Object]bool // see tablesOf
	decl   *ast.FuncDecl         // the declaration that is rewritten; nil: an initialiser
	fn     *flowFn
	vars   map[*types.Var]*flowVar // local variables
	hooks  map[*types.Var]bool     // those that hooks access
	// local variables of the declaration that have labels by address without hooks
	addressed map[*types.Var]bool
	slot      map[ast.Expr]string // label expressions from edits, by expression
	// per expression, what the statement needs to finish the expression: a Loc, or the arguments
	// of Back
	aux   map[ast.Expr]string
	iters map[*types.Var]*flowIter
	tags  []string // label variables of the enclosing switches, the innermost last

	unlabelled map[string]bool // see hasBody

	cells   map[ast.Expr]string // arguments of package flow's Cell
	reads   map[ast.Expr]bool   // what a hook reads
	stays   ast.Expr            // what is written, or whose address is taken: its place is a branch
	located ast.Expr            // what a hook takes the address of, see check
	dropped *ast.CallExpr       // the call whose results the statement discards
	count   int                 // number of names _hl1, _hl2, ... used
}

// A flowVar is a local variable and the variable that holds its label.
type flowVar struct {
	label string
	fn    *flowFn // the function that declares it
}

// A flowFn is the function being rewritten.
type flowFn struct {
	outer  *flowFn
	labels []string // label variables
	bound  []string // label variables of enclosing functions that it uses

	slots, locs, calls, vals             int // used by the current statement
	maxSlots, maxLocs, maxCalls, maxVals int // maximum over all statements

	entries, maxEntries int      // the same for entries of maps
	runes               []string // variables that follow ranges over strings
	loose               []string // slots that may be unused
	walks               []string // variables that follow ranges over slices, see quietRange

	results []*types.Var // nil: unnamed
	labelOf []string     // label variables of the results
	defers  bool
}

// file rewrites the file and returns its new text, or nil if nothing changed.
func (f *flower) file() []byte {
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && f.hookName(call) != "" && len(call.Args) > 0 {
			if u, ok := call.Args[0].(*ast.UnaryExpr); ok && u.Op == token.AND {
				if v := rootVar(f.info, u.X); v != nil {
					f.hooks[v] = true
				}
			}
		}
		return true
	})
	for _, d := range f.ast.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			f.decl = d
			f.inMemory(d)
			if d.Body != nil && !forbidsCalls(d) {
				f.function(d.Name.Name, d.Recv, d.Type, d.Body)
			}
		case *ast.GenDecl:
			if d.Tok == token.VAR {
				f.decl, f.addressed = nil, nil
				f.initial(d)
			}
		}
	}
	if len(f.buf.at) == 0 {
		return nil
	}
	f.after(f.ast.Name, `; import _hf "heddlert/flow"`)
	if before(f.info.FileVersions[f.ast], "go1.20") {
		f.raiseVersion()
	}
	text := f.buf.Bytes()
	if bytes.Contains(f.buf.src, []byte("_hd.")) && !bytes.Contains(text, []byte("_hd.")) {
		text = append(text, "\nvar _ _hd.Site\n"...) // its hooks are functions of package flow now
	}
	return text
}

// initial rewrites the functions in the initialisers of package-level variables, and nothing else
// in the declaration.
func (f *flower) initial(d *ast.GenDecl) {
	ast.Inspect(d, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok {
			f.function("", nil, lit.Type, lit.Body)
			return false
		}
		return true
	})
}

// function rewrites a function; name is "" for a literal. It returns the label variables of
// enclosing functions that it uses.
func (f *flower) function(name string, recv *ast.FieldList, typ *ast.FuncType,
	body *ast.BlockStmt) (bound []string) {
	fn := &flowFn{outer: f.fn, defers: hasDefer(body) || f.returnsEarly(body)}
	f.fn = fn
	defer func() { f.fn = fn.outer }()

	var start, take strings.Builder
	n := f.params(recv, 0, &take)
	if recv == nil {
		n = 1
	}
	first := n
	n = f.params(typ.Params, n, &take)
	if n > first || recv != nil {
		sig := signature(name, n-first)
		if take.Len() > 0 {
			fmt.Fprintf(&start, "_ha := _hf.Take(%s); %s", sig, take.String())
		} else {
			fmt.Fprintf(&start, "_hf.Take(%s); ", sig)
		}
	}
	if write, ok := formats[name]; ok && f.exprs() && recv != nil && (write || !f.in.Standard) {
		fmt.Fprintf(&start, "_hf.Own(%t); ", write)
	}
	f.declareResults(typ.Results)
	f.stmts(body.List)
	if fn.defers && len(fn.labelOf) > 0 {
		fmt.Fprintf(&start, "defer func() { _hf.Ret(%s) }(); ", strings.Join(f.resultLabels(), ", "))
	}
	f.atStart(body, fn.declarations()+start.String())
	return fn.bound
}

// declarations returns the declarations of the function's label variables and slots.
func (fn *flowFn) declarations() string {
	var out strings.Builder
	if len(fn.labels) > 0 {
		names := strings.Join(fn.labels, ", ")
		blanks := strings.Repeat("_, ", len(fn.labels)-1) + "_"
		fmt.Fprintf(&out, "var %s _hf.Label; %s = %s; ", names, blanks, names)
	}
	list := func(prefix string, n int, typ string) {
		if n == 0 {
			return
		}
		var names []string
		for i := range n {
			names = append(names, fmt.Sprintf("%s%d", prefix, i+1))
		}
		fmt.Fprintf(&out, "var %s %s; ", strings.Join(names, ", "), typ)
	}
	list("_hs", fn.maxSlots, "_hf.Slot")
	for _, s := range fn.loose {
		out.WriteString("_ = " + s + "; ")
	}
	list("_hp", fn.maxLocs, "_hf.Loc")
	list("_hc", fn.maxCalls, "_hf.Call")
	list("_hv", fn.maxVals, "_hf.Val")
	for i := range fn.maxVals { // some may be unused in the end
		fmt.Fprintf(&out, "_ = _hv%d; ", i+1)
	}
	list("_he", fn.maxEntries, "_hf.Entry")
	for i := range fn.maxEntries {
		fmt.Fprintf(&out, "_ = _he%d; ", i+1)
	}
	for _, r := range fn.runes {
		out.WriteString("var " + r + " _hf.Runes; ")
	}
	for _, r := range fn.walks {
		out.WriteString("var " + r + " _hf.Walk; ")
	}
	return out.String()
}

// params declares the labels of parameters, beginning with number n, and appends to take the
// statements that fetch them. It returns the next number.
func (f *flower) params(list *ast.FieldList, n int, take *strings.Builder) int {
	if list == nil {
		return n
	}
	for _, field := range list.List {
		for _, id := range field.Names {
			if v, ok := f.info.Defs[id].(*types.Var); ok && id.Name != "_" {
				l := f.declare(v)
				fmt.Fprintf(take, "%s = _ha[%d]%s; ", l, min(n, 15), f.stored(v, l))
			}
			n++
		}
		if len(field.Names) == 0 {
			n++
		}
	}
	return n
}

// declareResults gives every result a label variable.
func (f *flower) declareResults(list *ast.FieldList) {
	if list == nil {
		return
	}
	fn := f.fn
	for _, field := range list.List {
		for _, id := range field.Names {
			v, _ := f.info.Defs[id].(*types.Var)
			if v == nil || id.Name == "_" {
				fn.results, fn.labelOf = append(fn.results, nil), append(fn.labelOf, "")
				continue
			}
			fn.results, fn.labelOf = append(fn.results, v), append(fn.labelOf, f.declare(v))
		}
		if len(field.Names) == 0 {
			fn.results, fn.labelOf = append(fn.results, nil), append(fn.labelOf, "")
		}
	}
	if fn.defers {
		for i, l := range fn.labelOf {
			if l == "" {
				fn.labelOf[i] = f.fresh()
			}
		}
	}
}

// resultLabels returns the labels of the results at the function's return.
func (f *flower) resultLabels() []string {
	var ls []string
	for i, v := range f.fn.results {
		switch {
		case v != nil && f.hooks[v]:
			ls = append(ls, "_hf.At(&"+v.Name()+")")
		case f.fn.labelOf[i] == "":
			ls = append(ls, "0")
		default:
			ls = append(ls, f.fn.labelOf[i])
		}
	}
	return ls
}

// fresh returns a new label variable of the function.
func (f *flower) fresh() string {
	f.count++
	name := fmt.Sprintf("_hl%d", f.count)
	f.fn.labels = append(f.fn.labels, name)
	return name
}

// declare returns the label variable of v, a variable declared by this function.
func (f *flower) declare(v *types.Var) string {
	if x := f.vars[v]; x != nil {
		return x.label
	}
	x := &flowVar{label: f.fresh(), fn: f.fn}
	f.vars[v] = x
	return x.label
}

// of returns the label variable of v in the current function, or "" if v is not a local variable.
// A variable of an enclosing function that is not in memory no longer changes: its label is bound
// when the function literal is evaluated.
func (f *flower) of(v *types.Var) string {
	x := f.vars[v]
	if x == nil {
		return ""
	}
	for fn := f.fn; fn != nil && fn != x.fn; fn = fn.outer {
		known := false
		for _, b := range fn.bound {
			known = known || b == x.label
		}
		if !known {
			fn.bound = append(fn.bound, x.label)
		}
	}
	return x.label
}

func (fn *flowFn) newSlot() string {
	fn.slots++
	fn.maxSlots = max(fn.maxSlots, fn.slots)
	return fmt.Sprintf("_hs%d", fn.slots)
}

func (fn *flowFn) newLoc() string {
	fn.locs++
	fn.maxLocs = max(fn.maxLocs, fn.locs)
	return fmt.Sprintf("_hp%d", fn.locs)
}

func (fn *flowFn) newCall() string {
	fn.calls++
	fn.maxCalls = max(fn.maxCalls, fn.calls)
	return fmt.Sprintf("_hc%d", fn.calls)
}

func hasDefer(body *ast.BlockStmt) bool {
	found := false
	within(body, func(n ast.Node) bool {
		if _, ok := n.(*ast.DeferStmt); ok {
			found = true
		}
		return !found
	})
	return found
}

// returnsEarly reports whether body returns from a loop over a function. Calls that end that
// function come between the statement and the return itself.
func (f *flower) returnsEarly(body *ast.BlockStmt) bool {
	found := false
	within(body, func(n ast.Node) bool {
		s, ok := n.(*ast.RangeStmt)
		if !ok {
			return !found
		}
		if _, ok := core(f.info.TypeOf(s.X)).(*types.Signature); !ok {
			return !found
		}
		within(s.Body, func(n ast.Node) bool {
			if _, ok := n.(*ast.ReturnStmt); ok {
				found = true
			}
			return !found
		})
		return !found
	})
	return found
}

// within is ast.Inspect of a function's body without the functions in it.
func within(body *ast.BlockStmt, visit func(ast.Node) bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		return visit(n)
	})
}

// signature returns a constant that a function and its calls share; see flow.Sig.
func signature(name string, params int) string {
	h := uint32(0)
	if name != "" {
		h = 2166136261
		for i := range len(name) {
			h = (h ^ uint32(name[i])) * 16777619
		}
		h |= 1
	}
	return fmt.Sprintf("%#x", uint64(h)<<8|uint64(min(params, 255)))
}

// union returns the label of a value computed from values with labels ls.
func union(ls ...string) string {
	var parts []string
next:
	for _, l := range ls {
		if l == "" || l == "0" {
			continue
		}
		for _, p := range parts {
			if p == l {
				continue next
			}
		}
		parts = append(parts, l)
	}
	if len(parts) == 0 {
		return "0"
	}
	out := parts[0]
	for _, p := range parts[1:] {
		out = "_hf.U(" + out + ", " + p + ")"
	}
	return out
}

// late reports whether a label is known only after the evaluation of the expression.
func late(label string) bool {
	return strings.Contains(label, "_hs") || strings.Contains(label, "_hv") ||
		strings.Contains(label, "_he") || strings.Contains(label, "_hc") || strings.Contains(label, "_hf.At")
}

// branchSite adds a row for a branch on e.
func (f *flower) branchSite(at token.Pos, e ast.Expr) string {
	text := f.source(e)
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok && f.hookName(call) == "Select" {
		text = "select"
	}
	return f.sites.add("branch", at, unhook(text), f.info.TypeOf(e))
}

// unhook returns source text without its hooks.
func unhook(s string) string {
	for _, h := range []string{"(*_hd.R(&", "_hd.V(&", "_hd.MR("} {
		for {
			i := strings.Index(s, h)
			if i < 0 {
				break
			}
			depth, end := 0, -1
			for j := i; j < len(s) && end < 0; j++ {
				switch s[j] {
				case '(', '[', '{':
					depth++
				case ')', ']', '}':
					if depth--; depth == 0 {
						end = j + 1
					}
				}
			}
			if end < 0 {
				return s
			}
			inner := s[i+len(h) : end]
			if k := strings.LastIndex(inner, ", 0x"); k >= 0 {
				inner = inner[:k]
			}
			s = s[:i] + inner + s[end:]
		}
	}
	return s
}
