package engine

import (
	"context"
	"slices"
	"testing"

	"heddle/predict"
	"heddle/rt/wire"
	"heddle/trace"
)

// late is an Executor whose executions show a race only when they are not ended before step 20,000.
type late struct{ bounds []int }

func (l *late) Execute(_ context.Context, q *wire.Request) (Execution, error) {
	l.bounds = append(l.bounds, q.Steps)
	ex := Execution{Trace: new(trace.Trace)}
	if q.Steps == 0 || q.Steps > 20_000 {
		f := &wire.Finding{Kind: predict.DataRace}
		ex.Found = []wire.Found{{Finding: f}}
	}
	return ex, nil
}

func (*late) Resolve(trace.Site) wire.Place { return wire.Place{} }

// A replay that is ended soon after its clip goes on to the end where it has shown nothing; that of
// a finding which comes at the end is not ended before.
func TestCheckBounds(t *testing.T) {
	steps := func(n int) []wire.Step {
		all := make([]wire.Step, n)
		for i := range all {
			all[i] = wire.Step{G: "main", Op: "lock", Choice: -1}
		}
		return all
	}
	x := new(late)
	clips := []wire.Clip{
		{Test: "TestX", Kind: predict.DataRace, Policy: "first", Steps: steps(3)},
		{Test: "TestX", Kind: predict.DataRace, Policy: "first", Steps: steps(15_000)},
		{Test: "TestX", Kind: "leak", Policy: "first", Steps: steps(3)},
		{Test: "TestX", Kind: predict.DataRace, Policy: "no such policy"},
	}
	var results []string
	err := Check(t.Context(), &wire.Config{}, clips, x, func(r *wire.Record) {
		kind := ""
		if r.Finding != nil {
			kind = r.Finding.Kind
		}
		results = append(results, r.Result+" "+kind)
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"finding data race", "finding data race", "finding data race", "unusable "}
	if !slices.Equal(results, want) {
		t.Errorf("got %q, want %q", results, want)
	}
	if want := []int{10_003, 0, 25_000, 0}; !slices.Equal(x.bounds, want) {
		t.Errorf("executions were bounded by %v steps, want %v", x.bounds, want)
	}
}
