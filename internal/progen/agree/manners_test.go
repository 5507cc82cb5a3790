package agree

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"heddle/explore"
	"heddle/explore/branch"
	"heddle/explore/why"
	"heddle/internal/progen"
	"heddle/internal/progen/machine"
	"heddle/trace"
)

var theorems = flag.Int("theorem", 100, "random programs on which Theorem 1 is checked")

var theoremsFrom = flag.Uint64("theoremfrom", 0, "seed of the first of them")

// interleavings bounds the programs: those with more are skipped.
const interleavings = 10000

// lockingProgram makes a program over variables and locks: two or three goroutines that read,
// write, branch on the values read and lock. Nested locks have a fixed order.
func lockingProgram(seed uint64) *progen.Program {
	r := rand.New(rand.NewPCG(seed, 0x7365746961))
	p := &progen.Program{Seed: seed, Vars: 1 + r.IntN(2), Mutexes: 1 + r.IntN(2), RWs: r.IntN(2)}
	left := 9
	var block func(depth, mutex int) []*progen.Stmt
	block = func(depth, mutex int) (out []*progen.Stmt) {
		for n := 1 + r.IntN(3); n > 0 && left > 0; n-- {
			left--
			reg := r.IntN(progen.Registers)
			switch k := r.IntN(12); {
			case k < 4:
				out = append(out, &progen.Stmt{Op: progen.Read, Obj: r.IntN(p.Vars), Reg: reg})
			case k < 7:
				out = append(out,
					&progen.Stmt{Op: progen.Write, Obj: r.IntN(p.Vars), Val: r.IntN(3),
						Src: r.IntN(progen.Registers+1) - 1})
			case k < 10 && depth < 3:
				read := &progen.Stmt{Op: progen.Read, Obj: r.IntN(p.Vars), Reg: reg}
				out = append(out, read,
					&progen.Stmt{Op: progen.If, Reg: reg, Val: r.IntN(2), Body: block(depth+1, mutex),
						Else: block(depth+1, mutex)})
			case k < 11 && mutex < p.Mutexes:
				body := block(depth+1, mutex+1)
				out = append(out, &progen.Stmt{Op: progen.Lock, Obj: mutex})
				out = append(append(out, body...), &progen.Stmt{Op: progen.Unlock, Obj: mutex})
			case p.RWs > 0 && mutex <= p.Mutexes:
				body := block(depth+1, p.Mutexes+1)
				if r.IntN(2) == 0 {
					out = append(append(append(out, &progen.Stmt{Op: progen.RLock}), body...),
						&progen.Stmt{Op: progen.RUnlock})
				} else {
					out = append(append(append(out, &progen.Stmt{Op: progen.RWLock}), body...),
						&progen.Stmt{Op: progen.RWUnlock})
				}
			}
		}
		return out
	}
	for range 1 + r.IntN(2) {
		p.Body = append(p.Body, &progen.Stmt{Op: progen.Go, Body: block(0, 0)})
	}
	p.Body = append(p.Body, block(0, 0)...)
	p.Number()
	return p
}

// declared treats every variable of a program as shared: the set of variables that several
// goroutines use differs between executions.
func declared(t *trace.Trace) func(trace.ObjID) bool {
	return func(o trace.ObjID) bool {
		k := t.Objects[o].Kind
		return k == trace.ObjMemory || k == trace.ObjAtomic
	}
}

func mannersOf(t *trace.Trace) string { return branch.MannersText(branch.Manners(t, declared(t))) }

