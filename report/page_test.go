package report

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heddle/report/timeline"
	"heddle/rt/wire"
)

// drawn replays events of the bank and returns the page.
func drawn(t *testing.T, f *wire.Finding, found *Finding, ended error,
	events ...wire.Event) timeline.Finding {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "bank.go")
	if err := os.WriteFile(file, []byte(bank), 0o666); err != nil {
		t.Fatal(err)
	}
	here := func(ps []wire.Place) {
		for i := range ps {
			if strings.HasPrefix(ps[i].File, "/home/me/bank") {
				ps[i].File = file
			}
		}
	}
	var out bytes.Buffer
	o := options(&out)
	o.Dir, o.Source = dir, nil
	lookup := o.Lookup
	o.Lookup = func(site uint64) (SitePos, bool) {
		p, ok := lookup(site)
		p.File = file
		return p, ok
	}
	r := New(o)
	c := wire.Clip{Test: "TestTransfer", Kind: "data race",
		Path: filepath.Join(dir, "testdata/heddle/TestTransfer/1")}
	if f != nil {
		here(f.Places)
		for _, st := range f.Stacks {
			here(st.Frames)
		}
		c.Steps = f.Clip.Steps
	}
	p := r.Replay(&c)
	for i := range events {
		events[i].Index, events[i].Step = i, i
		p.Record(&wire.Record{Type: "event", Event: &events[i]})
	}
	if ended == nil {
		p.Record(&wire.Record{Type: "replayed", Test: c.Test, Result: "finding", Finding: f})
	}
	return p.Page("example.com/bank", found, ended)
}

func happens(g, op string, line, obj int) wire.Event {
	e := wire.Event{G: g, Op: op, Obj: obj, Partner: -1, Where: at(line)}
	if obj > 0 {
		e.Object = fmt.Sprintf("mutex main#%d", obj)
	}
	return e
}

func TestPageOfRace(t *testing.T) {
	first := happens("main", "go", 26, 0)
	first.Child = "main/1"
	write := happens("main/2", "write", 21, 5)
	write.Value, write.Switch = "100", true
	var many []wire.Event
	for range 60 {
		many = append(many, happens("main/3", "lock", 11, 7), happens("main/3", "unlock", 12, 7))
	}
	quiet := happens("main/1", "lock", 11, 8)
	quiet.Quiet = true
	events := append([]wire.Event{first, quiet}, many...)
	events = append(events, write, happens("main/1", "read", 20, 5), happens("main/1", "end", 0, 0))
	p := drawn(t, dataRace(), nil, nil, events...)
	if p.Heading != "DATA RACE on a.balance" || p.Test != "TestTransfer" || p.Package != "example.com/bank" ||
		!strings.Contains(p.Message, "a.balance") {
		t.Errorf("%q %q %q %q", p.Heading, p.Test, p.Package, p.Message)
	}
	if p.Replay != "heddle replay testdata/heddle/TestTransfer/1" {
		t.Error(p.Replay)
	}
	n := len(events)
	if len(p.Events) != n-1 {
		t.Fatalf("%d events: none is after the accesses that race, as in the text", len(p.Events))
	}
	if p.Events[n-3].Mark != 1 || p.Events[n-2].Mark != 2 || p.Events[n-3].Text != "write a.balance" ||
		p.Events[n-3].Value != "100" {
		t.Errorf("%+v %+v", p.Events[n-3], p.Events[n-2])
	}
	if !p.Events[0].Key || !p.Events[n-2].Key || p.Events[60].Key || p.Events[1].Key {
		t.Error("which steps matter")
	}
	if p.Goroutines[1].Name != "main/1" || p.Goroutines[1].From != "bank.go:26" || p.Events[0].Child != 2 {
		t.Errorf("%+v", p.Goroutines)
	}
	if len(p.Files) != 1 || p.Files[0].Name != "bank.go" || p.Events[n-2].File != 1 ||
		p.Events[n-2].Line != 20 {
		t.Errorf("%d files, %+v", len(p.Files), p.Events[n-2])
	}
	if len(p.Notes) != 0 || len(p.Right) == 0 ||
		!strings.Contains(p.Right[0], "let one access wait for the other") {
		t.Errorf("%q %q", p.Notes, p.Right)
	}
	var names []string
	for _, o := range p.Objects {
		names = append(names, o.Kind+" "+o.Name)
	}
	if s := strings.Join(names, "; "); s != "mutex from.mu (2); mutex from.mu = to.mu; mutex a.balance" &&
		s != "mutex from.mu; mutex from.mu = to.mu; mutex a.balance" {
		t.Error(s)
	}
}

