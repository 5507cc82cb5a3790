package cluster

import (
	"cmp"
	"slices"

	"heddle/rt/wire"
)

// prediction is the plan of a prediction: tasks, each done once by any worker. Results count in
// the order of their tasks, so that the predictions, and the task that is reported for each, are
// those of a single process.
type prediction struct {
	test string
	of   *wire.Predicting
	know wire.Knowledge

	out    Outcome
	count  int    // the first task that does not count yet
	left   []span // tasks that are in no Item or that a worker left over, in their order
	number int
	hands  hands
	came   []came // results that do not count yet
	over   bool
}

// came is a result, with a guess about the number of executions before it.
type came struct {
	*wire.Worked
	before int
}

// A span is a range of tasks.
type span struct{ from, to int }

// partOfTasks is the part of the remaining tasks that is handed out at a time, so that no worker
// is busy for long when the others have finished.
const partOfTasks = 8

func newPrediction(test string, s *wire.Share) *prediction {
	p := &prediction{test: test, of: s.Predicting, know: s.Know, count: s.Predicting.From}
	p.add(span{p.of.From, p.of.To})
	told := p.of.Told
	p.out.Tally, p.out.Predicted = s.Tally, &told
	return p
}

// add adds tasks that no worker has.
func (p *prediction) add(x span) {
	if x.from >= x.to {
		return
	}
	i, _ := slices.BinarySearchFunc(p.left, x.from, func(y span, from int) int { return y.from - from })
	p.left = slices.Insert(p.left, i, x)
}

// next implements plan.
func (p *prediction) next() *wire.Item {
	if p.over {
		return nil
	}
	if it := p.hands.again(); it != nil {
		return it
	}
	if len(p.left) == 0 {
		return nil
	}
	x := p.left[0]
	p.left = p.left[1:]
	to := min(x.to, x.from+max(1, (p.of.To-x.from)/partOfTasks))
	p.add(span{to, x.to})
	p.number++
	it := &wire.Item{N: p.number, Test: p.test, Know: p.know.Clone(), Before: p.out.Tally.Executions,
		Tasks: &wire.Tasks{Recorded: p.of.Recorded, From: x.from, To: to, End: p.of.To}}
	p.hands.give(it)
	return it
}

// back implements plan.
func (p *prediction) back(it *wire.Item) {
	p.hands.back(it)
}

// take implements plan.
func (p *prediction) take(w *wire.Worked) []*wire.Worked {
	it := p.hands.done(w.N)
	if it == nil {
		return nil
	}
	w.From, w.To = it.Tasks.From, min(max(w.To, it.Tasks.From), it.Tasks.To)
	p.add(span{w.To, it.Tasks.To})
	p.came = append(p.came, came{w, it.Before})
	return p.certain(false)
}

// certain counts the results that can be counted. gaps: even if earlier tasks are missing.
func (p *prediction) certain(gaps bool) (certain []*wire.Worked) {
	slices.SortFunc(p.came, func(a, b came) int { return cmp.Or(a.From-b.From, a.To-b.To) })
	for len(p.came) > 0 && (p.came[0].From == p.count || gaps) && !p.over {
		w := p.came[0]
		p.came = p.came[1:]
		for i := range w.Found {
			w.Found[i].Finding.Executions += p.out.Tally.Executions - w.before
		}
		p.replay(w.Worked)
		certain = append(certain, w.Worked)
	}
	return certain
}

// replay implements plan.
func (p *prediction) replay(w *wire.Worked) {
	p.out.Items++
	p.out.Working += w.Elapsed
	p.out.Tally.Add(&w.Tally)
	p.skip(w.From)
	if w.Predicted != nil {
		p.out.Predicted.Add(w.Predicted)
	}
	p.count = w.To
	p.left = slices.DeleteFunc(p.left, func(x span) bool { return x.to <= p.count })
	if len(p.left) > 0 {
		p.left[0].from = max(p.left[0].from, p.count)
	}
	p.over = p.over || !w.Tally.Failed.None() || w.Over || w.Isolate != nil
}

// skip reports the tasks before to that do not count yet as not done.
func (p *prediction) skip(to int) {
	for ; p.count < to; p.count++ {
		if i := p.count - p.of.From; i < len(p.of.Untried) {
			p.out.Predicted.All = append(p.out.Predicted.All, p.of.Untried[i])
		} else {
			p.out.Predicted.Cut = true
		}
	}
}

func (p *prediction) done() bool { return p.over || p.count >= p.of.To }

// end implements plan.
func (p *prediction) end() []*wire.Worked {
	ws := p.certain(true)
	p.skip(p.of.To)
	return ws
}

func (p *prediction) outcome() Outcome {
	o := p.out
	o.Predicted = o.Predicted.Joined()
	return o
}

func (p *prediction) estimate() float64 { return 0 }
