// heddle finds: data race
package errgroup

import (
	"slices"
	"strings"
	"testing"
)

func TestFetchAll(t *testing.T) {
	get := func(addr string) (string, error) { return strings.ToUpper(addr), nil }
	pages, err := FetchAll(get, "a", "b")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"A", "B"}; !slices.Equal(pages, want) {
		t.Errorf("pages are %q, want %q", pages, want)
	}
}
