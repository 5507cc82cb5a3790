package main

import (
	"math"
	"testing"

	"heddle/bench/sleepset"
	"heddle/explore/dpor"
	"heddle/explore/unfold"
)

// BenchmarkTable2 makes whole searches of the rows of Table 2, for profiling: -bench
// 'Table2/Dining_2/unfold' -cpuprofile F.
func BenchmarkTable2(b *testing.B) {
	strategies := []struct {
		name string
		new  func() searcher
	}{
		{"unfold", func() searcher { return unfold.New(unfold.Options{}) }},
		{"dpor", func() searcher { return dpor.New(dpor.Options{}) }},
		{"dpor2", func() searcher {
			s := sleepset.New()
			s.Others = true
			return s
		}},
	}
	for _, r := range table2Rows() {
		for _, s := range strategies {
			b.Run(r.name+"/"+s.name, func(b *testing.B) {
				least := math.Inf(1)
				executions := 0
				for b.Loop() {
					c, err := searched(r.p, s.new(), math.Inf(1))
					if err != nil {
						b.Fatal(err)
					}
					least, executions = min(least, c.seconds), c.executions
				}
				b.ReportMetric(least*1000, "cpu-ms")
				b.ReportMetric(least*1e6/float64(executions), "cpu-µs/execution")
			})
		}
	}
}
