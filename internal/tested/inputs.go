package tested

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A Place is where inputs are looked at.
type Place struct {
	Dir string   // what relative names are below
	Env []string // the variables of the process
}

// errUnsure says that an input may be another each time it is looked at.
var errUnsure = errors.New("it may be another each time")

// Sum returns a hash of what inputs stand for: "eNAME" is an environment variable, "e*" all of
// them, "fNAME" a file or folder (rt/wire.Looks). before, if it is not zero, is when the tests
// began: a file that changed afterwards, or shortly before, may have been another one when they
// read it. An error says that the inputs cannot be told, and which of them.
func (p Place) Sum(inputs []string, before time.Time) (string, error) {
	inputs = slices.Clone(inputs)
	slices.Sort(inputs)
	h := sha256.New()
	for _, in := range slices.Compact(inputs) {
		var text string
		var err error
		switch {
		case in == "e*":
			env := slices.Clone(p.Env)
			slices.Sort(env)
			text = fmt.Sprintf("%q", env)
		case in == "":
			continue
		case strings.HasPrefix(in, "e"):
			text = p.variable(in[1:])
		case strings.HasPrefix(in, "f"):
			text, err = p.file(in[1:], before)
		default:
			err = errUnsure
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", in[1:], err)
		}
		fmt.Fprintf(h, "%q %q\n", in, text)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// variable returns the value of a variable after "=", "" if it is not set.
func (p Place) variable(name string) string {
	for _, v := range slices.Backward(p.Env) { // the last one counts
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return "=" + value
		}
	}
	return ""
}

// margin is how much before a point in time a file may have the same time as at it: some file
// systems count in steps of two seconds.
const margin = 2 * time.Second

// mostBytes is the size of the largest file that is read.
const mostBytes = 256 << 20

// file says what a name stands for: what a program can learn by reading it and by asking for it.
func (p Place) file(name string, before time.Time) (string, error) {
	if !filepath.IsAbs(name) {
		name = filepath.Join(p.Dir, name)
	}
	name = filepath.Clean(name)
	if name == os.DevNull {
		return "", nil
	}
	for _, dir := range []string{"/proc", "/sys", "/dev"} {
		if name == dir || strings.HasPrefix(name, dir+"/") {
			return "", errUnsure
		}
	}
	info, err := os.Lstat(name)
	if err != nil {
		return missing(err)
	}
	link := ""
	if info.Mode()&fs.ModeSymlink != 0 {
		if link, err = os.Readlink(name); err != nil {
			return missing(err)
		}
		link += " " + info.ModTime().String()
		if info, err = os.Stat(name); err != nil {
			gone, err := missing(err)
			return link + " " + gone, err
		}
	}
	if !before.IsZero() && info.ModTime().After(before.Add(-margin)) {
		return "", errors.New("it has changed since the tests began, or shortly before")
	}
	content := ""
	switch {
	case info.IsDir():
		content, err = listing(name)
	case info.Mode().IsRegular() && info.Size() <= mostBytes:
		content, err = hashOf(name)
	default:
		err = errUnsure
	}
	return fmt.Sprint(link, info.Mode(), info.Size(), info.ModTime().UnixNano(), content), err
}

// missing says why there is no file.
func missing(err error) (string, error) {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return "missing: " + err.Error(), nil
	}
	return "", err
}

func listing(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name() + " " + e.Type().String()
	}
	return fmt.Sprintf("%q", names), err
}

func hashOf(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return missing(err)
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), err
}
