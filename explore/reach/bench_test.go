package reach

import (
	"context"
	"testing"

	"heddle/bench/model"
	"heddle/explore"
	"heddle/rt/sched"
)

// BenchmarkBBMonitorSC makes the 12,096 executions of BB-monitorSC (Table 4).
func BenchmarkBBMonitorSC(b *testing.B) {
	for b.Loop() {
		sched.S.SetPolled(nil)
		s := New(Options{})
		if r, err := explore.Run(context.Background(), s, &executor{main: bbMonitor(3, 2, model.SC)}, 1<<20,
			nil); err != nil || r.Executions != 12096 {
			b.Fatal(err, r)
		}
	}
}
