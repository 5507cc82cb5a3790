package clip

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"heddle/rt/wire"
)

// Dir is the folder of clips, relative to the folder of the package.
const Dir = "testdata/heddle"

// Read reads the clip in a file.
func Read(path string) (*wire.Clip, error) {
	f, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	return &f.Clip, nil
}

// ReadFile reads the clip in a file and the build it was recorded on.
func ReadFile(path string) (*File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // reading a pipe or a device could block
		return nil, fmt.Errorf("%s: expected a clip (a regular file), found %s", path, kindOf(info.Mode()))
	}
	r, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, MaxFile+1))
	if err != nil {
		return nil, err
	}
	return ParseFile(path, data)
}

func kindOf(m fs.FileMode) string {
	if m.IsDir() {
		return "a folder"
	}
	return "something else (" + m.Type().String() + ")"
}

// All reads the clips below dir, a folder such as "testdata/heddle" with one folder for each test.
// The clips are sorted by test and name. A clip that cannot be read adds an error and does not
// affect the others. If dir does not exist, there are none. Hidden files and README files are not
// read.
func All(dir string) (clips []*wire.Clip, errs []error) {
	tests, err := os.ReadDir(dir)
	// testdata may be a file of the user
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	if err != nil {
		return nil, []error{err}
	}
	for _, t := range tests {
		if !t.IsDir() || hidden(t.Name()) {
			continue
		}
		files, err := os.ReadDir(filepath.Join(dir, t.Name()))
		if err != nil {
			errs = append(errs, err)
		}
		for _, f := range files {
			if hidden(f.Name()) || f.IsDir() {
				continue
			}
			c, err := Read(filepath.Join(dir, t.Name(), f.Name()))
			if err != nil {
				errs = append(errs, err)
				continue
			}
			clips = append(clips, c)
		}
	}
	slices.SortStableFunc(clips, func(a, b *wire.Clip) int { return cmp.Compare(a.Test, b.Test) })
	return clips, errs
}

func hidden(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "README")
}

// Write stores c in dir/<Test>/<Name(c)> and returns the path. Of two clips with the same name the
// simpler one stays.
func Write(dir string, c *wire.Clip) (path string, err error) {
	return (&File{Clip: *c}).Write(dir)
}

// Write stores f like the function Write.
func (f *File) Write(dir string) (path string, err error) {
	old, err := ReadFile(f.In(dir))
	if err == nil && !Simpler(&f.Clip, &old.Clip) {
		return f.In(dir), nil
	}
	return f.Replace(dir)
}

// Replace stores f even if a simpler clip has its name. Use it when that clip no longer fits the
// code.
func (f *File) Replace(dir string) (path string, err error) {
	if f.Test == "" {
		return "", errors.New("clip: expected the name of a test, found none")
	}
	path = f.In(dir)
	return path, f.Store(path)
}

// Store stores f in a file, whatever that is called.
func (f *File) Store(path string) error {
	tidy := *f
	tidy.Clip = *Tidy(&f.Clip)
	data := tidy.Format()
	if len(data) > MaxFile || len(f.Steps) > MaxSteps {
		return fmt.Errorf("clip of %s: expected at most %d bytes and %d steps, found %d and %d", f.Test,
			MaxFile, MaxSteps, len(data), len(f.Steps))
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return replaceFile(path, data)
}

// In returns the path of f below dir.
func (f *File) In(dir string) string {
	return filepath.Join(dir, folder(f.Test), Name(&f.Clip))
}

// folder returns the folder name for a test. Names of tests are identifiers; any other name is
// changed so that it cannot leave dir.
func folder(test string) string {
	s := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) || r < ' ' {
			return '_'
		}
		return r
	}, test)
	return strings.TrimLeft(s, ".")
}

// replaceFile writes a file atomically: readers see the old content or the new one.
func replaceFile(path string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	err = errors.Join(err, tmp.Chmod(0o644), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}
