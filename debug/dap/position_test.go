package dap

import (
	"slices"
	"testing"

	"github.com/google/go-dap"
)

func TestPosition(t *testing.T) {
	p := position{}.moved(3, false)
	if p.next() != 4 || p.earlier() != 0 {
		t.Errorf("in step 3: %+v", p)
	}
	p = p.moved(3, true).moved(3, true)
	if p.earlier() != 1 || p.next() != 4 {
		t.Errorf("at the second breakpoint of a step: %+v, want one earlier", p)
	}
	if p = p.moved(3, false); p.earlier() != 2 {
		t.Errorf("behind it: %+v, want two earlier", p)
	}
	if p = p.moved(4, false); p.earlier() != 0 {
		t.Errorf("in the next step: %+v, want none", p)
	}
	p.before = true
	if p.next() != 4 {
		t.Errorf("before step 4: next is %d", p.next())
	}
}

func TestMoments(t *testing.T) {
	before, in, next := position{step: 3, before: true}, position{step: 3}, position{step: 4, before: true}
	if !before.precedes(in) || in.precedes(before) || in.precedes(next) || before.same(in) || !in.same(in) {
		t.Error("want: before step 3, then in it, which is before step 4")
	}
}

func TestCompareNames(t *testing.T) {
	names := []string{"main/10", "main/2/1", "timers", "main/2", "main", "main/1"}
	slices.SortFunc(names, compareNames)
	want := []string{"main", "main/1", "main/2", "main/2/1", "main/10", "timers"}
	if !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

func TestFrames(t *testing.T) {
	at := func(name, path, hint string) dap.StackFrame {
		return dap.StackFrame{Name: name, Source: &dap.Source{Path: path}, PresentationHint: hint}
	}
	for _, c := range []struct {
		frame dap.StackFrame
		want  bool
	}{
		{at("sched.debugPause", "/heddle-goroot/src/heddlert/sched/debug.go", ""), false},
		{at("runtime.HeddleGetg", "/heddle-goroot/src/runtime/heddle.go", ""), false},
		{at("sched.coroswitch", "/go/src/runtime/heddle.go", ""), false},
		{at("sync.(*Mutex).Lock", "/go/src/sync/mutex.go", ""), true},
		{at("bank.Move", "/home/u/bank/bank.go", ""), true},
		{dap.StackFrame{Name: "bank.Move"}, false},
	} {
		if got := ofProgram(&c.frame); got != c.want {
			t.Errorf("%s: %v, want %v", c.frame.Name, got, c.want)
		}
	}
	frames := []dap.StackFrame{at("sync.(*Mutex).Lock", "a", "subtle"), at("bank.Move", "b", "")}
	if First(frames) != 1 || First(frames[:1]) != 0 {
		t.Error("First: want the program's frame, or else the innermost")
	}
}
