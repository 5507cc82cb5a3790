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

// A cache holds entries under the hash of their inputs:
//
//	unit/3f/3f9a...  rewritten files and "table", the position table
//	bin/0c/0c41...   a binary, under its name from the go command, and "heddle-notes"
//	types/51/51ab... "export", the types of a package that does not change
//	base/77/77d2...  laid packages and patched files of the standard library
//	tmp              unfinished entries
//	mod              links to directories of module caches
//	live, lock       see below
//	growth, trimmed  see trim.go
//
// An entry is a folder that appears by a rename, so a concurrent process sees all of it or
// nothing. Using an entry touches one of its files, the mark.
//
// Every heddle process has a file in live, which it keeps locked until it ends and which lists the
// entries in use. These entries, and the process's folders in tmp, are not trimmed. A process
// takes lock in shared mode to look an entry up and to list it, and in exclusive mode to remove
// one entry.
type cache struct {
	dir  string // of this format of the cache
	top  string // HEDDLE_CACHE
	max  int64  // largest size in bytes
	gate *os.File
	live *os.File // nil: the cache is read-only, or its file system has no locks

	mu    sync.Mutex
	noted map[string]bool // entries listed in live
	grown int64           // bytes added and not yet recorded in growth
}

// cacheFormat changes with the layout. Folders of other formats are removed once they are old.
const cacheFormat = "2"

// openCache opens the cache in folder top. A read-only folder is an error only when an entry is to
// be written.
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
		if _, err := lockFile(live, true, false); err != nil { // the file system has no locks
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

// close releases all entries.
func (c *cache) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.live != nil {
		os.Remove(c.live.Name())
		c.live.Close()
		os.Remove(c.live.Name()) // on systems that cannot remove an open file
		c.live = nil
	}
	if c.gate != nil {
		c.gate.Close()
		c.gate = nil
	}
}

// gated calls f with the cache's lock held, exclusively if alone is set. Without file locks it
// just calls f.
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

// unwritable reports whether err says that a file or folder is read-only.
func unwritable(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// failed turns an error of the cache into one line for the user that says what to do.
func (c *cache) failed(err error) error {
	if err == nil {
		return nil
	}
	if told := c.told(err); told != err {
		return told
	}
	return fmt.Errorf("heddle's cache: %w; set HEDDLE_CACHE to a folder that can be used", err)
}

// errCache marks errors about the cache's folder.
var errCache = errors.New("heddle's cache")

// told is failed for errors that may come from the cache or from elsewhere.
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

// temp makes a folder in tmp. Other processes remove it once this process has ended.
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

// entry returns the folder of an entry, whether it exists or not.
func (c *cache) entry(kind, key string) string {
	return filepath.Join(c.dir, kind, key[:2], key)
}

// touchEvery is the resolution of an entry's time of use.
const touchEvery = time.Minute

// has reports whether an entry exists, and protects it from trimming until the cache is closed.
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

// note lists an entry as used by this process.
func (c *cache) note(kind, key string) {
	name := kind + "/" + key
	if c.live == nil || c.noted[name] {
		return
	}
	c.noted[name] = true
	c.live.WriteString(name + "\n")
}

// put makes an entry of files: from path below the entry to content.
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

// putDir makes an entry whose files fill writes into a new folder.
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
				return nil // another process was faster, with the same content
			}
			return c.failed(err)
		}
		c.grown += size
		return nil
	})
}

// sizeOf returns the total size in bytes of the files below dir.
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

// binaryNotes is the file beside a binary with a note for each package that could not be
// rewritten.
const binaryNotes = "heddle-notes"

// binary returns a cached binary and its notes.
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

// putBinary moves a binary into the cache under the given name and returns its new path.
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

// A hasher computes a key from its inputs, each delimited.
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

// key returns the first 20 bytes of the hash: enough against accidents, and short.
func (h hasher) key() string { return hex.EncodeToString(h.h.Sum(nil)[:20]) }

// self identifies this version of heddle, as far as its output in the cache depends on it: the
// laid sources, the package of which they have a copy, the sources of the rewriter, and the
// compiler and libraries that heddle was built with.
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
		panic(err) // embedded files can always be read
	}
	h.list(ownCopies)
	if info, ok := debug.ReadBuildInfo(); ok {
		h.add(info.GoVersion)
		for _, m := range info.Deps {
			h.add(m.Path, m.Version)
		}
	}
	return h.key()
})

// DefaultCacheDir returns $HEDDLE_CACHE, or the folder heddle in the user's cache folder.
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

// defaultMax is the largest size in bytes without HEDDLE_CACHE_MAX.
const defaultMax = 2 << 30

// CacheMax returns the largest size of the cache in bytes: $HEDDLE_CACHE_MAX, such as 500M or 4G.
func CacheMax() (int64, error) {
	text := os.Getenv("HEDDLE_CACHE_MAX")
	if text == "" {
		return defaultMax, nil
	}
	n, err := wire.ParseSize(text)
	// heddle env prints bytes if the amount is no multiple of a unit
	if bytes, e := strconv.ParseInt(text, 10, 64); e == nil && bytes > 0 {
		n, err = bytes, nil
	}
	if err != nil {
		return 0, fmt.Errorf("HEDDLE_CACHE_MAX=%s: want an amount of memory such as 500M or 4G", text)
	}
	return n, nil
}
