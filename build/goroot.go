package build

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"heddle/rt/wire"
)

// An overlay on the toolchain's own folder is impossible for three reasons. The go command refuses
// an overlay over files of the module cache, which holds the toolchains that Go downloaded itself.
// Before Go 1.26.4 or so it did not see packages of the standard library that exist only in an
// overlay. And it switches to another toolchain, with another folder, if go.mod or GOTOOLCHAIN
// says so.
//
// So heddle keeps a second GOROOT in its cache for each toolchain and each version of heddle. It
// has links to everything in the toolchain's folder, except that src is a folder of its own: links
// to each package, and the laid packages as files. The go command that the user's settings select
// runs with this GOROOT and is told not to switch. In this package the standard library has its
// real paths. Only the input and the output of the go command have the paths of the second GOROOT.

// rooted maps between the two names of the toolchain's folder.
type rooted struct {
	real, second string
	program      string // the go command of this toolchain
}

// openRoot finds or makes the second GOROOT of the toolchain in b.tool.
func (b *Builder) openRoot() error {
	real := b.tool["GOROOT"]
	if _, err := os.Stat(filepath.Join(real, "src", "runtime")); err != nil {
		return fmt.Errorf("GOROOT=%s, which %s names, has no standard library: %v", real, "go env", err)
	}
	h := newHasher("goroot")
	h.add(self(), real, b.tool["GOVERSION"], stamp(filepath.Join(real, "VERSION")))
	key := h.key()
	const mark = "VERSION"
	b.root = rooted{real: real, second: b.cache.entry("goroot", key), program: goProgram(real)}
	if b.cache.has("goroot", key, mark) {
		return nil
	}
	files := map[string][]byte{}
	if err := laidFiles(files, real); err != nil {
		return err
	}
	return b.cache.putDir("goroot", key, func(dir string) error {
		if err := linkAll(real, dir, "src", mark); err != nil {
			return err
		}
		if err := linkAll(filepath.Join(real, "src"), filepath.Join(dir, "src"), laidPrefix); err != nil {
			return err
		}
		for path, data := range files {
			name := filepath.Join(dir, "src", filepath.FromSlash(path))
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				return err
			}
			if err := os.WriteFile(name,
				b.root.named(filepath.Join(real, "src", filepath.FromSlash(path)), data), 0o666); err != nil {
				return err
			}
		}
		// The mark is a file of its own, as its time says when the entry was used.
		data, err := os.ReadFile(filepath.Join(real, mark))
		if errors.Is(err, fs.ErrNotExist) {
			data = []byte(b.tool["GOVERSION"] + "\n")
		} else if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, mark), data, 0o666)
	})
}

// linkAll makes the folder to, with links to everything in the folder from except the names in
// without.
func linkAll(from, to string, without ...string) error {
	if err := os.MkdirAll(to, 0o777); err != nil {
		return err
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
next:
	for _, e := range entries {
		for _, name := range without {
			if e.Name() == name {
				continue next
			}
		}
		if err := linkOrCopy(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// linkOrCopy makes to a link to from, or a copy if the system makes no link.
func linkOrCopy(from, to string) error {
	if os.Symlink(from, to) == nil {
		if _, err := os.Lstat(to); err == nil { // wine reports success and makes no link
			return nil
		}
	}
	return copyAll(from, to)
}

// copyAll copies a file, or a folder with everything below it. It links files if the system can.
func copyAll(from, to string) error {
	return filepath.WalkDir(from, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, file)
		if err != nil {
			return err
		}
		name := filepath.Join(to, rel)
		if d.IsDir() {
			return os.MkdirAll(name, 0o777)
		}
		if os.Link(file, name) == nil {
			return nil
		}
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return os.WriteFile(name, data, info.Mode().Perm()|0o200)
	})
}

// goProgram returns the go command of a GOROOT, or "" if it has none.
func goProgram(goroot string) string {
	for _, name := range []string{"go", "go.exe"} {
		file := filepath.Join(goroot, "bin", name)
		if info, err := os.Stat(file); err == nil && !info.IsDir() {
			return file
		}
	}
	return ""
}

// in maps a path of the toolchain to the second GOROOT. It returns other paths unchanged.
func (r *rooted) in(file string) string {
	if rest, ok := strings.CutPrefix(file, r.real); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		return r.second + rest
	}
	return file
}

// overlay returns replace with the paths of the second GOROOT, for the go command.
func (r *rooted) overlay(replace map[string]string) map[string]string {
	second := make(map[string]string, len(replace))
	for from, to := range replace {
		if from = r.in(from); from != to {
			second[from] = to
		}
	}
	return second
}

// sourceRoot is wire.SourceRoot with the separators of this system, as the compiler needs it.
var sourceRoot = func() string {
	if runtime.GOOS == "windows" {
		return wire.Drive + wire.SourceRoot
	}
	return wire.SourceRoot
}()

// named returns text, the content of a file of the standard library at its real path file, with a
// line directive that names the file. Without it the compiler writes the folder of an overlay file
// in place of $GOROOT, and the go command would reuse what it compiled with another folder.
func (r *rooted) named(file string, text []byte) []byte {
	rest, ok := strings.CutPrefix(file, r.real)
	if !ok {
		return text
	}
	return slices.Concat([]byte("//line "+sourceRoot+filepath.ToSlash(rest)+":1:1\n"), text)
}

// out is the inverse of in for all the paths in a text, including those that named wrote. The text
// may be JSON.
func (r *rooted) out(text []byte) []byte {
	if r.second == "" {
		return text
	}
	text = bytes.ReplaceAll(text, []byte(sourceRoot+"/src/"), []byte(filepath.ToSlash(r.real)+"/src/"))
	return renamed(text, r.second, r.real)
}

// renamed replaces the folder from at the beginning of paths in text by to. Paths may have the
// separators of the system, those escaped in JSON, or slashes as in Go's own tables.
func renamed(text []byte, from, to string) []byte {
	text = bytes.ReplaceAll(text, []byte(from), []byte(to))
	for _, form := range []func(string) string{quoted, filepath.ToSlash} {
		if f := form(from); f != from {
			text = bytes.ReplaceAll(text, []byte(f), []byte(form(to)))
		}
	}
	return text
}

// quoted returns path as it stands in JSON.
func quoted(path string) string {
	data, _ := json.Marshal(path)
	return string(data[1 : len(data)-1])
}

// rootedCommand prepares a run of the toolchain's go command in the user's directory, with the
// second GOROOT.
func (b *Builder) rootedCommand(ctx context.Context, args ...string) *exec.Cmd {
	cmd := b.command(ctx, args...)
	if b.root.program != "" {
		cmd.Path, cmd.Err = b.root.program, nil
		cmd.Args[0] = cmd.Path
		cmd.Env = append(cmd.Env, "GOTOOLCHAIN=local")
	}
	cmd.Dir = b.root.in(cmd.Dir) // the user's directory may be in the standard library
	cmd.Env = append(cmd.Env, "GOROOT="+b.root.second)
	if cmd.Dir != "" {
		cmd.Env = append(cmd.Env, "PWD="+cmd.Dir)
	}
	return cmd
}

// unseen returns an error if the go command did not find a laid package, or one that p needs.
func unseen(p *listed) error {
	if p.Error == nil || !p.Standard && !strings.HasPrefix(p.ImportPath, laidPrefix+"/") {
		return nil
	}
	return fmt.Errorf("package %s: %s", p.ImportPath, strings.TrimSpace(p.Error.Err))
}
