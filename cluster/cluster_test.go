package cluster

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"heddle/rt/wire"
)

// A tree is a model of a search: node n has random children, and every node is an execution. A
// piece is a set of nodes to visit.
type tree struct {
	seed  uint64
	learn []int // nodes at which an access becomes visible: the search begins again
}

func (t *tree) children(n uint64, depth int) (kids []uint64) {
	h := fnv.New64a()
	binary.Write(h, binary.LittleEndian, [2]uint64{t.seed, n})
	r := rand.New(rand.NewPCG(h.Sum64(), 1))
	if depth == 0 {
		return []uint64{1, 2, 3}
	}
	if depth > 9 {
		return nil
	}
	for range r.IntN(4) {
		kids = append(kids, r.Uint64()>>8)
	}
	return kids
}

type visit struct {
	N     uint64
	Depth int
}

// work visits at most most nodes of a piece, and splits the rest into parts. It records the nodes.
func (t *tree) work(it *wire.Item, most, parts int) *wire.Worked {
	stack := []visit{{0, 0}}
	if len(it.Piece.Data) > 0 {
		stack = nil
		if err := json.Unmarshal(it.Piece.Data, &stack); err != nil {
			panic(err)
		}
	}
	w := &wire.Worked{N: it.N, Epoch: it.Epoch}
	for ; len(stack) > 0 && most > 0; most-- {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		w.Tally.Executions++
		// A node that is visited twice or never changes the sum.
		w.Tally.Buggy += int(v.N % 1009)
		if v.Depth == 4 && v.N%97 < 2 && len(it.Know.Waits) == 0 && len(it.Know.Cycles) < len(t.learn) {
			w.Learnt = &wire.Knowledge{Cycles: map[uint64]uint8{uint64(len(it.Know.Cycles)): 1}}
			return w
		}
		if v.N%41 == 3 {
			key := fmt.Sprint("bug ", v.N%7)
			if !slices.Contains(it.Seen, key) {
				w.Seen = append(w.Seen, key)
				w.Found = append(w.Found, wire.Found{Key: key, Finding: &wire.Finding{Kind: "panic"}})
			}
		}
		for _, k := range t.children(v.N, v.Depth) {
			stack = append(stack, visit{k, v.Depth + 1})
		}
	}
	for i := range min(parts, len(stack)) {
		var part []visit
		for j := i; j < len(stack); j += parts {
			part = append(part, stack[j])
		}
		data, _ := json.Marshal(part)
		w.Left = append(w.Left, wire.Piece{Data: data, Size: float64(len(part))})
	}
	return w
}

// whole returns the result of a single worker.
func (t *tree) whole() (tally wire.Tally, bugs int) {
	r := newRunOf(t, Options{})
	for it := r.Next(func() {}); it != nil; it = r.Next(func() {}) {
		r.Take(it, t.work(it, 1<<30, 1))
	}
	o, _ := r.Finish()
	return o.Tally, len(r.keys)
}

func newRunOf(t *tree, o Options) *Run { return NewRun("TestTree", shareOf(), nil, o) }

func shareOf() *wire.Share { return &wire.Share{Search: true, Pieces: []wire.Piece{{Size: 1}}} }

// Every node is counted once, however results are lost, repeated, late or missing, and wherever a
// run is stopped and resumed from its log.
func TestSearchIsCountedOnce(t *testing.T) {
	for seed := range uint64(60) {
		tr := &tree{seed: seed, learn: make([]int, seed%3)}
		want, bugs := tr.whole()
		r := rand.New(rand.NewPCG(seed, 2))
		run := hazards(t, r, shareOf(),
			func(it *wire.Item) *wire.Worked { return tr.work(it, 1+r.IntN(40), 1+r.IntN(5)) })
		o, err := run.Finish()
		// findings count although the search began again
		if err != nil || !o.Complete || o.Tally.Executions != want.Executions ||
			len(tr.learn) == 0 && o.Tally.Buggy != want.Buggy {
			t.Errorf("seed %d: %+v, %v, want %+v", seed, o, err, want)
		}
		if len(run.keys) != bugs {
			t.Errorf("seed %d: found %v, want %d bugs", seed, run.keys, bugs)
		}
	}
}

