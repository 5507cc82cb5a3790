package gen

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Prepare builds a test binary with all calls, and finds out which can be made: what an object
// does by itself, before any concurrency. Close ends what it began. The error says why there is
// nothing to call.
func (s *Suite) Prepare(ctx context.Context) error {
	if err := s.buildCheck(ctx); err != nil {
		return err
	}
	verdicts, err := s.screen(ctx, len(s.makes), 0)
	if err != nil {
		return err
	}
	why, starts, end := "", false, s.end
	for i, v := range verdicts {
		if v == "fine starts" {
			v, starts = "fine", true
		}
		if v == "fine" && len(s.fine) < maxCreators {
			s.fine = append(s.fine, i)
		} else if v != "fine" {
			if v == sharedObject {
				v = "returns the same object each time"
				s.note("%s is left out: it %s, which earlier calls have changed", s.makes[i].shown(), v)
			}
			if strings.Contains(s.makes[i].text, "panic(err)") {
				v = strings.Replace(v, "panics", "returns the error, or panics:", 1)
			}
			why = fmt.Sprintf("%s: %s", s.makes[i].shown(), strings.Replace(v, "blocks", "waits for ever", 1))
		}
	}
	if len(s.fine) == 0 {
		return fmt.Errorf("%sno object of %s can be made: %s; write an exported function without parameters that returns a new one",
			s.p.at(s.obj), s.typeName(), why)
	}
	if verdicts, err = s.screen(ctx, len(s.makes)+len(s.pool), s.fine[0]); err != nil {
		return err
	}
	s.useWhatWorks(verdicts[len(s.makes):])
	if why, ok := allPanic(verdicts[len(s.makes):]); ok {
		return fmt.Errorf("%seach method of %s panics on a new object, %s, that nothing was done with: %s%s; write an exported function without parameters that makes one of use",
			s.p.at(s.obj), s.typeName(), s.makes[s.fine[0]].shown(), why, s.because())
	}
	if !starts {
		s.end = ""
	}
	if s.end != end { // the binary calls it
		s.Close()
		if err := s.buildCheck(ctx); err != nil {
			return err
		}
	}
	if len(s.usable) == 0 {
		return fmt.Errorf("%sno method of %s can be called%s", s.p.at(s.obj), s.typeName(), s.because())
	}
	return nil
}

// sharedObject is the verdict on a maker that returns one object for the whole process: what one
// scenario does to it is there in the next.
const sharedObject = "shared"

// Close removes what Prepare has made.
func (s *Suite) Close() {
	if s.remove != nil {
		s.remove()
	}
}

// unlocks has methods that come after what they undo even if they return when called alone, with an
// error maybe.
var unlocks = map[string]bool{"Unlock": true, "RUnlock": true}

// useWhatWorks fills in usable: entries but for those that end the process, or never end. Those of
// methods that undo what others do, and fail or wait alone, come after these only. A Put that
// waits is one of a queue.
func (s *Suite) useWhatWorks(verdicts []string) {
	bad := map[string]string{} // by method
	for i := range s.pool {
		e, v := &s.pool[i], verdicts[i]
		if e.method == s.end && v != "fine" {
			s.end = "" // alone it waits, or panics
		}
		if v == "fine" || v == "" || v == "blocks" {
			s.waits[e.method] = s.waits[e.method] || v == "blocks"
			if !unlocks[e.method] && (v != "blocks" || e.method == "Put" || e.method == "Return") {
				continue
			}
		}
		if slices.ContainsFunc(s.pool, func(x entry) bool { return opens(x.method, e.method) && x.same(e) }) {
			e.guard = e.method
			continue
		}
		if v == "dies" || v == "spins" {
			bad[e.method] = map[string]string{"dies": "ends the process",
				"spins": "does not end and uses the processor"}[v]
		}
	}
	for i, e := range s.pool {
		if why := bad[e.method]; why != "" {
			s.note("%s is left out: alone it %s", e.method, why)
			continue
		}
		s.usable = append(s.usable, i)
		if !slices.Contains(s.methods, e.method) {
			s.methods = append(s.methods, e.method)
		}
	}
}

// allPanic reports whether all calls that were made panic, and what one says.
func allPanic(verdicts []string) (why string, ok bool) {
	for _, v := range verdicts {
		text, panics := strings.CutPrefix(v, "panics ")
		if !panics && v != "" {
			return "", false
		}
		why = cmp.Or(why, text)
	}
	return why, why != ""
}

