package report

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"heddle/rt/wire"
)

var raceClip = &wire.Clip{Path: "/home/me/bank/testdata/heddle/TestTransfer/3f9a02c1", Test: "TestTransfer",
	Kind: "data race"}

func raceEvents() []*wire.Record {
	e := func(i int, g, op, object, value string, line int, marked bool) *wire.Record {
		return &wire.Record{Type: "event",
			Event: &wire.Event{Index: i, Step: i, G: g, Op: op, Object: object, Value: value, Where: at(line),
				Switch: marked, Partner: -1}}
	}
	return []*wire.Record{
		e(0, "main", "go", "", "main/1", 26, false),
		e(1, "main", "go", "", "main/2", 27, false),
		e(2, "main", "wg-wait", "", "", 28, false),
		e(3, "main/1", "read", "a.balance", "100", 20, false),
		e(4, "main/2", "read", "", "100", 20, true),
		e(5, "main/2", "write", "a.balance", "101", 21, false),
		e(6, "main/2", "send", "done", "true", 22, false),
		e(7, "main", "recv", "done", "true", 29, false),
		e(8, "main/1", "write", "a.balance", "101", 21, true),
	}
}

func replay(t *testing.T, name string, o Options, clip *wire.Clip, recs []*wire.Record, err error, code int) {
	t.Helper()
	var out bytes.Buffer
	o.Out = &out
	p := New(o).Replay(clip)
	for _, r := range recs {
		p.Record(r)
	}
	if got := p.End(err); got != code {
		t.Errorf("exit code %d, want %d", got, code)
	}
	golden(t, "replay_"+name, out.String())
	for line := range strings.Lines(out.String()) {
		if w := o.Width; w > 0 && strings.Contains(line, "bank.go") &&
			width(strings.TrimSuffix(line, "\n")) > w {
			t.Errorf("wider than %d: %q", w, line)
		}
	}
}

func TestReplay(t *testing.T) {
	o := options(nil)
	shown := &wire.Record{Type: "replayed", Test: "TestTransfer", Finding: dataRace()}
	fixed := &wire.Record{Type: "replayed", Test: "TestTransfer"}
	diverged := &wire.Record{Type: "replayed", Finding: &wire.Finding{Kind: "divergence", Divergence: "diverges at step 14: expected lock of mu at bank.go:20, got read of x at bank.go:21"}}
	panics := &wire.Record{Type: "replayed",
		Finding: &wire.Finding{Kind: "panic", Message: "panic: all is lost"}}
	ev := raceEvents()
	replay(t, "finding", o, raceClip, append(ev, shown), errors.New("exit status 1"), 1)
	replay(t, "other_finding", o, raceClip, append(ev, panics), nil, 1)
	replay(t, "fixed", o, raceClip, append(ev[:4:4], &wire.Record{Type: "output", Text: "hello\n"}, fixed),
		nil, 0)
	replay(t, "diverged", o, raceClip, append(ev[:4:4], diverged), errors.New("exit status 1"), 2)
	replay(t, "died", o, raceClip, ev[:4], errors.New("signal: killed"), 2)
	replay(t, "not_run", o, raceClip, nil, nil, 2)
	o.Width = 72
	replay(t, "72_columns", o, raceClip, append(ev, shown), nil, 1)
}

// Eight goroutines share one column. Names and values may be in any script.
func TestReplayManyAndUnicode(t *testing.T) {
	var many []*wire.Record
	for i := range 12 {
		g := fmt.Sprintf("main/%d", i%8+1)
		many = append(many,
			&wire.Record{Type: "event",
				Event: &wire.Event{Index: i, Step: i, G: g, Op: "send", Object: "done", Value: fmt.Sprint(i),
					Where: at(22), Switch: i%3 == 0}})
	}
	o := options(nil)
	o.Width = 80
	replay(t, "8_goroutines", o, &wire.Clip{Test: "TestMany"}, append(many, &wire.Record{Type: "replayed"}),
		nil, 0)

	var uni []*wire.Record
	for i, v := range []string{"Füße", "日本語の値", "e\u0301a\u0300", "👍", "\x1b[2J",
		"ünï" + strings.Repeat("長", 60)} {
		uni = append(uni,
			&wire.Record{Type: "event",
				Event: &wire.Event{Index: i, Step: i, G: []string{"main", "main/1", "main/2"}[i%3],
					Op: "write", Object: "größe", Value: v, Where: at(13)}})
	}
	replay(t, "unicode", o, &wire.Clip{Test: "TestÜ"}, append(uni, &wire.Record{Type: "replayed"}), nil, 0)
}

func TestReplayQuietAndLong(t *testing.T) {
	o := options(nil)
	var quiet []*wire.Record
	for i := range 20 {
		quiet = append(quiet,
			&wire.Record{Type: "event",
				Event: &wire.Event{Index: i, Step: i, G: "main", Op: "lock", Object: "mu", Where: at(11),
					Quiet: i >= 2 && i < 5 || i >= 7 && i < 15}})
	}
	replay(t, "quiet", o, raceClip, append(quiet, &wire.Record{Type: "replayed"}), nil, 0)

	var out bytes.Buffer
	o.Out = &out
	p := New(o).Replay(raceClip)
	for i := range 100_000 {
		p.Record(&wire.Record{Type: "event",
			Event: &wire.Event{Index: i, Step: i, G: fmt.Sprintf("main/%d", i/1000), Op: "lock",
				Switch: i%1000 == 0}})
	}
	p.Record(&wire.Record{Type: "replayed"})
	if p.End(nil) != 0 {
		t.Error("exit code")
	}
	if n := strings.Count(out.String(), "\n"); n > 700 || n < 300 {
		t.Errorf("%d lines", n)
	}
}

