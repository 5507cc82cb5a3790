package unfold

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"heddle/explore"
	"heddle/explore/dpor"
	reachability "heddle/explore/reach"
	"heddle/explore/unfold/net"
	"heddle/internal/progen"
	"heddle/internal/progen/machine"
	"heddle/trace"
)

// A canon names the events of a net by their operation and their past, so two nets are isomorphic
// if and only if their events have the same names.
type canon struct {
	s      *Strategy
	events map[net.Event]string
}

func (c *canon) place(k net.Place) string {
	if c.s.isGoroutine(k) {
		return c.s.tab.Name(c.s.procOf[k])
	}
	obj := c.s.objectOf[k]
	o := &c.s.objects[obj]
	return fmt.Sprint(c.s.tab.ObjectName(obj), k == o.state, k == o.sent, k == o.received, k == o.beside,
		k == o.line)
}

func (c *canon) cond(x net.Cond) string {
	by := c.s.net.By(x)
	if k, ok := c.s.joins.tokens[x]; ok {
		name := fmt.Sprint("merged", c.s.tab.Name(k.proc), k.delta)
		if k.before != net.None {
			name += c.cond(k.before)
		}
		return name
	}
	if by == net.None {
		return c.place(c.s.net.Place(x))
	}
	return c.place(c.s.net.Place(x)) + "<" + c.event(by)
}

func (c *canon) event(e net.Event) string {
	if name, ok := c.events[e]; ok {
		return name
	}
	call, _ := c.s.callAt(c.s.net.Arcs(e)[0].Cond())
	var arcs []string
	for _, a := range c.s.net.Arcs(e) {
		arcs = append(arcs, fmt.Sprint(a.Use(), c.cond(a.Cond())))
	}
	slices.Sort(arcs) // which goroutine or object has the lower number is chance
	h := sha256.New()
	binary.Write(h, binary.LittleEndian, c.s.net.Label(e))
	fmt.Fprint(h, call.op, arcs)
	name := string(h.Sum(nil))
	c.events[e] = name
	return name
}

// canonical returns the names of all events that were shown, sorted.
func canonical(s *Strategy) (names []string) {
	c := &canon{s, map[net.Event]string{}}
	for e := range net.Event(s.net.Len()) {
		if s.net.Shown(e) {
			names = append(names, c.event(e))
		}
	}
	slices.Sort(names)
	return names
}

// The nets of 1,000 random programs are isomorphic for every order of targets, for every strategy
// whose executions seed them (section 4.6), and with several targets at a time.
func TestCanonical(t *testing.T) {
	sizes := []func(*progen.Size){
		func(*progen.Size) {},
		func(z *progen.Size) { z.Selects = true },
		func(z *progen.Size) { z.Spin, z.Slow = true, true },
		func(z *progen.Size) { z.Loose = true },
		func(z *progen.Size) { z.Joins = true },
	}
	n := 1000
	if testing.Short() {
		n = 100
	}
	nets, events := 0, 0
	for seed := *from; nets < n && seed < *from+uint64(4*n); seed++ {
		size := progen.Default
		sizes[seed%uint64(len(sizes))](&size)
		p := progen.Generate(seed, size)
		m := machine.New(p)
		if _, _, err := m.Exhaust(true, 300, nil); err != nil {
			continue
		}
		rng := rand.New(rand.NewSource(int64(seed)))
		var want []string
		for i, o := range []Options{{}, {Choose: func(int) int { return 0 }}, {Choose: rng.Intn}, {}, {},
			{}, {}} {
			s := New(o)
			m.Local = nil
			if !seedFrom(s, m, i) {
				continue
			}
			if _, _, err := locals(m, s, i/6*5); err != nil || s.Why != "" {
				t.Fatalf("seed %d: %v %s\n%s", seed, err, s.Why, progen.Source(p))
			}
			m.Local = nil
			got := canonical(s)
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d: the net made in way %d, of %d events, is not the first, of %d\n%s", seed,
					i, len(got), len(want), progen.Source(p))
			}
		}
		nets++
		events += len(want)
	}
	t.Logf("%d nets of %d events", nets, events)
	if nets < n {
		t.Errorf("only %d nets", nets)
	}
}

// seedFrom adds executions of other strategies to s; false if the net cannot start from them.
func seedFrom(s *Strategy, m *machine.Machine, way int) bool {
	ok := true
	switch way {
	case 3:
		m.Exhaust(true, 7, func(tr *trace.Trace) { ok = ok && s.Seed(tr) })
	case 4, 5:
		var other explore.Strategy = dpor.New(dpor.Options{})
		if way == 5 {
			other = reachability.New(reachability.Options{})
		}
		for range 5 {
			sc := other.Next()
			if sc == nil {
				break
			}
			tr, err := m.Execute(context.Background(), sc)
			if err == nil { // it was not broken off
				ok = ok && s.Seed(tr)
			}
			other.Done(tr)
		}
	}
	return ok
}
