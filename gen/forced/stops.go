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

// A forcedStop is where a goroutine stops for some milliseconds, so that others go on: before a
// statement, when it is reached for the n-th time (Arrival). The statement is found by its
// function, its text and its number among equal ones there (Nth).
type forcedStop struct {
	File, Function, Statement string
	Nth, Arrival, Millis      int
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
	for i, s := range plan.Stops {
		src, err := os.ReadFile(filepath.Join(dir, s.File))
		if err != nil {
			missing = append(missing, s)
			continue
		}
		found := false
		for _, st := range forcedStatements(src) {
			if st.Function == s.Function && st.Text == s.Statement && st.Nth == s.Nth {
				if inserts[s.File] == nil {
					inserts[s.File] = map[int]string{}
				}
				inserts[s.File][st.Offset] += fmt.Sprintf("forcedStopAt(%d, %d, %d); ", i, s.Arrival,
					s.Millis)
				found = true
			}
		}
		if !found {
			missing = append(missing, s)
		}
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
		files[stops] = fmt.Sprintf(forcedStopText, pkg, len(plan.Stops))
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

// forcedStopText is a file with what stops goroutines.
const forcedStopText = `package %s

import (
	"sync/atomic"
	"time"
)

var forcedArrivals [%d]atomic.Int32

func forcedStopAt(stop int, arrival int32, millis time.Duration) {
	if forcedArrivals[stop].Add(1) == arrival {
		time.Sleep(millis * time.Millisecond)
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
	Offset         int
	First, Last    int // lines
	Deferred       bool
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
		add := func(list []ast.Stmt) {
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
				_, deferred := s.(*ast.DeferStmt)
				text := strings.Join(strings.Fields(string(src[offset(s.Pos()):offset(end)])), " ")
				equal[text]++
				all = append(all, forcedStatement{name, text, equal[text], offset(s.Pos()),
					fset.Position(s.Pos()).Line, fset.Position(s.End()).Line, deferred})
			}
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.BlockStmt:
				add(x.List)
			case *ast.CaseClause:
				add(x.Body)
			case *ast.CommClause:
				add(x.Body)
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
