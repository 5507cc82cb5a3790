package instrument

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"heddle/instrument/modules"
	"heddle/instrument/std"
	"heddle/trace"
)

// Calls of code that is not rewritten for data flow: the standard library, and functions without
// body.

// isForeign reports whether the body of fn is known to carry no labels, as it is in the standard
// library.
func (f *flower) isForeign(fn *types.Func) bool {
	if logsDraws(fn) {
		return true
	}
	if givesInput(fn) {
		return false
	}
	if r := fn.Signature().Recv(); r != nil && types.IsInterface(r.Type()) || fn.Pkg() == nil ||
		fn.Pkg() == f.pkg {
		return f.exprs() && fn.Pkg() == f.pkg && f.bodiless(fn)
	}
	path := fn.Pkg().Path()
	if p := f.im.pkgs[path]; p != nil && p.in.Standard {
		return !(f.exprs() && followed(fn))
	}
	first, _, _ := strings.Cut(path, "/")
	return f.im.pkgs[path] == nil && !strings.Contains(first, ".")
}

// followed reports whether labels are kept in a function of another package.
func followed(fn *types.Func) bool {
	return std.Followed(fn.Pkg().Path()) && !prints(fn)
}

// bodiless reports whether fn is declared in this file and implemented elsewhere, in assembly or
// in package runtime.
func (f *flower) bodiless(fn *types.Func) bool {
	for _, d := range f.ast.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && f.info.Defs[d.Name] == fn {
			return d.Body == nil
		}
	}
	return false
}

// operates reports whether a function of the standard library may perform operations, access
// memory through hooks, or call back into the program.
func (f *flower) operates(c *flowCall) bool {
	path := c.callee.Pkg().Path()
	_, memory, quiet := std.Mode(path)
	if memory && std.Accesses(path, nil) || !quiet {
		return true
	}
	if c.sig == nil || c.all == "0" {
		return false
	}
	for v := range c.sig.Params().Variables() {
		switch t := core(v.Type()).(type) {
		case *types.Signature, *types.Interface:
			return true
		case *types.Slice:
			if types.IsInterface(t.Elem()) {
				return true
			}
		}
	}
	return c.recv != nil && types.IsInterface(f.info.TypeOf(c.recv))
}

// pureCall rewrites a call of code that only computes.
func (f *flower) pureCall(e *ast.CallExpr, c *flowCall) {
	if f.exprs() {
		f.loses(e, c.all)
		return
	}
	if c.all == "0" || c.sig == nil || c.sig.Results().Len() != 1 {
		if c.all != "0" {
			f.slot[e] = c.all
		}
		return
	}
	to := f.fn.newSlot()
	f.wrap(e, "_hf.Pure(", ", "+c.all+", &"+to+")")
	f.slot[e] = to + ".Get()"
}

// foreignCall rewrites a call of code that performs operations without data flow. If the call is a
// statement, or has several results, the statement ends what Out begins.
func (f *flower) foreignCall(e *ast.CallExpr, c *flowCall) {
	call := f.fn.newCall()
	before, after := "_hf.Out(", ", "+c.all+", &"+call+")"
	if op, ok := f.atomicOperation(c); ok {
		before, after = "_hf.OutAtomic(", ", &"+call+", "+op+")"
	} else if args, ok := f.syncMapCall(e, c); ok {
		before, after = "_hf.OutSyncMap(", ", &"+call+", "+args+")"
	} else if f.exprs() && prints(c.callee) && returns(c.callee) {
		before = "_hf.OutPrint("
	} else if f.exprs() && f.vanishes(e, c) {
		after = ", " + f.lost(e, c.all) + ", &" + call + ")"
	}
	if !f.last(e, c, true, before, after) {
		f.fn.calls--
		if c.all != "0" {
			f.slot[e] = c.all
		}
		return
	}
	known := "false"
	if isOperation(c.callee) {
		known = "true"
	}
	if c.sig.Results().Len() != 1 || f.dropped == e {
		f.aux[e] = "&" + call + ", " + known
		return
	}
	to := f.fn.newSlot()
	f.wrap(e, "_hf.In(", ", &"+call+", "+known+", &"+to+")")
	f.slot[e] = to + ".Get()"
	if f.exprs() && known == "false" {
		f.loses(e, c.all)
	}
}

// isOperation reports whether a call of the function is an operation of rt/sched.
func isOperation(fn *types.Func) bool {
	switch fn.Pkg().Path() {
	case "sync", "sync/atomic", "time":
		return true
	}
	return false
}

