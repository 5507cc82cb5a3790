package sched

import (
	"runtime"
	"strconv"
	"unsafe"

	"heddle/detect"
	"heddle/rt/hook"
	"heddle/rt/wire"
	"heddle/trace"
	"heddle/trace/remains"
)

// Plain memory. An access is checked for races; at a visible site it is also
// announced, as a scheduling point.

// here reports whether the caller of a hook is the goroutine under test that runs.
func (s *Sched) here() bool { return hook.Cur == getg() }

// onStack reports whether p is on the running goroutine's own stack: not
// shared, and its address is used again by later goroutines. The bounds are
// asked for every time, since a stack that grows moves.
func onStack(p unsafe.Pointer) bool {
	lo, hi := stackBounds()
	return uintptr(p) >= lo && uintptr(p) < hi
}

// access is told of an access that was counted.
func (s *Sched) access(p unsafe.Pointer, n uintptr, site trace.Site, op trace.Op) {
	if s.ending.on {
		s.inert()
		return
	}
	g := s.cur
	if len(g.loans) > 0 && op == trace.OpWrite {
		g.recall()
	}
	if s.twins.on {
		s.twinAccess(g, uintptr(p), n, op == trace.OpWrite)
	}
	keep := s.det.on
	if s.opt.Visible != VisibleSync && g != s.timerG && !site.Quiet() && s.sites.point(s.opt.Visible, site) {
		s.enter()
		s.visibleAccess(g, p, n, site, op)
		s.leave()
		keep = false
	} else if s.opt.Record {
		s.enter()
		if s.sites.watched.Has(site) {
			s.noteAccess(g, site)
			s.recordAccess(g, p, n, site, op)
		} else if s.opt.Plain {
			s.notePlain(g, uintptr(p), n, site, op == trace.OpWrite)
		}
		s.leave()
		keep = false
	} else if s.opt.Plain {
		s.notePlain(g, uintptr(p), n, site, op == trace.OpWrite)
	}
	if !s.det.on {
		return
	}
	g.touched = g.now.C()
	s.detects(g, uintptr(p), n)
	var r *detect.Race
	if op == trace.OpWrite {
		r = s.det.shadow.Write(g.chain, &g.clock, uintptr(p), n, site)
		g.idle, g.nows = 0, 0
	} else {
		r = s.det.shadow.Read(g.chain, &g.clock, uintptr(p), n, site)
	}
	if r != nil {
		s.racedHere()
	}
	recents := &hook.RecentReads
	if op == trace.OpWrite {
		recents = &hook.RecentWrites
	}
	if keep {
		s.keep(recents, uintptr(p), n, hook.Site(site), op == trace.OpWrite)
	}
}

// detects is called before an access of g is told to the race detector, which g has noted in
// touched. It is inlined.
func (s *Sched) detects(g *G, p, n uintptr) {
	if s.det.untilSolo--; s.det.untilSolo == 0 || s.det.lent.some {
		s.seldom(g, p, n)
	}
}

// seldom is the part of detects that most accesses do not need.
func (s *Sched) seldom(g *G, p, n uintptr) {
	if s.det.lent.some {
		s.det.meetsLent(g, &s.findings, p, n)
	}
	if s.det.untilSolo == 0 {
		s.maybeSolo()
	}
}

// racedHere is raced in a hook.
func (s *Sched) racedHere() {
	hook.Cur = 0
	s.raced()
	s.leave()
}

func (s *Sched) visibleAccess(g *G, p unsafe.Pointer, n uintptr, site trace.Site, op trace.Op) {
	s.changing.site = 0 // other goroutines come first
	o, _ := s.object(p, trace.ObjMemory, site)
	s.point(g, op, o, site)
	if s.opt.Record && s.sites.watched.Has(site) {
		s.noteAccess(g, site)
	}
	s.recordAccess(g, p, n, site, op)
	if op == trace.OpRead {
		s.looksAt(g, o)
		s.idleRead(g, o)
	}
}

