// Package oracle compares heddle's results for random programs with native executions.
//
// A batch of programs is written as one package. Every strategy that can cover all interleavings
// explores it. It is also executed natively many times, under the race detector, with random
// yields. For each program the following must hold:
//
//   - a strategy that says that it covered everything has found every data race, outcome,
//     deadlock, leak and panic of the native executions;
//   - strategies that covered everything found the same;
//   - a program whose memory is guarded everywhere has no data race;
//   - the clip of every finding shows it again in a new process;
//   - every program has a result, and no program hangs.
package oracle

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"heddle/internal/gogen"
)

// An Oracle checks programs.
type Oracle struct {
	Heddle     string        // the command
	Dir        string        // scratch folder
	Strategies []string      // of heddle
	Runs       int           // executions of a program by each strategy
	Budget     time.Duration // time for a program and a strategy
	Rounds     int           // native executions
	Limit      time.Duration // time for the native executions
	Clips      bool          // check that clips show their findings again

	Failures []string // failures of heddle that belong to no program

	mu    sync.Mutex
	spent map[string]time.Duration
}

// run runs a command and adds its processor time to the account named what.
func (o *Oracle) run(what string, cmd *exec.Cmd) error {
	err := cmd.Run()
	if s := cmd.ProcessState; s != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.spent[what] += s.UserTime() + s.SystemTime()
	}
	return err
}

// Spent returns the accounts of processor time as text.
func (o *Oracle) Spent() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var list []string
	for _, what := range slices.Sorted(maps.Keys(o.spent)) {
		list = append(list, fmt.Sprintf("%s %s", what, o.spent[what].Round(time.Second)))
	}
	return strings.Join(list, ", ")
}

// New returns an Oracle for the command heddle, with the usual bounds.
func New(heddle, dir string) *Oracle {
	return &Oracle{
		Heddle: heddle, Dir: dir, Strategies: []string{"dpor", "reach", "unfold", "auto"},
		Runs: 300, Budget: 2 * time.Second, Rounds: 120, Limit: 400 * time.Millisecond, Clips: true,
		spent: map[string]time.Duration{},
	}
}

// A Report has all results for one program.
type Report struct {
	Program *gogen.Program
	Native  *Native
	Heddle  map[string]*Explored // by strategy
	Wrong   []Failure
}

// A Failure is a violation of one of the rules.
type Failure struct {
	Kind string // kind and strategy; shrinking a program keeps it
	Text string
}

// Group returns the key by which failures are counted: the first failure's kind without its
// strategy and, for a data race, the two functions.
func (r *Report) Group() string {
	what, _, _ := strings.Cut(r.Wrong[0].Kind, "|")
	if what == "missed race" {
		what += " of " + between(r.Native.Races[0])
	}
	return what
}

func (r *Report) fail(kind, format string, args ...any) {
	r.Wrong = append(r.Wrong, Failure{kind, fmt.Sprintf(format, args...)})
}

// Has reports whether the program has a failure of that kind.
func (r *Report) Has(kind string) bool {
	return slices.ContainsFunc(r.Wrong, func(f Failure) bool { return f.Kind == kind })
}

