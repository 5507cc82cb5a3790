package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPeersCount reads what peers print of a search.
func TestPeersCount(t *testing.T) {
	for _, c := range []struct {
		peer, out string
		want      peerCost // executions, cut, complete
	}{
		{"Loom", "20000 executions\n", peerCost{executions: 20000}},
		{"Loom", "24 executions, complete\n", peerCost{executions: 24, complete: true}},
		{"Shuttle", "100 executions\n", peerCost{executions: 100}},
		{"Nidhugg", "Trace count: 2830\nAwait-blocked trace count: 2220\n" +
			"Assume-blocked trace count: 2884\nNo errors were detected.\nTotal wall-clock time: 0.85 s\n",
			peerCost{executions: 2830, cut: 5104, complete: true}},
		{"Nidhugg", "Trace count: 24\nNo errors were detected.\n",
			peerCost{executions: 24, complete: true}},
		{"GenMC", "*** Verification complete.\nNo errors were detected.\n" +
			"Number of complete executions explored: 158\nNumber of blocked executions seen: 694\n",
			peerCost{executions: 158, cut: 694, complete: true}},
	} {
		all := peers()
		p := all[slices.IndexFunc(all, func(p *peer) bool { return p.name == c.peer })]
		if got, err := p.counted(c.out); err != nil || got != c.want {
			t.Errorf("%s: %q: got %+v, %v; want %+v", c.peer, c.out, got, err, c.want)
		}
		if got, err := p.counted("error: no input\n"); err == nil {
			t.Errorf("%s: got %+v of no number", c.peer, got)
		}
	}
}

// TestPeersAbsent: where no peer is installed the page says so, and has heddle's figures.
func TestPeersAbsent(t *testing.T) {
	there, absent := installed(func(string) (string, error) { return "", errors.New("none") }, peers())
	if len(there) > 0 || len(absent) != len(peers()) {
		t.Fatalf("got %d peers, and %v", len(there), absent)
	}
	nan := math.NaN()
	page := peerPage("page.md", nil, nil, absent, map[string]map[string]*peerCost{
		"Locks":    {"heddle": {seconds: 10e-6}, "-race=false": {seconds: 5e-6}},
		"Sections": {"heddle": {seconds: 12e-6, executions: 2520, complete: true}},
		"Fib5":     {"heddle": {seconds: 12e-6, executions: 9000}},
		"Ticket4":  {"heddle": {seconds: nan, executions: 24, cut: 312, complete: true}},
	})
	has(t, page,
		"- Shuttle: not installed: cargo not found.\n",
		"- Lincheck: not installed: java not found.\n",
		"- GenMC: not installed: genmc not found.\n",
		"| program | heddle | -race=false | go test | go test -race |\n",
		"| 4 goroutines, 6 lock pairs each | 10 µs | 5 µs (0.5) |  |  |\n",
		"| program | heddle | |\n",
		"| 4 goroutines, 2 lock pairs each | 2,520 | 12 µs |\n",
		"| Fib 5 | > 9,000 | 12 µs |\n",
		"| ticket lock, 4 | 24 + 312 |  |\n",
	)
}

// has fails for what a page does not have.
func has(t *testing.T, page string, parts ...string) {
	t.Helper()
	for _, want := range parts {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q:\n%s", want, page)
		}
	}
}

// TestPeersPage: peers stand beside heddle with ratios, and what failed is said.
func TestPeersPage(t *testing.T) {
	there, absent := installed(func(c string) (string, error) {
		if c == "cargo" || c == "genmc" {
			return c, nil
		}
		return "", errors.New("none")
	}, peers())
	search := &peerCost{seconds: 0.13, executions: 2520, complete: true}
	search.rest(0.004)
	short := &peerCost{seconds: 0.005, executions: 24, complete: true}
	short.rest(0.004)
	page := peerPage("page.md", there, map[string]string{"Loom": "0.7.2"}, absent,
		map[string]map[string]*peerCost{
			"Locks": {"heddle": {seconds: 10e-6}, "Shuttle": {seconds: 15e-6}, "Loom": {seconds: 200e-6}},
			"Sections": {"heddle": {seconds: 10e-6, executions: 2520, complete: true},
				"Loom": {seconds: 60e-6, executions: 20000}, "GenMC": search},
			"Ticket4": {"heddle": {seconds: 10e-6, executions: 24, complete: true}, "GenMC": short,
				"Loom": {seconds: math.NaN(), why: "ends with code 1"}},
		})
	has(t, page,
		"- Loom 0.7.2: Rust",
		"- Nidhugg: not installed: nidhuggc not found.\n",
		"| 4 goroutines, 6 lock pairs each | 10 µs |  |  |  | 15 µs (1.5) | 200 µs (20) |\n",
		"| program | heddle | | Loom | | GenMC | |\n",
		"| 4 goroutines, 2 lock pairs each | 2,520 | 10 µs | > 20,000 | 60 µs (6) | 2,520 | 50 µs (5) |\n",
		"| ticket lock, 4 | 24 | 10 µs | ends with code 1 |  | 24 |  |\n",
	)
}

// TestPeersPrograms: what a peer is said to execute is in its sources, and its version is found.
func TestPeersPrograms(t *testing.T) {
	t.Chdir("..") // bench is called in the folder of heddle's own module
	for _, p := range peers() {
		if p.manifest == "" {
			for _, program := range p.programs {
				file := filepath.Join(peerFolder, "c", strings.ToLower(program)+".c")
				if _, err := os.Stat(file); err != nil {
					t.Error(err)
				}
			}
			continue
		}
		if p.version(t.Context()) == "" {
			t.Errorf("%s: %s names no version as %s", p.name, p.manifest, p.pin)
		}
		var text string
		err := filepath.WalkDir(filepath.Join(peerFolder, filepath.Dir(p.manifest)),
			func(path string, d os.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				data, err := os.ReadFile(path)
				text += string(data)
				return err
			})
		if err != nil {
			t.Fatal(err)
		}
		for _, program := range p.programs {
			if !strings.Contains(text, fmt.Sprintf("%q", program)) {
				t.Errorf("%s: %s has no program %s", p.name, p.manifest, program)
			}
		}
	}
}
