package pcr

import (
	"context"
	"testing"

	"heddle/internal/progen"
	"heddle/internal/progen/machine"
	"heddle/trace"
)

// BenchmarkCreate measures Algorithm 3 on a trace of many accesses: 24 variables, 3 goroutines.
func BenchmarkCreate(b *testing.B) {
	tr := &trace.Trace{Goroutines: []trace.Goroutine{{Parent: trace.NoG}}, Objects: make([]trace.Object, 1)}
	for g := range 3 {
		tr.Goroutines = append(tr.Goroutines, trace.Goroutine{Parent: 0, N: int32(g + 1)})
		e := trace.Event{Op: trace.OpGo, Arg: int64(g + 1), Partner: -1, Step: int32(g),
			Site: trace.NewSite(1, 100+g, trace.KindInt, false)}
		tr.Steps = append(tr.Steps, trace.Step{Op: e.Op, Choice: -1, Site: e.Site})
		tr.Events = append(tr.Events, e)
	}
	for range 24 {
		tr.Objects = append(tr.Objects, trace.Object{Kind: trace.ObjMemory, G: 0,
			Addr: uintptr(0x1000 + 8*len(tr.Objects)), N: int32(len(tr.Objects))})
	}
	rng := uint32(1)
	for i := range 900 {
		rng = rng*1664525 + 1013904223
		op := trace.OpRead
		if rng>>20&3 == 0 {
			op = trace.OpWrite
		}
		e := trace.Event{G: trace.GID(i%3 + 1), Op: op, Obj: trace.ObjID(rng>>8%24 + 1), Partner: -1, Arg: 8,
			Site: trace.NewSite(1, int(rng>>12%60)+1, trace.KindInt, false), Step: int32(i + 3)}
		tr.Steps = append(tr.Steps, trace.Step{G: e.G, Op: op, Choice: -1, Site: e.Site})
		tr.Events = append(tr.Events, e)
	}
	b.ReportAllocs()
	for range b.N {
		s := New(Map())
		x := s.read(tr)
		s.create(x)
		b.ReportMetric(float64(s.stats.Candidates), "candidates")
	}
}

// BenchmarkMap measures whole explorations of small random programs.
func BenchmarkMap(b *testing.B) {
	b.ReportAllocs()
	for range b.N {
		n := 0
		for seed := uint64(0); n < 20; seed++ {
			p := progen.Generate(seed, progen.Default)
			if !modelled(p) {
				continue
			}
			n++
			m := machine.New(p)
			m.Values = true
			s := New(Map())
			for next := s.Next(); next != nil && s.result.Executions < 200; next = s.Next() {
				if tr, err := m.Execute(context.Background(), next); err == nil {
					s.Done(tr)
				}
			}
		}
	}
}
