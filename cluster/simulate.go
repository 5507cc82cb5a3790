package cluster

import (
	"container/heap"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"time"

	"heddle/rt/wire"
)

// A Tree describes a search that was made: the depth of each execution below the first one, in the
// order of a single process. The executions that follow from one come directly after it.
type Tree []int

// A Simulation simulates a search by more workers than can be measured: the Run and its plan are
// real, workers and network are simulated.
type Simulation struct {
	Tree      Tree
	Workers   int
	Execution time.Duration // time for one execution
	Delay     time.Duration // latency of the network
	Item      time.Duration // the coordinator's time for an Item, one at a time
	Quantum   time.Duration
	Seed      uint64
}

// Simulated is the result of a Simulation.
type Simulated struct {
	Executions  int
	Took        time.Duration
	Utilisation float64 // share of the workers' time in which they made executions that count
	Items       int
	Again       int // executions that were repeated
}

// interval is a part of the preorder that begins and ends with siblings.
type interval struct{ from, to int }

// A sim is a running Simulation.
type sim struct {
	Simulation
	parent []int
	end    []int // by execution: the index after the last one that follows from it
	run    *Run
	r      *rand.Rand

	now     time.Duration
	events  events
	pushed  int
	ready   time.Duration // when the coordinator is idle
	lanes   []int         // of idle workers
	workers []simWorker
	out     Simulated
}

type simWorker struct {
	inbox []*simItem
	at    *simItem
}

// A simItem is an Item at a worker.
type simItem struct {
	it      *wire.Item
	worker  int
	begun   time.Duration
	hurried bool
	ends    time.Duration
	version int // of the event that ends it
}

// Run runs the simulation.
func (o Simulation) Run() Simulated {
	s := &sim{Simulation: o, r: rand.New(rand.NewPCG(o.Seed, 9)), workers: make([]simWorker, o.Workers)}
	s.index()
	first := wire.Piece{Data: encode([]interval{{0, len(o.Tree)}}), Size: 1}
	s.run = NewRun("", &wire.Share{Search: true, Pieces: []wire.Piece{first}}, nil,
		Options{Quantum: o.Quantum})
	for range ahead {
		for w := range o.Workers {
			s.lanes = append(s.lanes, w)
		}
	}
	s.hand()
	for len(s.events) > 0 && s.out.Executions < len(o.Tree) {
		e := heap.Pop(&s.events).(event)
		s.now = e.at
		e.do()
	}
	s.out.Took = s.now
	worked := float64(s.out.Executions) * float64(o.Execution)
	s.out.Utilisation = worked / (float64(o.Workers) * float64(s.now))
	return s.out
}

// index computes end.
func (s *sim) index() {
	n := len(s.Tree)
	s.parent, s.end = make([]int, n), make([]int, n)
	var path []int
	for i, d := range s.Tree {
		for len(path) > d {
			s.end[path[len(path)-1]] = i
			path = path[:len(path)-1]
		}
		s.parent[i] = -1
		if len(path) > 0 {
			s.parent[i] = path[len(path)-1]
		}
		path = append(path, i)
	}
	for _, i := range path {
		s.end[i] = n
	}
}

// hand gives Items to lanes when the coordinator has time.
func (s *sim) hand() {
	for len(s.lanes) > 0 {
		x := &simItem{worker: s.lanes[0]}
		s.run.waiting = len(s.lanes)
		if x.it = s.run.try(func() { s.later(s.Delay, func() { s.hurry(x) }) }); x.it == nil {
			return
		}
		s.lanes = s.lanes[1:]
		s.ready = max(s.ready, s.now) + s.Item
		s.out.Items++
		s.later(s.ready-s.now+s.Delay, func() {
			w := &s.workers[x.worker]
			w.inbox = append(w.inbox, x)
			s.begin(x.worker)
		})
	}
}

