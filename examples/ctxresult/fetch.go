// Package ctxresult fetches a page and gives up when its context ends.
package ctxresult

import "context"

// Fetch returns what get says about url. When ctx is over first, it returns
// what is there by then, with ctx's error.
func Fetch(ctx context.Context, url string, get func(string) string) (string, error) {
	var body string
	done := make(chan struct{})
	go func() {
		defer close(done)
		body = get(url)
	}()
	select {
	case <-done:
		return body, nil
	case <-ctx.Done():
		return body, ctx.Err()
	}
}
