// Package progen makes small random Go programs over all of the language's concurrency, to check
// that different ways of exploring a program find the same in it.
//
//	p := progen.Generate(17, progen.Default) // the same seed gives the same program
//	progen.Source(p)                         // as a Go test file
//	progen.Shrink(p, fails)                  // the smallest program found that still fails
//
// Package machine, below this one, executes a Program under rt/sched without compiling it.
package progen

import "slices"

// A Program is a test: its body runs as main and starts the other goroutines. Every object is
// declared at the top of the test, in the order of the fields below, and shared by all goroutines.
// Every goroutine has local variables r0, r1, ..., its registers.
type Program struct {
	Seed    uint64
	Vars    int   // plain variables v0, v1, ... of type int
	Maps    int   // mp0, ... of type map[int]int, with keys 0 to 2
	Atomics int   // a0, ... of type atomic.Int64
	Mutexes int   // m0, ...
	RWs     int   // rw0, ...
	Chans   []int // c0, ... of type chan int, with their capacities
	Slots   bool  // they are of type chan struct{}
	Conds   []int // cond0, ...: the mutex of each
	Groups  int   // wg0, ...
	Onces   int   // once0, ...
	Timers  []int // t0, ... := time.NewTimer(ms)
	Ticks   bool  // they are tickers
	Inputs  int   // in0, in1, ... of type int: the program is a fuzz target then
	Bubble  bool  // it is a bubble of testing/synctest
	Older   *Older
	Body    []*Stmt
}

// Older makes channels, mutexes, RWMutexes and WaitGroups package-level variables, and gives their
// state before the test.
type Older struct {
	Held   []int  // of each channel: the number of values in it, 1, 2, ...
	Closed []bool // of each channel
	Locked []bool // of each mutex
	Writes []bool // of each RWMutex: it is locked for writing
	Counts []int  // of each WaitGroup
}

// clone returns a deep copy.
func (o *Older) clone() *Older {
	if o == nil {
		return nil
	}
	return &Older{slices.Clone(o.Held), slices.Clone(o.Closed), slices.Clone(o.Locked),
		slices.Clone(o.Writes), slices.Clone(o.Counts)}
}

// Registers is the number of registers of a goroutine.
const Registers = 2

// A Stmt is a statement. Op decides which fields count.
type Stmt struct {
	Op   Op
	ID   int // its number in the program, from 1, in the order of the text
	Obj  int // index of its object
	Val  int
	Val2 int
	Reg  int // register that takes the result
	Src  int // register whose value is used, plus Val; -1: Val alone

	Body  []*Stmt // of go, if, repeat, work, once, AfterFunc, loops that poll, MapGrow
	Else  []*Stmt // of if; of select's default
	Cases []Case  // of select
	Def   bool    // select has a default
}

// Forgets reports whether an iteration of a Repeat, or Work, ends by setting a register to 0.
func (s *Stmt) Forgets(reg int) bool { return s.Val2>>reg&1 != 0 }

// A Case is a case of a select. A receive puts the value into Reg, or -1 if the channel is closed.
type Case struct {
	Send  bool
	After int // if not 0: receive from time.After(After milliseconds)
	Obj   int // channel
	Val   int // value sent
	Reg   int
	Body  []*Stmt
}

// Op is the kind of a statement. The comments are the Go text.
type Op uint8

const (
	Go       Op = iota // go func() { Body }(); if Val2 > 0: x := Src + Val; go func() { r0 := x; Body }()
	If                 // if Reg == Val { Body } else { Else }
	Repeat             // for range Val { Body; r0 = 0 if Val2&1 != 0; r1 = 0 if Val2&2 != 0 }
	Read               // Reg = v
	Write              // v = Src + Val
	Load               // Reg = a.Load()
	Store              // a.Store(Src + Val)
	Add                // Reg = a.Add(Val)
	CAS                // Reg = a.CompareAndSwap(Val, Val2), 1 or 0
	Lock               // m.Lock()
	Unlock             // m.Unlock()
	TryLock            // Reg = m.TryLock(), 1 or 0
	RWLock             // rw.Lock()
	RWUnlock           // rw.Unlock()
	RWTry              // Reg = rw.TryLock()
	RLock              // rw.RLock()
	RUnlock            // rw.RUnlock()
	RTry               // Reg = rw.TryRLock()
	Send               // c <- Src + Val
	Recv               // Reg = <-c, -1 if it is closed
	Close              // close(c)
	Len                // Reg = len(c)
	Range              // for v := range c { Reg += v }
	Select             // select { Cases; default: Else }
	Wait               // cond.Wait()
	Signal             // cond.Signal()
	Cast               // cond.Broadcast()
	GroupAdd           // wg.Add(Val)
	Done               // wg.Done()
	Join               // wg.Wait()
	Once               // once.Do(func() { Body })
	Sleep              // time.Sleep(Val ms)
	After              // time.AfterFunc(Val ms, func() { Body })
	Stop               // Reg = t.Stop(), 1 or 0
	Reset              // Reg = t.Reset(Val ms), 1 or 0
	Fired              // <-t.C
	Clock              // Reg = time.Since(start) in units of 10 ms
	Draw               // Reg = rand.IntN(Val)
	Yield              // runtime.Gosched()
	Idle               // synctest.Wait()
	Panic              // alive.Load(); panic("p<ID>"): the load makes the panic a step of its own
	SpinLoad           // for a.Load() != Val { Body }
	SpinLock           // for !m.TryLock() { Body }
	SpinCAS            // for !a.CompareAndSwap(Val, Val2) { Body }
	Peek               // a.Load()
	Take               // Reg = in + Src + Val
	Fetch              // for { if v := a.Load(); v != 0 && a.CompareAndSwap(v, 0) { Reg = v; break } }
	Reread             // for { v := a.Load(); Body; if a.Load() == v { Reg = v; break } }
	Raise              // v += Val
	Flag               // v |= Val
	Count              // a.Add(Val)
	Mark               // a.Or(Val)
	MapPut             // mp[Val2] = Src + Val
	MapGet             // Reg = mp[Val2]
	MapDrop            // delete(mp, Val2)
	MapLen             // Reg = len(mp)
	MapClear           // clear(mp)
	Work               // for { Reg = <-c, or -1; if Reg == -1 { break }; Body; r0 = 0 as in Repeat }
	MapGrow            // { n := len(mp); Body; Reg = len(mp) - n }
	Poll               // for { Body; if Reg == Val { break }; Else }
	PollHeld           // enter; for { look; if Reg == Val { break }; leave; Else; enter }; leave
	numOps
)

