package build

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func openTestCache(t *testing.T, dir string) *cache {
	t.Helper()
	c, err := openCache(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.close)
	return c
}

// putAll makes entries of the given size, used the given times ago, and returns their keys.
func putAll(t *testing.T, c *cache, bytes int, ago ...time.Duration) (keys []string) {
	t.Helper()
	for i, d := range ago {
		key := strings.Repeat(fmt.Sprintf("%02x", i), 20)
		if err := c.put("unit", key, map[string][]byte{"table": make([]byte, bytes)}); err != nil {
			t.Fatal(err)
		}
		then := time.Now().Add(-d)
		for _, f := range []string{"", "table"} {
			if err := os.Chtimes(filepath.Join(c.entry("unit", key), f), then, then); err != nil {
				t.Fatal(err)
			}
		}
		keys = append(keys, key)
	}
	return keys
}

func compareEntries(t *testing.T, c *cache, keys []string, want ...bool) {
	t.Helper()
	for i, key := range keys {
		if got := exists(filepath.Join(c.entry("unit", key), "table")); got != want[i] {
			t.Errorf("entry %d is there: %v, want %v", i, got, want[i])
		}
	}
}

// age sets the last trim to more than a day ago.
func age(t *testing.T, c *cache) {
	t.Helper()
	then := time.Now().Add(-trimEvery - time.Hour)
	if err := os.WriteFile(filepath.Join(c.dir, "trimmed"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(c.dir, "trimmed"), then, then); err != nil {
		t.Fatal(err)
	}
}

// Entries that were not used for days are removed, except those that a running process uses.
func TestTrimByAge(t *testing.T) {
	dir := t.TempDir()
	c := openTestCache(t, dir)
	keys := putAll(t, c, 1, trimAfter+time.Hour, time.Hour, trimAfter+2*time.Hour)
	age(t, c)
	c.trim()
	compareEntries(t, c, keys, true, true, true) // c uses them
	c.close()

	c = openTestCache(t, dir)
	user := openTestCache(t, dir)
	then := time.Now().Add(-trimAfter - time.Hour)
	if !user.has("unit", keys[2], "table") {
		t.Error("not found")
	}
	os.Chtimes(filepath.Join(c.entry("unit", keys[2]), "table"), then, then)
	age(t, c)
	c.trim()
	compareEntries(t, c, keys, false, true, true)
	user.close()
	age(t, c)
	c.trim()
	compareEntries(t, c, keys, false, true, false)
}

// If the cache is larger than its bound, the least recently used entries are removed.
func TestTrimBySize(t *testing.T) {
	t.Setenv("HEDDLE_CACHE_MAX", "10K")
	dir := t.TempDir()
	c := openTestCache(t, dir)
	keys := putAll(t, c, 3000, 3*time.Hour, time.Hour, 2*time.Hour)
	c.trim()
	compareEntries(t, c, keys, true, true, true)
	c.close()

	c = openTestCache(t, dir)
	c.grown += 2000 // as if an entry had been added
	c.trim()
	compareEntries(t, c, keys, false, true, true) // down to 3/4
	if got := c.grow(); got != 6000 {
		t.Errorf("%d bytes are left by the books, not 6000", got)
	}
}

// The unfinished entries of a killed process are removed, and its file in live.
func TestTrimDead(t *testing.T) {
	dir := t.TempDir()
	c := openTestCache(t, dir)
	dead := filepath.Join(c.dir, "live", "123")
	if err := os.WriteFile(dead, []byte("unit/x\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	half := filepath.Join(c.dir, "tmp", "123-build-1")
	if err := os.MkdirAll(filepath.Join(half, "x"), 0o777); err != nil {
		t.Fatal(err)
	}
	own, err := c.temp("build")
	if err != nil {
		t.Fatal(err)
	}
	age(t, c)
	c.trim()
	if exists(dead) || exists(half) || !exists(own) {
		t.Errorf("file of the dead %v, what it made %v, of the living %v", exists(dead), exists(half),
			exists(own))
	}
}

func TestClean(t *testing.T) {
	dir := t.TempDir()
	mine := filepath.Join(dir, "mine")
	if err := os.WriteFile(mine, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	older := filepath.Join(dir, "1", "unit", "x")
	if err := os.MkdirAll(older, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "1", "trimmed"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	c := openTestCache(t, dir)
	keys := putAll(t, c, 1000, 0, 0)
	c.close()
	user := openTestCache(t, dir)
	user.has("unit", keys[1], "table")
	removed, left, err := Clean(dir)
	if err != nil || removed < 900 || removed >= 2000 || left < 1000 {
		t.Errorf("removed %d, left %d, %v", removed, left, err)
	}
	compareEntries(t, c, keys, false, true)
	user.close()
	if _, left, err := Clean(dir); err != nil || left > 100 {
		t.Errorf("left %d, %v", left, err)
	}
	compareEntries(t, c, keys, false, false)
	if exists(older) || !exists(mine) {
		t.Error("kept what is of an older format, or removed a file that is not heddle's")
	}
	if _, left, err := Clean(filepath.Join(dir, "none")); err != nil || left != 0 ||
		exists(filepath.Join(dir, "none")) {
		t.Errorf("no folder: left %d, %v", left, err)
	}
}

func TestCacheMax(t *testing.T) {
	for text, want := range map[string]int64{"": defaultMax, "1": 1, "500M": 500 << 20, "500MB": 500 << 20,
		"4g": 4 << 30, "0": 0, "x": 0, "-1G": 0, "4Q": 0, "9999999999T": 0} {
		t.Setenv("HEDDLE_CACHE_MAX", text)
		if got, err := CacheMax(); got != want || (err != nil) != (want == 0) {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
}

// Two versions of heddle share a cache, and each finds its own entries.
func TestTwoVersions(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	this := self
	defer func() { self = this }()
	c := Config{Dir: module(t, "go.mod", "module m\ngo 1.26\n", "m.go", counter, "m_test.go", counterTest),
		CacheDir: t.TempDir()}
	var first [2]string
	for try := range 2 {
		for v := range 2 {
			self = func() string { return fmt.Sprint("version", v) }
			p := build(t, c).Packages[0]
			if try == 0 {
				first[v] = p.Binary
			} else if p.Binary == "" || p.Binary != first[v] {
				t.Errorf("version %d: %q, and before %q", v, p.Binary, first[v])
			}
		}
	}
	if first[0] == first[1] {
		t.Error("both versions have one binary")
	}
}

// Verdicts go when they were not used for long, and above a number those that were used first.
func TestRemoveFiles(t *testing.T) {
	c := &cache{top: t.TempDir()}
	now := time.Now()
	for name, age := range map[string]time.Duration{"aa/1": 0, "aa/2": time.Hour, "bb/3": 2 * time.Hour,
		"cc/4": 48 * time.Hour} {
		file := filepath.Join(c.top, "tested", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		os.Chtimes(file, now.Add(-age), now.Add(-age))
	}
	left := func() (names []string) {
		all, _ := filepath.Glob(filepath.Join(c.top, verdicts))
		for _, name := range all {
			names = append(names, filepath.Base(name))
		}
		return names
	}
	for _, step := range []struct {
		old  time.Duration
		most int
		want string
	}{{72 * time.Hour, -1, "[1 2 3 4]"}, {24 * time.Hour, -1, "[1 2 3]"}, {24 * time.Hour, 2, "[1 2]"},
		{-time.Hour, -1, "[]"}} {
		c.removeFiles(verdicts, now.Add(-step.old), step.most)
		if got := fmt.Sprint(left()); got != step.want {
			t.Errorf("older than %v, %d at most: %s are left, want %s", step.old, step.most, got, step.want)
		}
	}
	if dirs, _ := os.ReadDir(filepath.Join(c.top, "tested")); len(dirs) > 0 {
		t.Errorf("empty folders are left: %v", dirs)
	}
}
