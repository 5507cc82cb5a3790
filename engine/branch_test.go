package engine

import (
	"testing"

	"heddle/trace"
)

func TestInStandard(t *testing.T) {
	for pkg, want := range map[string]bool{"context": true, "io": true, "example.com/context": false,
		"contexts": false} {
		if got := inStandard(trace.NewSite(trace.PackageHash(pkg), 7, trace.KindInt, false)); got != want {
			t.Errorf("%s: %v, want %v", pkg, got, want)
		}
	}
}
