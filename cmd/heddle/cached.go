package main

import (
	"cmp"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"heddle/build"
	"heddle/clip"
	"heddle/explore/why"
	"heddle/internal/tested"
	"heddle/report"
	"heddle/rt/wire"
)

// A test that was covered is not explored again while nothing has changed: its verdict comes from
// the cache, as go test has it (package tested). It is kept under all that the exploration was made
// from, and together with what the processes looked at outside of themselves. Where they looked at
// something that cannot be looked at again, such as another process or the clock, no verdict is
// kept of that test and those after it.

// A verdictKey is what a verdict rests on, but for what the program looks at while it runs.
type verdictKey struct {
	Heddle       string // hash of the command
	Go           string // release
	Binary, Code string // hashes of what the test binary is built from, and of its sources
	Package      string
	Dir, Cwd     string      // its folder, and that without symbolic links
	Args         []string    // of the binary: the tests before this one are by them
	Config       wire.Config // see options.lasting
	Machine      []string
	Test         string
	Clips        []string // the content of those that are replayed first
}

// A verdict is what is kept of a test.
type verdict struct {
	Test       string
	Nth        int // among the tests of the package when it was explored
	Complete   bool
	Executions int
	Covering   int
	Strategy   string
	Reason     string
	Why        why.End
	Output     string
	Notes      []string
	// tests that were answered from the cache when this one was explored: they had not run before
	// it in its process
	Without []string
}

// verdicts are those of a run.
type verdicts struct {
	store  tested.Store
	heddle string
	found  map[string][]verdict // by package
}

// caches reports whether verdicts are kept and used.
func (o *options) caches() bool {
	return !o.set["count"] && o.count == 1 && !o.resume && !o.searching() && !o.mapCover && o.exec == "" &&
		o.nats.URL == "" && o.question == nil && o.unit.Name != "predict"
}

// recall finds the verdicts of the tests that are not to be explored again.
func (e *exploration) recall(res *build.Result) {
	if e.main || !e.wantsVerdicts || !e.o.caches() || e.launch.foreign() || e.launch.prefix != nil {
		return
	}
	dir, err := build.DefaultCacheDir()
	if err != nil {
		return
	}
	self, err := selfDigest()
	if err != nil {
		return
	}
	e.verdicts = &verdicts{store: tested.Store{Dir: dir}, heddle: self, found: map[string][]verdict{}}
	for i := range res.Packages {
		p := &res.Packages[i]
		tests := e.chosen(p)
		if len(tests) == 0 || len(p.Left) > 0 {
			continue
		}
		e.verdicts.found[p.ImportPath] = (&packageRun{exploration: e, pkg: p}).recalled(tests)
	}
}

// selfDigest is a hash of the content of this command: the one that the linker wrote into it, or
// else its own.
var selfDigest = sync.OnceValues(func() (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", err
	}
	if id := buildID(exe); id != "" {
		return id, nil
	}
	return digest(exe)
})

// buildID returns the build ID of an ELF binary, "" if there is none. Its last part is a hash of
// the binary.
func buildID(exe string) string {
	f, err := elf.Open(exe)
	if err != nil {
		return ""
	}
	defer f.Close()
	s := f.Section(".note.go.buildid")
	if s == nil {
		return ""
	}
	data, err := s.Data()
	const head = 16 // sizes of name and text, type, "Go"
	if err != nil || len(data) < head {
		return ""
	}
	if n := f.ByteOrder.Uint32(data[4:]); n > 0 && int(n) <= len(data)-head {
		return string(data[head : head+n])
	}
	return ""
}

// recalled returns the verdicts that the cache has of tests.
func (r *packageRun) recalled(tests []string) []verdict {
	keys, err := r.verdictKeys(tests)
	if err != nil {
		return nil
	}
	all := map[string]verdict{}
	for test, key := range keys {
		inputs, ok := r.verdicts.store.Inputs(key)
		if !ok {
			continue
		}
		sum, err := r.place().Sum(inputs, time.Time{})
		var v verdict
		if err == nil && r.verdicts.store.Entry(key, sum, &v) && v.Test == test {
			all[test] = v
		}
	}
	return standing(all)
}

