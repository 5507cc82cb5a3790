package report

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"heddle/explore/why"
	"heddle/rt/wire"
)

var update = flag.Bool("update", false, "rewrite the goldens; only commit the changes if you understand what caused them")

// golden compares got with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		os.MkdirAll("testdata", 0o777)
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for line := range strings.Lines(got) {
		if strings.HasSuffix(line, " \n") {
			t.Errorf("space at the end of %q", line)
		}
	}
}

// The program that the findings of these tests come from.
const bank = `package bank

import "sync"

type account struct {
	mu      sync.Mutex
	balance int
}

func transfer(from, to *account, n int) {
	from.mu.Lock()
	to.mu.Lock()
	from.balance -= n
	to.balance += n
	to.mu.Unlock()
	from.mu.Unlock()
}

func (a *account) add(n int, done chan bool) {
	b := a.balance
	a.balance = b + n
	done <- true
}

func TestTransfer(t *testing.T) {
	go transfer(a, b, 1)
	go transfer(b, a, 1)
	wg.Wait()
	<-done
}
`

func source(file string, line int) string {
	l := strings.Split(bank, "\n")
	if strings.HasSuffix(file, "bank.go") && line <= len(l) {
		return strings.TrimSpace(l[line-1])
	}
	return ""
}

// sites is the position table: a site is its line.
func sites(site uint64) (SitePos, bool) {
	texts := map[uint64]string{20: "a.balance", 21: "a.balance", 22: "done", 29: "done"}
	return SitePos{File: "/home/me/bank/bank.go", Line: int(site), Text: texts[site]}, site < 100
}

func options(out *bytes.Buffer) Options {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return Options{
		Out: out, Err: out, Dir: "/home/me/bank", GOROOT: "/usr/go", Source: source, Lookup: sites,
		Object: func(file string, line int, op string) string {
			return map[int]string{11: "from.mu", 12: "to.mu", 28: "wg"}[line]
		},
		Now: func() time.Time { now = now.Add(time.Millisecond); return now },
	}
}

func at(line int) wire.Place { return wire.Place{Site: uint64(line)} }

func pc(line int, fn string) wire.Place {
	return wire.Place{File: "/home/me/bank/bank.go", Line: line, Func: "example.com/bank." + fn}
}

func library(file string, line int, fn string) wire.Place {
	return wire.Place{File: "/usr/go/src/" + file, Line: line, Func: fn}
}

func do(p wire.Place, g, op, note string) wire.Place {
	p.Goroutine, p.Op, p.Note = g, op, note
	return p
}

func step(g, op string, line int) wire.Step {
	return wire.Step{G: g, Op: op, Choice: -1, Where: at(line)}
}

func switched(s wire.Step) wire.Step {
	s.Switch = true
	return s
}

func lockStack(g string, line int) wire.Stack {
	return wire.Stack{Goroutine: g, State: "waits to lock to.mu", Site: 26, Frames: []wire.Place{
		library("internal/sync/mutex.go", 63, "internal/sync.(*Mutex).Lock"),
		library("sync/mutex.go", 46, "sync.(*Mutex).Lock"),
		pc(line, "transfer"),
		{File: "/cache/heddlert/sched/run.go", Line: 3, Func: "heddlert/sched.run"},
	}}
}

func dataRace() *wire.Finding {
	return &wire.Finding{
		Kind: "data race", Executions: 37,
		Places: []wire.Place{do(at(21), "main/2", "write", ""), do(at(20), "main/1", "read", "")},
		Stacks: []wire.Stack{
			{Goroutine: "main/2", Site: 27, Frames: []wire.Place{pc(21, "(*account).add")}},
			{Goroutine: "main/1", Site: 26, Frames: []wire.Place{pc(20, "(*account).add")}},
		},
		Clip: wire.Clip{Steps: []wire.Step{
			step("main", "go", 26), step("main", "go", 27), step("main", "wg-wait", 28),
			step("main/1", "read", 20), switched(step("main/2", "read", 20)), step("main/2", "write", 21),
			step("main/2", "send", 22),
			switched(step("main/1", "write", 21)),
		}},
		Switches: 2,
	}
}

