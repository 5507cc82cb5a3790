package agree

import (
	"context"
	"fmt"
	"testing"

	"heddle/explore"
	"heddle/explore/bound"
	"heddle/explore/dpor"
	"heddle/explore/observe"
	"heddle/internal/progen"
	"heddle/internal/progen/machine"
	"heddle/internal/progen/table2"
	cpu "heddle/rt/limit"
)

// orders is a program of which everything is observed, so that observe makes as many executions as
// dpor: of 4 goroutines each locks a mutex twice, and reads and writes a variable.
func orders() *progen.Program {
	p := &progen.Program{Mutexes: 1, Vars: 1, Groups: 1,
		Body: []*progen.Stmt{{Op: progen.GroupAdd, Val: 4, Src: -1}}}
	for i := range 4 {
		var body []*progen.Stmt
		for range 2 {
			body = append(body, &progen.Stmt{Op: progen.Lock}, &progen.Stmt{Op: progen.Read},
				&progen.Stmt{Op: progen.Write, Val: i, Src: -1}, &progen.Stmt{Op: progen.Unlock})
		}
		body = append(body, &progen.Stmt{Op: progen.Done})
		p.Body = append(p.Body, &progen.Stmt{Op: progen.Go, Body: body})
	}
	p.Body = append(p.Body, &progen.Stmt{Op: progen.Join}, &progen.Stmt{Op: progen.Read})
	p.Number()
	return p
}

// BenchmarkBounds has the cost of an execution, by dpor, by observe and within bounds.
func BenchmarkBounds(b *testing.B) {
	programs := []struct {
		name    string
		program *progen.Program
	}{
		{"fib4", table2.Fib(4)}, {"dining42", table2.Dining(4, 2)},
		{"sections", table2.Sections([2]int{2, 2}, [2]int{2, 2}, [2]int{2, 2})},
		{"orders", orders()},
	}
	for _, x := range programs {
		search := func(name string, begin func() explore.Strategy) {
			b.Run(x.name+"/"+name, func(b *testing.B) {
				n, used := 0, cpu.ProcessorTime()
				for b.Loop() {
					m := machine.New(x.program)
					s := begin()
					for sc := s.Next(); sc != nil; sc = s.Next() {
						tr, err := m.Execute(context.Background(), sc)
						if err != nil {
							b.Fatal(err)
						}
						s.Done(tr)
					}
					n += s.Result().Executions
				}
				spent := float64((cpu.ProcessorTime() - used).Nanoseconds())
				b.ReportMetric(spent/float64(n), "cpu-ns/execution")
				b.ReportMetric(float64(n)/float64(b.N), "executions")
			})
		}
		search("dpor", func() explore.Strategy { return dpor.New(dpor.Options{}) })
		search("observe", func() explore.Strategy { return observe.New(observe.Options{}) })
		for _, k := range []int{0, 2, 4, 6, 30} {
			search(fmt.Sprintf("preempt=%d", k), func() explore.Strategy {
				return bound.New(bound.Options{Preemptions: k, Delays: -1})
			})
		}
	}
}
