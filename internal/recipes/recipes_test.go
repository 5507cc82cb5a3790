// Package recipes parses the CI recipes and executes their steps, so that every step that
// docs/guide/ci.md offers was tried. It has tests only.
package recipes

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"heddle/build"
	"heddle/internal/sarifcheck"
)

// root is the folder of heddle's sources.
func root(t *testing.T) string {
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func parseFile(t *testing.T, name string) map[string]any {
	t.Helper()
	var spec map[string]any
	parseInto(t, name, &spec)
	return spec
}

// parseInto parses a file of YAML below heddle's root.
func parseInto(t *testing.T, name string, v any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), name))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// A module with two packages, five tests, and a bug in one of them.
var files = map[string]string{
	"go.mod": "module ex.com/m\n\ngo 1.26\n",
	"a/a_test.go": `package a

import "testing"

func TestRace(t *testing.T) {
	n := 0
	c := make(chan bool)
	go func() { n++; c <- true }()
	n++
	<-c
}

func TestA(t *testing.T) { go func() {}() }
func TestB(t *testing.T) { go func() {}() }
`,
	"b/b_test.go": "package b\n\nimport \"testing\"\n\nfunc TestC(t *testing.T) { go func() {}() }\nfunc TestD(t *testing.T) { go func() {}() }\n",
}

func writeModule(t *testing.T) string {
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777),
			os.WriteFile(name, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// environ returns a clean environment with the caches of this test.
func environ(t *testing.T, more ...string) []string {
	cache, err := build.DefaultCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE", "GOTOOLCHAIN").Output()
	if err != nil {
		t.Fatal(err)
	}
	go1 := strings.Split(string(out), "\n")
	return append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "HEDDLE_CACHE=" + cache,
		"GOCACHE=" + go1[0],
		"GOMODCACHE=" + go1[1], "GOTOOLCHAIN=" + go1[2], "GOPROXY=off"}, more...)
}

// An action is a run of action.yml as GitHub's runner makes it.
type action struct {
	t       *testing.T
	env     []string
	temp    string
	inputs  map[string]string
	outputs map[string]map[string]string // by step and name
	path    []string
	uses    []string
	output  string // of all steps
	summary string // of the job
}

var expression = regexp.MustCompile(`\$\{\{ *([^}]*?) *\}\}`)

// expand replaces expressions. Unknown expressions are errors.
func (a *action) expand(s string) string {
	return expression.ReplaceAllStringFunc(s,
		func(e string) string { return a.eval(expression.FindStringSubmatch(e)[1]) })
}

func (a *action) eval(e string) string {
	parts := strings.Split(e, ".")
	known := map[string]string{"github.action_path": root(a.t), "github.run_id": "7",
		"github.run_attempt": "1", "strategy.job-index": "0", "runner.temp": a.temp}
	switch {
	case known[e] != "":
		return known[e]
	case parts[0] == "inputs" && len(parts) == 2:
		if v, ok := a.inputs[parts[1]]; ok {
			return v
		}
	case parts[0] == "steps" && len(parts) == 4 && parts[2] == "outputs":
		if v, ok := a.outputs[parts[1]][parts[3]]; ok {
			return v
		}
	}
	a.t.Errorf("what is ${{ %s }}?", e)
	return ""
}

// wanted reports whether a step is executed, by its condition.
func (a *action) wanted(cond string, failed bool) bool {
	if cond == "" {
		return !failed
	}
	ok := true
	for _, c := range strings.Split(cond, "&&") {
		c = strings.TrimSpace(c)
		left, right, compares := strings.Cut(c, " == ")
		switch {
		case c == "always()":
			failed = false
		case compares:
			ok = ok && a.eval(left) == strings.Trim(right, "'")
		default:
			a.t.Errorf("what is the condition %q?", c)
		}
	}
	return ok && !failed
}

