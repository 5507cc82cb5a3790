package progen

import (
	"fmt"
	"go/format"
	"strconv"
	"strings"
)

// Source returns the program as a complete Go test file, with a test named TestSeed<Seed> or a
// fuzz target named FuzzSeed<Seed>.
func Source(p *Program) string {
	w := &printer{p: p, imports: map[string]bool{"testing": true}}
	w.declare()
	w.regs(p.Body)
	w.block(p.Body)
	var b strings.Builder
	b.WriteString("package p\n\nimport (\n")
	for _, path := range []string{"math/rand/v2", "runtime", "sync", "sync/atomic", "testing",
		"testing/synctest", "time"} {
		if w.imports[path] {
			fmt.Fprintf(&b, "%q\n", path)
		}
	}
	b.WriteString(")\n\n")
	if p.Inputs > 0 {
		fmt.Fprintf(&b, "func FuzzSeed%d(f *testing.F) {\nf.Add(0%s)\nf.Fuzz(func(_ *testing.T%s) {\n%s})\n}\n",
			p.Seed, strings.Repeat(", 0", p.Inputs-1), p.parameters(), w.b.String())
	} else {
		fmt.Fprintf(&b, "func TestSeed%d(*testing.T) {\n%s}\n", p.Seed, w.b.String())
	}
	b.WriteString(w.older())
	b.WriteString(w.helpers())
	text, err := format.Source([]byte(b.String()))
	if err != nil {
		panic("progen: " + err.Error() + "\n" + b.String())
	}
	return string(text)
}

// parameters returns the parameters of the fuzz target.
func (p *Program) parameters() string {
	var b strings.Builder
	for i := range p.Inputs {
		fmt.Fprintf(&b, ", in%d int", i)
	}
	return b.String()
}

type printer struct {
	p       *Program
	b       strings.Builder
	imports map[string]bool
	bits    bool
}

func (w *printer) line(f string, args ...any) { fmt.Fprintf(&w.b, f+"\n", args...) }

func (w *printer) use(pkg string) { w.imports[pkg] = true }

// spin writes a polling loop.
func (w *printer) spin(s *Stmt, cond string) {
	w.line("for %s {", cond)
	w.block(s.Body)
	w.line("}")
}

// helpers returns the functions that the text needs beside the test.
func (w *printer) helpers() string {
	if !w.bits {
		return ""
	}
	return "\nfunc bit(b bool) int {\nif b {\nreturn 1\n}\nreturn 0\n}\n"
}

func (w *printer) bit(f string, args ...any) string {
	w.bits = true
	return "bit(" + fmt.Sprintf(f, args...) + ")"
}

// declare declares the objects that are used.
func (w *printer) declare() {
	p := w.p
	uses := p.uses()
	list := func(class class, n int, f string) {
		for i := range n {
			if uses[object{class, i}] {
				w.line(f, i)
				if class == aVar {
					w.line("_ = &v%d", i) // it may only be written
				}
			}
		}
	}
	list(aVar, p.Vars, "var v%d int")
	list(aMap, p.Maps, "mp%d := map[int]int{}")
	list(anAtomic, p.Atomics, "var a%d atomic.Int64")
	if p.Older == nil {
		list(aMutex, p.Mutexes, "var m%d sync.Mutex")
		list(anRW, p.RWs, "var rw%d sync.RWMutex")
	}
	for i, n := range p.Chans {
		if uses[object{aChan, i}] && p.Older == nil {
			w.line("c%d := make(chan %s, %d)", i, w.p.element(), n)
		}
	}
	for i, m := range p.Conds {
		if uses[object{aCond, i}] {
			w.line("cond%d := sync.NewCond(&m%d)", i, m)
		}
	}
	if p.Older == nil {
		list(aGroup, p.Groups, "var wg%d sync.WaitGroup")
	}
	list(anOnce, p.Onces, "var once%d sync.Once")
	p.Each(func(s *Stmt) {
		if s.Op == Panic && !w.imports["sync/atomic"] {
			w.use("sync/atomic")
			w.line("var alive atomic.Int64")
		}
	})
	looks := false
	p.Each(func(s *Stmt) { looks = looks || s.Op == Clock })
	if looks {
		w.use("time")
		w.line("start := time.Now()")
	}
	for i, d := range p.Timers {
		w.use("time")
		made := "time.NewTimer"
		if p.Ticks {
			made = "time.NewTicker"
		}
		w.line("t%d := %s(%d * time.Millisecond)", i, made, d)
		if !uses[object{aTimer, i}] {
			w.line("_ = t%d", i)
		}
	}
	if p.Older != nil && p.Mutexes+p.RWs+p.Groups > 0 {
		w.use("sync")
	}
	for o := range uses {
		switch o.class {
		case anAtomic:
			w.use("sync/atomic")
		case aMutex, anRW, aCond, aGroup, anOnce:
			w.use("sync")
		}
	}
}

