package cluster

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"heddle/rt/wire"
)

// foretell does at most most tasks of a prediction, as a worker does.
func foretell(seed uint64, it *wire.Item, most int) *wire.Worked {
	w := &wire.Worked{N: it.N, To: it.Tasks.From, Predicted: new(wire.Predicted)}
	for ; w.To < it.Tasks.To && most > 0; w.To++ {
		most--
		r := rand.New(rand.NewPCG(seed, uint64(w.To)))
		n := r.IntN(4)
		w.Tally.Executions += n
		w.Predicted.Executions += n
		v := wire.Prediction{Pattern: fmt.Sprint(w.To), Verdict: wire.Refuted}
		if key := fmt.Sprint("race ", r.IntN(10)); r.IntN(4) == 0 {
			v.Verdict = wire.Confirmed
			if !slices.Contains(it.Seen, key) && !slices.Contains(w.Seen, key) {
				w.Seen = append(w.Seen, key)
				w.Found = append(w.Found,
					wire.Found{Key: key,
						Finding: &wire.Finding{Message: v.Pattern,
							Executions: it.Before + w.Tally.Executions}})
			}
		}
		w.Predicted.All = append(w.Predicted.All, v)
	}
	data, _ := json.Marshal(w)
	w = new(wire.Worked)
	if err := json.Unmarshal(data, w); err != nil {
		panic(err)
	}
	return w
}

func predictionShare() *wire.Share {
	s := &wire.Predicting{From: 3, To: 60,
		Told: wire.Predicted{Executions: 5, All: []wire.Prediction{{Pattern: "before"}}}}
	for i := s.From; i < 50; i++ {
		s.Untried = append(s.Untried, wire.Prediction{Pattern: fmt.Sprint(i), Verdict: wire.Untried})
	}
	return &wire.Share{Predicting: s, Tally: wire.Tally{Executions: 8}}
}

// The predictions, and the number of executions before each, are those of a single process,
// however results come.
func TestPredictionIsThatOfOneProcess(t *testing.T) {
	for seed := range uint64(100) {
		var found []wire.Found
		keep := func(w *wire.Worked, again bool) {
			if !again {
				found = append(found, w.Found...)
			}
		}
		alone := NewRun("TestPrediction", predictionShare(), nil, Options{Count: keep})
		for it := alone.Next(func() {}); it != nil; it = alone.Next(func() {}) {
			alone.Take(it, foretell(seed, it, 1<<30))
		}
		want, _ := alone.Finish()
		wantFound := found
		found = nil
		if len(want.Predicted.All) != 58 || len(wantFound) == 0 {
			t.Fatalf("seed %d: %d verdicts, %d findings", seed, len(want.Predicted.All), len(wantFound))
		}

		r := rand.New(rand.NewPCG(seed, 3))
		path := filepath.Join(t.TempDir(), "log")
		log, err := CreateLog(path, "x", "TestPrediction", predictionShare())
		if err != nil {
			t.Fatal(err)
		}
		run := NewRun("TestPrediction", predictionShare(), nil, Options{Log: log, Count: keep})
		var held []*wire.Item
		for !run.Over() || len(held) > 0 {
			if it := run.try(func() {}); it != nil && len(held) < 4 {
				held = append(held, it)
				continue
			} else if it != nil {
				run.Back(it)
			}
			i := r.IntN(len(held))
			it := held[i]
			held = slices.Delete(held, i, i+1)
			switch w := foretell(seed, it, 1+r.IntN(9)); r.IntN(6) {
			case 0:
				run.Back(it)
			case 1:
				run.Back(it) // taken for dead; its result comes all the same
				run.Take(it, w)
			case 2:
				run.Take(it, w)
				run.Take(it, foretell(seed, it, 1<<30))
			default:
				run.Take(it, w)
			}
			if r.IntN(20) == 0 {
				log.Close()
				var h *Header
				var results []*wire.Worked
				if log, h, results, err = OpenLog(path, "x"); err != nil {
					t.Fatal(err)
				}
				run, held = NewRun(h.Test, h.Share, results, Options{Log: log, Count: keep}), nil
			}
		}
		got, err := run.Finish()
		if err != nil || !reflect.DeepEqual(got.Predicted, want.Predicted) || got.Tally != want.Tally {
			t.Errorf("seed %d: %+v %+v, %v, want %+v %+v", seed, got.Tally, got.Predicted, err, want.Tally,
				want.Predicted)
		}
		if !reflect.DeepEqual(found, wantFound) {
			t.Errorf("seed %d: found %v, want %v", seed, found, wantFound)
		}
		log.Close()
	}
}

// Candidates that were not tried are reported, and an unfinished search for sets is reported as
// cut.
func TestPredictionThatIsEnded(t *testing.T) {
	run := NewRun("TestPrediction", predictionShare(), nil, Options{})
	a, b := run.Next(func() {}), run.Next(func() {})
	run.Take(b, foretell(1, b, 1))
	out, _ := run.Finish()
	if len(out.Predicted.All) != 1+47 || !out.Predicted.Cut {
		t.Errorf("%d verdicts, cut: %v", len(out.Predicted.All), out.Predicted.Cut)
	}
	for i, v := range out.Predicted.All[1:] {
		if tried := i+3 == b.Tasks.From; v.Pattern != fmt.Sprint(i+3) ||
			(v.Verdict == wire.Untried) == tried {
			t.Errorf("%+v, of items %+v and %+v", v, a.Tasks, b.Tasks)
		}
	}
}

// Predictions with the same places from several parts of the search for sets are one.
func TestPredictionJoined(t *testing.T) {
	at := func(line int, verdict string) wire.Prediction {
		return wire.Prediction{Verdict: verdict, Places: []wire.Place{{File: "a.go", Line: line}}}
	}
	p := &wire.Predicted{Excluded: 1,
		Parts: []wire.Prediction{at(1, wire.Excluded), at(2, wire.Refuted), at(1, wire.Excluded),
			at(2, wire.Confirmed), at(3, wire.Unknown), at(3, wire.Refuted)}}
	q := p.Joined()
	if q.Excluded != 2 || len(q.All) != 2 || q.All[0].Verdict != wire.Confirmed ||
		q.All[1].Verdict != wire.Unknown {
		t.Errorf("%+v", q)
	}
}
