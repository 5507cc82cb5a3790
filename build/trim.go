package build

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"heddle/internal/tested"
)

const (
	trimEvery = 24 * time.Hour
	trimAfter = 5 * 24 * time.Hour // as for the go command's cache
	logsAfter = 30 * 24 * time.Hour
)

// kinds are the folders of the cache with entries.
var kinds = []string{"unit", "bin", "types", "base", "goroot"}

// trim removes, once a day, the entries that were not used for days. If the cache is larger than
// its bound, it also removes the least recently used ones. Entries that running heddle processes
// use stay. It ignores errors: the next day's run removes the rest.
func (c *cache) trim() {
	if c.gate == nil {
		return
	}
	size := c.grow()
	stamp := filepath.Join(c.dir, "trimmed")
	info, err := os.Stat(stamp)
	if err != nil {
		os.WriteFile(stamp, nil, 0o666)
	}
	now := time.Now()
	daily := err == nil && now.Sub(info.ModTime()) >= trimEvery
	if !daily && (size <= c.max || c.live == nil) {
		return
	}
	os.Chtimes(stamp, now, now)
	keep := c.max - c.max/4 // so that not every build has to trim
	if size <= c.max || c.live == nil {
		keep = -1
	}
	c.remove(now.Add(-trimAfter), keep)
	if daily {
		c.removeOthers(now, trimAfter)
		c.removeFiles(logs, now.Add(-logsAfter), -1)
		c.removeFiles(verdicts, now.Add(-trimAfter), mostVerdicts)
	}
}

// grow records the growth of the cache by this process, and returns its approximate size. The file
// growth has the size after the last trim and one line for each build since.
func (c *cache) grow() (size int64) {
	file := filepath.Join(c.dir, "growth")
	c.gated(false, func() error {
		if c.grown > 0 {
			f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
			if err == nil {
				f.WriteString(strconv.FormatInt(c.grown, 10) + "\n")
				f.Close()
			}
			c.grown = 0
		}
		return nil
	})
	data, _ := os.ReadFile(file)
	for line := range bytes.Lines(data) {
		n, _ := strconv.ParseInt(string(bytes.TrimSpace(line)), 10, 64)
		size += n
	}
	return size
}

// An entry is one folder of the cache, as found on disk.
type entry struct {
	kind, key string
	used      time.Time
	size      int64
}

// entries returns the entries of the cache, the least recently used first.
func (c *cache) entries() (all []entry) {
	for _, kind := range kinds {
		dirs, _ := filepath.Glob(filepath.Join(c.dir, kind, "??", "*"))
		for _, dir := range dirs {
			e := entry{kind: kind, key: filepath.Base(dir), size: sizeOf(dir)}
			if info, err := os.Stat(dir); err == nil {
				e.used = info.ModTime()
			}
			marks, _ := os.ReadDir(dir)
			for _, mark := range marks {
				if info, err := mark.Info(); err == nil && info.ModTime().After(e.used) {
					e.used = info.ModTime()
				}
			}
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b entry) int { return a.used.Compare(b.used) })
	return all
}

// remove removes the entries that were last used before old, then the least recently used ones
// until at most keep bytes remain (-1: no bound), then the remains of dead processes in tmp. It
// returns how many bytes it removed and how many remain.
func (c *cache) remove(old time.Time, keep int64) (removed, left int64) {
	all := c.entries()
	for _, e := range all {
		left += e.size
	}
	trash, err := c.temp("trash")
	if err != nil {
		return 0, left
	}
	defer os.RemoveAll(trash)
	for i, e := range all {
		if !e.used.Before(old) && (keep < 0 || left <= keep) {
			break
		}
		gone := false
		c.gated(true, func() error {
			if c.users()[e.kind+"/"+e.key] {
				return nil
			}
			err := os.Rename(c.entry(e.kind, e.key), filepath.Join(trash, strconv.Itoa(i)))
			gone = err == nil
			return err
		})
		if gone {
			os.RemoveAll(filepath.Join(trash, strconv.Itoa(i)))
			removed, left = removed+e.size, left-e.size
		}
	}
	c.gated(true, func() error {
		c.removeDead()
		return os.WriteFile(filepath.Join(c.dir, "growth"), []byte(strconv.FormatInt(left, 10)+"\n"), 0o666)
	})
	return removed, left
}

