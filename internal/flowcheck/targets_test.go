package flowcheck

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heddle/build"
	"heddle/explore/why"
	"heddle/internal/run"
	"heddle/rt/wire"
)

var randomTargets = flag.Int("targets", 24, "random fuzz targets, of which all inputs are tried")

// TestRandomTargets tries all inputs of random fuzz targets plainly. Each target fails for the
// inputs that give its rarest result. If heddle says that all inputs were covered, or that every
// branch on inputs was tried both ways, it must have found one of them.
func TestRandomTargets(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	w := &targets{r: rand.New(rand.NewPCG(*randomSeed, 0x7461726765))}
	dir, err := plainly(t, "targets", w.file(*randomTargets), "TestRarest")
	if err != nil {
		keep(t, w)
		t.Fatal(err)
	}
	ctx := context.Background()
	_, p, err := run.Build(ctx, build.Config{Dir: dir, Flow: true, Exprs: true})
	if err != nil {
		keep(t, w)
		t.Fatal(err)
	}
	for _, strategy := range []string{"unfold", "dpor"} {
		claimed := 0
		found := map[string]bool{}
		c := wire.Config{Mode: "test", Package: p.ImportPath, Strategy: strategy, Flow: true, Fuzz: ".",
			Budget: 2e9, Visible: "auto", Time: "virtual", Isolate: "vars", Count: 1}
		err := run.Binary(ctx, p.Binary, p.Dir, c, []string{"-test.run=^Fuzz"}, func(rec *wire.Record) {
			switch rec.Type {
			case "finding":
				found[rec.Test] = true
			case "end":
				all := rec.Complete || rec.Why.Is(why.AllInputs)
				if all {
					claimed++
				}
				if all && !found[rec.Test] {
					t.Errorf("%s by %s: %s, and an input that fails was not found", rec.Test, strategy,
						rec.Reason)
				}
			}
		})
		if err != nil {
			keep(t, w)
			t.Fatal(err)
		}
		t.Logf("%s: %d of %d targets covered, %d found", strategy, claimed, *randomTargets, len(found))
		if claimed < *randomTargets/8 && *randomTargets >= 24 {
			t.Errorf("%s: only %d targets are covered, so little is compared", strategy, claimed)
		}
	}
	if t.Failed() {
		keep(t, w)
	}
}

// keep stores the programs for inspection.
func keep(t *testing.T, w *targets) {
	kept := filepath.Join(os.TempDir(), "flowcheck-targets_test.go.txt")
	os.WriteFile(kept, []byte(w.text.String()), 0o666)
	t.Logf("the programs are in %s", kept)
}

// targets writes random fuzz targets with few inputs: numbers of eight bits, and texts of at most
// two bytes.
type targets struct {
	r     *rand.Rand
	text  strings.Builder
	depth int
}

const targetsHead = `package targets

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unicode"
)

var _ = math.Sqrt
var _ = fmt.Sprint
var _ = bufio.NewScanner
var _ = bytes.NewReader
var _ = slices.Max[[]int]
var _ = strconv.Itoa
var _ = unicode.IsLetter
var _ sync.Mutex
var _ atomic.Int32
var _ = cmp.Compare[int]

// squares is a table; nobody writes to it.
var squares = [16]int{0, 1, 4, 9, 0, 9, 4, 1, 0, 1, 4, 9, 0, 9, 4, 1}

// marks is written to, and as it was afterwards.
var marks [8]int

type state struct {
	x, y int
	u    string
	b    bool
}

type stack[T any] struct{ xs []T }

func (s *stack[T]) push(x T) { s.xs = append(s.xs, x) }
func (s *stack[T]) pop() (x T) {
	if len(s.xs) > 0 {
		x = s.xs[len(s.xs)-1]
		s.xs = s.xs[:len(s.xs)-1]
	}
	return x
}

func pick[T cmp.Ordered](a, b T) T {
	if a < b {
		return b
	}
	return a
}

type shape interface{ area(n int) int }
type square struct{ k int }
type line struct{}

func (s square) area(n int) int { return s.k*n + 1 }
func (line) area(n int) int     { return n &^ 3 }

// rarest is the result that the fewest inputs have, but at least one.
func rarest(count map[int]int) int {
	best, k := 0, -1
	for r, n := range count {
		if k < 0 || n < k || n == k && r < best {
			best, k = r, n
		}
	}
	return best
}

func wanted(n int) int {
	data, _ := os.ReadFile("rarest")
	for i, s := range strings.Fields(string(data)) {
		if i == n {
			k, _ := strconv.Atoi(s)
			return k
		}
	}
	return -1
}

func text(s string) bool { return len(s) <= 2 }

// texts are the empty text, all of one byte, and of two bytes all that begin so.
func texts(do func(string)) {
	do("")
	for i := range 256 {
		do(string([]byte{byte(i)}))
		for k := range 256 {
			do(string([]byte{byte(i), byte(k)}))
		}
	}
}
`

