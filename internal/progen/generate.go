package progen

import (
	"math/rand/v2"
	"slices"
)

// Size bounds the programs that Generate makes.
type Size struct {
	Goroutines int // at most, main included
	Statements int // at most; counts statements that synchronise or share
	// Spin: loops may poll, in programs without timers. (With timers the number of polls before
	// the clock advances would matter.)
	Spin bool
	// Slow: every other polling loop does more in an iteration, so that other goroutines can write
	// meanwhile.
	Slow bool
	// Loose: also programs for which Go allows more than sampled executions show: timers with one
	// deadline, whose wakes may overlap, and Gosched, which need not let another goroutine run.
	Loose bool
	// Inputs: fuzz targets with so many numbers, which flow through variables, channels and
	// atomics.
	Inputs int
	// Timed: fuzz targets that sleep and have timers.
	Timed bool
	// Selects: programs of channels and selects only, every other one with timers. They test which
	// of several waiting goroutines is served.
	Selects bool
	// Older: channels, mutexes, RWMutexes and WaitGroups exist before the test and may be in use.
	Older bool
	// Timers: every program has timers, and may look at the clock.
	Timers bool
	// Still: with Timers, all of them are never early.
	Still bool
	// Guarded: a mutex for each plain variable, which every access to it holds.
	Guarded bool
	// Updates: variables and atomics are also changed by operators whose results go nowhere.
	Updates bool
	// Maps: programs with plain variables have a map too.
	Maps bool
	// Growth: of two maps, programs with Maps also look at how much they grow.
	Growth bool
	// Joins: main starts workers, waits for them with a WaitGroup, and goes on.
	Joins bool
	// Sections: nearly all is done in critical sections of a mutex or two, or of a RWMutex, without
	// more than accesses in them; the same variables are accessed outside too.
	Sections bool
	// Loops: most statements are in loops, which forget what was read.
	Loops bool
	// Slots: channels have values without a size, nearly all of them a buffer: they are counted.
	Slots bool
	// Twins: most go statements are in loops. The goroutines of a loop have equal values, or nearly
	// equal ones, and the loop may do something between two of them.
	Twins bool
	// Polls: loops take locks, read, and look at what was read. Other goroutines write under the
	// same locks, or nearly so.
	Polls bool
	// Bubble: the program is a bubble of testing/synctest, in which main waits for all others.
	Bubble bool
	// Naps: with Polls, goroutines sleep, in these loops too. Nothing else is timed.
	Naps bool
}

// Default is so small that most programs have less than 20,000 interleavings.
var Default = Size{Goroutines: 4, Statements: 9}

// Generate returns the program of a seed.
//
// A program has a theme, a few kinds of objects: a handful of statements over all kinds would
// rarely share an object.
func Generate(seed uint64, size Size) *Program {
	g := &generator{r: rand.New(rand.NewPCG(seed, 0x6865646c65)), p: &Program{Seed: seed}, size: size}
	if size.Bubble {
		g.p.Bubble, g.p.Ticks = true, g.oneIn(2)
	}
	g.theme()
	g.left = 4 + g.r.IntN(size.Statements-3)
	g.goroutines = 1 + g.r.IntN(size.Goroutines-1) // beside main
	switch {
	case size.Loops:
		g.p.Body = g.loops()
	case size.Joins:
		g.p.Body = g.joins()
	default:
		g.p.Body = g.main()
	}
	if size.Older {
		g.older()
	}
	if size.Bubble {
		g.bubble()
	}
	if size.Guarded {
		g.p.guard()
	}
	g.p.Number()
	return g.p
}

// bubble lets main wait for all others once or twice. It accesses a variable after it, or a
// goroutine does that it starts.
func (g *generator) bubble() {
	p := g.p
	for n := 1 + g.r.IntN(2); n > 0; n-- {
		idle := []*Stmt{{Op: Idle}}
		if g.left = 2; p.Vars > 0 {
			access := g.read()
			if g.oneIn(2) {
				access = g.write()
			}
			if g.oneIn(3) {
				access = []*Stmt{{Op: Go, Src: -1, Body: access}}
			}
			idle = append(idle, access...)
		}
		p.Body = slices.Insert(p.Body, g.r.IntN(len(p.Body)+1), idle...)
	}
}