// findings returns a finding of each kind.
func findings() map[string]*wire.Finding {
	long := wire.Clip{}
	for i := range 400 {
		s := step([]string{"main/1", "main/2", "main/3"}[i/20%3], []string{"lock", "unlock"}[i%2], 11+i%2)
		s.Switch = i%20 == 0
		long.Steps = append(long.Steps, s)
	}
	cut := wire.Clip{Steps: slices.Clone(long.Steps[:100])} // the rest is in the non-preemptive order
	for i := range cut.Steps {
		cut.Steps[i].Switch = i == 20
	}
	return map[string]*wire.Finding{
		"race": dataRace(),
		"end_left_out": {
			Kind: "test failure", Message: "3 not 2", Executions: 2, Switches: 1,
			Places: []wire.Place{do(at(30), "main", "fail", "")},
			Clip:   cut, Skipped: 14_000,
			Rest: []wire.Step{step("main/1", "lock", 11), step("main/1", "unlock", 12),
				step("main", "wg-wait", 28)},
		},
		"deadlock": {
			Kind: "deadlock", Message: "all goroutines wait: main/1 and main/2 for each other, main for them",
			Executions: 4,
			Places: []wire.Place{
				do(pc(28, "TestTransfer"), "main", "wg-wait", ""),
				do(pc(12, "transfer"), "main/1", "lock", "held by main/2"),
				do(pc(12, "transfer"), "main/2", "lock", "held by main/1"),
			},
			Stacks: []wire.Stack{
				{Goroutine: "main", State: "waits for wg",
					Frames: []wire.Place{library("sync/waitgroup.go", 118, "sync.(*WaitGroup).Wait"),
						pc(28, "TestTransfer"), library("testing/testing.go", 1934, "testing.tRunner")}},
				lockStack("main/1", 12), lockStack("main/2", 12),
			},
			Clip: wire.Clip{Steps: []wire.Step{step("main", "go", 26), step("main", "go", 27),
				step("main", "wg-wait", 28), step("main/1", "lock", 11),
				switched(step("main/2", "lock", 11))}},
		},
		"partial_deadlock": {
			Kind: "deadlock", Message: "main/1 can never run again: it waits for a lock whose owner has ended", Executions: 1,
			Places: []wire.Place{do(pc(12, "transfer"), "main/1", "lock", "")},
			Stacks: []wire.Stack{lockStack("main/1", 12)},
		},
		"leak": {
			Kind: "leak", Executions: 1, Places: []wire.Place{do(at(22), "main/1", "send", "")},
			Stacks: []wire.Stack{{Goroutine: "main/1", State: "waits to send on done", Site: 26,
				Frames: deep()}},
			Clip: long,
		},
		"panic": {
			Kind: "panic", Message: "panic: send on closed channel", Executions: 12_345,
			Places: []wire.Place{do(at(22), "main/1", "send", "")},
			Stacks: []wire.Stack{{Goroutine: "main/1", State: "panics", Site: 26,
				Frames: []wire.Place{pc(22, "(*account).add")}}},
			Output: "=== RUN   TestTransfer\nbefore\n\tthe \x1b[31mpanic\x00\n",
		},
		"test_failure": {
			Kind: "test failure", Message: "balance is 99, want 100", Executions: 3,
			Output: strings.Repeat("    bank_test.go:9: one of many lines\n", 50),
		},
		"misuse": {
			Kind: "misuse", Message: "sync: unlock of unlocked mutex", Executions: 2,
			Places: []wire.Place{do(pc(12, "transfer"), "main", "unlock", "")},
		},
		"livelock": {
			Kind: "livelock", Message: "main/1 spins and no goroutine is left to write what it reads",
			Executions: 1,
			Places:     []wire.Place{do(at(20), "main/1", "atomic-load", "")},
			Stacks: []wire.Stack{{Goroutine: "main/1", State: "spins",
				Frames: []wire.Place{pc(20, "(*account).add")}}},
		},
		"divergence": {Kind: "divergence", Divergence: "diverges at step 14: expected lock of mu at bank.go:20, got read of x at bank.go:21", Executions: 2},
		"uncontrolled": {Kind: "uncontrolled", Message: "net.(*conn).Read blocks for 5 s in goroutine main/1",
			Executions: 1, Uncontrolled: true},
		"other": {
			Kind: "atomicity violation", Executions: 9,
			Places: []wire.Place{do(at(20), "main/1", "read", "first"), do(at(21), "main/2", "write", ""),
				do(wire.Place{}, "main/1", "write", "then")},
		},
	}
}

