package pool

import (
	"context"
	"testing"
)

func one() int { return 1 }

func TestFirst(t *testing.T) {
	if n, err := First(t.Context(), one, one); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}

func TestFirstOfThree(t *testing.T) {
	First(t.Context(), one, one, one)
}

func TestFirstCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	First(ctx, one)
}
