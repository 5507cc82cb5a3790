// Package pattern says what kind of bug a finding is. From the story of an execution (what its
// goroutines did, in order) and the source it recognises well-known mistakes, tells them in one
// paragraph, and says what to change:
//
//	m := pattern.Recognise(f, files, library)
//	fmt.Println(m.Text) // main/1 checked `q.Len() == 0` at queue.go:31, ...
//	fmt.Println(m.Hint) // check and act under one hold of q.mu
//
// The finding is resolved: its places have files and lines. A Match says only what the story
// shows. Where no pattern fits, Recognise returns nil.
package pattern

import (
	"cmp"
	"slices"

	"heddle/report/syntax"
	"heddle/rt/wire"
)

// A Name is the name of a pattern.
type Name string

// The patterns.
const (
	CheckThenAct  Name = "check-then-act"
	LostUpdate    Name = "lost update"
	StaleRead     Name = "stale read"
	LockOrder     Name = "two lock orders"
	LockTwice     Name = "lock taken twice"
	ReadLockTwice Name = "recursive read lock"
	ReadLockWrite Name = "write under a read lock"
	OneSided      Name = "lock on one side only"
	TwoLocks      Name = "two different locks"
	Unordered     Name = "no common lock"
	Escaped       Name = "guarded slice escapes"
	Publication   Name = "publication without order"
	AddAfterWait  Name = "Add after Wait"
	Reuse         Name = "WaitGroup reuse"
	DoneTooEarly  Name = "done before the result is written"
	SendClosed    Name = "send after close"
	TimerClosed   Name = "timer function after Stop"
	CloseTwice    Name = "double close"
	UnlockTwice   Name = "unlock twice"
	MissingUnlock Name = "missing unlock"
	MissingDone   Name = "missing Done"
	LockHeld      Name = "lock held while it waits"
	SignalLost    Name = "signal before wait"
	SignalOne     Name = "Signal where Broadcast is needed"
	CondIf        Name = "Cond without a loop"
	OnceInOnce    Name = "Once deadlock"
	NilChannel    Name = "nil channel"
	BothSend      Name = "both send first"
	LeakedSender  Name = "leaked sender"
	Dropped       Name = "value dropped"
	LeakedRecv    Name = "leaked receiver"
	StoppedTicker Name = "ticker that was stopped"
	NotWatched    Name = "context not watched"
	BothReady     Name = "select with both ready"
	OwnGroup      Name = "WaitGroup that counts its waiter"
	NoOrder       Name = "no order"
	DoneTwice     Name = "Done without Add"
	HandedOver    Name = "handed over and used after that"
	NotReleased   Name = "missing release"
	BetweenCalls  Name = "two calls with another between"
)

// A Pattern explains one mistake in general.
type Pattern struct {
	Name    Name
	Means   string // one sentence
	Example string // what code has it
}

