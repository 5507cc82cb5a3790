package observe

import (
	"encoding/binary"

	"heddle/explore/transition"
	"heddle/trace"
)

// A search goes through the states that the program can be in, as far as executions have shown what
// its goroutines do. In each state it takes the steps of a persistent set (Godefroid, LNCS 1032,
// 1996): a set of goroutines such that nothing the others can do from here on depends on the next
// steps of these. So every maximal trace has a representative, and states that were seen before
// need not be seen again.
type search struct {
	p      *program
	s      state
	frames []frame
	path   []step
	seen   map[digest]struct{}
	ends   map[string]bool // what was left in the ends of executions, by signature
	raced  map[pair]bool   // races that an execution was made for

	pending step // after path, of want edges
	most    int  // states that a pass may have
	passes  int

	live   reach // memory for digest, steps and persistent
	ready  []step
	chosen []bool
}

// A frame is a state on the way of the depth-first search, with the steps that are taken there.
type frame struct {
	steps []step
	i     int // the next of them; -1: they were not chosen
	trail int // the length of the state's trail
}

// A pair is a race: two places and what they do there.
type pair struct {
	a, b           trace.Site
	writeA, writeB bool
}

func newSearch(p *program) *search {
	return &search{p: p, ends: map[string]bool{}, raced: map[pair]bool{}}
}

// begin begins a pass.
func (x *search) begin(early []transition.Proc) {
	x.s.begin(x.p, early)
	x.frames, x.path = x.frames[:0], x.path[:0]
	x.seen = make(map[digest]struct{})
	x.p.grown = false
	x.passes++
	x.frames = append(x.frames, frame{i: -1})
}

// A want says why the search has to wait for an execution.
type want uint8

const (
	nothing want = iota // the pass is over
	stopped             // there are more states than it may have
	edges               // the execution shows what the last step of path leads to
	end                 // it shows what is left at the end of path
	race                // it shows a race at the end of path
	broke               // the time is up
	strange             // a step is possible whose effects are not described
)

// run goes on until the pass is over or an execution is needed: of x.path. The last step of the
// path of want edges has not been taken.
func (x *search) run(expired func() bool) want {
	x.s.resize()
	for len(x.frames) > 0 {
		f := &x.frames[len(x.frames)-1]
		if f.i < 0 {
			if expired() {
				return broke
			}
			if w := x.open(f); w != nothing {
				return w
			}
			continue
		}
		if f.i > 0 { // back from the step before
			x.path = x.path[:len(x.frames)-1]
			x.s.back(f.trail)
		}
		if f.i == len(f.steps) {
			x.frames = x.frames[:len(x.frames)-1]
			continue
		}
		st := f.steps[f.i]
		f.i++
		x.s.take(&st)
		x.path = append(x.path, st)
		d := x.s.digest(&x.live)
		if _, ok := x.seen[d]; ok {
			continue
		}
		x.seen[d] = struct{}{}
		if len(x.seen) > x.most {
			return stopped
		}
		x.frames = append(x.frames, frame{i: -1})
		if x.races(&x.s, &st) {
			return race
		}
	}
	return nothing
}

// mostTried bounds the goroutines from which a persistent set is looked for in a state.
const mostTried = 16

// open chooses the steps of a new frame.
func (x *search) open(f *frame) want {
	s := &x.s
	f.trail = len(s.trail)
	all, best, tried := 0, -1, 0
	for proc := range s.at {
		if len(s.steps(x.ready[:0], transition.Proc(proc))) == 0 {
			continue // a receiver's step is the sender's
		}
		x.persistent(proc)
		n := x.count()
		if n > 0 && (best < 0 || n < all) {
			best, all = proc, n
		}
		if tried++; all == 1 || tried == mostTried {
			break
		}
	}
	if best < 0 {
		f.i = 0
		f.steps = nil
		if sign := s.left(); sign != "" && !x.ends[sign] {
			x.ends[sign] = true
			return end
		}
		return nothing
	}
	x.persistent(best)
	f.steps = f.steps[:0]
	for proc, in := range x.chosen {
		if in {
			f.steps = s.steps(f.steps, transition.Proc(proc))
		}
	}
	for i := range f.steps {
		if f.steps[i].outcome == negative {
			return strange
		}
		if !s.shown(&f.steps[i]) {
			x.pending = f.steps[i]
			return edges // then this frame is opened again
		}
	}
	f.i = 0
	return nothing
}

// count returns the number of steps of the chosen goroutines.
func (x *search) count() (n int) {
	x.ready = x.ready[:0]
	for proc, in := range x.chosen {
		if in {
			x.ready = x.s.steps(x.ready, transition.Proc(proc))
		}
	}
	return len(x.ready)
}

