package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"

	"heddle/build"
)

// version returns heddle's version: of the module, or the commit it was built from.
func version() string {
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

// printVersion is heddle version.
func (t *tool) printVersion(context.Context, []string) int {
	fmt.Fprintf(t.Stdout, "heddle %s %s %s/%s\n", version(), goVersion(), runtime.GOOS, runtime.GOARCH)
	return exitFine
}

// printEnv is heddle env.
func (t *tool) printEnv(context.Context, []string) int {
	dir, err := build.DefaultCacheDir()
	if err != nil {
		return t.fail(err)
	}
	fmt.Fprintf(t.Stdout, "HEDDLE_CACHE=%q\nHEDDLE_VERSION=%q\n", dir, version())
	if v := os.Getenv("GOFLAGS"); v != "" {
		fmt.Fprintf(t.Stdout, "GOFLAGS=%q\n", v)
	}
	return exitFine
}
