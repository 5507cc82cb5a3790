package reach

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"heddle/internal/progen"
	"heddle/internal/progen/machine"
)

// Programs of goroutines that communicate over unbuffered channels, several of which receive from
// one. Every word is a goroutine: its operations are letters, a channel followed by ! (send), ?
// (receive) or # (close), and a select is its cases in brackets: "a!(a?b!)b#". The twin enumerates
// their sequences and shares nothing with the strategy.
type talk []string

// An act is an operation, a select if it has several cases.
type act []side

type side struct{ ch, do byte }

func (p talk) acts() (all [][]act) {
	for _, word := range p {
		var as []act
		for in := false; len(word) > 0; {
			switch word[0] {
			case '(':
				as, in, word = append(as, nil), true, word[1:]
				continue
			case ')':
				in, word = false, word[1:]
				continue
			}
			if !in {
				as = append(as, nil)
			}
			k := len(as) - 1
			as[k], word = append(as[k], side{word[0], word[1]}), word[2:]
		}
		all = append(all, as)
	}
	return all
}

// A talked is a state of the twin: what every goroutine has done. In a program without sends on
// closed channels that is the sequence, whatever the interleaving.
type talked struct {
	done   [][]string
	closed string
}

func (s talked) add(g int, what string) talked {
	s.done = slices.Clone(s.done)
	s.done[g] = append(slices.Clone(s.done[g]), what)
	return s
}

// sequences returns the number of complete sequences of p, and reports whether it is defined: no
// goroutine sends on a closed channel, or closes it again.
func (p talk) sequences(most int) (n int, ok bool) {
	acts := p.acts()
	seen, ok := map[string]bool{}, true
	var visit func(s talked)
	step := func(s talked, stuck *bool) {
		*stuck = false
		visit(s)
	}
	visit = func(s talked) {
		key := fmt.Sprint(s.done)
		if seen[key] || !ok {
			return
		}
		seen[key] = true
		if len(seen)%5000 == 0 {
			runtime.GC() // TestMain turned it off
		}
		if len(seen) > most {
			ok = false
			return
		}
		stuck := true
		for g, as := range acts {
			if len(s.done[g]) == len(as) {
				continue
			}
			for i, c := range as[len(s.done[g])] {
				shut := strings.IndexByte(s.closed, c.ch) >= 0
				switch {
				case c.do == '#':
					ok = ok && !shut
					t := s.add(g, "close")
					t.closed += string(c.ch)
					step(t, &stuck)
				case shut && c.do == '!':
					ok = false
				case shut:
					step(s.add(g, fmt.Sprint(i, " closed")), &stuck)
				case c.do == '!':
					for h, bs := range acts {
						if h == g || len(s.done[h]) == len(bs) {
							continue
						}
						for j, d := range bs[len(s.done[h])] {
							if d == (side{c.ch, '?'}) {
								step(s.add(g, fmt.Sprint(i, " to ", h, ".", len(s.done[h]))).
									add(h, fmt.Sprint(j, " from ", g, ".", len(s.done[g]))), &stuck)
							}
						}
					}
				}
			}
		}
		if stuck {
			n++
		}
	}
	visit(talked{done: make([][]string, len(acts))})
	return n, ok
}

// program returns p for the machine. Main only starts the goroutines.
func (p talk) program() *progen.Program {
	q := new(progen.Program)
	chans := map[byte]int{}
	number := func(c byte) int {
		if _, ok := chans[c]; !ok {
			chans[c], q.Chans = len(q.Chans), append(q.Chans, 0)
		}
		return chans[c]
	}
	for _, as := range p.acts() {
		var body []*progen.Stmt
		for _, a := range as {
			var cases []progen.Case
			for _, c := range a {
				cases = append(cases, progen.Case{Send: c.do == '!', Obj: number(c.ch), Val: 1})
			}
			switch {
			case len(a) > 1:
				body = append(body, choose(cases...))
			case a[0].do == '!':
				body = append(body, sends(number(a[0].ch)))
			case a[0].do == '?':
				body = append(body, receives(number(a[0].ch)))
			default:
				body = append(body, &progen.Stmt{Op: progen.Close, Obj: number(a[0].ch)})
			}
		}
		q.Body = append(q.Body, concurrently(body...))
	}
	q.Number()
	return q
}

func of(n int, word string) talk { return talk(strings.Fields(strings.Repeat(word+" ", n))) }

func both(ps ...talk) talk { return slices.Concat(ps...) }

// check exercises p and compares the number of sequences with the twin's.
func (p talk) check(t *testing.T, want int) Stats {
	t.Helper()
	s, keys, _, err := exercise(machine.New(p.program()), Options{}, 100_000)
	st := s.Stats()
	if err != nil || st.Sequences != want || len(keys) != want {
		t.Errorf("%v: %+v, %d of them different, want %d; %v", p, st, len(keys), want, err)
	}
	return st
}

