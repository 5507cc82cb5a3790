package judge

import (
	"fmt"
	"slices"
	"strings"

	"heddle/rt/wire"
	"heddle/trace"
)

// KeyOf names the bug that a finding is about: kind and source places, whatever the goroutines
// were called.
func KeyOf(f *wire.Finding) string {
	ps := make([]string, 0, len(f.Places))
	places := f.CorePlaces()
	victims := 0
	for _, p := range places {
		if p.Note != "" {
			victims++
		}
	}
	for _, p := range places {
		if f.Kind == Deadlock && p.Note != "" && victims < len(places) {
			// A goroutine that waits for a lock which a stuck goroutine holds says nothing about
			// the bug.
			continue
		}
		if p.Site != 0 {
			// A clip's places have no display bits.
			ps = append(ps, fmt.Sprintf("%s@%x", p.Op, uint64(trace.Site(p.Site).Plain())))
		} else {
			// A clip names files from the folder of the package on.
			ps = append(ps, fmt.Sprintf("%s@%s:%d", p.Op, Base(p.File), p.Line))
		}
	}
	slices.Sort(ps)
	if f.Kind == Leak || f.Kind == Deadlock {
		// The same place many times over is one bug.
		ps = compact(ps)
	}
	return f.Kind + " " + strings.Join(ps, " ")
}

func compact(s []string) []string {
	out := s[:0]
	for i, x := range s {
		if i == 0 || x != s[i-1] {
			out = append(out, x)
		}
	}
	return out
}
