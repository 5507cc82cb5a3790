package build

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"sync"
	"syscall"
	"time"

	"heddle"
	"heddle/rt/wire"
)

// A cache holds what was made, by the hash of what it was made from:
//
//	unit/3f/3f9a...  rewritten files and "table", the position table
//	bin/0c/0c41...   a binary, by the name that the go command gives it, and "heddle-notes", what it had to leave alone
//	types/51/51ab... "export", the types of a package that does not change
//	base/77/77d2...  laid packages and patched files of the standard library
//	tmp              what is being made
//	mod              links to directories of module caches
//	live, lock       see below
//	growth, trimmed  see trim.go
//
// An entry is a folder that appears whole, by a rename, so concurrent heddles
// never see half of one. One of its files, the mark, is touched when the entry is used.
//
// Every heddle has a file in live, which it keeps locked until it ends, and
// which lists the entries that it uses. Those, and what it has in tmp, are
// not trimmed. It takes lock shared to note an entry and to see whether it is there; who
// removes entries takes lock alone, for one entry after the other.
type cache struct {
	dir  string // of this format
	top  string // HEDDLE_CACHE
	max  int64  // bytes that it may take
	gate *os.File
	live *os.File // nil: the cache cannot be written, or has no locks

	mu    sync.Mutex
	noted map[string]bool // entries in live
	grown int64           // bytes put, not yet in growth
}

// cacheFormat changes when the layout does; folders of old ones are removed with the rest.
const cacheFormat = "2"

// openCache opens the cache in a folder. A folder that may only be read is no error before something is to be written.
func openCache(top string) (*cache, error) {
	max, err := CacheMax()
	if err != nil {
		return nil, err
	}
	c := &cache{dir: filepath.Join(top, cacheFormat), top: top, max: max, noted: map[string]bool{}}
	if err := os.MkdirAll(c.dir, 0o777); err != nil {
		return nil, c.failed(err)
	}
	for _, sub := range []string{"tmp", "live"} {
		if err := os.Mkdir(filepath.Join(c.dir, sub), 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			if unwritable(err) {
				return c, nil
			}
			return nil, c.failed(err)
		}
	}
	if c.gate, err = os.OpenFile(filepath.Join(c.dir, "lock"), os.O_RDWR|os.O_CREATE, 0o666); err != nil {
		if unwritable(err) {
			return c, nil
		}
		return nil, c.failed(err)
	}
	err = c.gated(false, func() error {
		live, err := os.CreateTemp(filepath.Join(c.dir, "live"), "")
		if err != nil {
			return err
		}
		if _, err := lockFile(live, true, false); err != nil { // a file system without locks
			live.Close()
			os.Remove(live.Name())
			return nil
		}
		c.live = live
		return nil
	})
	if err != nil && !unwritable(err) {
		c.gate.Close()
		return nil, c.failed(err)
	}
	return c, nil
}

// close says that nothing of the cache is used any longer.
func (c *cache) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.live != nil {
		os.Remove(c.live.Name())
		c.live.Close()
		os.Remove(c.live.Name()) // where an open file cannot be removed
		c.live = nil
	}
	if c.gate != nil {
		c.gate.Close()
		c.gate = nil
	}
}

// gated calls f while it has the cache's lock, alone or together with others. Where files cannot be locked f is called without.
func (c *cache) gated(alone bool, f func() error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gate != nil {
		if ok, err := lockFile(c.gate, alone, true); ok && err == nil {
			defer unlockFile(c.gate)
		}
	}
	return f()
}

