package richtest

import (
	"os"
	"testing"
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Without heddle the programs just run.
func TestBBSelect(t *testing.T)     { check(t, BBSelect(3, 2)) }
func TestBBSemaphore(t *testing.T)  { check(t, BBSemaphore(3, 2)) }
func TestBBSemaphore5(t *testing.T) { check(t, BBSemaphore(5, 2)) }
func TestBBMonitorSU(t *testing.T)  { check(t, BBMonitorSU(3, 2)) }
func TestBBMonitorSC(t *testing.T)  { check(t, BBMonitorSC(3, 2)) }
func TestRWSelect(t *testing.T)     { check(t, RWSelect(3, 2)) }
func TestRWSemaphore(t *testing.T)  { check(t, RWSemaphore(3, 2)) }
func TestRWMonitorSU(t *testing.T)  { check(t, RWMonitorSU(3, 2)) }
func TestRWMonitorSC(t *testing.T)  { check(t, RWMonitorSC(3, 2)) }
func TestDPMonitorSU3(t *testing.T) { check(t, DPMonitorSU(3)) }
func TestDPMonitorSU4(t *testing.T) { check(t, DPMonitorSU(4)) }
func TestDPMonitorSU5(t *testing.T) { check(t, DPMonitorSU(5)) }
func TestDPMonitorSU6(t *testing.T) { check(t, DPMonitorSU(6)) }
func TestDME(t *testing.T)          { check(t, DME()) }
func TestDMEInOrder(t *testing.T)   { check(t, DMEInOrder()) }

// Small instances: one producer and consumer and one slot, two and one, two and two; a reader and
// a writer.
func TestBBSelect11(t *testing.T)    { check(t, BBSelect(1, 1)) }
func TestBBSelect21(t *testing.T)    { check(t, BBSelect(2, 1)) }
func TestBBSelect22(t *testing.T)    { check(t, BBSelect(2, 2)) }
func TestBBSemaphore11(t *testing.T) { check(t, BBSemaphore(1, 1)) }
func TestBBSemaphore21(t *testing.T) { check(t, BBSemaphore(2, 1)) }
func TestBBSemaphore22(t *testing.T) { check(t, BBSemaphore(2, 2)) }
func TestBBMonitorSU11(t *testing.T) { check(t, BBMonitorSU(1, 1)) }
func TestBBMonitorSU21(t *testing.T) { check(t, BBMonitorSU(2, 1)) }
func TestBBMonitorSU22(t *testing.T) { check(t, BBMonitorSU(2, 2)) }
func TestBBMonitorSC11(t *testing.T) { check(t, BBMonitorSC(1, 1)) }
func TestBBMonitorSC21(t *testing.T) { check(t, BBMonitorSC(2, 1)) }
func TestBBMonitorSC22(t *testing.T) { check(t, BBMonitorSC(2, 2)) }
func TestRWSemaphore11(t *testing.T) { check(t, RWSemaphore(1, 1)) }
func TestRWMonitorSU11(t *testing.T) { check(t, RWMonitorSU(1, 1)) }
func TestRWMonitorSC11(t *testing.T) { check(t, RWMonitorSC(1, 1)) }

func TestSzymanski1(t *testing.T)    { check(t, Szymanski(1)) }
func TestSzymanski2(t *testing.T)    { check(t, Szymanski(2)) }
func TestBinaryPairs2(t *testing.T)  { check(t, BinaryPairs(2)) }
func TestBinaryPairs4(t *testing.T)  { check(t, BinaryPairs(4)) }
func TestBinaryOpen2(t *testing.T)   { check(t, BinaryTurns(2, true)) }
func TestBinaryOpen3(t *testing.T)   { check(t, BinaryTurns(3, true)) }
func TestBinaryClosed3(t *testing.T) { check(t, BinaryTurns(3, false)) }

// These philosophers may all wait for each other.
func TestDPDeadlock3(t *testing.T) { deadlock(t, 3) }
func TestDPDeadlock4(t *testing.T) { deadlock(t, 4) }
func TestDPDeadlock5(t *testing.T) { deadlock(t, 5) }
func TestDPDeadlock6(t *testing.T) { deadlock(t, 6) }
func TestDPDeadlock7(t *testing.T) { deadlock(t, 7) }
func TestDPDeadlock8(t *testing.T) { deadlock(t, 8) }
func TestDPDeadlock9(t *testing.T) { deadlock(t, 9) }

func deadlock(t *testing.T, n int) {
	t.Helper()
	if os.Getenv("HEDDLE_BENCH") == "" {
		t.Skip("HEDDLE_BENCH is not set")
	}
	DPDeadlock(n)
}
