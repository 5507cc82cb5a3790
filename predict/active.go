package predict

import (
	"heddle/rt/splitmix"
	"heddle/trace"
)

// A Tester is a randomised active tester, the baseline for generated schedules. It chooses
// goroutines at random, but postpones a goroutine that is about to access a suspected site out of
// turn, until its turn comes or no other goroutine is left; then one of the postponed goroutines,
// at random, continues all the same (Sen, "Race directed random testing", PLDI 2008; Park & Sen,
// FSE 2008; Lai, Cheung & Chan, AssetFuzzer, ICSE 2010). It is a trace.Guide of one execution.
type Tester struct {
	events []suspect
	race   bool
	draws  splitmix.Stream

	due   int         // index of the next event; of a race, the number of accesses done
	actor []trace.GID // by thread of the pattern: the goroutine that acts as it
	loc   []trace.ObjID
	met   trace.GID // of a race: the next goroutine; NoG: none
}

// A suspect is an access of an anomaly.
type suspect struct {
	Event
	site trace.Site
}

// NewTester returns a tester for a, an anomaly of g with events: a race or an instance of a
// pattern.
func NewTester(g *Graph, a *Anomaly, seed uint64) *Tester {
	t := &Tester{race: a.Pattern == Race, draws: splitmix.Stream(seed), met: trace.NoG}
	for i, n := range a.Nodes {
		e := a.Pattern.E[i]
		e.Write = g.Nodes[n].Op == trace.OpWrite
		t.events = append(t.events, suspect{e, g.Nodes[n].Site.Plain()})
		t.actor, t.loc = append(t.actor, trace.NoG), append(t.loc, 0)
	}
	return t
}

// Choose implements trace.Guide.
func (t *Tester) Choose(_ *trace.Trace, _ trace.GID, ways []trace.Way) int {
	if t.race {
		return t.chooseRacing(ways)
	}
	var free, postponed []int
	for i := range ways {
		if t.due < len(t.events) && !t.inTurn(&ways[i]) && t.suspected(&ways[i]) {
			postponed = append(postponed, i)
		} else {
			free = append(free, i)
		}
	}
	if len(free) == 0 {
		free = postponed
	}
	c := free[t.random(len(free))]
	if w := &ways[c]; t.due < len(t.events) && t.inTurn(w) {
		e := &t.events[t.due]
		t.actor[e.T], t.loc[e.SV] = w.G, w.Obj
		t.due++
	}
	return c
}

// chooseRacing waits for two goroutines that are about to access the same memory at the two sites.
func (t *Tester) chooseRacing(ways []trace.Way) int {
	var free, postponed []int
	for i := range ways {
		w := &ways[i]
		if w.G == t.met {
			t.met = trace.NoG
			return i
		}
		if t.due > 0 || !t.suspected(w) {
			free = append(free, i)
			continue
		}
		for _, j := range postponed {
			if x := &ways[j]; x.Obj == w.Obj && (t.is(0, x) && t.is(1, w) || t.is(1, x) && t.is(0, w)) {
				t.due = len(t.events)
				if t.random(2) == 0 {
					i, j = j, i
				}
				t.met = ways[j].G
				return i
			}
		}
		postponed = append(postponed, i)
	}
	if len(free) == 0 {
		free = postponed
	}
	return free[t.random(len(free))]
}

// is reports whether w is the access of event k.
func (t *Tester) is(k int, w *trace.Way) bool {
	e := &t.events[k]
	return w.Site.Plain() == e.site && accessOf(w.Op) && (w.Op == trace.OpWrite) == e.Write
}

// suspected reports whether w is the access of any event.
func (t *Tester) suspected(w *trace.Way) bool {
	for k := range t.events {
		if t.is(k, w) {
			return true
		}
	}
	return false
}

// inTurn reports whether w is the event that is due, by the right goroutine, on the right variable.
func (t *Tester) inTurn(w *trace.Way) bool {
	if !t.is(t.due, w) {
		return false
	}
	e := &t.events[t.due]
	if t.loc[e.SV] != 0 && t.loc[e.SV] != w.Obj {
		return false
	}
	for k, g := range t.actor {
		if g == w.G && k != e.T || k == e.T && g != trace.NoG && g != w.G {
			return false
		}
	}
	return true
}

// random returns a number below n.
func (t *Tester) random(n int) int { return int(t.draws.Next() % uint64(n)) }
