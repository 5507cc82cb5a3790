package main

import (
	"errors"
	"fmt"
	"go/version"
	"io/fs"
	"os"
	"slices"
	"strings"
)

const head = `# Platforms

Written by ` + "`go run ./scripts/platforms -o docs/platforms.md`" + `, which keeps the rows of other releases of Go.
*Compiles*: test binaries of examples/, and of a package that imports what heddle changes of the standard library.
*Examples*: verdicts, findings and numbers of executions by strategy dpor are those of linux/amd64, where [expect.txt](../examples/expect.txt) is checked.
*Exact counts*: programs of Lei & Carver, by strategies reach and dpor, with the published numbers of executions.
An emulator in brackets started the binaries; heddle itself ran on linux/amd64.

What is outside control on a system beside what is everywhere: on macOS reads from inotify-like files and waiting for child processes;
on Windows these, connections and pipes. There, workers (-p for one test) are not started, and what all executions print is shown.

| release | platform | compiles | examples | exact counts | suites of five modules |
| --- | --- | --- | --- | --- | --- |
`

// write writes the table, with the rows of other releases that it has.
func write(file string, rows []row) error {
	old, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for line := range strings.Lines(string(old)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 6 || !strings.HasPrefix(strings.TrimSpace(cells[0]), "go1.") {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		r := row{cells[0], cells[1], cells[2], cells[3], cells[4], cells[5]}
		if !slices.ContainsFunc(rows, func(x row) bool {
			return version.Lang(x.release) == version.Lang(r.release) && x.platform == r.platform
		}) {
			rows = append(rows, r)
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return version.Compare(version.Lang(a.release), version.Lang(b.release)) })
	var text strings.Builder
	text.WriteString(head)
	for _, r := range rows {
		fmt.Fprintf(&text, "| %s | %s | %s | %s | %s | %s |\n", r.release, r.platform, r.compiles, r.examples, r.counts, r.suites)
	}
	return os.WriteFile(file, []byte(text.String()), 0o666)
}
