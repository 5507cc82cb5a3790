package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// accessPrograms are heddle's own tests for accessTable; accessSubjects are those of other modules.
const accessPrograms = "bench/programs/access"

var accessSubjects = []accessSubject{
	{subject{genSubject{module: "github.com/google/btree", version: "v1.1.3", pkg: "."},
		[]string{"TestCloneConcurrentOperationsG", "TestBTreeG"}, nil}, "btree"},
	{subject{genSubject{module: "github.com/yuin/goldmark", version: "v1.8.7", pkg: "."},
		[]string{"TestSpec", "TestExtras"}, nil}, "goldmark_test"},
}

// An accessSubject is tests of a package, and the package that they are in.
type accessSubject struct {
	subject
	name string
}

// lastTest is a test that has a goroutine after all that another one does: an only interleaving is
// not executed again.
const lastTest = `

func %[1]sLast(t *testing.T) {
	%[1]s(t)
	done := make(chan bool)
	go close(done)
	<-done
}
`

// copyTo makes dir the module of the subject, with a lastTest for each test.
func (s *accessSubject) copyTo(ctx context.Context, dir string) error {
	if err := s.subject.copyTo(ctx, dir); err != nil {
		return err
	}
	text := "package " + s.name + "\n\nimport \"testing\"\n"
	for i, test := range s.tests {
		text += fmt.Sprintf(lastTest, test)
		s.tests[i] += "Last"
	}
	return os.WriteFile(filepath.Join(dir, "last_test.go"), []byte(text), 0o666)
}

const (
	accessRounds = 2
	// accessLeast is how much processor time executions are to take that are measured, and
	// accessFew how many there are in the run that is taken off.
	accessLeast = 0.5
	accessFew   = 2
)

// accessTable compares versions of heddle, name=command, on tests that access much memory, and
// writes the table to file. only, if not "", is a pattern of the tests.
func accessTable(ctx context.Context, file string, heddles []string, only string) error {
	wanted, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(accessPrograms, "access_test.go"))
	if err != nil {
		return fmt.Errorf("expected to be called in the folder of heddle's own module: %w", err)
	}
	own := accessSubject{subject: subject{genSubject: genSubject{pkg: "."}}}
	for _, m := range testFunc.FindAllStringSubmatch(string(text), -1) {
		own.tests = append(own.tests, m[1])
	}
	var rows strings.Builder
	for i, s := range append([]accessSubject{own}, accessSubjects...) {
		dir := accessPrograms
		if i > 0 {
			if dir, err = os.MkdirTemp("", "heddle-access-"); err != nil {
				return err
			}
			defer os.RemoveAll(dir)
			if err := s.copyTo(ctx, dir); err != nil {
				return err
			}
		}
		if err := s.accesses(ctx, dir, heddles, wanted, &rows); err != nil {
			return err
		}
	}
	var names []string
	head, line := "| test | go test | -race | times go test |", "| --- | ---: | ---: | ---: |"
	for _, h := range heddles {
		name, _, err := nameAndCommand(h)
		if err != nil {
			return err
		}
		names = append(names, name)
		head += fmt.Sprintf(" %s | times | -race=false | times |", name)
		line += strings.Repeat(" ---: |", 4)
	}
	out := fmt.Sprintf(accessHead, strings.Join(names, ","), commit(), accessRounds, head, line)
	return os.WriteFile(file, []byte(out+rows.String()), 0o666)
}

const accessHead = `# Accesses

Made by ` + "`" + `go run ./bench -access docs/results/access.md -heddles %s` + "`" + `,
each a command (` + "`" + `=path` + "`" + `), at %s: processor time of an execution of tests that access much
memory, in microseconds, by strategy random, the least of %d measurements in turns; then how many
times that of ` + "`" + `go test` + "`" + ` it is. A test whose name ends in Alone works before it starts its only
goroutine, and so do those that end in Last, of other modules.

%s
%s
`

// accesses adds the rows of the tests of a subject, which is in the folder dir, to rows.
func (s *subject) accesses(ctx context.Context, dir string, heddles []string, wanted *regexp.Regexp,
	rows *strings.Builder) error {
	plain, err := buildNative(ctx, s.pkg, dir)
	if err != nil {
		return err
	}
	defer plain.remove()
	race, err := buildNative(ctx, s.pkg, dir, "-race")
	if err != nil {
		return err
	}
	defer race.remove()
	for _, test := range s.tests {
		if !wanted.MatchString(test) {
			continue
		}
		name := strings.TrimPrefix(test, "Test")
		ways := []func() (float64, bool){
			func() (float64, bool) { return plain.execution(ctx, name) },
			func() (float64, bool) { return race.execution(ctx, name) },
		}
		for _, h := range heddles {
			_, command, err := nameAndCommand(h)
			if err != nil {
				return err
			}
			for _, race := range []string{"-race=true", "-race=false"} {
				ways = append(ways, func() (float64, bool) {
					return heddleExecution(ctx, command, dir, race, test, s.pkg)
				})
			}
		}
		least := make([]float64, len(ways))
		for round := range accessRounds {
			for i, way := range ways {
				took, ok := way()
				if !ok {
					return fmt.Errorf("%s fails in way %d", test, i)
				}
				if round == 0 || took < least[i] {
					least[i] = took
				}
			}
		}
		row := fmt.Sprintf("| %s | %.0f |", strings.Trim(s.module+" "+name, " "), least[0]*1e6)
		for _, l := range least[1:] {
			row += fmt.Sprintf(" %.0f | %.1f |", l*1e6, l/least[0])
		}
		fmt.Fprintln(os.Stderr, row)
		fmt.Fprintln(rows, row)
	}
	return nil
}

// heddleExecution is native.execution by a command of heddle.
func heddleExecution(ctx context.Context, command, dir, race, test,
	pkg string) (seconds float64, ok bool) {
	cpu := func(runs int) (float64, bool) {
		code, _, took := timed(ctx, command, dir, "test", "-runs", fmt.Sprint(runs), "-budget", "5m", "-p",
			"1", "-strategy", "random", "-seed", "1", race, "-run", "^"+test+"$", pkg)
		return took, code == 0
	}
	cpu(accessFew) // may build
	return perExecution(accessFew, 8, accessLeast, cpu)
}
