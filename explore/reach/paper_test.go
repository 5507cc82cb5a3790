package reach

import (
	"fmt"
	"strings"
	"testing"

	"heddle/bench/model"
	"heddle/explore/reach/syn"
	"heddle/internal/progen"
	"heddle/trace"
)

// inGo is a program of the paper with channels for its ports, which have room for all messages.
func inGo(p syn.Program) *progen.Program {
	q := new(progen.Program)
	port := map[string]int{}
	for _, thread := range p {
		var body []*progen.Stmt
		for _, op := range thread {
			c, known := port[op.Port]
			if !known {
				c = len(q.Chans)
				port[op.Port], q.Chans = c, append(q.Chans, 8)
			}
			if op.Send {
				body = append(body, sends(c))
			} else {
				body = append(body, receives(c))
			}
		}
		q.Body = append(q.Body, concurrently(body...))
	}
	q.Number()
	return q
}

// The paper's examples that pass messages, as Go programs: as many sequences as its own algorithm
// exercises.
func TestFiguresWithChannels(t *testing.T) {
	to, from := syn.To, syn.From
	for _, c := range []struct {
		figure int
		prog   syn.Program
		want   int
	}{
		{1, syn.Program{{to("p1")}, {from("p1"), to("p2"), from("p1")}, {from("p2"), from("p2")},
			{to("p1"), to("p2")}}, 4},
		{2, syn.Program{{to("p1"), to("p1")}, {from("p1"), from("p1"), from("p2"), from("p1")},
			{to("p1"), to("p2")}}, 3},
		{6, syn.Program{{to("p"), to("p")}, {from("p"), from("p"), from("p")}, {from("q"), to("p")},
			{to("q")}}, 3},
		{11, syn.Program{{to("p")}, {from("p"), to("q")}, {from("q")}, {to("p")}}, 2},
	} {
		paper := map[string]bool{}
		c.prog.Reach(func(q, _ *syn.Sequence, _ *syn.Variant, _ bool) {
			var s []string
			for _, e := range q.Events {
				if !e.Sends {
					s = append(s, fmt.Sprint(e.Owner, e.Index, e.Partner.Owner, e.Partner.Index))
				}
			}
			paper[strings.Join(s, " ")] = true
		})
		st, ds, err := compare(inGo(c.prog), 2_000_000)
		if err != nil || len(ds) > 0 || st.Sequences != c.want || st.Partial != 0 || len(paper) != c.want {
			t.Errorf("Fig. %d: %+v, %d by the paper's algorithm, want %d sequences; %v\n%s", c.figure, st,
				len(paper), c.want, err, strings.Join(ds, "\n"))
		}
	}
}

// Fig. 4 and 5 with a mutex for the binary semaphore and a signal-and-continue
// monitor: each has one race, at its first event. The signal is lost if T2 is first.
func TestFigures4And5(t *testing.T) {
	st := count(t, Options{}, func() {
		m := new(mutex)
		for range 2 {
			spawn(func() {
				m.Lock()
				m.Unlock()
			})
		}
	}, nil)
	if st.Sequences != 2 || st.Partial != 0 {
		t.Errorf("Fig. 4: %+v, want 2 sequences", st)
	}
	waiting := 0
	st = count(t, Options{}, func() {
		m := model.NewMonitor(model.SC)
		c := m.NewCond()
		spawn(func() { m.Do(func() model.Next { return c.Wait(func() model.Next { return model.Done }) }) })
		spawn(func() {
			m.Do(func() model.Next {
				c.Signal()
				return model.Done
			})
		})
	}, func(t *trace.Trace) {
		if len(t.Left) > 0 {
			waiting++
		}
	})
	if st.Sequences != 2 || st.Partial != 0 || waiting != 1 {
		t.Errorf("Fig. 5: %+v, T1 waits for ever in %d, want 2 sequences, in one of which it does", st,
			waiting)
	}
}
