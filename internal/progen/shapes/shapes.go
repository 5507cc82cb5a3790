// Package shapes has programs in the form of many tests of concurrent Go code: goroutines that do
// a little under a lock, or pass values on, and that main waits for.
package shapes

import "heddle/internal/progen"

// A Shape is a program, and a similar one in which a goroutine may be left waiting.
type Shape struct {
	Name         string
	Whole, Buggy *progen.Program
}

type block = []*progen.Stmt

// All returns all shapes.
func All() []Shape {
	return []Shape{
		{"mutex, WaitGroup",
			workers(progen.Program{Mutexes: 1}, 4, twice(section(progen.Lock, progen.Unlock)...)),
			workers(progen.Program{Mutexes: 1, Atomics: 1}, 3,
				append(section(progen.Lock, progen.Unlock), unless(op(progen.Lock))...))},
		{"RWMutex, WaitGroup", rw(3, section(progen.RLock, progen.RUnlock)),
			rw(2, append(section(progen.RLock, progen.RUnlock), unless(op(progen.RLock))...))},
		{"atomic, WaitGroup",
			workers(progen.Program{Atomics: 1}, 3, twice(op(progen.Load), op(progen.Store))),
			workers(progen.Program{Atomics: 1, Mutexes: 1}, 3, unless(op(progen.Lock)))},
		{"Once, WaitGroup",
			workers(progen.Program{Atomics: 1, Onces: 1}, 5,
				block{{Op: progen.Once, Body: block{op(progen.Store)}}, op(progen.Load)}),
			workers(progen.Program{Atomics: 1, Onces: 1, Mutexes: 1}, 3,
				append(unless(op(progen.Lock)),
					&progen.Stmt{Op: progen.Once, Body: section(progen.Lock, progen.Unlock)}))},
		{"semaphore",
			workers(progen.Program{Atomics: 1, Chans: []int{2}}, 4,
				block{op(progen.Send), op(progen.Add), op(progen.Recv)}),
			workers(progen.Program{Atomics: 1, Chans: []int{2}}, 3,
				append(block{op(progen.Send)}, unless()...))},
		{"buffered channel", channel(2, 6, 6), channel(2, 6, 3)},
		{"unbuffered channel", channel(0, 6, 6), channel(0, 6, 5)},
		{"pipeline", pipeline(4), pipeline(3)},
	}
}

func op(o progen.Op) *progen.Stmt { return &progen.Stmt{Op: o, Src: -1, Val: 1} }

func section(enter, leave progen.Op) block { return block{op(enter), op(leave)} }

func twice(b ...*progen.Stmt) block { return block{{Op: progen.Repeat, Val: 2, Body: b}} }

// unless returns a block that executes b if the first atomic is already 1, and then sets it to 1.
func unless(b ...*progen.Stmt) block {
	return block{{Op: progen.Load}, {Op: progen.If, Val: 1, Body: b}, op(progen.Store)}
}

// program returns p with main and the other goroutines.
func program(p progen.Program, main block, bodies ...block) *progen.Program {
	for _, b := range bodies {
		p.Body = append(p.Body, &progen.Stmt{Op: progen.Go, Body: b})
	}
	p.Body = append(p.Body, main...)
	q := p.Clone() // goroutines share their bodies
	q.Number()
	return q
}

// workers returns a program with n goroutines that do b, and a main that waits for them.
func workers(p progen.Program, n int, b block) *progen.Program {
	var bodies []block
	for range n {
		bodies = append(bodies, b)
	}
	return waitedFor(p, bodies...)
}

func waitedFor(p progen.Program, bodies ...block) *progen.Program {
	p.Groups = 1
	p.Body = block{{Op: progen.GroupAdd, Val: len(bodies)}}
	for i, b := range bodies {
		bodies[i] = append(b[:len(b):len(b)], op(progen.Done))
	}
	return program(p, block{op(progen.Join)}, bodies...)
}

// rw returns a program with n goroutines that do b, and n-1 that write twice.
func rw(n int, b block) *progen.Program {
	var bodies []block
	for i := range n {
		if bodies = append(bodies, b); i > 0 {
			bodies = append(bodies, twice(section(progen.RWLock, progen.RWUnlock)...))
		}
	}
	return waitedFor(progen.Program{RWs: 1, Atomics: 1}, bodies...)
}

// channel returns a program with three goroutines that send twice each. received values are
// received.
func channel(size, sent, received int) *progen.Program {
	send := block{{Op: progen.Repeat, Val: sent / 3, Body: block{op(progen.Send)}}}
	return program(progen.Program{Chans: []int{size}},
		block{{Op: progen.Repeat, Val: received, Body: block{op(progen.Recv)}}}, send, send, send)
}

// pipeline returns a program with two goroutines that send and two that pass values on. received
// values are received.
func pipeline(received int) *progen.Program {
	second := func(o progen.Op) *progen.Stmt { return &progen.Stmt{Op: o, Obj: 1, Src: -1, Val: 1} }
	send, pass := twice(op(progen.Send)), twice(op(progen.Recv), second(progen.Send))
	return program(progen.Program{Chans: []int{0, 0}},
		block{{Op: progen.Repeat, Val: received, Body: block{second(progen.Recv)}}}, send, send, pass, pass)
}
