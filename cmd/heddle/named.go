package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"heddle/build"
	"heddle/clip"
	"heddle/rt/wire"
)

// Values of tests, and flags, that are inputs on request: -symbolic.

// nameList is the value of flag -symbolic.
type nameList struct{ names *[]string }

func (l nameList) String() string {
	if l.names == nil {
		return ""
	}
	return strings.Join(*l.names, ",")
}

var aName = regexp.MustCompile(`^[\pL_][\pL\pN_.-]*$`)

func (l nameList) Set(text string) error {
	for _, name := range strings.Split(text, ",") {
		if name = strings.TrimLeft(name, "-"); !aName.MatchString(name) {
			return fmt.Errorf("want names of fields, variables or flags, separated by commas; %q is none", name)
		}
		if !slices.Contains(*l.names, name) {
			*l.names = append(*l.names, name)
		}
	}
	slices.Sort(*l.names)
	return nil
}

// searching reports whether inputs are searched for.
func (o *options) searching() bool { return o.fuzz != "" || len(o.symbolic) > 0 }

// namesAsked returns the names that the command line has. Those of a clip are not asked for: its
// test may be another one now.
func (o *options) namesAsked() []string {
	if !o.set["symbolic"] {
		return nil
	}
	return o.symbolic
}

// searchesNothing reports whether -fuzz names none of what was built: no fuzz target, and no test
// of a package with properties. It does not if the tests of a package are not known.
func (e *exploration) searchesNothing(res *build.Result) bool {
	return e.o.fuzz != "" && !slices.ContainsFunc(res.Packages, func(p build.Package) bool {
		if p.NoTests {
			return false
		}
		return p.Failed != "" || p.Tests == nil || slices.ContainsFunc(p.Tests, func(test string) bool {
			return e.o.searches(test) && (p.Properties || strings.HasPrefix(test, "Fuzz"))
		})
	})
}

// fuzzOf returns the wire.Config.Fuzz of a test.
func (o *options) fuzzOf(test string) string {
	switch {
	case o.searches(test):
		return o.fuzz
	case len(o.symbolic) > 0 && !strings.HasPrefix(test, "Fuzz") && !strings.HasPrefix(test, "Example"):
		return wire.Named
	}
	return ""
}

// picks reports whether -run and -skip select a test, or may if the name is that of a helper.
func (o *options) picks(test string) bool {
	if !strings.HasPrefix(test, "Test") {
		return true
	}
	top := func(pattern string) string { first, _, _ := strings.Cut(pattern, "/"); return first }
	run, err1 := regexp.MatchString(top(o.run), test)
	skip, err2 := regexp.MatchString(o.skip, test)
	return err1 == nil && err2 == nil && run && (o.skip == "" || !skip)
}

// symbolicFlag is how a clip says under which names its input was found.
const symbolicFlag = "-symbolic="

// namesOf returns the names of values of a package's tests that may be inputs: those of the command
// line, and those of the clips that are kept.
func (e *exploration) namesOf(importPath, dir string) []string {
	names := slices.Clone(e.o.symbolic)
	home := filepath.Join(dir, filepath.FromSlash(clip.Dir))
	if e.o.clips != "" {
		home = filepath.Join(e.tool.abs(e.o.clips), filepath.FromSlash(importPath))
	}
	tests, _ := os.ReadDir(home)
	for _, t := range tests {
		files, _ := os.ReadDir(filepath.Join(home, t.Name()))
		for _, f := range files {
			if f.Type().IsRegular() {
				names = append(names, namesIn(filepath.Join(home, t.Name(), f.Name()))...)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// namesIn returns the names in the head of a clip.
func namesIn(file string) (names []string) {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	for in := bufio.NewScanner(f); in.Scan(); {
		word, value, _ := strings.Cut(in.Text(), " ")
		if word == "steps" {
			break
		}
		if list, ok := strings.CutPrefix(strings.Trim(value, ` "`), symbolicFlag); ok && word == "flag" {
			_ = nameList{&names}.Set(list) // what is no name means nothing
		}
	}
	return names
}

// symbolicOf returns the names under which a clip was recorded.
func symbolicOf(list string) (names []string) {
	_ = nameList{&names}.Set(list)
	return names
}

// checkSymbolic refuses what names cannot be combined with.
func (o *options) checkSymbolic() error {
	if len(o.symbolic) == 0 {
		return nil
	}
	if o.unit.Inputs {
		return fmt.Errorf("flag -symbolic: not with strategy %s: inputs of fuzz targets alone are explored together with schedules",
			o.unit.Name)
	}
	return nil
}
