package judge

import (
	"fmt"
	"testing"

	"heddle/rt/wire"
	"heddle/trace"
)

// The place of a finding and the same place read from a clip are one, whatever
// is known of how its value is displayed; two places of one package differ.
func TestKeyOfClip(t *testing.T) {
	race := func(a, b trace.Site) string {
		return KeyOf(&wire.Finding{Kind: Race,
			Places: []wire.Place{{Op: "read", Site: uint64(a)}, {Op: "write", Site: uint64(b)}}})
	}
	site := func(index int, kind trace.Kind,
		quiet bool) trace.Site {
		return trace.NewSite(77, index, kind, quiet)
	}
	seen := race(site(1, trace.KindPointer, false), site(2, trace.KindInt, false))
	if kept := race(site(1, trace.KindOther, false), site(2, trace.KindOther, false)); kept != seen {
		t.Errorf("%s is not %s", kept, seen)
	}
	if other := race(site(3, trace.KindPointer, false), site(2, trace.KindInt, false)); other == seen {
		t.Errorf("another place has the same key %s", other)
	}
}

func TestDuration(t *testing.T) {
	for ns, want := range map[int64]string{7: "7ns", 5_000: "5000ns", 1_500_000: "1.5ms", 10e9: "10s",
		1800e9: "30m0s", 99_400_000_000: "99.4s"} {
		if got := duration(ns); got != want {
			t.Errorf("%d: %q, want %q", ns, got, want)
		}
	}
}

func TestReason(t *testing.T) {
	frames := []wire.Place{{File: "/x/assert.go", Line: 9}, {File: "/x/a_test.go", Line: 3}}
	for output, want := range map[string]string{
		"    b_test.go:3: other\n    a_test.go:3: want 1\n    a_test.go:3: more\n":                                                                                                         "1 want 1",
		"    a_test.go:3: \n        \tError Trace:\t/x/a_test.go:3\n        \tError:      \tNot equal: \n        \t   \texpected: 3\n        \t   \tactual  : 2\n        \tTest:\tTestA\n": "1 Not equal: expected 3, actual 2",
		"    a_test.go:3: \n        \tError Trace:\t/x/a_test.go:3\n        \tError:      \tShould be true\n        \tTest:\tTestA\n":                                                      "1 Should be true",
		"    a_test.go:3: \n        \tnothing\n    c_test.go:3: \n        \tError Trace:\t/x/a_test.go:3\n        \tError:      \tof another\n":                                            "1 ",
		"    c_test.go:3: no\n": "-1 ",
		"":                      "-1 ",
	} {
		i, text := reason([]byte(output), frames)
		if got := fmt.Sprint(i, " ", text); got != want {
			t.Errorf("%q: %q, want %q", output, got, want)
		}
	}
}
