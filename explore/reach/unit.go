package reach

import (
	"slices"

	"heddle/explore"
	"heddle/explore/transition"
	"heddle/trace"
)

func init() {
	explore.Register(explore.Unit{
		Name: "reach", Order: 120, Covers: "interleavings", Ends: true, Whole: true, Seeds: true,
		Compared: true,
		Does:     "covers every interleaving by reachability testing: every sequence once, none remembered",
		Paper:    "Lei, Carver: Reachability Testing of Concurrent Programs, TSE 2006",
		Needs:    explore.Needs{Guide: true},
		Options: []explore.Option{
			{Name: "pv", Default: "false", Switch: true, Check: explore.IsSwitch,
				Help: "leave out races that a V of a counting semaphore has won"},
			{Name: "symmetry", Default: "false", Switch: true, Check: explore.IsSwitch,
				Help: "goroutines that one goroutine starts by one go statement, with equal arguments, are interchangeable"},
			{Name: "one-order", Place: true, Check: explore.IsPlace,
				Help: "FILE:LINE where channels are made whose receivers ignore in which order values come"},
		},
		Adapt: func(v explore.Values, n *explore.Needs) { n.Twins = v.On("symmetry") },
		New:   func(s explore.Start) explore.Strategy { return New(options(s)) },
		Resume: func(s explore.Start) explore.Part {
			return &piece{opt: options(s)}
		},
		Arm: &explore.Arm{Order: 1},
	})
}

// options returns the options of a strategy. All processes but the first complete variants at
// random, so that their executions differ.
func options(s explore.Start) Options {
	o := Options{PV: s.Options.On("pv"), Symmetry: s.Options.On("symmetry"), Expired: s.Expired,
		Loose: s.Loose}
	if sites := s.Options.Numbers("one-order"); len(sites) > 0 {
		o.OneOrder = func(made trace.Site) bool { return slices.Contains(sites, uint64(made.Plain())) }
	}
	if s.Lane > 0 {
		o.Order, o.Seed = Random, s.Seed
	}
	return o
}

// Part implements explore.Splitting.
func (s *Strategy) Part() explore.Part { return &piece{Strategy: s} }

// A piece is a Strategy as an explore.Part.
type piece struct {
	*Strategy
	opt    Options
	known  []trace.Identity
	places transition.Places
	held   []byte // the piece that it holds in memory, as encoded
}

func (p *piece) Prepare(places transition.Places, known []trace.Identity) {
	p.places, p.known = places, known
	if p.Strategy != nil {
		p.prepare()
	}
}

func (p *piece) prepare() {
	p.Table().Between(p.places)
	p.Table().Know(p.known)
}

func (p *piece) Take(data []byte) error {
	if len(data) > 0 && slices.Equal(p.held, data) {
		return nil
	}
	s, err := Resume(p.opt, data)
	if err == nil {
		p.Strategy = s
		p.prepare()
	}
	return err
}

func (p *piece) Wakeups() bool { return false }

func (p *piece) Split(n int) []explore.Piece {
	p.held = nil
	pieces := p.Strategy.Split(n)
	if len(pieces) > 0 {
		p.held = pieces[0].Data
	}
	return pieces
}
