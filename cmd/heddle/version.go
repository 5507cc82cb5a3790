package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"heddle/instrument/std"
)

// released is the version of a binary that scripts/release made; "": of another.
var released string

// version returns heddle's version: of the release or the module, or the commit it was built from.
func version() string {
	if released != "" {
		return released
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "devel-" + s.Value[:12]
		}
	}
	return "devel"
}

func goVersion() string { return runtime.Version() }

// drives are the releases of Go whose toolchains heddle works with.
func drives() []string { return std.Releases }

// printVersion is heddle version. What go version -m prints of heddle follows the first line.
func (t *tool) printVersion(_ context.Context, args []string) int {
	var asJSON bool
	rest, err := t.parse("version", new(options), args, true, func(fs *flag.FlagSet) {
		fs.BoolVar(&asJSON, "json", false, "print JSON")
	})
	if err != nil {
		return t.parseError(err)
	}
	if len(rest) > 0 {
		return t.misuse("heddle version: unexpected %q: it takes flags only", rest[0])
	}
	info, _ := debug.ReadBuildInfo()
	if asJSON {
		data, err := json.MarshalIndent(struct {
			Version, GoVersion, GOOS, GOARCH string
			Drives                           []string // releases of Go
			Build                            *debug.BuildInfo
		}{version(), goVersion(), runtime.GOOS, runtime.GOARCH, drives(), info}, "", "\t")
		if err != nil {
			return t.fail(err)
		}
		fmt.Fprintf(t.Stdout, "%s\n", data)
		return exitFine
	}
	fmt.Fprintf(t.Stdout, "heddle %s %s %s/%s\n", version(), goVersion(), runtime.GOOS, runtime.GOARCH)
	fmt.Fprintf(t.Stdout, "\tdrives\t%s\n", strings.Join(drives(), " "))
	if info == nil {
		return exitFine
	}
	for line := range strings.Lines(info.String()) {
		if kind, _, _ := strings.Cut(line, "\t"); kind == "path" || kind == "mod" || kind == "build" {
			fmt.Fprint(t.Stdout, "\t"+line)
		}
	}
	return exitFine
}
