package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// without are the functions and function variables of package hook that no program of
// testdata/points is for, with why.
var without = map[string]string{
	"Globals": "keeps variables, before the executions", "State": "keeps variables, before the executions",
	"Begin": "is called once, before the executions", "Initial": "asks nothing of the program",
	"Active": "asks nothing of the program", "Flags": "asks nothing of the program",
	"Touch":  "outside control: outside.txt",
	"Stated": "is StateIn at a call; what the runtime itself keeps: state.txt",
	"Blind":  "makes a result sampled", "BlindCall": "makes a result sampled",
	"Unhooked": "makes a result sampled", "Text": "makes a result sampled",
	"TextMade":  "makes a result sampled",
	"Mapping":   "makes a result sampled",
	"Finalizer": "keeps finalizers to their execution", "SetFinalizer": "keeps finalizers to their execution",
	"AddCleanup": "keeps finalizers to their execution",
	"Room":       "accesses of the standard library's, which are looked at for races",
	"Between":    "is called between executions", "Work": "counts", "Repeats": "the scheduler's",
	"Twice": "the scheduler's", "Reset": "the scheduler's",
	"OwnName": "asks nothing of the program",
	"Mutes":   "is called once, before the executions: mute.txt",
	"Here":    "asks nothing of the program", "CallerPC": "a place",
	"NewOf": "memory for a swap", "Move": "moves what was announced", "Stack": "text", "Stacks": "text",
	"Callers": "places", "Caller": "a place", "CallersBelow": "places",
	"Literal": "tells which goroutines are alike: symmetry.txt",
	"Count":   "is Loop for a loop that counts: poll.txt",
	"Alloc":   "names memory: New, Var and the others", "Note": "what a clip shows",
	"Args": "what a clip shows", "Block": "waits for ever",
	"NumGoroutine": "gives what tests may not rely on", "NumGo": "gives what tests may not rely on",
	"ReadMemStats": "figures of memory",
	"LockOSThread": "does nothing", "UnlockOSThread": "does nothing", "OpenPlugin": "is noted",
	"ExitProcess": "ends the process",
	"RandBytes":   "the generator's", "Rand": "the generator's", "Uint64": "the generator's",
	"Uint32": "the generator's", "MapOrder": "the generator's",
	"Pulls": "the scheduler's", "PullCalls": "the scheduler's", "Writes": "of a FileUse",
	"Open": "of a FileUse", "Slot": "what reads nothing", "EndPulls": "the scheduler's",
	"Clock": "of executions in real time", "WallClock": "of executions in real time",
	"Uptime":  "of executions in real time",
	"Foreign": "asks for what is outside control", "Idle": "testing/synctest: bubble.txt",
	"Bubble": "testing/synctest: bubble.txt", "Bubbled": "testing/synctest: bubble.txt",
	"Outside": "outside control: outside.txt", "Native": "outside control: outside.txt",
	"TypeOf": "asks nothing of the program", "Use": "connections: loopback.txt",
	"Operate": "packets: udp.txt", "Lose": "a draw, with -lose: udp.txt",
	"Own": kept, "OwnAgain": kept, "Look": kept, "Looked": kept, "Beyond": kept,
	"FoundBeyond": kept, "AtExit": kept,
	"CrowdedSocket": "makes a result sampled", "ChanPolled": "outside control: outside.txt",
	"MapLook": "of data flow: fuzz_syncmap.txt", "MapGive": "of data flow: fuzz_syncmap.txt",
	"MapTake": "of data flow: fuzz_syncmap.txt",
	"Lend":    lent, "LendMemory": lent, "LendPointer": lent, "LendSlice": lent,
	"Enter": modelled, "Exit": modelled, "Self": modelled, "Park": modelled, "Wake": modelled,
	"Acquire": modelled, "Release": modelled,
	"Decode": decoded, "Decodes": decoded,
	"Model": modelled, "ModelEnd": modelled, "ModelPark": modelled, "ModelWake": modelled,
	"ModelSelf": modelled, "SemAcquire": modelled, "SemRelease": modelled,
}

const decoded = "says what is decoded, of which inputs are made: fuzz_decoded.txt"

const kept = "says which verdicts are kept: cached.txt"

const lent = "memory that is lent to assembly makes a result sampled"

const modelled = "modelled objects: the tables of bench check them"

// A pointProgram is what the comment of a program of testdata/points says.
type pointProgram struct {
	outcomes, hooks []string
	sampled         bool // a lock of the standard library makes the result sampled
}

var pointComment = regexp.MustCompile(`(?m)^// outcomes: ([0-9 ]+);( sampled;)? hooks: (.+)\nfunc (Test\w+)\(`)

func pointPrograms(t *testing.T) map[string]pointProgram {
	text, err := os.ReadFile("testdata/points/points_test.go")
	if err != nil {
		t.Fatal(err)
	}
	programs := map[string]pointProgram{}
	for _, m := range pointComment.FindAllStringSubmatch(string(text), -1) {
		programs[m[4]] = pointProgram{strings.Fields(m[1]), strings.Fields(m[3]), m[2] != ""}
	}
	if n := bytes.Count(text, []byte("\nfunc Test")); len(programs) != n {
		t.Fatalf("%d of %d programs have a comment", len(programs), n)
	}
	return programs
}

