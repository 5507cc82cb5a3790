package dpor

import (
	"heddle/explore"
	"heddle/explore/transition"
	"heddle/trace"
)

func init() {
	explore.Register(explore.Unit{
		Name: "dpor", Order: 110, Covers: "interleavings", Ends: true, Whole: true, Seeds: true,
		Compared: true, Cover: true,
		Does:  "covers every interleaving: one execution of every class of equivalent ones",
		Paper: "Abdulla, Aronis, Jonsson, Sagonas: Source Sets, JACM 2017",
		New:   func(s explore.Start) explore.Strategy { return New(options(s)) },
		Resume: func(s explore.Start) explore.Part {
			return &piece{NewPart(options(s))}
		},
		Tree: func() explore.Tree { return NewTree() },
	})
}

func options(s explore.Start) Options { return Options{Expired: s.Expired, Loose: s.Loose} }

// Part implements explore.Splitting.
func (s *Strategy) Part() explore.Part {
	if s.Over() {
		return nil
	}
	return &piece{s}
}

// A piece is a Strategy as an explore.Part.
type piece struct{ *Strategy }

func (p *piece) Prepare(places transition.Places, known []trace.Identity) {
	p.Table().Between(places)
	p.Table().Know(known)
}

func (p *piece) Again() bool   { return false }
func (p *piece) Wakeups() bool { return true }

func (p *piece) Split(n int) []explore.Piece { return []explore.Piece{{Data: p.Strategy.Split(n)}} }
