package engine

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"heddle/rt/wire"
	"heddle/trace"
)

// Inputs of a fuzz target explored by others. One decides, in the order in which one process does,
// which input is next and what it teaches; the others explore inputs that are in the queue by
// then, and those that the solver finds for branches whose turn will come. So what is explored and
// found, and by how many executions, does not depend on how many they are.

// An InputCrew is an Executor that lets others explore inputs, several at a time.
type InputCrew interface {
	Crew
	// Begin lets a worker explore an input by what has been learnt, until the deadline (zero:
	// none). It returns a number for it.
	Begin(in *wire.Input, deadline time.Time) int
	// Come reports whether it is known what an input has come to.
	Come(n int) bool
	// Explored waits for that. The error says what keeps it from being known.
	Explored(n int) (*wire.Worked, error)
	// Forget says that it is not wanted any more.
	Forget(n int)
	// Solvers returns how many questions are to be answered at a time.
	Solvers() int
	// Hungry reports whether a worker has nothing to do.
	Hungry() bool
	// Learn takes what has been learnt, and the keys of all findings, for the inputs that are
	// begun from now on.
	Learn(k *wire.Knowledge, seen []string)
}

// handing is what an inputSearch has handed out; crew is nil if it explores by itself.
type handing struct {
	crew  InputCrew
	begun []begun
	told  map[string]bool // notes that were passed on
	slow  bool            // the last question to the solver took long

	campaigns int // that were begun, of inputs by chance
	// how long was worked by all together on inputs of the solver, questions and executions, and on
	// inputs by chance
	solving, drawing time.Duration
}

// slowQuestion is how long one may take while what comes next is there to be taken: the
// workers can wait.
const slowQuestion = 5 * time.Millisecond

// mostAhead is how many questions are asked ahead of time at most.
const mostAhead = 1000

// A begun is an input that a worker explores, or has explored, or others that it makes by chance.
type begun struct {
	n     int
	job   job
	most  int
	drawn bool // by chance
}

// let lets the crew explore an input, and others that come after it, and takes what it has come
// to. If a worker has found what an earlier input found, and did not know of that, the input is
// explored again. That costs executions only once.
func (x *inputSearch) let(j job, most int) {
	for {
		n := x.begin(j, most)
		x.ahead(n)
		w, err := x.crew.Explored(n)
		x.begun = slices.DeleteFunc(x.begun, func(b begun) bool { return b.n == n })
		if err != nil {
			x.e.err = err
			return
		}
		if !x.foundBefore(w) {
			x.take(j, w)
			return
		}
	}
}

// foundBefore reports whether a worker has found what was found by then, and did not know of it.
func (x *inputSearch) foundBefore(w *wire.Worked) bool {
	return slices.ContainsFunc(w.Seen, func(key string) bool { return x.e.seen[key] != nil })
}

// begin returns the number of an input that is explored by that many executions.
func (x *inputSearch) begin(j job, most int) int {
	for _, b := range x.begun {
		if b.most == most && slices.Equal(b.job.input, j.input) {
			return b.n
		}
	}
	e := x.e
	n := x.crew.Begin(&wire.Input{Values: j.input, Most: most, Real: e.real, Nondet: e.nondet}, x.deadline())
	x.begun = append(x.begun, begun{n: n, job: j, most: most})
	return n
}

// ahead begins what comes after the input of number n, until that is explored and no worker waits.
func (x *inputSearch) ahead(n int) {
	enough := func() bool {
		return len(x.begun) > x.crew.Beside() || x.e.late() || x.crew.Come(n) && (x.slow || !x.crew.Hungry())
	}
	begin := func(jobs []job, most int) {
		for _, j := range jobs {
			if enough() {
				return
			}
			x.begin(j, x.bound(most))
		}
	}
	begin(x.p.queue, perInput)
	x.p.turns.Ahead(mostAhead, func(t *turn) bool {
		if enough() {
			return false
		}
		if x.p.idle(t) {
			return true
		}
		began := time.Now()
		x.p.ask(t)
		x.slow = time.Since(began) > slowQuestion
		if t.found != nil && !x.p.known[inputKey(t.found)] {
			x.begin(x.p.jobOf(t), x.bound(perInput))
		}
		return true
	})
	switch {
	case x.later != nil:
		begin(x.later, x.most)
	case x.sampling:
		begin(x.explored, 4*perInput)
	}
}

