package wire

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// fill sets the fields of a struct, each to one of few values, or leaves it zero.
func fill(v reflect.Value, rng *rand.Rand) {
	for i := range v.NumField() {
		if f := v.Field(i); rng.IntN(3) > 0 {
			switch f.Kind() {
			case reflect.String:
				f.SetString(strings.Repeat("x", 1+rng.IntN(2)))
			case reflect.Int, reflect.Int64:
				f.SetInt(int64(rng.IntN(4) - 1))
			case reflect.Uint64:
				f.SetUint(rng.Uint64N(3))
			case reflect.Bool:
				f.SetBool(true)
			case reflect.Struct:
				fill(f, rng)
			case reflect.Pointer:
				f.Set(reflect.New(f.Type().Elem()))
				if f.Elem().Kind() == reflect.Struct {
					fill(f.Elem(), rng)
				}
			case reflect.Slice:
				f.Set(reflect.MakeSlice(f.Type(), 1, 1))
				fill(f.Index(0), rng)
			default:
				panic("a field of kind " + f.Kind().String())
			}
		}
	}
}

// What is packed comes back as it was: events and steps that are alike in all but one field too.
func TestPackRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, packFrom - 1, packFrom, 3000} {
		steps, events := make(Steps, n), make(Events, n)
		for i := range n {
			if i > 0 && rng.IntN(2) == 0 { // one field differs
				steps[i], events[i] = steps[rng.IntN(i)], events[rng.IntN(i)]
				for _, entry := range []any{&steps[i], &events[i]} {
					v := reflect.ValueOf(entry).Elem()
					w := reflect.New(v.Type()).Elem()
					fill(w, rng)
					k := rng.IntN(v.NumField())
					v.Field(k).Set(w.Field(k))
				}
				continue
			}
			fill(reflect.ValueOf(&steps[i]).Elem(), rng)
			fill(reflect.ValueOf(&events[i]).Elem(), rng)
		}
		for i := range events {
			events[i].Partner = max(events[i].Partner, -1)
		}
		data, err := json.Marshal(Finding{Clip: Clip{Steps: steps}, Story: events})
		if err != nil {
			t.Fatal(err)
		}
		var f Finding
		if err := json.Unmarshal(data, &f); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if !reflect.DeepEqual(f.Clip.Steps[i], steps[i]) {
				t.Fatalf("step %d of %d is %+v, want %+v", i, n, f.Clip.Steps[i], steps[i])
			}
			if !reflect.DeepEqual(f.Story[i], events[i]) {
				t.Fatalf("event %d of %d is %+v, want %+v", i, n, f.Story[i], events[i])
			}
		}
	}
}

// Steps of a long execution take a few bytes each.
func TestPackSize(t *testing.T) {
	steps := make(Steps, 20_000)
	for i := range steps {
		steps[i] = Step{G: "main/1", Op: "lock", Choice: -1, Where: Place{Site: uint64(i % 50)}}
	}
	data, err := json.Marshal(steps)
	if err != nil {
		t.Fatal(err)
	}
	if most := 2 * len(steps); len(data) > most {
		t.Errorf("%d bytes for %d steps, want %d at most", len(data), len(steps), most)
	}
}