func (w *targets) f(format string, args ...any) { fmt.Fprintf(&w.text, format, args...) }

func (w *targets) file(n int) string {
	w.f("%s", targetsHead)
	var rarest strings.Builder
	for i := range n {
		params, guard, all := "a int8, b uint8", "true", "for a := range 256 { for b := range 256 { count[program%d(int8(a), uint8(b))]++ } }"
		call := "a, b"
		if w.r.IntN(2) == 0 {
			params, guard, all, call = "s string", "text(s)",
				"texts(func(s string) { count[program%d(s)]++ })", "s"
		}
		w.f("\nfunc program%d(%s) (r int) {\n\tx, y, z, u, v, ok := 1, 2, 3, \"x1\", \"\", false\n", i, params)
		if call == "s" {
			w.f("\tu = s\n\tx = len(s)\n\tif len(s) > 0 { y = int(s[0]) }\n")
		} else {
			w.f("\tx, y = int(a), int(b)\n")
		}
		w.block(3 + w.r.IntN(5))
		w.f("\tif ok { z++ }\n\tif u == %q || v == %q { z += 5 }\n\treturn (x*7 + y*3 + z + len(u) - len(v)) & 31\n}\n", w.word(), w.word())
		w.f("\nfunc FuzzProgram%d(f *testing.F) {\n\tk := wanted(%d)\n\tf.Fuzz(func(t *testing.T, %s) {\n\t\tif %s && program%d(%s) == k { t.Error(k) }\n\t})\n}\n", i, i, params, guard, i, call)
		fmt.Fprintf(&rarest,
			"\t{\n\t\tcount := map[int]int{}\n\t\t"+all+"\n\t\tfmt.Fprintln(&out, rarest(count))\n\t}\n", i)
	}
	w.f("\nfunc TestRarest(t *testing.T) {\n\tvar out bytes.Buffer\n%s\tif err := os.WriteFile(\"rarest\", out.Bytes(), 0o666); err != nil { t.Fatal(err) }\n}\n", rarest.String())
	return w.text.String()
}

func (w *targets) one(of ...string) string { return of[w.r.IntN(len(of))] }
func (w *targets) num() string             { return w.one("x", "y", "z") }
func (w *targets) str() string             { return w.one("u", "u", "v") }
func (w *targets) word() string {
	return w.one("", "a", "x", "A", "7", " ", "ab", "x1", "-5", "é", ":")
}

// expr returns an expression of type int.
func (w *targets) expr() string {
	x, y, c := w.num(), w.num(), w.r.IntN(9)
	switch w.r.IntN(17) {
	case 0:
		return x
	case 14:
		return fmt.Sprintf("int(%s %s %s)", w.float(x), w.one("+", "-", "*"), w.float(y))
	case 15:
		return fmt.Sprintf("int(math.%s(%s))", w.one("Floor", "Ceil", "Trunc", "Round", "RoundToEven", "Abs"),
			w.float(x))
	case 16:
		return w.one(fmt.Sprintf("int(%s(%s, %s))", w.one("min", "max", "math.Min", "math.Max",
			"math.Copysign", "math.Mod", "pick"), w.float(x), w.float(y)),
			fmt.Sprintf("int(math.Float32bits(float32(%s)/3) >> 18)", x),
			fmt.Sprintf("int(math.Sqrt(%s))", w.float(x)))
	case 1:
		return fmt.Sprintf("%s %s %s", x, w.one("+", "-", "*", "&", "|", "^", "&^"), y)
	case 2:
		return fmt.Sprintf("%s %s %d", x, w.one("/", "%"), c+1)
	case 3:
		return fmt.Sprintf("int(%s(%s))", w.one("int8", "uint8", "uint16", "int16"), x)
	case 4:
		return fmt.Sprintf("%s %s %d", x, w.one("<<", ">>"), c)
	case 5:
		return fmt.Sprintf("squares[%s&15]", x)
	case 6:
		return fmt.Sprintf("%s(%s, %s)", w.one("min", "max", "pick[int]", "cmp.Compare"), x,
			w.one(y, fmt.Sprint(c)))
	case 7:
		return fmt.Sprintf("len(%s)", w.str())
	case 8:
		return fmt.Sprintf("strings.%s(%s, %q)", w.one("Index", "LastIndex", "Count"), w.str(),
			w.one("a", "1", "x", "é"))
	case 9:
		return w.one("-", "^") + x
	case 10:
		return fmt.Sprintf("int(%q[%s&3])", w.one("abca", "wxyz", "0110"), x)
	case 11:
		return fmt.Sprintf("%s / (%s&3 + 1)", x, y)
	case 12:
		return fmt.Sprintf("%s << uint(%s&7)", x, y)
	}
	return fmt.Sprint(c)
}

