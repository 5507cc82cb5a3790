package engine

import (
	"math"

	"heddle/explore"
	"heddle/explore/transition"
	"heddle/rt/wire"
	"heddle/trace"
)

// newPart returns the strategy of a worker; known is what objects are known to have operations
// that depend on each other.
func (e *exploration) newPart(known []trace.Identity) explore.Part {
	s := e.startOf(e.splitting())
	s.Expired = e.overdue
	p := e.splitting().Resume(s)
	p.Prepare(e.places(), known)
	return p
}

// splitting returns the unit whose search can be split: that of the exploration, or the one that
// it covers everything by.
func (e *exploration) splitting() *explore.Unit {
	if e.unit.Resume != nil {
		return e.unit
	}
	return explore.Cover()
}

// partOf returns s as what can be split; nil if it cannot be: it has no parts, is over, or would
// have to tell of objects that have no name that other processes know.
func (e *exploration) partOf(s explore.Strategy) explore.Part {
	x, ok := s.(explore.Splitting)
	if !ok {
		return nil
	}
	p := x.Part()
	if p == nil {
		return nil
	}
	p.Table().Between(e.places())
	if !p.Table().Nameable() {
		return nil
	}
	return p
}

// piecesOf returns pieces of a search as they are handed out.
func piecesOf(ps []explore.Piece) (pieces []wire.Piece) {
	for _, p := range ps {
		pieces = append(pieces, wire.Piece{Data: p.Data, Size: min(p.Size, math.MaxFloat64)})
	}
	return pieces
}

// places returns the names by which this process and others agree on older objects.
func (e *exploration) places() transition.Places {
	if e.here != nil {
		return e.here.Places()
	}
	return sameNames{}
}

// sameNames takes addresses for names: the objects of what a Crew executes bear names in their
// place (see nameOld).
type sameNames struct{}

func (sameNames) Name(addr uintptr) (uint64, bool) { return uint64(addr), true }
func (sameNames) Addr(name uint64) (uintptr, bool) { return uintptr(name), true }
