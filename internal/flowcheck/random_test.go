package flowcheck

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"heddle/trace"
)

var (
	randomPrograms = flag.Int("programs", 12, "random programs whose data flow is compared with what changes when an input does")
	randomSeed     = flag.Uint64("seed", 1, "of the random programs")
)

const inputs = "abcdef"

// TestRandomPrograms compares recorded with observed dependencies. Each random program is run
// plainly, and again with one input changed. The first branch with another outcome must be
// recorded to depend on that input. So must a written value that differs while all branches have
// the same outcomes.
func TestRandomPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	w := &writer{r: rand.New(rand.NewPCG(*randomSeed, 0x666c6f77))}
	dir, err := plainly(t, "random", w.file(*randomPrograms), "TestObserve")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "observed.json"))
	if err != nil {
		t.Fatal(err)
	}
	var observed [][]observation
	if err := json.Unmarshal(data, &observed); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	p, err := Build(ctx, dir, true)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for n, o := range observed {
		test := fmt.Sprintf("TestProgram%d", n)
		tr := execute(t, p, test)
		seen += w.compare(t, test, o, p.sources(tr))
		if t.Failed() {
			kept := filepath.Join(os.TempDir(), "flowcheck-random_test.go.txt")
			os.WriteFile(kept, []byte(w.text.String()), 0o666)
			t.Fatalf("the programs are in %s", kept)
		}
	}
	if seen < 5*len(observed) {
		t.Errorf("only %d dependencies were observed in %d programs", seen, len(observed))
	}
	t.Logf("%d dependencies observed in %d programs", seen, len(observed))
}

// sources is Found, with the sources of a received value in place of the receive.
func (p *Program) sources(t *trace.Trace) map[string][]string {
	found := map[string][]string{}
	r := t.Flow.Reader()
	for i := range t.Events {
		row, ok := p.res.Sites.Lookup(t.Events[i].Site)
		if !ok {
			continue
		}
		line := fmt.Sprintf("%s:%d", filepath.Base(row.File), row.Line)
		seen := map[int32]bool{}
		for work := []int32{int32(i)}; len(work) > 0; work = work[1:] {
			deps, all := r.Deps(int(work[0]))
			if all {
				found[line] = add(found[line], "everything")
			}
			for _, d := range slices.Clone(deps) {
				e := &t.Events[d]
				if e.Op == trace.OpRecv && e.Partner >= 0 && !seen[e.Partner] {
					seen[e.Partner] = true
					work = append(work, e.Partner)
				}
				found[line] = add(found[line], p.name(e))
			}
		}
	}
	return found
}

