package symbolic

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"

	"heddle/order/sat"
)

// Z3 is the Backend that uses the z3 in PATH, over a pipe, in SMT-LIB.
type Z3 struct {
	mu  sync.Mutex // of what is written and read for one question
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// NewZ3 starts z3. If there is none, the error says what to do.
func NewZ3() (*Z3, error) {
	path, err := exec.LookPath("z3")
	if err != nil {
		return nil, errors.New("-solver z3: there is no z3 in PATH; install it (package z3 of most distributions), or leave -solver out: heddle's own needs nothing")
	}
	z := &Z3{cmd: exec.Command(path, "-in")}
	if z.in, err = z.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := z.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	z.out = bufio.NewReader(out)
	return z, z.cmd.Start()
}

// Close stops z3.
func (z *Z3) Close() error {
	z.in.Close()
	return z.cmd.Wait()
}

// Solve implements Backend. It ignores near, and names no conditions that exclude each other.
func (z *Z3) Solve(t *Table, conditions []Term, near Model, limit Limit) (Status, Model, []Term,
	error) {
	z.mu.Lock()
	defer z.mu.Unlock()
	var vars []Term
	t.Variables(conditions, func(x Term) { vars = append(vars, x) })
	text := fmt.Sprintf("(reset)\n(set-option :timeout %d)\n", max(1, limit.Time.Milliseconds())) +
		t.SMT(conditions) + "(check-sat)\n"
	if _, err := io.WriteString(z.in, text); err != nil {
		return sat.Unknown, nil, nil, fmt.Errorf("z3: %w", err)
	}
	line, err := z.line()
	if err != nil {
		return sat.Unknown, nil, nil, err
	}
	switch line {
	case "unsat":
		return sat.Unsat, nil, nil, nil
	case "unknown", "timeout":
		return sat.Unknown, nil, nil, nil
	case "sat":
	default:
		return sat.Unknown, nil, nil, fmt.Errorf("z3: %s", line)
	}
	m := Model{}
	for _, x := range vars { // one at a time: each answer is one line
		if _, err := fmt.Fprintf(z.in, "(get-value (v%d))\n", t.nodes[x].v); err != nil {
			return sat.Unknown, nil, nil, fmt.Errorf("z3: %w", err)
		}
		line, err := z.line()
		if err != nil {
			return sat.Unknown, nil, nil, err
		}
		if m[x], err = smtValue(line); err != nil {
			return sat.Unknown, nil, nil, err
		}
	}
	if !t.Holds(conditions, over(near, m)) { // a function of floats that z3 does not know
		return sat.Unknown, nil, nil, nil
	}
	return sat.Sat, m, nil, nil
}

func (z *Z3) line() (string, error) {
	line, err := z.out.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("z3: %w", err)
	}
	return strings.TrimSpace(line), nil
}

// smtValue parses ((v3 #x0f)) and ((v3 #b101)).
func smtValue(line string) (uint64, error) {
	digits, base := "", 16
	if _, hex, ok := strings.Cut(line, "#x"); ok {
		digits = hex
	} else if _, bin, ok := strings.Cut(line, "#b"); ok {
		digits, base = bin, 2
	}
	v, err := strconv.ParseUint(strings.TrimRight(digits, ")"), base, 64)
	if err != nil {
		return 0, fmt.Errorf("z3: no value in %q", line)
	}
	return v, nil
}

var smtNames = [FFunc + 1]string{
	Add: "bvadd", Sub: "bvsub", Mul: "bvmul", UDiv: "bvudiv", URem: "bvurem", SDiv: "bvsdiv", SRem: "bvsrem",
	And: "bvand", Or: "bvor", Xor: "bvxor", Not: "bvnot", Shl: "bvshl", LShr: "bvlshr", AShr: "bvashr",
	ULt: "bvult", SLt: "bvslt",
}

// SMT returns declarations and assertions in SMT-LIB for all conditions.
func (t *Table) SMT(conditions []Term) string {
	var b strings.Builder
	t.walk(conditions, t.nothing(), func(x Term) {
		n := &t.nodes[x]
		switch n.op {
		case OpVar:
			fmt.Fprintf(&b, "(declare-const v%d (_ BitVec %d)) ; %s\n", n.v, n.w,
				strings.ReplaceAll(t.names[n.v], "\n", " "))
			return
		case OpConst:
			return
		}
		if n.op >= FAdd {
			t.smtFloat(&b, x, n)
			return
		}
		fmt.Fprintf(&b, "(define-fun t%d () (_ BitVec %d) %s)\n", x, n.w, t.smt(n))
	})
	for _, c := range conditions {
		fmt.Fprintf(&b, "(assert (= %s #b1))\n", t.smtName(c))
	}
	return b.String()
}

