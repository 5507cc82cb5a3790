package agree

import (
	"context"
	"flag"
	"fmt"
	"testing"

	"heddle/explore/branch"
	"heddle/internal/progen"
	"heddle/internal/progen/machine"
)

var fitting = flag.Int("fitting", 400, "random programs of selects whose schedules are executed")

// fits explores a program by strategy branch. The error says which schedule could not be executed.
func fits(p *progen.Program, most int) error {
	m := machine.New(p)
	m.Flow = true
	for s, n := branch.New(branch.Options{}), 0; n < most; n++ {
		q := s.Next()
		if q == nil {
			break
		}
		t, err := m.Execute(context.Background(), q)
		if m.Restart() { // from now on arriving at a polled side is a step
			s, n = branch.New(branch.Options{}), -1
			continue
		}
		if err != nil {
			return fmt.Errorf("execution %d: %w", n+1, err)
		}
		s.Done(t)
	}
	return nil
}

// TestSchedulesFit: every schedule of strategy branch can be executed, whether channels have room
// for no value, one or two, and whether selects poll them.
func TestSchedulesFit(t *testing.T) {
	for i := range uint64(*fitting) {
		for _, room := range []int{-1, 0, 1} {
			p := selectingProgram(*theoremsFrom + i)
			for k := range p.Chans {
				if room >= 0 {
					p.Chans[k] = (room + k) % 3
				}
			}
			if err := fits(p, 60); err != nil {
				small := progen.Shrink(p, func(q *progen.Program) bool { return fits(q, 60) != nil })
				t.Errorf("program %d, %v: %v\nshrunk: %v\n%s", p.Seed, p.Chans, err, fits(small, 60),
					progen.Source(small))
			}
		}
	}
}
