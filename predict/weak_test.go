package predict

import (
	"slices"
	"testing"

	"heddle/trace"
)

func TestWeakRaces(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
		found      []string // by the solver, with the values of the trace or without
	}{
		{"the message of another sender", "1 write x; 1 send c; 2 send c; 3 recv c; 3 read x; 3 recv c",
			[]string{"race 1,5"}, []string{"race 1,5"}},
		{"both messages", "1 write x; 1 send c; 2 send c; 3 recv c; 3 recv c; 3 read x",
			[]string{"race 1,6"}, nil},
		{"one sender, one receiver", "1 write x; 1 send c; 3 recv c; 3 read x",
			nil, nil},
		{"of another receiver", "1 send c; 1 write x; 1 send c; 2 recv c; 3 recv c; 3 read x",
			[]string{"race 2,6"}, []string{"race 2,6"}},
		{"a value that changes", "1 write y; 1 send c; 1 write x; 1 recv c; 2 send c; 2 read x; 2 recv c; 2 write y",
			[]string{"race 3,6", "race 1,8"}, []string{"race 1,8"}},
		{"found without", "1 write x; 1 send c; 2 send c; 2 read x; 3 recv c; 3 recv c",
			nil, nil},
	} {
		tr := traceOf(t, c.text)
		for i := range tr.Objects {
			if c.name == "a value that changes" && tr.Objects[i].Kind == trace.ObjChan {
				tr.Objects[i].Cap = 1
			}
		}
		g := NewGraph(tr, Locks)
		cs := g.WeakRaces(g.Search(nil, 0), 100, nil)
		cs = slices.DeleteFunc(cs, func(c Candidate) bool {
			return g.Unordered(c.Instances[0].Nodes[0], c.Instances[0].Nodes[1])
		})
		if got := candidates(cs); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
			continue
		}
		var possible []Candidate
		for _, x := range cs {
			goal := x.Instances[0].Goal()
			found, why := (&Solver{}).Schedules(g, goal)
			if len(found) == 0 && why.Values {
				found, _ = (&Solver{Loose: true}).Schedules(g, goal)
			}
			if len(found) > 0 {
				possible = append(possible, x)
			}
		}
		if got := candidates(possible); !slices.Equal(got, c.found) {
			t.Errorf("%s: %q are possible, want %q", c.name, got, c.found)
		}
	}
}
