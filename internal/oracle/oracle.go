// Package oracle compares what heddle says of random programs with what they do natively.
//
// A batch of programs is written as one package, and explored by every strategy that can
// cover all interleavings; natively it is executed many times, under the race
// detector, giving way at random. Of each program it must hold that
//
//   - a data race, outcome, deadlock, leak or panic of a native execution is one of
//     heddle's too, for each strategy that says that it covered everything;
//   - strategies that covered everything saw the same;
//   - a program whose memory is guarded everywhere has no data race;
//   - every finding is shown again by its clip, in a new process;
//   - nothing hangs, breaks or is left without a result.
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
	Runs       int           // executions of a program by each
	Budget     time.Duration // and time
	Rounds     int           // native executions
	Limit      time.Duration // and time
	Clips      bool          // check that clips show their findings again

	Failures []string // of heddle as a whole

	mu    sync.Mutex
	spent map[string]time.Duration
}

// run runs a command and adds its processor time to what was spent on that.
func (o *Oracle) run(what string, cmd *exec.Cmd) error {
	err := cmd.Run()
	if s := cmd.ProcessState; s != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.spent[what] += s.UserTime() + s.SystemTime()
	}
	return err
}

// Spent says on what processor time was spent.
func (o *Oracle) Spent() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var list []string
	for _, what := range slices.Sorted(maps.Keys(o.spent)) {
		list = append(list, fmt.Sprintf("%s %s", what, o.spent[what].Round(time.Second)))
	}
	return strings.Join(list, ", ")
}

// New returns an Oracle that uses the command heddle, with the usual bounds.
func New(heddle, dir string) *Oracle {
	return &Oracle{
		Heddle: heddle, Dir: dir, Strategies: []string{"dpor", "reach", "unfold", "auto"},
		Runs: 300, Budget: 2 * time.Second, Rounds: 120, Limit: 400 * time.Millisecond, Clips: true,
		spent: map[string]time.Duration{},
	}
}

// A Report is what was found out about one program.
type Report struct {
	Program *gogen.Program
	Native  *Native
	Heddle  map[string]*Explored // by strategy
	Wrong   []Failure
}

// A Failure is something that must not be.
type Failure struct {
	Kind string // of failure, with the strategy: programs are shrunk while it stays
	Text string
}

// Group returns what the failures of r are counted by: the first one's kind without its
// strategy, and of a data race the functions that it is between.
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

// Has reports whether a failure of that kind is among the program's.
func (r *Report) Has(kind string) bool {
	return slices.ContainsFunc(r.Wrong, func(f Failure) bool { return f.Kind == kind })
}

// Check checks a batch of programs, which have different numbers.
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

// compare fills in what is wrong.
func (o *Oracle) compare(r *Report) {
	var first string // the first strategy that covered all
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
			r.fail("findings differ|"+s, "%s found %s, %s %s", first, strings.Join(a, ", "), s, strings.Join(b, ", "))
		}
		if a, b := without(f.Outcomes, h.Outcomes), without(h.Outcomes, f.Outcomes); len(a)+len(b) > 0 {
			r.fail("outcomes differ|"+s, "%s has %d outcomes that %s has not, which has %d others (%d and %d in all)",
				first, len(a), s, len(b), len(f.Outcomes), len(h.Outcomes))
		}
	}
}

// found returns the kinds of findings that every strategy looks for: auto also tells what it predicts.
func found(e *Explored) []string {
	return slices.DeleteFunc(e.kinds(), func(kind string) bool { return strings.HasSuffix(kind, "violation") })
}

// missed compares native executions with a strategy that covered everything.
func (o *Oracle) missed(r *Report, s string, h *Explored) {
	n := r.Native
	if len(n.Races) > 0 && h.find("data race") == nil && h.find("misuse") == nil {
		r.fail("missed race|"+s, "%s: all covered in %d executions, and no data race; natively:\n%s", s, h.Executions, n.Races[0])
	}
	if h.find("data race") != nil || h.reuses() {
		return // what racing goroutines do natively is no interleaving
	}
	for out := range n.Outcomes {
		switch {
		case out == "DEADLOCK":
			if h.find("deadlock") == nil && h.find("leak") == nil {
				r.fail("missed deadlock|"+s, "%s: all covered in %d executions, and no deadlock, natively there is one", s, h.Executions)
			}
		case out == "LEAK":
			if h.find("leak") == nil && h.find("deadlock") == nil {
				r.fail("missed leak|"+s, "%s: all covered in %d executions, and no leak, natively there is one", s, h.Executions)
			}
		case out == "HANG":
			r.fail("hang|"+s, "%s: all covered in %d executions; a native one did not end", s, h.Executions)
		case strings.HasPrefix(out, "PANIC ") || strings.HasPrefix(out, "FATAL "):
			if h.find("panic") == nil && h.find("misuse") == nil && h.find("deadlock") == nil {
				r.fail("missed panic|"+s, "%s: all covered in %d executions, and no panic; natively %s", s, h.Executions, out)
			}
		case !h.Outcomes[hash(out)]:
			r.fail("missed outcome|"+s, "%s: all covered in %d executions, of %d outcomes, but not natively seen %q", s, h.Executions, len(h.Outcomes), out)
		}
	}
}

// reuses reports whether a WaitGroup is used again too early: package sync may panic then, or let Wait return, as it happens to notice.
func (e *Explored) reuses() bool {
	return slices.ContainsFunc(e.Findings, func(f Finding) bool {
		return f.Kind == "misuse" && strings.Contains(f.Message, "WaitGroup.Add from zero")
	})
}

// without returns what of a is not in b.
func without(a, b map[uint64]bool) []uint64 {
	var list []uint64
	for k := range a {
		if !b[k] {
			list = append(list, k)
		}
	}
	return list
}

// hash is what side.Tell tells of an outcome.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range []byte(s) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}