// screen makes the first n of all objects and calls, each alone on an object of that maker.
func (s *Suite) screen(ctx context.Context, n, maker int) ([]string, error) {
	verdicts := make([]string, n)
	for from := 0; from < n; {
		out, err := s.check(ctx, "TestHeddleScreen", "", fmt.Sprint(from), fmt.Sprint(maker))
		begun := told(out, "screen", verdicts)
		if begun < 0 {
			return nil, fmt.Errorf("the calls of %s cannot be tried out: %v\n%s", s.typeName(), err, out)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if begun < n && verdicts[begun] == "" {
			verdicts[begun] = "dies"
			from = begun + 1
			continue
		}
		break
	}
	return verdicts, nil
}

// told reads verdicts from what a check prints, and returns the last that it has begun, -1 if none.
func told(out []byte, kind string, verdicts []string) (begun int) {
	begun = -1
	for _, line := range strings.Split(string(out), "\n") {
		f := strings.SplitN(line, " ", 4)
		if len(f) < 3 || f[0] != "heddle-gen" {
			continue
		}
		i, err := strconv.Atoi(f[2])
		if err != nil {
			continue
		}
		if f[1] == "begin" {
			begun = i
		} else if f[1] == kind && len(f) == 4 && i >= 0 && i < len(verdicts) {
			verdicts[i] = f[3]
		}
	}
	return begun
}

// sequential makes the calls of scenarios in every order, one after the other, each order so many
// times. It returns those that come to an end and return the same each time, with the orders that
// wait. Results that vary by themselves are no longer compared, and the rest is tried again.
func (s *Suite) sequential(ctx context.Context, all []*scenario, repeat int) (fine []*scenario,
	why map[string]int, err error) {
	why = map[string]int{}
	for round := 0; len(all) > 0 && round < 4; round++ {
		var again []*scenario
		verdicts, err := s.verdicts(ctx, all, repeat)
		if err != nil {
			return nil, nil, err
		}
		raised := map[string]bool{}
		for i, v := range verdicts {
			kind, rest, _ := strings.Cut(v, " ")
			switch kind {
			case "meets":
				all[i].meets = true
			case "fine":
				all[i].blocked = rest
				all[i].woken = rest != "" && s.hasEnd(all[i])
				if rest == "" || s.opt.Order != "quiescent" {
					fine = append(fine, all[i])
				}
				continue
			case "random":
				if e, err := strconv.Atoi(rest); err == nil && e < len(s.pool) {
					m := s.pool[e].method
					if s.masked(all[i], m) {
						break // it follows from what is not compared
					}
					if !raised[m] && s.levels[m] < notCompared {
						s.levels[m]++
						raised[m] = true
						if s.levels[m] == notCompared {
							s.note("what %s returns varies from one sequential run to the next: it is called, and its results are not compared",
								m)
						}
					}
					if raised[m] {
						again = append(again, all[i])
						continue
					}
				}
			}
			why[kind]++
		}
		all = again
	}
	why["random"] += len(all)
	return fine, why, nil
}

// hasEnd reports whether a goroutine of a scenario calls a method that ends the object.
func (s *Suite) hasEnd(sc *scenario) bool {
	return slices.ContainsFunc(slices.Concat(sc.goroutines...),
		func(c *call) bool { return ends.MatchString(s.pool[c.entry].method) })
}

// masked reports whether a scenario has a call of another method whose results are not compared.
func (s *Suite) masked(sc *scenario, m string) bool {
	return slices.ContainsFunc(sc.all(), func(c *call) bool {
		o := s.pool[c.entry].method
		return o != m && s.levels[o] == notCompared
	})
}

// checks is how many processes check scenarios: they mostly wait for calls that wait.
const checks = 3

// verdicts runs the check of scenarios.
func (s *Suite) verdicts(ctx context.Context, all []*scenario, repeat int) ([]string, error) {
	parts := slices.Collect(slices.Chunk(all, (len(all)+checks-1)/checks))
	verdicts, errs := make([][]string, len(parts)), make([]error, len(parts))
	var wg sync.WaitGroup
	for i, part := range parts {
		wg.Go(func() { verdicts[i], errs[i] = s.verdictsOf(ctx, part, repeat) })
	}
	wg.Wait()
	return slices.Concat(verdicts...), errors.Join(errs...)
}

// verdictsOf runs the check of scenarios by one process.
func (s *Suite) verdictsOf(ctx context.Context, all []*scenario, repeat int) ([]string, error) {
	verdicts := make([]string, len(all))
	for from := 0; from < len(all); {
		args := []string{s.levelsText(), fmt.Sprint(repeat), fmt.Sprint(from)}
		for _, sc := range all {
			args = append(args, sc.text())
		}
		out, err := s.check(ctx, "TestHeddleCheck", args...)
		begun := told(out, "check", verdicts)
		if begun < 0 || ctx.Err() != nil {
			return nil, errors.Join(ctx.Err(), fmt.Errorf("the calls of %s cannot be tried out: %v\n%s",
				s.typeName(), err, out))
		}
		if verdicts[begun] != "" {
			break
		}
		verdicts[begun] = "dies"
		from = begun + 1
	}
	return verdicts, nil
}

// How results of a method are compared: as they are; without order; not at all.
const (
	asSets = 1 + iota
	notCompared
)

// levelsText says how results are compared, for the binary.
func (s *Suite) levelsText() string {
	var words []string
	for i, e := range s.pool {
		word := ""
		if n := s.levels[e.method]; n > 0 {
			word = fmt.Sprint(n)
		}
		if s.advice.vague[e.method] != "" {
			word += "v"
		}
		if s.advice.interferes(e.method) {
			word += "r"
		}
		if s.advice.tries[e.method] != "" {
			word += "t"
		}
		if word != "" {
			words = append(words, fmt.Sprintf("%d:%s", i, word))
		}
	}
	return strings.Join(words, " ")
}

// Tried says how many scenarios there were, and what became of them.
func (s *Suite) Tried() string {
	text := fmt.Sprintf("%d scenarios tried", s.drawn)
	if s.executed > 0 {
		text += fmt.Sprintf(", %d of them executed, %d times in all", s.executed, s.executions)
	}
	if why := s.reasons(); why != "" {
		text += "; not kept: " + why
	}
	if s.cut {
		text += "; -budget has ended the search"
	}
	return text
}

func (s *Suite) reasons() string {
	var texts []string
	for _, v := range []struct{ word, text string }{
		{"panics", "panic"}, {"dies", "end the process"}, {"blocks", "wait for ever"},
		{"meets", "wait for each other, for ever or not as it comes"},
		{"spins", "do not end and use the processor"}, {"random", "give other results each time"},
		{"fails", "fail or wait when they are executed"}, {"waits", "wait for ever in some executions"},
	} {
		if s.why[v.word] > 0 {
			texts = append(texts, fmt.Sprintf("%d %s", s.why[v.word], v.text))
		}
	}
	return strings.Join(texts, ", ")
}

// checkTime bounds one run of the check.
const checkTime = 20 * time.Second

// check runs a test of the check's binary.
func (s *Suite) check(ctx context.Context, test string, args ...string) ([]byte, error) {
	ctx, stop := context.WithTimeout(ctx, checkTime)
	defer stop()
	cmd := exec.CommandContext(ctx, s.binary, append([]string{"-test.run=^" + test + "$"}, args...)...)
	cmd.Dir, cmd.WaitDelay = s.p.Dir, time.Second
	return cmd.CombinedOutput()
}

// buildCheck compiles the pool of calls plainly.
func (s *Suite) buildCheck(ctx context.Context) error {
	text, err := s.PoolFile()
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "heddle-gen-")
	if err != nil {
		return err
	}
	s.remove = func() { os.RemoveAll(tmp) }
	file := filepath.Join(tmp, "check_test.go")
	replace := map[string]string{filepath.Join(s.p.Dir, PoolName): file}
	for _, name := range s.p.tests {
		if s.p.withTests && name != s.FileName() {
			continue // it may have the specification
		}
		// as if the file did not exist: it may declare the same names
		replace[filepath.Join(s.p.Dir, name)] = ""
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		return err
	}
	over := filepath.Join(tmp, "overlay.json")
	if err := errors.Join(os.WriteFile(file, text, 0o666), os.WriteFile(over, overlay, 0o666)); err != nil {
		return err
	}
	s.binary = filepath.Join(tmp, "check.test")
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-overlay", over, "-vet=off", "-o", s.binary, ".")
	cmd.Dir = s.p.Dir
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the tests of %s do not compile: %v\n%s", s.typeName(), err, out.String())
	}
	return nil
}

// Draw makes random tests and keeps those whose calls come to an end, and return the same each
// time, when they are made one after the other. If none is left, the error says why.
func (s *Suite) Draw(ctx context.Context) error {
	all := s.draw(6*s.opt.Tests, nil)
	s.drawn = len(all)
	fine, why, err := s.sequential(ctx, all, 3)
	if err != nil {
		return err
	}
	s.why = why
	if s.tests = fine[:min(len(fine), s.opt.Tests)]; len(fine) == 0 {
		return s.none()
	}
	return nil
}

// none is the error if no scenario works.
func (s *Suite) none() error {
	return fmt.Errorf("of %d random tests of %s none works with its calls one after the other: %s%s; "+
		"write an exported function that makes an object on which calls return, or take another one by -new",
		s.drawn, s.typeName(), cmp.Or(s.reasons(), "no calls can be made by two goroutines"), s.because())
}
