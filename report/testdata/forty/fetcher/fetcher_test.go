package fetcher

import "testing"

func TestRetry(t *testing.T) {
	FetchAll([]string{"a", "b"}, func(page string) bool { return page == "a" })
}
