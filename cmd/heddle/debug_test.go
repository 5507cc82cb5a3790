package main

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-delve/delve/service/api"
	"github.com/go-delve/delve/service/rpc2"
	protocol "github.com/google/go-dap"

	"heddle/debug/dap"
)

// account is a program with a lost update. What a debugger must show of it was written from the
// report of its clip, whose table is:
//
//	 5        read a.balance                   account.go:6
//	 6                       * start           account_test.go:13
//	 7                         read a.balance  account.go:6
//	 8                         write a.balance account.go:7
//	 9                         add wg          account_test.go:14
//	10        write a.balance                  account.go:7
//	11        add wg                           account_test.go:14
//	12  wait wg                                account_test.go:18
var account = map[string]string{
	"go.mod": "module example.com/account\n\ngo 1.26\n",
	"account.go": `package account

type Account struct{ balance int }

func (a *Account) Add(n int) {
	old := a.balance
	a.balance = old + n
}

func (a *Account) Balance() int { return a.balance }
`,
	"account_test.go": `package account

import (
	"sync"
	"testing"
)

func TestAdd(t *testing.T) {
	a := &Account{balance: 100}
	var wg sync.WaitGroup
	for _, n := range []int{10, 20} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			a.Add(n)
		}()
	}
	wg.Wait()
	if got := a.Balance(); got != 130 {
		t.Errorf("balance %d, want 130", got)
	}
}
`,
}

