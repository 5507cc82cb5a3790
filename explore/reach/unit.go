package reach

import (
	"fmt"
	"slices"
	"strconv"

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
		Needs:    explore.Needs{Guide: true, Twins: true},
		Options: []explore.Option{
			{Name: "pv", Default: "false", Switch: true, Check: explore.IsSwitch,
				Help: "leave out races that a V of a counting semaphore has won"},
			explore.Symmetry,
			{Name: "vouched", Default: "false", Switch: true, Check: explore.IsSwitch,
				Help: "goroutines that one goroutine starts by one go statement, with equal arguments, are interchangeable: you vouch for it"},
			{Name: "ways", Default: "0", Check: isWays,
				Help: "combine at most so many reversed races, where all combinations are too many; 0: no bound"},
			{Name: "one-order", Place: true, Check: explore.IsPlace,
				Help: "FILE:LINE where channels are made whose receivers ignore in which order values come"},
		},
		Adapt: func(v explore.Values, n *explore.Needs) {
			n.Vouched = v.On("vouched")
			n.Twins = n.Vouched || v.On("symmetry")
		},
		New: func(s explore.Start) explore.Strategy {
			o := options(s)
			o.Twins = s.Options.On("symmetry")
			return New(o)
		},
		Resume: func(s explore.Start) explore.Part {
			return &piece{opt: options(s)}
		},
		Arm: &explore.Arm{Order: 1},
	})
}

// isWays checks a value of option ways.
func isWays(s string) error {
	if n, err := strconv.Atoi(s); err != nil || n < 0 {
		return fmt.Errorf("want a number, 0 or more, not %q", s)
	}
	return nil
}

// options returns the options of a strategy. All processes but the first complete variants at
// random, so that their executions differ.
func options(s explore.Start) Options {
	o := Options{PV: s.Options.On("pv"), Symmetry: s.Options.On("vouched"), Expired: s.Expired,
		Loose: s.Loose, Ways: s.Options.Int("ways")}
	if sites := s.Options.Numbers("one-order"); len(sites) > 0 {
		o.OneOrder = func(made trace.Site) bool { return slices.Contains(sites, uint64(made.Plain())) }
	}
	if s.Lane > 0 {
		o.Order, o.Seed = Random, s.Seed
	}
	return o
}

// Part implements explore.Splitting. A search in which witnesses decide what is executed stays in
// one piece: of pieces each would lack the witnesses that others find.
func (s *Strategy) Part() explore.Part {
	if s.decided && !s.paper || s.opt.Ways > 0 || // of a piece it is not known how much was reversed
		s.tab.Paired() { // other processes do not know which goroutines are interchangeable
		return nil
	}
	return &piece{Strategy: s}
}

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