// run executes the steps of action.yml and reports whether the job passes.
func (a *action) run(spec map[string]any, dir string) (passed bool) {
	a.temp = a.t.TempDir()
	a.outputs = map[string]map[string]string{}
	for name, in := range spec["inputs"].(map[string]any) {
		if _, given := a.inputs[name]; !given {
			a.inputs[name] = fmt.Sprint(in.(map[string]any)["default"])
		}
	}
	passed = true
	for _, s := range spec["runs"].(map[string]any)["steps"].([]any) {
		step := s.(map[string]any)
		word := func(key string) string { v, _ := step[key].(string); return v }
		if !a.wanted(word("if"), !passed) {
			continue
		}
		if uses := word("uses"); uses != "" {
			a.uses = append(a.uses, uses)
			with, _ := step["with"].(map[string]any)
			for _, key := range slices.Sorted(maps.Keys(with)) {
				a.expand(with[key].(string))
			}
			continue
		}
		if word("shell") != "bash" {
			a.t.Errorf("step %q: a composite action must name the shell", word("name"))
		}
		if !a.step(step, word, dir) {
			passed = false
		}
	}
	return passed
}

func (a *action) step(step map[string]any, word func(string) string, dir string) bool {
	files := map[string]string{}
	env := append(slices.Clone(a.env), "RUNNER_TEMP="+a.temp, "RUNNER_OS=Linux", "RUNNER_ARCH=X64",
		"GITHUB_ACTIONS=true", "CI=true", "GITHUB_WORKSPACE="+dir)
	for _, name := range []string{"GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_ENV", "GITHUB_STEP_SUMMARY"} {
		files[name] = filepath.Join(a.t.TempDir(), "file")
		if err := os.WriteFile(files[name], nil, 0o666); err != nil {
			a.t.Fatal(err)
		}
		env = append(env, name+"="+files[name])
	}
	if own, ok := step["env"].(map[string]any); ok {
		for name, value := range own {
			env = append(env, name+"="+a.expand(fmt.Sprint(value)))
		}
	}
	env = append(env, "PATH="+strings.Join(append(slices.Clone(a.path), os.Getenv("PATH")), ":"))
	script := word("run")
	if expression.MatchString(script) {
		a.t.Errorf("step %q: an expression in the script; give it by env, so that no input is taken for a command", word("name"))
	}
	cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script)
	cmd.Dir, cmd.Env = filepath.Join(dir, a.expand(word("working-directory"))), env
	out, err := cmd.CombinedOutput()
	a.output += string(out)
	set := map[string]string{}
	data, _ := os.ReadFile(files["GITHUB_OUTPUT"])
	for line := range strings.Lines(string(data)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		set[name] = value
	}
	if id := word("id"); id != "" {
		a.outputs[id] = set
	}
	data, _ = os.ReadFile(files["GITHUB_STEP_SUMMARY"])
	a.summary += string(data)
	data, _ = os.ReadFile(files["GITHUB_PATH"])
	a.path = append(a.path, strings.Fields(string(data))...)
	if err != nil {
		a.t.Logf("step %q: %v\n%s", word("name"), err, out)
	}
	return err == nil
}

var tested = regexp.MustCompile(`(?m)^(?:ok  |--- FAIL:|--- PASS:) +(Test\w+)`)