// smtFloats are the operators in SMT-LIB's theory of floating-point numbers.
var smtFloats = map[Op]string{
	FAdd: "fp.add RNE", FMul: "fp.mul RNE", FDiv: "fp.div RNE", FSqrt: "fp.sqrt RNE",
	FFloor: "fp.roundToIntegral RTN", FCeil: "fp.roundToIntegral RTP", FTrunc: "fp.roundToIntegral RTZ",
	FRound: "fp.roundToIntegral RNA", FEven: "fp.roundToIntegral RNE",
	FEq: "fp.eq", FLt: "fp.lt", FLe: "fp.leq",
}

// smtFloat declares x, an operator of floats. There is no function that gives the bits of a float,
// so they are some whose float is the result.
func (t *Table) smtFloat(b *strings.Builder, x Term, n *node) {
	to := func(w int) string {
		f := formatOf(w)
		return fmt.Sprintf("(_ to_fp %d %d)", f.e, f.p)
	}
	of := func(x Term) string { return "(" + to(t.Width(x)) + " " + t.smtName(x) + ")" }
	text := ""
	switch n.op {
	case FEq, FLt, FLe:
		fmt.Fprintf(b, "(define-fun t%d () (_ BitVec 1) (ite (%s %s %s) #b1 #b0))\n", x, smtFloats[n.op],
			of(n.a), of(n.b))
		return
	case FToInt:
		fmt.Fprintf(b, "(define-fun t%d () (_ BitVec %d) ((_ extract %d 0) ((_ fp.to_sbv %d) RTZ %s)))\n",
			x, n.w, n.w-1, n.w+1, of(n.a))
		return
	case FConv:
		text = fmt.Sprintf("(%s RNE %s)", to(int(n.w)), of(n.a))
	case FOfS:
		text = fmt.Sprintf("(%s RNE %s)", to(int(n.w)), t.smtName(n.a))
	case FOfU:
		text = fmt.Sprintf("((_ to_fp_unsigned %d %d) RNE %s)", formatOf(int(n.w)).e, formatOf(int(n.w)).p,
			t.smtName(n.a))
	case FFunc: // whatever it is
	case FAdd, FMul, FDiv:
		text = "(" + smtFloats[n.op] + " " + of(n.a) + " " + of(n.b) + ")"
	default:
		text = "(" + smtFloats[n.op] + " " + of(n.a) + ")"
	}
	fmt.Fprintf(b, "(declare-const t%d (_ BitVec %d))\n", x, n.w)
	if text != "" {
		fmt.Fprintf(b, "(assert (= (%s t%d) %s))\n", to(int(n.w)), x, text)
	}
}

// smtName returns how other terms refer to x.
func (t *Table) smtName(x Term) string {
	switch n := &t.nodes[x]; n.op {
	case OpVar:
		return fmt.Sprintf("v%d", n.v)
	case OpConst:
		return fmt.Sprintf("(_ bv%d %d)", n.v, n.w)
	}
	return fmt.Sprintf("t%d", x)
}

func (t *Table) smt(n *node) string {
	a := t.smtName(n.a)
	switch n.op {
	case Not:
		return "(bvnot " + a + ")"
	case Eq:
		return "(ite (= " + a + " " + t.smtName(n.b) + ") #b1 #b0)"
	case ULt, SLt:
		return "(ite (" + smtNames[n.op] + " " + a + " " + t.smtName(n.b) + ") #b1 #b0)"
	case Ite:
		return "(ite (= " + a + " #b1) " + t.smtName(n.b) + " " + t.smtName(n.c) + ")"
	case ZExt:
		return fmt.Sprintf("((_ zero_extend %d) %s)", n.w-t.nodes[n.a].w, a)
	case SExt:
		return fmt.Sprintf("((_ sign_extend %d) %s)", n.w-t.nodes[n.a].w, a)
	case Trunc:
		return fmt.Sprintf("((_ extract %d 0) %s)", n.w-1, a)
	}
	return "(" + smtNames[n.op] + " " + a + " " + t.smtName(n.b) + ")"
}
