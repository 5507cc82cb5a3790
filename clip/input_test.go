package clip

import (
	"slices"
	"strings"
	"testing"

	"heddle/rt/wire"
)

// The arguments of a fuzz target are stored in the notation of Go's corpus files, whatever they
// contain.
func TestInput(t *testing.T) {
	c := &wire.Clip{Test: "FuzzX", Kind: "panic", Policy: "first",
		Input: []string{`int(-5)`, `string("a\n\"b\x00 # end")`, `[]byte("")`, `rune('ä')`}}
	text := Format(c)
	got, err := Parse("x", text)
	if err != nil || !slices.Equal(got.Input, c.Input) {
		t.Errorf("%v, %+v\n%s", err, got, text)
	}
	bad := strings.Replace(string(text), "int(-5)", "int(five)", 1)
	if _, err := Parse("x", []byte(bad)); err == nil || !strings.Contains(err.Error(), "int(five)") {
		t.Errorf("a value that is none: %v", err)
	}
}
