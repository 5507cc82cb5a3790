package forced

import (
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
