package drive

import (
	"context"
	"runtime"
	"time"

	"heddle/rt/limit"
	"heddle/rt/sched"
	"heddle/rt/wire"
	"heddle/trace"
)

// benchTime is how long each test is executed for its figures where no budget is given.
const benchTime = time.Second

// bench measures executions of one test under one policy, and beside them the
// bare switches that it took.
func (d *driver) bench(t *Test) {
	x := newLocal(d, t)
	q := &wire.Request{Schedule: trace.Schedule{Policy: d.cfg.Strategy, Seed: 1}}
	var steps, hops int
	execute := func() {
		ex, err := x.Execute(context.Background(), q)
		if err != nil {
			fatal("%v", err)
		}
		tr := ex.Trace
		steps, hops = len(tr.Steps), 0
		for i := 1; i < len(tr.Steps); i++ {
			if tr.Steps[i].G != tr.Steps[i-1].G {
				hops++
			}
		}
	}
	length := time.Duration(d.cfg.Budget)
	if length == 0 {
		length = benchTime
	}
	start := time.Now()
	warm := 0
	for ; warm < 200 && time.Since(start) < length; warm++ {
		execute()
	}
	batch := 1 // executions between two looks at the clock
	if warm == 200 {
		batch = 16
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	n := 0
	start = time.Now()
	used := limit.ProcessorTime()
	for ; n%batch != 0 || n == 0 || n < d.cfg.Runs || time.Since(start) < length; n++ {
		execute()
	}
	took := limit.ProcessorTime() - used
	runtime.ReadMemStats(&after)
	var end runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&end)
	b := &wire.Bench{
		Before: before.HeapAlloc + before.StackInuse, After: end.HeapAlloc + end.StackInuse,
		Executions: n, Nanoseconds: float64(took.Nanoseconds()) / float64(n), Steps: steps, Switches: hops,
		Bytes:  float64(after.TotalAlloc-before.TotalAlloc) / float64(n),
		Allocs: float64(after.Mallocs-before.Mallocs) / float64(n),
	}
	if hops > 0 && d.cfg.Budget == 0 {
		b.BareSwitch = float64(sched.BareSwitches(4, 2_000_000).Nanoseconds()) / 2_000_000
	}
	d.send(&wire.Record{Type: "bench", Test: t.Name, Bench: b})
}
