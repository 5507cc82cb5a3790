package debug

import (
	"testing"

	"heddle/rt/wire"
)

// steps are those of two goroutines that increment s.n without a lock.
var steps = Steps{
	{G: "main", Op: "start", File: "s_test.go", Line: 8},
	{G: "main", Op: "go", File: "s_test.go", Line: 9},
	{G: "main/1", Op: "start", File: "s_test.go", Line: 9, Switch: true},
	{G: "main/1", Op: "read", Object: "s.n", ID: 4, File: "s.go", Line: 5},
	{G: "main", Op: "lock", File: "pool.go", Line: 3, Inside: true, Switch: true},
	{G: "main", Op: "read", Object: "s.n", ID: 4, File: "s.go", Line: 5},
	{G: "main", Op: "write", Object: "s.n", ID: 4, File: "s.go", Line: 5},
	{G: "timers", Op: "timer-fire", File: "s.go", Line: 1},
	{G: "main/1", Op: "write", Object: "s.n", ID: 9, File: "s.go", Line: 5, Switch: true},
	{G: "main/1", Op: "end"},
}

func TestSteps(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want int
	}{
		{"before the first step", steps.Before(2), 0},
		{"before, over a start", steps.Before(4), 2},
		{"before, over the standard library", steps.Before(6), 4},
		{"before the end", steps.Before(len(steps) + 1), 9},
		{"before what is beyond", steps.Before(100), 9},
		{"after nothing", steps.After(0), 2},
		{"after, over timers", steps.After(7), 9},
		{"after the last", steps.After(9), 0},
		{"of a goroutine", steps.Of("main/1", 4), 9},
		{"of one that is not", steps.Of("main/7", 0), 0},
		{"switch at the beginning", steps.Switched(0), 4},
		{"switch to main", steps.Switched(4), 6},
		{"switch to main/1", steps.Switched(6), 9},
		{"no further switch", steps.Switched(9), 0},
		{"first access", steps.Access("s.n", 2), 4},
		{"access to the same", steps.Access("s.n", 4), 6},
		{"of that object alone", steps.Access("s.n", 7), 0},
		{"of any, from elsewhere", steps.Access("s.n", 8), 9},
		{"to nothing", steps.Access("s.m", 0), 0},
	} {
		if c.got != c.want {
			t.Errorf("%s: step %d, want %d", c.name, c.got, c.want)
		}
	}
	if !steps.Has("s.n") || steps.Has("s.m") || steps.Has("") {
		t.Error("Has: want s.n alone")
	}
}

func TestShows(t *testing.T) {
	places := []wire.Place{{File: "s.go", Line: 5, Goroutine: "main"}}
	for _, c := range []struct {
		kind, pattern string
		pause         uint32
		step          int
		want          bool
	}{
		{"data race", "", wire.PauseRace, 6, true},
		{"data race", "", wire.PauseRace, 4, false}, // main/1 is no place of this finding
		{"data race", "", wire.PauseEnd, 10, false},
		{"panic", "", wire.PauseFail, 7, true},
		{"deadlock", "", wire.PauseEnd, 10, true},
		{"leak", "", wire.PauseEnd, 10, true},
		{"atomicity violation", "R W R", wire.PauseStep, 7, true},
		{"atomicity violation", "R W R", wire.PauseStep, 6, false},
	} {
		p := Program{Steps: steps, Finding: &wire.Finding{Kind: c.kind, Pattern: c.pattern, Places: places}}
		if got := p.Shows(c.pause, c.step); got != c.want {
			t.Errorf("%s, pause %d in step %d: %v, want %v", c.kind, c.pause, c.step, got, c.want)
		}
	}
	if p := (&Program{Steps: steps}); p.Shows(wire.PauseRace, 6) || p.Pauses() != 0 {
		t.Error("a program without a finding shows one")
	}
}

func TestControl(t *testing.T) {
	path := t.TempDir() + "/debug"
	c, err := NewControl(path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, err := range []error{c.Stop(12), c.Pauses(1 << wire.PauseEnd), c.Seen(), c.Whole()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	v, err := c.Read()
	if err != nil || v.Stop != 12 || v.Whole != 1 || v.Pauses != 1<<wire.PauseEnd || len(v.Names()) != 0 {
		t.Errorf("read %+v, %v", v, err)
	}
	if _, err := NewControl(path); err == nil {
		t.Error("a debug file of another process was taken")
	}
}

func TestEditorConfig(t *testing.T) {
	for _, c := range [][2]string{{"emacs", ""}, {"vscode", "2345"}} {
		if text, err := EditorConfig(c[0], c[1]); err == nil {
			t.Errorf("%s at %q: %s, want an error", c[0], c[1], text)
		}
	}
}

// Step numbers are those of the table of heddle replay: the events of one step share one.
func TestNumbers(t *testing.T) {
	steps := Steps{
		{Number: 1, G: "main", Op: "start"},
		{Number: 1, G: "main", Op: "go", File: "s_test.go", Line: 9},
		{Number: 2, G: "main/1", Op: "start", File: "s_test.go", Line: 9},
		{Number: 3, G: "main/1", Op: "send", File: "s.go", Line: 5},
		{Number: 3, G: "main", Op: "recv", File: "s.go", Line: 8},
		{G: "main", Op: "end"},
	}
	for i, want := range []string{"step 1", "in step 1", "step 2", "step 3", "in step 3"} {
		if got := steps.Name(i + 1); got != want {
			t.Errorf("event %d is called %q, want %q", i+1, got, want)
		}
	}
	for number, want := range map[int]int{0: 0, 1: 1, 2: 3, 3: 4, 4: 0} {
		if n, last := steps.Numbered(number); n != want || last != 3 {
			t.Errorf("step %d is event %d of %d, want %d of 3", number, n, last, want)
		}
	}
	for n, want := range map[int]int{1: 2, 3: 4, 4: 4, 6: 6, 9: 9} {
		if got := steps.From(n); got != want {
			t.Errorf("from event %d: %d, want %d", n, got, want)
		}
	}
}

func TestIsAt(t *testing.T) {
	p := &Program{Finding: &wire.Finding{Kind: "uncontrolled",
		Places: []wire.Place{{File: "s.go", Line: 5, Goroutine: "main"}}}}
	if !p.IsAt("main", "/m/s.go", 5) || p.IsAt("main/1", "/m/s.go", 5) || p.IsAt("main", "/m/s.go", 6) {
		t.Error("want main at s.go:5 alone")
	}
	if !p.Endless() || p.Pauses() != 0 || new(Program).Endless() {
		t.Error("a loop without operations has no pause of its own")
	}
}
