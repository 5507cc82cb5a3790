package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	protocol "github.com/google/go-dap"
	"golang.org/x/tools/txtar"
)

// TestDebugKinds debugs one program for each kind of finding: testdata/debug/KIND.txt has the
// program, and what a client of the debugger does and must see, written before it was tried:
//
//	kind panic                               of the finding
//	says closed channel                      in its message, where a test has several findings
//	flags -fuzz=FuzzTake                     of heddle test; -hang of heddle debug too
//	stop: exception main/2 @stop size=7      the first stop: reason, goroutine, line, values
//	stepBack: step main/1                    a request, and the stop that it leads to
//	heddle access c.mu: step main @lock      a command of heddle's
//	heddle step: refused no further step     a request that is answered so
//
// @stop is a line of the program with the comment "// stop".
func TestDebugKinds(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	files, err := filepath.Glob("testdata/debug/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			debugProgram(t, a)
		})
	}
}

// debugProgram does what the comment of an archive says.
func debugProgram(t *testing.T, a *txtar.Archive) {
	program := map[string]string{}
	for _, f := range a.Files {
		program[f.Name] = string(f.Data)
	}
	var d *debugging
	var kind, says string
	var flags []string
	for line := range strings.Lines(string(a.Comment)) {
		line = strings.TrimSpace(line)
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "", "#":
			continue
		case "kind":
			kind = rest
			continue
		case "says":
			says = rest
			continue
		case "flags":
			flags = strings.Fields(rest)
			continue
		}
		request, want, ok := strings.Cut(line, ": ")
		if !ok {
			t.Fatalf("%q: want REQUEST: STOP", line)
		}
		if d == nil {
			tool, path := clipOf(t, program, kind, says, flags...)
			d = debugClip(t, tool, path, slices.DeleteFunc(flags, func(f string) bool {
				return !strings.HasPrefix(f, "-hang")
			}))
			d.program = program
		} else {
			d.request(request, want)
		}
		if got := d.sees(want); got != "" {
			t.Fatalf("%s\n got %s", line, got)
		}
	}
}

// request sends a request that leads to a stop, or is refused.
func (d *debugging) request(request, want string) {
	d.t.Helper()
	var stop protocol.StoppedEventBody
	var err error
	if command, ok := strings.CutPrefix(request, "heddle "); ok {
		stop, err = d.Move("heddle/step", map[string]any{"command": command})
	} else {
		stop, err = d.Move(request, protocol.ContinueArguments{ThreadId: d.stop.ThreadId})
	}
	if reason, ok := strings.CutPrefix(want, "refused "); ok {
		if err == nil || !strings.Contains(err.Error(), reason) {
			d.t.Fatalf("%s: %v, want %s", request, err, want)
		}
		return
	}
	if err != nil {
		d.t.Fatalf("%s: %v", request, err)
	}
	d.stop = stop
}

// sees returns what a client sees at a stop if that is not as wanted.
func (d *debugging) sees(want string) (got string) {
	d.t.Helper()
	reason, want, _ := strings.Cut(want, " ")
	if reason == "refused" {
		return ""
	}
	if d.stop.Reason != reason {
		return fmt.Sprintf("%s (%s)", d.stop.Reason, d.stop.Text)
	}
	words := strings.Fields(want)
	at := d.at("")
	g, place, _ := strings.Cut(at, " ")
	for i, w := range words {
		switch marker, marked := strings.CutPrefix(w, "@"); {
		case i == 0 && w != g, marked && !slices.Contains(d.marked(marker), place):
			return at + " " + d.stop.Text
		case strings.Contains(w, "="):
			name, value, _ := strings.Cut(w, "=")
			if got := d.at(name); !strings.HasPrefix(got, at+" "+name+"="+value) {
				return got
			}
		}
	}
	return ""
}

// marked returns the lines of the program with a marker: "cache_test.go:22".
func (d *debugging) marked(marker string) (places []string) {
	for name, text := range d.program {
		for i, line := range strings.Split(text, "\n") {
			if strings.HasSuffix(line, "// "+marker) {
				places = append(places, fmt.Sprintf("%s:%d", filepath.Base(name), i+1))
			}
		}
	}
	return places
}