// hazards lets workers do a search until nothing is left, with random failures of workers and of
// the process of the run.
func hazards(t *testing.T, r *rand.Rand, share *wire.Share, work func(*wire.Item) *wire.Worked) *Run {
	path := filepath.Join(t.TempDir(), "log")
	log, err := CreateLog(path, "x", "TestTree", share)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { log.Close() }()
	run := NewRun("TestTree", share, nil, Options{Log: log})
	var late []*wire.Worked
	var of []*wire.Item
	for {
		it := run.Next(func() {})
		if it == nil {
			return run
		}
		w := work(it)
		switch r.IntN(8) {
		case 0: // its worker died
			run.Back(it)
		case 1: // taken for dead; its result comes later
			run.Back(it)
			late, of = append(late, w), append(of, it)
		case 2: // its result comes twice
			run.Take(it, w)
			run.Take(it, work(it))
		default:
			run.Take(it, w)
		}
		if len(late) > 0 && r.IntN(3) == 0 {
			run.Take(of[0], late[0])
			late, of = late[1:], of[1:]
		}
		if r.IntN(20) == 0 { // the process of the run is killed, perhaps while it writes
			log.Close()
			cut(t, path, r)
			var h *Header
			var results []*wire.Worked
			if log, h, results, err = OpenLog(path, "x"); err != nil {
				t.Fatal(err)
			}
			run = NewRun(h.Test, h.Share, results, Options{Log: log})
			late, of = nil, nil
		}
	}
}

// cut sometimes removes a part of the last line of a file.
func cut(t *testing.T, path string, r *rand.Rand) {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.Collect(func(yield func(int) bool) {
		for i, b := range data {
			if b == '\n' && !yield(i) {
				return
			}
		}
	})
	if len(lines) < 2 || r.IntN(2) == 0 {
		return
	}
	from := lines[len(lines)-2] + 1
	if err := os.Truncate(path, int64(from+r.IntN(len(data)-from))); err != nil {
		t.Fatal(err)
	}
}

func TestLogOfAnotherRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	log, err := CreateLog(path, "x", "TestTree", shareOf())
	if err != nil {
		t.Fatal(err)
	}
	log.Close()
	if _, _, _, err := OpenLog(path, "y"); err != ErrOther {
		t.Errorf("%v", err)
	}
	if _, _, _, err := OpenLog(path+"2", "x"); !os.IsNotExist(err) {
		t.Errorf("%v", err)
	}
}

// A damaged Log is read up to the damage, which is reported with file and line. A Log without a
// header is refused.
func TestDamagedLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	log, err := CreateLog(path, "x", "TestTree", shareOf())
	if err != nil {
		t.Fatal(err)
	}
	tr := &tree{seed: 1}
	r := NewRun("TestTree", shareOf(), nil, Options{Log: log})
	for range 5 {
		it := r.Next(func() {})
		r.Take(it, tr.work(it, 1, 64))
	}
	log.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(whole, []byte("\n"))
	for _, c := range []struct {
		name    string
		text    []byte
		results int // number of results read; -1: none, the log is refused
		want    string
	}{
		{"whole", whole, 5, ""},
		{"cut off", whole[:len(whole)-3], 4, ""},
		{"a number changed", bytes.Replace(whole, []byte(`"N":2,`), []byte(`"N":7,`), 1), 1,
			":3: the checksum does not fit"},
		{"a line gone", slices.Concat(lines[0], lines[1], lines[3], lines[4]), 1,
			":3: the checksum does not fit"},
		{"a line twice", slices.Concat(lines[0], lines[1], lines[1], lines[2]), 1,
			":3: the checksum does not fit"},
		{"something else in it", slices.Concat(lines[0], lines[1], []byte("hello\n"), lines[2]), 1,
			":3: want a checksum of 16 digits and a space, have \"hello\""},
		{"zeros", slices.Concat(lines[0], lines[1], make([]byte, 5000), []byte("\n"), lines[2]), 1,
			":3: want a checksum"},
		{"without its beginning", slices.Concat(lines[1], lines[2]), -1, ":1: the checksum does not fit"},
		{"empty", nil, -1, "have an empty file: remove it"},
		{"no log", []byte("{}\n"), -1, ":1: want a checksum"},
	} {
		if err := os.WriteFile(path, c.text, 0o666); err != nil {
			t.Fatal(err)
		}
		log, h, results, err := OpenLog(path, "x")
		if (h == nil) != (c.results < 0) || h != nil && len(results) != c.results {
			t.Errorf("%s: %d results, want %d", c.name, len(results), c.results)
		}
		if (err == nil) != (c.want == "") ||
			err != nil && !strings.Contains(err.Error(), path+c.want) &&
				!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s", c.name, err, c.want)
		}
		if log == nil {
			continue
		}
		// The next result is written after the last one read, and can be read again.
		r := NewRun(h.Test, h.Share, results, Options{Log: log})
		it := r.Next(func() {})
		r.Take(it, tr.work(it, 1, 64))
		log.Close()
		if _, _, again, err := OpenLog(path, "x"); err != nil || len(again) != c.results+1 {
			t.Errorf("%s: %d results after another one, want %d; %v", c.name, len(again), c.results+1, err)
		}
	}
}