// Patterns are all patterns, in the order in which they are listed.
var Patterns = []Pattern{
	{CheckThenAct,
		"a goroutine checks something and acts on it later; another goroutine changes it in between",
		"if q.Len() > 0 { q.Pop() }, where Len and Pop each lock for themselves"},
	{LostUpdate,
		"a goroutine reads a value and writes a new one computed from it; a write in between is overwritten",
		"n := c.Load(); c.Store(n + 1)"},
	{StaleRead,
		"a goroutine reads two things that belong together one after the other; another goroutine changes them in between",
		"dial(e.Host(), e.Port()), where both lock for themselves"},
	{LockOrder,
		"goroutines take the same locks in different orders, and each waits for the lock that the next one holds",
		"a.Lock(); b.Lock() in one place, b.Lock(); a.Lock() in another"},
	{LockTwice, "a goroutine locks a lock that it holds already",
		"a method that locks calls another one that locks too"},
	{ReadLockTwice,
		"a goroutine takes a read lock that it holds; a writer that waits in between keeps the second one out",
		"a method that holds RLock calls another one that calls RLock"},
	{ReadLockWrite, "memory is written by a goroutine that holds the lock for reading only",
		"rw.RLock(); c.hits++; rw.RUnlock()"},
	{OneSided, "one goroutine holds a lock at its access, the other one holds none",
		"n++ under mu in one place, return n without mu in another"},
	{TwoLocks, "both goroutines hold a lock at their access, but not the same one",
		"each copy of a struct has its own mutex"},
	{Unordered, "two goroutines access the same variable, and nothing makes one wait for the other",
		"go func() { n++ }(); n++"},
	{Escaped, "a method returns a slice or map that its lock guards; the caller uses it without the lock",
		"mu.Lock(); defer mu.Unlock(); return r.names; or r.names = r.names[:0] after it was taken"},
	{Publication,
		"data is handed to another goroutine before it is complete, or by a variable that does not order anything",
		"if instance == nil { mu.Lock(); ... } (double-checked locking); ready = true"},
	{AddAfterWait, "WaitGroup.Add is called where Wait may have returned already",
		"go func() { wg.Add(1); ... }(); wg.Wait()"},
	{Reuse, "a WaitGroup is used for the next round while a Wait of the round before may still be under way",
		"two goroutines Wait; one of them Adds again as soon as its Wait returns"},
	{DoneTooEarly, "a goroutine says that it is done, and writes its result after that",
		"wg.Done(); g.err = err"},
	{SendClosed, "a goroutine sends on a channel that another one closes",
		"if !closed { ch <- v }, and close(ch) in between"},
	{TimerClosed, "Stop of a timer does not wait for its function, which may be running",
		"timer.Stop(); close(ch), where the function sends to ch"},
	{CloseTwice, "a channel is closed twice",
		"select { case <-stop: default: close(stop) } in two goroutines"},
	{UnlockTwice, "a path unlocks a lock twice", "defer mu.Unlock(), and mu.Unlock() before a return"},
	{MissingUnlock, "a goroutine ended without unlocking a lock that others wait for",
		"mu.Lock(); if err != nil { return err }; mu.Unlock()"},
	{MissingDone, "a goroutine that a WaitGroup counts ended without Done, and Wait waits for ever",
		"wg.Add(1); if err != nil { return err }; wg.Done()"},
	{LockHeld, "a goroutine waits for another one while it holds a lock that the other one needs",
		"mu.Lock(); ch <- v; mu.Unlock()"},
	{SignalLost, "a goroutine is woken before it waits; the signal is not kept",
		"cond.Signal(); later cond.Wait() without a condition"},
	{SignalOne, "several goroutines wait for a Cond, and Signal wakes only one of them",
		"open = true; cond.Signal()"},
	{CondIf, "after Cond.Wait the condition is not checked again", "if len(q) == 0 { cond.Wait() }"},
	{OnceInOnce, "the function of a Once calls Do of the same Once",
		"once.Do(func() { get() }), where get calls once.Do"},
	{NilChannel, "a send to or a receive from a channel that was never made waits for ever",
		"var ch chan int; ch <- 1"},
	{BothSend, "two goroutines send to each other, and each would receive only after its own send",
		"out <- hello; answer := <-in, on both sides of two unbuffered channels"},
	{Dropped, "a select with default drops the value that it would send where nothing takes it at once",
		"select { case events <- e: default: }, and the test counts the events"},
	{LeakedSender, "a goroutine waits to send, and nothing receives any more",
		"an unbuffered channel of which only the first value is taken"},
	{LeakedRecv, "a goroutine waits to receive, and nothing sends or closes any more",
		"for v := range ch, where an early return skips close(ch)"},
	{StoppedTicker, "a goroutine waits for a ticker that was stopped: Stop does not close its channel",
		"for range ticker.C after ticker.Stop()"},
	{NotWatched, "a goroutine waits at a channel and does not look at the context that was cancelled",
		"for ctx.Err() == nil { out <- v }"},
	{OwnGroup, "a goroutine waits for the WaitGroup that counts it",
		"wg.Go(func() { s.Stop() }), where Stop calls wg.Wait"},
	{NoOrder, "a goroutine reads what another one writes, and nothing says which comes first",
		"go n.Add(1); if n.Load() == 1 { ... }"},
	{DoneTwice, "WaitGroup.Done is called more often than Add counted: the counter goes below zero",
		"wg.Add(1) once for a job, and Done for each try"},
	{HandedOver,
		"a value is sent on a channel or put into a pool, and used after that by the goroutine that gave it away",
		"out <- buf[:n], and the next Read into buf; pool.Put(b) before b.Bytes() is used"},
	{NotReleased, "a channel counts what may run at once, and a path ends without giving its place back",
		"slots <- struct{}{}; if err != nil { return err }; <-slots"},
	{BetweenCalls,
		"a goroutine calls a library twice, such as a database, and another one calls it in between",
		"if db.QueryRow(...) finds none, db.Exec(\"INSERT ...\")"},
	{BothReady, "several cases of a select are ready, and it takes any of them",
		"select { case j := <-jobs: ...; case <-stop: return } with jobs left"},
}

