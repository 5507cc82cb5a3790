// Command meaning checks whether the names of real packages mean the same in the rewriter's
// output: it calls instrument.Compare for every package of the modules in
// scripts/meaning/modules/go.mod, or of the named ones.
//
//	go run ./scripts/meaning [MODULE...]
//
// Run it in heddle's own folder. The exit code is 1 if there are differences.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"heddle/instrument"
)

const modules = "scripts/meaning/modules"

func main() {
	names := os.Args[1:]
	if len(names) == 0 {
		for _, m := range list[struct {
			Path           string
			Main, Indirect bool
		}]("list", "-m", "-json", "all") {
			if !m.Main && !m.Indirect {
				names = append(names, m.Path)
			}
		}
	}
	args := []string{"list", "-e", "-deps", "-json=ImportPath,Name,Dir,GoFiles,CgoFiles,ImportMap,Standard,Module,Error"}
	for _, n := range names {
		args = append(args, n+"/...")
	}
	wanted := map[string]bool{}
	for _, n := range names {
		wanted[n] = true
	}
	var inputs []*instrument.Input
	var todo []*instrument.Input
	for _, p := range list[listed](args...) {
		in := p.input()
		inputs = append(inputs, in)
		if p.Module != nil && wanted[p.Module.Path] && p.Error == nil && len(in.Files) > 0 {
			todo = append(todo, in)
		}
	}
	im := instrument.NewImporter(inputs)
	var sum instrument.Comparison
	packages, left := 0, 0
	for _, in := range todo {
		c, err := instrument.Compare(in, im)
		if err != nil {
			fmt.Println(err)
			left++
			continue
		}
		packages++
		sum.Names, sum.Selectors, sum.Calls, sum.Gone = sum.Names+c.Names, sum.Selectors+c.Selectors,
			sum.Calls+c.Calls, sum.Gone+c.Gone
		sum.Differences = append(sum.Differences, c.Differences...)
		for _, d := range c.Differences {
			fmt.Println(d)
		}
	}
	fmt.Printf("%d modules, %d packages (%d left out): %d names, %d of them selectors, %d calls and conversions; %d that the rewriter replaces or spells itself; %d differences\n",
		len(names), packages, left, sum.Names, sum.Selectors, sum.Calls, sum.Gone, len(sum.Differences))
	if len(sum.Differences) > 0 {
		os.Exit(1)
	}
}

// A listed is a package as go list prints it.
type listed struct {
	ImportPath, Name, Dir string
	GoFiles, CgoFiles     []string
	ImportMap             map[string]string
	Standard              bool
	Module                *struct{ Path, GoVersion string }
	Error                 *struct{ Err string }
}

func (p *listed) input() *instrument.Input {
	in := &instrument.Input{ImportPath: p.ImportPath, Name: p.Name, Dir: p.Dir, ImportMap: p.ImportMap,
		Standard: p.Standard}
	if !p.Standard {
		in.GoVersion = "1.16" // the go command's default if go.mod does not say
		if p.Module != nil && p.Module.GoVersion != "" {
			in.GoVersion = p.Module.GoVersion
		}
	}
	for _, f := range p.GoFiles {
		f = filepath.Join(p.Dir, f)
		src, err := os.ReadFile(f)
		check(err)
		in.Files = append(in.Files, instrument.File{Path: f, Content: src})
	}
	for _, f := range p.CgoFiles {
		in.CgoFiles = append(in.CgoFiles, filepath.Join(p.Dir, f))
	}
	return in
}

// list runs the go command with the modules and returns the values that it prints.
func list[T any](args ...string) (all []T) {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Stderr = modules, os.Stderr
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	out, err := cmd.Output()
	check(err)
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var v T
		if err := dec.Decode(&v); err == io.EOF {
			return all
		} else {
			check(err)
		}
		all = append(all, v)
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, strings.TrimSpace("meaning: "+err.Error()))
		os.Exit(2)
	}
}
