package cluster

import (
	"reflect"
	"slices"
	"time"

	"heddle/rt/wire"
)

// samples is the plan of sampling: consecutive ranges of samples. A sample may depend on earlier
// ones (accesses become visible, lengths are learnt), so a range is handed out on the guess that
// earlier ranges teach nothing more. A result counts when all earlier ones do and its guess was
// right. After a wrong guess the samples are made again. So the samples that count are those of a
// single process.
type samples struct {
	test    string
	runs    int           // number after the last sample; 0: unbounded
	quantum time.Duration // intended time for a range

	out   Outcome
	state wire.State // after the samples that count; the knowledge then is out.Know

	epoch  int
	cursor int // the first sample that no worker has
	number int
	hands  hands
	came   []*wire.Worked // results that do not count yet
	length int            // number of samples in the next range
	over   bool
}

// firstRange is the number of samples in the first range.
const firstRange = 16

// mostAhead is the largest number of ranges that do not count yet.
const mostAhead = 64

func newSamples(test string, s *wire.Share, runs int, quantum time.Duration) *samples {
	p := &samples{test: test, runs: runs, quantum: quantum, state: *s.State, cursor: s.State.Next,
		length: firstRange}
	p.out.Tally, p.out.Know = s.Tally, s.Know
	return p
}

// next implements plan.
func (p *samples) next() *wire.Item {
	if p.over {
		return nil
	}
	if it := p.hands.again(); it != nil {
		return it
	}
	if p.runs > 0 && p.cursor >= p.runs || len(p.hands.items)+len(p.came) >= mostAhead {
		return nil
	}
	to := p.cursor + p.length
	if p.runs > 0 {
		to = min(to, p.runs)
	}
	p.number++
	state, know := p.state, p.out.Know
	state.Next = p.cursor
	it := &wire.Item{N: p.number, Epoch: p.epoch, Test: p.test, Know: &know, State: &state, To: to,
		Before: p.out.Tally.Executions + p.cursor - p.state.Next}
	p.hands.give(it)
	p.cursor = to
	return it
}

// back implements plan.
func (p *samples) back(it *wire.Item) {
	p.hands.back(it)
}

// take implements plan.
func (p *samples) take(w *wire.Worked) (certain []*wire.Worked) {
	if w.Epoch != p.epoch {
		return nil
	}
	it := p.hands.done(w.N)
	if it == nil {
		return nil
	}
	w.From, w.To = it.State.Next, it.To
	if w.Elapsed > 0 && w.Tally.Executions > 0 {
		rate := float64(w.Tally.Executions) / w.Elapsed
		p.length = int(min(max(rate*p.quantum.Seconds(), 1), float64(4*p.length)))
	}
	p.came = append(p.came, w)
	return p.certain(false)
}

// certain counts the results that can be counted. gaps: even if earlier samples are missing.
func (p *samples) certain(gaps bool) (certain []*wire.Worked) {
	slices.SortFunc(p.came, func(a, b *wire.Worked) int { return a.From - b.From })
	for len(p.came) > 0 && (p.came[0].From == p.state.Next || gaps) && !p.over {
		w := p.came[0]
		p.came = p.came[1:]
		learnt := p.learns(w)
		p.replay(w)
		certain = append(certain, w)
		if (learnt || w.State.Next < w.To) && !p.over {
			p.anew()
		}
	}
	return certain
}

// learns reports whether the samples after w differ from the guess.
func (p *samples) learns(w *wire.Worked) bool {
	same := *w.State
	same.Next = p.state.Next
	return len(w.Seen) > 0 || !reflect.DeepEqual(same, p.state) || !reflect.DeepEqual(*w.Know, p.out.Know)
}

// replay implements plan.
func (p *samples) replay(w *wire.Worked) {
	p.out.Items++
	p.out.Working += w.Elapsed
	p.out.Tally.Add(&w.Tally)
	p.state, p.out.Know = *w.State, *w.Know
	p.cursor = max(p.cursor, p.state.Next)
	p.over = p.over || !w.Tally.Failed.None() || w.Over || w.Isolate != nil
}

// anew discards the ranges that were handed out on a wrong guess.
func (p *samples) anew() {
	p.epoch++
	for _, w := range p.came {
		p.out.Again += w.Tally.Executions
	}
	p.came, p.hands, p.cursor = nil, hands{}, p.state.Next
	p.length = firstRange
}

// done implements plan.
func (p *samples) done() bool { return p.over || p.runs > 0 && p.state.Next >= p.runs }

// end implements plan.
func (p *samples) end() []*wire.Worked { return p.certain(true) }

func (p *samples) outcome() Outcome { return p.out }

func (p *samples) estimate() float64 { return 0 }
