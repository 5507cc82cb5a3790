package machine

import (
	"context"
	"errors"

	"heddle/internal/odometer"
	"heddle/rt/sched"
	"heddle/trace"
)

// ErrTooMany says that a program has more interleavings than allowed.
var ErrTooMany = errors.New("machine: too many interleavings")

// Exhaust makes all executions of m's program, at most limit, and returns their outcomes.
// exhaustive selects the semantics of Schedule.Exhaustive, else the native ones. each, if not nil,
// is called after every execution.
func (m *Machine) Exhaust(exhaustive bool, limit int, each func(*trace.Trace)) (*Outcomes, int, error) {
	o := NewOutcomes()
	odo := new(odometer.Odometer)
	m.Policy, m.OneShot = odo, !exhaustive
	defer func() { m.Policy, m.OneShot = nil, false }()
	s := &trace.Schedule{Exhaustive: exhaustive, Free: m.Free}
	for n := 1; ; n++ {
		t, err := m.Execute(context.Background(), s)
		if m.Restart() {
			*odo = odometer.Odometer{}
			o, n = NewOutcomes(), 0
			continue
		}
		if err != nil {
			return o, n, err
		}
		o.Add(m)
		if each != nil {
			each(t)
		}
		if !odo.Next() {
			return o, n, nil
		}
		if n >= limit {
			return o, n, ErrTooMany
		}
	}
}

// Restart reports whether the last execution polled a channel that was not known to be polled.
// Then a search must start again.
func (m *Machine) Restart() bool {
	p := sched.S.Polled()
	m.polled = append(m.polled, p...)
	return len(p) > 0
}
