package reach

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"sort"
	"strings"
	"testing"

	"heddle/explore/transition"
	"heddle/explore/why"
	"heddle/internal/progen"
	"heddle/internal/progen/machine"
	"heddle/trace"
)

var (
	seeds = flag.Int("seeds", 300, "random programs to look at")
	from  = flag.Uint64("from", 0, "the first of them")
)

// key names an execution by what reach is to exercise once: its transitions
// with what happened before each.
func key(p *transition.Path) string {
	var parts []string
	for i := range p.Len() {
		t := p.At(i)
		var before []int
		for k := range i {
			if p.Before(k, i) {
				g := int(p.At(k).Proc)
				for len(before) <= g {
					before = append(before, 0)
				}
				before[g]++
			}
		}
		own := 0
		if int(t.Proc) < len(before) {
			own = before[t.Proc]
		}
		parts = append(parts, fmt.Sprintf("%03d.%03d:%d.%d.%d.%d.%v.%v", t.Proc, own, t.With, t.Case,
			t.WithCase, t.Choice, t.Op, before))
	}
	sort.Strings(parts)
	return strings.Join(parts, "\n")
}

var errTooMany = errors.New("too many sequences")

// exercise explores m's program with reach and returns the sequences, and what came out of the
// complete ones.
func exercise(m *machine.Machine, opt Options, limit int) (s *Strategy, keys map[string]int,
	out *machine.Outcomes, err error) {
	m.Policy = nil
restart:
	s, keys, out = New(opt), map[string]int{}, machine.NewOutcomes()
	for n := 0; ; n++ {
		sch := s.Next()
		if sch == nil {
			break
		}
		if n > limit {
			return s, keys, out, errTooMany
		}
		t, err := m.Execute(context.Background(), sch)
		if m.Restart() {
			goto restart
		}
		if err != nil && t.Verdict != trace.Aborted {
			return s, keys, out, fmt.Errorf("%w; %+v", err, sch.Steps)
		}
		was := s.stats
		s.Done(t)
		if s.stats.Sequences == was.Sequences+1 {
			keys[key(s.seq.Path)]++
			out.Add(m)
		}
		if s.stats == (Stats{}) { // it began again
			keys, out, n = map[string]int{}, machine.NewOutcomes(), 0
		}
	}
	if r := s.Result(); !r.Reason.None() && !(opt.Ways > 0 && r.Reason.Code == why.Wished) {
		return s, keys, out, error(r.Reason)
	}
	return s, keys, out, nil
}

// compare explores p with reach and without any reduction and says what differs.
func compare(p *progen.Program, limit int) (Stats, []string, error) {
	m := machine.New(p)
	brute, _, err := m.Exhaust(true, limit, nil)
	if err != nil {
		return Stats{}, nil, err
	}
	s, keys, out, err := exercise(m, Options{}, limit)
	if err != nil {
		return s.stats, []string{"reach: " + err.Error()}, nil
	}
	want := map[string]bool{}
	path := transition.NewPath(s.tab)
	_, _, err = m.Exhaust(true, limit, func(t *trace.Trace) {
		if path.Read(t, 0) == nil {
			want[key(path)] = true
		}
	})
	if err != nil || s.tab.Changed {
		return s.stats, []string{fmt.Sprint("brute force: ", err, s.tab.Changed)}, nil
	}
	var ds []string
	for k, n := range keys {
		if n > 1 {
			ds = append(ds, fmt.Sprintf("%d times:\n%s", n, k))
		}
		if !want[k] {
			ds = append(ds, "not a sequence:\n"+k)
		}
	}
	missing := 0
	for k := range want {
		if keys[k] == 0 {
			if missing++; missing < 2 {
				ds = append(ds, "missing:\n"+k)
			}
		}
	}
	if missing > 0 {
		ds = append(ds, fmt.Sprintf("%d of %d missing", missing, len(want)))
	}
	return s.stats, append(ds, brute.Differ(out, "brute force", "reach")...), nil
}

func sizeOf(seed uint64) progen.Size {
	s := progen.Default
	s.Spin = seed%4 == 3
	return s
}

// Every sequence exactly once, on random programs over all constructs.
func TestRandomPrograms(t *testing.T) {
	skipped, bad := 0, 0
	var sum Stats
	for seed := *from; seed < *from+uint64(*seeds); seed++ {
		p := progen.Generate(seed, sizeOf(seed))
		st, ds, err := compare(p, 20000)
		if err != nil {
			skipped++
			continue
		}
		sum.Sequences += st.Sequences
		sum.Partial += st.Partial
		if len(ds) == 0 {
			continue
		}
		if bad++; bad > 5 {
			continue
		}
		p = progen.Shrink(p, func(q *progen.Program) bool {
			_, ds, err := compare(q, 5000)
			return err == nil && len(ds) > 0
		})
		if _, ds2, err := compare(p, 20000); err == nil && len(ds2) > 0 {
			ds = ds2
		}
		t.Errorf("seed %d:\n%s\n%s", seed, strings.Join(ds[:min(3, len(ds))], "\n"), progen.Source(p))
	}
	t.Logf("%d programs, %d too large, %d wrong; %+v", *seeds, skipped, bad, sum)
}
