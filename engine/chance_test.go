package engine

import (
	"fmt"
	"testing"
	"time"

	"heddle/rt/wire"
	"heddle/symbolic/mutate"
	"heddle/trace"
)

// One input that goes further in the program's own code than a hundred others has half of the turns
// of kinds, and no fewer when it has had many.
func TestKindsTakeTurns(t *testing.T) {
	c := &chance{mutator: mutate.New(1, nil, ""), known: map[string]*parent{}, byKind: map[uint64]*kind{}}
	for i := range 101 {
		p := &parent{values: []any{fmt.Sprint(i)}, length: 3}
		c.firsts, p.first = append(c.firsts, p), true
		values := []string{fmt.Sprintf("string(%q)", p.values[0])}
		c.known[inputKey(values)] = p
		c.offer(wire.Offer{Values: values, Sides: uint64(1 + i/100)})
	}
	const turns = 1000
	rare := 0
	for range turns {
		p := c.pickOf(c.least())
		p.turns++
		if p.kind.spent += perTurn; p == c.firsts[100] {
			rare++
		}
	}
	if rare < turns/3 || rare > turns*2/3 {
		t.Errorf("the one had %d of %d turns", rare, turns)
	}
	if c.n = 1000; c.share() < 400 || c.share() > 500 {
		t.Errorf("two kinds of 101 have %d of 1000 executions", c.share())
	}
	if c.kinds = make([]*kind, 101); c.share() != 0 {
		t.Errorf("kinds that are all different have %d executions", c.share())
	}
}

// Inputs found by chance wait while questions are asked, those that took a branch first come before
// others, and the latest of these first.
func TestFoundTakeTurns(t *testing.T) {
	p, err := newPaths("")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []wire.Fresh{{Values: []string{"a"}}, {Values: []string{"b"}, First: true},
		{Values: []string{"c"}, First: true}, {Values: []string{"a"}}} {
		p.addFound(f)
	}
	p.turns.Add(class{side: side{site: trace.Site(1)}}, 1, &turn{})
	if p.ready() {
		t.Error("an input by chance comes before a question")
	}
	p.add([]string{"d"}, nil)
	var order []string
	for p.since = 0; p.waiting() > 1; {
		if !p.ready() {
			p.since++ // a question
			order = append(order, "?")
			continue
		}
		order = append(order, p.take().input[0])
	}
	if got, want := fmt.Sprint(order), "[d ? ? ? ? c ? ? ? ? b ? ? ? ? a]"; got != want {
		t.Errorf("order %v, want %v", got, want)
	}
}

// A first turn with long executions is a short one.
func TestFirstTurn(t *testing.T) {
	for took, want := range map[time.Duration]int{0: mostMatches, time.Microsecond: mostMatches,
		time.Millisecond: 200, 16 * time.Millisecond: perTurn, time.Second: perTurn} {
		if got := (&parent{took: took}).most(); got != want {
			t.Errorf("%d inputs where one takes %v, want %d", got, took, want)
		}
	}
}