// Of returns the pattern of a name.
func Of(name Name) (p Pattern, ok bool) {
	for _, p := range Patterns {
		if p.Name == name {
			return p, true
		}
	}
	return p, false
}

// A Role is what one goroutine did for a pattern: the check, the act, the write in between.
type Role struct {
	What  string // "check", "act", ...
	G     string
	Where wire.Place
	act   *act // nil: no operation or access of the story
}

// checks adds the place of a condition that a read of the match decides, if it is another line.
func (m *Match) checks(p wire.Place, read act, condition string) {
	if !samePlace(p, m.Roles[0].Where) {
		m.then(p, read, "check "+condition)
	}
}

// then adds what a goroutine does at p after an act, which the story does not have.
func (m *Match) then(p wire.Place, a act, what string) {
	p.Object = what
	m.Roles = append(m.Roles, Role{afterwards, a.G, p, of(a)})
}

// afterwards is the role of what is no act of the story.
const afterwards = "then"

// of returns the act of a role.
func of(a act) *act { return &a }

// A Told is what the paragraph names by file and line, for the table of steps.
type Told struct {
	G      string
	Where  wire.Place // as the paragraph has it
	At     wire.Place // of the operation or access; another place than Where if that calls it
	Call   string     // then the call at Where
	Then   string     // or what its goroutine does there after it: "check ok", "return"
	Op     string
	Object string
	Num    int  // of the step, from 1; 0: no step is at it
	After  int  // how many steps came before
	Waits  bool // it never came to an end
}

// Told returns what the paragraph names, in the order in which it happened.
func (m *Match) Told() (ts []Told) {
	roles := slices.Clone(m.Roles)
	slices.SortStableFunc(roles, func(a, b Role) int { return cmp.Compare(order(a), order(b)) })
	for _, r := range roles {
		if r.act == nil || r.Where.File == "" {
			continue
		}
		a := r.act
		t := Told{G: r.G, Where: r.Where, At: a.Where, Call: r.Where.Object, Op: a.Op, Object: a.Where.Object,
			After: a.Step + 1, Waits: a.Waits}
		if r.What == afterwards {
			t.Call, t.Then = "", r.Where.Object
		}
		if a.Index >= 0 {
			t.Num, t.After = a.Step+1, a.Step
		}
		ts = append(ts, t)
	}
	return ts
}

func order(r Role) int {
	if r.act == nil {
		return 0
	}
	return r.act.i
}

// A Match is a finding that is explained by a pattern.
type Match struct {
	Name  Name
	Var   string // the variable, channel or WaitGroup as the source names it
	Lock  string // the lock that matters, or ""
	Roles []Role
	Text  string // the paragraph
	Hint  string // what to change, or ""
	Cause string // findings with the same one have one cause; "" where that is not known
}

// Recognise returns what f is an example of, or nil. library reports whether a place is in the
// standard library: of an access there the user's call is told.
func Recognise(f *wire.Finding, source *syntax.Files, library func(wire.Place) bool) *Match {
	if len(f.Story) == 0 || f.Uncontrolled {
		return nil
	}
	s := read(f, source)
	s.library = library
	switch f.Kind {
	case "data race":
		return s.race()
	case "misuse":
		return s.misuse()
	case "deadlock", "leak":
		return s.waiting()
	case "panic", "test failure":
		return s.failure()
	case "atomicity violation":
		return s.violation()
	}
	return nil
}
