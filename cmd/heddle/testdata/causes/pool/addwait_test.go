package pool

import "testing"

func TestSquares(t *testing.T) {
	if out := Squares([]int{3}); out[0] != 9 {
		t.Errorf("the square of 3 is %d", out[0])
	}
}

func TestSquaresOfTwo(t *testing.T) {
	sum := 0
	for _, n := range Squares([]int{1, 2}) {
		sum += n
	}
	if sum != 5 {
		t.Errorf("the sum is %d", sum)
	}
}
