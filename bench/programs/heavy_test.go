package programs

import "testing"

func TestWords(t *testing.T) {
	if got := Words(1000, 1); got != 0 {
		t.Errorf("the sum of zeros is %d", got)
	}
	Words(100_000, 50) // 10 million accesses
}

func TestBitmap(t *testing.T)     { equal(t, Bitmap(3_000_000), 1_000_000) }
func TestContainers(t *testing.T) { Containers(500, 2000, 300_000) }

func TestSort(t *testing.T) {
	if Sort(200_000) > 1<<20 {
		t.Error("not sorted")
	}
}

func TestCrowd(t *testing.T)     { equal(t, Crowd(10_000, 1), 10_000) }
func TestCrowdLong(t *testing.T) { equal(t, Crowd(1_000, 1_000), 1_000_000) }
