package cluster

import (
	"slices"
	"testing"
	"time"

	"heddle/explore/why"
	"heddle/rt/wire"
	"heddle/trace"
)

// did returns a worker's result of an Item of remote executions: each leaves as many steps as it
// was to follow.
func did(t *testing.T, it *wire.Item) *wire.Worked {
	w := &wire.Worked{N: it.N}
	for _, x := range it.RemoteExecutions {
		steps, err := trace.DecodeSteps(x.Steps)
		if err != nil {
			t.Fatal(err)
		}
		w.Made = append(w.Made, wire.Made{N: x.N, Outcome: &wire.Result{Encoded: make([]byte, len(steps))}})
	}
	return w
}

// Each remote execution is done once, whatever worker dies and whatever result comes twice. A
// dropped remote execution leaves nothing behind.
func TestRemoteExecutions(t *testing.T) {
	r := NewRemoteExecutions("TestX", 1, nil, Options{})
	know := &wire.Knowledge{Loose: true}
	ask := func(steps int) int {
		return r.Ask(&wire.Request{Schedule: trace.Schedule{Policy: "first",
			Steps: make([]trace.Step, steps)}}, know)
	}
	var ns []int
	for i := range 9 {
		ns = append(ns, ask(i))
	}
	r.Drop(ns[1])
	other := ask(20)
	r.Drop(ns[3])
	it := r.Next(nil)
	var got []int
	for _, x := range it.RemoteExecutions {
		got = append(got, x.N)
	}
	if want := []int{ns[0], ns[2], ns[4], ns[5]}; !slices.Equal(got, want) || !it.Know.Loose {
		t.Errorf("the first Item is %v, want %v", got, want)
	}
	r.Drop(ns[4]) // while a worker is at it
	r.Back(it)
	again := r.Next(nil)
	if again != it {
		t.Fatal("what came back is not handed out again")
	}
	r.Take(again, did(t, again))
	r.Take(again, did(t, again))
	for _, i := range []int{0, 2, 5} {
		if m, _ := r.Answer(ns[i]); m == nil || len(m.Outcome.Encoded) != i {
			t.Errorf("remote execution %d came to %+v", i, m)
		}
	}
	for !r.plan.done() && len(r.plan.idle) > 0 {
		it := r.Next(nil)
		r.Take(it, did(t, it))
	}
	if m, _ := r.Answer(other); m == nil || len(m.Outcome.Encoded) != 20 {
		t.Errorf("the last remote execution came to %+v", m)
	}
	for _, i := range []int{6, 7, 8} {
		r.Drop(ns[i])
	}
	if p := r.plan; len(p.came)+len(p.wanted)+len(p.idle)+len(p.hands.items) > 0 ||
		p.out.Tally.Executions != 8 {
		t.Errorf("%d results, %d wanted, %d idle, %d in hands are left of %d executions, want none of 8",
			len(p.came), len(p.wanted), len(p.idle), len(p.hands.items), p.out.Tally.Executions)
	}
	// A remote execution with more knowledge is in an Item of its own.
	ask(1)
	know = &wire.Knowledge{Loose: true, OneWay: true}
	late := ask(2)
	if it := r.Next(nil); len(it.RemoteExecutions) != 1 {
		t.Error("an Item has remote executions of different knowledge")
	}
	// If a worker cannot do a remote execution, the run ends, and every Answer has the reason.
	it = r.Next(nil)
	r.Take(it, &wire.Worked{N: it.N, Tally: wire.Tally{Failed: why.With(why.Other, "no")}})
	if m, failed := r.Answer(late); m != nil || failed != "no" {
		t.Errorf("a remote execution that failed came to %v, %q", m, failed)
	}
	if r.Next(nil) != nil {
		t.Error("the run goes on")
	}
}

// Each Item has one input, with the knowledge at the time of its request. A worker that explores
// an input that was dropped is told, and no worker begins with it again.
func TestInputRemoteExecutions(t *testing.T) {
	r := NewRemoteExecutions("FuzzX", 2, nil, Options{})
	know := &wire.Knowledge{Loose: true}
	ask := func(value string) int {
		return r.AskInput(&wire.Input{Values: []string{value}}, know, time.Now().Add(time.Hour))
	}
	a, b, c := ask("a"), ask("b"), ask("c")
	hurried := 0
	next := func() *wire.Item { return r.Next(func() { hurried++ }) }
	did := func(it *wire.Item) *wire.Worked {
		return &wire.Worked{N: it.N, Tally: wire.Tally{Executions: 10},
			Explored: &wire.Explored{Move: it.Input.Values[0]}}
	}
	first, second := next(), next()
	if first.Input.N != a || !first.Know.Loose || first.Budget <= 0 || len(first.RemoteExecutions) > 0 ||
		second.Input.N != b {
		t.Fatalf("the first Items are %+v and %+v", first, second)
	}
	r.Back(first) // its worker has died
	r.Drop(b)
	r.Drop(b)
	if hurried != 1 {
		t.Errorf("who explores an input that is not wanted any more was told %d times, want once", hurried)
	}
	r.Back(second)
	if again := next(); again != first {
		t.Fatalf("after it was given back %+v comes next", again)
	}
	if r.Come(a) {
		t.Error("an input is there before any worker reported it")
	}
	r.Take(first, did(first))
	r.Take(second, did(second)) // redundant
	third := next()
	if third.Input.N != c {
		t.Fatalf("%+v comes last, and not the input that is left", third)
	}
	r.Take(third, did(third))
	r.Take(third, did(third))
	for n, value := range map[int]string{a: "a", c: "c"} {
		if !r.Come(n) {
			t.Errorf("%s has not come", value)
		}
		if w, failed := r.Explored(n); failed != "" || w == nil || w.Explored.Move != value {
			t.Errorf("%s came to %+v, %q", value, w, failed)
		}
	}
	if p := r.plan; len(p.inputs)+len(p.wanted)+len(p.idle)+len(p.hands.items) > 0 ||
		p.out.Tally.Executions != 30 {
		t.Errorf("%d results, %d wanted, %d idle, %d in hands are left of %d executions, want none of 30",
			len(p.inputs), len(p.wanted), len(p.idle), len(p.hands.items), p.out.Tally.Executions)
	}
	r.Close()
	if w, _ := r.Explored(ask("d")); w != nil {
		t.Error("an input is explored when the run is over")
	}
}
