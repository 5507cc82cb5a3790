package engine

import (
	"slices"
	"testing"

	"heddle/rt/wire"
	"heddle/trace"
)

func TestReduceKeepsWhatIsNeeded(t *testing.T) {
	all := make([]wire.Deviation, 40)
	for i := range all {
		all[i] = wire.Deviation{N: int32(i)}
	}
	for _, needed := range [][]int32{nil, {7}, {0, 39}, {3, 4, 5}, {1, 20, 38}} {
		tries := 0
		got := reduce(slices.Clone(all), func() bool { return false }, func(ds []wire.Deviation) bool {
			tries++
			for _, n := range needed {
				if !slices.ContainsFunc(ds, func(d wire.Deviation) bool { return d.N == n }) {
					return false
				}
			}
			return true
		})
		var ns []int32
		for _, d := range got {
			ns = append(ns, d.N)
		}
		if !slices.Equal(ns, needed) {
			t.Errorf("needed %v, kept %v", needed, ns)
		}
		if tries > 300 {
			t.Errorf("needed %v: %d tries", needed, tries)
		}
	}
}

// When the time is over nothing more is tried or copied.
func TestReduceEnds(t *testing.T) {
	all := make([]wire.Deviation, 100)
	tries, looks := 0, 0
	got := reduce(all, func() bool { looks++; return tries == 3 },
		func([]wire.Deviation) bool { tries++; return false })
	if len(got) != 100 || tries != 3 || looks != 3 {
		t.Errorf("%d deviations left, %d tries, %d looks", len(got), tries, looks)
	}
}

func TestDeviationsAreTheSwitches(t *testing.T) {
	step := func(g, def trace.GID) trace.Step { return trace.Step{G: g, Default: def, Choice: -1} }
	tr := &trace.Trace{
		Goroutines: make([]trace.Goroutine, 4),
		Steps: []trace.Step{
			step(0, 0), step(0, 0),
			step(2, 0), // before main's third step
			step(3, 2), // before the second of 2
			{G: 3, Op: trace.OpChoose, Choice: 1, Default: 3},
			{G: 3, Op: trace.OpChoose, Choice: 0, Default: 3},
			step(0, 0),
		},
	}
	want := []wire.Deviation{{G: 0, N: 2, To: 2}, {G: 2, N: 1, To: 3}, {G: 3, N: 0, Choice: true, To: 1}}
	if got := deviations(tr); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if n := tr.Switches(); n != 2 {
		t.Errorf("%d switches, want 2", n)
	}
}

// A clip of a very long execution ends after the last choice that the program would not have made
// by itself.
func TestWithoutEnd(t *testing.T) {
	long := func(n int, odd ...int) *trace.Trace {
		tr := &trace.Trace{Steps: make([]trace.Step, n)}
		for i := range tr.Steps {
			tr.Steps[i].Choice = -1
		}
		for _, i := range odd {
			tr.Steps[i].G = 1
		}
		return tr
	}
	chosen := long(longClip + 10)
	chosen.Steps[700].Choice = 2
	for _, c := range []struct {
		tr   *trace.Trace
		want int
	}{
		{long(longClip), longClip},
		{long(longClip+1, 5, 500), 501},
		{long(longClip + 1), shortClip},
		{long(longClip+1, longClip), longClip + 1},
		{chosen, 701},
	} {
		if got := len(withoutEnd(c.tr).Steps); got != c.want {
			t.Errorf("%d steps are left of %d, want %d", got, len(c.tr.Steps), c.want)
		}
	}
}
