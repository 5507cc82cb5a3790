package oracle

import (
	"flag"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heddle/internal/gogen"
)

var (
	programs = flag.Int("programs", 60, "how many random programs to check")
	from     = flag.Uint64("from", 1, "the number of the first")
)

// open are random programs with a known wrong result, and the reason.
var open = map[uint64]string{}

// heddle builds the command.
func heddle(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "heddle")
	if out, err := exec.Command("go", "build", "-o", file, "heddle/cmd/heddle").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return file
}

// TestPrograms checks random programs, and those for which heddle was once wrong. The long run is
//
//	go run ./scripts/oracle -n 10000
func TestPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the programs under heddle and the race detector")
	}
	var list []*gogen.Program
	for i := range *programs {
		list = append(list, gogen.Generate(*from+uint64(i)))
	}
	names := map[uint64]string{}
	for _, file := range glob(t, "testdata/*/*.json") {
		p, err := Load(file)
		if err != nil {
			t.Fatal(err)
		}
		p.Seed = 1_000_000_000 + uint64(len(names))
		names[p.Seed] = file
		list = append(list, p)
	}
	o := New(heddle(t), t.TempDir())
	reports, err := o.Check(t.Context(), list)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range o.Failures {
		t.Errorf("heddle failed: %s", f)
	}
	total := NewCount(o.Strategies)
	for _, r := range reports {
		total.Add(r)
		name := names[r.Program.Seed]
		if why, ok := open[r.Program.Seed]; ok || strings.HasPrefix(name, "testdata/open/") {
			t.Logf("program %d, known: %s%s: %d failures", r.Program.Seed, name, why, len(r.Wrong))
			continue
		}
		for _, f := range r.Wrong {
			source, _ := gogen.Source([]*gogen.Program{r.Program}, gogen.Test)
			t.Errorf("program %d %s: %s\n%s", r.Program.Seed, name, f.Text, source)
		}
	}
	t.Logf("\n%s", total.Table())
	for _, s := range o.Strategies {
		if total.covered[s]*2 < len(list) {
			t.Errorf("%s covered only %d of %d programs", s, total.covered[s], len(list))
		}
	}
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, %v", pattern, len(files), err)
	}
	return files
}

// TestCompare: each kind of wrong result is a failure.
func TestCompare(t *testing.T) {
	good := func() *Report {
		e := func() *Explored {
			return &Explored{Ended: true, Complete: true, Outcomes: map[uint64]bool{hash("a"): true}}
		}
		return &Report{
			Program: &gogen.Program{},
			Native:  &Native{Outcomes: map[string]bool{"a": true}},
			Heddle:  map[string]*Explored{"dpor": e(), "reach": e()},
		}
	}
	race := []Finding{{Kind: "data race"}}
	o := &Oracle{Strategies: []string{"dpor", "reach"}}
	for want, change := range map[string]func(*Report){
		"":                     func(*Report) {},
		"missed outcome|dpor":  func(r *Report) { r.Native.Outcomes["b"] = true },
		"missed deadlock|dpor": func(r *Report) { r.Native.Outcomes["DEADLOCK"] = true },
		"missed leak|reach":    func(r *Report) { r.Native.Outcomes["LEAK"] = true },
		"missed panic|dpor":    func(r *Report) { r.Native.Outcomes["PANIC x"] = true },
		"missed race|reach": func(r *Report) {
			r.Native.Races = []string{"race"}
			r.Heddle["dpor"].Findings = race
		},
		"hang|dpor":       func(r *Report) { r.Native.Outcomes["HANG"] = true },
		"no result|reach": func(r *Report) { delete(r.Heddle, "reach") },
		"outcomes differ|reach": func(r *Report) {
			r.Heddle["reach"].Outcomes[hash("b")] = true
		},
		"findings differ|reach": func(r *Report) { r.Heddle["reach"].Findings = race },
		"false race|reach": func(r *Report) {
			r.Program.Clean = true
			r.Heddle["reach"].Findings = race
		},
		"clip|dpor": func(r *Report) {
			r.Heddle["dpor"].Unshown = []string{"clip"}
		},
	} {
		r := good()
		change(r)
		o.compare(r)
		if want == "" && len(r.Wrong) > 0 || want != "" && !r.Has(want) {
			t.Errorf("want %q, got %v", want, r.Wrong)
		}
	}
	r := good()
	r.Native.Outcomes["FATAL sync: WaitGroup is reused"] = true
	for _, h := range r.Heddle {
		h.Findings = []Finding{{Kind: "misuse",
			Message: "WaitGroup.Add and Wait can come in either order"}}
	}
	if o.compare(r); len(r.Wrong) > 0 {
		t.Errorf("the misuse is told: %v", r.Wrong)
	}
	r = good()
	r.Native.Outcomes["b"], r.Heddle["dpor"].Complete, r.Heddle["reach"].Complete = true, false, false
	if o.compare(r); len(r.Wrong) > 0 {
		t.Errorf("nothing was covered, so nothing is missed: %v", r.Wrong)
	}
}

// TestBetween: races are counted by their two functions.
func TestBetween(t *testing.T) {
	report := `Write at 0x00c000018225 by goroutine 2607:
  runtime.slicecopy()
      /go/src/runtime/slice.go:392 +0x0
  crypto/sha256.Sum256()
      /go/src/crypto/sha256/sha256.go:58 +0xa6

Previous read at 0x00c000018225 by goroutine 2608:
  main.p12.func2.1()
      /x/p.go:1 +0x1
`
	if got, want := between(report), "crypto/sha256.Sum256 and the program"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestRaces: reports of the race detector belong to the programs whose functions they name.
func TestRaces(t *testing.T) {
	one, two := &Report{Native: newNative()}, &Report{Native: newNative()}
	races("x\nWARNING: DATA RACE\nRead by main.p12.func1()\n==================\nWARNING: DATA RACE\nWrite by main.p1(\n==================\n",
		map[uint64]*Report{1: one, 12: two})
	if !slices.Equal(one.Native.Races, []string{"Write by main.p1("}) ||
		!slices.Equal(two.Native.Races, []string{"Read by main.p12.func1()"}) {
		t.Errorf("%q %q", one.Native.Races, two.Native.Races)
	}
}