// deep returns a stack with more frames than are shown.
func deep() []wire.Place {
	f := []wire.Place{pc(22, "(*account).add"), library("slices/sort.go", 1, "slices.SortFunc[...]"),
		library("slices/sort.go", 2, "slices.SortFunc[...]")}
	for range 4 { // a function that calls itself, and two that call each other
		f = append(f, pc(22, "recursive"))
	}
	for range 5 {
		f = append(f, pc(20, "odd"), pc(21, "even"))
	}
	return f
}

// report prints one test with one finding.
func report(o Options, f *wire.Finding) int {
	r := New(o)
	p := r.Package("example.com/bank")
	p.Record(&wire.Record{Type: "begin", Test: "TestTransfer"})
	p.Record(&wire.Record{Type: "output", Test: "TestTransfer", Text: "of the first execution\n"})
	p.Finding("TestTransfer", f, "/home/me/bank/testdata/heddle/TestTransfer/3f9a02c1")
	p.Record(&wire.Record{Type: "end", Test: "TestTransfer", Executions: f.Executions, Elapsed: 0.011,
		Result: "pass"})
	p.Record(&wire.Record{Type: "done"})
	p.End(412*time.Millisecond, errors.New("exit status 1"))
	return r.Close()
}

func TestFindings(t *testing.T) {
	for name, f := range findings() {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if code := report(options(&out), f); code != 1 {
				t.Errorf("exit code %d", code)
			}
			golden(t, name, out.String())
		})
	}
}

func TestVerbose(t *testing.T) {
	var out bytes.Buffer
	o := options(&out)
	o.Verbose = true
	report(o, findings()["leak"])
	golden(t, "leak_verbose", out.String())
}

// Every way in which a test without findings can end.
func TestVerdicts(t *testing.T) {
	for _, verbose := range []bool{false, true} {
		var out bytes.Buffer
		o := options(&out)
		o.Verbose = verbose
		r := New(o)
		p := r.Package("example.com/bank")
		test := func(rec wire.Record) {
			p.Record(&wire.Record{Type: "begin", Test: rec.Test})
			p.Record(&wire.Record{Type: "output", Test: rec.Test,
				Text: "=== RUN   " + rec.Test + "\n    x_test.go:3: output\n--- PASS: " + rec.Test +
					" (0.00s)\n"})
			rec.Type = "end"
			p.Record(&rec)
		}
		test(wire.Record{Test: "TestClose", Executions: 12096, Elapsed: 0.21, Complete: true, Result: "pass"})
		test(wire.Record{Test: "TestSampled", Executions: 200, Elapsed: 0.4, Result: "pass"})
		test(wire.Record{Test: "TestBound", Executions: 200, Elapsed: 75, Result: "pass",
			Why: why.Bare(why.With(why.Other, "3 executions reached the bound of 100,000 steps"))})
		test(wire.Record{Test: "TestPlain", Executions: 2, Elapsed: 0.0001, Complete: true, Result: "pass",
			Why: why.Bare(why.Of(why.Alone))})
		test(wire.Record{Test: "TestSkipped", Executions: 1, Result: "skip", Reason: "needs a network"})
		p.Record(&wire.Record{Type: "begin", Test: "TestStale"})
		p.Finding("TestStale",
			&wire.Finding{Kind: "divergence", FromClip: "testdata/heddle/TestStale/00000001",
				Divergence: "diverges at step 14: expected lock of mu at bank.go:20, got end"}, "")
		p.Record(&wire.Record{Type: "note", Test: "TestStale", Reason: "a note"})
		p.Record(&wire.Record{Type: "end", Test: "TestStale", Executions: 5, Elapsed: 0.1})
		if p.Failed() {
			t.Error("failed")
		}
		test(wire.Record{Test: "TestBroken", Executions: 1, Elapsed: 0.02, Result: "fail",
			Reason: "fails on its plain run, without heddle's doing"})
		p.Record(&wire.Record{Type: "done"})
		p.End(3*time.Second, nil)
		r.NoTests("example.com/bank/internal")
		r.BuildFailed("example.com/bank/wrong", "# example.com/bank/wrong\n./x.go:3:1: syntax error")
		q := r.Package("example.com/bank/crash")
		q.Record(&wire.Record{Type: "begin", Test: "TestCrash"})
		q.Record(&wire.Record{Type: "progress", Test: "TestCrash", Executions: 17, Elapsed: 0.3})
		q.Output("fatal error: all is lost\n")
		q.End(time.Second, errors.New("signal: killed"))
		r.Package("example.com/bank/empty").End(5*time.Millisecond, nil)
		r.Package("example.com/bank/dies").End(5*time.Millisecond, errors.New("exit status 3"))
		if code := r.Close(); code != 1 {
			t.Errorf("exit code %d", code)
		}
		golden(t, map[bool]string{false: "verdicts", true: "verdicts_verbose"}[verbose], out.String())
	}
}

