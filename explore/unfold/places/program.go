// Package places is unfolding based testing as in the paper: Kähkönen, Saarikivi, Heljanko,
// "Unfolding based automated testing of multithreaded programs", Automated Software Engineering 22,
// 2015. It explores programs written as Go functions with a fixed number of threads. A shared
// variable has one place for each thread (Fig. 5); possible extensions come from the eight cases of
// section 5; deadlocks are searched as in section 4.4.
//
// It is the independent twin of package unfold, which explores Go programs and has one place for
// each variable: both reach the same local states. Its tests are the paper's examples and Table 2.
package places

import "iter"

// A Program has threads that run from the start (Table 1). Variables and
// locks are numbered from 0; variables hold 0 unless Init says otherwise.
type Program struct {
	Vars, Locks int
	Init        []int64
	Threads     []func(*Thread)
}

// A Kind is what an operation does.
type Kind uint8

// The visible operations, and branches on inputs.
const (
	Branch Kind = iota
	Read
	Write
	Lock
	Unlock
)

func (k Kind) String() string { return [...]string{"branch", "read", "write", "lock", "unlock"}[k] }

// An Operation is what a thread did, or is about to do.
type Operation struct {
	Thread int
	Kind   Kind
	Object int // the variable or lock

	Value Value     // read or written
	If    Condition // of a branch
	Taken bool      // its outcome
}

// A Thread gives the body of a thread its operations.
type Thread struct {
	id     int
	inputs Inputs
	asked  int
	yield  func(*Operation) bool
	op     Operation // the next one
	done   Operation // the last one
}

type stopped struct{}

// do announces an operation and returns after it was performed.
func (t *Thread) do(kind Kind, object int) {
	t.op.Thread, t.op.Kind, t.op.Object = t.id, kind, object
	if !t.yield(&t.op) {
		panic(stopped{})
	}
	t.done, t.op = t.op, Operation{}
}

// Read returns the value of a shared variable.
func (t *Thread) Read(v int) Value {
	t.do(Read, v)
	return t.done.Value
}

// Write sets a shared variable.
func (t *Thread) Write(v int, x Value) {
	t.op.Value = x
	t.do(Write, v)
}

// Lock waits until a lock is free and takes it.
func (t *Thread) Lock(l int) { t.do(Lock, l) }

// Unlock releases a lock.
func (t *Thread) Unlock(l int) { t.do(Unlock, l) }

// Input returns the thread's next input.
func (t *Thread) Input() Value {
	in := Input{t.id, t.asked}
	t.asked++
	return Value{t.inputs[in], &term{op: 'i', input: in}}
}

// Global returns an input of the whole program: the same for all threads.
func (t *Thread) Global(n int) Value {
	in := Input{-1, n}
	return Value{t.inputs[in], &term{op: 'i', input: in}}
}

// Is compares two values by "=", "!=", "<" or "<=". If one of them depends on
// inputs that is an operation, though no visible one: a branch.
func (t *Thread) Is(a Value, op string, b Value) bool {
	c := Condition{op, a, b}
	if a.sym == nil && b.sym == nil {
		return c.Holds(nil)
	}
	t.op.If, t.op.Taken = c, c.Holds(t.inputs)
	taken := t.op.Taken
	t.do(Branch, 0)
	return taken
}

// An Execution is what one run of a program leaves behind.
type Execution struct {
	Operations []Operation
	Next       []*Operation // by thread: its next operation; nil if it has ended
	Bounded    bool         // the bound on its length was reached
}

// A world is a program while it runs.
type world struct {
	vars    []Value
	taken   []bool
	threads []*Thread
	next    []func() (*Operation, bool)
	stop    []func()
	about   []*Operation // nil: ended
}

func (p *Program) start(inputs Inputs) *world {
	w := &world{vars: make([]Value, p.Vars), taken: make([]bool, p.Locks)}
	for i, v := range p.Init {
		w.vars[i] = Const(v)
	}
	for i, body := range p.Threads {
		t := &Thread{id: i, inputs: inputs}
		next, stop := iter.Pull(func(yield func(*Operation) bool) {
			defer func() {
				if r := recover(); r != nil && r != (stopped{}) {
					panic(r)
				}
			}()
			t.yield = yield
			body(t)
		})
		w.threads, w.next, w.stop, w.about = append(w.threads, t), append(w.next, next),
			append(w.stop, stop), append(w.about, nil)
		w.advance(i)
	}
	return w
}

// advance runs thread i up to its next operation.
func (w *world) advance(i int) {
	op, ok := w.next[i]()
	if !ok {
		op = nil
	}
	w.about[i] = op
}

func (w *world) enabled(i int) bool {
	op := w.about[i]
	return op != nil && (op.Kind != Lock || !w.taken[op.Object])
}

// step performs thread i's operation and returns it.
func (w *world) step(i int) Operation {
	op := w.about[i]
	switch op.Kind {
	case Read:
		op.Value = w.vars[op.Object]
	case Write:
		w.vars[op.Object] = op.Value
	case Lock:
		w.taken[op.Object] = true
	case Unlock:
		w.taken[op.Object] = false
	}
	done := *op
	w.advance(i)
	return done
}

// Run executes the program: first the threads of path in their order, one operation each, then the
// thread that choose picks among the enabled ones, until none is enabled or bound operations were
// performed (0: no bound). ok is false if path could not be followed.
func (p *Program) Run(path []int, inputs Inputs, bound int, choose func(able []int) int) (x *Execution,
	ok bool) {
	w := p.start(inputs)
	defer func() {
		for _, stop := range w.stop {
			stop()
		}
	}()
	x = &Execution{}
	ok = true
	able := make([]int, 0, len(p.Threads))
	for n := 0; ; n++ {
		able = able[:0]
		for i := range p.Threads {
			if w.enabled(i) {
				able = append(able, i)
			}
		}
		if len(able) == 0 {
			ok = ok && n >= len(path)
			break
		}
		if bound > 0 && n == bound {
			x.Bounded = true
			break
		}
		i := 0
		if n < len(path) {
			if i = path[n]; !w.enabled(i) {
				ok = false
				break
			}
		} else {
			i = able[choose(able)]
		}
		x.Operations = append(x.Operations, w.step(i))
	}
	for _, op := range w.about {
		if op != nil {
			c := *op
			op = &c
		}
		x.Next = append(x.Next, op)
	}
	return x, ok
}
