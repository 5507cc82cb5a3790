package dpor

import (
	"heddle/explore"
	"heddle/explore/transition"
	"heddle/trace"
)

func init() {
	explore.Register(explore.Unit{
		Name: "dpor", Order: 110, Covers: "interleavings", Ends: true, Whole: true, Seeds: true,
		Compared: true, Cover: true, Free: true,
		Does:    "covers every interleaving: one execution of every class of equivalent ones",
		Paper:   "Abdulla, Aronis, Jonsson, Sagonas: Source Sets, JACM 2017",
		Needs:   explore.Needs{Twins: true},
		Options: []explore.Option{explore.Symmetry},
		Adapt:   func(v explore.Values, n *explore.Needs) { n.Twins = v.On("symmetry") },
		New: func(s explore.Start) explore.Strategy {
			o := options(s)
			o.Twins = s.Options.On("symmetry")
			return New(o)
		},
		Resume: func(s explore.Start) explore.Part {
			return &piece{NewPart(options(s))}
		},
		Tree: func() explore.Tree { return NewTree() },
	})
}

func options(s explore.Start) Options {
	return Options{Expired: s.Expired, Loose: s.Loose, Free: s.Free}
}

// Part implements explore.Splitting.
func (s *Strategy) Part() explore.Part {
	if s.Over() || s.tab.Paired() { // other processes do not know which goroutines are interchangeable
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