// The action in shards: every test is in one, the finding is in SARIF and in the exit code, and
// the times for the next run are written.
func TestAction(t *testing.T) {
	if testing.Short() {
		t.Skip("builds heddle and test binaries")
	}
	needs(t, "bash", "git")
	spec := parseFile(t, "action.yml")
	dir, times := writeModule(t), t.TempDir()
	if err := os.WriteFile(filepath.Join(times, "none.json"), []byte("{}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	var names, plans []string
	failures := 0
	for n := 1; n <= 2; n++ {
		a := &action{t: t, env: environ(t),
			inputs: map[string]string{"flags": "-runs 20 -p 1", "shard": fmt.Sprintf("%d/2", n),
				"times": times, "upload-sarif": "true"}}
		if !a.run(spec, dir) {
			failures++
		}
		for _, m := range tested.FindAllStringSubmatch(a.output, -1) {
			names = append(names, m[1])
		}
		plans = append(plans, regexp.MustCompile(`plan [0-9a-f]+`).FindString(a.output))
		if want := []string{"actions/cache@v4", "github/codeql-action/upload-sarif@v3"}; !slices.Equal(a.uses,
			want) {
			t.Errorf("actions %q, want %q", a.uses, want)
		}
		sarif, err := os.ReadFile(a.outputs["test"]["sarif"])
		if err != nil {
			t.Fatal(err)
		}
		if err := sarifcheck.Valid(sarif); err != nil && !errors.Is(err, sarifcheck.ErrNoSchema) {
			t.Error(err)
		}
		if has := bytes.Contains(sarif, []byte("a_test.go")); has != strings.Contains(a.output, "DATA RACE") {
			t.Errorf("shard %d: the race is in SARIF: %v", n, has)
		}
		raced := strings.Contains(a.output, "DATA RACE")
		if has := strings.Contains(a.summary, "### DATA RACE on `"); has != raced ||
			!strings.Contains(a.summary, "| `TestA` |") && !strings.Contains(a.summary, "| `TestC` |") {
			t.Errorf("shard %d: the race is in the summary: %v\n%s", n, has, a.summary)
		}
		markdown, err := os.ReadFile(a.outputs["test"]["markdown"])
		if err != nil || string(markdown) != a.summary {
			t.Errorf("shard %d: the Markdown is not the summary: %v", n, err)
		}
		data, err := os.ReadFile(a.outputs["times"]["times"])
		if err != nil || !bytes.Contains(data, []byte(`"ex.com/m/`)) {
			t.Errorf("times: %s, %v", data, err)
		}
		if err := os.WriteFile(filepath.Join(t.TempDir(), "x"), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(names)
	if want := []string{"TestA", "TestB", "TestC", "TestD", "TestRace"}; !slices.Equal(names, want) {
		t.Errorf("explored %q, want %q", names, want)
	}
	if failures != 1 {
		t.Errorf("%d jobs failed, want that with the race", failures)
	}
	if plans[0] == "" || plans[0] != plans[1] {
		t.Errorf("plans %q", plans)
	}
}

// needs skips the test if a program is missing.
func needs(t *testing.T, programs ...string) {
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("no %s", p)
		}
	}
}

// The workflow: its actions are known, its scripts run, and each job finds the artifacts of the
// job before.
func TestGitHubWorkflow(t *testing.T) {
	needs(t, "bash")
	jobs := parseFile(t, "docs/guide/ci/github.yml")["jobs"].(map[string]any)
	inputs := parseFile(t, "action.yml")["inputs"].(map[string]any)
	known := regexp.MustCompile(`^(actions/(checkout|upload-artifact|download-artifact|cache/restore|cache/save)@v4|actions/setup-go@v5|OWNER/heddle@main)$`)
	for name, j := range jobs {
		for _, s := range j.(map[string]any)["steps"].([]any) {
			step := s.(map[string]any)
			if uses, ok := step["uses"].(string); ok {
				if !known.MatchString(uses) {
					t.Errorf("job %s uses %s", name, uses)
				}
				with, _ := step["with"].(map[string]any)
				for key := range with {
					if strings.HasPrefix(uses, "OWNER/") && inputs[key] == nil {
						t.Errorf("job %s: the action has no input %s", name, key)
					}
				}
				continue
			}
			cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c",
				step["run"].(string))
			cmd.Dir = t.TempDir()
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("job %s: %v\n%s", name, err, out)
			}
			if text, err := os.ReadFile(filepath.Join(cmd.Dir, "times", "none.json")); err != nil ||
				string(text) != "{}\n" {
				t.Errorf("job %s: %q, %v", name, text, err)
			}
		}
	}
}

