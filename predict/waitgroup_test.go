package predict

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"heddle/trace"
)

// Where each Done has an Add of its own before it, no Done is a candidate: and never where an order
// of the trace has a counter below zero, which a search through all orders tells.
func TestEachAdded(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	excluded, negative := 0, 0
	for range 3000 {
		// main and three goroutines, started in a row; each adds and finishes at random
		var text []string
		started := 0
		for range 9 {
			g := rng.IntN(started + 1)
			switch k := rng.IntN(5); {
			case k == 0 && started < 3 && g == 0:
				started++
				text = append(text, fmt.Sprintf("0 go %d", started))
			case k < 3:
				text = append(text, fmt.Sprintf("%d wg-add w", g))
			default:
				text = append(text, fmt.Sprintf("%d wg-done w", g))
			}
		}
		g := graphOf(t, strings.Join(text, "; "))
		below := belowZero(g.Trace)
		if below {
			negative++
		}
		w := newWaits(g)
		var adds, dones []int32
		for i := range w.events {
			switch e := &w.events[i]; {
			case e.Op == trace.OpWGAdd && e.Arg > 0:
				adds = append(adds, int32(i))
			case e.Op == trace.OpWGAdd:
				dones = append(dones, int32(i))
			}
		}
		if w.eachAdded(adds, dones) {
			excluded++
			if below {
				t.Fatalf("%s: each Done is said to have its Add", strings.Join(text, "; "))
			}
		}
	}
	if excluded < 100 || negative < 100 {
		t.Errorf("%d traces were excluded, %d have a counter below zero: too few to tell", excluded, negative)
	}
}

// belowZero searches all orders of a trace that keep program order and go statements for one whose
// counter falls below zero.
func belowZero(tr *trace.Trace) bool {
	by := make([][]*trace.Event, len(tr.Goroutines))
	begins := make([]bool, len(tr.Goroutines)) // by goroutine: a go statement starts it
	for i := range tr.Events {
		e := &tr.Events[i]
		by[e.G] = append(by[e.G], e)
		if e.Op == trace.OpGo {
			begins[e.Arg] = true
		}
	}
	seen := map[string]bool{}
	at, alive := make([]int, len(by)), make([]bool, len(by))
	for g := range alive {
		alive[g] = !begins[g]
	}
	var search func(n int64) bool
	search = func(n int64) bool {
		key := fmt.Sprint(at)
		if n < 0 || seen[key] {
			return n < 0
		}
		seen[key] = true
		for g := range by {
			if !alive[g] || at[g] == len(by[g]) {
				continue
			}
			e, m := by[g][at[g]], n
			if e.Op == trace.OpGo {
				alive[e.Arg] = true
			} else {
				m += e.Arg
			}
			at[g]++
			below := search(m)
			at[g]--
			if e.Op == trace.OpGo {
				alive[e.Arg] = false
			}
			if below {
				return true
			}
		}
		return false
	}
	return search(0)
}