// For any number of goroutines and any width, no line is too wide and none is lost.
func TestTableFits(t *testing.T) {
	for gs := 1; gs <= 9; gs++ {
		for _, w := range []int{60, 80, 120, 200} {
			var rows []row
			for i := range 20 {
				rows = append(rows,
					row{num: i, g: fmt.Sprintf("main/%d", i%gs), text: "write someVariable.field = 12345",
						where: "bank.go:20", source: strings.Repeat("source ", 30), mark: i%2 == 0})
			}
			lines := table(rows, w)
			if len(lines) < 20 {
				t.Errorf("%d goroutines, %d columns: %d lines", gs, w, len(lines))
			}
			for _, l := range lines {
				if width(l) > w {
					t.Errorf("%d goroutines, %d columns: %d wide: %s", gs, w, width(l), l)
				}
			}
		}
	}
}

func TestWidths(t *testing.T) {
	for _, tt := range []struct {
		s    string
		n    int
		want string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"日本語", 6, "日本語"}, {"日本語", 5, "日本…"}, {"日本語", 4, "日…"},
		{"e\u0301e\u0301", 2, "e\u0301e\u0301"}, {"abc", 0, ""}, {"abc", 1, "…"},
	} {
		if got := fit(tt.s, tt.n); got != tt.want || width(got) > tt.n {
			t.Errorf("fit(%q, %d) = %q, want %q", tt.s, tt.n, got, tt.want)
		}
	}
	if got := fitLeft("a/long/path.go:20", 8); got != "…h.go:20" {
		t.Error(got)
	}
}

func TestWords(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 12096: "12,096",
		-1234567: "-1,234,567"} {
		if got := thousands(n); got != want {
			t.Errorf("thousands(%d) = %s", n, got)
		}
	}
	for s, want := range map[float64]string{0: "<1ms", 0.011: "11ms", 0.21: "0.2s", 9.94: "9.9s", 12: "12s",
		59.6: "1m00s", 125: "2m05s"} {
		if got := seconds(s); got != want {
			t.Errorf("seconds(%v) = %s, want %s", s, got, want)
		}
	}
	if got := clean("a\tb\x1b[0m\r\n\xff\ufffd\u202e"); got != "a    b\\x1b[0m\\r\n\\xff\ufffd\\u202e" {
		t.Errorf("clean: %q", got)
	}
}

func TestGoroutineOrder(t *testing.T) {
	got := []string{"main/10", "main/2/1", "main", "timers", "main/2", "main/1"}
	sortNames(got)
	if s := strings.Join(got, " "); s != "main main/1 main/2 main/2/1 main/10 timers" {
		t.Error(s)
	}
}

func TestReadSource(t *testing.T) {
	if got := ReadSource("words.go", 1); got != "package report" {
		t.Errorf("%q", got)
	}
	for _, f := range []string{"none.go", ".", "words.go"} {
		if got := ReadSource(f, 1_000_000); got != "" {
			t.Errorf("%s: %q", f, got)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		text string
		n    int
		want string
	}{
		{"a bc def", 4, "a bc|def"}, {"a bc def", 8, "a bc def"}, {"toolongaword b", 4, "toolongaword|b"},
		{"", 4, ""}, {"日本 語", 4, "日本|語"}, {"x  y", 3, "x y"},
	} {
		if got := strings.Join(wrap(tt.text, tt.n), "|"); got != tt.want {
			t.Errorf("wrap(%q, %d) = %q, want %q", tt.text, tt.n, got, tt.want)
		}
	}
}

// The replay shows that a connection is used, but not the operations that keep its order.
func TestReplayOfConnection(t *testing.T) {
	at := wire.Place{File: "a.go", Line: 3, Object: "connection"}
	r := New(Options{Width: 100})
	p := &Replay{r: r, events: []wire.Event{
		{Index: 0, Step: 0, G: "main", Op: "lock", Where: at, Partner: -1},
		{Index: 1, Step: 1, G: "main", Op: "broadcast", Where: at, Partner: -1},
		{Index: 2, Step: 2, G: "main", Op: "unlock", Where: at, Partner: -1},
		{Index: 3, Step: 3, G: "main", Op: "end", Partner: -1},
	}}
	text := func() string { return strings.Join(table(p.rows(), 100), "\n") }
	if got := text(); !strings.Contains(got, "lock connection") || strings.Contains(got, "broadcast") ||
		strings.Contains(got, "unlock") || !strings.Contains(got, "2 steps inside the standard library") {
		t.Error(got)
	}
	for i := range p.events {
		p.events[i].Where.Site = 7 // a lock of the program, whatever its name
	}
	if got := text(); !strings.Contains(got, "unlock connection") {
		t.Error(got)
	}
}
