package pcr

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"heddle/explore"
	"heddle/internal/progen"
	"heddle/internal/progen/machine"
	"heddle/trace"
)

// A splitting is an exploration that was split among several strategies.
type splitting struct {
	t       *testing.T
	r       *rand.Rand
	m       *machine.Machine
	ends    *machine.Outcomes
	known   map[uint64]bool
	states  []uint64
	leads   []explore.Lead // that are not bare
	bare    []explore.Lead
	workers []*Strategy
	made    map[uint64]int // number of executions, by their state
	n       int
}

func (x *splitting) reach(state uint64) bool {
	if x.known[state] {
		return false
	}
	x.known[state] = true
	x.states = append(x.states, state)
	return true
}

// add takes the lead that a lead has led to. rest: continue with it, whatever is known.
func (x *splitting) add(l explore.Lead, rest bool) {
	back, err := explore.DecodeLead(l.Encode())
	if err != nil || back.State != l.State || back.From != l.From || back.Bare != l.Bare ||
		back.Made != l.Made || back.Schedule.Seed != l.Schedule.Seed ||
		back.Schedule.Policy != l.Schedule.Policy || back.Schedule.Sites != l.Schedule.Sites ||
		back.Schedule.Exhaustive != l.Schedule.Exhaustive {
		x.t.Fatalf("%+v, %v, want %+v", back, err, l)
	}
	for i := range l.Schedule.Steps {
		want := l.Schedule.Steps[i]
		if want.Default = 0; back.Schedule.Steps[i] != want {
			x.t.Fatalf("step %d is %+v, want %+v", i, back.Schedule.Steps[i], want)
		}
	}
	switch {
	case l.Bare:
		x.bare = append(x.bare, *back)
	case rest || x.reach(l.State):
		x.leads = append(x.leads, *back)
	}
}

// pick takes any lead, a bare one only if no other is left.
func (x *splitting) pick() *explore.Lead {
	if n := len(x.leads); n > 0 {
		i := x.r.IntN(n)
		l := x.leads[i]
		x.leads[i] = x.leads[n-1]
		x.leads = x.leads[:n-1]
		return &l
	}
	for len(x.bare) > 0 {
		l := x.bare[0]
		if x.bare = x.bare[1:]; x.reach(l.State) {
			return &l
		}
	}
	return nil
}

// run executes leads until none is left. Some results are lost, and the leads repeated.
func (x *splitting) run() error {
	for l := x.pick(); l != nil; l = x.pick() {
		for lost := true; lost; {
			lost = x.r.IntN(4) == 0
			s := x.workers[x.r.IntN(len(x.workers))]
			s.Know(x.states)
			t, err := x.m.Execute(context.Background(), &l.Schedule)
			if err != nil {
				return err
			}
			if !l.Made {
				again := s.Made(l, t)
				if lost {
					continue
				}
				x.ends.Add(x.m)
				x.made[l.State]++
				if x.n++; x.n > 100_000 {
					return errors.New("no end")
				}
				x.add(again, false)
				continue
			}
			asked, most := 0, 1+x.r.IntN(20)
			leads, rest := s.Expand(l, t, func() bool { asked++; return asked >= most })
			if lost {
				continue
			}
			for _, l := range leads {
				x.add(l, false)
			}
			if rest != nil {
				if rest.From <= l.From && rest.State == l.State {
					x.t.Fatalf("gone on with from candidate %d, and then from %d", l.From, rest.From)
				}
				x.add(*rest, true)
			}
		}
	}
	return nil
}

