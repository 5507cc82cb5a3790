// Package tested is the cache of verdicts: what heddle test said of tests that it covered, under
// the hash of all that this rested on. That has two parts, as in the go command's cache of test
// results: what is known before a test is run (the key: code, options), and what it looks at while
// it runs (its inputs: environment variables and files). So an entry is found in two steps:
//
//	inputs, ok := store.Inputs(key)            // of the last run with that key
//	sum, ok := tested.Sum(inputs, dir, ...)    // what they stand for now
//	entry, ok := store.Entry(key, sum)
//
// Files appear by a rename and hold a hash of their content: what is damaged is as if it were not
// there.
package tested

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"time"
)

// Folder is the folder of the verdicts in heddle's cache.
const Folder = "tested"

// A Store is a cache of verdicts.
type Store struct{ Dir string } // heddle's cache

// Inputs returns what the tests looked at in the last run with a key.
func (s Store) Inputs(key string) (inputs []string, ok bool) {
	ok = s.read(key, &inputs)
	return inputs, ok
}

// Entry reads an entry into what v points to, and reports whether there is one.
func (s Store) Entry(key, sum string, v any) bool { return s.read(entryKey(key, sum), v) }

// Keep writes an entry.
func (s Store) Keep(key string, inputs []string, sum string, v any) error {
	if err := s.write(entryKey(key, sum), v); err != nil {
		return err
	}
	return s.write(key, inputs)
}

// Hash returns the key for what v holds.
func Hash(v any) (string, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:]), nil
}

func entryKey(key, sum string) string {
	h := sha256.Sum256([]byte(key + " " + sum))
	return hex.EncodeToString(h[:])
}

func (s Store) file(key string) string { return filepath.Join(s.Dir, Folder, key[:2], key) }

// usedEvery is the resolution of the time at which a file was used last.
const usedEvery = time.Hour

func (s Store) read(key string, v any) bool {
	file := s.file(key)
	data, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	sum, rest, ok := bytes.Cut(data, []byte("\n"))
	if h := sha256.Sum256(append([]byte(key), rest...)); !ok || hex.EncodeToString(h[:]) != string(sum) {
		return false
	}
	now := time.Now()
	if info, err := os.Stat(file); err == nil && now.Sub(info.ModTime()) > usedEvery {
		os.Chtimes(file, now, now)
	}
	return json.Unmarshal(rest, v) == nil
}

func (s Store) write(key string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	h := sha256.Sum256(append([]byte(key), data...))
	file := s.file(key)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), ".tmp-")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // fails after the rename
	_, err = tmp.Write(append([]byte(hex.EncodeToString(h[:])+"\n"), data...))
	if err2 := tmp.Close(); err == nil {
		err = err2
	}
	if err == nil {
		err = os.Chmod(tmp.Name(), 0o666)
	}
	if err != nil {
		return err
	}
	return os.Rename(tmp.Name(), file)
}
