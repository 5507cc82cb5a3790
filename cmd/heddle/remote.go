package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"heddle/cluster"
	"heddle/rt/wire"
	"heddle/trace"
)

// -nats: workers elsewhere take part.

// connect connects to NATS, and says how workers come there.
func (e *exploration) connect(ctx context.Context) (err error) {
	if e.o.nats.URL == "" {
		return nil
	}
	config, err := os.UserConfigDir()
	if err != nil {
		return err
	}
	if e.key, err = cluster.OpenKey(filepath.Join(config, "heddle", "key")); err != nil {
		return err
	}
	// if none was chosen, the token is heddle's, and only this line tells it
	chosen := !e.o.nats.Own() || e.o.nats.Token != ""
	if !chosen {
		e.o.nats.Token = cluster.Token(e.key)
	}
	if e.bus, err = cluster.Connect(ctx, e.o.nats); err != nil {
		return err
	}
	at := e.bus.URL()
	if !chosen {
		at = e.bus.Invitation()
	}
	e.report.Note(fmt.Sprintf("workers: heddle worker -nats %s -trust %s", at, cluster.Invite(e.key)))
	return nil
}

// remote lets workers elsewhere take part in the run.
func (s *sharing) remote(ctx context.Context) {
	m, err := s.offer(ctx)
	if err == nil {
		err = m.Work(ctx, s.run, s.diedElsewhere)
	}
	if err != nil && ctx.Err() == nil {
		s.exploration.report.Note(fmt.Sprintf("no workers elsewhere: %v", err))
		if s.o.parallel == 0 {
			s.mu.Lock()
			s.why = err
			s.mu.Unlock()
			s.run.Stop()
		}
	}
}

// audit makes some results again on which workers elsewhere let the claim rest that a search is
// complete. The error tells of the first that does not hold.
func (s *sharing) audit(ctx context.Context) error {
	out, _ := s.run.Look()
	if s.elsewhere == nil || !out.Complete || !s.shared.share.Search {
		return nil
	}
	var p *workProcess
	for _, c := range s.elsewhere.Claims() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if p == nil {
			p = s.idle.get()
		}
		if p == nil {
			p = s.idle.start(s.process())
		}
		w, err := p.do(c.Item(), new(cluster.Hurry))
		if err != nil {
			return fmt.Errorf("results of workers elsewhere could not be checked: %w", err)
		}
		if err := c.Check(w); err != nil {
			s.idle.put(p)
			return err
		}
	}
	if p != nil {
		s.idle.put(p)
	}
	return nil
}

// offer puts the package's binary where workers find it.
func (r *packageRun) offer(ctx context.Context) (*cluster.Remote, error) {
	if r.elsewhere != nil {
		return r.elsewhere, nil
	}
	if _, err := r.explored(); err != nil {
		return nil, err
	}
	b := r.process()
	b.config.Mode, b.config.Clips = "work", nil
	j := &cluster.Job{Binary: r.binary, Name: filepath.Base(r.pkg.Binary), Package: r.pkg.ImportPath,
		Dir: b.dir, Args: b.args, Config: b.config, Stall: int64(b.stall), Platform: cluster.Platform}
	m, err := r.bus.Offer(ctx, r.key, j, r.pkg.Binary)
	if err != nil {
		return nil, err
	}
	m.Read, m.Note = r.unlink, r.exploration.report.Note
	r.elsewhere = m
	return m, nil
}

// diedElsewhere is told of a process of a worker elsewhere that ended in an Item; there is no other
// try.
func (s *sharing) diedElsewhere(it *wire.Item, d *cluster.Death) (again bool) {
	res := &outcome{path: s.pkg.Binary, err: errors.New(d.Why), output: d.Output, crash: d.Crash,
		input: d.Input, stalled: d.Stalled, looped: d.Looped, timedOut: d.TimedOut}
	if d.Trace != nil {
		res.trace, _ = trace.Decode(d.Trace) // without it the policy and its seed are the clip
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.crash == nil {
		s.crash = res
	}
	return false
}