// standing returns those of the verdicts of a package that count, in the order of its tests. One
// that was found without other tests counts only as long as these have one.
func standing(all map[string]verdict) []verdict {
	for again := true; again; {
		again = false
		for test, v := range all {
			if slices.ContainsFunc(v.Without, func(other string) bool { _, ok := all[other]; return !ok }) {
				delete(all, test)
				again = true
			}
		}
	}
	return slices.SortedFunc(maps.Values(all), func(a, b verdict) int {
		return cmp.Or(cmp.Compare(a.Nth, b.Nth), cmp.Compare(a.Test, b.Test))
	})
}

// place is where what tests look at is looked at again.
func (r *packageRun) place() tested.Place {
	return tested.Place{Dir: r.pkg.Dir, Env: append(os.Environ(), "PWD="+r.pkg.Dir)}
}

// explores sets what options say of an exploration, config and args being those of its binary.
func (k *verdictKey) explores(o *options, config wire.Config, args []string) {
	k.Config = o.lasting(config)
	k.Args = slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == "-test.failfast" })
}

// verdictKeys returns the keys of tests, without those that have clips that are not of a bug that
// was fixed: these are replayed each time.
func (r *packageRun) verdictKeys(tests []string) (map[string]string, error) {
	k := verdictKey{Heddle: r.verdicts.heddle, Go: r.goVersion, Binary: r.pkg.Key, Code: r.pkg.Code,
		Package: r.pkg.ImportPath,
		Dir:     r.pkg.Dir, Machine: machine()}
	var err error
	if k.Cwd, err = filepath.EvalSymlinks(r.pkg.Dir); err != nil {
		return nil, err
	}
	b := r.process()
	k.explores(r.o, b.config, b.args)
	clips, open, err := r.clipTexts()
	if err != nil {
		return nil, err
	}
	keys := map[string]string{}
	for _, test := range tests {
		if open[test] {
			continue
		}
		k.Test, k.Clips = test, clips[test]
		if keys[test], err = tested.Hash(&k); err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// machine says what programs see of the machine, and which variables the Go runtime reads.
func machine() []string {
	m := []string{strconv.Itoa(runtime.NumCPU()), strconv.Itoa(runtime.GOMAXPROCS(0)),
		strconv.Itoa(os.Getuid()), strconv.Itoa(os.Getgid())}
	for _, v := range os.Environ() {
		if strings.HasPrefix(v, "GO") || strings.HasPrefix(v, "LD_") {
			m = append(m, v)
		}
	}
	slices.Sort(m[4:])
	return m
}

// clipTexts returns the clips of the package by test, and which tests have some of bugs that were
// not fixed.
func (r *packageRun) clipTexts() (texts map[string][]string, open map[string]bool, err error) {
	texts, open = map[string][]string{}, map[string]bool{}
	f := r.clipFolder(r.pkg)
	for _, dir := range []string{f.home, f.instead} {
		if dir == "" {
			continue
		}
		clips, errs := clip.All(dir)
		if len(errs) > 0 {
			return nil, nil, errs[0]
		}
		for _, c := range clips {
			text, err := os.ReadFile(c.Path)
			if err != nil {
				return nil, nil, err
			}
			texts[c.Test] = append(texts[c.Test], filepath.Base(c.Path)+"\n"+string(text))
			open[c.Test] = open[c.Test] || c.Fixed == ""
		}
	}
	return texts, open, nil
}

// answer reports the tests of a package that the cache has the verdicts of, and leaves them out.
// all: there are no others.
func (r *packageRun) answer() (all bool) {
	if r.verdicts == nil {
		return false
	}
	found := r.verdicts.found[r.pkg.ImportPath]
	for i := range found {
		v := &found[i]
		r.finished = append(r.finished, v.Test)
		r.cached = append(r.cached, v.Test)
		r.report.Record(&wire.Record{Type: "begin", Test: v.Test})
		if v.Output != "" {
			r.report.Record(&wire.Record{Type: "output", Test: v.Test, Text: v.Output})
		}
		for _, n := range v.Notes {
			r.report.Record(&wire.Record{Type: "note", Test: v.Test, Text: n})
		}
		r.report.Record(&wire.Record{Type: "end", Test: v.Test, Result: "pass", Cached: true,
			Complete: v.Complete, Executions: v.Executions, Covering: v.Covering, Strategy: v.Strategy,
			Reason: v.Reason, Why: v.Why})
	}
	return len(found) > 0 && len(found) == len(r.chosen(r.pkg))
}

// sights is what the processes of a package have looked at.
type sights struct {
	mu     sync.Mutex
	at     []string
	beyond string // the first look at what cannot be looked at again; "": there was none
	ends   map[string]sight
	last   sight    // when the process of the tests was through with them
	tail   []string // what the rest of TestMain looked at
	exited bool     // the process said so
}

// A sight is how far that was when a test ended.
type sight struct {
	names  int
	beyond string
}

// looked notes what a process has looked at.
func (s *sights) looked(l *wire.Looks) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range l.At {
		if !slices.Contains(s.at, name) {
			s.at = append(s.at, name)
		}
	}
	s.beyond = cmp.Or(s.beyond, l.Beyond)
}

// ended notes that a test is over.
func (s *sights) ended(test string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ends == nil {
		s.ends = map[string]sight{}
	}
	s.ends[test] = sight{len(s.at), s.beyond}
}

// record notes that the process of the tests is through with them, or has ended.
func (s *sights) record(rec *wire.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch rec.Type {
	case "done":
		s.last = sight{len(s.at), s.beyond}
	case "exit":
		s.tail = slices.Clone(s.at[s.last.names:])
		s.exited = s.beyond == s.last.beyond
	}
}

// keepVerdicts writes the verdicts of the tests that were covered. Where that is not possible, they
// are explored again next time; -v says why.
func (r *packageRun) keepVerdicts(ctx context.Context, res *report.Result) {
	if r.verdicts == nil || ctx.Err() != nil || !r.sights.exited || r.o.failFast && res.Failed {
		return
	}
	times := map[string]int{} // a package and its external tests may have two tests of one name
	for _, t := range res.Tests {
		times[t.Name]++
	}
	var covered []string
	for _, t := range res.Tests {
		if toKeep(t) && times[t.Name] == 1 {
			covered = append(covered, t.Name)
		}
	}
	if len(covered) == 0 {
		return
	}
	keys, err := r.verdictKeys(covered)
	if err != nil {
		return
	}
	for i, t := range res.Tests {
		if key := keys[t.Name]; key != "" && toKeep(t) {
			if err := r.keepVerdict(t, i, key, r.clips.has(t.Name)); err != nil && r.o.verbose {
				r.exploration.report.Note(
					fmt.Sprintf("%s: its verdict is not kept in the cache: %v", t.Name, err))
			}
		}
	}
}

// keepVerdict writes the verdict of one test.
func (r *packageRun) keepVerdict(t *report.TestResult, nth int, key string, clips bool) error {
	notes := t.Notes
	if clips {
		notes = nil // what became of these is said once
	}
	end, ok := r.sights.ends[t.Name]
	if !ok || end.beyond != "" {
		return errors.New(cmp.Or(end.beyond, "it is not known what it looks at"))
	}
	inputs := slices.Concat(r.sights.at[:end.names], r.sights.tail)
	sum, err := r.place().Sum(inputs, r.start)
	if err != nil {
		return err
	}
	return r.verdicts.store.Keep(key, inputs, sum, &verdict{Test: t.Name, Nth: nth,
		Complete: t.Complete, Executions: t.Executions, Covering: t.Covering, Strategy: t.Strategy,
		Reason: t.Reason, Why: t.Why, Output: t.Output, Notes: notes, Without: r.cached})
}

// toKeep reports whether the verdict of a test is one to keep: it was covered, or has one goroutine
// alone, and all is said.
func toKeep(t *report.TestResult) bool {
	return t.Result == "pass" && (t.Complete || t.Why.Is(why.Alone)) && !t.Cached &&
		len(t.Findings) == 0 && len(t.Known) == 0 && t.Predicted == nil && t.Coverage == nil
}
