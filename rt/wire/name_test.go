package wire

import "testing"

// A note never names an empty finding.
func TestName(t *testing.T) {
	for want, f := range map[string]Finding{
		"data race (two goroutines access the same memory: read at a.go:7, write at a.go:8)": {Kind: "data race", Places: []Place{
			{Op: "read", File: "/x/a.go", Line: 7}, {Op: "write", File: "a.go", Line: 8}}},
		"data race (two goroutines access the same memory)": {Kind: "data race",
			Places: []Place{{Op: "read", Site: 5}}},
		"test failure (not yet)": {Kind: "test failure", Message: "not yet",
			Places: []Place{{Op: "fails", File: "a.go", Line: 1}}},
		"misuse (send at a.go:3)": {Kind: "misuse",
			Places: []Place{{Op: "send", File: "a.go", Line: 3}}},
		"panic": {Kind: "panic"},
	} {
		if got := f.Name(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