// older declares the package-level variables and gives them their state before the test.
func (w *printer) older() string {
	o := w.p.Older
	if o == nil {
		return ""
	}
	var vars, begin strings.Builder
	for i, n := range w.p.Chans {
		fmt.Fprintf(&vars, "var c%d = make(chan %s, %d)\n", i, w.p.element(), n)
		for v := range o.Held[i] {
			fmt.Fprintf(&begin, "c%d <- %s\n", i, w.p.sent(strconv.Itoa(v+1)))
		}
		if o.Closed[i] {
			fmt.Fprintf(&begin, "close(c%d)\n", i)
		}
	}
	for i, locked := range o.Locked {
		fmt.Fprintf(&vars, "var m%d sync.Mutex\n", i)
		if locked {
			fmt.Fprintf(&begin, "m%d.Lock()\n", i)
		}
	}
	for i, locked := range o.Writes {
		fmt.Fprintf(&vars, "var rw%d sync.RWMutex\n", i)
		if locked {
			fmt.Fprintf(&begin, "rw%d.Lock()\n", i)
		}
	}
	for i, n := range o.Counts {
		fmt.Fprintf(&vars, "var wg%d sync.WaitGroup\n", i)
		fmt.Fprintf(&begin, "wg%d.Add(%d)\n", i, n)
	}
	return "\n" + vars.String() + "\nfunc init() {\n" + begin.String() + "}\n"
}

// regs declares the registers of a goroutine with the given body.
func (w *printer) regs(body []*Stmt) {
	var used [Registers]bool
	eachOwn(body, func(s *Stmt) { s.registers(&used) })
	for i, u := range used {
		if u {
			w.line("r%d := 0", i)
			w.line("_ = r%d", i)
		}
	}
}

// eachOwn is each without nested functions, which have registers of their own.
func eachOwn(body []*Stmt, f func(*Stmt)) {
	for _, s := range body {
		f(s)
		if s.Op != Go && s.Op != Once && s.Op != After {
			for _, b := range s.blocks() {
				eachOwn(*b, f)
			}
		}
	}
}

// registers marks the registers that the statement itself uses.
func (s *Stmt) registers(used *[Registers]bool) {
	switch s.Op {
	case Take:
		used[s.Reg] = true
		fallthrough
	case Write, Store, Send, MapPut:
		if s.Src >= 0 {
			used[s.Src] = true
		}
	case Go:
		if s.Val2 > 0 && s.Src >= 0 {
			used[s.Src] = true
		}
	case If, Poll, PollHeld, Fetch, Reread, Read, Load, Add, CAS, TryLock, RWTry, RTry, Recv, Len, Range,
		Stop, Reset, Draw, Clock, MapGet, MapLen, MapGrow:
		used[s.Reg] = true
	case Repeat:
		s.forgotten(used)
	case Work:
		used[s.Reg] = true
		s.forgotten(used)
	case Select:
		for _, c := range s.Cases {
			if !c.Send {
				used[c.Reg] = true
			}
		}
	}
}

