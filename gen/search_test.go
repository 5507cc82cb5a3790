package gen

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A varying runs scenarios: those that call one method fail, or leak, whatever runs beside it.
type varying struct {
	s      *Suite
	method string
	kind   string
	failed int
}

func (v *varying) Run(_ context.Context, args []string, n, runs int, _ uint64, _ How) ([]Ran, error) {
	rans := make([]Ran, n)
	for i := range rans {
		rans[i] = Ran{Executions: runs, Forms: []uint64{uint64(v.failed), uint64(i) << 32}}
		for _, word := range strings.FieldsFunc(args[1+i], func(r rune) bool {
			return strings.ContainsRune("| /", r)
		}) {
			if e, err := strconv.Atoi(word); err == nil && v.s.pool[e].method == v.method {
				v.failed++
				if rans[i].Leaks = v.kind == "leak"; !rans[i].Leaks {
					rans[i].Failure = &Failure{Kind: v.kind, Executions: 1}
				}
			}
		}
	}
	return rans, nil
}

// TestNotWritten: a test that fails is written if it is told, and not if it is dropped: its users
// would see an alarm that heddle gen knows to be none.
func TestNotWritten(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	ctx, p := context.Background(), loadShared(t, false)
	for kind, told := range map[string]bool{"test failure": false, "data race": true, "leak": false} {
		s, err := p.Suite("Set", Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if err := s.Prepare(ctx); err != nil {
			t.Fatal(err)
		}
		v := &varying{s: s, method: "Len", kind: kind}
		if err := s.Search(ctx, v, 1<<40); err != nil {
			t.Fatal(err)
		}
		fails := slices.DeleteFunc(slices.Clone(s.tests), func(sc *scenario) bool {
			return !slices.ContainsFunc(sc.all(),
				func(c *call) bool { return s.pool[c.entry].method == v.method })
		})
		if v.failed == 0 || len(s.tests) == 0 || len(fails) != len(s.Failures()) || told != (len(fails) > 0) {
			t.Errorf("%s: %d executions failed; %d of %d tests call Len, and %d are told", kind, v.failed,
				len(fails), len(s.tests), len(s.Failures()))
		}
	}
}