// Only a complete exploration may read like a proof.
func TestSampledNeverReadsAsVerified(t *testing.T) {
	for _, rec := range []TestResult{{Executions: 5},
		{Executions: 5, Why: why.Bare(why.With(why.Other, "step bound"))}, {Executions: 1}} {
		if s := covered(&rec); strings.Contains(s, "all") || strings.Contains(s, "covered") ||
			!strings.Contains(s, "sampled") {
			t.Error(s)
		}
	}
}

func TestExitCodes(t *testing.T) {
	var out bytes.Buffer
	r := New(options(&out))
	r.Package("p").End(0, nil)
	if c := r.Close(); c != 0 {
		t.Errorf("fine: %d", c)
	}
	r.BuildFailed("q", "no")
	if c := r.Close(); c != 2 {
		t.Errorf("build failure: %d", c)
	}
}

// Packages that run concurrently print one after the other, in the order of their start.
func TestPackagesInOrder(t *testing.T) {
	var out bytes.Buffer
	r := New(options(&out))
	var ps []*Package
	for _, name := range []string{"a", "b", "c", "d"} {
		ps = append(ps, r.Package(name))
	}
	test := func(p *Package, name string) {
		p.Record(&wire.Record{Type: "begin", Test: name})
		p.Record(&wire.Record{Type: "end", Test: name, Executions: 2, Complete: true})
	}
	test(ps[2], "TestC1")
	test(ps[0], "TestA1")
	test(ps[1], "TestB1")
	ps[2].End(time.Second, nil)
	test(ps[1], "TestB2")
	test(ps[3], "TestD1")
	ps[1].End(time.Second, nil)
	test(ps[0], "TestA2")
	ps[0].End(time.Second, nil)
	ps[3].End(time.Second, nil)
	var got []string
	for line := range strings.Lines(out.String()) {
		got = append(got, strings.Fields(line)[1])
	}
	if s := strings.Join(got, " "); s != "TestA1 TestA2 a TestB1 TestB2 b TestC1 c TestD1 d" {
		t.Errorf("order %s\n%s", s, out.String())
	}
}

func TestStatusLine(t *testing.T) {
	var out, status bytes.Buffer
	o := options(&out)
	o.Status, o.Runs, o.Width = &status, 200, 80
	now := time.Unix(0, 0)
	o.Now = func() time.Time { return now }
	r := New(o)
	r.Doing("compiling the standard library")
	p := r.Package("p")
	p.Record(&wire.Record{Type: "begin", Test: "TestX"})
	for i := range 100 {
		now = now.Add(10 * time.Millisecond)
		p.Record(&wire.Record{Type: "progress", Test: "TestX", Executions: i + 1,
			Elapsed: float64(i+1) / 100})
	}
	p.Finding("TestX", dataRace(), "")
	if n := strings.Count(status.String(), "\r"); n > 12 {
		t.Errorf("drawn %d times in a second", n)
	}
	if s := status.String(); !strings.Contains(s, "\rcompiling the standard library  <1ms\x1b[K") ||
		!strings.Contains(s, "\rTestX  90 executions  100/s  45%  0.9s\x1b[K") {
		t.Errorf("%q", s)
	}
	p.Record(&wire.Record{Type: "end", Test: "TestX", Executions: 100})
	if !strings.Contains(status.String(), "\r\x1b[K") {
		t.Error("the status line is not cleared before text")
	}
	if strings.ContainsAny(out.String(), "\x1b\r") {
		t.Error("escapes in the text")
	}
}

func TestColour(t *testing.T) {
	var out bytes.Buffer
	o := options(&out)
	o.Colour = true
	report(o, dataRace())
	if !strings.Contains(out.String(), "\x1b[31m--- FAIL\x1b[0m: TestTransfer") {
		t.Error(out.String())
	}
}
