package gogen

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

//go:embed frame
var frame embed.FS

// Write writes a module with the programs to an empty or missing folder: a test for each, or a
// command that executes them.
func Write(dir string, programs []*Program, m Manner) error {
	if err := os.MkdirAll(filepath.Join(dir, "side"), 0o777); err != nil {
		return err
	}
	put := func(name,
		text string) error {
		return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666)
	}
	if err := put("go.mod", "module example.com/gogen\n\ngo 1.26\n"); err != nil {
		return err
	}
	types, pkg, sources := "types_test.go", "p", []string{"log.go", "heddle.go"}
	name := "p_test.go"
	if m == Native {
		types, pkg, sources, name = "types.go", "main", []string{"log.go", "native.go"}, "p.go"
		var b strings.Builder
		b.WriteString("package main\n\nimport \"example.com/gogen/side\"\n\nfunc main() {\nside.Main([]side.Program{\n")
		for _, p := range programs {
			fmt.Fprintf(&b, "{Number: %d, Timed: %t, Main: %s},\n", p.Seed, p.Timed(), m.Func(p))
		}
		b.WriteString("})\n}\n")
		if err := put("main.go", b.String()); err != nil {
			return err
		}
	}
	for _, s := range sources {
		text, err := frame.ReadFile("frame/side/" + s + ".txt")
		if err != nil {
			return err
		}
		if err := put("side/"+s, string(text)); err != nil {
			return err
		}
	}
	text, err := frame.ReadFile("frame/types.go.txt")
	if err != nil {
		return err
	}
	if err := put(types, strings.Replace(string(text), "PACKAGE", pkg, 1)); err != nil {
		return err
	}
	source, err := Source(programs, m)
	if err != nil {
		return err
	}
	return put(name, source)
}
