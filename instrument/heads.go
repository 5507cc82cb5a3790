package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// Heads of loops: where an iteration ends what lives in it alone is over. There the rewritten loop
// tells what lives on and may be another value than before the loop, so that strategies need not
// tell apart what a goroutine has forgotten; see package hook.
//
// What lives on are variables that no other goroutine can access, declared outside the body, that
// the loop assigns; memory, accesses to which are announced; which iteration it is; and what the
// loop has kept since it began. Not all loops tell it:
//
//   - a deferred call, and a goto, keep more alive;
//   - a range over a map or a function has a state of its own;
//   - the variables of a for clause may be memory, and new in each iteration;
//   - an array or struct that lives on is no number.

// heads inserts the calls at the ends of the iterations of a loop. label is the label directly
// before it, or nil.
func (r *rewriter) heads(s ast.Stmt, body *ast.BlockStmt, label *ast.LabeledStmt) {
	if r.in.Mode.Flow {
		return
	}
	h := &heading{rewriter: r, loop: s, body: body, told: map[*types.Var]bool{}}
	if s, ok := s.(*ast.RangeStmt); ok {
		h.over = core(r.info.TypeOf(s.X))
	}
	if _, ok := h.over.(*types.Signature); ok {
		// its body is a function, and the loops of the one ranged over do not see what it leaves in
		// the one around it: what it assigns, returns and defers, and how it was left
		r.atStart(body, "_hd.Remembers(); ")
		return
	}
	if !r.mem || r.in.Standard || r.in.Mode.Quiet || len(r.labels) > 0 {
		return
	}
	if label != nil {
		h.label = label.Label.Name
	}
	ends, ok := h.ends()
	if !ok || !h.operates() || !h.assignments() {
		return
	}
	for _, pos := range append(ends, body.Rbrace) {
		if !h.visible(pos) {
			return
		}
	}
	name, digest := r.name(), "_hd.Alive"
	if h.counts() {
		digest = "_hd.HI(" + digest + ", " + name + ")"
	}
	for _, v := range h.vars {
		digest = digestOf(v, digest)
	}
	call := "if _hd.Heads { " + name + " = _hd.Head(" + name + ", " + digest + ") }"
	for _, pos := range ends {
		off := r.off(pos)
		r.buf.Before(off, off+len("continue"), call+"; ")
	}
	off := r.off(body.Rbrace)
	r.buf.Before(off, off+1, "; "+call+" ")
	if !h.visible(s.Pos()) || !h.beginsAsGoesOn() {
		digest = "0"
	}
	r.outside(s, label, "var "+name+" _hd.Turns; if _hd.Heads { "+name+" = _hd.Begins("+digest+") }; ")
}

// mutes reports whether a file has functions that do not announce what they
// write. Nothing is known then of what goroutines remember: package hook is told.
func mutes(f *ast.File) bool {
	return importsC(f) || slices.ContainsFunc(f.Decls, func(d ast.Decl) bool {
		fn, ok := d.(*ast.FuncDecl)
		return ok && fn.Body != nil && forbidsCalls(fn)
	})
}

// A heading is the look at one loop.
type heading struct {
	*rewriter
	loop  ast.Stmt
	over  types.Type // what is ranged over; nil for another loop
	body  *ast.BlockStmt
	label string
	vars  []*types.Var // what is told, in the order of the first assignments
	told  map[*types.Var]bool
}

// ends returns the continue statements of the loop. ok is false for a loop that tells nothing.
func (h *heading) ends() (list []token.Pos, ok bool) {
	ok = true
	ast.PreorderStack(h.body, nil, func(n ast.Node, above []ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.DeferStmt:
			ok = false
		case *ast.BranchStmt:
			if n.Tok != token.CONTINUE || n.Label != nil && n.Label.Name != h.label {
				break
			}
			own, within := true, false
			for _, a := range above {
				switch a := a.(type) {
				case *ast.ForStmt:
					own = n.Label != nil
				case *ast.RangeStmt:
					own = n.Label != nil
					_, is := core(h.info.TypeOf(a.X)).(*types.Signature)
					within = within || is
				}
			}
			if own && within { // the function that is ranged over goes on after it
				ok = false
			}
			if _, labelled := above[len(above)-1].(*ast.LabeledStmt); own && labelled {
				ok = false
			}
			if own {
				list = append(list, n.Pos())
			}
		}
		return true
	})
	switch s := h.loop.(type) {
	case *ast.ForStmt:
		if init, isInit := s.Init.(*ast.AssignStmt); isInit && init.Tok == token.DEFINE {
			for _, l := range init.Lhs {
				v, isVar := h.info.Defs[l.(*ast.Ident)].(*types.Var)
				ok = ok && (!isVar || !h.shared.has(v))
			}
		}
	case *ast.RangeStmt:
		switch h.over.(type) {
		case *types.Slice, *types.Array, *types.Pointer, *types.Chan, *types.Basic:
		default:
			ok = false
		}
	}
	return list, ok
}