// float returns an expression of type float64 that depends on x.
func (w *targets) float(x string) string {
	x = "float64(" + x + ")"
	switch w.r.IntN(6) {
	case 0:
		return x
	case 1:
		return "-" + x
	case 2:
		return fmt.Sprintf("(%s - %d)/%d", x, w.r.IntN(5), w.r.IntN(3)+2)
	case 3:
		return fmt.Sprintf("%s*%s", x, w.one("0.1", "1.5", "-2", "1e300"))
	case 4:
		return fmt.Sprintf("float64(float32(%s)*%s)", x, w.one("0.1", "3", "1e38"))
	}
	return fmt.Sprintf("%s/float64(%s)", x, w.num())
}

func (w *targets) cond() string {
	switch w.r.IntN(12) {
	case 9:
		return fmt.Sprintf("%s %s %s", w.float(w.num()), w.one("==", "!=", "<", "<=", ">", ">="),
			w.one(w.float(w.num()), "2", "-0.5"))
	case 10:
		return fmt.Sprintf("%s(%s)", w.one("math.IsNaN", "math.Signbit", "!math.IsNaN"), w.float(w.num()))
	case 11:
		return fmt.Sprintf("%smath.IsInf(%s, %s)", w.one("", "!"), w.float(w.num()), w.one("0", "1", "-1"))
	case 0:
		return fmt.Sprintf("strings.%s(%s, %q)", w.one("HasPrefix", "HasSuffix", "Contains", "EqualFold"),
			w.str(), w.word())
	case 1:
		return fmt.Sprintf("%s %s %q", w.str(), w.one("==", "!=", "<", ">="), w.word())
	case 2:
		return fmt.Sprintf("unicode.%s(rune(%s&255))",
			w.one("IsUpper", "IsDigit", "IsSpace", "IsLetter", "IsPunct"), w.num())
	case 3:
		return "ok"
	case 4:
		return fmt.Sprintf("!(%s)", w.one("ok", "x == y", "z > 3"))
	case 5:
		return fmt.Sprintf("%s > 0 && %s < %s", w.num(), w.num(), w.expr())
	case 6:
		return fmt.Sprintf("slices.Contains([]int{1, 7, %s}, %s)", w.num(), w.num())
	}
	return fmt.Sprintf("%s %s %s", w.expr(), w.one("==", "!=", "<", "<=", ">", ">="), w.expr())
}

func (w *targets) block(n int) {
	w.depth++
	for range n {
		w.stmt()
	}
	w.depth--
}

func (w *targets) nested() {
	w.f("{\n")
	w.block(1 + w.r.IntN(2))
	w.f("}")
}