// forgotten marks the registers that iterations of a loop set to 0.
func (s *Stmt) forgotten(used *[Registers]bool) {
	for r := range used {
		used[r] = used[r] || s.Forgets(r)
	}
}

func (w *printer) block(body []*Stmt) {
	for _, s := range body {
		w.stmt(s)
	}
}

func (w *printer) function(body []*Stmt) {
	w.regs(body)
	w.block(body)
}

func value(s *Stmt) string {
	if s.Src < 0 {
		return fmt.Sprint(s.Val)
	}
	return fmt.Sprintf("r%d + %d", s.Src, s.Val)
}

func (w *printer) stmt(s *Stmt) {
	switch s.Op {
	case Go:
		var used [Registers]bool
		if s.Val2 > 0 {
			w.line("{\nx := %s\n_ = x", value(s))
			eachOwn(s.Body, func(t *Stmt) { t.registers(&used) })
		}
		w.line("go func() {")
		w.regs(s.Body)
		if used[0] {
			w.line("r0 = x")
		}
		w.block(s.Body)
		w.line("}()")
		if s.Val2 > 0 {
			w.line("}")
		}
	case If:
		w.line("if r%d == %d {", s.Reg, s.Val)
		w.block(s.Body)
		if len(s.Else) > 0 {
			w.line("} else {")
			w.block(s.Else)
		}
		w.line("}")
	case Poll:
		w.line("for {")
		w.block(s.Body)
		w.line("if r%d == %d {\nbreak\n}", s.Reg, s.Val)
		w.block(s.Else)
		w.line("}")
	case PollHeld:
		enter, look, leave := s.Held()
		w.block(enter)
		w.line("for {")
		w.block(look)
		w.line("if r%d == %d {\nbreak\n}", s.Reg, s.Val)
		w.block(leave)
		w.block(s.Else)
		w.block(enter)
		w.line("}")
		w.block(leave)
	case Repeat:
		w.line("for range %d {", s.Val)
		w.turn(s)
	case Work:
		w.line("for {")
		w.channel(&Stmt{Op: Recv, Obj: s.Obj, Reg: s.Reg})
		w.line("if r%d == -1 {\nbreak\n}", s.Reg)
		w.turn(s)
	case Read:
		w.line("r%d = v%d", s.Reg, s.Obj)
	case Write:
		w.line("v%d = %s", s.Obj, value(s))
	case Load:
		w.line("r%d = int(a%d.Load())", s.Reg, s.Obj)
	case Store:
		w.line("a%d.Store(int64(%s))", s.Obj, value(s))
	case Add:
		w.line("r%d = int(a%d.Add(%d))", s.Reg, s.Obj, s.Val)
	case Raise:
		w.line("v%d += %d", s.Obj, s.Val)
	case Flag:
		w.line("v%d |= %d", s.Obj, s.Val)
	case MapPut:
		w.line("mp%d[%d] = %s", s.Obj, s.Val2, value(s))
	case MapGet:
		w.line("r%d = mp%d[%d]", s.Reg, s.Obj, s.Val2)
	case MapDrop:
		w.line("delete(mp%d, %d)", s.Obj, s.Val2)
	case MapLen:
		w.line("r%d = len(mp%d)", s.Reg, s.Obj)
	case MapGrow:
		w.line("{\nn := len(mp%d)", s.Obj)
		w.block(s.Body)
		w.line("r%d = len(mp%d) - n\n}", s.Reg, s.Obj)
	case MapClear:
		w.line("clear(mp%d)", s.Obj)
	case Count:
		w.line("a%d.Add(%d)", s.Obj, s.Val)
	case Mark:
		w.line("a%d.Or(%d)", s.Obj, s.Val)
	case CAS:
		w.line("r%d = %s", s.Reg, w.bit("a%d.CompareAndSwap(%d, %d)", s.Obj, s.Val, s.Val2))
	case Lock, Unlock:
		w.line("m%d.%s()", s.Obj, method[s.Op])
	case TryLock:
		w.line("r%d = %s", s.Reg, w.bit("m%d.TryLock()", s.Obj))
	case RWLock, RWUnlock, RLock, RUnlock:
		w.line("rw%d.%s()", s.Obj, method[s.Op])
	case RWTry, RTry:
		w.line("r%d = %s", s.Reg, w.bit("rw%d.%s()", s.Obj, method[s.Op]))
	case Signal, Cast, Wait:
		w.line("cond%d.%s()", s.Obj, method[s.Op])
	case Done, Join:
		w.line("wg%d.%s()", s.Obj, method[s.Op])
	case GroupAdd:
		w.line("wg%d.Add(%d)", s.Obj, s.Val)
	case Once:
		w.line("once%d.Do(func() {", s.Obj)
		w.function(s.Body)
		w.line("})")
	case Draw:
		w.use("math/rand/v2")
		w.line("r%d = rand.IntN(%d)", s.Reg, s.Val)
	case Yield:
		w.use("runtime")
		w.line("runtime.Gosched()")
	case Idle:
		w.use("testing/synctest")
		w.line("synctest.Wait()")
	case Panic:
		w.line("alive.Load()")
		w.line("panic(\"p%d\")", s.ID)
	case Peek:
		w.line("a%d.Load()", s.Obj)
	case Take:
		w.line("r%d = in%d + %s", s.Reg, s.Obj, value(s))
	case SpinLoad:
		w.spin(s, fmt.Sprintf("a%d.Load() != %d", s.Obj, s.Val))
	case SpinLock:
		w.spin(s, fmt.Sprintf("!m%d.TryLock()", s.Obj))
	case SpinCAS:
		w.spin(s, fmt.Sprintf("!a%d.CompareAndSwap(%d, %d)", s.Obj, s.Val, s.Val2))
	case Fetch:
		w.line("for {\nif v := int(a%d.Load()); v != 0 && a%d.CompareAndSwap(int64(v), 0) {\nr%d = v\nbreak\n}\n}", s.Obj, s.Obj, s.Reg)
	case Reread:
		w.line("for {\nv := int(a%d.Load())", s.Obj)
		w.block(s.Body)
		w.line("if int(a%d.Load()) == v {\nr%d = v\nbreak\n}\n}", s.Obj, s.Reg)
	case Send, Recv, Close, Len, Range, Select:
		w.channel(s)
	default:
		w.time(s)
	}
}

