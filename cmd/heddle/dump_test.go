package main

import (
	"fmt"
	"strings"
	"testing"
)

const blockedDump = `something printed
SIGQUIT: quit
PC=0x40ac0e m=0 sigcode=0

goroutine 19 gp=0x3bfdfb2803c0 m=nil [IO wait, 2 minutes]:
runtime.gopark(0x3bfdfb2b03c0?, 0x0?, 0xa?, 0x0?, 0xb?)
	/usr/local/go/src/runtime/proc.go:462 +0xce fp=0x3bfdfb2e1b38 sp=0x3bfdfb2e1b18 pc=0x48842e
internal/poll.(*FD).Read(0x3bfdfb2b03c0, {0x3bfdfb2e1cbf, 0x1, 0x1})
	/usr/local/go/src/internal/poll/fd_unix.go:165 +0x2ae
os.(*File).Read(0x3bfdfb29e1b0, {0x3bfdfb2e1cbf?, 0x1?, 0x1?})
	/usr/local/go/src/os/file.go:144 +0x4f
ex.com/crash.read(...)
	/tmp/two-crash/a_test.go:42 +0x4e
ex.com/crash.TestBlock.func1(0x626060?)
	/tmp/two-crash/a_test.go:37 +0x105
heddlert/sched.(*Sched).start(0x0?, 0x3bfdfb3142c0)
	/usr/local/go/src/heddlert/sched/goroutine.go:182 +0xa3
created by heddlert/sched.newcoro in goroutine 1
	/usr/local/go/src/runtime/heddle.go:86 +0x13

goroutine 20 gp=0x3bfdfb2803c0 m=nil [coroutine]:
ex.com/crash.other()
	/tmp/two-crash/a_test.go:99 +0x4e
heddlert/sched.(*Sched).start(0x0?, 0x3bfdfb3142c0)
	/usr/local/go/src/heddlert/sched/goroutine.go:182 +0xa3

rax    0x0
`

func TestDumpShowsWhoBlocks(t *testing.T) {
	before, gs := parseDump(blockedDump)
	if !strings.HasSuffix(before, "sigcode=0\n\n") || len(gs) != 2 {
		t.Fatalf("%d goroutines after %q", len(gs), before)
	}
	var got []string
	g := culprit(gs[1:])
	if g != nil {
		t.Errorf("a suspended goroutine is to blame: %+v", g)
	}
	g = culprit(gs)
	for _, f := range g.userFrames() {
		got = append(got, fmt.Sprintf("%s %s:%d", f.Func, f.File, f.Line))
	}
	want := []string{
		"os.(*File).Read /usr/local/go/src/os/file.go:144",
		"ex.com/crash.read /tmp/two-crash/a_test.go:42",
		"ex.com/crash.TestBlock.func1 /tmp/two-crash/a_test.go:37",
	}
	if g.state != "IO wait, 2 minutes" || strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s\n%s", g.state, strings.Join(got, "\n"))
	}
}

func TestNoDump(t *testing.T) {
	if before, gs := parseDump("exit\n"); before != "exit\n" || gs != nil {
		t.Errorf("%q %v", before, gs)
	}
}