// Check checks a batch of programs with distinct numbers.
func (o *Oracle) Check(ctx context.Context, programs []*gogen.Program) ([]*Report, error) {
	dir, err := os.MkdirTemp(o.Dir, "batch-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	reports := make([]*Report, len(programs))
	for i, p := range programs {
		reports[i] = &Report{Program: p, Native: newNative(), Heddle: map[string]*Explored{}}
	}
	var wg sync.WaitGroup
	var native, explored error
	wg.Go(func() {
		if o.Rounds == 0 {
			return
		}
		native = o.native(ctx, filepath.Join(dir, "native"), reports)
	})
	wg.Go(func() { explored = o.explore(ctx, filepath.Join(dir, "heddle"), reports) })
	wg.Wait()
	if native != nil {
		return nil, native
	}
	if explored != nil {
		return nil, explored
	}
	for _, r := range reports {
		o.compare(r)
	}
	return reports, nil
}

// compare adds the failures to r.
func (o *Oracle) compare(r *Report) {
	var first string // the first strategy that covered everything
	for _, s := range o.Strategies {
		h := r.Heddle[s]
		if h == nil || !h.Ended {
			r.fail("no result|"+s, "%s: no result", s)
			continue
		}
		for _, n := range h.Broken {
			r.fail("broken|"+s, "%s: %s", s, n)
		}
		for _, c := range h.Unshown {
			r.fail("clip|"+s, "%s: %s", s, c)
		}
		if race := h.find("data race"); race != nil && r.Program.Clean && !r.Program.Misuses() {
			r.fail("false race|"+s, "%s: a data race where all memory is guarded: %s", s, race)
		}
		if !h.Complete {
			continue
		}
		o.missed(r, s, h)
		if first == "" {
			first = s
			continue
		}
		f := r.Heddle[first]
		if a, b := found(f), found(h); !slices.Equal(a, b) {
			r.fail("findings differ|"+s, "%s found %s, %s %s", first, strings.Join(a, ", "), s,
				strings.Join(b, ", "))
		}
		if a, b := without(f.Outcomes, h.Outcomes), without(h.Outcomes, f.Outcomes); len(a)+len(b) > 0 {
			r.fail("outcomes differ|"+s, "%s has %d outcomes that %s has not, which has %d others (%d and %d in all)",
				first, len(a), s, len(b), len(f.Outcomes), len(h.Outcomes))
		}
	}
}

// found returns the kinds of findings that every strategy looks for. auto also reports
// predictions.
func found(e *Explored) []string {
	return slices.DeleteFunc(e.kinds(),
		func(kind string) bool { return strings.HasSuffix(kind, "violation") })
}

// missed compares native executions with a strategy that covered everything.
func (o *Oracle) missed(r *Report, s string, h *Explored) {
	n := r.Native
	if len(n.Races) > 0 && h.find("data race") == nil && h.find("misuse") == nil {
		r.fail("missed race|"+s, "%s: all covered in %d executions, and no data race; natively:\n%s", s,
			h.Executions, n.Races[0])
	}
	if h.find("data race") != nil || h.reuses() {
		return // racing goroutines may do natively what is no interleaving
	}
	for out := range n.Outcomes {
		switch {
		case out == "DEADLOCK":
			if h.find("deadlock") == nil && h.find("leak") == nil {
				r.fail("missed deadlock|"+s, "%s: all covered in %d executions, and no deadlock, natively there is one", s, h.Executions)
			}
		case out == "LEAK":
			if h.find("leak") == nil && h.find("deadlock") == nil {
				r.fail("missed leak|"+s,
					"%s: all covered in %d executions, and no leak, natively there is one", s, h.Executions)
			}
		case out == "HANG":
			r.fail("hang|"+s, "%s: all covered in %d executions; a native one did not end", s, h.Executions)
		case strings.HasPrefix(out, "PANIC ") || strings.HasPrefix(out, "FATAL "):
			if h.find("panic") == nil && h.find("misuse") == nil && h.find("deadlock") == nil {
				r.fail("missed panic|"+s, "%s: all covered in %d executions, and no panic; natively %s", s,
					h.Executions, out)
			}
		case !h.Outcomes[hash(out)]:
			r.fail("missed outcome|"+s, "%s: all covered in %d executions, of %d outcomes, but not natively seen %q", s, h.Executions, len(h.Outcomes), out)
		}
	}
}

// reuses reports whether a WaitGroup is reused too early: package sync may panic then, or let Wait
// return, depending on timing.
func (e *Explored) reuses() bool {
	return slices.ContainsFunc(e.Findings, func(f Finding) bool {
		return f.Kind == "misuse" && strings.Contains(f.Message, "WaitGroup.Add and Wait")
	})
}

// without returns the elements of a that are not in b.
func without(a, b map[uint64]bool) []uint64 {
	var list []uint64
	for k := range a {
		if !b[k] {
			list = append(list, k)
		}
	}
	return list
}

// hash returns the number that side.Tell reports for an outcome.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range []byte(s) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}
