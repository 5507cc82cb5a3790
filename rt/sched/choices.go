package sched

import (
	"unsafe"

	"heddle/rt/hook"
	"heddle/rt/splitmix"
	"heddle/trace"
)

// Randomness under control: the same choices give the same execution. Seeds
// differ from one execution to the next.

// draws are the random values of an execution.
type draws struct {
	seed uint64
	n    int // draws that were choices
	lost int // packets
}

func (d *draws) reset(seed uint64) { *d = draws{seed: seed*0x9e3779b97f4a7c15 + 0x1234567} }

// hookRand returns a number from a wide range. Each goroutine has numbers of its own, by its name:
// what it draws does not depend on what others have drawn before.
func (s *Sched) hookRand() uint64 {
	s.twinDraws()
	hook.Remembers() // how many it has drawn
	return s.drawn()
}

// drawn returns the next number of the running goroutine.
func (s *Sched) drawn() uint64 {
	g := s.cur
	if !g.draws {
		seed := s.draws.seed
		for id := g.id; s.t.Goroutines[id].Parent != trace.NoG; id = s.t.Goroutines[id].Parent {
			seed = splitmix.Mix(seed ^ uint64(s.t.Goroutines[id].N)<<32)
		}
		g.draws, g.rng = true, splitmix.Stream(seed)
	}
	return g.rng.Next()
}

// drawnChoices is how many draws of an execution are choices. Of many a program expects what many
// draws come to, such as that every value is among them, and a policy that always takes the first
// of two would show what never happens.
const drawnChoices = 32

// draw is a choice among n values, explored like any other; after drawnChoices of them it comes
// from the generator.
func (s *Sched) draw(n int, pc uintptr) int {
	g := s.enter()
	if s.inert() {
		s.leave()
		return 0
	}
	site := s.place(trace.PCSite(pc))
	c := 0
	if site.Quiet() || s.draws.n == drawnChoices {
		c = int(s.drawn() % uint64(n))
		if !site.Quiet() && len(s.gs) > 2 {
			s.notSeen(trace.Unseen{Code: trace.UnseenDraw, Site: site})
		}
	} else {
		s.draws.n++
		c = s.choice(n)
		if s.over {
			s.reschedule(g)
		}
	}
	s.event(g, trace.OpChoose, nil, int64(c), site)
	s.leave()
	return c
}

// sortedRanges is how many maps a goroutine goes over in the order of their keys, where the seed is
// 0. From then on it begins each time with another key: a loop may go on until the key that it
// looks for comes first, and Go has another order each time.
const sortedRanges = 1024

// mapOrder returns the order in which a map's keys are visited: sorted, and
// shuffled by the execution's seed (0: sorted, see sortedRanges). Keys that have no order of
// their own are taken by identity (which goroutine made them, when); keys without
// identity keep the native order, which is not under control.
func (s *Sched) mapOrder(keys []any) []int {
	g := s.enter()
	order := make([]int, len(keys))
	for i := range order {
		order[i] = i
	}
	ks := make([]sortKey, len(keys))
	known := true
	for i, k := range keys {
		ks[i] = keyOf(k)
		ks[i].typ = *(*uintptr)(unsafe.Pointer(&keys[i])) // descriptors of types stay where they are
		if ks[i].class == classPointer {
			ks[i].num, ks[i].sub = s.Identity(uintptr(ks[i].num))
		}
		known = known && ks[i].class != classUnknown
	}
	if known {
		byKeys(order, make([]int, len(order)/2), ks)
	}
	if s.opt.Schedule != nil && s.opt.Schedule.Seed != 0 && !s.ending.on {
		s.twinDraws()
		for i := len(order) - 1; i > 0; i-- {
			j := int(s.drawn() % uint64(i+1))
			order[i], order[j] = order[j], order[i]
		}
	} else if g.ranges++; g.ranges > sortedRanges {
		at := int(g.ranges) % len(order)
		order = append(order[at:], order[:at]...)
	}
	s.leave()
	return order
}