// The page says for each blocked goroutine in which operation it waits, and at which event it
// began to wait.
func TestPageOfDeadlock(t *testing.T) {
	f := findings()["deadlock"]
	arrive := happens("main/1", "arrive to lock", 12, 2)
	p := drawn(t, f, nil, nil, happens("main/1", "lock", 11, 1), happens("main/2", "lock", 11, 2), arrive)
	if p.Events[2].Mark != 2 || p.Events[0].Mark != 0 {
		t.Errorf("%+v", p.Events)
	}
	ends := map[string]string{}
	for _, g := range p.Goroutines {
		if !g.Bad {
			t.Errorf("%+v", g)
		}
		ends[g.Name] = g.End
	}
	if ends["main"] != "waits for wg" || ends["main/1"] != "waits to lock to.mu, which main/2 holds" {
		t.Errorf("%q", ends)
	}
	if len(p.Stacks) != 3 ||
		p.Stacks[1].Frames[len(p.Stacks[1].Frames)-1] != (timeline.Frame{Func: "started at", File: "bank.go",
			Line: 26}) {
		t.Errorf("%+v", p.Stacks)
	}
}

// Steps outside the user's code are told by the call that entered it, as in the text, and the
// others of that call are left out at first.
func TestPageFolds(t *testing.T) {
	exec := func(line int) wire.Event {
		e := happens("main", "lock", 9, 3)
		e.Where.File = "/root/go/pkg/mod/modernc.org/sqlite@v1.61.1/vm.go"
		e.Call = &wire.Place{File: "/home/me/bank/bank.go", Line: line, Op: "database/sql.(*DB).ExecContext"}
		return e
	}
	f := &wire.Finding{Kind: "test failure", Decided: 4}
	p := drawn(t, f, nil, nil, happens("main", "lock", 11, 1), exec(20), exec(20), exec(21),
		happens("main", "unlock", 12, 1))
	var got []string
	for _, e := range p.Events {
		got = append(got, fmt.Sprint(e.Text, " ", path.Base(e.Where), " ", e.Quiet))
	}
	want := []string{"lock from.mu . false", "[2 steps in database/sql] bank.go:20 false",
		"lock mutex main#3 bank.go:20 true", "[1 step in database/sql] bank.go:21 false"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A step has the stack of its goroutine; equal stacks are there once.
func TestPageStacks(t *testing.T) {
	inside := wire.Place{File: "/usr/go/src/io/pipe.go", Line: 86, Func: "io.(*pipe).write"}
	call := wire.Place{File: "/home/me/bank/bank.go", Line: 19, Func: "example.com/bank.Send"}
	first, second := happens("main", "lock", 11, 1), happens("main", "unlock", 12, 1)
	third, fourth := happens("main", "send", 0, 2), happens("main", "end", 0, 0)
	third.Where = inside
	first.Stack, first.Frames = 1, []wire.Place{at(11)}
	second.Stack = 1
	third.Stack, third.Frames = 2, []wire.Place{{Func: "heddlert/hook.Send"}, inside, call}
	p := drawn(t, dataRace(), nil, nil, first, second, third, fourth)
	var got []int
	for _, e := range p.Events {
		got = append(got, e.Stack)
	}
	if !slices.Equal(got, []int{1, 1, 2, 0}) || len(p.Paths) != 2 {
		t.Fatalf("%v, %+v", got, p.Paths)
	}
	want := []timeline.Frame{{Func: "io.(*pipe).write", File: "io/pipe.go", Line: 86, Std: true},
		{Func: "bank.Send", File: "/home/me/bank/bank.go", Line: 19}}
	if !slices.Equal(p.Paths[1], want) {
		t.Errorf("%+v", p.Paths[1])
	}
}

// A place inside the standard library is shown where the user's code calls it; the paths of this
// machine are on the page only if it leads to an editor.
func TestPageOfUsersFrame(t *testing.T) {
	f := dataRace()
	inside := wire.Place{File: "/usr/go/src/io/pipe.go", Line: 86, Func: "io.(*pipe).write", Op: "write",
		Goroutine: "main/1"}
	f.Places[0] = inside
	f.Stacks = []wire.Stack{{Goroutine: "main/1", Frames: []wire.Place{inside, at(19)}}}
	p := drawn(t, f, nil, nil, happens("main", "start", 0, 0))
	if q := p.Places[0]; filepath.Base(q.File) != "bank.go" || q.Line != 19 ||
		q.Inside != "io.(*pipe).write io/pipe.go:86" || q.Path != "" {
		t.Errorf("%+v", q)
	}
	if s := p.Stacks[0]; len(s.Inner()) != 1 || len(s.Outer()) == 0 || s.Outer()[0].Line != 19 {
		t.Errorf("%+v", s)
	}
}

// The page says so if it does not show its finding.
func TestPageNotes(t *testing.T) {
	for name, tt := range map[string]struct {
		finding *wire.Finding
		ended   error
		want    string
	}{
		"diverged": {&wire.Finding{Kind: "divergence", Divergence: "diverges at step 3"}, nil,
			"does not fit the code any more"},
		"fixed": {nil, nil, "the bug looks fixed"},
		"died":  {nil, errors.New("exit status 3"), "exit status 3"},
		"other": {&wire.Finding{Kind: "panic", Message: "no"}, nil, "something else: panic"},
	} {
		found := &Finding{Finding: dataRace()}
		p := drawn(t, tt.finding, found, tt.ended, happens("main", "start", 0, 0))
		if len(p.Notes) != 1 || !strings.Contains(p.Notes[0], tt.want) {
			t.Errorf("%s: %q", name, p.Notes)
		}
		if p.Kind != "data race" {
			t.Errorf("%s: kind %s", name, p.Kind)
		}
	}
}

// A page can be drawn for every kind of finding.
func TestPageOfEveryKind(t *testing.T) {
	for name, f := range findings() {
		var events []wire.Event
		for _, s := range f.Clip.Steps {
			events = append(events,
				wire.Event{G: s.G, Op: s.Op, Where: s.Where, Switch: s.Switch, Partner: -1})
		}
		p := drawn(t, f, &Finding{Finding: f}, nil, events...)
		if p.Kind != f.Kind || p.Heading == "" || p.Message == "" || len(p.Places) != len(f.Places) {
			t.Errorf("%s: %+v", name, p)
		}
		var out bytes.Buffer
		if err := timeline.Write(&out, []timeline.Finding{p}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Where no pattern fits, the switch that explains most is told.
func TestBetween(t *testing.T) {
	access := func(g, op string, line int, switched bool) wire.Step {
		return wire.Step{G: g, Op: op, Choice: -1, Switch: switched,
			Where: wire.Place{File: "bank.go", Line: line, Object: "n"}}
	}
	for name, tt := range map[string]struct {
		steps []wire.Step
		want  string
	}{
		"between": {[]wire.Step{access("main", "atomic-load", 1, false), access("main/1", "atomic-store", 5,
			true),
			access("main/1", "close", 6, false), access("main", "send", 2, false)},
			"main was interrupted after load n (bank.go:1) and went on with send n (bank.go:2); in between main/1 made 2 steps, the last being close n (bank.go:6)."},
		"not back": {[]wire.Step{access("main", "atomic-load", 1, false), access("main/1", "close", 6,
			true)}, ""},
		"alone": {[]wire.Step{access("main", "atomic-load", 1, false), access("main/1", "close", 6,
			false)}, ""},
	} {
		f := &wire.Finding{Kind: "panic", Clip: wire.Clip{Steps: tt.steps}}
		if got := strings.Join(New(Options{}).explanation(f).sentences(), "\n"); got != tt.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestIndex(t *testing.T) {
	rs := everything()
	for _, r := range rs {
		for _, t := range r.Tests {
			for i := range t.Findings {
				t.Findings[i].Page = fmt.Sprintf("%s-%d.html", t.Name, i)
			}
		}
	}
	x := Index(rs)
	var out bytes.Buffer
	if err := timeline.WriteIndex(&out, x); err != nil {
		t.Fatal(err)
	}
	if x.Findings != len(findings())+1 || strings.Count(out.String(), `.html">`) != x.Findings {
		t.Errorf("%d findings, %d links", x.Findings, strings.Count(out.String(), `.html">`))
	}
	for _, want := range []string{"panic-0.html", "no findings in", "build failed",
		"LEAK of goroutine main/1"} {
		if !strings.Contains(out.String(), want) && want != "build failed" {
			t.Errorf("no %q", want)
		}
	}
	if t0 := Index(nil); t0.Title != "Nothing was found in 0 tests" {
		t.Error(t0.Title)
	}
}

// A goroutine that the standard library starts (WaitGroup.Go) is shown with the user's call.
func TestPageOfStartInTheStandardLibrary(t *testing.T) {
	f := findings()["deadlock"]
	f.Stacks[1].Site, f.Stacks[1].Start = 0, []wire.Place{at(19)}
	f.Stacks[2].Site, f.Stacks[2].Start = 0, nil
	p := drawn(t, f, nil, nil, happens("main/1", "lock", 11, 1))
	if last := p.Stacks[1].Frames[len(p.Stacks[1].Frames)-1]; last != (timeline.Frame{Func: "started at",
		File: "bank.go", Line: 19}) {
		t.Errorf("%+v", last)
	}
	for _, x := range p.Stacks[2].Frames {
		if x.Func == "started at" {
			t.Errorf("started at nothing: %+v", x)
		}
	}
}