// TestEveryHookHasAProgram reads what package hook exports: functions, methods and variables that
// are functions.
func TestEveryHookHasAProgram(t *testing.T) {
	has := map[string]bool{}
	for _, p := range pointPrograms(t) {
		for _, h := range p.hooks {
			has[h] = true
		}
	}
	exported := map[string]bool{}
	files, err := filepath.Glob("../../rt/hook/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if filepath.Base(name) == "border.go" {
			// accesses of the standard library's, which are looked at for races and are no
			// scheduling points
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				exported[d.Name.Name] = d.Name.IsExported()
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if v, ok := s.(*ast.ValueSpec); ok {
						if _, ok := v.Type.(*ast.FuncType); ok {
							for _, n := range v.Names {
								exported[n.Name] = n.IsExported()
							}
						}
					}
				}
			}
		}
	}
	for name, ok := range exported {
		switch {
		case !ok:
		case !has[name] && without[name] == "":
			t.Errorf("no program of testdata/points is for %s of package hook", name)
		case has[name] && without[name] != "":
			t.Errorf("%s of package hook has a program and a reason to have none", name)
		}
	}
	for name := range has {
		if !exported[name] {
			t.Errorf("package hook has no %s, which a program is for", name)
		}
	}
}

// TestPoints runs the programs by all strategies that cover all interleavings. Every outcome that
// there is must be found, and no other.
func TestPoints(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/points")); err != nil {
		t.Fatal(err)
	}
	programs := pointPrograms(t)
	for _, run := range []string{"auto auto", "auto all", "dpor auto", "dpor all", "observe auto",
		"observe all", "reach auto", "reach all", "unfold auto", "unfold all"} {
		strategy, visible, _ := strings.Cut(run, " ")
		t.Run(strategy+" "+visible, func(t *testing.T) {
			t.Parallel()
			out := runPoints(t, dir, "-strategy", strategy, "-visible", visible, "-budget", "20s")
			for name, wrong := range pointsWrong(programs, out, "covered") {
				t.Errorf("%s: %s", name, wrong)
			}
		})
	}
	// Brute force says which outcomes there are: every schedule, without reduction. (Where every
	// access is a scheduling point one program has too many: what was seen of it by then are all
	// its outcomes too.)
	brute := map[string]string{"auto": "20s"}
	if os.Getenv("HEDDLE_LONG") != "" {
		brute["all"] = "60s"
	}
	for visible, budget := range brute {
		t.Run("brute "+visible, func(t *testing.T) {
			t.Parallel()
			out := runPoints(t, dir, "-strategy", "bound,plain,preempt=1000", "-visible", visible, "-budget",
				budget)
			for name, wrong := range pointsWrong(programs, out, "") {
				t.Errorf("%s: %s", name, wrong)
			}
			if visible == "auto" && strings.Contains(out, ", "+budget+")") {
				t.Errorf("not all schedules were executed:\n%s", out)
			}
		})
	}
}

// runPoints returns what heddle prints of the programs. Each has a finding.
func runPoints(t *testing.T, dir string, args ...string) string {
	t.Helper()
	c := exec.Command("heddle", append(append([]string{"test", "-json"}, args...), "-time", "virtual",
		"-clips", t.TempDir(), ".")...)
	c.Dir = dir
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	if said := firstBuild.ReplaceAllString(errs.String(), ""); err == nil || said != "" {
		t.Fatalf("%v\n%s%s", err, said, &out)
	}
	return pointTexts(t, &out)
}

// pointTexts makes of events what pointsWrong reads: the line of each verdict, and below it what
// the findings of the test say. The text of a report folds findings that have one cause.
func pointTexts(t *testing.T, events io.Reader) string {
	t.Helper()
	var heads []string
	found := map[string]string{}
	for d := json.NewDecoder(events); ; {
		var e struct{ Action, Test, Message, Output string }
		if err := d.Decode(&e); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		switch {
		case e.Action == "finding":
			found[e.Test] += e.Message + "\n"
		case e.Action == "output" && pointHead.MatchString(e.Output):
			heads = append(heads, e.Output)
		}
	}
	var text strings.Builder
	for _, h := range heads {
		text.WriteString(h + found[pointHead.FindStringSubmatch(h)[1]])
	}
	return text.String()
}

// firstBuild is what is said where the cache is empty, or the machine busy.
var firstBuild = regexp.MustCompile(`(?m)^heddle: (preparing the standard library |[0-9]+ of [0-9]+ tests, ).*\n`)

var (
	pointHead    = regexp.MustCompile(`(?m)^(?:--- FAIL:|ok  ) (Test\w+) +(.*)$`)
	pointOutcome = regexp.MustCompile(`(?m)^outcome (\w+)$`)
)

// pointsWrong compares what heddle printed with the programs. What it says of each must contain the
// text says.
func pointsWrong(programs map[string]pointProgram, out, says string) map[string]string {
	wrong := map[string]string{}
	for name := range programs {
		wrong[name] = "not run"
	}
	heads := pointHead.FindAllStringSubmatchIndex(out, -1)
	for i, h := range heads {
		end := len(out)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		name, text := out[h[2]:h[3]], out[h[0]:end]
		seen := map[string]bool{}
		for _, m := range pointOutcome.FindAllStringSubmatch(text, -1) {
			seen[m[1]] = true
		}
		delete(wrong, name)
		var got []string
		for o := range seen {
			got = append(got, o)
		}
		slices.Sort(got)
		want, head := programs[name].outcomes, out[h[4]:h[5]]
		if !slices.Equal(got, want) {
			wrong[name] = fmt.Sprintf("outcomes %v, want %v %s", got, want, head)
		} else if !programs[name].sampled && !strings.Contains(head, says) {
			wrong[name] = head
		}
	}
	return wrong
}
