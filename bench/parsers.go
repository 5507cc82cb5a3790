package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// A parsedModule is a package of a public module with a fuzz target of ours: its seed, and a call
// with what it is given, text. Panics are not what is measured, so they are recovered from.
type parsedModule struct {
	name, module, version, seed, call string
}

var parsers = []parsedModule{
	{"semver", "github.com/Masterminds/semver/v3", "v3.3.1", "1.2.3",
		`if c, err := NewConstraint(text); err == nil { v, _ := NewVersion("1.2.3"); c.Check(v) }; NewVersion(text)`},
	{"toml", "github.com/BurntSushi/toml", "v1.4.0", "a = 1\n",
		`var v map[string]any; Decode(text, &v)`},
	{"shellwords", "github.com/mattn/go-shellwords", "v1.0.12", "ls a",
		`p := NewParser(); p.ParseEnv = true; p.Parse(text)`},
	{"sqlparser", "github.com/xwb1989/sqlparser", "v0.0.0-20180606152119-120387863bf2", "select 1",
		`if s, err := Parse(text); err == nil { String(s) }`},
	{"yaml", "gopkg.in/yaml.v3", "v3.0.1", "a: 1\n",
		`var v any; Unmarshal([]byte(text), &v)`},
}

// parserBudget is for a target, in seconds of one process.
const parserBudget = 30

// parserTable lets each of heddles (name=command, the command "go" for go test -fuzz) fuzz public
// parsers, or only those with names that match only, and writes how many blocks of statements of a
// parser the inputs that it keeps execute: go test -cover counts them, for all alike.
func parserTable(ctx context.Context, file string, heddles []string, only string) error {
	match, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	os.Setenv("GOFLAGS", "-mod=mod") // modules without all of their go.sum
	var names, commands []string
	for _, h := range heddles {
		name, command, err := nameAndCommand(h)
		if err != nil {
			return err
		}
		names, commands = append(names, name), append(commands, command)
	}
	var b strings.Builder
	fmt.Fprintf(&b, parserHead, parserBudget)
	fmt.Fprintf(&b, "| parser | module | blocks | %s |\n|%s\n", strings.Join(names, " | "),
		strings.Repeat(" --- |", len(names)+3))
	for _, p := range parsers {
		if !match.MatchString(p.name) {
			continue
		}
		row, of := "", 0
		for i, command := range commands {
			r, err := p.fuzz(ctx, command)
			if err != nil {
				return fmt.Errorf("%s by %s: %w", p.name, names[i], err)
			}
			fmt.Fprintf(os.Stderr, "%s by %s: %+v\n", p.name, names[i], r)
			row += fmt.Sprintf(" %d by %d of %d inputs, %.0f s |", r.covered, r.kept, r.executions, r.seconds)
			of = r.blocks
		}
		fmt.Fprintf(&b, "| %s | `%s@%s` | %d |%s\n", p.name, p.module, p.version, of, row)
	}
	return os.WriteFile(file, []byte(b.String()), 0o666)
}

const parserHead = `# Fuzzing public parsers

Made by ` + "`" + `go run ./bench -parsers docs/results/parsers.md -heddles NAME=COMMAND,...` + "`" + `, where the
command ` + "`" + `go` + "`" + ` is ` + "`" + `go test -fuzz` + "`" + `. Each parser has one target, with one seed, and was fuzzed for %d s
by one process. A cell has how many blocks of statements of the parser's package the inputs execute
that were kept, by ` + "`" + `go test -cover` + "`" + `; how many were kept of how many executions; processor time.

`

// A parserRun is what a target came to.
type parserRun struct {
	covered, blocks, kept, executions int
	seconds                           float64
}

// source returns the file of the target.
func (p *parsedModule) source(pkg string) string {
	return fmt.Sprintf(`package %s

import "testing"

func %s(f *testing.F) {
	f.Add(%q)
	f.Fuzz(func(t *testing.T, text string) {
		defer func() { recover() }()
		%s
	})
}
`, pkg, parserTarget, p.seed, p.call)
}

const parserTarget = "FuzzHeddleParser"

var parserExecutions = regexp.MustCompile(`execs: (\d+)|in ([\d,]+) executions`)

// fuzz runs the target in a copy of the module, with the target in place of the package's tests.
func (p *parsedModule) fuzz(ctx context.Context, command string) (r parserRun, err error) {
	dir, err := os.MkdirTemp("", "heddle-parser-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	if err := (&genSubject{module: p.module, version: p.version}).copyTo(ctx, dir); err != nil {
		return r, err
	}
	run := func(command string, args ...string) (out string) {
		code := 0
		code, out, r.seconds = timed(ctx, command, dir, args...)
		if code != 0 && err == nil && !ranOut(out) {
			err = fmt.Errorf("%s %s: exit status %d\n%s", command, strings.Join(args, " "), code, out)
		}
		return strings.TrimSpace(out)
	}
	tests, _ := filepath.Glob(filepath.Join(dir, "*_test.go"))
	for _, f := range tests {
		if err := os.Remove(f); err != nil {
			return r, err
		}
	}
	cache, pkg, name := run("go", "env", "GOCACHE"), run("go", "list"), run("go", "list", "-f", "{{.Name}}")
	if err != nil {
		return r, err
	}
	file := filepath.Join(dir, "heddle_parser_test.go")
	if err := os.WriteFile(file, []byte(p.source(name)), 0o666); err != nil {
		return r, err
	}
	kept := filepath.Join(cache, "fuzz", pkg, parserTarget)
	if err := os.RemoveAll(kept); err != nil {
		return r, err
	}
	fuzz := func(target string) string {
		flags := []string{"-budget", fmt.Sprint(parserBudget, "s"), "-p", "1"}
		if command == "go" {
			flags = []string{"-fuzztime", fmt.Sprint(parserBudget, "s"), "-parallel", "1",
				"-fuzzminimizetime", "0x"}
		}
		return run(command, append([]string{"test", "-run", target, "-fuzz", target}, flags...)...)
	}
	fuzz("^FuzzNone$") // builds
	out := fuzz("^" + parserTarget + "$")
	seconds := r.seconds
	for _, m := range parserExecutions.FindAllStringSubmatch(out, -1) {
		fmt.Sscan(strings.ReplaceAll(m[1]+m[2], ",", ""), &r.executions)
	}
	files, _ := os.ReadDir(kept)
	if r.kept = len(files); r.kept > 0 {
		corpus := filepath.Join(dir, "testdata/fuzz", parserTarget)
		if err := os.CopyFS(corpus, os.DirFS(kept)); err != nil {
			return r, err
		}
	}
	profile := filepath.Join(dir, "cover.out")
	run("go", "test", "-run", "^"+parserTarget+"$", "-coverprofile", profile)
	if err != nil {
		return r, err
	}
	r.seconds = seconds
	data, err := os.ReadFile(profile)
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) == 3 {
			if r.blocks++; f[2] != "0" {
				r.covered++
			}
		}
	}
	return r, err
}
