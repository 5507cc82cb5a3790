package main

import (
	"cmp"
	"errors"
	"fmt"
	"go/version"
	"io/fs"
	"os"
	"slices"
	"strings"

	"heddle/instrument/std"
)

const head = `# Platforms

Written by ` + "`" + `go run ./scripts/platforms -o docs/results/platforms.md` + "`" + `, with the Go release that
` + "`" + `GOTOOLCHAIN=go1.27.4` + "`" + ` and the like name. It keeps the rows of other releases.

- *Compiles*: test binaries of ` + "`" + `examples` + "`" + `, and of a package that imports what heddle changes of the
  standard library.
- *Examples*: verdicts, findings and numbers of executions by strategy dpor are those of
  linux/amd64, where [expect.txt](../../examples/expect.txt) is checked.
- *Exact counts*: programs of Lei & Carver, by strategies reach and dpor, with the published numbers
  of executions.
- *Suites*: those of other modules, test by test beside plain ` + "`" + `go test` + "`" + ` of the same release and
  platform, by ` + "`" + `scripts/compat -count -runs 200 -budget 2s` + "`" + `; [compatibility](compatibility.md) has
  many more, with one release.
- *At*: the commits of heddle that were measured.

An emulator in brackets started the binaries; heddle itself ran on linux/amd64. *-quick* measured a
few of each: %d examples, %d programs by two strategies.

Some things are outside control on one system only: on macOS reads from inotify-like files and
waiting for child processes; on Windows these, connections and pipes. On Windows workers (-p for one
test) are not started, and what all executions print is shown.

| release | platform | compiles | examples | exact counts | suites of a few modules | at |
| --- | --- | --- | --- | --- | --- | --- |
`

// write writes the table. It keeps the rows of other releases, and those cells that were not
// measured.
func write(file string, rows []row) error {
	old, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.WriteFile(file, []byte(table(rows, string(old))), 0o666)
}

func table(rows []row, old string) string {
	rows = slices.Clone(rows)
	for line := range strings.Lines(old) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 7 || !strings.HasPrefix(strings.TrimSpace(cells[0]), "go1.") {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
			if strings.HasPrefix(cells[i], unmeasured) || strings.HasPrefix(cells[i], elsewhere) {
				cells[i] = ""
			}
		}
		was := row{cells[0], cells[1], cells[2], cells[3], cells[4], cells[5], cells[6]}
		i := slices.IndexFunc(rows,
			func(x row) bool { return x.release == was.release && x.platform == was.platform })
		if i < 0 {
			rows = append(rows, was)
			continue
		}
		r := &rows[i]
		r.at = both(was, *r)
		r.compiles, r.examples = cmp.Or(r.compiles, was.compiles), cmp.Or(r.examples, was.examples)
		r.counts, r.suites = cmp.Or(r.counts, was.counts), cmp.Or(r.suites, was.suites)
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		return cmp.Or(version.Compare(a.release, b.release),
			slices.Index(std.Platforms, a.platform)-slices.Index(std.Platforms, b.platform))
	})
	var text strings.Builder
	fmt.Fprintf(&text, head, len(quickExamples), len(quickCounts))
	for _, r := range rows {
		fmt.Fprintf(&text, "| %s | %s |", r.release, r.platform)
		for _, of := range []func(row) string{
			func(r row) string { return r.compiles }, func(r row) string { return r.examples },
			func(r row) string { return r.counts }, func(r row) string { return r.suites },
		} {
			fmt.Fprintf(&text, " %s |", cmp.Or(of(r), instead(rows, r, of)))
		}
		fmt.Fprintf(&text, " %s |\n", r.at)
	}
	return text.String()
}

// both returns the commits of a row of which a later run measured some cells again.
func both(was, now row) string {
	kept := func(old, new string) bool { return old != "" && new == "" }
	if was.at == now.at || !kept(was.compiles, now.compiles) && !kept(was.examples, now.examples) &&
		!kept(was.counts, now.counts) && !kept(was.suites, now.suites) {
		return now.at
	}
	return was.at + ", " + now.at
}

// The content of a cell that was never measured, or only with another patch release.
const (
	unmeasured = "not measured"
	elsewhere  = "not run: see "
)

// instead returns the text for a cell that was not measured: with which patch release of the same
// release it was measured last.
func instead(rows []row, r row, of func(row) string) string {
	for _, other := range slices.Backward(rows) {
		if other.platform == r.platform && version.Lang(other.release) == version.Lang(r.release) &&
			of(other) != "" && other.release != r.release {
			if strings.HasPrefix(of(other), "not run") { // the reason is the same
				return of(other)
			}
			return elsewhere + other.release
		}
	}
	return unmeasured
}