// turn prints the rest of a loop, after what is done before an iteration.
func (w *printer) turn(s *Stmt) {
	w.block(s.Body)
	for r := range Registers {
		if s.Forgets(r) {
			w.line("r%d = 0", r)
		}
	}
	w.line("}")
}

var method = map[Op]string{
	Lock: "Lock", Unlock: "Unlock", RWLock: "Lock", RWUnlock: "Unlock", RWTry: "TryLock", RLock: "RLock",
	RUnlock: "RUnlock", RTry: "TryRLock",
	Signal: "Signal", Cast: "Broadcast", Wait: "Wait", Done: "Done", Join: "Wait",
}

func (w *printer) channel(s *Stmt) {
	switch s.Op {
	case Send:
		w.line("c%d <- %s", s.Obj, w.p.sent(value(s)))
	case Recv:
		w.line("if v, ok := <-c%d; ok {\nr%d = %s\n} else {\nr%d = -1\n}", s.Obj, s.Reg, w.p.taken(), s.Reg)
	case Close:
		w.line("close(c%d)", s.Obj)
	case Len:
		w.line("r%d = len(c%d)", s.Reg, s.Obj)
	case Range:
		w.line("for v := range c%d {\nr%d += %s\n}", s.Obj, s.Reg, w.p.taken())
	case Select:
		w.line("select {")
		for _, c := range s.Cases {
			switch {
			case c.After > 0:
				w.use("time")
				w.line("case <-time.After(%d * time.Millisecond):\nr%d = 1", c.After, c.Reg)
			case c.Send:
				w.line("case c%d <- %s:", c.Obj, w.p.sent(strconv.Itoa(c.Val)))
			default:
				w.line("case v, ok := <-c%d:\nif ok {\nr%d = %s\n} else {\nr%d = -1\n}", c.Obj, c.Reg,
					w.p.taken(), c.Reg)
			}
			w.block(c.Body)
		}
		if s.Def {
			w.line("default:")
			w.block(s.Else)
		}
		w.line("}")
	}
}

