// Package fixes has bugs with the fixes that people make, and with changes that mend nothing: what
// heddle replay is to judge. Each file is an archive (txtar) of one package: its comment says what
// is wrong and what was changed, p.go and p_test.go have the bug, fix/ has the files that change in
// the fix, and non/, in some, those of a change after which the bug is still there. The programs
// were written before heddle was run on them.
package fixes

import (
	"embed"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/tools/txtar"
)

//go:embed *.txtar
var archives embed.FS

// A Pair is a bug and its fix.
type Pair struct {
	Name string // of the package's folder
	Note string // what is wrong, and what was changed
	// The files of the package by name: with the bug, with the fix, and with a change that leaves
	// the bug, nil if there is none.
	Bug, Fix, Non map[string]string
}

// All returns the pairs in order of their names.
func All() []Pair {
	names, err := archives.ReadDir(".")
	if err != nil {
		panic(err) // it is embedded
	}
	var pairs []Pair
	for _, f := range names {
		data, err := archives.ReadFile(f.Name())
		if err != nil {
			panic(err)
		}
		pairs = append(pairs, parse(strings.TrimSuffix(f.Name(), ".txtar"), data))
	}
	return pairs
}

func parse(name string, data []byte) Pair {
	a := txtar.Parse(data)
	p := Pair{Name: name, Note: strings.TrimSpace(string(a.Comment)), Bug: map[string]string{}}
	changed := map[string]map[string]string{}
	for _, f := range a.Files {
		dir, base := path.Split(f.Name)
		if dir == "" {
			p.Bug[base] = string(f.Data)
			continue
		}
		if changed[dir] == nil {
			changed[dir] = map[string]string{}
		}
		changed[dir][base] = string(f.Data)
	}
	with := func(dir string) map[string]string {
		if changed[dir] == nil {
			return nil
		}
		files := maps.Clone(p.Bug)
		maps.Copy(files, changed[dir])
		return files
	}
	p.Fix, p.Non = with("fix/"), with("non/")
	return p
}

// WriteModule writes the go.mod of a module, in whose folders pairs can be written.
func WriteModule(dir string) error {
	return os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/fixes\n\ngo 1.26\n"), 0o666)
}

// Write writes the files of a package into the folder dir.
func Write(dir string, files map[string]string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}