// Results that can be read but belong to another search are refused without a panic.
func FuzzLog(f *testing.F) {
	path := filepath.Join(f.TempDir(), "log")
	log, err := CreateLog(path, "x", "TestTree", shareOf())
	if err != nil {
		f.Fatal(err)
	}
	r := NewRun("TestTree", shareOf(), nil, Options{Log: log})
	it := r.Next(func() {})
	r.Take(it, (&tree{seed: 1}).work(it, 1, 64))
	log.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole, `{"N":1}`)
	for _, text := range []string{`{"N":1,"Left":[{},{}],"Of":[7]}`, `{"N":1,"From":-1,"To":9}`,
		`{"N":1,"State":{"Next":3}}`, `{"N":1,"Predicted":{}}`, `{"N":-1}`, `null`} {
		f.Add([]byte{}, text)
	}
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		path := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		if log, h, _, err := OpenLog(path, "x"); log != nil {
			log.Close()
			if h == nil {
				t.Errorf("a log without a header: %v", err)
			}
		}
		w := new(wire.Worked)
		if json.Unmarshal([]byte(text), w) != nil {
			return
		}
		for _, s := range []*wire.Share{shareOf(), sampleShare(),
			{Search: true, Wakeups: true, Pieces: []wire.Piece{{Size: 1}}}, mazeShare(), predictionShare()} {
			r, err := ResumeRun("TestTree", s, []*wire.Worked{w}, Options{})
			if err == nil {
				r.Finish()
			}
		}
	})
}

// A series is a model of sampling: each sample depends on what earlier samples taught.
type series struct{ seed uint64 }

// made identifies the input of a sample.
type made struct{ sample, length, visible int }

// work makes the samples of a range, or only the first stop ones.
func (s *series) work(it *wire.Item, stop int) (*wire.Worked, []made) {
	data, _ := json.Marshal(it) // as it comes to a worker
	it = new(wire.Item)
	if err := json.Unmarshal(data, it); err != nil {
		panic(err)
	}
	w := &wire.Worked{N: it.N, Epoch: it.Epoch, State: it.State, Know: it.Know}
	var ms []made
	i := it.State.Next
	for ; i < it.To && len(ms) < stop; i++ {
		r := rand.New(rand.NewPCG(s.seed, uint64(i)))
		length := it.State.Lengths["pct"]
		ms = append(ms, made{i, length, len(it.Know.Visible)})
		w.Tally.Executions++
		if n := r.IntN(1 + i); n > length && r.IntN(10) == 0 {
			w.State.Lengths = map[string]int{"pct": n}
		}
		if key := fmt.Sprint("race ", r.IntN(200)); r.IntN(40) == 0 && !slices.Contains(it.Seen, key) &&
			!slices.Contains(w.Seen, key) {
			w.Seen = append(w.Seen, key)
			w.Found = append(w.Found,
				wire.Found{Key: key, Finding: &wire.Finding{Executions: it.Before + w.Tally.Executions}})
			w.Know.Visible = append(w.Know.Visible, 1)
		}
	}
	w.State.Next = i
	data, _ = json.Marshal(w)
	w = new(wire.Worked)
	if err := json.Unmarshal(data, w); err != nil {
		panic(err)
	}
	return w, ms
}

