package instrument

import (
	"fmt"
	"go/ast"

	"heddle/trace"
)

// mathNames are the functions of package math whose results are expressions: see package flow's
// Math.
var mathNames = map[string]uint8{
	"Sqrt": uint8(trace.MathSqrt), "Floor": uint8(trace.MathFloor), "Ceil": uint8(trace.MathCeil),
	"Trunc": uint8(trace.MathTrunc), "Round": uint8(trace.MathRound),
	"RoundToEven": uint8(trace.MathRoundToEven), "Exp": uint8(trace.MathExp), "Exp2": uint8(trace.MathExp2),
	"Expm1": uint8(trace.MathExpm1), "Log": uint8(trace.MathLog), "Log2": uint8(trace.MathLog2),
	"Log10": uint8(trace.MathLog10), "Log1p": uint8(trace.MathLog1p), "Cbrt": uint8(trace.MathCbrt),
	"Sin": uint8(trace.MathSin), "Cos": uint8(trace.MathCos), "Tan": uint8(trace.MathTan),
	"Asin": uint8(trace.MathAsin), "Acos": uint8(trace.MathAcos), "Atan": uint8(trace.MathAtan),
	"Sinh": uint8(trace.MathSinh), "Cosh": uint8(trace.MathCosh), "Tanh": uint8(trace.MathTanh),

	"Abs": 100, "Copysign": 101, "Signbit": 102, "Float32bits": 103, "Float64bits": 103,
	"Float32frombits": 104, "Float64frombits": 104, "IsNaN": 105, "IsInf": 106, "Max": 107, "Min": 108,
	"Mod": 109, "Pow": 110, "Hypot": 111,
}

// math rewrites a call of one of these functions. It returns false for others.
func (f *flower) math(e *ast.CallExpr) bool {
	fn := f.callee(e.Fun)
	if !f.exprs() || fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "math" {
		return false
	}
	which, ok := mathNames[fn.Name()]
	if !ok || fn.Signature().Params().Len() != len(e.Args) {
		return false
	}
	ls := f.argLabels(e)
	f.slot[e] = "0"
	if f.anyOf(ls...) == "0" {
		return true
	}
	operands, ok := f.operandsOf(e.Args)
	if !ok {
		f.loses(e, ls...)
		return true
	}
	k, _ := numeric(f.info.TypeOf(e))
	to := f.fn.newSlot()
	f.wrap(e, "_hf.Math(", fmt.Sprintf(", %d, %#x, %s, %s, &%s, %s)", which, uint8(k), operands[0],
		operands[1], to, f.branchSite(e.Pos(), e)))
	f.slot[e] = to + ".Get()"
	return true
}