// older draws the state of the objects before the test.
func (g *generator) older() {
	p, o := g.p, new(Older)
	for _, n := range p.Chans {
		o.Held = append(o.Held, g.r.IntN(n+1))
		o.Closed = append(o.Closed, g.oneIn(3))
	}
	for range p.Mutexes {
		o.Locked = append(o.Locked, g.oneIn(3))
	}
	for range p.RWs {
		o.Writes = append(o.Writes, g.oneIn(3))
	}
	for range p.Groups {
		o.Counts = append(o.Counts, g.r.IntN(3))
	}
	p.Older = o
}

type generator struct {
	r          *rand.Rand
	p          *Program
	size       Size
	left       int // statements left to make
	goroutines int // goroutines left to start
	depth      int
	times      int  // number of durations made
	timed      bool // there are timers, so no loop polls, see Size
	ops        []weighted
}

// A weighted is a choice with its probability.
type weighted struct {
	weight int
	make   func() []*Stmt
}

func (g *generator) spins() bool { return g.size.Spin && !g.timed }

// slow returns the additional statements in an iteration of a polling loop. It draws nothing
// unless loops are to be slow, so that programs of other sizes do not change.
func (g *generator) slow() []*Stmt {
	switch {
	case !g.size.Slow || g.oneIn(2):
		return nil
	case g.p.Atomics > 0 && g.oneIn(2):
		return []*Stmt{{Op: Peek, Obj: g.r.IntN(g.p.Atomics)}}
	}
	return []*Stmt{{Op: Yield}}
}

func (g *generator) oneIn(n int) bool { return g.r.IntN(n) == 0 }

// theme declares the objects and chooses the kinds of statements over them.
func (g *generator) theme() {
	p := g.p
	if g.size.Inputs > 0 {
		g.inputs()
		return
	}
	if g.size.Selects {
		g.timed = g.oneIn(2) || g.size.Timers
		if g.timed {
			g.add(2, func() []*Stmt { return g.one(&Stmt{Op: Sleep, Val: g.duration()}) })
			g.add(3, g.after)
		}
		g.chans(2 + g.r.IntN(2))
		g.add(8, g.selects)
		return
	}
	if g.size.Slots {
		g.slots()
		return
	}
	if g.size.Sections {
		g.sections()
		return
	}
	if g.size.Polls {
		g.polls()
		return
	}
	themes := []func(){
		func() {
			p.Vars = 1 + g.r.IntN(2)
			g.add(4, g.read)
			g.add(5, g.write)
			g.updates(Raise, Raise, Flag)
			g.maps()
		},
		func() {
			p.Atomics = 1 + g.r.IntN(2)
			g.updates(Count, Count, Mark)
			g.add(4, g.load)
			g.add(4, g.store)
			g.add(2, g.atomicAdd)
			g.add(2, g.cas)
			g.spinAtomics()
		},
		func() { p.Mutexes = 1 + g.r.IntN(2); g.add(7, g.locked); g.add(2, g.tryLocked); g.spinLocks() },
		func() {
			p.RWs = 1
			g.add(4, g.rwLocked)
			g.add(5, g.rLocked)
			g.add(1, g.rwTried)
			g.add(2, g.rTried)
		},
		func() { g.chans(1 + g.r.IntN(2)) },
		func() { g.chans(1) },
		func() { g.chans(2) },
		func() {
			p.Mutexes = max(p.Mutexes, 1)
			p.Conds = []int{g.r.IntN(p.Mutexes)}
			g.add(5, g.waited)
			g.add(5, g.signalled)
		},
		func() {
			p.Groups = 1
			g.add(2, func() []*Stmt { return g.one(&Stmt{Op: GroupAdd, Val: 1 + g.r.IntN(2)}) })
			g.add(3, func() []*Stmt { return g.one(&Stmt{Op: Done}) })
			g.add(3, func() []*Stmt { return g.one(&Stmt{Op: Join}) })
		},
		func() { p.Onces = 1; g.add(6, g.once) },
		g.timers,
	}
	n := 1 + g.r.IntN(3)
	chosen := g.r.Perm(len(themes))[:n]
	if g.size.Joins {
		p.Groups = 1
		timers := len(themes) - 1 // every sixteenth program has them
		chosen = slices.DeleteFunc(chosen, func(i int) bool { return i == timers && !g.oneIn(4) })
		if len(chosen) == 0 || chosen[0] == timers {
			chosen = append(chosen, g.r.IntN(2))
		}
	}
	if g.timed = slices.Contains(chosen, len(themes)-1); g.size.Timers && !g.timed {
		g.timed = true
		chosen = append(chosen, len(themes)-1)
	}
	if g.size.Bubble && !slices.Contains(chosen, 0) {
		chosen = append(chosen, 0)
	}
	for _, i := range chosen {
		themes[i]()
	}
	if p.Vars == 0 && p.Atomics == 0 && !g.oneIn(3) {
		themes[g.r.IntN(2)]() // a value that depends on the order
	}
	g.add(2, g.branch)
	g.add(1, g.repeat)
	if !g.size.Bubble && g.oneIn(4) {
		g.add(2, func() []*Stmt { return g.one(&Stmt{Op: Draw, Val: 2, Reg: g.reg()}) })
	}
	if g.oneIn(8) {
		g.add(1, func() []*Stmt { return g.one(&Stmt{Op: Panic}) })
	}
	if g.oneIn(12) {
		g.add(1, g.stray)
	}
	if g.size.Loose && g.oneIn(12) {
		g.add(2, func() []*Stmt { return g.one(&Stmt{Op: Yield}) })
	}
}