// take takes what an input has come to.
func (x *inputSearch) take(j job, w *wire.Worked) {
	e, r, t := x.e, w.Explored, &w.Tally
	for i := range w.Notes {
		x.pass(&w.Notes[i])
	}
	for _, b := range r.Paths {
		tr, err := trace.Decode(b)
		if err != nil {
			e.err = err
			return
		}
		x.p.see(j.input, &Execution{Trace: tr})
	}
	for _, s := range r.Concrete {
		x.p.concrete[s] = true
	}
	news, other := x.find(w), t.Real != e.real || t.Nondet != e.nondet
	e.real, e.nondet, e.over, e.buggy = t.Real, t.Nondet, e.over || w.Over, e.buggy+t.Buggy
	k := e.knowledge()
	other = k.Join(w.Know) || k.OneWay != e.oneWay || other
	e.visible, e.polled, e.loose, e.oneWay, e.unseen = k.Visible, k.Polled, k.Loose, k.OneWay, k.Unseen
	if news || other {
		x.teach(k)
	}
	if other { // than was taken for granted where inputs are explored now
		x.drop()
	}
	if r.Move != "" {
		e.move, e.moveAt = r.Move, r.MoveAt
	}
	x.count(t.Executions, t.Cuts, r.Complete, r.Why)
	e.tellNow()
}

// teach lets the crew know what is known.
func (x *inputSearch) teach(k wire.Knowledge) {
	x.crew.Learn(&k, slices.Sorted(maps.Keys(x.e.seen)))
}

// pass passes a note on, once: each process that explores inputs of the test gives it once.
func (x *inputSearch) pass(rec *wire.Record) {
	key := fmt.Sprint(rec.Text, rec.Place)
	if x.told == nil {
		x.told = map[string]bool{}
	}
	if !x.told[key] {
		x.told[key] = true
		x.e.send(rec)
	}
}

// find tells of what was found, and reports whether that was news.
func (x *inputSearch) find(w *wire.Worked) (news bool) {
	e, found := x.e, 0
	for _, f := range w.Found {
		if e.seen[f.Key] == nil {
			e.seen[f.Key] = f.Finding
			e.send(&wire.Record{Type: "finding", Test: e.test, Executions: f.Finding.Executions,
				Elapsed: time.Since(e.start).Seconds(), Finding: f.Finding})
			found++
		}
	}
	news = found > 0
	for _, key := range w.Seen {
		if e.seen[key] == nil {
			e.seen[key], news = new(wire.Finding), true
		}
	}
	if found > 0 {
		e.hastened(false)
		e.found += found
	}
	return news
}

// drop forgets what was begun.
func (x *inputSearch) drop() {
	for _, b := range x.begun {
		x.crew.Forget(b.n)
	}
	x.begun = nil
}

// gather takes, when the time is over, what the inputs have come to that were begun: their time is
// over too.
func (x *inputSearch) gather() {
	e := x.e
	for len(x.begun) > 0 && !e.ended() && e.late() {
		b := x.begun[0]
		x.begun = x.begun[1:]
		w, err := x.crew.Explored(b.n)
		if err != nil {
			e.err = err
			return
		}
		if b.drawn {
			x.takeCampaign(w)
			continue
		}
		if !slices.ContainsFunc(x.explored, func(j job) bool { return slices.Equal(j.input, b.job.input) }) {
			x.note(b.job)
		}
		x.p.current = b.job
		x.take(b.job, w)
	}
	if x.crew != nil {
		x.drop()
	}
}

// shares gives the search away if it is time for that, and reports whether it did.
func (x *inputSearch) shares() bool {
	e, n := x.e, x.p.executed
	if x.crew != nil || x.short || x.p.cases || n == 0 || e.unit.Needs.Accesses ||
		!x.sampling && e.cfg.Runs > 0 ||
		!e.mayGive() {
		return false
	}
	// Inputs whose executions have no end by themselves are explored again, by more.
	if each := time.Since(x.began) / time.Duration(n); x.open == 0 && each < remoteWorth*remoteTime {
		x.short = true
		return false
	}
	e.share = e.anewElsewhere("pass")
	return true
}