func (w *targets) stmt() {
	x, y, u := w.num(), w.num(), w.str()
	kind := w.r.IntN(34)
	if w.depth > 2 && kind < 6 {
		kind += 6
	}
	switch kind {
	case 0, 1:
		w.f("if %s ", w.cond())
		w.nested()
		if w.r.IntN(2) == 0 {
			w.f(" else ")
			w.nested()
		}
	case 2:
		w.f("switch %s & 3 {\ncase 0, 2:\n", x)
		w.block(1)
		w.f("case 1:\n")
		w.block(1)
		w.f("}")
	case 3:
		w.f("for i := range %s & 3 {\n%s += i\n", x, y)
		w.block(1)
		w.f("}")
	case 4:
		w.f("switch %s {\ncase %q, %q:\n", u, "a", w.word()+"1")
		w.block(1)
		w.f("default:\n")
		w.block(1)
		w.f("}")
	case 5:
		w.f("func() {\ndefer func() { %s++ }()\n", x)
		w.block(1)
		w.f("}()")
	case 6, 7, 8:
		w.f("%s = %s", x, w.expr())
	case 9:
		w.f("%s %s %s", x, w.one("+=", "-=", "^=", "*="), w.expr())
	case 10:
		w.f("ok = %s", w.cond())
	case 11:
		w.f("marks[%s&7] = %s\n%s = marks[%s&7]\nclear(marks[:])", x, w.expr(), y, w.num())
	case 12:
		w.f("{ m := map[int]int{1: 5, 2: 7}\nm[%s&3] = %s\n%s += m[%s&3] }", x, w.expr(), y, w.num())
	case 13:
		w.f("{ m := map[string]int{%q: 5, \"\": 7}\nm[%s] += 3\n%s += m[%s] + len(m) }", w.one("a", "x"), u, y, w.str())
	case 14:
		w.f("%s = %s[:min(len(%s), 1)]", w.one("u", "v"), u, u)
	case 15:
		w.f("%s = strings.%s(%s)", w.one("u", "v"), w.one("ToUpper", "ToLower", "TrimSpace"), u)
	case 16:
		w.f("{ p, q, found := strings.Cut(%s, %q)\nu, v = q, p\nok = ok != found }", u, w.one("a", ":", " "))
	case 17:
		w.f("{ l := strings.%s\n%s += len(l)\nif len(l) > 1 { %s = l[1] } }",
			w.one("Fields("+u+")", "Split("+u+", \"a\")"), x, w.one("u", "v"))
	case 18:
		w.f("for _, r := range %s { %s += int(r) & 63 }", u, x)
	case 19:
		w.f("if n, err := strconv.Atoi(%s); err == nil { %s = n }", u, x)
	case 20:
		w.f("{ var sb strings.Builder\nfor _, r := range %s { if r >= 'a' { sb.WriteRune(r) } else { sb.WriteByte('-') } }\n%s = sb.String() }", u, w.one("u", "v"))
	case 21:
		w.f("{ c := make(chan int, 1)\ngo func() { c <- %s }()\n%s = <-c }", w.expr(), x)
	case 22:
		w.f("{ var n atomic.Int32\nn.Store(int32(%s))\n%s = int(n.Add(3)) }", w.expr(), x)
	case 23:
		w.f("{ s := state{x: %s, u: %s}\ns.y = s.x + 1\np := &s\np.b = p.y > 3\nq := *p\nok = q.b\n%s = q.y\nv = q.u }", w.num(), u, x)
	case 24:
		w.f("{ var st stack[int]\nst.push(%s)\nst.push(%s)\n%s = st.pop() - st.pop() }", w.expr(), w.num(), x)
	case 25:
		w.f("{ var i any = %s\nif ok { i = %s }\nswitch i := i.(type) {\ncase int: %s = i + 1\ncase string: v = i\n} }", w.num(), u, x)
	case 26:
		w.f("{ var sh shape = line{}\nif %s { sh = square{%s} }\n%s = sh.area(%s) }", w.cond(), w.num(), x, w.num())
	case 27:
		w.f("{ l := []int{%s, %s, %s}\nslices.Sort(l)\n%s = l[1] }", w.num(), w.expr(), w.num(), x)
	case 28:
		w.f("{ b := []byte(%s)\nb = append(b, byte(%s), 'z')\nb[0] ^= 1\n%s = string(b[:1]) }", u, x, w.one("u", "v"))
	case 29:
		w.f("{ sc := bufio.NewScanner(strings.NewReader(%s))\nfor sc.Scan() { %s++; v = sc.Text() } }", u, x)
	case 30:
		w.f("{ var buf bytes.Buffer\nbuf.WriteString(%s)\nif c, err := buf.ReadByte(); err == nil { %s = int(c) }\n%s = buf.String() }", u, x, w.one("u", "v"))
	case 31:
		w.f("{ f := map[string]func(int) int{\"a\": func(n int) int { return n + 1 }, \"x\": func(n int) int { return -n }}[%s]\nif f != nil { %s = f(%s) } }", u, x, y)
	case 32:
		w.f("{ l := make([]int, %s&3)\nfor i := range l { l[i] = %s + i }\n%s = len(l)\nif len(l) > 1 { %s += l[1] } }", x, w.num(), w.num(), y)
	case 33:
		w.f("%s = %s + %q", w.one("u", "v"), u, w.one("", "a", "x"))
	}
	w.f("\n")
}
