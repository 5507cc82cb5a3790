package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"heddle/build"
	"heddle/rt/wire"
)

// A setting is what heddle goes by, by the name of the environment variable that sets it, or would.
type setting struct{ name, value string }

func settings() ([]setting, error) {
	dir, err := build.DefaultCacheDir()
	if err != nil {
		return nil, err
	}
	most, err := build.CacheMax()
	if err != nil {
		return nil, err
	}
	return []setting{
		{"HEDDLE_CACHE", dir},
		{"HEDDLE_CACHE_MAX", wire.Size(most)},
		{"HEDDLE_CACHE_USED", size10(build.CacheUse(dir))},
		{"HEDDLE_VERSION", version()},
		{"GOFLAGS", os.Getenv("GOFLAGS")},
	}, nil
}

// size10 returns an amount of memory with a digit after the point: 0B, 12.3M.
func size10(n int64) string {
	for _, u := range wire.Units {
		if n >= u.Bytes && u.Bytes > 1 {
			return fmt.Sprintf("%.1f%s", float64(n)/float64(u.Bytes), u.Name)
		}
	}
	return fmt.Sprintf("%dB", n)
}

// printEnv is heddle env: as go env, all settings or the values of some.
func (t *tool) printEnv(_ context.Context, args []string) int {
	var asJSON bool
	names, err := t.parse("env", new(options), args, true, func(fs *flag.FlagSet) {
		fs.BoolVar(&asJSON, "json", false, "print JSON")
	})
	if err != nil {
		return t.parseError(err)
	}
	all, err := settings()
	if err != nil {
		return t.fail(err)
	}
	value := map[string]string{}
	for _, s := range all {
		value[s.name] = s.value
	}
	shown := value
	if len(names) > 0 {
		shown = map[string]string{}
		for _, name := range names {
			shown[name] = value[name] // as go env: what is unknown is empty
		}
	}
	if asJSON {
		data, err := json.MarshalIndent(shown, "", "\t")
		if err != nil {
			return t.fail(err)
		}
		fmt.Fprintf(t.Stdout, "%s\n", data)
		return exitFine
	}
	if len(names) > 0 {
		for _, name := range names {
			fmt.Fprintln(t.Stdout, value[name])
		}
		return exitFine
	}
	for _, s := range all {
		if s.name != "GOFLAGS" || s.value != "" {
			fmt.Fprintf(t.Stdout, "%s=%q\n", s.name, s.value)
		}
	}
	return exitFine
}

// clean is heddle clean.
func (t *tool) clean(_ context.Context, args []string) int {
	rest, err := t.parse("clean", new(options), args, true)
	if err != nil {
		return t.parseError(err)
	}
	if len(rest) > 0 {
		return t.misuse("heddle clean: unexpected %q: it takes nothing", rest[0])
	}
	dir, err := build.DefaultCacheDir()
	if err != nil {
		return t.fail(err)
	}
	removed, left, err := build.Clean(dir)
	if err != nil {
		return t.fail(err)
	}
	fmt.Fprintf(t.Stdout, "removed %s from %s\n", size10(removed), dir)
	if left > 1<<20 {
		fmt.Fprintf(t.Stderr, "heddle: %s stay: other heddles use them now\n", size10(left))
	}
	return exitFine
}