func sampleShare() *wire.Share {
	return &wire.Share{State: &wire.State{Next: 5}, Tally: wire.Tally{Executions: 8}}
}

// The samples that count are those of a single process, each with the same input as there, with
// the same findings after as many executions.
func TestSamplesAreThoseOfOneProcess(t *testing.T) {
	const runs = 600
	for seed := range uint64(40) {
		s := &series{seed}
		var wantFound []int
		first := &wire.Item{State: &wire.State{Next: 5}, Know: &wire.Knowledge{}, To: runs, Before: 8}
		whole, want := s.work(first, runs)
		for _, f := range whole.Found {
			wantFound = append(wantFound, f.Finding.Executions)
		}
		r := rand.New(rand.NewPCG(seed, 3))
		var got []made
		var found []int
		of := map[[3]int][]made{} // by first sample, number and epoch
		run := NewRun("TestSeries", sampleShare(), nil,
			Options{Runs: runs, Quantum: 1e6, Count: func(w *wire.Worked, again bool) {
				got = append(got, of[[3]int{w.From, w.N, w.Epoch}]...)
				for _, f := range w.Found {
					found = append(found, f.Finding.Executions)
				}
			}})
		var hands []*wire.Item
		for {
			_, _ = run.Look()
			for len(hands) < 1+r.IntN(6) { // as many workers; Next would block
				if it := run.try(func() {}); it != nil {
					hands = append(hands, it)
				} else {
					break
				}
			}
			if len(hands) == 0 {
				break
			}
			k := r.IntN(len(hands))
			it := hands[k]
			hands = slices.Delete(hands, k, k+1)
			stop := runs
			if r.IntN(5) == 0 {
				stop = 1 + r.IntN(4)
			}
			w, ms := s.work(it, stop)
			w.Elapsed = 1e-5 * float64(1+r.IntN(100))
			switch r.IntN(6) {
			case 0:
				run.Back(it)
			case 1:
				of[[3]int{it.State.Next, it.N, it.Epoch}] = ms
				run.Take(it, w)
				run.Take(it, w)
			default:
				of[[3]int{it.State.Next, it.N, it.Epoch}] = ms
				run.Take(it, w)
			}
		}
		o, _ := run.Finish()
		if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(found, wantFound) ||
			o.Tally.Executions != 8+runs-5 {
			t.Errorf("seed %d: %d samples, found after %v, want %d, %v; %+v", seed, len(got), found,
				len(want), wantFound, o)
		}
	}
}

// Workers come and go during a run. An idle worker waits, and others are asked to give work back.
func TestConcurrentRun(t *testing.T) {
	tr := &tree{seed: 7}
	want, _ := tr.whole()
	run := newRunOf(tr, Options{})
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			for k := 0; ; k++ {
				asked := make(chan struct{}, 1)
				it := run.Next(func() { asked <- struct{}{} })
				switch {
				case it == nil:
					return
				case i == 2 && k%2 == 0:
					run.Back(it)
					continue
				}
				parts := 1
				select {
				case <-asked:
					parts = it.Parts
				default:
				}
				run.Take(it, tr.work(it, 20, parts))
			}
		})
	}
	wg.Wait()
	if o, err := run.Finish(); err != nil || !o.Complete || o.Tally.Executions != want.Executions ||
		o.Tally.Buggy != want.Buggy {
		t.Errorf("%+v, %v, want %+v", o, err, want)
	}
}

// Stop wakes waiting workers.
func TestConcurrentStop(t *testing.T) {
	run := newRunOf(&tree{}, Options{})
	run.Next(func() {}) // the only Item
	var wg sync.WaitGroup
	wg.Go(func() {
		if it := run.Next(func() {}); it != nil {
			t.Errorf("%+v", it)
		}
	})
	wg.Go(run.Stop)
	wg.Wait()
}
