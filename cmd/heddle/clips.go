package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"heddle/build"
	"heddle/clip"
	"heddle/report"
	"heddle/rt/wire"
)

// answers is the folder below the current one where heddle ask keeps clips:
// those below testdata are findings, and heddle test tries them again.
const answers = "heddle-clips"

// A clipFolder is where clips of a package are read and written.
type clipFolder struct {
	home    string // testdata/heddle of the package
	instead string // where clips go if home cannot be written; "": nowhere
	moved   bool   // that was said
	pkg     string // import path
	code    string // hash of its sources
	o       *options
	dir     string // of the package
	sites   *build.Sites
	report  *report.Reporter
	resolve func(*wire.Place)
	// paths of clips that were there before, as long as they have not shown their finding
	stale map[string]bool
	kept  map[string]*wire.Clip // those that were there before, by path
}

func (e *exploration) clipFolder(p *build.Package) *clipFolder {
	f := &clipFolder{
		home: filepath.Join(p.Dir, filepath.FromSlash(clip.Dir)), dir: p.Dir, pkg: p.ImportPath, code: p.Code,
		o:     e.o,
		sites: e.sites, report: e.report, resolve: e.looks.Resolve,
	}
	f.instead = filepath.Join(e.tool.Dir, answers, filepath.FromSlash(p.ImportPath))
	if e.o.clips != "" || e.o.question != nil {
		dir := e.tool.abs(cmp.Or(e.o.clips, answers))
		f.home = filepath.Join(dir, filepath.FromSlash(p.ImportPath))
		f.instead = ""
	}
	return f
}

// read returns the clips kept for the package, ready to be replayed with this build.
func (f *clipFolder) read() []*wire.Clip {
	clips := f.all(f.home)
	if f.instead != "" {
		clips = append(clips, f.all(f.instead)...)
	}
	for _, c := range clips {
		f.take(c)
	}
	return clips
}

// has reports whether there were clips of a test.
func (f *clipFolder) has(test string) bool {
	for _, c := range f.kept {
		if c.Test == test {
			return true
		}
	}
	return false
}

// take makes a clip ready to be replayed with this build.
func (f *clipFolder) take(c *wire.Clip) {
	if f.stale == nil {
		f.stale, f.kept = make(map[string]bool), make(map[string]*wire.Clip)
	}
	f.sites.FindIn(c)
	f.stale[c.Path], f.kept[c.Path] = true, c
	c.Same = c.Code != "" && c.Code == f.code
}

// all returns the clips below dir, and notes what is wrong with those that it leaves out.
func (f *clipFolder) all(dir string) []*wire.Clip {
	clips, errs := clip.All(dir)
	clips = slices.DeleteFunc(clips, func(c *wire.Clip) bool { return c.Kind == clip.Reached })
	for _, err := range errs {
		f.report.Note(err.Error())
	}
	return clips
}

// shown notes that a clip that was there before still shows its finding.
func (f *clipFolder) shown(path string) { delete(f.stale, path) }

// write keeps the clip of a finding and returns its path, whether clips that were there before gave
// way to it, since they are of the same bug and did not show it, and what to say of them.
func (f *clipFolder) write(test string, finding *wire.Finding) (path string, same bool, notes []string,
	err error) {
	file := f.file(test, finding)
	if path, err = f.put(file); err == nil {
		path, same, notes = f.renew(file, path)
	}
	return path, same, notes, err // the path is "" with an error
}

// put stores a clip in a folder. One of its name that was there before, and did not show the
// finding, gives way.
func (f *clipFolder) put(file *clip.File) (string, error) {
	keep := file.Write
	if f.stale[file.In(f.home)] {
		keep = file.Replace
	}
	path, err := keep(f.home)
	if err != nil && f.instead != "" {
		if p, e := file.Write(f.instead); e == nil {
			if !f.moved {
				f.moved = true
				f.report.Note(fmt.Sprintf("clips of %s go to %s (another folder: -clips), for the package cannot keep them: %v", f.pkg, f.instead, err))
			}
			return p, nil
		}
	}
	if err != nil {
		return "", err
	}
	return path, nil
}

// file is what is kept of a finding's clip.
func (f *clipFolder) file(test string, finding *wire.Finding) *clip.File {
	c := finding.Clip
	if c.Test == "" {
		c.Test = test
	}
	describe(f.sites, &c)
	f.o.settle(&c, f.code)
	if finding.Verbose {
		c.Flags = append(c.Flags, "-v")
	}
	return &clip.File{Clip: *clip.Resolve(&c, f.dir, f.resolve), Package: f.pkg, Go: goVersion(),
		Heddle: version()}
}

// asRead is the clip of a finding as it would be read from its file, for the same build.
func (f *clipFolder) asRead(test string, finding *wire.Finding) (*wire.Clip, error) {
	file := f.file(test, finding)
	file.Clip = *clip.Tidy(&file.Clip)
	c, err := clip.Parse("", file.Format())
	if err != nil {
		return nil, err
	}
	f.sites.FindIn(c)
	return c, nil
}

// describe puts what the source says in place of the site numbers of a clip, which the next build
// changes.
func describe(sites *build.Sites, c *wire.Clip) {
	c.Spots = nil
	for _, v := range c.Visible {
		p := wire.Place{Site: v}
		sites.Describe(&p)
		c.Spots = append(c.Spots, p)
	}
	c.Places = append([]wire.Place(nil), c.Places...)
	for i := range c.Places {
		sites.Describe(&c.Places[i])
	}
}