// sections declares what Size.Sections says.
func (g *generator) sections() {
	p := g.p
	p.Atomics, p.Vars = 2, g.r.IntN(2)
	if g.size.Joins {
		p.Groups = 1
	}
	if g.oneIn(2) {
		p.RWs = 1
		g.add(4, func() []*Stmt { return g.section(&Stmt{Op: RWLock}, &Stmt{Op: RWUnlock}) })
		g.add(4, func() []*Stmt { return g.section(&Stmt{Op: RLock}, &Stmt{Op: RUnlock}) })
	} else {
		p.Mutexes = 1 + g.r.IntN(2)
		g.add(8, func() []*Stmt {
			m := g.r.IntN(p.Mutexes)
			return g.section(&Stmt{Op: Lock, Obj: m}, &Stmt{Op: Unlock, Obj: m})
		})
	}
	g.add(2, g.access)
}

// access returns an access to a variable.
func (g *generator) access() []*Stmt {
	if g.p.Vars > 0 && g.oneIn(2) {
		switch g.r.IntN(3) {
		case 0:
			return g.read()
		case 1:
			return g.write()
		}
		return g.one(&Stmt{Op: Raise, Obj: g.r.IntN(g.p.Vars), Val: g.val()})
	}
	switch g.r.IntN(4) {
	case 0:
		return g.load()
	case 1:
		return g.store()
	case 2:
		return g.atomicAdd()
	}
	return g.one(&Stmt{Op: Count, Obj: g.r.IntN(g.p.Atomics), Val: g.val()})
}

// section returns a critical section with accesses in it; one in sixteen has anything in it.
func (g *generator) section(enter, leave *Stmt) []*Stmt {
	if g.oneIn(16) {
		return g.around(enter, leave)
	}
	g.left -= 2
	body := []*Stmt{enter}
	for n := 1 + g.r.IntN(2); n > 0; n-- {
		body = append(body, g.access()...)
	}
	return append(body, leave)
}

// timers declares timers, and adds the statements about time.
func (g *generator) timers() {
	if g.oneIn(2) {
		g.p.Timers = []int{g.duration()}
	}
	g.add(2, func() []*Stmt { return g.one(&Stmt{Op: Sleep, Val: g.duration()}) })
	g.add(2, g.after)
	if g.size.Timers {
		g.add(1, func() []*Stmt { return g.one(&Stmt{Op: Clock, Reg: g.reg()}) })
	}
	if len(g.p.Timers) > 0 {
		g.add(1, func() []*Stmt { return g.one(&Stmt{Op: Reset, Val: g.duration(), Reg: g.reg()}) })
		g.add(2, func() []*Stmt { return g.one(&Stmt{Op: Stop, Reg: g.reg()}) })
		g.add(3, func() []*Stmt { return g.one(&Stmt{Op: Fired}) })
	}
}

