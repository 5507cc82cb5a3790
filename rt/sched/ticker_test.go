package sched

import (
	"testing"
	"unsafe"

	"heddle/rt/hook"
	"heddle/trace"
)

// The function of a ticker looks at the clock when an execution has done so much that looking takes
// time: it cannot wait.
func TestTickerFunctionLooks(t *testing.T) {
	const fires = 2 * beatEvery / lookWork
	words := make([]int, 1024)
	var ticker [8]int64
	fired := 0
	tr := S.Run(func() {
		work(words, (workAfter+1)*beatEvery)
		hook.TimerStart(unsafe.Pointer(&ticker), ms, ms, func(any, uintptr, int64) {
			hook.Now()
			fired++
		}, nil, nil, 9)
		for fired < fires {
			hook.Sleep(ms, 9)
		}
	}, Options{Schedule: new(trace.Schedule), Policy: policyOf(t, "random")})
	if tr.Verdict != trace.Finished || fired < fires {
		t.Errorf("%v after %d ticks", tr.Verdict, fired)
	}
}
