//lint:file-ignore U1000 what is not used here is used by the tests that this text becomes part of

package forced

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A forcedStop is where a goroutine stops, so that others go on: before a statement or after it,
// when it is reached for the n-th time (Arrival). The statement is found by its function, its text
// and its number among equal ones there (Nth).
//
// The order has parts, in each of which one goroutine runs: where it stops, part Over is over, and
// it waits until all parts before Turn are; 0: none. Or it sleeps for some milliseconds.
type forcedStop struct {
	File, Function, Statement string
	Nth, Arrival              int
	After                     bool
	Over, Turn, Millis        int
}

// forcedPlan is a test with its stops.
type forcedPlan struct {
	Test  string
	Stops []forcedStop
	Leaks bool // it fails if a goroutine is left blocked
}

// forcedRun runs the test of a plan on copies of the package's files that have the stops. A stop
// whose statement is gone is left out.
func forcedRun(t *testing.T, plan forcedPlan) {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	files, missing, err := forcedFiles(dir, plan)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range missing {
		t.Logf("%s has no statement %q any more: no goroutine stops there", s.Function, s.Statement)
	}
	tmp := t.TempDir()
	replace := map[string]string{}
	for name, text := range files {
		at := filepath.Join(tmp, name+".txt")
		if err := os.WriteFile(at, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(dir, name)] = at
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(tmp, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o666); err != nil {
		t.Fatal(err)
	}
	run := "^" + plan.Test + "$"
	if plan.Leaks {
		run = "^TestForcedLeaks$"
	}
	cmd := exec.Command("go", "test", "-overlay="+list, "-run="+run, "-count=1", "-cpu=1", "-timeout=5s",
		"-vet=off", ".")
	out, err := cmd.CombinedOutput()
	switch {
	case err == nil:
	case strings.Contains(string(out), "[build failed]") || strings.Contains(string(out), "[setup failed]"):
		t.Skipf("the copies with the stops do not compile:\n%s", out)
	default:
		t.Errorf("%s fails in the order of the clip:\n%s", plan.Test, out)
	}
}

// forcedFiles returns the files of a package that the stops change or need, and the stops whose
// statement is gone.
func forcedFiles(dir string, plan forcedPlan) (files map[string]string, missing []forcedStop, err error) {
	files = map[string]string{}
	inserts := map[string]map[int]string{}
	type place struct {
		file   string
		offset int
	}
	sites, table, gone, parts := map[place]int{}, []string{}, []string{}, 0
	for _, s := range plan.Stops {
		parts = max(parts, s.Over, s.Turn)
		st := forcedFind(dir, s)
		if st == nil {
			if s.File != "" {
				missing = append(missing, s)
			}
			if s.Over > 0 { // no goroutine waits for it
				gone = append(gone, fmt.Sprint(s.Over))
			}
			continue
		}
		at, text := place{s.File, st.Offset}, "forcedAt(%d); "
		if s.After {
			at.offset, text = st.End, "; forcedAt(%d)"
		}
		site, ok := sites[at]
		if !ok {
			site = len(table)
			sites[at], table = site, append(table, "")
			if inserts[s.File] == nil {
				inserts[s.File] = map[int]string{}
			}
			inserts[s.File][at.offset] += fmt.Sprintf(text, site)
		}
		table[site] += fmt.Sprintf("{%d, %d, %d, %d}, ", s.Arrival, s.Over, s.Turn, s.Millis)
	}
	for name, at := range inserts {
		src, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, nil, err
		}
		text, pkg := string(src), forcedPackage(src)
		for _, offset := range slices.Backward(forcedKeys(at)) {
			text = text[:offset] + at[offset] + text[offset:]
		}
		files[name] = text
		stops := "zz_forced_stops.go"
		if strings.HasSuffix(pkg, "_test") {
			stops = "zz_forced_stops_test.go"
		}
		files[stops] = fmt.Sprintf(forcedStopText, pkg, "{"+strings.Join(table, "},\n\t{")+"},", len(table),
			parts+1, strings.Join(gone, ", "))
	}
	if plan.Leaks {
		pkg, err := forcedTestPackage(dir, plan.Test)
		if err != nil {
			return nil, nil, err
		}
		files["zz_forced_leaks_test.go"] = fmt.Sprintf(forcedLeaksText, pkg, plan.Test)
	}
	return files, missing, nil
}

// forcedFind returns the statement of a stop, nil if it is gone.
func forcedFind(dir string, s forcedStop) *forcedStatement {
	src, err := os.ReadFile(filepath.Join(dir, s.File))
	if err != nil {
		return nil
	}
	for _, st := range forcedStatements(src) {
		if st.Function == s.Function && st.Text == s.Statement && st.Nth == s.Nth {
			return &st
		}
	}
	return nil
}