// byKeys sorts indices by their keys, stably. space has half their number. Package slices would
// tell of each access: it is rewritten, and its functions for a type are the program's too.
func byKeys(order, space []int, ks []sortKey) {
	if len(order) < 2 {
		return
	}
	half := len(order) / 2
	byKeys(order[:half], space, ks)
	byKeys(order[half:], space, ks)
	left, right := space[:copy(space, order[:half])], order[half:]
	for i := 0; len(left) > 0; i++ {
		if len(right) > 0 && ks[right[0]].less(&ks[left[0]]) {
			order[i], right = right[0], right[1:]
		} else {
			order[i], left = left[0], left[1:]
		}
	}
}

// Identity returns what gives a pointer its place among others, whatever the address: the goroutine
// that allocated it, the number of that allocation, and the offset. What is older than the
// execution, which keeps its address from one execution to the next, comes after these.
func (s *Sched) Identity(p uintptr) (num, sub uint64) {
	if !s.ending.on {
		if a, off, ok := s.allocs.Find(p); ok {
			s.twinTold(a.G)
			return uint64(a.G)<<32 | uint64(a.N), uint64(off)
		}
	}
	return 1<<63 | uint64(p), 0
}

type keyClass uint8

const (
	classUnknown keyClass = iota
	classNumber
	classFloat
	classString
	classPointer
	classNil // of interface type
)

type sortKey struct {
	class keyClass
	num   uint64
	sub   uint64
	str   string
	flt   float64
	typ   uintptr // its type, where keys of several types have one number or text
}

func (a *sortKey) less(b *sortKey) bool {
	if a.class != b.class {
		return a.class < b.class
	}
	switch {
	case a.class == classFloat && a.flt != b.flt:
		return a.flt < b.flt
	case a.class == classString && a.str != b.str:
		return a.str < b.str
	case a.num != b.num:
		return a.num < b.num
	case a.sub != b.sub:
		return a.sub < b.sub
	}
	return a.typ < b.typ
}

// KeyOf is set by rt/drive for kinds that need reflection (named types, structs, pointers).
var KeyOf func(k any) (class uint8, num uint64, str string, flt float64)

func keyOf(k any) sortKey {
	const sign = 1 << 63
	switch k := k.(type) {
	case nil:
		return sortKey{class: classNil}
	case string:
		return sortKey{class: classString, str: k}
	case int:
		return sortKey{class: classNumber, num: uint64(k) ^ sign}
	case int64:
		return sortKey{class: classNumber, num: uint64(k) ^ sign}
	case int32:
		return sortKey{class: classNumber, num: uint64(k) ^ sign}
	case uint64:
		return sortKey{class: classNumber, num: k}
	case uint32:
		return sortKey{class: classNumber, num: uint64(k)}
	case uint8:
		return sortKey{class: classNumber, num: uint64(k)}
	case bool:
		if k {
			return sortKey{class: classNumber, num: 1}
		}
		return sortKey{class: classNumber}
	case float64:
		return sortKey{class: classFloat, flt: k}
	}
	if KeyOf != nil {
		c, n, str, f := KeyOf(k)
		return sortKey{class: keyClass(c), num: n, str: str, flt: f}
	}
	return sortKey{}
}

// idle waits until every other goroutine is blocked; time does not advance (testing/synctest's
// Wait).
func (s *Sched) idleWait(pc uintptr) {
	g := s.enter()
	if s.inert() {
		s.leave()
		return
	}
	site := trace.PCSite(pc)
	s.announce(g, trace.OpIdle, nil, site)
	for wait := s.idleStep(g) || s.sameDue(); (wait || s.ready.Len() > 1) && !s.over; wait = false {
		s.unready(g, gIdle)
		s.reschedule(g)
	}
	s.event(g, trace.OpIdle, nil, int64(s.notEnded()), site)
	s.offers.era++
	// What the others did until they blocked happened before (testing/synctest, Wait).
	for _, h := range s.gs {
		if h != g && s.det.on {
			if g.learn(&h.clock); h.state() != gDone { // its entry may be another one's by now
				s.tick(h)
			}
		}
	}
	s.leave()
}

// inBubble begins a bubble with the running goroutine, or ends it.
func (s *Sched) inBubble(begins bool) { s.cur.bubble, hook.Frozen = begins, begins }