// theorem1 checks Theorem 1: the strategy makes an execution with each MANNERS that an execution
// of the program can have.
func theorem1(p *progen.Program, limit int, o branch.Options) (executions, all int, err error) {
	m := machine.New(p)
	want, deadlocks := map[string]bool{}, false
	_, _, err = m.Exhaust(true, limit, func(t *trace.Trace) {
		want[mannersOf(t)] = true
		deadlocks = deadlocks || t.Verdict != trace.Finished
	})
	if err != nil {
		return 0, 0, err
	}
	if deadlocks { // shrinking may lead to such a program
		return 0, 0, machine.ErrTooMany
	}
	got := map[string]bool{}
	m.Flow = true
	s := branch.New(o)
	res, err := explore.Run(context.Background(), s, m, 3000,
		func(t *trace.Trace) { got[mannersOf(t)] = true })
	if err != nil {
		return 0, 0, err
	}
	if res.Reason.Code != why.Came { // the reason says how far it came
		return 0, 0, error(res.Reason)
	}
	var wrong []string
	for x := range want {
		if !got[x] {
			wrong = append(wrong, "missing\n"+x)
		}
	}
	for x := range got {
		if !want[x] {
			wrong = append(wrong, "impossible\n"+x)
		}
	}
	if slices.Sort(wrong); len(wrong) > 0 {
		return res.Executions, len(want),
			fmt.Errorf("%d of %d: %s", len(wrong), len(want), strings.Join(wrong, "\n"))
	}
	return res.Executions, len(want), nil
}

// selectingProgram makes a program of selects that never block forever. Some goroutines send one
// value each, over one channel or, by a select, over one of two. Others receive as often from all
// channels, or poll them if there is room for all values. All read, write, branch on the values
// read and lock.
func selectingProgram(seed uint64) *progen.Program {
	r := rand.New(rand.NewPCG(seed, 0x73656c656374))
	p := &progen.Program{Seed: seed, Vars: 1, Mutexes: 1}
	polls := r.IntN(3) == 0
	for range 1 + r.IntN(3) {
		room := r.IntN(2)
		if polls {
			room = 3
		}
		p.Chans = append(p.Chans, room)
	}
	left := 6
	var block func(depth int) []*progen.Stmt
	block = func(depth int) (out []*progen.Stmt) {
		for n := r.IntN(3); n > 0 && left > 0; n-- {
			left--
			reg := r.IntN(progen.Registers)
			switch k := r.IntN(8); {
			case k < 2:
				out = append(out, &progen.Stmt{Op: progen.Read, Reg: reg})
			case k < 4:
				out = append(out,
					&progen.Stmt{Op: progen.Write, Val: r.IntN(3), Src: r.IntN(progen.Registers+1) - 1})
			case k < 6:
				out = append(out, &progen.Stmt{Op: progen.Lock},
					&progen.Stmt{Op: progen.Write, Val: r.IntN(3), Src: -1}, &progen.Stmt{Op: progen.Unlock})
			case depth < 2:
				out = append(out,
					&progen.Stmt{Op: progen.If, Reg: reg, Val: r.IntN(2), Body: block(depth + 1),
						Else: block(depth + 1)})
			}
		}
		return out
	}
	sends := 2 + r.IntN(2)
	for i := range sends {
		send := &progen.Stmt{Op: progen.Send, Obj: r.IntN(len(p.Chans)), Val: i, Src: -1}
		if r.IntN(3) == 0 {
			send = &progen.Stmt{Op: progen.Select}
			for range 2 {
				send.Cases = append(send.Cases,
					progen.Case{Send: true, Obj: r.IntN(len(p.Chans)), Val: r.IntN(3), Body: block(1)})
			}
		}
		p.Body = append(p.Body,
			&progen.Stmt{Op: progen.Go, Body: append(append(block(0), send), block(0)...)})
	}
	receive := func(n int) (out []*progen.Stmt) {
		for range n {
			sel := &progen.Stmt{Op: progen.Select, Def: polls && r.IntN(2) == 0}
			if sel.Def {
				sel.Else = block(1)
			}
			for _, c := range r.Perm(len(p.Chans)) {
				sel.Cases = append(sel.Cases,
					progen.Case{Obj: c, Reg: r.IntN(progen.Registers), Body: block(1)})
			}
			out = append(append(out, sel), block(0)...)
		}
		return out
	}
	others := r.IntN(2)
	if others > 0 {
		p.Body = append(p.Body, &progen.Stmt{Op: progen.Go, Body: receive(others)})
	}
	p.Body = append(p.Body, receive(sends-others)...)
	p.Number()
	return p
}

// TestTheorem1Selects: the outcome of a select varies too. Of the programs that are not tried
// here, 5425 is known to lose MANNERS: main ends before the other goroutines.
func TestTheorem1Selects(t *testing.T) {
	// Most have too many interleavings.
	checkTheorem1(t, 3**theorems, *theorems/10, selectingProgram, interleavings/5, branch.Options{})
}