// unwritable reports whether an error says that a folder may only be read.
func unwritable(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// failed returns an error of the cache as the user is told: one line with what to do.
func (c *cache) failed(err error) error {
	if err == nil {
		return nil
	}
	if told := c.told(err); told != err {
		return told
	}
	return fmt.Errorf("heddle's cache: %w; set HEDDLE_CACHE to a folder that can be used", err)
}

// errCache marks errors that are about the cache's folder.
var errCache = errors.New("heddle's cache")

// told is failed for what may be an error of the cache or another.
func (c *cache) told(err error) error {
	switch {
	case err == nil, errors.Is(err, errCache):
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w is full: %v; make room, empty it by 'heddle clean', or set HEDDLE_CACHE to another folder", errCache, err)
	case unwritable(err), errors.Is(err, syscall.ENOTDIR), errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%w cannot be written: %v; set HEDDLE_CACHE to a folder that can", errCache, err)
	}
	return err
}

// temp makes a folder in tmp, which is removed by others once this heddle has ended.
func (c *cache) temp(kind string) (string, error) {
	name := "none"
	if c.live != nil {
		name = filepath.Base(c.live.Name())
	}
	dir, err := os.MkdirTemp(filepath.Join(c.dir, "tmp"), name+"-"+kind+"-")
	if err != nil {
		return "", c.failed(err)
	}
	return dir, os.Chmod(dir, 0o777)
}

// entry returns the folder of an entry.
func (c *cache) entry(kind, key string) string {
	return filepath.Join(c.dir, kind, key[:2], key)
}

// touchEvery is the unit in which it is known when an entry was used last.
const touchEvery = time.Minute

// has reports whether an entry is there, and notes that it is used: it is not trimmed before the cache is closed.
func (c *cache) has(kind, key, mark string) bool {
	file := filepath.Join(c.entry(kind, key), mark)
	there := false
	c.gated(false, func() error {
		c.note(kind, key)
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		there = true
		if now := time.Now(); now.Sub(info.ModTime()) > touchEvery {
			os.Chtimes(file, now, now)
		}
		return nil
	})
	return there
}

// note adds an entry to the list of what this heddle uses.
func (c *cache) note(kind, key string) {
	name := kind + "/" + key
	if c.live == nil || c.noted[name] {
		return
	}
	c.noted[name] = true
	c.live.WriteString(name + "\n")
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
	tmp, err := c.temp(kind)
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := fill(tmp); err != nil {
		return c.failed(err)
	}
	dir, size := c.entry(kind, key), sizeOf(tmp)
	return c.gated(false, func() error {
		c.note(kind, key)
		if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
			return c.failed(err)
		}
		if err := os.Rename(tmp, dir); err != nil {
			if _, e := os.Stat(dir); e == nil {
				return nil // another heddle was faster, with the same content
			}
			return c.failed(err)
		}
		c.grown += size
		return nil
	})
}

// sizeOf returns the bytes of the files below a folder.
func sizeOf(dir string) (n int64) {
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				n += info.Size()
			}
		}
		return nil
	})
	return n
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

// DefaultCacheDir is $HEDDLE_CACHE, or the folder heddle in the user's cache folder.
func DefaultCacheDir() (string, error) {
	if dir := os.Getenv("HEDDLE_CACHE"); dir != "" {
		if !filepath.IsAbs(dir) {
			return "", fmt.Errorf("HEDDLE_CACHE=%s: want an absolute path", dir)
		}
		return filepath.Clean(dir), nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", errors.New("no folder for heddle's cache: set HEDDLE_CACHE to one")
	}
	return filepath.Join(dir, "heddle"), nil
}

// defaultMax is the bound on the cache where HEDDLE_CACHE_MAX does not say.
const defaultMax = 2 << 30

// CacheMax is how many bytes the cache may take: $HEDDLE_CACHE_MAX, such as 500M or 4G.
func CacheMax() (int64, error) {
	text := os.Getenv("HEDDLE_CACHE_MAX")
	if text == "" {
		return defaultMax, nil
	}
	n, err := wire.ParseSize(text)
	if bytes, e := strconv.ParseInt(text, 10, 64); e == nil && bytes > 0 { // as heddle env has what is no multiple of a unit
		n, err = bytes, nil
	}
	if err != nil {
		return 0, fmt.Errorf("HEDDLE_CACHE_MAX=%s: want an amount of memory such as 500M or 4G", text)
	}
	return n, nil
}
