package engine

import (
	"context"
	"strings"
	"testing"

	"heddle/explore/why"
	"heddle/rt/wire"
	"heddle/trace"
)

// broken is an Executor that panics, as a strategy might.
type broken struct{}

func (broken) Execute(context.Context, *wire.Request) (Execution, error) {
	var none *trace.Trace
	return Execution{Result: wire.Result{}, Trace: none}, nil // the loop looks into the trace
}

func (broken) Resolve(trace.Site) wire.Place { return wire.Place{} }

// A panic of heddle's own is told as that, and ends the test.
func TestFailureOfHeddleItself(t *testing.T) {
	var got []*wire.Record
	err := Explore(context.Background(), &wire.Config{Strategy: "sample", Runs: 5}, "TestX", broken{},
		func(r *wire.Record) { got = append(got, r) })
	if err != nil {
		t.Fatal(err)
	}
	kinds := ""
	for _, r := range got {
		kinds += r.Type + " "
		if r.Type == "failure" &&
			(!strings.Contains(r.Text, "TestX with strategy sample") ||
				!strings.Contains(r.Text, "nil pointer") ||
				!strings.Contains(r.Text, "engine.(*exploration)")) {
			t.Errorf("failure: %s", r.Text)
		}
	}
	if end := got[len(got)-1]; !end.Why.Is(why.Lost) || end.Reason != end.Why.Text(end.Complete) {
		t.Errorf("end: %+v", end)
	}
	if kinds != "begin failure end " {
		t.Errorf("records: %s", kinds)
	}
}