// inputs declares the objects of a program with inputs.
func (g *generator) inputs() {
	p := g.p
	p.Inputs = 1 + g.r.IntN(g.size.Inputs)
	g.add(6, func() []*Stmt {
		// sums of inputs have too many values to try them all
		s := &Stmt{Op: Take, Obj: g.r.IntN(p.Inputs), Val: g.r.IntN(2), Reg: g.reg(), Src: -1}
		return append(g.one(s), g.branchOn(s.Reg)...)
	})
	themes := []func(){
		func() { p.Vars = 1 + g.r.IntN(2); g.add(4, g.read); g.add(5, g.write) },
		func() { g.chans(1) },
		func() {
			p.Atomics = 1
			g.add(4, g.load)
			g.add(4, g.store)
			g.add(2, g.atomicAdd)
			g.add(3, g.cas)
			g.spinAtomics()
		},
		func() { p.Mutexes = 1 + g.r.IntN(2); g.add(5, g.locked); g.spinLocks() },
		func() { p.Onces = 1; g.add(4, g.once) },
		func() {
			p.Groups = 1
			g.add(2, func() []*Stmt { return g.one(&Stmt{Op: Done}) })
			g.add(2, func() []*Stmt { return g.one(&Stmt{Op: Join}) })
		},
	}
	values := g.r.IntN(3)
	if g.timed = g.size.Timed; g.timed {
		g.timers()
	}
	if g.spins() {
		values = 2
		g.add(6, func() []*Stmt {
			in := &Stmt{Op: Take, Obj: g.r.IntN(p.Inputs), Reg: g.reg(), Src: -1}
			return append(g.one(in), g.one(&Stmt{Op: Store, Obj: g.r.IntN(p.Atomics), Src: in.Reg})...)
		})
	}
	themes[values]() // values flow through it
	for _, i := range g.r.Perm(len(themes))[:g.r.IntN(2)] {
		themes[i]()
	}
	g.add(3, g.branch)
	g.add(3, func() []*Stmt {
		if g.goroutines == 0 || g.depth == 0 || g.depth > 2 {
			return nil
		}
		return g.start()
	})
	if g.oneIn(4) {
		g.add(1, func() []*Stmt { return g.one(&Stmt{Op: Panic}) })
	}
}

func (g *generator) add(weight int, f func() []*Stmt) { g.ops = append(g.ops, weighted{weight, f}) }

// chans adds n channels and the statements over channels.
func (g *generator) chans(n int) {
	first := len(g.p.Chans) == 0
	for range n {
		g.p.Chans = append(g.p.Chans, []int{0, 0, 0, 1, 1, 2}[g.r.IntN(6)])
	}
	if !first {
		return
	}
	g.add(7, func() []*Stmt { return g.one(&Stmt{Op: Send, Obj: g.chanOf(), Val: g.val(), Src: g.src()}) })
	g.add(7, func() []*Stmt { return g.one(&Stmt{Op: Recv, Obj: g.chanOf(), Reg: g.reg()}) })
	g.add(1, func() []*Stmt { return g.one(&Stmt{Op: Len, Obj: g.chanOf(), Reg: g.reg()}) })
	if !g.oneIn(3) {
		g.add(5, g.selects)
	}
	if g.oneIn(2) {
		g.add(2, func() []*Stmt { return g.one(&Stmt{Op: Close, Obj: g.chanOf()}) })
		g.add(1, func() []*Stmt { return g.one(&Stmt{Op: Range, Obj: g.chanOf(), Reg: g.reg()}) })
	}
}

func (g *generator) spinAtomics() {
	if !g.spins() {
		return
	}
	g.add(4, g.spinLoad)
	g.add(2, g.spinCAS)
	if g.size.Slow {
		g.add(3, func() []*Stmt { return g.one(&Stmt{Op: Fetch, Obj: g.r.IntN(g.p.Atomics), Reg: g.reg()}) })
		g.add(3, func() []*Stmt {
			return g.one(&Stmt{Op: Reread, Obj: g.r.IntN(g.p.Atomics), Reg: g.reg(), Body: g.slow()})
		})
	}
}

func (g *generator) spinLocks() {
	if g.spins() {
		g.add(3, func() []*Stmt {
			m := g.r.IntN(g.p.Mutexes)
			return g.around(&Stmt{Op: SpinLock, Obj: m, Body: g.slow()}, &Stmt{Op: Unlock, Obj: m})
		})
	}
}

func (g *generator) reg() int    { return g.r.IntN(Registers) }
func (g *generator) val() int    { return 1 + g.r.IntN(3) }
func (g *generator) chanOf() int { return g.r.IntN(len(g.p.Chans)) }

