package gen

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// checkText is added to a test file for a trial: it makes the calls of each test in every order,
// one after the other, twice.
const checkText = `
func TestHeddleGenCheck(t *testing.T) {
	for name, observe := range %[1]sObservers {
		verdict := "fine"
		for _, c := range %[1]sChecks {
			if v := %[1]sWithin(func() string { observe(c.prefix()); return "fine" }); v != "fine" {
				verdict = v
				break
			}
		}
		fmt.Println("heddle-gen-observer", name, verdict)
	}
	for i, c := range %[1]sChecks {
		fmt.Println("heddle-gen", i, %[1]sWithin(func() string { return %[1]sCheck(c) }))
	}
}

// %[1]sWithin returns what f does, or that it panics or blocks.
func %[1]sWithin(f func() string) string {
	done := make(chan string, 1)
	go func() {
		defer func() {
			if recover() != nil {
				done <- "panics"
			}
		}()
		done <- f()
	}()
	select {
	case verdict := <-done:
		return verdict
	case <-time.After(time.Second):
		return "blocks"
	}
}

type %[1]sPlan struct {
	prefix   func() *%[2]s
	suffixes [][]%[1]sCall
}

// %[1]sCheck says whether the orders of a plan can be carried out, and are the same each time.
func %[1]sCheck(c %[1]sPlan) string {
	verdict := "fine"
	%[1]sOrders(c.suffixes, func(order []int) bool {
		x, place := c.prefix(), make([]int, len(c.suffixes))
		results := make([][]string, len(c.suffixes))
		for _, i := range order {
			results[i] = append(results[i], c.suffixes[i][place[i]].do(x))
			place[i]++
		}
		if !%[1]sGives(c.prefix, c.suffixes, order, results, %[1]sEnd(x)) {
			verdict = "random"
		}
		return verdict == "fine"
	})
	return verdict
}

var %[1]sChecks = []%[1]sPlan{
`

// Check removes tests whose calls panic, block or give varying results when they are made one
// after the other: a failure of such a test says nothing about concurrency. Methods without
// parameters that do so on some object are no longer called at the end of tests. If no test is
// left, the error says why.
func (s *Suite) Check(ctx context.Context) error {
	verdicts, bad, err := s.try(ctx)
	if err == nil && len(bad) > 0 {
		s.observers = slices.DeleteFunc(s.observers, func(m *types.Func) bool { return bad[m.Name()] })
		verdicts, _, err = s.try(ctx)
	}
	if err != nil {
		return err
	}
	var fine []test
	why := map[string]int{}
	for i, v := range verdicts {
		if v == "fine" && len(fine) < s.opt.Tests {
			fine = append(fine, s.tests[i])
		}
		why[v]++
	}
	if s.tests = fine; len(fine) == 0 {
		return fmt.Errorf("of %d random tests of %s none works with its calls one after the other: %s", len(verdicts), s.typeName(), reasons(why))
	}
	return nil
}

func reasons(why map[string]int) string {
	var texts []string
	for _, v := range []string{"panics", "blocks", "random"} {
		if why[v] > 0 {
			texts = append(texts,
				fmt.Sprintf("%d %s", why[v],
					map[string]string{"panics": "panic", "blocks": "block",
						"random": "give other results each time"}[v]))
		}
	}
	return strings.Join(texts, ", ")
}

// try runs all tests sequentially, in a separate test binary. It returns a verdict for each, and
// the methods that cannot be called at the end of tests.
func (s *Suite) try(ctx context.Context) (verdicts []string, bad map[string]bool, err error) {
	text, err := s.checkFile()
	if err != nil {
		return nil, nil, err
	}
	tmp, err := os.MkdirTemp("", "heddle-gen-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(tmp)
	file := filepath.Join(tmp, "check_test.go")
	replace := map[string]string{filepath.Join(s.p.Dir, "heddle_gen_check_test.go"): file}
	for _, name := range s.p.tests {
		// as if the file did not exist: it may declare the same names
		replace[filepath.Join(s.p.Dir, name)] = ""
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		return nil, nil, err
	}
	list := filepath.Join(tmp, "overlay.json")
	if err := errors.Join(os.WriteFile(file, text, 0o666), os.WriteFile(list, overlay, 0o666)); err != nil {
		return nil, nil, err
	}
	cmd := exec.CommandContext(ctx, "go", "test", "-overlay", list, "-vet=off", "-count=1", "-timeout=5m",
		"-run=^TestHeddleGenCheck$", "-v", ".")
	cmd.Dir = s.p.Dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, runErr := cmd.Output()
	verdicts, bad = make([]string, len(s.tests)), map[string]bool{}
	told := 0
	for _, line := range strings.Split(string(out), "\n") {
		var i int
		var v, name string
		if n, _ := fmt.Sscanf(line, "heddle-gen-observer %s %s", &name, &v); n == 2 && v != "fine" {
			bad[name] = true
		}
		if n, _ := fmt.Sscanf(line, "heddle-gen %d %s", &i, &v); n == 2 && i >= 0 && i < len(verdicts) {
			verdicts[i] = v
			told++
		}
	}
	if told == 0 {
		return nil, nil,
			fmt.Errorf("the tests of %s cannot be tried out: %v\n%s%s", s.typeName(), runErr, out,
				stderr.String())
	}
	for i := range verdicts {
		if verdicts[i] == "" {
			verdicts[i] = "panics" // it ended the process
		}
	}
	return verdicts, bad, nil
}

// checkFile returns the file for the trial.
func (s *Suite) checkFile() ([]byte, error) {
	text, err := s.file(nil, "fmt", "reflect", "strings", "sync", "testing", "time")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	paths := map[string]bool{}
	for i := range s.tests {
		for _, p := range s.tests[i].imports {
			paths[p] = true
		}
	}
	for p := range paths {
		if !bytes.Contains(text, []byte("\""+p+"\"")) {
			text = bytes.Replace(text, []byte("import ("), []byte("import (\n\t\""+p+"\""), 1)
		}
	}
	b.Write(text)
	fmt.Fprintf(&b, "\nvar %sObservers = map[string]func(x *%s){\n", s.name(), s.typeText())
	for _, name := range s.observerNames() {
		fmt.Fprintf(&b, "\t%q: func(x *%s) { x.%s() },\n", name, s.typeText(), name)
	}
	b.WriteString("}\n")
	fmt.Fprintf(&b, checkText, s.name(), s.typeText())
	for i := range s.tests {
		t := &s.tests[i]
		fmt.Fprintf(&b, "\t{func() *%s {\n\t\tx := %sNew()\n", s.typeText(), s.name())
		for _, c := range t.prefix {
			fmt.Fprintf(&b, "\t\tx.%s\n", c)
		}
		fmt.Fprintf(&b, "\t\treturn x\n\t}, [][]%sCall{\n", s.name())
		for _, suffix := range t.suffixes {
			b.WriteString("\t\t{\n")
			for _, c := range suffix {
				fmt.Fprintf(&b, "\t\t\t{%q, func(x *%s) string { %s }},\n", c.text, s.typeText(),
					s.callText(&c))
			}
			b.WriteString("\t\t},\n")
		}
		b.WriteString("\t}},\n")
	}
	b.WriteString("}\n")
	return b.Bytes(), nil
}
