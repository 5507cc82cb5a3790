package predict

import (
	"fmt"
	"testing"

	"heddle/trace"
)

// workload is a trace of about n events by 8 goroutines on 64 variables, each under a lock of its
// own, in sections nested in those of another lock; every section reads, another location of its
// own a few times, and writes. One variable in 32 is also read without its lock, which is a race,
// and goroutines speak over a channel now and then. The number of places, and so of conflicts, does
// not grow with n.
func workload(n int) *trace.Trace {
	const gs, vars = 8, 64
	t := &trace.Trace{Goroutines: make([]trace.Goroutine, gs+1), Objects: make([]trace.Object, 1)}
	t.Goroutines[0].Parent = trace.NoG
	object := func(k trace.ObjKind, addr uintptr) trace.ObjID {
		t.Objects = append(t.Objects, trace.Object{Kind: k, Addr: addr, Cap: 1 << 20})
		return trace.ObjID(len(t.Objects) - 1)
	}
	var mem, locks, outer, own [vars]trace.ObjID
	for v := range vars {
		mem[v], own[v] = object(trace.ObjMemory, uintptr(1<<20+16*v)),
			object(trace.ObjMemory, uintptr(1<<24+16*v))
		locks[v], outer[v] = object(trace.ObjMutex, uintptr(1<<21+16*v)),
			object(trace.ObjMutex, uintptr(1<<22+16*v))
	}
	ch := object(trace.ObjChan, 1<<23)
	sent := []int32{}
	step := func(g trace.GID, op trace.Op, o trace.ObjID, arg int64, site int) {
		s := trace.Site(site + 1)
		t.Steps = append(t.Steps, trace.Step{G: g, Op: op, Choice: -1, Site: s})
		e := trace.Event{G: g, Op: op, Obj: o, Arg: arg, Partner: -1, Site: s, Step: int32(len(t.Steps) - 1)}
		switch {
		case op == trace.OpSend:
			sent = append(sent, int32(len(t.Events)))
		case op == trace.OpRecv:
			e.Partner, sent = sent[0], sent[1:]
		}
		t.Events = append(t.Events, e)
	}
	for g := range gs {
		t.Goroutines[g+1] = trace.Goroutine{Parent: 0, N: int32(g + 1)}
	}
	for i := 0; len(t.Events) < n; i++ {
		g, v := trace.GID(1+i%gs), (i*7+i/vars)%vars
		step(g, trace.OpLock, outer[v], 1, 0)
		for k := range 2 {
			step(g, trace.OpLock, locks[v], 1, 1)
			step(g, trace.OpRead, mem[v], 8, 2+k)
			for range 4 {
				step(g, trace.OpRead, own[int(g)], 8, 4)
				step(g, trace.OpWrite, own[int(g)], 8, 5)
			}
			step(g, trace.OpWrite, mem[v], 8, 6+k)
			step(g, trace.OpUnlock, locks[v], 0, 8)
		}
		step(g, trace.OpUnlock, outer[v], 0, 9)
		if v%32 == 0 {
			step(g, trace.OpRead, mem[v], 8, 10)
		}
		if i%64 == 0 {
			step(g, trace.OpSend, ch, 1, 11)
			step(trace.GID(1+(i+1)%gs), trace.OpRecv, ch, 1, 12)
		}
	}
	return t
}

// BenchmarkAnalysis is the analysis of a trace for races, atomicity and
// serialisability, its graph included.
func BenchmarkAnalysis(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 450_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			t := workload(n)
			b.ResetTimer()
			found := 0
			for b.Loop() {
				found = len(NewGraph(t, Locks).Search(Builtin(Locks), 0))
			}
			b.ReportMetric(float64(found), "candidates")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(t.Events)), "ns/event")
		})
	}
}

// BenchmarkSchedule is making the schedules of one race near the end of a trace.
func BenchmarkSchedule(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 450_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			g := NewGraph(workload(n), Locks)
			goal := lastRace(g)
			b.ResetTimer()
			orders := 0
			for b.Loop() {
				os, _ := Moves{}.Orders(g, goal)
				orders = len(os)
				for _, o := range os {
					g.Schedule(o)
				}
			}
			b.ReportMetric(float64(orders), "schedules")
			b.ReportMetric(float64(goal.Nodes[1]), "node")
		})
	}
}

// lastRace returns the last unlocked read of a workload, with a write to the same
// location, by another goroutine, that nothing orders with it.
func lastRace(g *Graph) Goal {
	for j := int32(len(g.Nodes) - 1); j >= 0; j-- {
		if n := &g.Nodes[j]; n.Op != trace.OpRead || n.outer >= 0 {
			continue
		}
		for i := j - 1; i >= 0; i-- {
			if m := &g.Nodes[i]; m.Op == trace.OpWrite && m.Obj == g.Nodes[j].Obj && m.G != g.Nodes[j].G &&
				g.Unordered(i, j) {
				return Goal{Nodes: []int32{i, j}, Adjacent: true}
			}
		}
	}
	panic("no race")
}
