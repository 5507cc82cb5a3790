package machine

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"heddle/internal/progen"
	"heddle/rt/hook"
	"heddle/rt/sched"
	"heddle/trace"
)

// The only running goroutine need not report its accesses to the race detector: it finds the same
// races, at the same steps.
func TestSoloHidesNoRace(t *testing.T) {
	defer func(n uint32) { sched.SoloAfter = n }(sched.SoloAfter)
	races, alone := 0, 0
	size := progen.Default
	for seed := *from; seed < *from+10*uint64(*seeds); seed++ {
		p := progen.Generate(seed, size)
		m := New(p)
		m.Sync = true
		for choice := range uint64(10) {
			sched.SoloAfter = 1 << 31
			want := racesOf(t, m, choice)
			told := reflect.ValueOf(hook.Read).Pointer()
			sched.SoloAfter = 1
			m.Local = func(string, [progen.Registers]int, int) {
				if reflect.ValueOf(hook.Read).Pointer() != told {
					alone++
				}
			}
			got := racesOf(t, m, choice)
			m.Local = nil
			races += len(want)
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d, choices %d: races %v, without looking who is alone %v\n%s", seed, choice,
					got, want, progen.Source(p))
			}
		}
	}
	t.Logf("%d races; alone at %d statements", races, alone)
	if races == 0 || alone == 0 {
		t.Error("the programs show nothing")
	}
}

func racesOf(t *testing.T, m *Machine, choices uint64) []string {
	if _, err := m.Execute(context.Background(),
		&trace.Schedule{Policy: "random", Seed: choices}); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, r := range sched.S.Races() {
		all = append(all,
			fmt.Sprintf("%s at step %d: %v at %v, %v at %v", m.variable(r.Addr), r.Step, r.G, r.At, r.PrevG,
				r.Prev))
	}
	return all
}
