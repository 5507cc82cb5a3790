package shard

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Times are the last durations of tests, by package and test.
type Times map[string]map[string]Took

// A Took is the duration of a test and the time of its measurement.
type Took struct {
	Seconds float64 `json:"seconds"`
	At      int64   `json:"at"` // seconds since 1970
}

// Merge adds other's times to t. The later of two times of a test stays.
func (t Times) Merge(other Times) {
	for pkg, tests := range other {
		for test, took := range tests {
			if old, ok := t[pkg][test]; !ok || took.At > old.At ||
				took.At == old.At && took.Seconds > old.Seconds {
				t.Set(pkg, test, took)
			}
		}
	}
}

// Set records the time of a test.
func (t Times) Set(pkg, test string, took Took) {
	if t[pkg] == nil {
		t[pkg] = map[string]Took{}
	}
	t[pkg][test] = took
}

// Read reads a file of times, or all files below a folder whose names end in .json.
func Read(path string) (Times, error) {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return readFile(path)
	}
	all := Times{}
	err := filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".json") {
			return err
		}
		t, err := readFile(file)
		all.Merge(t)
		return err
	})
	return all, err
}

func readFile(file string) (Times, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	t := Times{}
	if err := json.Unmarshal(data, &t); err != nil {
		return nil, fmt.Errorf("%s: not a file that 'heddle times' prints: %v", file, err)
	}
	return t, nil
}

// In heddle's cache every package has its own file below this folder.
const folder = "times"

// timesAfter is how long the times of a package are kept after its last test.
const timesAfter = 60 * 24 * time.Hour

// Keep records in the cache the times of a package's tests.
func Keep(cache, pkg string, tests map[string]Took) error {
	sum := sha256.Sum256([]byte(pkg))
	file := filepath.Join(cache, folder, hex.EncodeToString(sum[:10])+".json")
	all := Times{}
	if old, err := Read(file); err == nil {
		all.Merge(Times{pkg: old[pkg]})
	}
	all.Merge(Times{pkg: tests})
	data, err := json.Marshal(all)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), "tmp-")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	if err2 := tmp.Close(); err == nil {
		err = err2
	}
	if err == nil {
		err = os.Rename(tmp.Name(), file)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}

// Kept returns all times in the cache. It removes those of packages that were not tested for
// timesAfter.
func Kept(cache string) (Times, error) {
	all := Times{}
	entries, err := os.ReadDir(filepath.Join(cache, folder))
	if os.IsNotExist(err) {
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		file := filepath.Join(cache, folder, e.Name())
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > timesAfter {
			os.Remove(file)
			continue
		}
		if !strings.HasSuffix(file, ".json") {
			continue
		}
		if t, err := Read(file); err == nil {
			all.Merge(t)
		}
	}
	return all, nil
}
