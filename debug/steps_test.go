package debug

import (
	"encoding/json"
	"encoding/xml"
	"strings"
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
	for _, c := range [][2]string{{"emacs", ""}, {"vscode", "2345"}, {"vscode", "localhost:http"},
		{"goland", "localhost:0"}} {
		if text, err := EditorConfig(c[0], c[1]); err == nil {
			t.Errorf("%s at %q: %s, want an error", c[0], c[1], text)
		}
	}
	for _, c := range []struct {
		address, host string
		port          int
	}{{"", "127.0.0.1", 2345}, {":4000", "127.0.0.1", 4000}, {"[::1]:4001", "::1", 4001}} {
		vscode, err := EditorConfig("vscode", c.address)
		if err != nil {
			t.Fatal(err)
		}
		var launch struct {
			Version        string
			Configurations []struct {
				Name, Type, Request, Mode, DebugAdapter, Host string
				Port                                          int
			}
		}
		read := json.NewDecoder(strings.NewReader(vscode))
		read.DisallowUnknownFields()
		if err := read.Decode(&launch); err != nil || len(launch.Configurations) != 1 {
			t.Fatalf("launch.json: %v\n%s", err, vscode)
		}
		if l := launch.Configurations[0]; l.Type != "go" || l.Request != "attach" || l.Mode != "remote" ||
			l.Host != c.host || l.Port != c.port {
			t.Errorf("launch.json for %q: %+v", c.address, l)
		}
		goland, err := EditorConfig("goland", c.address)
		if err != nil {
			t.Fatal(err)
		}
		var run struct {
			XMLName       xml.Name `xml:"component"`
			Name          string   `xml:"name,attr"`
			Configuration struct {
				Type string `xml:"type,attr"`
				Host string `xml:"host,attr"`
				Port int    `xml:"port,attr"`
			} `xml:"configuration"`
		}
		if err := xml.Unmarshal([]byte(goland), &run); err != nil {
			t.Fatalf("run configuration: %v\n%s", err, goland)
		}
		if r := run.Configuration; run.Name != "ProjectRunConfigurationManager" || r.Host != c.host ||
			r.Port != c.port || r.Type != "GoRemoteDebugConfigurationType" {
			t.Errorf("run configuration for %q: %+v", c.address, run)
		}
	}
}