// Held returns the three parts of the body of a PollHeld.
func (s *Stmt) Held() (enter, look, leave []*Stmt) {
	n := len(s.Body)
	first, last := min(1, n), max(n-1, min(1, n))
	return s.Body[:first], s.Body[first:last], s.Body[last:]
}

// Number gives every statement its ID and returns the number of statements.
func (p *Program) Number() int {
	n := 0
	p.Each(func(s *Stmt) {
		n++
		s.ID = n
	})
	return n
}

// Each calls f for every statement, in the order of the text.
func (p *Program) Each(f func(*Stmt)) { each(p.Body, f) }

func each(body []*Stmt, f func(*Stmt)) {
	for _, s := range body {
		f(s)
		for _, b := range s.blocks() {
			each(*b, f)
		}
	}
}

// blocks returns the blocks of s, in the order of the text.
func (s *Stmt) blocks() []*[]*Stmt {
	var bs []*[]*Stmt
	for i := range s.Cases {
		bs = append(bs, &s.Cases[i].Body)
	}
	return append(bs, &s.Body, &s.Else)
}

// Clone returns a deep copy.
func (p *Program) Clone() *Program {
	q := *p
	q.Chans = append([]int(nil), p.Chans...)
	q.Conds = append([]int(nil), p.Conds...)
	q.Timers = append([]int(nil), p.Timers...)
	q.Older = p.Older.clone()
	q.Body = cloneBody(p.Body)
	return &q
}

func cloneBody(body []*Stmt) []*Stmt {
	if body == nil {
		return nil
	}
	c := make([]*Stmt, len(body))
	for i, s := range body {
		t := *s
		t.Body, t.Else = cloneBody(s.Body), cloneBody(s.Else)
		t.Cases = append([]Case(nil), s.Cases...)
		for j := range t.Cases {
			t.Cases[j].Body = cloneBody(t.Cases[j].Body)
		}
		c[i] = &t
	}
	return c
}

// guard adds a mutex for each plain variable and map, which every access to it holds: the program
// has no data race.
func (p *Program) guard() {
	first := p.Mutexes
	p.Mutexes += p.Vars + p.Maps
	guard(&p.Body, first, first+p.Vars)
}

func guard(body *[]*Stmt, first, maps int) {
	var out []*Stmt
	for _, s := range *body {
		if s.Op == MapGrow { // its body is guarded too
			if s.Val2 > 0 { // but for a moment
				at := min(s.Val2-1, len(s.Body))
				s.Body = slices.Insert(s.Body, at, &Stmt{Op: Unlock, Obj: maps + s.Obj},
					&Stmt{Op: Lock, Obj: maps + s.Obj})
			}
		} else {
			for _, b := range s.blocks() {
				guard(b, first, maps)
			}
		}
		switch m := first; classes[s.Op] {
		case aMap:
			m = maps
			fallthrough
		case aVar:
			out = append(out, &Stmt{Op: Lock, Obj: m + s.Obj}, s, &Stmt{Op: Unlock, Obj: m + s.Obj})
		default:
			out = append(out, s)
		}
	}
	*body = out
}

// Spins reports whether the program has a polling loop: then it has infinitely many interleavings.
func (p *Program) Spins() bool {
	found := false
	p.Each(func(s *Stmt) {
		found = found || s.Op == SpinLoad || s.Op == SpinLock || s.Op == SpinCAS || s.Op == Fetch ||
			s.Op == Reread || s.Op == Poll || s.Op == PollHeld
	})
	return found
}

// Times reports whether the program starts timers or sleeps.
func (p *Program) Times() (times bool) {
	times = len(p.Timers) > 0
	p.Each(func(s *Stmt) {
		times = times || s.Op == Sleep || s.Op == After
		for _, c := range s.Cases {
			times = times || c.After > 0
		}
	})
	return times
}
