package detect

import (
	"testing"

	"heddle/trace"
)

// perAccess reports nanoseconds for each of n accesses of an iteration.
func perAccess(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/access")
	b.ReportMetric(0, "ns/op")
}

// The loop of DESIGN.md: 1,000 accesses to 100 variables in one execution.
func BenchmarkLoop(b *testing.B) {
	for _, apart := range []uintptr{8, 64, 1000} {
		b.Run(map[uintptr]string{8: "array", 64: "objects", 1000: "pages"}[apart], func(b *testing.B) {
			var s Shadow
			for b.Loop() {
				s.Reset()
				for range 5 {
					for v := range uintptr(100) {
						s.Read(0, c0, at+v*apart, 8, siteA)
						s.Write(0, c0, at+v*apart, 8, siteB)
					}
				}
			}
			perAccess(b, 1000)
		})
	}
}

// The same access again: the common case.
func BenchmarkRepeat(b *testing.B) {
	var s Shadow
	for b.Loop() {
		for v := range uintptr(100) {
			s.Read(0, c0, at+v*40, 8, siteA)
		}
	}
	perAccess(b, 100)
}

// Every access in a new epoch.
func BenchmarkNewEpoch(b *testing.B) {
	var s Shadow
	c := clock(1)
	for b.Loop() {
		c.Tick(0)
		for v := range uintptr(100) {
			s.Write(0, c, at+v*40, 8, siteA)
		}
	}
	perAccess(b, 100)
}

// A variable that goes from goroutine to goroutine under a lock: read and written.
func BenchmarkHandover(b *testing.B) {
	var s Shadow
	c := clock(1, 1, 1, 1)
	g := trace.Chain(0)
	for b.Loop() {
		g = (g + 1) % 4
		c.Tick(g)
		for v := range uintptr(100) {
			s.Read(g, c, at+v*40, 8, siteA)
			s.Write(g, c, at+v*40, 8, siteB)
		}
	}
	perAccess(b, 200)
}

// Readers that know of the write, not of each other.
func BenchmarkShared(b *testing.B) {
	for _, n := range []int{4, 100, 2000} {
		b.Run(map[int]string{4: "4", 100: "100", 2000: "2000"}[n], func(b *testing.B) {
			clocks := make([]*trace.Vector, n)
			for g := range clocks {
				clocks[g] = alone(trace.Chain(g))
				clocks[g].Set(0, 1)
			}
			var s Shadow
			for b.Loop() {
				s.Reset()
				s.Write(0, clocks[0], at, 8, siteA)
				for g := trace.Chain(1); int(g) < n; g++ {
					for v := range trace.Site(4) {
						s.Read(g, clocks[g], at, 8, siteB+v)
					}
				}
			}
			perAccess(b, 4*n)
		})
	}
}

// Two goroutines that race all the time.
func BenchmarkRacy(b *testing.B) {
	var s Shadow
	c := clock(0, 1)
	s.Write(0, c0, at, 8, siteA)
	for b.Loop() {
		c.Tick(1)
		s.Write(1, c, at, 8, siteB)
	}
	perAccess(b, 1)
}

func BenchmarkBytes(b *testing.B) {
	var s Shadow
	for b.Loop() {
		s.Reset()
		for i := range uintptr(1000) {
			s.Write(0, c0, at+i, 1, siteA)
		}
	}
	perAccess(b, 1000)
}

// copy of a slice of 1 MB: nanoseconds a word.
func BenchmarkRange(b *testing.B) {
	const n = 1 << 20
	for _, test := range []string{"first", "again", "other"} {
		b.Run(test, func(b *testing.B) {
			var s Shadow
			c := clock(1, 1)
			g := trace.Chain(0)
			for b.Loop() {
				switch test {
				case "first":
					s.Reset()
				case "other":
					g = 1 - g
					c.Tick(g)
				}
				s.Write(g, c, at, n, siteA)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(n/8), "ns/word")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// What an execution costs that touches k pages.
func BenchmarkReset(b *testing.B) {
	for _, k := range []uintptr{10, 1000} {
		b.Run(map[uintptr]string{10: "10", 1000: "1000"}[k], func(b *testing.B) {
			var s Shadow
			for b.Loop() {
				s.Reset()
				for i := range k {
					s.Write(0, c0, at+i*4096, 8, siteA)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(k), "ns/page")
			b.ReportMetric(0, "ns/op")
		})
	}
}
