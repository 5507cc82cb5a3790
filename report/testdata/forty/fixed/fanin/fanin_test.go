package fanin

import "testing"

func TestMerge(t *testing.T) {
	sum := 0
	for v := range Merge([]int{1, 2}, []int{3}) {
		sum += v
	}
	if sum != 6 {
		t.Errorf("sum is %d, want 6", sum)
	}
}
