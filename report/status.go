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

	expected map[string]float64 // tests that are not over, with what each took before; 0: unknown
	all      int                // tests of the run
	done     int
	took     float64   // seconds, the tests that are over
	timed    int       // how many these are, without those from the cache
	wide     int       // tests that are explored at the same time
	told     time.Time // when the last line was printed without a terminal
}

// Expect says which tests a run has, by package and name with a blank between, how many seconds
// each took when it was explored last (0: unknown), and how many are explored at the same time.
func (r *Reporter) Expect(tests map[string]float64, wide int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status.expected, r.status.all, r.status.wide = tests, len(tests), max(wide, 1)
}

// over notes that a test is over.
func (s *status) over(pkg string, t *TestResult) {
	if _, ok := s.expected[pkg+" "+t.Name]; ok {
		delete(s.expected, pkg+" "+t.Name)
		s.done++
		if !t.Cached {
			s.timed++
			s.took += t.Elapsed
		}
	}
}

// left estimates how long the tests take that are not over: each as long as before, or as the mean
// of those that are over. ok: there is something to go by.
func (s *status) left() (estimate float64, ok bool) {
	mean := 0.0
	if s.timed > 0 {
		mean = s.took / float64(s.timed)
	}
	for _, took := range s.expected {
		if took == 0 && s.timed == 0 {
			return 0, false
		}
		if took == 0 {
			took = mean
		}
		estimate += took
	}
	return max(0, estimate-s.elapsed) / float64(max(s.wide, 1)), true
}

// whole says how far the run has come: "12 of 60 tests  about 3m10s left".
func (s *status) whole() (parts []string) {
	if s.all < 2 {
		return nil
	}
	parts = append(parts, fmt.Sprintf("%s of %s", thousands(s.done), plural(s.all, "test")))
	if left, ok := s.left(); ok && s.done < s.all {
		parts = append(parts, "about "+seconds(left)+" left")
	}
	return parts
}

// tellEvery is how often a run without a terminal says how far it has come: seldom enough for a
// log, often enough for a CI service that ends what is silent.
const tellEvery = time.Minute

// tell prints how far the run has come where there is no terminal to draw on.
func (r *Reporter) tell(now time.Time) {
	s := &r.status
	if r.o.Status != nil || s.all < 2 {
		return
	}
	if s.told.IsZero() {
		s.told = s.begin
	}
	if now.Sub(s.told) >= tellEvery {
		s.told = now
		parts := append(s.whole(), plural(s.findings, "finding"))
		io.WriteString(r.o.Err, "heddle: "+strings.Join(parts, ", ")+"\n")
	}
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
	r.tell(now)
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
		parts = append(parts, s.whole()...)
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
