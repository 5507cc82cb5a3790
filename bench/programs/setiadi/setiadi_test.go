package setiadi

import (
	"os"
	"testing"
)

// underBench skips programs without end or with a data race under plain go test.
func underBench(t *testing.T) {
	if os.Getenv("HEDDLE_BENCH") == "" {
		t.Skip("for go run ./bench -branch")
	}
}

func TestPool(t *testing.T)     { underBench(t); Pool(0) }
func TestTelnet(t *testing.T)   { underBench(t); Telnet(4) }
func TestNetMap(t *testing.T)   { underBench(t); NetMap() }
func TestSpider(t *testing.T)   { underBench(t); Spider() }
func TestDatabase(t *testing.T) { underBench(t); Database() }

// Fig. 16: the pool, with more and more shared accesses.
func TestPoolMore1(t *testing.T) { underBench(t); Pool(1) }
func TestPoolMore2(t *testing.T) { underBench(t); Pool(2) }
func TestPoolMore3(t *testing.T) { underBench(t); Pool(3) }
func TestPoolMore4(t *testing.T) { underBench(t); Pool(4) }
func TestPoolMore6(t *testing.T) { underBench(t); Pool(6) }
func TestPoolMore8(t *testing.T) { underBench(t); Pool(8) }
