package symbolic

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"heddle/order/sat"
)

// Kept is a Backend that writes every question that another one answers to a file of its own, in
// SMT-LIB 2, up to mostKept. The first line has the answer and how long it took; go run ./bench
// -solvers asks other solvers the same.
type Kept struct {
	Backend
	Dir string // exists
	n   atomic.Int64
}

const mostKept = 5000

// KeptLine is the form of the first line: status, nanoseconds.
const KeptLine = "; heddle: %s in %d ns\n"

// Solve implements Backend. That a file cannot be written is an error.
func (k *Kept) Solve(t *Table, conditions []Term, near Model, limit Limit) (Status, Model, []Term, error) {
	began := time.Now()
	status, m, core, err := k.Backend.Solve(t, conditions, near, limit)
	took := time.Since(began)
	n := k.n.Add(1)
	if err != nil || n > mostKept {
		return status, m, core, err
	}
	var b strings.Builder
	said := [...]string{sat.Unknown: "unknown", sat.Sat: "sat", sat.Unsat: "unsat"}[status]
	fmt.Fprintf(&b, KeptLine, said, took.Nanoseconds())
	text := t.SMT(conditions)
	logic := "QF_BV"
	if strings.Contains(text, "to_fp") {
		logic = "QF_BVFP"
	}
	b.WriteString("(set-logic " + logic + ")\n" + text)
	b.WriteString("(check-sat)\n")
	name := filepath.Join(k.Dir, fmt.Sprintf("%d-%05d.smt2", os.Getpid(), n))
	return status, m, core, os.WriteFile(name, []byte(b.String()), 0o666)
}
