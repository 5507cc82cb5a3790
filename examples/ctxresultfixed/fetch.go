// Package ctxresult fetches a page and gives up when its context ends.
package ctxresult

import "context"

// Fetch returns what get says about url. When ctx is over first, it returns
// what is there by then, with ctx's error.
func Fetch(ctx context.Context, url string, get func(string) string) (string, error) {
	body := make(chan string, 1)
	go func() { body <- get(url) }()
	select {
	case b := <-body:
		return b, nil
	case <-ctx.Done():
	}
	select {
	case b := <-body:
		return b, ctx.Err()
	default:
		return "", ctx.Err()
	}
}
