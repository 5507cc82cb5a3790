package reach

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"heddle/explore"
	"heddle/explore/transition"
	"heddle/internal/progen"
	"heddle/internal/progen/machine"
	"heddle/rt/sched"
	"heddle/trace"
)

// A splitting search is made in pieces by strategies that know nothing of each
// other: each goes on for some executions, and then what is left to it is split.
type splitting struct {
	t     *testing.T
	x     explore.Executor
	r     *rand.Rand
	anew  func() bool // the executor has learnt something, and the search begins anew
	stats Stats
	again int // executions that were made once more
	forms *transition.Forms
	n     int // executions of forms
}

func (p *splitting) explore(opt Options, most, ways int) error {
	known := []trace.Identity(nil)
anew:
	p.stats, p.again, p.n, p.forms = Stats{}, 0, 0, transition.NewForms(transition.NewTable())
	for queue := [][]byte{nil}; len(queue) > 0; {
		k := p.r.IntN(len(queue))
		s, err := Resume(opt, queue[k])
		if err != nil {
			return err
		}
		s.Table().Know(known)
		queue = append(queue[:k], queue[k+1:]...)
		for rounds := p.r.IntN(3) + 1; rounds > 0; rounds-- {
			_, err := explore.Run(context.Background(), s, p.x, 1+p.r.IntN(most),
				func(tr *trace.Trace) { p.see(s, tr) })
			if p.anew != nil && p.anew() {
				goto anew
			}
			if s.Outdated() {
				known = s.Table().Known()
				goto anew
			}
			if err != nil {
				return err
			}
			if r := s.Result(); !r.Reason.None() {
				return error(r.Reason)
			}
			for i, piece := range s.Split(1 + p.r.IntN(ways)) {
				if i > 0 || rounds == 1 {
					queue = append(queue, piece.Data)
				}
			}
		}
		p.stats.Sequences += s.Stats().Sequences
		p.stats.Partial += s.Stats().Partial
	}
	return nil
}

func (p *splitting) see(s *Strategy, tr *trace.Trace) {
	switch {
	case s.Again():
		p.again++
	case tr.Verdict != trace.Aborted:
		p.n++
		p.forms.Add(tr)
	}
}

// However a search is split, and in whatever order the pieces are gone on with,
// every sequence is exercised exactly once.
func TestSplit(t *testing.T) {
	for _, c := range []struct {
		name string
		opt  Options
		want int
		main func()
	}{
		{"fib 2", Options{}, 140, fib(2)},
		{"fib 3", Options{}, 1698, fib(3)},
		{"readers", Options{}, 256, readers(8)},
		{"philosophers", Options{}, 127, philosophers(7)},
		{"fib 3, at random", Options{Order: Random, Seed: 1}, 1698, fib(3)},
		{"philosophers, at random", Options{Order: Random, Seed: 2}, 63, philosophers(6)},
		{"philosophers, round robin", Options{Order: RoundRobin}, 63, philosophers(6)},
	} {
		for seed := range uint64(8) {
			sched.S.SetPolled(nil)
			p := &splitting{t: t, x: &executor{main: c.main}, r: rand.New(rand.NewPCG(seed, 1))}
			if err := p.explore(c.opt, 1<<(seed%6), 1+int(seed)%4); err != nil {
				t.Fatal(err)
			}
			if p.stats.Sequences != c.want || p.forms.Len() != c.want || p.stats.Partial != 0 {
				t.Errorf("%s, seed %d: %+v, %d of them different, want %d", c.name, seed, p.stats,
					p.forms.Len(), c.want)
			}
		}
	}
}

// A strategy that kept a piece in memory and one that made it again split what is left alike: a
// worker's result is checked by making it again elsewhere.
func TestKeptPiece(t *testing.T) {
	executions := func(s *Strategy, x explore.Executor, n int) {
		for n > 0 {
			next := s.Next()
			if next == nil {
				return
			}
			if !s.Again() {
				n--
			}
			tr, err := x.Execute(context.Background(), next)
			if err != nil {
				t.Fatal(err)
			}
			s.Done(tr)
		}
	}
	for seed := range uint64(200) {
		sched.S.SetPolled(nil)
		r := rand.New(rand.NewPCG(seed, 7))
		s, x := New(Options{}), &executor{main: fib(2 + int(seed%2))}
		executions(s, x, 1+r.IntN(200))
		for range 4 {
			pieces := s.Split(1 + r.IntN(6))
			if len(pieces) == 0 {
				break
			}
			other, err := Resume(Options{}, pieces[0].Data)
			if err != nil {
				t.Fatal(err)
			}
			other.Table().Know(s.Table().Known())
			n, parts := r.IntN(40), 1+r.IntN(6)
			executions(other, x, n)
			executions(s, x, n)
			a, b := other.Split(parts), s.Split(parts)
			if !slices.EqualFunc(a, b, func(a, b explore.Piece) bool { return bytes.Equal(a.Data, b.Data) }) {
				t.Fatalf("seed %d: after %d executions in %d parts: %d pieces, and %d of the piece that was kept",
					seed, n, parts, len(a), len(b))
			}
		}
	}
}

// The same on random programs over all constructs: as many sequences as one strategy makes. Pieces
// have no witnesses, so they may break executions off.
func TestSplitRandomPrograms(t *testing.T) {
	same := 0
	for seed := *from; seed < *from+uint64(*seeds); seed++ {
		prog := progen.Generate(seed, sizeOf(seed))
		whole, _, _, err := exercise(machine.New(prog), Options{}, 2000)
		if err != nil {
			continue
		}
		m := machine.New(prog)
		m.Policy = nil
		p := &splitting{t: t, x: m, anew: m.Restart, r: rand.New(rand.NewPCG(seed, 2))}
		err = p.explore(Options{}, 1<<(seed%5), 1+int(seed)%3)
		want, got := whole.Stats(), p.stats
		if err != nil || got.Sequences != want.Sequences || want.Partial != 0 ||
			p.forms.Len() != p.n {
			t.Errorf("seed %d: %v, in pieces %+v, %d of them different, want %+v\n%s", seed, err, got,
				p.forms.Len(), want, progen.Source(prog))
			continue
		}
		same++
	}
	if same < *seeds/2 {
		t.Errorf("only %d programs were small enough", same)
	}
}

// What is no piece is refused, or comes out as another sequence; it never goes on wrongly.
func FuzzResume(f *testing.F) {
	sched.S.SetPolled(nil)
	s, x := New(Options{}), &executor{main: fib(2)}
	for n := range 20 {
		f.Add([]byte{})
		if _, err := explore.Run(context.Background(), s, x, n, nil); err != nil {
			f.Fatal(err)
		}
		for _, p := range s.Split(1) {
			f.Add(p.Data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Resume(Options{}, data)
		if err != nil {
			return
		}
		if _, err := explore.Run(context.Background(), s, x, 200, nil); err != nil {
			t.Fatal(err)
		}
		s.Split(3)
	})
}
