package sched

import (
	"unsafe"

	"heddle/rt/flow"
	"heddle/rt/hook"
	"heddle/trace"
)

// Data flow of values: package flow keeps the labels, this file tells it which
// event gave which value, and what code does that is rewritten for hooks only.

// gives lists the operations that give the goroutine a value.
var gives = [trace.OpMax]bool{
	trace.OpRead: true, trace.OpAtomicLoad: true, trace.OpAtomicRMW: true,
	trace.OpRecv: true, trace.OpLen: true, trace.OpSelect: true,
	trace.OpTryLock: true, trace.OpTryRLock: true, trace.OpOnce: true,
	trace.OpMapLoad: true, trace.OpMapStore: true, trace.OpMapRange: true, trace.OpPoolGet: true,
	trace.OpNow: true, trace.OpChoose: true, trace.OpTimerStop: true,
}

// caches lists those that the standard library does for itself: what its caches
// hold is a function of what was asked for.
var caches = [trace.OpMax]bool{
	trace.OpAtomicLoad: true, trace.OpAtomicRMW: true, trace.OpTryLock: true, trace.OpTryRLock: true,
	trace.OpOnce:    true,
	trace.OpMapLoad: true, trace.OpMapStore: true, trace.OpMapRange: true, trace.OpPoolGet: true,
}

// resetFlow begins an execution with or without data flow.
func (s *Sched) resetFlow() {
	s.t.Flow = nil
	flow.On, flow.Exprs, flow.Few, hook.Each = s.opt.Flow, s.opt.Exprs, s.opt.Few, s.opt.Flow
	hook.MapLook, hook.MapGive, hook.MapTake = nil, nil, nil
	if s.opt.Flow && s.opt.Exprs {
		hook.MapLook, hook.MapGive, hook.MapTake = s.mapLook, mapGive, flow.SyncTake
	}
	if !s.opt.Flow {
		return
	}
	flow.Reset()
	s.t.Flow = &flow.F
	flow.Running = func() *flow.G { return &s.cur.flow }
	flow.Access = s.flowAccess
	flow.Stack = stackBounds
	flow.Branched, flow.Reachable, flow.Pairs = s.branched, walk, pairs
	flow.Refers, flow.Unshare = refers, unshare
	flow.Sender, flow.Encode = s.t.sender, encode
	hook.Read, hook.Write = s.readForeign, s.writeForeign
}

// noteFlow notes what event i of g depends on, and which value it gave.
func (s *Sched) noteFlow(g *G, op trace.Op, arg int64, i int32) {
	flow.F.Of = append(flow.F.Of, g.flow.Amb)
	if flow.Exprs { // what a read gives is known by its address, what a receive does by the send
		if op == trace.OpSend {
			flow.F.Of[i] = g.flow.Sends(g.sends)
			flow.NoteSent(flow.F.Of[i])
		}
		if gives[op] || op == trace.OpWrite {
			g.flow.Event = i
		}
		return
	}
	switch {
	case op == trace.OpSelect && arg == CaseSeen, g.quiet && caches[op]:
	case gives[op]:
		g.flow.Leaf = flow.Leaf(i)
		g.flow.Amb = flow.U(g.flow.Amb, g.flow.Leaf)
		g.flow.Event = i
	case op == trace.OpWrite:
		g.flow.Event = i
	}
}

// sender returns the send that event i received from, -1 for none.
func (t *recorder) sender(i int32) int32 {
	if e := &t.Events[i]; e.Op == trace.OpRecv && e.Partner >= 0 &&
		t.Events[e.Partner].Op == trace.OpSend {
		return e.Partner
	}
	return -1
}

func (s *Sched) flowAccess(p unsafe.Pointer, n uintptr, site hook.Site, isWrite bool) {
	if isWrite {
		write(p, n, site)
	} else {
		read(p, n, site)
	}
}

// readForeign and writeForeign are the hooks of code that is not rewritten for data flow.
func (s *Sched) readForeign(p unsafe.Pointer, n uintptr, site hook.Site) {
	read(p, n, site)
	if s.here() && !s.ending.on {
		flow.ForeignRead(p, n)
	}
}

func (s *Sched) writeForeign(p unsafe.Pointer, n uintptr, site hook.Site) {
	if !s.here() || s.ending.on {
		write(p, n, site)
		return
	}
	g := s.cur
	was := g.flow.Amb
	g.flow.Amb = flow.Ambient() // the arguments may still wait to be taken
	write(p, n, site)
	flow.ForeignWrite(p, n)
	g.flow.Amb = was
}

// mapLook tells package flow of an operation on a sync.Map.
func (s *Sched) mapLook(m unsafe.Pointer, method uint8, keys []any, key, was, a, b any) {
	if s.ending.on {
		return
	}
	s.leave()
	flow.SyncMap(&flow.MapLook{P: uintptr(m), Method: flow.MapMethod(method), Keys: keys, Key: key,
		Was: was, Vals: [2]any{a, b}})
	hook.Cur = 0
}

func mapGive(m unsafe.Pointer, key any) { flow.SyncGive(uintptr(m), key) }

// branched makes the event of a branch whose condition has the label l.
func (s *Sched) branched(outcome int64, l trace.Label, site hook.Site) {
	if s.ending.on {
		return
	}
	g := s.enter()
	i := s.event(g, trace.OpBranch, nil, outcome, trace.Site(site))
	s.t.Events[i].Quiet = true
	flow.F.Of[i] = l
	s.leave()
}