// prints reports whether a function passes its arguments only to the reader of the output.
func prints(fn *types.Func) bool {
	begins := func(names ...string) bool {
		return slices.ContainsFunc(names, func(s string) bool { return strings.HasPrefix(fn.Name(), s) })
	}
	switch fn.Pkg().Path() {
	case modules.Rapid:
		return logsDraws(fn)
	case "fmt":
		return begins("Print")
	case "log":
		return begins("Print", "Fatal", "Panic")
	case "testing":
		return begins("Log", "Error", "Fatal", "Skip")
	}
	return false
}

// logsDraws reports whether fn is the method by which package rapid, as heddle changes it, has the
// values logged that it draws, or one by which it logs what a property says.
func logsDraws(fn *types.Func) bool {
	if fn.Pkg() == nil || fn.Pkg().Path() != modules.Rapid {
		return false
	}
	r := fn.Signature().Recv()
	return r != nil && types.IsInterface(r.Type()) &&
		(fn.Name() == "HeddleDraw" || fn.Name() == "Log" || fn.Name() == "Logf")
}

// givesInput reports whether fn is package drive's Next, which returns an input with its label.
func givesInput(fn *types.Func) bool {
	return fn.Pkg() != nil && fn.Pkg().Path() == "heddlert/drive" && fn.Name() == "Next"
}

// returns reports whether a function that prints returns: Fatal, Panic and Skip do not.
func returns(fn *types.Func) bool {
	return !slices.ContainsFunc([]string{"Fatal", "Panic", "Skip"},
		func(s string) bool { return strings.HasPrefix(fn.Name(), s) })
}

// formats are the methods that printing calls, and whether they get the text.
var formats = map[string]bool{"String": false, "Error": false, "Format": false, "GoString": false,
	"Write": true, "WriteString": true}

// vanishes reports whether the inputs of a foreign call may have an effect that no label of a
// result shows: the call is an operation, its results are discarded or several, or it writes
// through an argument.
func (f *flower) vanishes(e *ast.CallExpr, c *flowCall) bool {
	switch {
	case isOperation(c.callee):
		return true
	case prints(c.callee):
		return false
	case f.dropped == e, c.operates && c.sig.Results().Len() > 1:
		return true
	}
	return slices.ContainsFunc(e.Args, func(a ast.Expr) bool { return f.refers(a) != "" })
}

// refers returns package flow's name for a kind of value with memory that others see, or "".
func (f *flower) refers(a ast.Expr) string {
	t := f.info.TypeOf(a)
	if t == nil || f.info.Types[a].Value != nil || f.info.Types[a].IsNil() {
		return ""
	}
	switch core(t).(type) {
	case *types.Pointer:
		return "Pointer"
	case *types.Slice:
		return "Slice"
	case *types.Map:
		return "Map"
	}
	if isString(t) {
		return "Text"
	}
	return ""
}

// reached marks as lost the values that foreign code can read in memory reachable from the
// receiver and the arguments of a call. A function that only stores pointers reads nothing but
// keys and the values it compares with.
func (f *flower) reached(e *ast.CallExpr, c *flowCall) {
	args := e.Args
	switch {
	case prints(c.callee), keeps(c.callee):
		return
	case isOperation(c.callee):
		if args = compared(c.callee, args); len(args) == 0 {
			return
		}
	case c.recv != nil && !ofTesting(f.info.TypeOf(c.recv)) && f.leads(f.info.TypeOf(c.recv)):
		sel := f.info.Selections[named(e.Fun).(*ast.SelectorExpr)]
		c.pointer = takesAddress(sel)
		f.reach(c.recv, c.pointer)
	}
	for _, a := range args {
		f.reach(a, false)
	}
}

// reach marks as lost the values that foreign code can read in memory reachable from x or from its
// address.
func (f *flower) reach(x ast.Expr, address bool) {
	t := f.info.TypeOf(x)
	if !address &&
		(!f.leads(t) || !f.wrappable(x) || f.info.Types[x].Value != nil || f.info.Types[x].IsNil()) {
		return
	}
	before := "_hf.Reach("
	if address {
		before += "&"
	}
	f.wrap(x, before, ", "+f.sites.add("value", x.Pos(), unhook(f.source(x)), t)+")")
}

// content marks values as lost if x, an operand of a comparison, holds texts that depend on
// inputs.
func (f *flower) content(x ast.Expr) {
	if f.wrappable(x) && f.info.Types[x].Value == nil && !f.info.Types[x].IsNil() {
		f.wrap(x, "_hf.Content(",
			", "+f.sites.add("value", x.Pos(), unhook(f.source(x)), f.info.TypeOf(x))+")")
	}
}

