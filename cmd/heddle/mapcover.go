package main

import (
	"encoding/json"
	"os"
	"path/filepath"

	"heddle/build"
	"heddle/rt/wire"
)

// highestFile is where heddle's cache keeps, by package and test, the highest number of
// memory-access patterns that a run has covered.
const highestFile = "mapcover.json"

// highest fills in what coverage is compared with: the highest number of patterns that
// any run has come to, which is kept for the next one. Where there is no cache it is this run's.
func (r *packageRun) highest(rec *wire.Record) {
	c := rec.Coverage
	if c == nil {
		return
	}
	c.Highest = c.Covered
	if !r.o.mapCover {
		return
	}
	dir, err := build.DefaultCacheDir()
	if err != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	c.Highest = raise(filepath.Join(dir, highestFile), r.pkg.ImportPath+" "+rec.Test, c.Covered)
}

// raise notes n under name in file if it is more than what is there, and returns the greater of the
// two. A file that cannot be read counts as empty.
func raise(file, name string, n int) int {
	known := map[string]int{}
	if data, err := os.ReadFile(file); err == nil && json.Unmarshal(data, &known) != nil {
		known = map[string]int{}
	}
	if known[name] >= n {
		return known[name]
	}
	known[name] = n
	data, err := json.Marshal(known)
	if err != nil {
		return n
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), highestFile)
	if err != nil {
		return n
	}
	_, err = tmp.Write(data)
	if err2 := tmp.Close(); err == nil && err2 == nil {
		err = os.Rename(tmp.Name(), file)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return n
}