// notePlain records an access that is no step, once a step.
func (s *Sched) notePlain(g *G, p, n uintptr, site trace.Site, write bool) {
	if lo, hi := stackBounds(); p >= lo && p < hi {
		if write {
			g.heads.wrote(hi - p)
		}
		return
	}
	if write && len(s.texts.made) > 0 {
		s.textWritten(p, n)
	}
	if g == s.timerG || site.Quiet() && !s.opt.Hushed || len(s.t.Plain) == trace.MostPlain {
		return
	}
	a := trace.Plain{G: g.id, Step: int32(len(s.t.Steps)) - 1, Write: write, Size: uint32(n), Site: site,
		Mem: trace.Object{Kind: trace.ObjMemory, Addr: p, G: trace.NoG}}
	a.After, a.Made = int32(len(s.t.Events)), g.heads.madeBefore(g, len(s.t.Steps))
	if s.changing.site == site {
		s.noteUpdate(&a)
		return
	}
	first := max(s.lastHead(), len(s.t.Plain)-8)
	for i := len(s.t.Plain) - 1; i >= first && s.t.Plain[i].Step == a.Step; i-- {
		b := &s.t.Plain[i]
		if *b == a {
			return
		}
		if write && b.Write && b.Mem.Addr < p+n && p < b.Mem.Addr+uintptr(b.Size) {
			break // it is known what b left: a comes after it
		}
	}
	s.t.Plain = append(s.t.Plain, a)
	hook.Unsettled = true
}

// noteValues fills in what was written since it was called last. No other goroutine has come
// between. Memory that Go does not look after may be gone.
func (s *Sched) noteValues() {
	for ; s.valued < len(s.t.Plain); s.valued++ {
		if a := &s.t.Plain[s.valued]; a.Write && a.Size <= 8 && !a.Site.Quiet() && a.Key == 0 {
			switch a.Site.Kind() {
			case trace.KindInt, trace.KindUint, trace.KindFloat, trace.KindBool:
				if !goMemory(a.Mem.Addr) {
					continue
				}
				a.Valued, a.Value = true, bitsAt(address(a.Mem.Addr), uintptr(a.Size))
			}
		}
	}
}

// recordAccess makes an event of an access, with the value read or written when values are
// recorded.
func (s *Sched) recordAccess(g *G, p unsafe.Pointer, n uintptr, site trace.Site, op trace.Op) {
	o, _ := s.object(p, trace.ObjMemory, site)
	ev := s.event(g, op, o, int64(n), site)
	if s.opt.Record || s.opt.Values {
		s.lazy = lazyValue{p, n, site.Kind(), ev}
		hook.Unsettled = true
	}
}

// Races is a set of data races by their places and what they do there.
type Races map[raceKey]bool

type raceKey struct {
	at, prev                               trace.Site
	write, prevWrite, atomic, beforeAtomic bool
}

func raceKeyOf(r *detect.Race) raceKey {
	return raceKey{r.At, r.Prev, r.Write, r.PrevWrite, r.Atomic, r.PrevAtomic}
}

// Add adds a data race.
func (rs Races) Add(r *remains.Race) { rs[raceKeyOf(&r.Race)] = true }

// maxRaces bounds the races of one execution.
const maxRaces = 100

// raced keeps the races of the access just made.
func (s *Sched) raced() {
	if gc := numgc(); gc != s.det.gc {
		// Memory may have been used again since the earlier access: start afresh.
		s.det.afresh(gc)
		s.notSeenHere(trace.UnseenCollected)
		return
	}
	for _, r := range s.det.shadow.Races() {
		if !goMemory(r.Addr) { // it may have been freed, and given out again, since the earlier access
			s.notSeenHere(trace.UnseenForeign)
			continue
		}
		if len(s.races) >= maxRaces {
			return
		}
		k := remains.Race{Race: r, G: s.cur.id, PrevG: s.det.chains.of(r.PrevEpoch), Step: len(s.t.Steps),
			Known: s.opt.Known[raceKeyOf(&r)]}
		if !k.Known {
			prev := s.det.accessed[accessor{k.PrevG, r.Prev.Plain()}]
			k.Stack, k.PrevStack, k.PrevStep = callers(3), prev.stack, prev.steps
		}
		s.races = append(s.races, k)
		s.pause(wire.PauseRace)
	}
}