// composed reports whether comparing values of t compares parts, or contents of interfaces.
func composed(t types.Type) bool {
	if t == nil {
		return false
	}
	switch t := t.Underlying().(type) {
	case *types.Struct, *types.Interface:
		return true
	case *types.Array:
		return composed(t.Elem()) || isString(t.Elem())
	}
	return false
}

// leads reports whether a value of type t leads to memory.
func (f *flower) leads(t types.Type) bool {
	if t == nil {
		return false
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return true
	}
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Info()&types.IsString != 0 || t.Kind() == types.UnsafePointer
	case *types.Struct:
		for v := range t.Fields() {
			if f.leads(v.Type()) {
				return true
			}
		}
		return false
	case *types.Array:
		return f.leads(t.Elem())
	case *types.Tuple, *types.Signature:
		return false
	}
	return true
}

// keeps reports whether a function only stores the pointers that it gets.
func keeps(fn *types.Func) bool { return fn.Pkg().Path() == "context" }

// ofTesting reports whether t is a type of package testing or a pointer to one.
func ofTesting(t types.Type) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "testing"
}

// compared returns the arguments of an operation whose contents it compares.
func compared(fn *types.Func, args []ast.Expr) []ast.Expr {
	recv := fn.Signature().Recv()
	if recv == nil || len(args) == 0 {
		return nil
	}
	if typeName(recv.Type()) == "Value" && strings.HasPrefix(fn.Name(), "CompareAnd") {
		return args[:1]
	}
	return nil
}

// syncMapCall returns the arguments of package flow's OutSyncMap for a call of a method of a
// sync.Map.
func (f *flower) syncMapCall(e *ast.CallExpr, c *flowCall) (args string, ok bool) {
	recv := c.callee.Signature().Recv()
	if !f.exprs() || c.callee.Pkg().Path() != "sync" || recv == nil || typeName(recv.Type()) != "Map" {
		return "", false
	}
	ls := append(slices.Clone(c.args), "0", "0", "0")
	return f.branchSite(e.Pos(), e) + ", " + strings.Join(ls[:3], ", "), true
}

// atomicOperation returns the arguments of package flow's OutAtomic for an operation on an atomic
// number or condition. ok is false for other calls, and without Mode.Exprs.
func (f *flower) atomicOperation(c *flowCall) (args string, ok bool) {
	if !f.exprs() || c.callee.Pkg().Path() != "sync/atomic" {
		return "", false
	}
	k, ls := trace.Num(0), c.args
	if recv := c.callee.Signature().Recv(); recv != nil {
		k, ok = atomicNums[typeName(recv.Type())]
	} else if len(ls) > 0 {
		if p, isPtr := core(c.sig.Params().At(0).Type()).(*types.Pointer); isPtr {
			k, ok = num(p.Elem())
		}
		ls = ls[1:]
	}
	if !ok {
		return "", false
	}
	ls = append(slices.Clone(ls), "0", "0")
	name := strings.TrimPrefix(c.callee.Name(), "Heddle") // the name of the function that announces it
	for _, op := range atomicOps {
		if strings.HasPrefix(name, op.name) {
			return fmt.Sprintf("_hf.%s, %#x, %s, %s", op.as, uint8(k), ls[0], ls[1]), true
		}
	}
	return "", false
}

// atomicNums are the types of package sync/atomic that hold numbers and conditions.
var atomicNums = map[string]trace.Num{
	"Int32": trace.NumOf(32, true), "Int64": trace.NumOf(64, true), "Uint32": trace.NumOf(32, false),
	"Uint64": trace.NumOf(64, false), "Uintptr": trace.NumOf(64, false), "Bool": trace.Bool,
	"Value": 0xfd, // package flow's anyValue
}

// atomicOps are the operations of package sync/atomic by the beginning of their names.
var atomicOps = []struct{ name, as string }{
	{"Load", "AtomicLoad"}, {"Store", "AtomicStore"}, {"Swap", "AtomicSwap"}, {"Add", "AtomicAdd"},
	{"CompareAndSwap", "AtomicCAS"}, {"And", "AtomicAnd"}, {"Or", "AtomicOr"},
}

// typeName returns the name of a named type, or of the type that a pointer points to.
func typeName(t types.Type) string {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj().Name()
	}
	return ""
}

// vanish wraps x, which has label l, in a call that evaluates gone after it.
func (f *flower) vanish(x ast.Expr, gone, l string) {
	if l != "0" && f.wrappable(x) {
		f.wrap(x, "_hf.Vanish(", ", "+gone+")")
	}
}
