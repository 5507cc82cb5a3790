package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A module with twelve causes gives twelve reports: testdata/causes, whose test files are named
// after the cause that their tests show. Events, SARIF and JUnit have every finding.
func TestCauses(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/causes")); err != nil {
		t.Fatal(err)
	}
	seeded := causesOfTests(t, dir)
	c := exec.Command("heddle", "test", "-json", "-budget", "5s", "-sarif", "out.sarif", "-junit",
		"out.xml", "./...")
	c.Dir = dir
	c.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	out, err := c.Output()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitFindings {
		t.Fatalf("%v, want exit code %d", err, exitFindings)
	}
	findings, reports := 0, map[string]string{} // by the name of a report, the cause
	for line := range strings.Lines(string(out)) {
		var e struct{ Action, Package, Test, Cause string }
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if e.Action != "finding" {
			continue
		}
		findings++
		cause := seeded[e.Package+"."+e.Test]
		if old, ok := reports[e.Cause]; ok && old != cause {
			t.Errorf("report %s is of %s, and has a finding of %s, in %s", e.Cause, old, cause, e.Test)
		}
		reports[e.Cause] = cause
	}
	told := map[string]int{}
	for _, cause := range reports {
		told[cause]++
	}
	for _, cause := range seeded {
		if told[cause] != 1 {
			t.Errorf("%d reports of %s, want 1", told[cause], cause)
		}
	}
	if findings < 40 || len(reports) != 12 {
		t.Errorf("%d findings in %d reports, want at least 40 in 12", findings, len(reports))
	}
	for file, each := range map[string]string{"out.sarif": `"ruleId"`, "out.xml": `<failure `} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		if n := strings.Count(string(text), each); err != nil || n != findings {
			t.Errorf("%s has %d findings, want %d: %v", file, n, findings, err)
		}
	}
}

// causesOfTests returns the cause of every test of the module, by package and name.
func causesOfTests(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	causes := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)`).FindAllStringSubmatch(string(text), -1) {
			pkg := path.Join("example.com/causes", filepath.Base(filepath.Dir(file)))
			causes[pkg+"."+m[1]] = strings.TrimSuffix(filepath.Base(file), "_test.go")
		}
	}
	return causes
}
