package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// First contact: the cost of heddle test of a package with empty caches, beside go test -race, and
// of the commands after it.

// A contact is a module for the measurement: a test that starts goroutines, and imports.
type contact struct {
	what    string
	imports []string // packages; those of other modules with their version
	rounds  int
}

var contacts = []contact{
	{"sync and testing", nil, 3},
	{"net/http", []string{"net/http"}, 3},
	{"grpc", []string{"google.golang.org/grpc@v1.85.0"}, 1},
	{"client-go", []string{"k8s.io/client-go/kubernetes/fake@v0.37.2"}, 1},
}

const contactTest = `package contact

import (
	"sync"
	"testing"
%s)

func TestContact(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	n := 0
	for range 2 {
		wg.Go(func() { mu.Lock(); n++; mu.Unlock() })
	}
	wg.Wait()
	if n != 2 {
		t.Error(n)
	}
}
`

// A contactRun is one command and its initial state.
type contactRun struct {
	name string
	args []string // of heddle; none: go test -race
	env  string
	cold bool // empty both caches before
	dir  string
}

var contactRuns = []contactRun{
	{name: "go test -race", cold: true, dir: "contact"},
	{name: "heddle test", args: []string{"test"}, cold: true, dir: "contact"},
	{name: "-tags", args: []string{"test", "-tags", "more"}, dir: "contact"},
	{name: "CGO_ENABLED=0", args: []string{"test"}, env: "CGO_ENABLED=0", dir: "contact"},
	{name: "second module", args: []string{"test"}, dir: "second"},
	{name: "again", args: []string{"test"}, dir: "contact"},
}

type contactCost struct{ cpu, wall time.Duration }

// coldTable measures contacts and writes the table to file. only, if not "", selects one by name.
func coldTable(ctx context.Context, file, only string) error {
	tmp, err := os.MkdirTemp("", "heddle-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	heddle, err := buildHeddle(ctx, tmp)
	if err != nil {
		return err
	}
	var rows strings.Builder
	for _, c := range contacts {
		if only != "" && c.what != only {
			continue
		}
		if n, err := strconv.Atoi(os.Getenv("HEDDLE_COLD_ROUNDS")); err == nil {
			c.rounds = n
		}
		row, err := c.measure(ctx, filepath.Join(tmp, "m"), heddle)
		if err != nil {
			row = fmt.Sprintf("| %s | %s |", c.what,
				strings.ReplaceAll(strings.TrimSpace(err.Error()), "\n", " "))
		}
		fmt.Println(row)
		rows.WriteString(row + "\n")
	}
	return os.WriteFile(file, []byte(fmt.Sprintf(coldHead, commit())+rows.String()), 0o666)
}

const coldHead = `# First contact

Made by ` + "`" + `go run ./bench -cold docs/results/cold.md` + "`" + ` at %s: seconds of processor time (user and
system), and of wall time in brackets, of a package with one test. "go test -race" and "heddle test"
each begin with an empty GOCACHE and an empty HEDDLE_CACHE, in turns in one run. The other columns
follow "heddle test": further tags, without cgo, another module with the same imports, and the same
again. Least of three rounds; of one for grpc and client-go. The goal is a ratio of 1.5 at most.
Without cgo the go command compiles net, and what imports it, anew, and heddle rewrites it anew.

| imports | go test -race | heddle test | ratio | -tags | CGO_ENABLED=0 | second module | again |
| --- | --- | --- | --- | --- | --- | --- | --- |
`

func (c contact) measure(ctx context.Context, tmp, heddle string) (string, error) {
	defer os.RemoveAll(tmp)
	for _, dir := range []string{"contact", "second"} {
		if err := c.write(ctx, filepath.Join(tmp, dir), dir); err != nil {
			return "", err
		}
	}
	least := make([]contactCost, len(contactRuns))
	for range c.rounds {
		for i, r := range contactRuns {
			got, err := r.run(ctx, tmp, heddle)
			if err != nil {
				return "", err
			}
			if least[i].cpu == 0 || got.cpu < least[i].cpu {
				least[i].cpu = got.cpu
			}
			if least[i].wall == 0 || got.wall < least[i].wall {
				least[i].wall = got.wall
			}
		}
	}
	row := "| " + c.what + " |"
	for i, l := range least {
		row += fmt.Sprintf(" %.1f (%.1f) |", l.cpu.Seconds(), l.wall.Seconds())
		if i == 1 {
			row += fmt.Sprintf(" %.2f (%.2f) |", l.cpu.Seconds()/least[0].cpu.Seconds(),
				l.wall.Seconds()/least[0].wall.Seconds())
		}
	}
	return row, nil
}

// write makes a module with the imports of the contact.
func (c contact) write(ctx context.Context, dir, name string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	var imports string
	var modules []string
	for _, imp := range c.imports {
		path, version, outside := strings.Cut(imp, "@")
		imports += fmt.Sprintf("\t_ %q\n", path)
		if outside {
			modules = append(modules, path+"@"+version)
		}
	}
	for name, text := range map[string]string{
		"go.mod":          "module example.com/" + name + "\n\ngo 1.26\n",
		"contact_test.go": fmt.Sprintf(contactTest, imports),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	if len(modules) == 0 {
		return nil
	}
	cmd := exec.CommandContext(ctx, "go", append([]string{"get", "-t"}, modules...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("not measured: go get: %v: %s", err, out)
	}
	return nil
}

// run makes one run. The test itself takes almost no time.
func (r contactRun) run(ctx context.Context, tmp, heddle string) (contactCost, error) {
	caches := filepath.Join(tmp, "caches")
	if r.cold {
		if err := os.RemoveAll(caches); err != nil {
			return contactCost{}, err
		}
	}
	cmd := exec.CommandContext(ctx, heddle, append(r.args, "-run", "TestContact", ".")...)
	if r.args == nil {
		cmd = exec.CommandContext(ctx, "go", "test", "-race", "-run", "TestContact", ".")
	}
	cmd.Dir = filepath.Join(tmp, r.dir)
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GOCACHE="+filepath.Join(caches, "go"),
		"HEDDLE_CACHE="+filepath.Join(caches, "heddle"))
	if r.env != "" {
		cmd.Env = append(cmd.Env, r.env)
	}
	start := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		return contactCost{}, fmt.Errorf("%s: %v\n%s", r.name, err, out)
	}
	return contactCost{cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), time.Since(start)}, nil
}
