package instrument

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"heddle/trace"
)

// Operands whose type is a type parameter. Their kind (which number, or string) is known only when
// they are kept at run time.

// generic reports whether t is a type parameter whose type arguments differ in kind.
func generic(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok && core(t) == nil
}

// textual reports whether t is a type parameter that stands for strings and slices of bytes alone.
func textual(t types.Type) bool {
	if !generic(t) {
		return false
	}
	u, ok := t.Underlying().(*types.Interface)
	if !ok || u.NumMethods() > 0 || u.NumEmbeddeds() == 0 {
		return false
	}
	for e := range u.EmbeddedTypes() {
		terms := []*types.Term{types.NewTerm(false, e)}
		if union, ok := e.(*types.Union); ok {
			terms = terms[:0]
			for term := range union.Terms() {
				terms = append(terms, term)
			}
		}
		for _, term := range terms {
			if t := term.Type(); types.IsInterface(t) || !isString(t) && !isBytes(t) {
				return false
			}
		}
	}
	return true
}

// generic2 are the operators that are followed for generic operands, beside comparisons.
var generic2 = map[token.Token]bool{token.ADD: true, token.SUB: true, token.MUL: true, token.AND: true,
	token.OR: true, token.XOR: true, token.AND_NOT: true}

// keepGeneric is keep for an operand whose type is a type parameter.
func (f *flower) keepGeneric(e ast.Expr) (operand string, ok bool) {
	if k, _ := numeric(f.info.TypeOf(e)); k.Float() {
		return "", false // a constant that type inference gives that type
	}
	if v, ok := f.literalNumber(e); ok {
		if c := f.info.Types[e].Value; v>>63 == 1 && (c == nil || constant.Sign(c) > 0) {
			return "", false // as a float it would be another number
		}
		return fmt.Sprintf("_hf.GenericConst(%#x)", v), true
	}
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.CallExpr, *ast.StarExpr:
	case *ast.BinaryExpr: // with a label it is not a constant
		if f.label(x) == "0" {
			return "", false
		}
	default:
		return "", false
	}
	if !f.wrappable(e) {
		return "", false
	}
	v := f.newVal()
	f.wrap(e, "_hf.Generic(", ", "+f.label(e)+", &"+v+")")
	return "&" + v, true
}

// literalNumber returns the value of a constant number that type inference gives another type than
// the type parameter.
func (f *flower) literalNumber(e ast.Expr) (uint64, bool) {
	if v, ok := f.constantOf(e); ok {
		return v, true
	}
	c := constant.Value(nil)
	switch e := ast.Unparen(e).(type) {
	case *ast.BasicLit:
		c = constant.MakeFromLiteral(e.Value, e.Kind, 0)
	case *ast.Ident:
		if k, ok := f.info.Uses[e].(*types.Const); ok {
			c = k.Val()
		}
	}
	if c == nil || c.Kind() != constant.Int {
		return 0, false
	}
	if i, exact := constant.Int64Val(c); exact {
		return uint64(i), true
	}
	return constant.Uint64Val(c)
}

// genericBinary is binary for operands whose type is a type parameter.
func (f *flower) genericBinary(e *ast.BinaryExpr) {
	site := f.branchSite(e.Pos(), e)
	x, ok := "", false
	y, okY := "", false
	_, known := arithmetic[e.Op]
	if !known || generic2[e.Op] {
		if x, ok = f.keepGeneric(e.X); ok {
			y, okY = f.keepGeneric(e.Y)
		}
	}
	switch {
	case !ok || !okY:
		if composed(f.info.TypeOf(e.X)) && composed(f.info.TypeOf(e.Y)) {
			f.content(e.X)
			f.content(e.Y)
		}
		f.loses(e, f.label(e.X), f.label(e.Y))
	case known:
		f.slot[e] = fmt.Sprintf("_hf.Generic2(%d, %s, %s, %s)", arithmetic[e.Op], x, y, site)
	default:
		f.slot[e] = compare(e.Op, true, func(op trace.FlowOp, swap bool) string {
			if swap {
				x, y = y, x
			}
			return fmt.Sprintf("_hf.Generic2(%d, %s, %s, %s)", op, x, y, site)
		})
	}
}

// assignGeneric is assignSymbolic where the type is a type parameter.
func (f *flower) assignGeneric(s ast.Stmt, x changing, op token.Token, v ast.Expr) bool {
	if !generic2[op] {
		return false
	}
	old, site := f.newVal(), f.branchSite(s.Pos(), x.expr)
	start := fmt.Sprintf(", %s = _hf.Generic(%s, %s, &%s) %s ", x.target.name, x.text, x.label, old, op)
	two := func(y string) string {
		return x.right(fmt.Sprintf("_hf.Generic2(%d, &%s, %s, %s)", arithmetic[op], old, y, site))
	}
	if v == nil {
		f.replaceRange(x.expr.End(), s.End(), start+"1, "+two("_hf.GenericConst(1)"))
		return true
	}
	y, ok := f.keepGeneric(v)
	if !ok {
		return false
	}
	f.between(x.expr.End(), v.Pos(), start+"(")
	f.after(s, "), "+two(y))
	return true
}