// Several goroutines receive from one channel: every sequence once, and no execution is broken off.
func TestReceivers(t *testing.T) {
	for _, c := range []struct {
		p    talk
		want int
	}{
		// n senders and n receivers: n! pairings
		{both(of(2, "a!"), of(2, "a?")), 2},
		{both(of(3, "a!"), of(3, "a?")), 6},
		{both(of(4, "a!"), of(4, "a?")), 24},
		{both(of(5, "a!"), of(5, "a?")), 120},
		{both(of(6, "a!"), of(6, "a?")), 720},
		// leftovers: 4!/1! and 4!/2!
		{both(of(4, "a!"), of(3, "a?")), 24},
		{both(of(2, "a!"), of(4, "a?")), 12},
		// each several operations
		{both(of(2, "a!a!"), of(2, "a?a?")), -1},
		{both(of(3, "a!a!"), of(2, "a?a?a?")), -1},
		{both(of(2, "a!a!"), of(4, "a?")), -1},
		{both(of(4, "a!"), of(2, "a?a?")), -1},
		{both(of(1, "a!a!a!"), of(3, "a?")), 6},
		{both(of(3, "a?a!"), of(2, "a!"), of(1, "a?a?")), -1},
		// it sends on, which a receiver that is left over takes
		{both(of(3, "a!"), of(2, "a?a!"), of(2, "a?")), -1},
		{both(of(3, "a!b?"), of(3, "a?b!")), -1},
		// selects, and what they free
		{both(of(2, "(a!b!)"), of(2, "a?"), of(1, "b?")), -1},
		{both(of(3, "a!"), of(3, "(a?b?)"), of(1, "b!b!")), -1},
		{both(of(2, "(a!b?)"), of(2, "(a?b!)"), of(1, "a!b?")), -1},
		{both(of(2, "(a?b?)a!"), of(2, "a!"), of(2, "b!a?")), -1},
		{both(of(3, "(a?a!)"), of(2, "(a?a!)a!")), -1},
		// closes
		{both(of(2, "a?"), of(1, "a!a!a#"), of(2, "a?")), -1},
		{both(of(1, "a!b#"), of(2, "(a?b?)"), of(1, "a?")), -1},
		{both(of(1, "a!a!"), of(2, "(a?b?)(a?b?)"), of(1, "b#")), -1},
		{both(of(3, "a!"), of(3, "(a?b?)"), of(1, "a?b#")), -1},
	} {
		want, ok := c.p.sequences(60_000)
		if !ok || c.want >= 0 && want != c.want {
			t.Errorf("%v: the twin counts %d, %v, want %d", c.p, want, ok, c.want)
			continue
		}
		st := c.p.check(t, want)
		if st.Partial > 0 {
			t.Errorf("%v: %d executions were broken off", c.p, st.Partial)
		}
		t.Logf("%v: %d sequences, %d broken off", c.p, st.Sequences, st.Partial)
	}
}

// random returns a program of three to seven goroutines over one or two channels.
func randomTalk(r *rand.Rand) talk {
	var p talk
	chans := "ab"[:1+r.IntN(2)]
	one := func(kinds string) string {
		return string(chans[r.IntN(len(chans))]) + string(kinds[r.IntN(len(kinds))])
	}
	for range 3 + r.IntN(5) {
		kinds := []string{"!", "?", "!?"}[r.IntN(3)]
		word := ""
		for range 1 + r.IntN(3) {
			switch n := r.IntN(10); {
			case n < 6:
				word += one(kinds)
			case n < 9:
				word += "(" + one(kinds) + one("!?") + ")"
			default:
				word += "(" + one(kinds) + one("!?") + one("!?") + ")"
			}
		}
		p = append(p, word)
	}
	if r.IntN(4) == 0 { // c is closed, which waiting receivers learn
		for i := range p {
			if r.IntN(2) == 0 {
				p[i] += "c?"
			}
		}
		p[r.IntN(len(p))] += "c#"
	}
	return p
}

// The same for random programs.
func TestRandomReceivers(t *testing.T) {
	checked, sum := 0, Stats{}
	for seed := *from; seed < *from+uint64(*seeds); seed++ {
		p := randomTalk(rand.New(rand.NewPCG(seed, 21)))
		want, ok := p.sequences(3000)
		if !ok {
			continue
		}
		st := p.check(t, want)
		checked++
		sum.Sequences += st.Sequences
		sum.Partial += st.Partial
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	t.Logf("%d of %d programs were small enough: %d sequences, %d broken off", checked, *seeds, sum.Sequences,
		sum.Partial)
	if sum.Partial > 0 {
		t.Errorf("%d executions were broken off", sum.Partial)
	}
	if checked < *seeds/3 {
		t.Error("too few")
	}
}
