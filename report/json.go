package report

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"heddle/explore/why"
)

// An event is an event of go test -json, as documented for cmd/test2json.
type event struct {
	Time        *time.Time `json:",omitempty"`
	Action      string
	Package     string   `json:",omitempty"`
	Test        string   `json:",omitempty"`
	Elapsed     *float64 `json:",omitempty"`
	Output      *string  `json:",omitempty"`
	FailedBuild string   `json:",omitempty"`
}

// A buildEvent is an event of go build -json (go help buildjson).
type buildEvent struct {
	ImportPath string
	Action     string
	Output     string `json:",omitempty"`
}

// A findingEvent is an event that only heddle has. The fields and their order are stable.
type findingEvent struct {
	Action     string
	Package    string
	Test       string
	Kind       string
	Message    string
	Places     []jsonPlace
	Executions int
	Clip       string
	Input      []string `json:",omitempty"` // arguments of a fuzz target
	InputFile  string   `json:",omitempty"`
	Cause      string   `json:",omitempty"` // findings with one cause have one name
	Known      string   `json:",omitempty"` // by what it was known before
	Pattern    string   `json:",omitempty"` // the name of one of pattern.Patterns
	Why        string   `json:",omitempty"` // a paragraph
	Hint       string   `json:",omitempty"` // what to change
}

type jsonPlace struct {
	File      string
	Line      int
	Op        string
	Object    string
	Goroutine string
}

// A summaryEvent is an event that only heddle has: how far a test was explored. The fields and
// their order are stable.
type summaryEvent struct {
	Action     string
	Package    string
	Test       string
	Strategy   string
	Executions int
	Complete   bool
	Findings   int
	Elapsed    float64
	Code       why.Code `json:",omitempty"` // why it is not complete
	Reason     string   `json:",omitempty"` // the same in words
	Known      int      `json:",omitempty"` // of the findings, those that were known before
	Cached     bool     `json:",omitempty"` // the verdict is that of an earlier run

	Within why.Bounds `json:",omitzero"` // of one that is not complete: all within is covered
	// executions of a complete one in which the test failed after an early timer
	EarlyFailures int `json:",omitempty"`
}

func (r *Reporter) findingEvent(pkg, test string, f Finding) findingEvent {
	x := r.explained(&f)
	e := findingEvent{"finding", pkg, test, f.Kind, message(f.Finding), []jsonPlace{}, f.Executions,
		f.ClipPath, f.Clip.Input, r.short(f.InputFile), f.Cause, f.Known, string(x.Pattern), x.Why, x.Hint}
	for _, p := range f.Places {
		e.Places = append(e.Places, jsonPlace{r.short(p.File), p.Line, p.Op, p.Object, p.Goroutine})
	}
	return e
}

// event prints e with the current time.
func (r *Reporter) event(e event) {
	t := r.o.Now()
	e.Time = &t
	r.jsonLine(e)
}

func (r *Reporter) jsonLine(v any) {
	r.status.clear(r.o.Status)
	enc := json.NewEncoder(r.o.Out)
	enc.SetEscapeHTML(false)
	enc.Encode(v) // an error of Out cannot be reported
}

// subtests turns the output of package testing with -v into the events of subtests, like
// cmd/test2json.
type subtests struct {
	p       *Package
	test    string // the top-level test
	current string // the test that the output belongs to
	rest    string // an unfinished line
	open    []string
	ended   []subtest
}

type subtest struct {
	action, name string
	elapsed      float64
}

func (s *subtests) output(text string) {
	text = s.rest + text
	i := strings.LastIndexByte(text, '\n') + 1
	s.rest = text[i:]
	for line := range strings.Lines(text[:i]) {
		s.line(line)
	}
}

// flush prints an unfinished last line.
func (s *subtests) flush() {
	if s.rest != "" {
		s.line(s.rest + "\n")
		s.rest = ""
	}
}

func (s *subtests) line(line string) {
	if ownLines(s.test, line) == "" {
		return
	}
	for _, m := range [...]struct{ prefix, action string }{{"=== RUN   ", "run"}, {"=== PAUSE ", "pause"},
		{"=== CONT  ", "cont"}, {"=== NAME  ", ""}} {
		name, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), m.prefix)
		if !ok || !s.mine(name) {
			continue
		}
		s.current = name
		if m.action == "run" {
			s.open = append(s.open, name)
		}
		if m.action != "" && name != s.test {
			s.p.r.event(event{Action: m.action, Package: s.p.path, Test: name})
		}
		if m.action == "" {
			return // test2json omits these lines
		}
	}
	if end, ok := s.verdict(line); ok {
		s.current = end.name
		s.ended = append(s.ended, end)
	}
	s.p.text(s.current, line)
}

// mine reports whether name is the test or one of its subtests.
func (s *subtests) mine(name string) bool {
	return name == s.test || strings.HasPrefix(name, s.test+"/")
}

// verdict parses a line such as " --- PASS: TestX/sub (0.00s)".
func (s *subtests) verdict(line string) (subtest, bool) {
	l := strings.TrimSpace(line)
	for _, m := range [...]struct{ prefix, action string }{{"--- PASS: ", "pass"}, {"--- FAIL: ", "fail"},
		{"--- SKIP: ", "skip"}} {
		rest, ok := strings.CutPrefix(l, m.prefix)
		i := strings.LastIndex(rest, " (")
		if !ok || i < 0 || !strings.HasPrefix(rest, s.test+"/") {
			continue
		}
		d, err := strconv.ParseFloat(strings.TrimSuffix(rest[i+2:], "s)"), 64)
		return subtest{m.action, rest[:i], d}, err == nil
	}
	return subtest{}, false
}

// end prints the verdicts of the subtests. A subtest without verdict failed.
func (s *subtests) end() {
	said := map[string]bool{}
	for _, e := range s.ended {
		said[e.name] = true
	}
	for _, name := range s.open {
		if !said[name] && name != s.test {
			said[name] = true
			s.ended = append(s.ended, subtest{"fail", name, 0})
		}
	}
	for i := len(s.ended) - 1; i >= 0; i-- { // package testing prints parents first; test2json ends them last
		e := s.ended[i]
		s.p.r.event(event{Action: e.action, Package: s.p.path, Test: e.name, Elapsed: &e.elapsed})
	}
}
