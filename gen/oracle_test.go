package gen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/anishathalye/porcupine"
)

// A testOp is a call of a queue in a history: Put(v) or Take() = v, -1 of an empty one.
type testOp struct {
	G         int
	Put       bool
	V         int
	From, To  int // when it began and returned
	Completed []int
}

// oracleProgram reads histories and prints whether the oracle explains them, in time and without.
const oracleProgram = `package main

import ("encoding/json"; "fmt"; "os"; "reflect"; "sort"; "strings"; "sync"; "sync/atomic"; "testing")

type op struct { G int; Put bool; V int; Completed []int }

func main() {
	var all [][]op
	if err := json.NewDecoder(os.Stdin).Decode(&all); err != nil { panic(err) }
	for _, ops := range all {
		plan := func() *queuePlan {
			var items []int
			p := &queuePlan{goroutines: make([][]queueCall, 3)}
			for _, o := range ops {
				o := o
				p.goroutines[o.G] = append(p.goroutines[o.G], queueCall{"", func() []any {
					if o.Put { items = append(items, o.V); return nil }
					if len(items) == 0 { return []any{-1} }
					v := items[0]
					items = items[1:]
					return []any{v}
				}})
			}
			return p
		}
		h := &queueHistory{calls: make([][]queueResult, 3), inTime: make([][][]int, 3)}
		for _, o := range ops {
			r := queueResult{}
			if !o.Put { r = queueShow([]any{o.V}) }
			h.calls[o.G] = append(h.calls[o.G], r)
			h.inTime[o.G] = append(h.inTime[o.G], o.Completed)
		}
		linear := h.explained(plan, "")
		h.inTime = nil
		fmt.Println(linear, h.explained(plan, ""))
	}
}
`

// TestOracleAgreesWithPorcupine has random histories of a queue judged by the oracle that test
// files
// have, and by porcupine.
func TestOracleAgreesWithPorcupine(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 11))
	var all [][]testOp
	for range 3000 {
		all = append(all, randomHistory(rng))
	}
	out := runOracle(t, all)
	if len(out) != len(all) {
		t.Fatalf("%d verdicts of %d histories", len(out), len(all))
	}
	model := porcupine.Model{
		Init: func() any { return "" },
		Step: func(state, input, output any) (bool, any) {
			items, o := state.(string), input.(testOp)
			switch {
			case o.Put:
				return true, items + string(rune('a'+o.V))
			case items == "":
				return o.V == -1, items
			}
			return int(items[0]-'a') == o.V, items[1:]
		},
	}
	counts := map[string]int{}
	for i, ops := range all {
		var history []porcupine.Operation
		for _, o := range ops {
			history = append(history, porcupine.Operation{ClientId: o.G, Input: o, Call: int64(o.From),
				Return: int64(o.To)})
		}
		want := porcupine.CheckOperations(model, history)
		linear, sequential, _ := strings.Cut(out[i], " ")
		if linear != fmt.Sprint(want) || want && sequential != "true" {
			t.Fatalf("%+v: the oracle says %s, porcupine %v", ops, out[i], want)
		}
		counts[out[i]]++
	}
	for _, kind := range []string{"true true", "false true", "false false"} {
		if counts[kind] < 100 {
			t.Errorf("only %d histories are %q: the test says little", counts[kind], kind)
		}
	}
}

// randomHistory has two or three goroutines with up to three calls each, which overlap by chance.
func randomHistory(rng *rand.Rand) (ops []testOp) {
	left := []int{1 + rng.IntN(3), 1 + rng.IntN(3), rng.IntN(3)}
	open := []int{-1, -1, -1}
	done := []int{0, 0, 0}
	var put []int
	for now := 0; ; now++ {
		var can []int
		for g := range left {
			if left[g] > 0 || open[g] >= 0 {
				can = append(can, g)
			}
		}
		if len(can) == 0 {
			return ops
		}
		g := can[rng.IntN(len(can))]
		if i := open[g]; i >= 0 {
			ops[i].To, open[g] = now, -1
			done[g]++
			continue
		}
		o := testOp{G: g, Put: rng.IntN(2) == 0, From: now, Completed: append([]int{}, done...)}
		switch {
		case o.Put:
			o.V = len(put)
			put = append(put, o.V)
		case len(put) == 0 || rng.IntN(4) == 0:
			o.V = -1
		default:
			o.V = put[rng.IntN(len(put))]
		}
		open[g] = len(ops)
		ops = append(ops, o)
		left[g]--
	}
}

// runOracle compiles the oracle and returns its verdicts.
func runOracle(t *testing.T, all [][]testOp) []string {
	t.Helper()
	dir := t.TempDir()
	b := bytes.NewBufferString(oracleProgram)
	if err := oracle.Execute(b, oracleData{N: "queue", Linear: true}); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"main.go": b.String(),
		"go.mod": "module example.com/oracle\n\ngo 1.24\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	input, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "run", ".")
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(input)
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}
