package observe

import (
	"context"
	"testing"

	"heddle/explore"
	"heddle/explore/dpor"
	"heddle/internal/progen"
	"heddle/internal/progen/machine"
	cpu "heddle/rt/limit"
)

// BenchmarkOrders has the cost of an execution where everything is observed, so that as many are
// made as by dpor: of 4 goroutines each locks a mutex twice, and reads and writes a variable.
func BenchmarkOrders(b *testing.B) {
	p := &progen.Program{Mutexes: 1, Vars: 1, Groups: 1, Body: joined(4, func(i int) (b block) {
		for range 2 {
			b = append(b, on(progen.Lock, 0), on(progen.Read, 0), put(progen.Write, 0, i),
				on(progen.Unlock, 0))
		}
		return b
	}, on(progen.Read, 0))}
	for name, begin := range map[string]func() explore.Strategy{
		"dpor":    func() explore.Strategy { return dpor.New(dpor.Options{}) },
		"observe": func() explore.Strategy { return New(Options{}) },
	} {
		b.Run(name, func(b *testing.B) {
			n, used := 0, cpu.ProcessorTime()
			for b.Loop() {
				m := machine.New(p)
				s := begin()
				for x := s.Next(); x != nil; x = s.Next() {
					t, err := m.Execute(context.Background(), x)
					if err != nil {
						b.Fatal(err)
					}
					s.Done(t)
				}
				n += s.Result().Executions
			}
			spent := float64((cpu.ProcessorTime() - used).Nanoseconds())
			b.ReportMetric(spent/float64(n), "cpu-ns/execution")
			b.ReportMetric(float64(n)/float64(b.N), "executions")
		})
	}
}
