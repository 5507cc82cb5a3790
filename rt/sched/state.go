package sched

import (
	"unsafe"

	"heddle/rt/sched/filenames"
	"heddle/trace"
)

// State of the standard library that the program sees (package states): objects that are loaded and
// stored, as files are.

// process stands for state of the whole process, by a hash of its name.
var process [64]byte

// state is hook.UseState. What stands for the state may be an object itself, or begin with one: the
// state is one byte further on.
func (s *Sched) state(p unsafe.Pointer, write bool) {
	g := s.enter()
	if site, ok := s.pcs.statePlace(); ok {
		s.useState(g, unsafe.Add(p, 1), write, site)
	}
	s.leave()
}

// fileState is hook.UseFileState. Where g has just announced that it uses the file this is part of
// the same step: both come before what it does.
func (s *Sched) fileState(p unsafe.Pointer, write bool) {
	g := s.enter()
	if site, ok := s.pcs.filePlace(); ok {
		s.useStateIn(g.filed == len(s.t.Steps), g, unsafe.Add(p, 1), write, site)
	}
	s.leave()
}

func (s *Sched) stateNamed(name string, write bool) {
	s.state(processState(name), write)
}

// processState returns what stands for state of the whole process.
func processState(name string) unsafe.Pointer {
	return unsafe.Pointer(&process[filenames.Hash(name)%uint64(len(process)-1)])
}

// useState is an operation on the state at p.
func (s *Sched) useState(g *G, p unsafe.Pointer, write bool, site trace.Site) {
	s.useStateIn(false, g, p, write, site)
}

// useStateIn is useState; step: in the step that g makes.
func (s *Sched) useStateIn(step bool, g *G, p unsafe.Pointer, write bool, site trace.Site) {
	if s.inert() {
		return
	}
	o, _ := s.object(p, trace.ObjMap, site)
	op := trace.OpMapLoad
	if write {
		op = trace.OpMapStore
	}
	if !step {
		s.point(g, op, o, site)
	}
	s.event(g, op, o, 0, site)
	if !s.loosely(g) {
		s.acquire(g, &o.clock)
	}
	if write {
		s.release(g, &o.clock)
	}
}

// statePlace is where the program uses state: the first frame that is its own or, without one, the
// outermost. ok is false where a function uses it that another one calls, which has announced all
// that it uses.
func (t *pcTable) statePlace() (site trace.Site, ok bool) {
	first := true
	for pc, in := range t.frames {
		site = trace.PCSite(pc)
		if !in.std {
			break
		}
		if in.whole && !first {
			return 0, false
		}
		first = false
	}
	return site, true
}

// blindCall is hook.BlindCall. Of a goroutine that no other was started beside, nothing is missed.
func (s *Sched) blindCall(fn string, pc uintptr) {
	g := s.enter()
	if !s.ending.on && len(s.gs) > 2 && g != s.timerG {
		s.notSeen(trace.Unseen{Code: trace.UnseenState, What: fn, Site: trace.PCSite(pc)})
	}
	s.leave()
}

// crowdedSocket is hook.CrowdedSocket.
func (s *Sched) crowdedSocket(pc uintptr) {
	s.enter()
	if !s.ending.on {
		s.notSeen(trace.Unseen{Code: trace.UnseenRoom, Site: trace.PCSite(pc)})
	}
	s.leave()
}
