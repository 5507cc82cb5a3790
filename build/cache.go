package build

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"runtime/debug"

	"io/fs"

	"heddle"
)

// A cache holds what was made, by the hash of what it was made from:
//
//	unit/3f/3f9a...  rewritten files and "table", the position table
//	bin/0c/0c41...   a binary, by the name that the go command gives it, and "heddle-notes", what it had to leave alone
//	types/51/51ab... "export", the types of a package that does not change
//	base/77/77d2...  laid packages and patched files of the standard library
//
// An entry is a folder that appears whole, by a rename, so concurrent heddles
// never see half of one. The first file named is touched when an entry is used.
type cache struct{ dir string }

// cacheFormat changes when the layout does; old ones are trimmed with the rest.
const cacheFormat = "1"

func openCache(dir string) (*cache, error) {
	c := &cache{filepath.Join(dir, cacheFormat)}
	if err := os.MkdirAll(c.dir, 0o777); err != nil {
		return nil, fmt.Errorf("heddle's cache: %v; set HEDDLE_CACHE to a folder that can be written", err)
	}
	return c, nil
}

// entry returns the folder of an entry.
func (c *cache) entry(kind, key string) string {
	return filepath.Join(c.dir, kind, key[:2], key)
}

// has reports whether an entry is there, and notes that it was used.
func (c *cache) has(kind, key, mark string) bool {
	file := filepath.Join(c.entry(kind, key), mark)
	info, err := os.Stat(file)
	if err != nil {
		return false
	}
	if now := time.Now(); now.Sub(info.ModTime()) > time.Hour {
		os.Chtimes(file, now, now)
	}
	return true
}

// put makes an entry of files (path below the entry to content).
func (c *cache) put(kind, key string, files map[string][]byte) error {
	return c.putDir(kind, key, func(dir string) error {
		for name, data := range files {
			name = filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				return err
			}
			if err := os.WriteFile(name, data, 0o666); err != nil {
				return err
			}
		}
		return nil
	})
}

// putDir makes an entry of what fill puts into a new folder.
func (c *cache) putDir(kind, key string, fill func(dir string) error) error {
	dir := c.entry(kind, key)
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), "tmp-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := os.Chmod(tmp, 0o777); err != nil {
		return err
	}
	if err := fill(tmp); err != nil {
		return err
	}
	if err := os.Rename(tmp, dir); err != nil {
		if _, e := os.Stat(dir); e == nil {
			return nil // another heddle was faster, with the same content
		}
		return err
	}
	return nil
}

// binaryNotes is the file beside a binary that says what the binary had to leave alone.
const binaryNotes = "heddle-notes"

// binary returns a finished binary and its notes.
func (c *cache) binary(key, name string) (path string, notes []string, ok bool) {
	if !c.has("bin", key, name) {
		return "", nil, false
	}
	dir := c.entry("bin", key)
	if data, err := os.ReadFile(filepath.Join(dir, binaryNotes)); err == nil {
		json.Unmarshal(data, &notes)
	}
	return filepath.Join(dir, name), notes, true
}

// putBinary moves a binary into the cache, gives it a name and returns its new path.
func (c *cache) putBinary(key, name, file string, notes []string) (string, error) {
	err := c.putDir("bin", key, func(dir string) error {
		if len(notes) > 0 {
			data, err := json.Marshal(notes)
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(dir, binaryNotes), data, 0o666); err != nil {
				return err
			}
		}
		return os.Rename(file, filepath.Join(dir, name))
	})
	return filepath.Join(c.entry("bin", key), name), err
}

const (
	trimEvery = 24 * time.Hour
	trimAfter = 10 * 24 * time.Hour
)

// trim removes, once a day, what was not used for ten days. Errors do not
// matter: what is left is removed another day.
func (c *cache) trim() {
	stamp := filepath.Join(c.dir, "trimmed")
	now := time.Now()
	if info, err := os.Stat(stamp); err == nil && now.Sub(info.ModTime()) < trimEvery {
		return
	} else if err != nil {
		os.WriteFile(stamp, nil, 0o666)
		return
	}
	os.Chtimes(stamp, now, now)
	entries, _ := filepath.Glob(filepath.Join(c.dir, "*", "??", "*"))
	for _, dir := range entries {
		var used time.Time
		if info, err := os.Stat(dir); err == nil {
			used = info.ModTime()
		}
		marks, _ := os.ReadDir(dir)
		for _, mark := range marks {
			if info, err := mark.Info(); err == nil && info.ModTime().After(used) {
				used = info.ModTime()
			}
		}
		if now.Sub(used) > trimAfter {
			os.RemoveAll(dir)
		}
	}
}

// A hasher collects what a key depends on, every part delimited.
type hasher struct{ h hash.Hash }

func newHasher(kind string) hasher {
	h := hasher{sha256.New()}
	h.add(kind)
	return h
}

func (h hasher) add(parts ...string) {
	for _, s := range parts {
		fmt.Fprintf(h.h, "%d ", len(s))
		io.WriteString(h.h, s)
	}
}

func (h hasher) list(parts []string) {
	fmt.Fprintf(h.h, "[%d ", len(parts))
	h.add(parts...)
}

// key returns the first 20 bytes: enough against accidents, and shorter paths.
func (h hasher) key() string { return hex.EncodeToString(h.h.Sum(nil)[:20]) }

// self names this heddle as far as what it makes is concerned: the sources that
// are laid, those that rewrite, and the compiler and libraries it was built with.
var self = sync.OnceValue(func() string {
	h := newHasher("heddle")
	err := fs.WalkDir(heddle.Sources, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := heddle.Sources.ReadFile(name)
		h.add(name, string(data))
		return err
	})
	if err != nil {
		panic(err) // embedded files are always readable
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		h.add(info.GoVersion)
		for _, m := range info.Deps {
			h.add(m.Path, m.Version)
		}
	}
	return h.key()
})
