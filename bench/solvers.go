package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"heddle/symbolic"
)

// A keptQuestion is one that heddle's solver has answered (symbolic.Kept).
type keptQuestion struct {
	target, text string
	took         map[string]time.Duration // by solver
	said         map[string]string
}

// The targets whose questions are compared, and for how long heddle asks.
const (
	solverTargets = "ArrayKey|BitMixing|Heap|MapsKeys|SortMedian|Sprintf|Netip|URL|CSV|KeyValue|Fields|ScanLoop|Scanner|Hex|CRC|FNV|JSON|TimeDate"
	solverBudget  = "5s"
	perTarget     = 200             // questions, evenly drawn
	answerLimit   = 2 * time.Second // for each question, as in heddle
)

// solverTable lets heddle solve for the inputs of bench/programs/ordered, alone, and asks other
// solvers (name=command, which reads SMT-LIB from its standard input) the same questions. It writes
// how long each takes to file.
func solverTable(ctx context.Context, file string, solvers []string) error {
	all, err := keptQuestions(ctx)
	if err != nil {
		return err
	}
	names := []string{"heddle"}
	for _, s := range solvers {
		name, command, err := nameAndCommand(s)
		if err != nil {
			return err
		}
		if err := askSolver(ctx, name, command, all); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		names = append(names, name)
	}
	var b strings.Builder
	fmt.Fprintf(&b, solverHead, answerLimit, commit())
	fmt.Fprintf(&b, "| target | questions | %s |\n| --- | --- |%s\n", strings.Join(names, " | "),
		strings.Repeat(" --- |", len(names)))
	rows := map[string][]*keptQuestion{"all": all}
	for _, q := range all {
		rows[q.target] = append(rows[q.target], q)
	}
	targets := strings.Split(solverTargets, "|")
	for _, t := range append(targets, "all") {
		if len(rows[t]) == 0 {
			continue
		}
		fmt.Fprintf(&b, "| %s | %d |", t, len(rows[t]))
		for _, n := range names {
			fmt.Fprintf(&b, " %s |", spread(rows[t], n))
		}
		b.WriteString("\n")
	}
	for _, n := range names[1:] {
		agree, both := 0, 0
		for _, q := range all {
			if a, b := q.said["heddle"], q.said[n]; a != "unknown" && b != "unknown" {
				both++
				if a == b {
					agree++
				}
			}
		}
		fmt.Fprintf(&b, "\n%s gives heddle's answer to %d of the %d questions that both answer.\n", n, agree, both)
	}
	return os.WriteFile(file, []byte(b.String()), 0o666)
}

const solverHead = `# Solvers

Made by ` + "`go run ./bench -solvers docs/results/solvers.md -heddles z3=...,bitwuzla=...`" + `. For five
seconds each heddle solves for inputs of targets of ` + "`bench/programs/ordered`" + `, without chance, and
keeps its questions in SMT-LIB (` + "`HEDDLE_QUESTIONS=DIR`" + `). Up to 200 of a target are put to the other
solvers, one process for all, from the last line written until the answer is read; heddle's time is
that in the search, with the input that the answer is to be near to. A cell has median, 90th of 100,
and the longest, in milliseconds; %v is the limit. At %s.

`

// spread returns median, 90th percentile and maximum of what a solver took.
func spread(qs []*keptQuestion, solver string) string {
	var ds []time.Duration
	for _, q := range qs {
		ds = append(ds, q.took[solver])
	}
	slices.Sort(ds)
	ms := func(i int) string { return fmt.Sprintf("%.2f", float64(ds[i].Microseconds())/1000) }
	return ms(len(ds)/2) + " / " + ms(len(ds)*9/10) + " / " + ms(len(ds)-1)
}

// keptQuestions lets heddle ask, and returns some of the questions.
func keptQuestions(ctx context.Context) (all []*keptQuestion, err error) {
	tmp, err := os.MkdirTemp("", "questions")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	heddle, err := buildHeddle(ctx, tmp)
	if err != nil {
		return nil, err
	}
	for _, target := range strings.Split(solverTargets, "|") {
		dir := filepath.Join(tmp, target)
		if err := os.Mkdir(dir, 0o777); err != nil {
			return nil, err
		}
		cmd := exec.CommandContext(ctx, heddle, "test", "-run", "^$", "-fuzz", "^Fuzz"+target+"$",
			"-chance=false", "-p", "1", "-count", "1", "-budget", solverBudget,
			"-clips", filepath.Join(tmp, "clips"), ".")
		cmd.Dir = "bench/programs/ordered"
		cmd.Env = append(os.Environ(), "HEDDLE_QUESTIONS="+dir)
		cmd.Run() // finds what there is to find
		os.RemoveAll(filepath.Join(cmd.Dir, "testdata"))
		files, err := filepath.Glob(filepath.Join(dir, "*.smt2"))
		if err != nil {
			return nil, err
		}
		slices.Sort(files)
		n := min(perTarget, len(files))
		for i := range n {
			text, err := os.ReadFile(files[i*len(files)/n])
			if err != nil {
				return nil, err
			}
			var said string
			var took time.Duration
			if _, err := fmt.Sscanf(string(text), symbolic.KeptLine, &said, &took); err != nil {
				return nil, fmt.Errorf("%s: expected a first line like %q: %w", files[i],
					symbolic.KeptLine, err)
			}
			all = append(all, &keptQuestion{target, string(text),
				map[string]time.Duration{"heddle": took}, map[string]string{"heddle": said}})
		}
		fmt.Fprintf(os.Stderr, "%s: %d questions\n", target, len(files))
	}
	return all, nil
}

// A peerSolver is a process that reads SMT-LIB.
type peerSolver struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out chan string
}

func startSolver(ctx context.Context, command string) (*peerSolver, error) {
	words := strings.Fields(command)
	s := &peerSolver{cmd: exec.CommandContext(ctx, words[0], words[1:]...), out: make(chan string)}
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	go func() {
		defer close(s.out)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			s.out <- strings.TrimSpace(lines.Text())
		}
	}()
	return s, s.cmd.Start()
}

func (s *peerSolver) stop() {
	s.in.Close()
	s.cmd.Process.Kill()
	for range s.out {
	}
	s.cmd.Wait()
}

// askSolver asks a solver all questions. One that takes longer than the limit begins anew.
func askSolver(ctx context.Context, name, command string, all []*keptQuestion) error {
	s, err := startSolver(ctx, command)
	if err != nil {
		return err
	}
	defer func() { s.stop() }()
	for i, q := range all {
		began := time.Now()
		if _, err := io.WriteString(s.in, "(reset)\n"+q.text); err != nil {
			return err
		}
		q.said[name] = "unknown"
		select {
		case line, ok := <-s.out:
			if !ok || line != "sat" && line != "unsat" && line != "unknown" {
				return fmt.Errorf("question %d: expected sat, unsat or unknown, found %q", i,
					cmp.Or(line, "the end"))
			}
			q.said[name] = line
		case <-time.After(answerLimit):
			s.stop()
			if s, err = startSolver(ctx, command); err != nil {
				return err
			}
		}
		q.took[name] = time.Since(began)
	}
	return nil
}
