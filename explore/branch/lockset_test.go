package branch

import (
	"slices"
	"testing"
)

// The lockset check by what it says is broken. T0 starts the others, where it does.
func TestLocksets(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"consistent":            {"T1 1 lock a\nT1 2 write x\nT1 3 unlock a\nT2 4 lock a\nT2 5 read x\nT2 6 unlock a", nil},
		"another lock":          {"T1 1 lock a\nT1 2 write x\nT1 3 unlock a\nT2 4 lock b\nT2 5 write x\nT2 6 unlock b", []string{"x"}},
		"no lock":               {"T1 2 write x\nT2 4 lock b\nT2 5 write x\nT2 6 unlock b", []string{"x"}},
		"one of two":            {"T1 1 lock a\nT1 1 lock b\nT1 2 write x\nT1 3 unlock b\nT1 3 unlock a\nT2 4 lock b\nT2 5 write x\nT2 6 unlock b", nil},
		"read only":             {"T1 2 read x\nT2 5 read x", nil},
		"once without":          {"T1 1 lock a\nT1 2 write x\nT1 3 unlock a\nT2 4 lock a\nT2 5 read x\nT2 6 unlock a\nT1 7 read x", []string{"x"}},
		"read under read locks": {"T1 1 rlock a\nT1 2 read x\nT1 3 runlock a\nT2 4 rlock a\nT2 5 read x\nT2 6 runlock a", nil},
		"write under read lock": {"T1 1 rlock a\nT1 2 read x\nT1 3 runlock a\nT2 4 rlock a\nT2 5 write x\nT2 6 runlock a", []string{"x"}},
		"two variables":         {"T1 1 write x\nT1 1 write y\nT1 1 lock a\nT1 2 write y\nT1 3 unlock a\nT2 4 write x\nT2 1 lock a\nT2 2 write y\nT2 3 unlock a", []string{"x", "y"}},
	} {
		w := parse(t, c.text)
		var got []string
		for _, b := range Check(w.Trace, nil) {
			got = append(got, w.name(w.Events[b.Event].Obj))
			if w.Events[b.Other].G == w.Events[b.Event].G || w.Events[b.Other].Obj != w.Events[b.Event].Obj {
				t.Errorf("%s: accesses %d and %d", name, b.Event, b.Other)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