// notSeenHere notes what is not known of the access just made.
func (s *Sched) notSeenHere(code trace.UnseenCode) {
	u := trace.Unseen{Code: code}
	for _, pc := range callers(3) { // heddle's own functions come first
		const own = "heddlert/"
		if f := runtime.FuncForPC(pc - 1); f != nil &&
			(len(f.Name()) < len(own) || f.Name()[:len(own)] != own) {
			u.Site = trace.PCSite(pc)
			break
		}
	}
	s.notSeen(u)
}

// wgMisuse reports that g adds to a WaitGroup in no order with a Wait of waiter's.
func (s *Sched) wgMisuse(g *G, o *object, waiter trace.GID, site trace.Site) {
	prev := trace.Site(0)
	for i := len(s.t.Events) - 1; i >= 0; i-- {
		if ev := &s.t.Events[i]; ev.G == waiter && ev.Op == trace.OpWGWait && ev.Obj == o.id {
			prev = ev.Site
			break
		}
	}
	if prev == 0 && s.gs[waiter].at == o {
		prev = s.pend[waiter].Site
	}
	s.disordered(remains.MisuseWait, g, o, site, prev, waiter, false)
}

// disorder reports that what g does at site is in no order with what another goroutine did before.
func (s *Sched) disorder(what remains.Misuse, g *G, o *object, site trace.Site, before marked,
	prevWrite bool) {
	s.disordered(what, g, o, site, before.site, s.det.chains.of(before.epoch), prevWrite)
}

func (s *Sched) disordered(what remains.Misuse, g *G, o *object, site, prev trace.Site, prevG trace.GID,
	prevWrite bool) {
	for i := range s.races {
		if s.races[i].Misuse == what && s.races[i].Addr == o.addr {
			return
		}
	}
	s.races = append(s.races, remains.Race{
		Race: detect.Race{Addr: o.addr, At: site, Prev: prev, PrevWrite: prevWrite}, G: g.id, PrevG: prevG,
		Stack: callers(4), Step: len(s.t.Steps), Misuse: what,
	})
	s.pause(wire.PauseRace)
}

// formatBytes prints the value of kind at p.
func formatBytes(p unsafe.Pointer, n uintptr, kind trace.Kind) (string, bool) {
	switch kind {
	case trace.KindInt:
		switch n {
		case 1:
			return strconv.FormatInt(int64(*(*int8)(p)), 10), true
		case 2:
			return strconv.FormatInt(int64(*(*int16)(p)), 10), true
		case 4:
			return strconv.FormatInt(int64(*(*int32)(p)), 10), true
		case 8:
			return strconv.FormatInt(*(*int64)(p), 10), true
		}
	case trace.KindUint:
		switch n {
		case 1:
			return strconv.FormatUint(uint64(*(*uint8)(p)), 10), true
		case 2:
			return strconv.FormatUint(uint64(*(*uint16)(p)), 10), true
		case 4:
			return strconv.FormatUint(uint64(*(*uint32)(p)), 10), true
		case 8:
			return strconv.FormatUint(*(*uint64)(p), 10), true
		}
	case trace.KindFloat:
		if n == 4 {
			return strconv.FormatFloat(float64(*(*float32)(p)), 'g', -1, 32), true
		}
		if n == 8 {
			return strconv.FormatFloat(*(*float64)(p), 'g', -1, 64), true
		}
	case trace.KindBool:
		if n == 1 {
			return strconv.FormatBool(*(*uint8)(p) != 0), true
		}
	case trace.KindString:
		if n == 2*unsafe.Sizeof(n) {
			return clip(strconv.Quote(*(*string)(p))), true
		}
	case trace.KindPointer, trace.KindIface:
		if n > 2*unsafe.Sizeof(n) || n > unsafe.Sizeof(n) && kind == trace.KindPointer {
			break // several elements of a slice
		}
		if *(*uintptr)(p) == 0 {
			return "nil", true
		}
		return "non-nil", true
	case trace.KindSlice:
		if n != 3*unsafe.Sizeof(n) {
			break
		}
		return "len " + strconv.Itoa((*(*[2]int)(p))[1]), true
	}
	return "", false
}

func formatBits(bits uint64) string { return strconv.FormatInt(int64(bits), 10) }

func clip(s string) string {
	if len(s) > 40 {
		return s[:37] + "..."
	}
	return s
}
