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

// Data flow is a pass of its own over what Rewrite made: everything that
// passes through a hook is a call of package hook there, so what is left are
// local variables, operators and calls. The pass puts a label (see package
// rt/flow) beside every value that is not a constant:
//
//   - a local variable that passes no hook has a label variable _hl1; hooks get and give labels as operands;
//   - what hooks and calls inside an expression give is kept in slots _hs1 until the expression is complete;
//   - arguments and results travel through the buffers of package flow.
//
// The values themselves, their order of evaluation and the sites of hooks stay
// as they are without it; branches get sites after all others. Hooked variables stay where they are, too: accesses to what is on a stack
// are left out. Where labels are expressions they move to the heap.
//
// What is an over-approximation: a local struct or array has one label for all
// of it, and so has a map; a composite literal gives the union of its parts to each;
// code that is not rewritten returns the union of what went in. Values of panics,
// and what reflection and unsafe write, keep no labels.

// flowPass rewrites the files of p once more. What cannot be is noted and stays without data flow.
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
		r := &rewriter{in: in, fset: fset, ast: p.files[i], tok: fset.File(p.files[i].FileStart), pkg: tp, info: info,
			sites: sites, buf: newBuffer(texts[i]), out: out, mem: true, prefix: "_hx"}
		fl := &flower{rewriter: r, im: im, tables: tables, vars: map[*types.Var]*flowVar{}, slot: map[ast.Expr]string{}, aux: map[ast.Expr]string{}, hooks: map[*types.Var]bool{}, iters: map[*types.Var]*flowIter{}}
		if text := fl.file(); text != nil {
			out.Files[f.Path] = text
		}
	}
}

// withHook imports package hook as it is laid, where the build does not have it (tests).
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

// hookTypes checks the sources of package hook, declarations only.
var hookTypes = sync.OnceValues(func() (*types.Package, error) {
	fset := token.NewFileSet()
	var files []*ast.File
	entries, err := heddle.Sources.ReadDir("rt/hook")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name := e.Name()
		if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "_rt.go") || !strings.HasSuffix(name, ".go") {
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
	conf := types.Config{IgnoreFuncBodies: true, Sizes: types.SizesFor("gc", runtime.GOARCH), Importer: noImports{}, Error: func(error) {}}
	p, _ := conf.Check(hookPath, fset, files, nil)
	return p, nil
})

// noImports: the declarations of package hook name nothing of other packages but runtime.MemStats.
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

// A flower adds labels to one file that is rewritten already.
type flower struct {
	*rewriter
	im     *Importer
	tables map[types.Object]bool // see tablesOf
	fn     *flowFn
	vars   map[*types.Var]*flowVar // local variables
	hooks  map[*types.Var]bool     // those that hooks access
	slot   map[ast.Expr]string     // the label of an expression, where an edit gave it one of its own
	aux    map[ast.Expr]string     // what a statement needs to end what an expression began: a Loc, or the arguments of Back
	iters  map[*types.Var]*flowIter
	tags   []string // label variables of the switches around

	unlabelled map[string]bool // see hasBody

	dropped *ast.CallExpr // the call whose results the statement drops
	count   int           // of _hl1, _hl2, ...
}

// A flowVar is a local variable and the variable that holds its label.
type flowVar struct {
	label string
	fn    *flowFn // whose it is
}

// A flowFn is a function that is being rewritten.
type flowFn struct {
	outer  *flowFn
	labels []string // label variables
	bound  []string // label variables of outer functions that it uses

	slots, locs, calls, vals             int // used by the statement
	maxSlots, maxLocs, maxCalls, maxVals int // used by any

	entries, maxEntries int      // of maps, likewise
	runes               []string // variables that follow ranges over strings
	walks               []string // and over slices, see quietRange

	results []*types.Var // nil: unnamed
	labelOf []string     // of the results
	defers  bool
}

// file rewrites the file and returns its new text, nil if nothing changed.
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
			if d.Body != nil && !forbidsCalls(d) {
				f.function(d.Name.Name, d.Recv, d.Type, d.Body)
			}
		case *ast.GenDecl:
			if d.Tok == token.VAR {
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
		text = append(text, "\nvar _ _hd.Site\n"...) // all its hooks are flow's now
	}
	return text
}

// initial rewrites the functions in the initialisers of package-level variables, and nothing else there.
func (f *flower) initial(d *ast.GenDecl) {
	ast.Inspect(d, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok {
			f.function("", nil, lit.Type, lit.Body)
			return false
		}
		return true
	})
}

// function rewrites a function; name is "" for a literal. It returns the label
// variables of outer functions that it uses.
func (f *flower) function(name string, recv *ast.FieldList, typ *ast.FuncType, body *ast.BlockStmt) (bound []string) {
	fn := &flowFn{outer: f.fn, defers: hasDefer(body)}
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
	list("_hp", fn.maxLocs, "_hf.Loc")
	list("_hc", fn.maxCalls, "_hf.Call")
	list("_hv", fn.maxVals, "_hf.Val")
	for i := range fn.maxVals { // not all were needed in the end
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

// params declares the labels of parameters, the first of which is number n, and
// writes the statements that take them. It returns the number after the last.
func (f *flower) params(list *ast.FieldList, n int, take *strings.Builder) int {
	if list == nil {
		return n
	}
	for _, field := range list.List {
		for _, id := range field.Names {
			if v, ok := f.info.Defs[id].(*types.Var); ok && id.Name != "_" {
				fmt.Fprintf(take, "%s = _ha[%d]; ", f.declare(v), min(n, 15))
			}
			n++
		}
		if len(field.Names) == 0 {
			n++
		}
	}
	return n
}

// declareResults gives every result a label.
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

// resultLabels returns the labels of the results as they are when the function returns.
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

// declare returns the label variable of v, which the function declares.
func (f *flower) declare(v *types.Var) string {
	if x := f.vars[v]; x != nil {
		return x.label
	}
	x := &flowVar{label: f.fresh(), fn: f.fn}
	f.vars[v] = x
	return x.label
}

// of returns the label variable of v for use in the function, "" if v is no local variable. A variable of
// an outer function that is no memory does not change any more: its label is bound when the literal is evaluated.
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
	ast.Inspect(body, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.DeferStmt:
			found = true
		}
		return !found
	})
	return found
}

// signature returns what a function and the calls of it have in common, as a constant; see flow.Sig.
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

// union returns the label of what is computed from parts with the labels ls.
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

// late reports whether a label is known only after the expression was evaluated.
func late(label string) bool {
	return strings.Contains(label, "_hs") || strings.Contains(label, "_hv") || strings.Contains(label, "_he") || strings.Contains(label, "_hf.At")
}

// branchSite adds a row for a branch on e.
func (f *flower) branchSite(at token.Pos, e ast.Expr) string {
	text := f.source(e)
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok && f.hookName(call) == "Select" {
		text = "select"
	}
	return f.sites.add("branch", at, unhook(text), f.info.TypeOf(e))
}

// unhook returns source text without the hooks in it.
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