// duration returns a duration in milliseconds. Unless Loose is set, no two sums of durations are
// equal.
func (g *generator) duration() int {
	const never = 600_000 // as long is never early
	switch {
	case g.size.Timers && g.size.Still:
		return never * (1 + g.r.IntN(2))
	case g.size.Timers && !g.p.Ticks && g.oneIn(6):
		return never
	}
	if g.size.Loose {
		return 10 * (1 + g.r.IntN(2))
	}
	g.times++
	return 10 << (g.times - 1)
}

// src returns the source of a value: mostly a constant, so that a value identifies its writer.
func (g *generator) src() int {
	if g.oneIn(3) {
		return g.reg()
	}
	return -1
}

// one returns a single statement.
func (g *generator) one(s *Stmt) []*Stmt {
	g.left--
	return []*Stmt{s}
}

// block returns a few statements.
func (g *generator) block(most int) []*Stmt {
	var body []*Stmt
	g.depth++
	for n := g.r.IntN(most + 1); n > 0 && g.left > 0; n-- {
		body = append(body, g.statement()...)
	}
	g.depth--
	return body
}

// around returns a critical section.
func (g *generator) around(enter, leave *Stmt) []*Stmt {
	g.left -= 2
	body := append([]*Stmt{enter}, g.block(2)...)
	return append(body, leave)
}

// tried returns a critical section that is entered only if the lock is free.
func (g *generator) tried(op, leave Op, obj int) []*Stmt {
	g.left -= 2
	r := g.reg()
	body := append(g.block(1), &Stmt{Op: leave, Obj: obj})
	return []*Stmt{{Op: op, Obj: obj, Reg: r}, {Op: If, Reg: r, Val: 1, Body: body}}
}

func (g *generator) statement() []*Stmt {
	sum := 0
	for _, w := range g.ops {
		sum += w.weight
	}
	if g.goroutines > 0 && g.depth < 3 && g.oneIn(8) {
		return g.start()
	}
	n := g.r.IntN(sum)
	for _, w := range g.ops {
		if n -= w.weight; n < 0 {
			return w.make()
		}
	}
	panic("unreachable")
}

// start returns a go statement.
func (g *generator) start() []*Stmt {
	g.goroutines--
	body := g.block(3)
	for len(body) == 0 && g.left > 0 {
		body = g.statement()
	}
	if g.size.Twins && !g.oneIn(4) {
		return g.twins(body)
	}
	return []*Stmt{{Op: Go, Body: body}}
}

// twins returns a loop that starts goroutines.
func (g *generator) twins(body []*Stmt) []*Stmt {
	var then []*Stmt
	if g.oneIn(2) {
		var gates []*Stmt
		gates, then = g.gates()
		body = append(gates, body...)
	}
	start := &Stmt{Op: Go, Body: body}
	loop := &Stmt{Op: Repeat, Val: 2}
	if g.oneIn(4) {
		loop.Val = 3
	}
	switch g.r.IntN(8) {
	case 0:
		start.Val2, start.Src, start.Val = 1, g.reg(), g.val()
		if g.p.Atomics > 0 {
			loop.Body = append(loop.Body,
				&Stmt{Op: Add, Obj: g.r.IntN(g.p.Atomics), Val: g.r.IntN(2), Reg: start.Src})
		}
	case 1:
		start.Val2, start.Src, start.Val = 1, -1, g.val()
	case 2:
		start.Val2, start.Src = 1, g.reg()
		if g.p.Vars > 0 {
			loop.Body = append(loop.Body, g.read()...)
		}
	case 3, 4:
		if g.left > 0 {
			loop.Body = g.statement()
		}
	}
	if g.p.Groups > 0 && g.oneIn(2) {
		loop.Body = append(loop.Body, &Stmt{Op: GroupAdd, Val: 1})
	}
	loop.Body = append(loop.Body, start)
	if g.oneIn(6) && g.left > 0 {
		loop.Body = append(loop.Body, g.statement()...)
	}
	return append([]*Stmt{loop}, then...)
}

