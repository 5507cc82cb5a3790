package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"heddle/build"
	"heddle/cluster"
	"heddle/rt/wire"
)

// -resume: tests that workers explored together when heddle was ended are gone on
// with. Their logs are in heddle's cache, by what was explored: the binary, its
// arguments, and everything that the exploration goes by but the budget.

// digest is the content hash of a file.
func digest(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// explored names what a package's exploration is of.
func (r *packageRun) explored() (string, error) {
	if r.of != "" {
		return r.of, nil
	}
	binary, err := digest(r.pkg.Binary)
	if err != nil {
		return "", err
	}
	b := r.process()
	c := r.o.lasting(b.config)
	args := slices.DeleteFunc(b.args, func(a string) bool { return a == "-test.v" || a == "-test.failfast" })
	what, err := json.Marshal([]any{binary, r.pkg.ImportPath, args, c})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(what)
	r.binary, r.of = binary, hex.EncodeToString(sum[:])
	return r.of, nil
}

// lasting returns a configuration without what may differ from one run to the next of the same
// exploration.
func (o *options) lasting(c wire.Config) wire.Config {
	c.Budget, c.Budgets, c.Most, c.Until = 0, nil, 0, 0
	c.Share, c.Clips, c.FailFast = 0, nil, false
	c.Longest = int64(o.longest) // without what -budget makes of it
	return c
}

// logFolder is where the logs of a package are.
func (r *packageRun) logFolder() (string, error) {
	of, err := r.explored()
	if err != nil {
		return "", err
	}
	cache, err := build.DefaultCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(cache, "runs", of[:2], of), nil
}

const logSuffix = ".log"

// keepLog begins the log of a test that was shared. Where it cannot be written, the test is
// explored without.
func (r *packageRun) keepLog(sh *shared) {
	if r.o.count > 1 {
		return // which of them would be gone on with?
	}
	dir, err := r.logFolder()
	if err == nil {
		of, _ := r.explored()
		sh.path = filepath.Join(dir, url.PathEscape(sh.test)+logSuffix)
		sh.log, err = cluster.CreateLog(sh.path, of, sh.test, sh.share)
	}
	if err != nil {
		sh.path, sh.log = "", nil
		r.exploration.report.Note(fmt.Sprintf("-resume will not know %s: %v", sh.test, err))
	}
}

// resume finds the tests that are to be gone on with.
func (r *packageRun) resume() error {
	dir, err := r.logFolder()
	if err != nil {
		return err
	}
	of, err := r.explored()
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), logSuffix) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		log, h, results, err := cluster.OpenLog(path, of)
		if err != nil {
			r.exploration.report.Note(fmt.Sprintf("-resume: %v", err))
		}
		if log == nil {
			continue
		}
		r.finished = append(r.finished, h.Test)
		r.forFlow(r.idle.ctx, h.Test, h.Share)
		r.shares = append(r.shares, &shared{test: h.Test, share: h.Share, log: log, results: results,
			path: path, resumed: true})
	}
	return err
}

// settle closes the log of a test that is over. complete: there is nothing to go on
// with, once the whole command has come to its end.
func (r *packageRun) settle(sh *shared, complete bool) {
	if sh.log == nil {
		return
	}
	sh.log.Close()
	sh.log = nil
	if complete {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.done = append(r.done, sh.path)
	}
}

// forget removes the logs of tests that are over: the command was not stopped.
func (e *exploration) forget() {
	for _, path := range e.done {
		os.Remove(path)
		os.Remove(filepath.Dir(path)) // if it was the last
	}
}