// clipOf explores the program of files and returns its folder, and the clip of its finding of a
// kind ("": any) with a message that says so.
func clipOf(t *testing.T, files map[string]string, kind, says string, flags ...string) (tool *tool,
	path string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	out := new(bytes.Buffer)
	tool = testTool(t, dir, out)
	args := append(append([]string{"test"}, flags...), ".")
	if code := tool.run(t.Context(), args); code != exitFindings {
		t.Fatalf("heddle test: exit code %d\n%s", code, out)
	}
	clips, err := filepath.Glob(filepath.Join(dir, "testdata/heddle/*/*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range clips {
		text, err := os.ReadFile(c)
		if err == nil && (kind == "" || strings.Contains(string(text), "kind       "+kind+"\n")) &&
			strings.Contains(string(text), says) {
			return tool, c
		}
	}
	t.Fatalf("no clip of a %s\n%s", kind, out)
	return nil, ""
}

func testTool(t *testing.T, dir string, out *bytes.Buffer) *tool {
	tool := &tool{Stdout: out, Stderr: out, Dir: dir}
	t.Cleanup(tool.close)
	return tool
}

// A debugging is a client with the server that it talks to.
type debugging struct {
	*dap.Client
	t      *testing.T
	stop   protocol.StoppedEventBody
	served chan error
	conn   net.Conn

	program map[string]string
}

// debugClip starts a debugger on a clip; breakpoints are lines of account.go. It is at the first
// stop then.
func debugClip(t *testing.T, tool *tool, path string, flags []string, lines ...int) *debugging {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(cancel)
	o := new(options)
	if _, err := tool.parse("debug", o, flags, true, o.buildFlags, o.pickFlags, o.hangFlag); err != nil {
		t.Fatal(err)
	}
	p, err := tool.debugged(ctx, o, path)
	if err != nil {
		t.Fatal(err)
	}
	ours, its := net.Pipe()
	d := &debugging{Client: dap.NewClient(ctx, ours), t: t, served: make(chan error, 1), conn: ours}
	d.Output = func(category, text string) { t.Logf("%s: %s", category, text) }
	go func() { d.served <- dap.Serve(ctx, p, its) }()
	t.Cleanup(func() { ours.Close(); <-d.served })
	d.must(d.Start())
	args := protocol.SetBreakpointsArguments{
		Source: protocol.Source{Path: filepath.Join(tool.Dir, "account.go")}}
	for _, n := range lines {
		args.Breakpoints = append(args.Breakpoints, protocol.SourceBreakpoint{Line: n})
	}
	if len(lines) > 0 {
		var set protocol.SetBreakpointsResponseBody
		d.must(d.Ask("setBreakpoints", args, &set))
		if len(set.Breakpoints) != len(lines) || !set.Breakpoints[0].Verified {
			t.Fatalf("breakpoints: %+v", set)
		}
	}
	d.must(d.Ask("configurationDone", nil, nil))
	d.stop, err = d.Stopped()
	d.must(err)
	return d
}

func (d *debugging) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

// move sends a request and waits for the stop that it leads to.
func (d *debugging) move(command string) {
	d.t.Helper()
	stop, err := d.Move(command, protocol.ContinueArguments{ThreadId: d.stop.ThreadId})
	d.must(err)
	d.stop = stop
}

// heddle is move for a command of heddle's.
func (d *debugging) heddle(command string) {
	d.t.Helper()
	stop, err := d.Move("heddle/step", map[string]any{"command": command})
	d.must(err)
	d.stop = stop
}

// at returns the name of the goroutine that has stopped, where it is, and what an expression is
// there.
func (d *debugging) at(expression string) string {
	d.t.Helper()
	var threads protocol.ThreadsResponseBody
	d.must(d.Ask("threads", nil, &threads))
	name := "?"
	for _, th := range threads.Threads {
		if th.Id == d.stop.ThreadId {
			name, _, _ = strings.Cut(th.Name, ":")
		}
	}
	var stack protocol.StackTraceResponseBody
	d.must(d.Ask("stackTrace", protocol.StackTraceArguments{ThreadId: d.stop.ThreadId}, &stack))
	if len(stack.StackFrames) == 0 {
		return name + ": no frames"
	}
	f := stack.StackFrames[dap.First(stack.StackFrames)]
	where := name + " " + filepath.Base(f.Source.Path) + ":" + strconv.Itoa(f.Line)
	if expression == "" {
		return where
	}
	var value protocol.EvaluateResponseBody
	d.must(d.Ask("evaluate", protocol.EvaluateArguments{Expression: expression, FrameId: f.Id,
		Context: "watch"}, &value))
	return where + " " + expression + "=" + value.Result
}

func (d *debugging) want(expression, want string) {
	d.t.Helper()
	if got := d.at(expression); got != want {
		d.t.Errorf("at %s, want %s", got, want)
	}
}

// TestDebug steps through the clip of the failing test, forwards and backwards, over a real delve.
func TestDebug(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	tool, path := clipOf(t, account, "test failure", "")
	d := debugClip(t, tool, path, nil)

	// It stops by itself where the test fails.
	if d.stop.Reason != "exception" || d.stop.Description != "test failure" {
		t.Errorf("stop %+v, want the test failure", d.stop)
	}
	d.want("got", "main account_test.go:20 got=110")

	for _, want := range []struct{ expression, at string }{
		{"a.balance", "main account_test.go:18 a.balance=110"},
		{"a.balance", "main/1 account_test.go:16 a.balance=110"},
		{"a.balance", "main/1 account.go:7 a.balance=120"},
		{"", "main/2 account_test.go:16"},
		{"a.balance", "main/2 account.go:7 a.balance=100"},
		{"a.balance", "main/2 account.go:6 a.balance=100"},
	} {
		d.move("stepBack")
		d.want(want.expression, want.at)
	}
	d.heddle("switch")
	d.want("old", "main/1 account.go:7 old=100")
	d.move("next")
	d.want("a.balance", "main/1 account.go:8 a.balance=110")
}

// TestDebugBreakpoints stops at the racing line, reads what the report says was read there, and
// goes back from breakpoint to breakpoint.
func TestDebugBreakpoints(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	tool, path := clipOf(t, account, "test failure", "")
	d := debugClip(t, tool, path, nil, 7)
	const first, second = "main/1 account.go:7 old=100", "main/2 account.go:7 old=100"
	d.want("old", first)
	d.move("continue")
	d.want("old", second)
	d.move("continue")
	d.want("got", "main account_test.go:20 got=110")
	d.move("reverseContinue")
	d.want("old", second)
	d.move("reverseContinue")
	d.want("old", first)
	d.move("continue")
	d.want("old", second)
	d.move("reverseContinue")
	d.move("reverseContinue") // to the beginning
	d.want("", "main account_test.go:12")
	d.move("continue")
	d.move("continue")
	d.move("continue") // to where it goes wrong, once more
	d.want("got", "main account_test.go:20 got=110")
}

// TestDebugRace stops where the race is, before the second access, and goes to the accesses of its
// variable.
func TestDebugRace(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	tool, path := clipOf(t, account, "data race", "")
	d := debugClip(t, tool, path, nil)
	if d.stop.Reason != "exception" || d.stop.Description != "data race" {
		t.Errorf("stop %+v, want the race", d.stop)
	}
	at := d.at("a.balance")
	if !strings.HasPrefix(at, "main/2 account.go:") || !strings.HasSuffix(at, "=110") {
		t.Errorf("at %s, want main/2 at account.go, after main/1 has written 110", at)
	}
}

// TestDebugDeadlock stops when no goroutine goes on; the step before that is the last lock that was
// had.
func TestDebugDeadlock(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	tool, path := clipOf(t, map[string]string{
		"go.mod": "module example.com/order\n\ngo 1.26\n",
		"order_test.go": `package order

import (
	"sync"
	"testing"
)

func TestOrder(t *testing.T) {
	var a, b sync.Mutex
	var wg sync.WaitGroup
	wg.Go(func() {
		a.Lock()
		b.Lock()
		b.Unlock()
		a.Unlock()
	})
	wg.Go(func() {
		b.Lock()
		a.Lock()
		a.Unlock()
		b.Unlock()
	})
	wg.Wait()
}
`}, "deadlock", "")
	d := debugClip(t, tool, path, nil)
	if d.stop.Reason != "exception" || d.stop.Description != "deadlock" {
		t.Errorf("stop %+v, want the deadlock", d.stop)
	}
	if at := d.at(""); at != "main/1 order_test.go:13" && at != "main/2 order_test.go:19" {
		t.Errorf("at %s, want a goroutine at the lock that it waits for", at)
	}
	d.move("stepBack")
	at := d.at("")
	if d.stop.Reason != "step" || at != "main/1 order_test.go:12" && at != "main/2 order_test.go:18" {
		t.Errorf("%s at %s, want the step at which the second lock is had", d.stop.Reason, at)
	}
	d.move("continue")
	if d.stop.Description != "deadlock" {
		t.Errorf("stop %+v, want the deadlock once more", d.stop)
	}
}

// TestDebugLeaves ends the debugger in the middle of an execution: no process is left.
func TestDebugLeaves(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	tool, path := clipOf(t, account, "test failure", "")
	d := debugClip(t, tool, path, nil, 7)
	var pid int
	for _, p := range childrenOf(t, os.Getpid()) {
		pid = p
	}
	if pid == 0 {
		t.Fatal("no process is under way")
	}
	d.conn.Close()
	d.must(<-d.served)
	d.served <- nil
	for _, p := range childrenOf(t, os.Getpid()) {
		if p == pid {
			t.Errorf("process %d is left", pid)
		}
	}
}

// TestDebugKilled: when something else kills the process at a stop, the session says so and ends,
// and a step back begins a new process.
func TestDebugKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	if runtime.GOOS != "linux" {
		t.Skip("heddle cannot see here that the process is dead")
	}
	tool, path := clipOf(t, account, "test failure", "")
	d := debugClip(t, tool, path, nil, 7)
	var said []string
	d.Output = func(_, text string) { said = append(said, text) }
	kill := func() {
		for _, pid := range childrenOf(t, os.Getpid()) {
			p, err := os.FindProcess(pid)
			d.must(err)
			d.must(p.Kill())
		}
	}
	kill()
	_, err := d.Move("continue", protocol.ContinueArguments{ThreadId: d.stop.ThreadId})
	if err != dap.ErrEnded {
		t.Fatalf("continue: %v, want the end of the session", err)
	}
	if text := strings.Join(said, ""); !strings.Contains(text, "the process of the test was killed") {
		t.Errorf("the client was told %q", text)
	}
	d.move("stepBack")
	if at := d.at(""); !strings.HasPrefix(at, "main") {
		t.Errorf("after a step back at %s", at)
	}
}

