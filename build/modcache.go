package build

import (
	"errors"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"golang.org/x/mod/modfile"
)

// The go command refuses an overlay over files of the module cache. So the
// modules of the build that live there are reached by another name: a copy of
// the user's go.mod (or go.work), given by -modfile (or GOWORK), replaces each
// by a symbolic link in heddle's own cache, and the overlay names its files
// below the link. Nothing is copied, and the versions stay what they were.

// links are the other names of module directories.
type links struct {
	dir   string            // where the links are; below it a module has the path it has in the module cache
	cache string            // the module cache
	flags []string          // of the go command
	env   []string          // for it
	added map[string]string // overlay: go.mod files that old modules lack
}

// name returns the path under which the go command meets a file.
func (l *links) name(file string) string {
	if l == nil {
		return file
	}
	if rest, ok := strings.CutPrefix(file, l.cache+string(filepath.Separator)); ok {
		return filepath.Join(l.dir, rest)
	}
	return file
}

// linkDir is the folder of the links to a module cache. Each module cache has its own: CI and containers often have another one than the user.
func (b *Builder) linkDir() string {
	h := newHasher("mod")
	h.add(filepath.Clean(b.tool["GOMODCACHE"]))
	return filepath.Join(b.cache.dir, "mod", h.key()[:8])
}

// link makes the links that the rewritten units need; nil if none is in the module cache.
func (b *Builder) link(tmp string, roots []*root) (*links, error) {
	cache := filepath.Clean(b.tool["GOMODCACHE"])
	mods := map[string]*listed{} // by module path
	for _, u := range b.graph.needed(roots) {
		p := u.pkg
		if p.Standard || p.Module == nil || p.Module.Dir == "" || b.left[u.path] != "" {
			continue
		}
		if strings.HasPrefix(p.Module.Dir, cache+string(filepath.Separator)) && strings.HasPrefix(p.Dir, p.Module.Dir) {
			mods[p.Module.Path] = p
		}
	}
	if len(mods) == 0 {
		return nil, nil
	}
	l := &links{dir: b.linkDir(), cache: cache, added: map[string]string{}}
	paths := make([]string, 0, len(mods))
	for path, p := range mods {
		paths = append(paths, path)
		to := l.name(p.Module.Dir)
		if err := symlink(p.Module.Dir, to); err != nil {
			return nil, err
		}
		if !exists(filepath.Join(p.Module.Dir, "go.mod")) && p.Module.GoMod != "" {
			l.added[filepath.Join(to, "go.mod")] = p.Module.GoMod
		}
	}
	sort.Strings(paths)
	replace := func(add func(path, dir string) error) error {
		for _, path := range paths {
			if err := add(path, l.name(mods[path].Module.Dir)); err != nil {
				return err
			}
		}
		return nil
	}
	if work := b.tool["GOWORK"]; work != "" && work != "off" {
		return l, l.work(work, tmp, replace)
	}
	return l, l.mod(b.tool["GOMOD"], tmp, replace)
}

// symlink makes at a link to the folder to of a module, which never changes; where the system makes none, a copy.
func symlink(to, at string) error {
	if have, err := os.Readlink(at); err == nil && have == to {
		return nil
	}
	if info, err := os.Lstat(at); err == nil && info.IsDir() {
		return nil // a copy
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(at), ".tmp-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	made := filepath.Join(tmp, "made")
	if err := linkOrCopy(to, made); err != nil {
		return err
	}
	if err := os.Rename(made, at); err != nil && !exists(at) { // another heddle may have been faster
		return err
	}
	return nil
}

// replacing is what go.mod and go.work files have in common: *modfile.File, *modfile.WorkFile.
type replacing interface {
	AddReplace(oldPath, oldVers, newPath, newVers string) error
	DropReplace(oldPath, oldVers string) error
	Cleanup()
}

// redirect makes f, a copy of file with the directives have, lead to the links,
// and to the directories that file names relative to its own.
func redirect(f replacing, have []*modfile.Replace, file string, each func(func(path, dir string) error) error) error {
	old := make([]modfile.Replace, len(have)) // the directives themselves are dropped and changed
	for i, r := range have {
		old[i] = *r
		if r.New.Version == "" {
			if err := f.AddReplace(r.Old.Path, r.Old.Version, absolute(r.New.Path, file), ""); err != nil {
				return err
			}
		}
	}
	err := each(func(path, dir string) error {
		for _, r := range old {
			if r.Old.Path == path {
				if err := f.DropReplace(r.Old.Path, r.Old.Version); err != nil {
					return err
				}
			}
		}
		return f.AddReplace(path, "", dir, "")
	})
	f.Cleanup()
	return err
}

// absolute returns a directory that is relative to file's folder as an absolute one.
func absolute(dir, file string) string {
	if filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(filepath.Dir(file), dir)
}

// mod writes the go.mod that leads to the links.
func (l *links) mod(file, tmp string, each func(func(path, dir string) error) error) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	f, err := modfile.Parse(file, data, nil)
	if err != nil {
		return err
	}
	if err := redirect(f, f.Replace, file, each); err != nil {
		return err
	}
	text, err := f.Format()
	if err != nil {
		return err
	}
	alt := filepath.Join(tmp, "go.mod")
	l.flags = []string{"-modfile=" + alt}
	return writeWithSum(alt, text, filepath.Join(filepath.Dir(file), "go.sum"), filepath.Join(tmp, "go.sum"))
}

// work writes the go.work that leads to the links.
func (l *links) work(file, tmp string, each func(func(path, dir string) error) error) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	f, err := modfile.ParseWork(file, data, nil)
	if err != nil {
		return err
	}
	uses := make([]modfile.Use, len(f.Use)) // the directives themselves are dropped
	for i, u := range f.Use {
		uses[i] = *u
	}
	for _, u := range uses {
		if err := f.DropUse(u.Path); err != nil {
			return err
		}
		if err := f.AddUse(absolute(u.Path, file), u.ModulePath); err != nil {
			return err
		}
	}
	if err := redirect(f, f.Replace, file, each); err != nil {
		return err
	}
	alt := filepath.Join(tmp, "go.work")
	l.env = []string{"GOWORK=" + alt}
	return writeWithSum(alt, modfile.Format(f.Syntax), file+".sum", alt+".sum")
}

func writeWithSum(file string, text []byte, sum, altSum string) error {
	if err := os.WriteFile(file, text, 0o666); err != nil {
		return err
	}
	data, err := os.ReadFile(sum)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(altSum, data, 0o666)
}

// Unlink returns text with the names of module directories, and of the standard library's files, as the user knows them.
func (b *Builder) Unlink(text []byte) []byte {
	text = b.root.out(text)
	sep := string(filepath.Separator)
	return renamed(text, b.linkDir()+sep, filepath.Clean(b.tool["GOMODCACHE"])+sep)
}
