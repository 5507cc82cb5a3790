package main

import (
	"context"
	_ "embed"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"
	"time"

	"heddle/build"
	"heddle/internal/run"
)

// Table V on real programs: tests of other modules, through the module proxy.

// branchSubjects lists them.
//
//go:embed branch.txt
var branchSubjects string

// A subject is tests of one package of a module.
type subject struct {
	genSubject // of which typ is not used
	tests      []string
	kinds      []string // what they test, for the table
}

// Bounds of an exploration of a subject by strategy branch.
const (
	subjectRuns   = 200
	subjectBudget = 20 * time.Second
)

// readSubjects reads branch.txt.
func readSubjects() (all []*subject, err error) {
	rows, err := rowsOf("branch.txt", branchSubjects, "kind, module, version, package and test", 5)
	for _, f := range rows {
		s := genSubject{module: f[1], version: f[2], pkg: f[3]}
		if n := len(all); n == 0 || all[n-1].genSubject != s {
			all = append(all, &subject{genSubject: s})
		}
		last := all[len(all)-1]
		last.tests, last.kinds = append(last.tests, f[4]), append(last.kinds, f[0])
	}
	return all, err
}

// explore explores the tests of a subject, in a copy of its module. Both strategies use the build
// for data flow.
func (s *subject) explore(ctx context.Context) (map[string]*explored, error) {
	dir, err := os.MkdirTemp("", "heddle-branch-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := s.copyTo(ctx, dir); err != nil {
		return nil, err
	}
	_, p, err := run.Build(ctx, build.Config{Dir: dir, Patterns: []string{s.pkg}, Flow: true})
	if err != nil {
		return nil, err
	}
	found := map[string]*explored{}
	for _, strategy := range []string{"branch", "reach"} {
		flow := strategy == "branch"
		config := branchConfig(p.ImportPath, strategy)
		if flow {
			config.Runs, config.Budget = subjectRuns, int64(subjectBudget)
		}
		pattern := []string{"-test.run=^(" + strings.Join(s.tests, "|") + ")$"}
		if err := run.Binary(ctx, p.Binary, p.Dir, config, pattern, exploredInto(found, flow)); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// measureSubjects prints Table V for the subjects, as a table for pages.
func measureSubjects(ctx context.Context) error {
	subjects, err := readSubjects()
	if err != nil {
		return err
	}
	fmt.Printf("\n| test | of | goroutines | shared | read-shared | affected branches | reach | TPAIR | groups | executions | manners |\n| --- | --- |%s\n", strings.Repeat(" ---: |", 9))
	var more []string
	for _, s := range subjects {
		log.Printf("%s %s", s.module, s.pkg)
		found, err := s.explore(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name(), err)
		}
		for i, t := range s.tests {
			x := found[t]
			if x == nil || x.Groups == nil {
				return fmt.Errorf("%s, %s: nothing was told", s.name(), t)
			}
			executions := fmt.Sprint(x.Settled)
			if x.Settled == 0 {
				executions = fmt.Sprintf("not all in %d", x.executions)
			}
			name := strings.TrimSuffix(s.name(), ".")
			fmt.Printf("| %s | %s (%s) | %d | %d | %d | %d of %d | %s | %s | %d | %s | %d |\n", t, name, s.kinds[i],
				x.Goroutines, x.Shared, x.ReadShared, x.Affected, max(x.Branches, x.Affected), x.reached(),
				x.paired(), x.Groups.Groups, executions, x.Manners)
			if !slices.Contains(more, x.why) {
				more = append(more, x.why)
			}
		}
	}
	fmt.Println()
	for _, w := range more {
		fmt.Println("branch:", w)
	}
	return nil
}