// begin lets a worker begin its next Item.
func (s *sim) begin(worker int) {
	w := &s.workers[worker]
	if w.at != nil || len(w.inbox) == 0 {
		return
	}
	x := w.inbox[0]
	w.at, w.inbox = x, w.inbox[1:]
	x.begun = s.now
	whole := 0
	for _, v := range decode(x.it.Piece.Data) {
		whole += v.to - v.from + 1 // continuing each costs one more execution
	}
	d := time.Duration(whole) * s.Execution
	if d > s.Quantum {
		d = s.Quantum
	}
	if x.hurried {
		d = min(d, s.least(x))
	}
	s.endAt(x, s.now+d)
}

// least returns how long an Item is worked on at least, as in rt/drive.
func (s *sim) least(x *simItem) time.Duration {
	return max(2*time.Millisecond, 4*s.Execution, time.Duration(x.it.Least))
}

func (s *sim) endAt(x *simItem, at time.Duration) {
	x.version++
	x.ends = at
	version := x.version
	s.later(at-s.now, func() {
		if x.version == version {
			s.finish(x)
		}
	})
}

// hurry tells the worker that others are idle.
func (s *sim) hurry(x *simItem) {
	x.hurried = true
	if s.workers[x.worker].at == x {
		s.endAt(x, max(s.now, min(x.begun+s.least(x), x.ends)))
	}
}

// finish ends an Item: it made as many executions as the time allowed, at least one.
func (s *sim) finish(x *simItem) {
	x.version++
	left := decode(x.it.Piece.Data)
	w := &wire.Worked{N: x.it.N, Epoch: x.it.Epoch}
	for budget := max(2, int((s.now-x.begun)/s.Execution)); len(left) > 0 && budget > 1; {
		last := &left[len(left)-1]
		n := min(last.to-last.from, budget-1)
		w.Tally.Executions += n
		w.Again++
		budget -= n + 1
		from, to := last.from+n, last.to
		left = append(left[:len(left)-1], s.frames(from, to)...)
		if from < to {
			break
		}
	}
	parts := 1
	if x.hurried {
		parts = x.it.Parts
	}
	w.Left = s.split(left, parts)
	s.workers[x.worker].at = nil
	s.begin(x.worker)
	s.later(s.Delay, func() {
		s.ready = max(s.ready, s.now) + s.Item
		s.later(s.ready-s.now, func() {
			s.out.Executions += w.Tally.Executions
			s.out.Again += w.Again
			s.run.Take(x.it, w)
			s.lanes = append(s.lanes, x.worker)
			s.hand()
		})
	})
}

// frames returns the entries of the stack if the next execution is from and to is the last one.
func (s *sim) frames(from, to int) (out []interval) {
	for from < to {
		end := to
		if p := s.parent[from]; p >= 0 {
			end = min(end, s.end[p])
		}
		out = append(out, interval{from, end})
		from = end
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 { // the oldest is at the bottom
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// split distributes entries. Their sizes are estimates, here right within a factor of four.
func (s *sim) split(left []interval, parts int) (pieces []wire.Piece) {
	if len(left) == 0 {
		return nil
	}
	parts = min(parts, len(left))
	groups, sizes := make([][]interval, parts), make([]float64, parts)
	for _, v := range left {
		size := float64(v.to-v.from) * math.Pow(4, 2*s.r.Float64()-1)
		least := 0
		for k := range sizes {
			if sizes[k] < sizes[least] {
				least = k
			}
		}
		groups[least] = append(groups[least], v)
		sizes[least] += size
	}
	for k, g := range groups {
		pieces = append(pieces, wire.Piece{Data: encode(g), Size: sizes[k]})
	}
	return pieces
}

func encode(vs []interval) (b []byte) {
	for _, v := range vs {
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(v.from)), uint64(v.to))
	}
	return b
}

func decode(b []byte) (vs []interval) {
	for len(b) > 0 {
		from, n := binary.Uvarint(b)
		to, m := binary.Uvarint(b[n:])
		vs = append(vs, interval{int(from), int(to)})
		b = b[n+m:]
	}
	return vs
}

// An event happens at a time. Of simultaneous events the older comes first.
type event struct {
	at time.Duration
	n  int
	do func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].n < e[j].n
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	x := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return x
}

func (s *sim) later(d time.Duration, do func()) {
	s.pushed++
	heap.Push(&s.events, event{s.now + d, s.pushed, do})
}