// TestSplit: a split exploration loses no state, wherever leads are executed and whatever is lost
// on the way, and no two executions have the same state as aim.
func TestSplit(t *testing.T) {
	compared, lost, alone, together := 0, 0, 0, 0
	for seed := uint64(0); compared < *programs/4; seed++ {
		p := progen.Generate(seed, progen.Default)
		if !modelled(p) {
			continue
		}
		m := machine.New(p)
		m.Values = true
		want, _, err := m.Exhaust(true, 2000, nil)
		if errors.Is(err, machine.ErrTooMany) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		compared++
		_, n, err := explored(m, New(MCR()), 5000)
		if err != nil {
			t.Fatal(err)
		}
		alone += n
		r := rand.New(rand.NewPCG(seed, 1))
		x := &splitting{t: t, r: r, m: m, ends: machine.NewOutcomes(), known: make(map[uint64]bool),
			made: make(map[uint64]int)}
		for range 1 + r.IntN(3) {
			x.workers = append(x.workers, New(MCR()))
		}
		first := New(MCR())
		for range 1 + r.IntN(5) {
			next := first.Next()
			if next == nil {
				break
			}
			tr, err := m.Execute(context.Background(), next)
			if err != nil {
				t.Fatal(err)
			}
			x.ends.Add(m)
			x.n++
			first.Done(tr)
		}
		leads, known, ok := first.Leads()
		if !ok {
			t.Fatal("mcr cannot be split")
		}
		for _, state := range known {
			x.reach(state)
		}
		for _, l := range leads {
			x.add(l, l.Made)
		}
		if err := x.run(); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, progen.Source(p))
		}
		together += x.n
		for state, n := range x.made {
			if n > 1 {
				t.Errorf("seed %d: %d executions for the state %x", seed, n, state)
			}
		}
		if ds := missing(want, x.ends); len(ds) > 0 {
			if lost++; lost > 1 { // see TestStates
				t.Errorf("seed %d:\n%s\n%s", seed, strings.Join(ds, "\n"), progen.Source(p))
			}
		}
	}
	t.Logf("%d programs: %d executions, and %d when split", compared, alone, together)
}

// By patterns there is nothing to split.
func TestSplitPatterns(t *testing.T) {
	if _, _, ok := New(Map()).Leads(); ok {
		t.Error("map was split while it looked for patterns")
	}
}

// The state of a trace is the same in every strategy, whatever it has executed before.
func TestStatesOfOthers(t *testing.T) {
	for seed := range uint64(40) {
		p := progen.Generate(seed, progen.Default)
		if !modelled(p) {
			continue
		}
		m := machine.New(p)
		m.Values = true
		a, b := New(MCR()), New(MCR())
		first, err := m.Execute(context.Background(), a.Next())
		if err != nil {
			t.Fatal(err)
		}
		first = first.Clone()
		other := New(Options{Seed: seed + 1}).Next()
		second, err := m.Execute(context.Background(), other)
		if err != nil {
			t.Fatal(err)
		}
		b.read(second)
		if x, y := a.read(first), b.read(first); x.state != y.state ||
			!reflect.DeepEqual(x.named.name, y.named.name) {
			t.Errorf("seed %d: %x and %x", seed, x.state, y.state)
		}
	}
}

func TestDecodeLead(t *testing.T) {
	l := explore.Lead{State: 1 << 63, Made: true, From: 3}
	l.Schedule.Policy = "first"
	b := l.Encode()
	for n := range b {
		if _, err := explore.DecodeLead(b[:n]); err == nil {
			t.Errorf("%d of %d bytes were read", n, len(b))
		}
	}
	if _, err := explore.DecodeLead(append(b, 0)); err == nil {
		t.Error("more than a lead was read")
	}
}

// FuzzDecodeLead: a lead that can be decoded is encoded to itself.
func FuzzDecodeLead(f *testing.F) {
	l := explore.Lead{State: 1 << 63, Made: true, From: 3}
	l.Schedule.Policy = "first"
	l.Schedule.Steps = []trace.Step{{G: 1, Op: trace.OpLock, Choice: -1, Site: 7}}
	f.Add(l.Encode())
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := explore.DecodeLead(data)
		if err != nil {
			return
		}
		again, err := explore.DecodeLead(l.Encode())
		if err != nil || !reflect.DeepEqual(l, again) {
			t.Errorf("%+v became %+v, %v", l, again, err)
		}
	})
}
