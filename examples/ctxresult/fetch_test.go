// heddle finds: data race
package ctxresult

import (
	"context"
	"errors"
	"testing"
)

func TestFetch(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	go cancel()
	body, err := Fetch(ctx, "/index", func(url string) string { return "page " + url })
	switch {
	case err != nil && !errors.Is(err, context.Canceled):
		t.Errorf("error is %v", err)
	case err == nil && body != "page /index":
		t.Errorf("body is %q", body)
	case body != "" && body != "page /index":
		t.Errorf("body is %q", body)
	}
}