// persistent chooses proc, and all goroutines that may do something which depends on the next step
// of a chosen one, or enables it.
func (x *search) persistent(proc int) {
	s := &x.s
	for len(x.chosen) < len(s.at) {
		x.chosen = append(x.chosen, false)
	}
	clear(x.chosen)
	x.chosen[proc] = true
	work := []int{proc}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		from := &s.p.nodes[s.at[b]]
		starter := s.p.nodes[from.parent].proc // which does not race with itself
		alone := s.needed(b)
		for c, n := range s.at {
			if n == 0 || x.chosen[c] {
				continue
			}
			future := &s.p.nodes[n].future
			if from.next.meets(future, alone) ||
				transition.Proc(c) != starter && from.before.meets(future, -1) {
				x.chosen[c] = true
				work = append(work, c)
			}
		}
	}
}

// needed returns the WaitGroup that the next step of a goroutine leaves, if no Wait can end before
// that step: the others do not leave it often enough. -1: there is none.
func (s *state) needed(proc int) int32 {
	op := &s.p.nodes[s.at[proc]].op
	if op.op != trace.OpWGAdd || op.class != ruled || op.arg >= 0 || s.p.tab.Ordered(op.obj) {
		return -1
	}
	most := int32(0)
	for other, n := range s.at {
		if n != 0 && other != proc {
			most += s.p.leaves(n, op.item)
		}
	}
	if s.counts[op.item][0] <= most {
		return -1
	}
	return op.item
}

// left says what is left in a state in which no step is possible; "" if nothing is, or if the
// program crashes there: that is what it shows then.
func (s *state) left() string {
	var b []byte
	for proc, n := range s.at {
		if n == 0 || s.p.nodes[n].op.class == ended {
			continue
		}
		op := &s.p.nodes[n].op
		if op.class == crashed {
			return ""
		}
		b = binary.AppendUvarint(b, uint64(proc)+1)
		b = append(b, byte(op.op), byte(op.class))
		b = binary.AppendUvarint(b, uint64(op.obj))
		b = binary.AppendUvarint(b, uint64(op.site))
		for _, c := range op.cases {
			b = binary.AppendUvarint(b, uint64(c.obj))
		}
		b = append(b, 0)
	}
	return string(b)
}

// races reports whether the step that was just made races with what another goroutine did since its
// last one, in a way for which no execution was made.
func (x *search) races(s *state, st *step) (found bool) {
	found = x.racesOf(s, st.proc)
	if st.with != transition.NoProc {
		found = x.racesOf(s, st.with) || found
	}
	return found
}

func (x *search) racesOf(s *state, proc transition.Proc) (found bool) {
	w := s.p.nodes[s.at[proc]].window
	if len(w) == 0 {
		return false
	}
	for other, n := range s.at {
		if n == 0 || transition.Proc(other) == proc || len(s.p.nodes[n].window) == 0 {
			continue
		}
		from, fromOther := s.since(proc, transition.Proc(other)), s.since(transition.Proc(other), proc)
		for i := range w {
			a := &w[i]
			if a.starts < from {
				continue
			}
			for k := range s.p.nodes[n].window {
				b := &s.p.nodes[n].window[k]
				if a.cell != b.cell || !a.write && !b.write || b.starts < fromOther ||
					s.released(proc, a.starts) || s.released(transition.Proc(other), b.starts) {
					continue
				}
				q := pair{a.site, b.site, a.write, b.write}
				if q.a > q.b {
					q = pair{b.site, a.site, b.write, a.write}
				}
				if !x.raced[q] {
					x.raced[q], found = true, true
				}
			}
		}
	}
	return found
}

// released reports whether a goroutine that proc started in its last step, after the first n of
// them, has made a step: what proc did before it may happen before anything then.
func (s *state) released(proc transition.Proc, n int16) bool {
	for k := int32(n) + 1; ; k++ {
		first, ok := s.p.kids[kid{s.at[proc], k}]
		if !ok {
			return false
		}
		if s.at[s.p.nodes[first].proc] != first {
			return true
		}
	}
}

// since returns how many goroutines proc must have started in its last step before an access of
// that step can be concurrent with what other does.
func (s *state) since(proc, other transition.Proc) int16 {
	for other != transition.Main && s.at[other] != 0 {
		o := s.origin[other]
		if o == s.at[proc] {
			for k := int32(1); ; k++ {
				n, ok := s.p.kids[kid{o, k}]
				if !ok {
					return 0
				}
				if s.p.nodes[n].proc == other {
					return int16(k)
				}
			}
		}
		if s.p.nodes[o].proc == other {
			break
		}
		other = s.p.nodes[o].proc
	}
	return 0
}
