package wire

import (
	"reflect"
	"testing"

	"heddle/trace"
)

func TestCrashTraceIsWhatWasPut(t *testing.T) {
	want := &trace.Trace{
		Verdict:    trace.Panicked,
		Goroutines: []trace.Goroutine{{Parent: trace.NoG}, {Parent: trace.NoG, N: 1}, {Parent: 0, N: 1, Site: 1<<63 | 5}},
		Steps: []trace.Step{
			{G: 0, Op: trace.OpLock, Choice: -1, Default: 2, Site: 9},
			{G: 2, Op: trace.OpChoose, Choice: 3, Default: 2},
		},
	}
	mem := make([]byte, CrashHeader+5*CrashEntry)
	at := CrashHeader
	for i := range want.Goroutines {
		PutCrashGo(mem[at:], &want.Goroutines[i])
		at += CrashEntry
	}
	for i := range want.Steps {
		PutCrashStep(mem[at:], &want.Steps[i])
		at += CrashEntry
	}
	mem[CrashCount], mem[CrashSteps] = 5, 2
	if got := CrashTrace(mem); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	mem[CrashSteps] = 3 // one did not fit
	if got := CrashTrace(mem); got != nil {
		t.Errorf("got %+v of a file that is not whole", got)
	}
	mem[CrashCount], mem[CrashSteps] = 200, 2 // more than the file holds
	if got := CrashTrace(mem); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := CrashTrace(mem[:100]); got != nil {
		t.Errorf("got %+v of nothing", got)
	}
}

func TestCrashInfoIsWhatWasPut(t *testing.T) {
	want := CrashInfo{Running: true, Test: "TestÜber", Execution: 1 << 40, Policy: "pct", Seed: 1 << 63, Depth: 7, Free: true}
	mem := make([]byte, CrashHeader)
	want.Put(mem)
	if got, ok := ReadCrash(mem); !ok || got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