// plainly writes a module with one file of tests and runs one of them with go test. It returns the
// module's folder. The error has the output.
func plainly(t *testing.T, name, text, test string) (dir string, err error) {
	t.Helper()
	t.Setenv("GOWORK", "off")
	dir = t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/"+name+"\n\ngo 1.26\n")
	write(t, filepath.Join(dir, name+"_test.go"), text)
	cmd := exec.Command("go", "test", "-run=^"+test+"$", ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return dir, fmt.Errorf("%w\n%s", err, out)
	}
	return dir, nil
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// An observation is one run: the changed input ("" for none), the outcomes of the branches, and
// the written outputs.
type observation struct {
	Input string
	Path  [][2]int // branch, outcome
	Out   []int
}

// compare returns the number of observed dependencies and checks that all of them were recorded.
func (w *writer) compare(t *testing.T, test string, runs []observation, found map[string][]string) (n int) {
	plain := runs[0]
	for _, r := range runs[1:] {
		differs := -1
		for i := range plain.Path {
			if i >= len(r.Path) || r.Path[i] != plain.Path[i] {
				differs = i
				break
			}
		}
		if differs >= 0 {
			n++
			w.depends(t, test, found, w.branches[plain.Path[differs][0]], r.Input)
			continue
		}
		for i := range plain.Out {
			if r.Out[i] != plain.Out[i] {
				n++
				w.depends(t, test, found, w.outs[test][i], r.Input)
			}
		}
	}
	return n
}

func (w *writer) depends(t *testing.T, test string, found map[string][]string, line int, input string) {
	t.Helper()
	key := fmt.Sprintf("random_test.go:%d", line)
	if !slices.Contains(found[key], input) && !slices.Contains(found[key], "everything") {
		t.Errorf("%s: %s depends on %s, and it was recorded to depend on %v:\n%s", test, key, input,
			found[key], w.lines[line-1])
	}
}

// A writer writes random programs: straight lines, branches and loops over locals, arrays,
// structs, slices, maps, pointers, closures, calls, interfaces, channels.
type writer struct {
	r        *rand.Rand
	text     strings.Builder
	lines    []string
	branches []int            // by branch: its line
	outs     map[string][]int // by test: the lines of its outputs
	depth    int
}

func (w *writer) say(format string, args ...any) {
	s := strings.Repeat("\t", w.depth) + fmt.Sprintf(format, args...)
	w.lines = append(w.lines, s)
	w.text.WriteString(s + "\n")
}

const prelude = `package random

import (
	"encoding/json"
	"os"
	"strconv"
	"testing"
)

var in struct{ a, b, c, d, e, f, o0, o1, o2, o3 int }

var path [][2]int

func cond(n int, c bool) bool {
	k := 0
	if c {
		k = 1
	}
	path = append(path, [2]int{n, k})
	return c
}

type pair struct{ x, y int }

func (p pair) sum() int      { return p.x + p.y }
func (p *pair) set(v int)    { p.y = v }
func mix(x, y int) int       { return 3*x - y }
func two(x, y int) (int, int) { return y, x + 1 }
func grow(s []int, v int) []int { return append(s, v) }
func text(x int) int         { n, _ := strconv.Atoi(strconv.Itoa(x % 1000)); return n }
func first[T any](x, y T) T  { return x }
func later(x int) (r int)    { defer func() { r += x }(); return x * 2 }

type valuer interface{ sum() int }

func reset() { in.a, in.b, in.c, in.d, in.e, in.f = 3, 5, 7, 11, 13, 17; path = nil }

type observation struct {
	Input string
	Path  [][2]int
	Out   []int
}

func observe(program func()) (all []observation) {
	fields := []*int{&in.a, &in.b, &in.c, &in.d, &in.e, &in.f}
	for i := -1; i < len(fields); i++ {
		for _, d := range []int{1, -6, 40} {
			reset()
			o := observation{}
			if i >= 0 {
				*fields[i] += d
				o.Input = "abcdef"[i : i+1]
			}
			program()
			o.Path, o.Out = path, []int{in.o0, in.o1, in.o2, in.o3}
			all = append(all, o)
			if i < 0 {
				break
			}
		}
	}
	return all
}
`

func (w *writer) file(n int) string {
	w.outs = map[string][]int{}
	w.lines = append(w.lines, strings.Split(strings.TrimSuffix(prelude, "\n"), "\n")...)
	w.text.WriteString(prelude)
	for i := range n {
		w.program(i)
	}
	w.say("func TestObserve(t *testing.T) {")
	w.say("	var all [][]observation")
	for i := range n {
		w.say("	all = append(all, observe(program%d))", i)
	}
	w.say("	data, _ := json.Marshal(all)")
	w.say("	if err := os.WriteFile(\"observed.json\", data, 0o666); err != nil {")
	w.say("		t.Fatal(err)")
	w.say("	}")
	w.say("}")
	return w.text.String()
}

func (w *writer) program(n int) {
	test := fmt.Sprintf("TestProgram%d", n)
	w.say("func %s(t *testing.T) {", test)
	w.say("	reset()")
	w.say("	program%d()", n)
	w.say("}")
	w.say("func program%d() {", n)
	w.depth++
	w.say("v0, v1, v2, v3 := 1, 2, 3, 4")
	w.say("arr, sl, m, s := [4]int{}, []int{1, 2}, map[int]int{}, pair{1, 2}")
	w.say("p, f, c := &v3, func(x int) int { return x + v0 }, make(chan int, 4)")
	w.say("var iface valuer = s")
	w.say("_, _, _, _, _, _, _, _, _, _, _, _ = v0, v1, v2, v3, arr, sl, m, s, p, f, c, iface")
	w.block(4 + w.r.IntN(12))
	for i := range 4 {
		w.say("in.o%d = %s", i, w.expr(2))
		w.outs[test] = append(w.outs[test], len(w.lines))
	}
	w.depth--
	w.say("}")
}

func (w *writer) block(n int) {
	for range n {
		w.statement()
	}
}

// condition returns the condition of a branch on the next line.
func (w *writer) condition(c string) string {
	w.branches = append(w.branches, len(w.lines)+1)
	return fmt.Sprintf("cond(%d, %s)", len(w.branches)-1, c)
}

func (w *writer) statement() {
	e := func() string { return w.expr(2) }
	v := func() string { return "v" + strconv.Itoa(w.r.IntN(4)) }
	switch w.r.IntN(19) {
	case 0, 1, 2:
		w.say("%s = %s", v(), e())
	case 3:
		w.say("%s += %s", v(), e())
	case 4:
		w.say("arr[(%s)&3] = %s", e(), e())
	case 5:
		w.say("s.%s = %s", []string{"x", "y"}[w.r.IntN(2)], e())
	case 6:
		w.say("sl = grow(sl, %s)", e())
	case 7:
		w.say("m[(%s)&3] = %s", e(), e())
	case 8:
		w.say("*p = %s", e())
	case 9:
		w.say("p = &%s", v())
	case 10:
		w.say("%s, %s = two(%s, %s)", "v0", "v1", e(), e())
	case 11:
		k := v()
		w.say("f = func(x int) int { %s++; return x*2 + %s }", k, k)
	case 12:
		w.say("c <- %s", e())
		w.say("%s = <-c", v())
	case 13:
		w.say("s.set(%s)", e())
		w.say("iface = s")
	case 14:
		k := e()
		w.say("go func() { c <- %s }()", k)
		w.say("%s = <-c", v())
	case 15:
		w.say("sl[(%s)&1] = %s", e(), e())
	default:
		if w.depth > 3 {
			w.say("%s = %s", v(), e())
			return
		}
		w.nested(e)
	}
}

func (w *writer) nested(e func() string) {
	switch w.r.IntN(4) {
	case 0:
		w.say("for i := 0; %s; i++ {", w.condition(fmt.Sprintf("i < 1+(%s)&3", e())))
	case 1:
		w.say("for _, x := range arr[:2] {")
		w.depth++
		w.say("v%d += x", w.r.IntN(4))
		w.depth--
	default:
		w.say("if %s {", w.condition(fmt.Sprintf("(%s)&7 > %d", e(), w.r.IntN(6))))
	}
	w.depth++
	w.block(1 + w.r.IntN(3))
	w.depth--
	w.say("}")
}

func (w *writer) expr(depth int) string {
	if depth == 0 || w.r.IntN(4) == 0 {
		switch w.r.IntN(5) {
		case 0:
			return strconv.Itoa(w.r.IntN(20))
		case 1, 2:
			return "in." + string(inputs[w.r.IntN(len(inputs))])
		default:
			return "v" + strconv.Itoa(w.r.IntN(4))
		}
	}
	x, y := w.expr(depth-1), w.expr(depth-1)
	switch w.r.IntN(17) {
	case 0, 1, 2:
		return fmt.Sprintf("(%s %s %s)", x, []string{"+", "-", "*", "^", "&", "|"}[w.r.IntN(6)], y)
	case 3:
		return fmt.Sprintf("arr[(%s)&3]", x)
	case 4:
		return "s.x + s.y"
	case 5:
		return fmt.Sprintf("sl[(%s)&1]", x)
	case 6:
		return fmt.Sprintf("m[(%s)&3]", x)
	case 7:
		return "*p"
	case 8:
		return fmt.Sprintf("mix(%s, %s)", x, y)
	case 9:
		return fmt.Sprintf("f(%s)", x)
	case 10:
		return "iface.sum()"
	case 11:
		return fmt.Sprintf("any(%s).(int)", x)
	case 12:
		return fmt.Sprintf("text(%s)", x)
	case 13:
		return fmt.Sprintf("first(%s, %s)", x, y)
	case 14:
		return fmt.Sprintf("later(%s)", x)
	case 15:
		return fmt.Sprintf("pair{%s, %s}.sum()", x, y)
	default:
		return "len(sl)"
	}
}
