package drive

import (
	"context"

	"heddle/rt/policy"
	"heddle/rt/sched"
	"heddle/trace"
)

// An executor runs one test once under a schedule. It implements the Executor
// that strategies see.
type executor struct {
	d        *driver
	t        *Test
	n        int // executions so far
	policies map[policyKey]policy.Policy
	record   bool

	pastDeadlock bool // see sched.Options
	visible      sched.VisibleMode
	outcome      Outcome
}

type policyKey struct {
	name  string
	depth int
}

func newExecutor(d *driver, t *Test) *executor {
	x := &executor{d: d, t: t, policies: make(map[policyKey]policy.Policy)}
	switch d.cfg.Visible {
	case "sync":
		x.visible = sched.VisibleSync
	case "all":
		x.visible = sched.VisibleAll
	default:
		x.visible = sched.VisibleAuto
	}
	return x
}

func (x *executor) policy(name string, depth int) (policy.Policy, error) {
	if name == "" {
		name = "first"
	}
	key := policyKey{name, depth}
	if p := x.policies[key]; p != nil {
		return p, nil
	}
	p, err := policy.New(name, depth)
	if err == nil {
		x.policies[key] = p
	}
	return p, err
}

// Execute runs the test once. The trace is overwritten by the next call.
func (x *executor) Execute(ctx context.Context, s *trace.Schedule) (*trace.Trace, error) {
	p, err := x.policy(s.Policy, s.Depth)
	if err != nil {
		return nil, err
	}
	return x.executeWith(s, p), ctx.Err()
}

func (x *executor) executeWith(s *trace.Schedule, p policy.Policy) *trace.Trace {
	if x.n%collectCheck == 0 {
		x.d.collect()
	}
	if x.d.vars != nil {
		x.d.vars.restore()
	}
	x.n++
	p.Begin(s.Seed)
	crash.begin(x.t.Name, x.n, s)
	x.outcome = Outcome{}
	o := &x.outcome
	t := sched.S.Run(func() { x.t.Body(o) }, sched.Options{
		Schedule: s, Policy: p, Steps: x.d.cfg.Steps, Race: x.d.cfg.Race, Visible: x.visible, Record: x.record, PastDeadlock: x.pastDeadlock,
		BeforeUnwind: func() {
			if o.Mark != nil {
				o.Mark()
			}
		},
	})
	crash.end()
	return t
}