func TestTheorem1(t *testing.T) {
	checkTheorem1(t, *theorems, *theorems/5, lockingProgram, interleavings, branch.Options{},
		branch.Options{Nodes: -1})
}

// checkTheorem1 checks the theorem on n programs of a kind, with each of the options. At least
// several explorations must find more than one MANNERS.
func checkTheorem1(t *testing.T, n, several int, make func(seed uint64) *progen.Program, limit int,
	options ...branch.Options) {
	checked, varied, executions, manners := 0, 0, 0, 0
	for i := range uint64(n) {
		p := make(*theoremsFrom + i)
		for _, o := range options {
			made, all, err := theorem1(p, limit, o)
			if errors.Is(err, machine.ErrTooMany) {
				break
			}
			if err != nil {
				small := progen.Shrink(p, func(q *progen.Program) bool {
					_, _, err := theorem1(q, limit, o)
					return err != nil && !errors.Is(err, machine.ErrTooMany)
				})
				_, _, again := theorem1(small, limit, o)
				t.Fatalf("program %d, %+v: %v\nshrunk: %v\n%s", p.Seed, o, err, again, progen.Source(small))
			}
			checked++
			executions += made
			manners += all
			if all > 1 {
				varied++
			}
		}
	}
	if varied < several {
		t.Errorf("only %d programs have several MANNERS", varied)
	}
	t.Logf("%d explorations, %d of them with several MANNERS (%d in all), %d executions", checked, varied, manners, executions)
}

// foreseen explores a program by strategy branch and asks for up to ahead next schedules in
// advance. It returns the executed ones, how many of them were foreseen, and how many others were.
func foreseen(p *progen.Program, ahead,
	most int) (executed []string, known, vain int, counts branch.Counts, err error) {
	m := machine.New(p)
	m.Flow = true
	s := branch.New(branch.Options{})
	begun := map[string]int{}
	for len(executed) < most {
		next := s.Next()
		if next == nil {
			break
		}
		now := fmt.Sprintf("%+v", *next)
		executed = append(executed, now)
		if begun[now] > 0 {
			begun[now]--
			known++
		}
		if ahead > 0 {
			for _, q := range s.Foresee(ahead) {
				begun[fmt.Sprintf("%+v", *q)]++
			}
		}
		t, err := m.Execute(context.Background(), next)
		if err != nil {
			return nil, 0, 0, counts, err
		}
		s.Done(t)
	}
	for _, n := range begun {
		vain += n
	}
	return executed, known, vain, s.Counts(), nil
}

// Foresight changes no MANNER and no branch, and most foreseen schedules are executed. Which of
// several orders the solver returns depends on earlier questions, and an order may settle a second
// group by the way, or show another one: explorations of other schedules may differ in executions
// and groups, but all together by one execution in a hundred at most.
func TestForesee(t *testing.T) {
	const most = 100
	executions, known, vain, other := 0, 0, 0, 0
	more := 0 // executions with foresight less those without
	for i := range uint64(*theorems) {
		for _, make := range []func(uint64) *progen.Program{lockingProgram, selectingProgram} {
			p := make(i)
			want, _, _, counts, err := foreseen(p, 0, most)
			if err != nil {
				t.Fatal(err)
			}
			for _, ahead := range []int{1, 5} {
				got, k, v, c, err := foreseen(p, ahead, most)
				if err != nil {
					t.Fatal(err)
				}
				executions, known, vain = executions+len(got), known+k, vain+v
				more += len(got) - len(want)
				same := c == counts
				if !slices.Equal(got, want) {
					other++
					same = c.Manners == counts.Manners && c.Branches == counts.Branches &&
						c.Affected == counts.Affected
				}
				if !same && len(want) < most {
					t.Errorf("program %d, %d ahead: %+v, without %+v", p.Seed, ahead, c, counts)
				}
			}
		}
	}
	t.Logf("%d executions, %d of them foreseen; %d were in vain; of %d explorations %d had other schedules than without", executions, known, vain, 4**theorems, other)
	if more < -executions/100 || more > executions/100 {
		t.Errorf("%d executions more with foresight", more)
	}
	if known < executions/2 || vain > known/2 {
		t.Error("too few were foreseen, or too many in vain")
	}
}
