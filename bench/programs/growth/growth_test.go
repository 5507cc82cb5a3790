package growth

import (
	"flag"
	"testing"
)

var size = flag.Int("size", 8, "the size of the programs")

func equal(t *testing.T, got int) {
	if got != *size {
		t.Errorf("got %d, want %d", got, *size)
	}
}

func TestCrowd(t *testing.T)  { equal(t, Crowd(*size)) }
func TestApart(t *testing.T)  { equal(t, Apart(*size)) }
func TestLines(t *testing.T)  { Lines(*size) }
func TestTurns(t *testing.T)  { Turns(*size) }
func TestPipe(t *testing.T)   { equal(t, 2*Pipe(*size)) }
func TestMarket(t *testing.T) { Market(*size) }