// GitLab's jobs, one after the other in a folder with their artifacts. heddle is cached from an
// earlier run. With HEDDLE_LONG the first job clones and builds the committed version.
func TestGitLab(t *testing.T) {
	if testing.Short() {
		t.Skip("builds heddle and test binaries")
	}
	needs(t, "bash", "git")
	spec := parseFile(t, "docs/guide/ci/gitlab.yml")
	dir := writeModule(t)
	if os.Getenv("HEDDLE_LONG") == "" {
		buildHeddle(t, filepath.Join(dir, ".heddle", "bin"))
	}
	defaults := spec["default"].(map[string]any)["before_script"].([]any)
	run := func(job string, more ...string) (string, error) {
		j := spec[job].(map[string]any)
		before := defaults
		if own, ok := j["before_script"]; ok {
			before, _ = own.([]any)
		}
		var script []string
		for _, line := range slices.Concat(before, j["script"].([]any)) {
			script = append(script, line.(string))
		}
		env := append(environ(t), "CI=true", "GITLAB_CI=true", "CI_PROJECT_DIR="+dir,
			"HEDDLE_SOURCE=file://"+root(t))
		bash := func(lines []string) (string, error) {
			cmd := exec.Command("bash", "-c", "set -eo pipefail\n"+strings.Join(lines, "\n"))
			cmd.Dir, cmd.Env = dir, append(env, more...)
			out, err := cmd.CombinedOutput()
			return string(out), err
		}
		out, err := bash(script)
		if after, ok := j["after_script"].([]any); ok {
			for _, line := range after {
				if o, err := bash([]string{line.(string)}); err != nil {
					t.Errorf("after %s: %v\n%s", job, err, o)
				}
			}
		}
		return out, err
	}
	if out, err := run("plan"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var names []string
	failures := 0
	for n := 1; n <= 3; n++ {
		out, err := run("explore", fmt.Sprint("CI_NODE_INDEX=", n), "CI_NODE_TOTAL=3")
		if err != nil {
			failures++
		}
		for _, m := range tested.FindAllStringSubmatch(out, -1) {
			names = append(names, m[1])
		}
		if junit, err := os.ReadFile(filepath.Join(dir, ".heddle/out/junit.xml")); err != nil ||
			!bytes.Contains(junit, []byte("<testsuite")) {
			t.Errorf("%v\n%s\n%s", err, junit, out)
		}
	}
	slices.Sort(names)
	if want := []string{"TestA", "TestB", "TestC", "TestD", "TestRace"}; !slices.Equal(names, want) ||
		failures != 1 {
		t.Errorf("explored %q, %d jobs failed", names, failures)
	}
	if out, err := run("times"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if kept, _ := filepath.Glob(filepath.Join(dir, ".heddle/times/times-*.json")); len(kept) != 3 {
		t.Errorf("times are kept in %q", kept)
	}
}

func buildHeddle(t *testing.T, dir string) {
	t.Helper()
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", dir+string(filepath.Separator),
		"heddle/cmd/heddle").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// The hook refuses a commit with a race, accepts one without, and explores nothing if no Go file
// is committed.
func TestPreCommit(t *testing.T) {
	if testing.Short() {
		t.Skip("builds heddle and test binaries")
	}
	needs(t, "git")
	dir, bin := writeModule(t), t.TempDir()
	buildHeddle(t, bin)
	git := func(args ...string) (string, error) {
		cmd := exec.Command("git",
			append([]string{"-c", "user.name=a", "-c", "user.email=a@ex.com"}, args...)...)
		cmd.Dir, cmd.Env = dir, append(environ(t), "PATH="+bin+":"+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	hook, err := os.ReadFile(filepath.Join(root(t), "docs/guide/ci/pre-commit"))
	if err != nil {
		t.Fatal(err)
	}
	if out, err := git("init", "-q"); err != nil {
		t.Fatal(out)
	}
	if err := os.WriteFile(filepath.Join(dir, ".git/hooks/pre-commit"), hook, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		add    string
		passes bool
		says   string
	}{{"go.mod", true, ""}, {"b", true, "ok  \tex.com/m/b"}, {"a", false, "DATA RACE on n"}} {
		if out, err := git("add", c.add); err != nil {
			t.Fatal(out)
		}
		out, err := git("commit", "-q", "-m", c.add)
		if (err == nil) != c.passes || !strings.Contains(out, c.says) ||
			c.says == "" && strings.Contains(out, "ex.com") {
			t.Errorf("commit of %s: %v\n%s", c.add, err, out)
		}
	}
	var hooks []struct {
		Entry string
		Args  []string
	}
	parseInto(t, ".pre-commit-hooks.yaml", &hooks)
	if len(hooks) != 1 {
		t.Fatalf("%d hooks", len(hooks))
	}
	args := append(strings.Fields(hooks[0].Entry), hooks[0].Args...)
	cmd := exec.Command(filepath.Join(bin, args[0]), args[1:]...)
	cmd.Dir, cmd.Env = dir, environ(t)
	if out, err := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 1 ||
		!bytes.Contains(out, []byte("DATA RACE")) {
		t.Errorf("%q: %v\n%s", args, err, out)
	}
}
