package bound

import (
	"testing"

	"heddle/trace"
)

// The alternatives of an execution whose process died are unknown.
func TestNotAllIsKnown(t *testing.T) {
	for _, told := range []bool{true, false} {
		s := New(Options{Preemptions: 2, Delays: -1})
		for sc := s.Next(); sc != nil; sc = s.Next() {
			tr := &trace.Trace{Steps: []trace.Step{{G: 0}, {G: 1}}}
			if told {
				tr.Ways = []trace.Way{{G: 0, Op: trace.OpLock}, {G: 1, Op: trace.OpLock, Step: 1}}
			}
			s.Done(tr)
		}
		want := "preemption bound 2"
		if !told {
			want = "not all within " + want
		}
		if r := s.Result(); r.Executions != 1 || r.Complete || r.Reason.String() != want {
			t.Errorf("%+v, want one execution and %q", r, want)
		}
	}
}