// childrenOf returns the processes that a process has started and that have not ended.
func childrenOf(t *testing.T, parent int) (pids []int) {
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(files) == 0 {
		t.Skip("no /proc here")
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		_, rest, ok := strings.Cut(string(text), ") ")
		if fields := strings.Fields(rest); err == nil && ok && fields[0] != "Z" &&
			fields[1] == strconv.Itoa(parent) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
			pids = append(pids, pid)
		}
	}
	return pids
}

// TestDebugGoLand connects as GoLand does, by delve's own protocol: it stops where the test fails.
func TestDebugGoLand(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	tool, path := clipOf(t, account, "test failure", "")
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	o := new(options)
	if _, err := tool.parse("debug", o, nil, true, o.buildFlags, o.pickFlags, o.hangFlag); err != nil {
		t.Fatal(err)
	}
	p, err := tool.debugged(ctx, o, path)
	if err != nil {
		t.Fatal(err)
	}
	ours, its := net.Pipe()
	served := make(chan error, 1)
	go func() { served <- serveEither(ctx, p, its) }()
	c := rpc2.NewClientFromConn(ours)
	state := <-c.Continue()
	if state.Err != nil {
		t.Fatal(state.Err)
	}
	frames, err := c.Stacktrace(state.SelectedGoroutine.ID, 20, 0, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	fails := func(f api.Stackframe) bool {
		return filepath.Base(f.File) == "account_test.go" && f.Line == 20
	}
	i := slices.IndexFunc(frames, fails)
	if i < 0 {
		t.Fatalf("stack %+v, want account_test.go:20 in it", frames)
	}
	scope := api.EvalScope{GoroutineID: state.SelectedGoroutine.ID, Frame: i}
	if v, err := c.EvalVariable(scope, "got", api.LoadConfig{}); err != nil || v.Value != "110" {
		t.Errorf("got = %+v, %v; want 110", v, err)
	}
	pid := c.ProcessPid()
	ours.Close()
	<-served
	if slices.Contains(childrenOf(t, os.Getpid()), pid) {
		t.Errorf("process %d is left", pid)
	}
}