// beginsAsGoesOn reports whether the goroutine does the same where the loop begins as where an
// iteration is over, if the variables have the same values.
func (h *heading) beginsAsGoesOn() bool {
	switch s := h.loop.(type) {
	case *ast.ForStmt:
		return s.Init == nil && s.Post == nil && !h.polls.loops[s]
	case *ast.RangeStmt:
		e := ast.Unparen(s.X)
		for { // what is accessed to find the channel is told
			sel, ok := e.(*ast.SelectorExpr)
			if !ok {
				break
			}
			e = ast.Unparen(sel.X)
		}
		_, is := e.(*ast.Ident)
		return is && h.overChan()
	}
	return false
}

// counts reports whether the loop goes by a number that the program need not have: of an element,
// or of an iteration.
func (h *heading) counts() bool { return h.over != nil && !h.overChan() }

func (h *heading) overChan() bool {
	_, is := h.over.(*types.Chan)
	return is
}

// operates reports whether an iteration may contain an operation on what goroutines share: a
// communication, or a call.
func (h *heading) operates() (does bool) {
	does = h.overChan()
	ast.Inspect(h.loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			does = does || h.builtin(n.Fun) == "" && !h.info.Types[n.Fun].IsType()
		case *ast.SendStmt, *ast.SelectStmt, *ast.GoStmt:
			does = true
		case *ast.UnaryExpr:
			does = does || n.Op == token.ARROW
		}
		return !does
	})
	return does
}

// assignments finds what the loop assigns. It reports whether all of that can be told.
func (h *heading) assignments() (ok bool) {
	ok = true
	assigned := func(e ast.Expr, define bool) {
		if e == nil {
			return
		}
		if id, isID := e.(*ast.Ident); isID && (id.Name == "_" || define && h.info.Defs[id] != nil) {
			return
		}
		v := rootVar(h.info, e)
		if v == nil || v.IsField() || h.told[v] || h.shared.has(v) || h.polls.counts[v] ||
			h.body.Lbrace < v.Pos() && v.Pos() < h.body.Rbrace {
			return
		}
		h.told[v] = true
		h.vars = append(h.vars, v)
		ok = ok && digestOf(v, "") != ""
	}
	ast.Inspect(h.loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.IncDecStmt:
			assigned(n.X, false)
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				assigned(l, n.Tok == token.DEFINE)
			}
		case *ast.RangeStmt:
			assigned(n.Key, n.Tok == token.DEFINE)
			assigned(n.Value, n.Tok == token.DEFINE)
		}
		return true
	})
	return ok
}

// visible reports whether the names of what is told mean at a place what they mean at the loop.
func (h *heading) visible(pos token.Pos) bool {
	scope := h.pkg.Scope().Innermost(pos)
	if scope == nil {
		return false
	}
	if _, is := scope.LookupParent("nil", pos); is != types.Universe.Lookup("nil") {
		return false
	}
	for _, v := range h.vars {
		if _, is := scope.LookupParent(v.Name(), pos); is != v {
			return false
		}
	}
	return true
}

// digestOf returns the call that adds a variable to a digest; "" if there is none.
func digestOf(v *types.Var, digest string) string {
	if _, ok := types.Unalias(v.Type()).(*types.TypeParam); ok {
		return ""
	}
	add := ""
	switch t := v.Type().Underlying().(type) {
	case *types.Basic:
		switch info := t.Info(); {
		case info&types.IsInteger != 0:
			add = "HI"
		case info&types.IsBoolean != 0:
			add = "HB"
		case info&types.IsFloat != 0:
			add = "HF"
		case info&types.IsString != 0:
			add = "HS"
		case t.Kind() == types.UnsafePointer:
			return nilDigest(v, digest)
		default:
			return ""
		}
	case *types.Pointer, *types.Chan, *types.Map, *types.Slice, *types.Signature, *types.Interface:
		return nilDigest(v, digest)
	default:
		return ""
	}
	return "_hd." + add + "(" + digest + ", " + v.Name() + ")"
}

func nilDigest(v *types.Var, digest string) string {
	return "_hd.HN(" + digest + ", " + v.Name() + " == nil)"
}