// bubbled returns how many goroutines of a bubble have not ended, beside the running one.
func (s *Sched) bubbled() (n int) {
	for _, g := range s.gs {
		if g != s.cur && g.bubble && g.state() != gDone {
			n++
		}
	}
	return n
}

// idleStep reports whether g's wait for all others is a step where all are blocked already. It is
// in exhaustive executions, so that they agree on the steps of g whatever the others did before;
// but not in one of a clip from when it was none.
func (s *Sched) idleStep(g *G) bool {
	if !s.exhaustive() {
		return false
	}
	if s.replay.over() {
		return true
	}
	want := s.replay.wanted(&s.t.Trace)
	return want.G == g.id && fits(want.Op, trace.OpIdle)
}

// install fills the function variables of rt/hook.
func install() {
	if hook.Alloc != nil {
		return
	}
	s := S
	hook.Alloc, hook.Note = s.alloc, s.note // Read and Write: see heed
	hook.GoStmt, hook.Yield, hook.NumGo, hook.Foreign = s.goStmt, s.gosched, s.numGoroutine, s.foreign
	hook.ExitProcess = s.exit
	hook.Outside, hook.Native, hook.File, hook.Use = s.waitOutside, s.nativeIO, s.file, s.useConn
	hook.LendMemory = s.lend
	hook.TextMade = s.textMade
	hook.UseState, hook.UseFileState, hook.StateNamed, hook.BlindCall = s.state, s.fileState,
		s.stateNamed, s.blindCall
	hook.CrowdedSocket = s.crowdedSocket
	hook.Receiver, hook.ReceiverAny, hook.ReceiverReads, hook.HoldReceiver, hook.FireReceiver = receiver,
		receiverAny, receiverReads, hold, fire
	hook.ChanOp, hook.ChanPolled = chanOp, s.chanPolled
	hook.ChanClose, hook.ChanLen, hook.ChanSelect = s.chanClose, s.chanLen, s.chanSelect
	hook.MutexLock, hook.MutexTryLock, hook.MutexUnlock = mutexLock, s.mutexTryLock, mutexUnlock
	hook.RWLock, hook.RWTryLock, hook.RWUnlock = s.rwLock, s.rwTryLock, s.rwUnlock
	hook.RWRLock, hook.RWTryRLock, hook.RWRUnlock = s.rwRLock, s.rwTryRLock, s.rwRUnlock
	hook.CondAdd, hook.CondBlock, hook.CondSignal = s.condAdd, s.condBlock, s.condSignal
	hook.WGAdd, hook.WGWait = wgAdd, s.wgWait
	hook.OnceDo, hook.OnceDone = s.onceDo, s.onceDone
	hook.Model, hook.ModelEnd, hook.ModelPark, hook.ModelWake, hook.ModelSelf = s.model, s.modelEnd,
		s.modelPark, s.modelWake, s.modelSelf
	hook.SemAcquire, hook.SemRelease = s.semAcquire, s.semRelease
	hook.Operate, hook.Lose = s.operate, s.lose
	hook.MapOp, hook.PoolGet, hook.PoolPut = s.mapOp, s.poolGet, s.poolPut
	hook.AtomicBegin, hook.AtomicEnd, hook.AtomicCompared = atomicBegin, s.atomicEnd, atomicCompared
	hook.Update, hook.AtomicUpdated, hook.AtomicUnused = s.update, s.atomicUpdated, s.atomicUnused
	hook.MapEntry, hook.MapKey, hook.MapLength = s.mapEntry, s.mapKey, s.mapLength
	hook.Now, hook.Sleep = s.vnow, s.sleep
	hook.TimerStart, hook.TimerStop, hook.TimerReset = s.timerStart, s.timerStop, s.timerReset
	hook.Rand, hook.Draw, hook.MapOrder = s.hookRand, s.draw, s.mapOrder
	hook.Idle, hook.Bubble, hook.Bubbled = s.idleWait, s.inBubble, s.bubbled
	hook.LoopStart, hook.LoopLeft, hook.Spoils = s.loop, s.leftLoop, s.spoils
	hook.LoopHead = s.head
	hook.Asks = s.asks
	hook.Stacks, hook.CallersBelow = s.stackText, s.callersBelow
}