// living returns the files in live of running processes, and removes the others. The lock must be
// held exclusively.
func (c *cache) living() (names []string) {
	files, _ := os.ReadDir(filepath.Join(c.dir, "live"))
	for _, file := range files {
		name := filepath.Join(c.dir, "live", file.Name())
		if c.live != nil && name == c.live.Name() {
			names = append(names, file.Name())
			continue
		}
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			continue
		}
		free, err := lockFile(f, true, false)
		if free {
			os.Remove(name)
		}
		f.Close()
		if free {
			os.Remove(name) // on systems that cannot remove an open file
		} else if err == nil {
			names = append(names, file.Name())
		}
	}
	return names
}

// users returns the entries that running heddle processes use.
func (c *cache) users() map[string]bool {
	used := map[string]bool{}
	for _, name := range c.living() {
		f, err := os.Open(filepath.Join(c.dir, "live", name))
		if err != nil {
			continue
		}
		for s := bufio.NewScanner(f); s.Scan(); {
			used[s.Text()] = true
		}
		f.Close()
	}
	return used
}

// removeDead removes the unfinished entries of dead processes.
func (c *cache) removeDead() {
	if c.live == nil {
		return // it is not known which processes run
	}
	living := c.living()
	dirs, _ := os.ReadDir(filepath.Join(c.dir, "tmp"))
	for _, d := range dirs {
		name, _, _ := strings.Cut(d.Name(), "-")
		if !slices.Contains(living, name) {
			os.RemoveAll(filepath.Join(c.dir, "tmp", d.Name()))
		}
	}
}

// removeOthers removes the folders of other cache formats that were not used since after and that
// no process uses.
func (c *cache) removeOthers(now time.Time, after time.Duration) {
	dirs, _ := os.ReadDir(c.top)
	for _, d := range dirs {
		if _, err := strconv.Atoi(d.Name()); err != nil || !d.IsDir() || d.Name() == cacheFormat {
			continue
		}
		dir := filepath.Join(c.top, d.Name())
		// every format touches it once a day when it is used
		info, err := os.Stat(filepath.Join(dir, "trimmed"))
		if err != nil || now.Sub(info.ModTime()) < after {
			continue
		}
		if other := (&cache{dir: dir}); len(other.living()) == 0 {
			os.RemoveAll(dir)
		}
	}
}

// What heddle keeps beside the entries, as patterns: the logs of explorations that -resume could
// continue, the verdicts of tests that were covered.
var (
	logs     = filepath.Join("runs", "??", "*", "*")
	verdicts = filepath.Join(tested.Folder, "??", "*")
)

// mostVerdicts bounds the files of verdicts: two for each test.
const mostVerdicts = 20_000

// removeFiles removes the files of a pattern that were last used before old, and of the others all
// but those used last, of which there may be most (-1: no bound).
func (c *cache) removeFiles(pattern string, old time.Time, most int) {
	type file struct {
		name string
		used time.Time
	}
	var files []file
	names, _ := filepath.Glob(filepath.Join(c.top, pattern))
	for _, name := range names {
		if info, err := os.Stat(name); err == nil {
			files = append(files, file{name, info.ModTime()})
		}
	}
	slices.SortFunc(files, func(a, b file) int { return b.used.Compare(a.used) })
	for i, f := range files {
		if f.used.Before(old) || most >= 0 && i >= most {
			os.Remove(f.name)
			os.Remove(filepath.Dir(f.name)) // if it is empty
		}
	}
}

// CacheUse returns the size in bytes of the cache in dir.
func CacheUse(dir string) int64 { return sizeOf(dir) }

// Clean removes all entries of the cache in dir that no running heddle process uses. It returns
// how many bytes it removed and how many remain.
func Clean(dir string) (removed, left int64, err error) {
	if _, err := os.Stat(dir); err != nil {
		if os.IsNotExist(err) {
			return 0, 0, nil
		}
		return 0, 0, (*cache)(nil).failed(err)
	}
	c, err := openCache(dir)
	if err != nil {
		return 0, 0, err
	}
	defer c.close()
	before := sizeOf(dir)
	if c.gate == nil {
		_, err := os.CreateTemp(c.dir, "")
		return 0, before, c.failed(err)
	}
	now := time.Now()
	c.remove(now.Add(time.Hour), 0)
	c.removeOthers(now, 0)
	c.removeFiles(logs, now.Add(time.Hour), -1)
	c.removeFiles(verdicts, now.Add(time.Hour), -1)
	c.gated(true, func() error {
		if len(c.living()) <= 1 {
			os.RemoveAll(filepath.Join(c.dir, "mod"))
		}
		for _, kind := range kinds { // the folders are empty now
			dirs, _ := filepath.Glob(filepath.Join(c.dir, kind, "??"))
			for _, d := range dirs {
				os.Remove(d)
			}
		}
		return nil
	})
	left = sizeOf(dir)
	return max(0, before-left), left, nil
}