// gates returns a few operations that commute with those of other goroutines that do the same, or
// may do so, with something that tells in which order goroutines went on after them. then is what
// goroutines that come after it will see in them.
func (g *generator) gates() (body, then []*Stmt) {
	for n := 1 + g.r.IntN(3); n > 0; n-- {
		switch g.r.IntN(6) {
		case 0:
			if g.p.Atomics > 0 {
				at := g.r.IntN(g.p.Atomics)
				body = append(body, g.one(&Stmt{Op: Load, Obj: at, Reg: 0})...)
				then = append(then, g.one(&Stmt{Op: Store, Obj: at, Val: g.val(), Src: -1})...)
			}
		case 1:
			if g.p.Vars > 0 {
				body = append(body, g.read()...)
			}
		case 2:
			if len(g.p.Chans) > 0 {
				at := g.chanOf()
				body = append(body, g.one(&Stmt{Op: Recv, Obj: at, Reg: g.reg()})...)
				then = append(then, g.one(&Stmt{Op: Close, Obj: at})...)
			}
		case 3:
			if g.p.RWs > 0 {
				body = append(body, &Stmt{Op: RLock}, &Stmt{Op: RUnlock})
			}
		case 4:
			if g.p.Groups > 0 {
				body = append(body, &Stmt{Op: Done})
			}
		case 5:
			if g.p.Groups > 0 {
				body = append(body, &Stmt{Op: Join})
			}
		}
	}
	if g.p.Atomics > 0 {
		body = append(body, g.one(&Stmt{Op: Add, Obj: g.r.IntN(g.p.Atomics), Val: 1, Reg: 1})...)
	}
	if g.oneIn(3) {
		then = nil
	}
	return body, then
}

// main returns the body of main: it starts most of the goroutines, then has a block of its own.
func (g *generator) main() []*Stmt {
	var body []*Stmt
	if g.p.Groups > 0 && !g.oneIn(4) {
		body = append(body, &Stmt{Op: GroupAdd, Val: 1 + g.r.IntN(2)})
	}
	for g.goroutines > 0 && g.left > 0 {
		body = append(body, g.start()...)
		if g.oneIn(4) && g.left > 0 {
			body = append(body, g.statement()...)
		}
	}
	for g.left > 0 {
		body = append(body, g.statement()...)
		if g.oneIn(3) {
			break
		}
	}
	return body
}

// joins returns the body of main for Size.Joins: one or two rounds, each of workers that main waits
// for.
func (g *generator) joins() []*Stmt {
	g.goroutines = max(g.goroutines, 2)
	var body []*Stmt
	for round := 0; round == 0 || round == 1 && g.goroutines > 0 && g.oneIn(3); round++ {
		workers := g.goroutines
		if workers > 2 {
			workers = 2 + g.r.IntN(workers-1)
		}
		at := len(body)
		body = append(body, &Stmt{Op: GroupAdd, Val: workers})
		for range workers {
			body = append(body, g.worker())
		}
		if g.goroutines > 0 && g.oneIn(4) { // another goroutine that waits
			g.goroutines--
			body = append(body, &Stmt{Op: Go, Body: append(g.one(&Stmt{Op: Join}), g.block(2)...)})
		}
		if g.left > 0 && g.oneIn(3) {
			body = append(body, g.statement()...)
		}
		body = append(body, &Stmt{Op: Join})
		if g.oneIn(4) { // an Add for each worker
			body = g.apart(body, at)
		}
		if g.oneIn(2) && g.p.Vars > 0 {
			body = append(body, g.read()...)
			body = append(body, g.branch()...)
		}
	}
	for n := 1 + g.r.IntN(3); g.left > 0 && n > 0; n-- {
		body = append(body, g.statement()...)
	}
	return body
}

// worker returns a go statement whose goroutine calls Done, nearly always at its end.
func (g *generator) worker() *Stmt {
	g.goroutines--
	body := g.block(3)
	for len(body) == 0 && g.left > 0 {
		body = g.statement()
	}
	done := &Stmt{Op: Done}
	if g.oneIn(8) {
		body = append([]*Stmt{done}, body...)
	} else {
		body = append(body, done)
	}
	return &Stmt{Op: Go, Body: body}
}

// apart makes the Add at index at of a body one Add for each worker that follows it.
func (g *generator) apart(body []*Stmt, at int) []*Stmt {
	n, rest := body[at].Val, slices.Clone(body[at+1:])
	body = body[:at]
	for _, s := range rest {
		if s.Op == Go && n > 0 {
			body = append(body, &Stmt{Op: GroupAdd, Val: 1})
			n--
		}
		body = append(body, s)
	}
	return body
}
