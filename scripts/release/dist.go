package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// platforms are the platforms with released binaries.
const platforms = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64"

// distribute makes the binaries of a version of heddle: for each platform
// heddle-VERSION-OS-ARCH.tar.gz (.zip for Windows) with the command, README.md and CHANGELOG.md,
// and SHA256SUMS for sha256sum -c.
//
// The bytes depend only on the sources, the version and the Go release: they contain no path, no
// time except SOURCE_DATE_EPOCH (by default the time of the commit), no revision, and no output of
// a C compiler. check: everything is made twice, in different folders with different caches, and
// compared.
func distribute(version, out string, platforms []string, check bool) error {
	d := dist{version: version, platforms: platforms}
	var err error
	if d.root, err = moduleRoot(); err == nil {
		d.time, err = d.sourceTime()
	}
	if err == nil {
		err = d.make(out, "")
	}
	if err == nil && check {
		err = d.again(out)
	}
	return err
}

// A dist is a distribution to make.
type dist struct {
	root      string // heddle's sources
	version   string
	platforms []string
	time      time.Time // of the files in the archives
}

func moduleRoot() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "heddle").Output()
	if err != nil {
		return "", fmt.Errorf("go list -m heddle: %v; call this in the folder of heddle's sources", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// sourceTime is $SOURCE_DATE_EPOCH, or the time of the commit.
func (d *dist) sourceTime() (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		cmd := exec.Command("git", "log", "-1", "--format=%ct")
		cmd.Dir = d.root
		out, err := cmd.Output()
		if err != nil {
			return time.Time{}, fmt.Errorf("no time for the archives: SOURCE_DATE_EPOCH is not set, and git log: %v", err)
		}
		text = strings.TrimSpace(string(out))
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH=%s: want seconds since 1970", text)
	}
	return time.Unix(n, 0).UTC(), nil
}

// make writes archives and their checksums to a folder. cache is the go command's, "" the user's.
func (d *dist) make(out, cache string) error {
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "heddle-dist-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	var sums strings.Builder
	for _, p := range d.platforms {
		goos, goarch, _ := strings.Cut(p, "/")
		binary := filepath.Join(tmp, "heddle")
		if err := d.build(binary, goos, goarch, cache); err != nil {
			return err
		}
		name, data, err := d.archive(binary, goos, goarch)
		if err != nil {
			return err
		}
		if err := writeWhole(filepath.Join(out, name), data); err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), name)
		fmt.Printf("%s %.1fM\n", name, float64(len(data))/(1<<20))
	}
	return writeWhole(filepath.Join(out, "SHA256SUMS"), []byte(sums.String()))
}

// writeWhole writes a file atomically.
func writeWhole(file string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(file), ".tmp-")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if err := errors.Join(err, tmp.Chmod(0o644), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), file)
}

func (d *dist) build(binary, goos, goarch, cache string) error {
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false",
		"-ldflags=-s -w -buildid= -X main.released="+d.version, "-o", binary, "./cmd/heddle")
	cmd.Dir = d.root
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off",
		"GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=")
	if cache != "" {
		cmd.Env = append(cmd.Env, "GOCACHE="+cache)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s/%s: go build: %v\n%s", goos, goarch, err, out)
	}
	return nil
}

// archive returns name and content of the archive for a platform.
func (d *dist) archive(binary, goos, goarch string) (name string, data []byte, err error) {
	base := fmt.Sprintf("heddle-%s-%s-%s", d.version, goos, goarch)
	command := "heddle"
	if goos == "windows" {
		command = "heddle.exe"
	}
	files := []struct {
		name, from string
		mode       int64
	}{{command, binary, 0o755}, {"README.md", filepath.Join(d.root, "README.md"), 0o644},
		{"CHANGELOG.md", filepath.Join(d.root, "CHANGELOG.md"), 0o644}}
	var buf bytes.Buffer
	var add func(name string, mode int64, text []byte) error
	var end func() error
	if goos == "windows" {
		z := zip.NewWriter(&buf)
		add = func(name string, mode int64, text []byte) error {
			h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: d.time}
			h.SetMode(os.FileMode(mode))
			w, err := z.CreateHeader(h)
			if err == nil {
				_, err = w.Write(text)
			}
			return err
		}
		end = z.Close
		name = base + ".zip"
	} else {
		g, _ := gzip.NewWriterLevel(&buf, gzip.BestCompression)
		t := tar.NewWriter(g)
		add = func(name string, mode int64, text []byte) error {
			err := t.WriteHeader(&tar.Header{Name: name, Mode: mode, Size: int64(len(text)), ModTime: d.time,
				Format: tar.FormatUSTAR})
			if err == nil {
				_, err = t.Write(text)
			}
			return err
		}
		end = func() error { return errors.Join(t.Close(), g.Close()) }
		name = base + ".tar.gz"
	}
	for _, f := range files {
		text, err := os.ReadFile(f.from)
		if err == nil {
			err = add(base+"/"+f.name, f.mode, text)
		}
		if err != nil {
			return "", nil, err
		}
	}
	err = end()
	return name, buf.Bytes(), err
}

// again makes everything from a copy of the sources in another folder, with an empty cache, and
// compares it with out.
func (d *dist) again(out string) error {
	tmp, err := os.MkdirTemp("", "heddle-dist-again-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	other := *d
	other.root = filepath.Join(tmp, "sources")
	if err := copySources(d.root, other.root); err != nil {
		return err
	}
	if err := other.make(filepath.Join(tmp, "out"), filepath.Join(tmp, "cache")); err != nil {
		return err
	}
	want, err := os.ReadFile(filepath.Join(out, "SHA256SUMS"))
	if err != nil {
		return err
	}
	got, err := os.ReadFile(filepath.Join(tmp, "out", "SHA256SUMS"))
	if err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("made twice, and not the same:\n%s\n%s", want, got)
	}
	fmt.Println("made twice: the same bytes")
	return nil
}

// copySources copies the files that git knows.
func copySources(from, to string) error {
	cmd := exec.Command("git", "ls-files", "-z")
	cmd.Dir = from
	list, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("git ls-files: %v", err)
	}
	for _, name := range strings.Split(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		if err := copyFile(filepath.Join(from, name), filepath.Join(to, name)); err != nil &&
			!errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, in)
	return errors.Join(err, f.Close())
}
