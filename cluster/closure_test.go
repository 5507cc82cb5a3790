package cluster

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"heddle/rt/wire"
)

// A maze is a model of executions that lead to others: from each state to some others, sometimes
// by bare pieces.
type maze struct{ seed uint64 }

const mazeStates = 150

// ways returns the pieces that start at a state.
func (m maze) ways(state uint64) (to []wire.Piece) {
	r := rand.New(rand.NewPCG(m.seed, state))
	for range r.IntN(6) {
		to = append(to, wire.Piece{State: 1 + r.Uint64N(mazeStates), Bare: r.IntN(5) == 0})
	}
	return to
}

// walk does at most most pieces of an Item, and the last of them only in part.
func (m maze) walk(it *wire.Item, most int, r *rand.Rand, made map[uint64]int) *wire.Worked {
	w := &wire.Worked{N: it.N, Elapsed: 0.01}
	var known []uint64
	for b := it.Known; len(b) > 0; b = b[8:] {
		known = append(known, binary.LittleEndian.Uint64(b))
	}
	pieces := append([]wire.Piece{*it.Piece}, it.More...)
	for ; w.To < len(pieces) && w.To < most; w.To++ {
		x := pieces[w.To]
		var at struct {
			State uint64
			From  int
		}
		if err := json.Unmarshal(x.Data, &at); err != nil {
			panic(err)
		}
		if !x.Made {
			made[at.State]++
			w.Tally.Executions++
			data, _ := json.Marshal(at)
			w.Left = append(w.Left, wire.Piece{Data: data, State: at.State | 1<<32, Made: true})
			continue
		}
		w.Again++
		ways := m.ways(at.State)
		to := len(ways)
		if r.IntN(3) == 0 && at.From+1 < to {
			to = at.From + 1
		}
		for _, y := range ways[at.From:to] {
			if slices.Contains(known, y.State) {
				continue
			}
			y.Data, _ = json.Marshal(map[string]uint64{"State": y.State})
			w.Left = append(w.Left, y)
		}
		if at.From = to; to < len(ways) {
			data, _ := json.Marshal(at)
			w.Left = append(w.Left, wire.Piece{Data: data, Made: true})
		}
	}
	data, _ := json.Marshal(w)
	w = new(wire.Worked)
	if err := json.Unmarshal(data, w); err != nil {
		panic(err)
	}
	return w
}

// reached returns the states that can be reached.
func (m maze) reached() map[uint64]bool {
	all := map[uint64]bool{1: true}
	for todo := []uint64{1}; len(todo) > 0; todo = todo[1:] {
		for _, x := range m.ways(todo[0]) {
			if !all[x.State] {
				all[x.State] = true
				todo = append(todo, x.State)
			}
		}
	}
	return all
}

func mazeShare() *wire.Share {
	data, _ := json.Marshal(map[string]uint64{"State": 1})
	return &wire.Share{Closure: true, States: []uint64{1, 1 | 1<<32}, Tally: wire.Tally{Executions: 1},
		Pieces: []wire.Piece{{Data: data, Made: true}}}
}

// Every reachable state is executed and counted once, even if results are lost, repeated or late,
// and wherever the run is stopped and resumed from its log.
func TestClosureReachesAllOnce(t *testing.T) {
	for seed := range uint64(60) {
		m := maze{seed}
		want := m.reached()
		r := rand.New(rand.NewPCG(seed, 4))
		path := filepath.Join(t.TempDir(), "log")
		log, err := CreateLog(path, "x", "TestMaze", mazeShare())
		if err != nil {
			t.Fatal(err)
		}
		run := NewRun("TestMaze", mazeShare(), nil, Options{Log: log, Quantum: quantumOfTests})
		counted := map[uint64]int{1: 1}
		var held []*wire.Item
		for !run.Over() || len(held) > 0 {
			if len(held) < 3 {
				if it := run.try(func() {}); it != nil {
					held = append(held, it)
					continue
				}
			}
			if len(held) == 0 {
				t.Fatalf("seed %d: nothing to do, and not over", seed)
			}
			i := r.IntN(len(held))
			it := held[i]
			held = slices.Delete(held, i, i+1)
			made := map[uint64]int{}
			w := m.walk(it, 1+r.IntN(6), r, made)
			switch r.IntN(6) {
			case 0:
				run.Back(it)
				continue
			case 1:
				run.Back(it)
				run.Take(it, w)
			case 2:
				run.Take(it, w)
				run.Take(it, m.walk(it, 9, r, map[uint64]int{}))
			default:
				run.Take(it, w)
			}
			for state, n := range made {
				counted[state] += n
			}
			if r.IntN(30) == 0 {
				log.Close()
				var h *Header
				var results []*wire.Worked
				if log, h, results, err = OpenLog(path, "x"); err != nil {
					t.Fatal(err)
				}
				run, held = NewRun(h.Test, h.Share, results, Options{Log: log, Quantum: quantumOfTests}), nil
			}
		}
		out, err := run.Finish()
		if err != nil || !out.Complete || out.Tally.Executions != len(want) {
			t.Errorf("seed %d: %+v, %v, want %d executions", seed, out, err, len(want))
		}
		for state := range want {
			if counted[state] != 1 {
				t.Errorf("seed %d: state %d was executed for %d times", seed, state, counted[state])
			}
		}
		log.Close()
	}
}

const quantumOfTests = 200_000_000

// A worker that has an Item that others wait for is asked to give it back.
func TestClosureHurries(t *testing.T) {
	run := NewRun("TestMaze", mazeShare(), nil, Options{Quantum: quantumOfTests})
	hurried := 0
	it := run.Next(func() { hurried++ })
	run.waiting = 1
	if run.try(func() {}) != nil || hurried != 1 {
		t.Errorf("%v, asked for it back %d times", it, hurried)
	}
	if s := fmt.Sprint(it.Piece.Size); s != "1" {
		t.Errorf("size %s", s)
	}
}
