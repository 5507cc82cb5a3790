package forced

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heddle/clip"
	"heddle/rt/wire"
)

const source = `package p

func (s *Stock) Buy(t *testing.T) {
	for s.left() > 0 { // header
		s.mu.Lock()
		s.mu.Lock()
		wg.Go(func() { s.n-- })
	}
	select {
	case <-c:
		f()
	}
	defer s.mu.Unlock()
}
`

// The statements of a file are those that another can be put before, numbered among equal ones.
func TestStatements(t *testing.T) {
	var got []string
	for _, s := range forcedStatements([]byte(source)) {
		if s.Function != "*Stock.Buy" && s.Function != "(*Stock).Buy" {
			t.Errorf("function %q", s.Function)
		}
		if !strings.HasPrefix(source[s.Offset:], s.Text[:1]) {
			t.Errorf("%q does not begin at %d", s.Text, s.Offset)
		}
		got = append(got, s.Text+strings.Repeat("'", s.Nth-1))
	}
	want := "for s.left() > 0 | select | defer s.mu.Unlock() | s.mu.Lock() | s.mu.Lock()' | wg.Go(func() { s.n-- }) | s.n-- | f()"
	if text := strings.Join(got, " | "); text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}

// What a plain test cannot force is refused, with the reason.
func TestRefused(t *testing.T) {
	for want, c := range map[string]wire.Clip{
		"go test -race -run '^TestX$'": {Test: "TestX", Kind: "data race"},
		"timers fire early":            {Test: "TestX", Kind: "panic", Free: true},
		"of a fuzz target":             {Test: "FuzzX", Kind: "panic", Input: []string{"int(1)"}},
		"main is no test":              {Test: "main", Kind: "panic"},
		"expected the test TestX":      {Test: "TestX", Kind: "panic"},
	} {
		_, err := Test(&clip.File{Clip: c}, t.TempDir(), 0)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// Each goroutine of a clip waits at the statement where a part of the order begins until the parts
// before are over.
func TestTurns(t *testing.T) {
	dir := t.TempDir()
	program := `package p

import "testing"

func TestX(t *testing.T) {
	go func() { buy() }()
	go func() { buy() }()
	done.Wait()
}

func buy() {
	if left() == 0 {
		return
	}
	take()
}
`
	if err := os.WriteFile(filepath.Join(dir, "p_test.go"), []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	step := func(g, op string, line int, s bool) wire.Step {
		return wire.Step{G: g, Op: op, Where: wire.Place{File: "p_test.go", Line: line}, Switch: s}
	}
	c := wire.Clip{Test: "TestX", Kind: "panic", Steps: []wire.Step{
		step("main", "start", 0, false), step("main", "go", 6, false), step("main", "go", 7, false),
		step("main/1", "start", 6, false), step("main/1", "lock", 12, false),
		step("main/2", "start", 7, true), step("main/2", "lock", 12, false),
		step("main/2", "lock", 15, false), step("main/1", "lock", 15, false), step("main", "wait", 8, false),
	}}
	text, err := Test(&clip.File{Clip: c}, dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(text) {
		if _, stop, ok := strings.Cut(line, "Statement: "); ok {
			got = append(got, strings.TrimSpace(stop))
		}
	}
	want := []string{
		`"if left() == 0", Nth: 1, Arrival: 1, Over: 0, Turn: 2},`,
		`"if left() == 0", Nth: 1, Arrival: 2, Over: 0, Turn: 3},`,
		`"take()", Nth: 1, Arrival: 1, After: true, Over: 3, Turn: 0},`, // the first one that leaves it
		`"take()", Nth: 1, Arrival: 1, Over: 2, Turn: 4},`,
		`"take()", Nth: 1, Arrival: 2, After: true, Over: 4, Turn: 0},`,
		`"done.Wait()", Nth: 1, Arrival: 1, Over: 1, Turn: 5},`,
		`"done.Wait()", Nth: 1, Arrival: 1, After: true, Over: 5, Turn: 0},`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if !strings.Contains(text, "Channels force the order") {
		t.Error("the test does not say how it forces the order")
	}
}
