package reach

import (
	"fmt"
	"slices"
	"testing"

	"heddle/rt/hook"
)

// A seqlock's reader polls: its loop looks at seq twice, and may end an iteration without having to
// wait because seq was written in between. The traces are enumerated here, apart from the strategy:
// which versions the reader reads.
func TestSeqlock(t *testing.T) {
	st := count(t, Options{}, func() {
		seq, x := new(atomicInt), new(atomicInt)
		spawn(func() {
			seq.Store(1)
			x.Store(1)
			seq.Store(2)
		})
		read := func() bool {
			s := seq.Load()
			if s == 1 {
				return false
			}
			x.Load()
			return seq.Load() == s
		}
		for hook.Loop(9, false); !read(); hook.Loop(9, true) {
		}
	}, nil)
	if want := seqlockTraces(); st.Sequences != want || st.Partial != 0 || want != 13 {
		t.Errorf("%+v, want %d sequences, which are 13", st, want)
	}
}

// seqlockTraces counts what the reader may read, the writer being anywhere in between.
func seqlockTraces() int {
	type version struct{ seq, x int }
	written := []version{{0, 0}, {1, 0}, {1, 1}, {2, 1}}
	traces := map[string]bool{}
	var read func(at int, next string, s int, looks []version, trace string)
	read = func(at int, next string, s int, looks []version, trace string) {
		for ; at < len(written); at++ {
			v := written[at]
			switch next {
			case "first":
				if trace := fmt.Sprint(trace, " s", v.seq); v.seq == 1 {
					read(at, "await", 0, []version{{v.seq, -1}}, trace)
				} else {
					read(at, "x", v.seq, []version{{v.seq, -1}}, trace)
				}
			case "x":
				read(at, "second", s, append(slices.Clone(looks), version{-1, v.x}),
					fmt.Sprint(trace, " x", v.x))
			case "second":
				if trace := fmt.Sprint(trace, " s", v.seq); v.seq == s {
					traces[trace] = true
				} else {
					read(at, "await", 0, append(slices.Clone(looks), version{v.seq, -1}), trace)
				}
			case "await": // reads what the iteration looked at, once one of them was written
				saw := fmt.Sprint(trace, " await", v.seq)
				written := false
				for _, l := range looks {
					if l.x >= 0 {
						saw = fmt.Sprint(saw, ".", v.x)
					}
					written = written || l.x >= 0 && l.x != v.x || l.seq >= 0 && l.seq != v.seq
				}
				if written {
					read(at, "first", 0, nil, saw)
				}
			}
		}
	}
	read(0, "first", 0, nil, "")
	return len(traces)
}
