package report

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"heddle/rt/wire"
)

// A status is the line at the bottom of a terminal while heddle works, e.g.
//
//	TestTransfer  1,234 executions  11,020/s  2 findings  0.4s
//
// It is overwritten in place, at most ten times a second.
type status struct {
	begin    time.Time
	drawn    time.Time
	shown    bool
	doing    string  // shown in place of a test: "compiling the standard library"
	test     string  // the test being explored
	now      int     // its executions so far
	past     int     // executions of earlier tests
	elapsed  float64 // of the open test, seconds
	at       string  // what happens between its executions, if that takes long
	estimate float64 // estimated executions of a complete search of the open test; 0: unknown
	findings int
}

// Doing shows in the status line what happens before tests run. "" ends it.
func (r *Reporter) Doing(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status.doing = what
	r.status.drawn = time.Time{}
	r.draw()
}

// Tick redraws the status line. The command calls it periodically.
func (r *Reporter) Tick() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.draw()
}

func (s *status) progress(rec *wire.Record) {
	s.doing, s.test = "", rec.Test
	s.now, s.elapsed, s.estimate, s.at = rec.Executions, rec.Elapsed, rec.Estimate, rec.Text
}

func (s *status) ended(rec *wire.Record) {
	s.past += rec.Executions
	s.now, s.elapsed, s.estimate, s.test, s.at = 0, 0, 0, "", ""
}

func (r *Reporter) draw() {
	s := &r.status
	now := r.o.Now()
	if r.o.Status == nil || now.Sub(s.drawn) < 100*time.Millisecond {
		return
	}
	s.drawn, s.shown = now, true
	io.WriteString(r.o.Status, "\r"+fit(s.line(now, r.o.Runs), r.o.Width-1)+"\x1b[K")
}

func (s *status) line(now time.Time, runs int) string {
	total := now.Sub(s.begin).Seconds()
	var parts []string
	add := func(p string) { parts = append(parts, p) }
	if s.doing != "" {
		add(s.doing)
	} else {
		if s.test != "" {
			add(s.test)
		}
		add(plural(s.now+s.past, "execution"))
		if s.now > 0 && s.elapsed > 0 {
			add(thousands(int(float64(s.now)/s.elapsed)) + "/s")
		}
		if s.estimate > 0 && s.now > 0 {
			add(s.share())
		}
		if runs > 0 && s.now > 0 {
			add(fmt.Sprintf("%d%%", min(100, 100*s.now/runs)))
		}
		if s.at != "" {
			add(s.at)
		}
	}
	if s.findings > 0 {
		add(plural(s.findings, "finding"))
	}
	add(seconds(total))
	return oneLine(strings.Join(parts, "  "))
}

// share says which share of a search is done, and about how long the rest takes.
func (s *status) share() string {
	all := max(s.estimate, float64(s.now))
	return fmt.Sprintf("%.2g%% of about %s, %s left", 100*float64(s.now)/all, about(all),
		seconds(s.elapsed*(all/float64(s.now)-1)))
}

// about returns an estimate as text. More than two digits would pretend precision.
func about(n float64) string {
	if n < 1e6 {
		p := math.Pow(10, max(0, math.Floor(math.Log10(n))-1))
		return thousands(int(math.Round(n/p) * p))
	}
	return fmt.Sprintf("%.1e", n)
}

// clear removes the line, so that text can be printed.
func (s *status) clear(w io.Writer) {
	if w != nil && s.shown {
		io.WriteString(w, "\r\x1b[K")
		s.shown, s.drawn = false, time.Time{}
	}
}