// forcedStopText is a file with what stops goroutines. Where no goroutine gets on for a second, the
// code has another order now, and all goroutines go on.
const forcedStopText = `package %s

import (
	"sync"
	"sync/atomic"
	"time"
)

// by place: the arrival, the part of the order that is over, the part that begins, milliseconds
var forcedStops = [][][4]int{
	%s
}

var (
	forcedArrivals [%d]atomic.Int64
	forcedParts    [%d]chan bool // closed when the part is over
	forcedMoves    atomic.Int64
	forcedWaiting  atomic.Int64
	forcedMu       sync.Mutex
)

func init() {
	for i := range forcedParts {
		forcedParts[i] = make(chan bool)
	}
	for _, part := range []int{%s} {
		forcedOver(part)
	}
	forcedWatch(-1)
}

func forcedOver(part int) {
	forcedMu.Lock()
	defer forcedMu.Unlock()
	select {
	case <-forcedParts[part]:
	default:
		close(forcedParts[part])
	}
}

func forcedWatch(moves int64) {
	now := forcedMoves.Load()
	if now == moves && forcedWaiting.Load() > 0 {
		for part := range forcedParts {
			forcedOver(part)
		}
		return
	}
	time.AfterFunc(time.Second, func() { forcedWatch(now) })
}

func forcedAt(place int) {
	arrival := forcedArrivals[place].Add(1)
	for _, do := range forcedStops[place] {
		if int64(do[0]) != arrival {
			continue
		}
		forcedMoves.Add(1)
		forcedOver(do[1])
		forcedWaiting.Add(1)
		for part := 1; part < do[2]; part++ {
			<-forcedParts[part]
		}
		forcedWaiting.Add(-1)
		forcedMoves.Add(1)
		time.Sleep(time.Duration(do[3]) * time.Millisecond)
	}
}
`

// forcedLeaksText is a file with a test that fails if another one leaves goroutines behind.
const forcedLeaksText = `package %s

import (
	"runtime"
	"testing"
	"time"
)

func TestForcedLeaks(t *testing.T) {
	before := runtime.NumGoroutine()
	%s(t)
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	stacks := make([]byte, 1<<16)
	t.Errorf("a goroutine is left behind:\n%%s", stacks[:runtime.Stack(stacks, true)])
}
`

// A forcedStatement is a statement of a file.
type forcedStatement struct {
	Function, Text string
	Nth            int // among those with that text in the function, from 1
	Offset, End    int
	First, Last    int  // lines
	Literal        int  // line on which the function literal that it is in begins, 0: it is in none
	Deferred       bool // it is a defer statement
	Simple         bool // another statement can be put after it
}

// forcedStatements returns the statements of a file before which another can be put, the inner ones
// after those around them.
func forcedStatements(src []byte) (all []forcedStatement) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "x.go", src, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	offset := func(p token.Pos) int { return fset.Position(p).Offset }
	for _, d := range file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		name := fn.Name.Name
		if fn.Recv != nil && len(fn.Recv.List) > 0 {
			t := fn.Recv.List[0].Type
			name = string(src[offset(t.Pos()):offset(t.End())]) + "." + name
		}
		equal := map[string]int{}
		add := func(list []ast.Stmt, literal int) {
			for _, s := range list {
				end := s.End()
				switch x := s.(type) {
				case *ast.LabeledStmt, *ast.EmptyStmt, *ast.CaseClause, *ast.CommClause:
					continue
				case *ast.IfStmt:
					end = x.Body.Lbrace
				case *ast.ForStmt:
					end = x.Body.Lbrace
				case *ast.RangeStmt:
					end = x.Body.Lbrace
				case *ast.SwitchStmt:
					end = x.Body.Lbrace
				case *ast.SelectStmt:
					end = x.Body.Lbrace
				}
				deferred, simple := false, false
				switch s.(type) {
				case *ast.DeferStmt:
					deferred = true
				case *ast.ExprStmt, *ast.SendStmt, *ast.IncDecStmt, *ast.AssignStmt, *ast.GoStmt:
					simple = true
				}
				text := strings.Join(strings.Fields(string(src[offset(s.Pos()):offset(end)])), " ")
				equal[text]++
				all = append(all, forcedStatement{name, text, equal[text], offset(s.Pos()), offset(s.End()),
					fset.Position(s.Pos()).Line, fset.Position(s.End()).Line, literal, deferred, simple})
			}
		}
		var open []ast.Node // around the node that is looked at
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			if n == nil {
				open = open[:len(open)-1]
				return true
			}
			literal := 0
			for _, around := range slices.Backward(open) {
				if f, ok := around.(*ast.FuncLit); ok {
					literal = fset.Position(f.Pos()).Line
					break
				}
			}
			open = append(open, n)
			switch x := n.(type) {
			case *ast.BlockStmt:
				add(x.List, literal)
			case *ast.CaseClause:
				add(x.Body, literal)
			case *ast.CommClause:
				add(x.Body, literal)
			}
			return true
		})
	}
	return all
}

// forcedKeys returns the keys of a map in order.
func forcedKeys(m map[int]string) (keys []int) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// forcedPackage returns the name in the package clause of a file.
func forcedPackage(src []byte) string {
	file, err := parser.ParseFile(token.NewFileSet(), "x.go", src, parser.PackageClauseOnly)
	if err != nil {
		return ""
	}
	return file.Name.Name
}

// forcedTestPackage returns the package of the file that declares a test.
func forcedTestPackage(dir, test string) (string, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err == nil && strings.Contains("\n"+string(src), "\nfunc "+test+"(") {
			return forcedPackage(src), nil
		}
	}
	return "", fmt.Errorf("expected the test %s in %s, found none (%v)", test, dir, err)
}
