package richtest

import "testing"

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Plainly the programs just run.
func TestBBSelect(t *testing.T)     { check(t, BBSelect(3, 2)) }
func TestBBSemaphore(t *testing.T)  { check(t, BBSemaphore(3, 2)) }
func TestBBMonitorSU(t *testing.T)  { check(t, BBMonitorSU(3, 2)) }
func TestBBMonitorSC(t *testing.T)  { check(t, BBMonitorSC(3, 2)) }
func TestRWSelect(t *testing.T)     { check(t, RWSelect(3, 2)) }
func TestRWSemaphore(t *testing.T)  { check(t, RWSemaphore(3, 2)) }
func TestRWMonitorSU(t *testing.T)  { check(t, RWMonitorSU(3, 2)) }
func TestRWMonitorSC(t *testing.T)  { check(t, RWMonitorSC(3, 2)) }
func TestDPMonitorSU3(t *testing.T) { check(t, DPMonitorSU(3)) }
func TestDPMonitorSU4(t *testing.T) { check(t, DPMonitorSU(4)) }
func TestDPMonitorSU5(t *testing.T) { check(t, DPMonitorSU(5)) }
func TestDME(t *testing.T)          { check(t, DME()) }

func TestDMEInOrder(t *testing.T) { check(t, DMEInOrder()) }
