package ctxleak

import (
	"context"
	"strings"
	"testing"
)

func TestAsk(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go cancel()
	answer, err := Ask(ctx, "tea", strings.ToUpper, strings.ToUpper)
	if err == nil && answer != "TEA" {
		t.Errorf("the answer is %q", answer)
	}
	if err != nil && ctx.Err() == nil {
		t.Errorf("error %v, but the context is not over", err)
	}
}
