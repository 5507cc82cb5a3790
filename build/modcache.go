package build

import (
	"errors"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"golang.org/x/mod/modfile"
)

// The go command refuses an overlay over files of the module cache. So the modules there get a
// second name: a copy of the user's go.mod (or go.work), passed by -modfile (or GOWORK), replaces
// each module by a symbolic link in heddle's own cache, and the overlay names the files below the
// link. No file is copied, and the versions do not change.

// links are the second names of module directories.
type links struct {
	dir   string            // folder of the links; a module has the same path below it as in the module cache
	cache string            // the module cache
	flags []string          // of the go command
	env   []string          // for it
	added map[string]string // overlay files: go.mod files that old modules lack
}

// name returns the path of file for the go command.
func (l *links) name(file string) string {
	if l == nil {
		return file
	}
	if rest, ok := strings.CutPrefix(file, l.cache+string(filepath.Separator)); ok {
		return filepath.Join(l.dir, rest)
	}
	return file
}

// linkDir returns the folder of the links to this module cache. CI and containers often use
// another module cache than the user, so each has its own folder.
func (b *Builder) linkDir() string {
	h := newHasher("mod")
	h.add(filepath.Clean(b.tool["GOMODCACHE"]))
	return filepath.Join(b.cache.dir, "mod", h.key()[:8])
}

// link makes the links that the rewritten units need. It returns nil if no unit is in the module
// cache.
func (b *Builder) link(tmp string, roots []*root) (*links, error) {
	cache := filepath.Clean(b.tool["GOMODCACHE"])
	mods := map[string]*listed{} // by module path
	for _, u := range b.graph.needed(roots) {
		p := u.pkg
		if p.Standard || p.Module == nil || p.Module.Dir == "" || b.left[u.path] != "" {
			continue
		}
		if strings.HasPrefix(p.Module.Dir, cache+string(filepath.Separator)) &&
			strings.HasPrefix(p.Dir, p.Module.Dir) {
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

// symlink makes at a link to the folder to of a module, or a copy if the system makes no link. The
// folder never changes.
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
	if err := os.Rename(made, at); err != nil && !exists(at) { // another process may have been faster
		return err
	}
	return nil
}

// replacing is the common part of *modfile.File and *modfile.WorkFile.
type replacing interface {
	AddReplace(oldPath, oldVers, newPath, newVers string) error
	DropReplace(oldPath, oldVers string) error
	Cleanup()
}

// redirect changes f, a copy of file with the replace directives have: modules lead to their
// links, and relative directories become absolute, because the copy is in another folder.
func redirect(f replacing, have []*modfile.Replace, file string,
	each func(func(path, dir string) error) error) error {
	old := make([]modfile.Replace, len(have)) // a copy, as the directives are dropped and changed
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

// absolute returns dir, which is relative to the folder of file, as an absolute path.
func absolute(dir, file string) string {
	if filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(filepath.Dir(file), dir)
}

// mod writes a go.mod that leads to the links.
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

// work writes a go.work that leads to the links.
func (l *links) work(file, tmp string, each func(func(path, dir string) error) error) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	f, err := modfile.ParseWork(file, data, nil)
	if err != nil {
		return err
	}
	uses := make([]modfile.Use, len(f.Use)) // a copy, as the directives are dropped
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

// Unlink returns text with the paths of modules and of the standard library as the user knows
// them.
func (b *Builder) Unlink(text []byte) []byte {
	text = b.root.out(text)
	sep := string(filepath.Separator)
	return renamed(text, b.linkDir()+sep, filepath.Clean(b.tool["GOMODCACHE"])+sep)
}
