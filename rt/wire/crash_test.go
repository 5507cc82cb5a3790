package wire

import (
	"reflect"
	"strings"
	"testing"

	"heddle/trace"
)

func TestCrashTraceIsWhatWasPut(t *testing.T) {
	want := &trace.Trace{
		Verdict: trace.Panicked,
		Goroutines: []trace.Goroutine{{Parent: trace.NoG}, {Parent: trace.NoG, N: 1},
			{Parent: 0, N: 1, Site: 1<<63 | 5}},
		Steps: []trace.Step{
			{G: 0, Op: trace.OpLock, Choice: -1, Default: 2, Site: 9},
			{G: 2, Op: trace.OpChoose, Choice: 3, Default: 2},
		},
	}
	mem := make([]byte, CrashSize)
	gs, steps := CrashRows(mem)
	copy(gs, want.Goroutines)
	copy(steps, want.Steps)
	n := CrashCountsOf(mem)
	n.Goroutines, n.Steps = 3, 2
	if got := CrashTrace(mem); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	n.Lost = 1
	if got := CrashTrace(mem); got != nil {
		t.Errorf("got %+v of a file that is not whole", got)
	}
	n.Lost, n.Steps = 0, CrashSteps+1
	if got := CrashTrace(mem); got != nil {
		t.Errorf("got %+v of a file that says it holds more than it can", got)
	}
	if got := CrashTrace(mem[:100]); got != nil {
		t.Errorf("got %+v of nothing", got)
	}
}

func TestCrashFileKeepsHeaderAndRowsApart(t *testing.T) {
	mem := make([]byte, CrashSize)
	info := CrashInfo{Running: true, Test: strings.Repeat("x", 2000), Execution: 5}
	info.Put(mem)
	if n := *CrashCountsOf(mem); n != (CrashCounts{}) {
		t.Errorf("the header reaches into the counts: %+v", n)
	}
	gs, steps := CrashRows(mem)
	for i := range gs {
		gs[i] = trace.Goroutine{Parent: 7, N: 7, Site: 7}
	}
	for i := range steps {
		if steps[i] != (trace.Step{}) {
			t.Fatalf("step %d lies among the goroutines", i)
		}
	}
}

func TestCrashInfoIsWhatWasPut(t *testing.T) {
	want := CrashInfo{Running: true, Test: "TestÜber", Execution: 1 << 40, Policy: "pct", Seed: 1 << 63,
		Depth: 7, Free: true}
	mem := make([]byte, CrashHeader)
	want.Put(mem)
	if got, ok := ReadCrash(mem); !ok || got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestCrashInputIsWhatWasPut(t *testing.T) {
	mem := make([]byte, CrashSize)
	for _, want := range [][]string{nil, {"int(3)", "string(\"\\x00\")"}} {
		if got := CrashInput(append(mem[:CrashSize:CrashSize],
			AppendCrashInput(nil, want)...)); !reflect.DeepEqual(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := CrashInput(append(mem, "cut"...)); got != nil {
		t.Errorf("got %q of an input that is cut short", got)
	}
}

// FuzzReadCrash: a crash file may be cut off, or have been written over by the program under test.
func FuzzReadCrash(f *testing.F) {
	mem := make([]byte, CrashHeader)
	(&CrashInfo{Running: true, Test: "TestX", Policy: "pct"}).Put(mem)
	f.Add(mem, uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, head []byte, goroutines, steps uint64) {
		if c, ok := ReadCrash(head); ok && (len(c.Test) > 700 || len(c.Policy) > 32) {
			t.Errorf("%+v", c)
		}
		mem := make([]byte, CrashSize)
		copy(mem[:CrashHeader], head)
		n := CrashCountsOf(mem)
		n.Goroutines, n.Steps = uint32(goroutines), uint32(steps)
		if tr := CrashTrace(mem); tr != nil &&
			(len(tr.Goroutines) != int(n.Goroutines) || len(tr.Steps) != int(n.Steps)) {
			t.Errorf("%d goroutines and %d steps of %+v", len(tr.Goroutines), len(tr.Steps), n)
		}
	})
}