// element returns the type of the values of channels.
func (p *Program) element() string {
	if p.Slots {
		return "struct{}"
	}
	return "int"
}

// sent returns what is sent in place of a value.
func (p *Program) sent(value string) string {
	if p.Slots {
		return "struct{}{}"
	}
	return value
}

// taken returns the number that a received value v stands for.
func (p *Program) taken() string {
	if p.Slots {
		return "len([1]struct{}{v}) - 1"
	}
	return "v"
}

func (w *printer) time(s *Stmt) {
	w.use("time")
	switch s.Op {
	case Clock:
		w.line("r%d = int(time.Since(start) / (10 * time.Millisecond))", s.Reg)
	case Sleep:
		w.line("time.Sleep(%d * time.Millisecond)", s.Val)
	case After:
		w.line("time.AfterFunc(%d*time.Millisecond, func() {", s.Val)
		w.function(s.Body)
		w.line("})")
	case Stop:
		w.timer(s, "t%d.Stop()", s.Obj)
	case Reset:
		w.timer(s, "t%d.Reset(%d * time.Millisecond)", s.Obj, s.Val)
	case Fired:
		w.line("<-t%d.C", s.Obj)
	}
}

// timer writes a call of a timer's method, which has a result, or of a ticker's.
func (w *printer) timer(s *Stmt, format string, args ...any) {
	if w.p.Ticks {
		w.line(format, args...)
		return
	}
	w.line("r%d = %s", s.Reg, w.bit(format, args...))
}

// A class is a kind of object.
type class uint8

const (
	aVar class = iota + 1
	aMap
	anAtomic
	aMutex
	anRW
	aChan
	aCond
	aGroup
	anOnce
	aTimer
)

type object struct {
	class class
	i     int
}

var classes = [numOps]class{
	Read: aVar, Write: aVar, Raise: aVar, Flag: aVar,
	MapPut: aMap, MapGet: aMap, MapDrop: aMap, MapLen: aMap, MapClear: aMap,
	MapGrow: aMap,
	Load:    anAtomic, Store: anAtomic, Add: anAtomic, CAS: anAtomic, SpinLoad: anAtomic, Peek: anAtomic,
	SpinCAS: anAtomic, Fetch: anAtomic, Reread: anAtomic, Count: anAtomic, Mark: anAtomic,
	Lock: aMutex, Unlock: aMutex, TryLock: aMutex, SpinLock: aMutex,
	RWLock: anRW, RWUnlock: anRW, RWTry: anRW, RLock: anRW, RUnlock: anRW, RTry: anRW,
	Send: aChan, Recv: aChan, Close: aChan, Len: aChan, Range: aChan, Work: aChan,
	Wait: aCond, Signal: aCond, Cast: aCond,
	GroupAdd: aGroup, Done: aGroup, Join: aGroup, Once: anOnce,
	Stop: aTimer, Reset: aTimer, Fired: aTimer,
}

// uses returns the objects that the program's statements are about.
func (p *Program) uses() map[object]bool {
	uses := map[object]bool{}
	p.Each(func(s *Stmt) {
		if c := classes[s.Op]; c != 0 {
			uses[object{c, s.Obj}] = true
			if c == aCond {
				uses[object{aMutex, p.Conds[s.Obj]}] = true
			}
		}
		for _, c := range s.Cases {
			if c.After == 0 {
				uses[object{aChan, c.Obj}] = true
			}
		}
	})
	return uses
}
