package report

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"heddle/rt/wire"
)

// Resolve fills in position, operation and object of a place from the position tables.
func (o *Options) Resolve(p *wire.Place) {
	if p.Site != 0 && p.File == "" && o.Lookup != nil {
		s, ok := o.Lookup(p.Site)
		if !ok { // the tables may have the site without the quiet bit
			s, ok = o.Lookup(p.Site &^ (1 << 63))
		}
		if ok {
			p.File, p.Line, p.Col = s.File, s.Line, s.Col
			if p.Op == "" && s.Op != "call" {
				p.Op = s.Op
			}
			if p.Object == "" {
				p.Object = s.Text
			}
		}
	}
	if p.Object == "" && p.File != "" && o.Object != nil {
		p.Object = o.Object(p.File, p.Line, p.Op)
	}
}

// resolve returns a copy of f with every place resolved.
func (r *Reporter) resolve(f *wire.Finding) *wire.Finding {
	c := *f
	c.Places = r.resolved(f.Places)
	c.Stacks = append([]wire.Stack(nil), f.Stacks...)
	for i := range c.Stacks {
		c.Stacks[i].Frames = r.resolved(c.Stacks[i].Frames)
		c.Stacks[i].Start = r.resolved(c.Stacks[i].Start)
	}
	c.Clip.Places = r.resolved(f.Clip.Places)
	c.Beside = slices.Clone(f.Beside)
	for i := range c.Beside {
		c.Beside[i].Places = r.resolved(c.Beside[i].Places)
	}
	c.Clip.Steps, c.Rest = standing(f.Clip.Steps, r.resolved), standing(f.Rest, r.resolved)
	c.Story = slices.Clone(f.Story)
	for i := range c.Story {
		r.o.Resolve(&c.Story[i].Where)
	}
	r.nameObjects(&c)
	noteReaders(&c)
	return &c
}

// shortened returns a copy of f, a resolved finding, with paths relative to Dir.
func (r *Reporter) shortened(f *wire.Finding) *wire.Finding {
	c := *f
	short := func(in []wire.Place) []wire.Place {
		out := append([]wire.Place(nil), in...)
		for i := range out {
			if rel, ok := below(r.o.Dir, out[i].File); ok && filepath.IsAbs(out[i].File) {
				out[i].File = filepath.ToSlash(rel)
			}
		}
		return out
	}
	c.Story = nil // it was told
	c.Places = short(f.Places)
	c.Stacks = append([]wire.Stack(nil), f.Stacks...)
	for i := range c.Stacks {
		c.Stacks[i].Frames = short(c.Stacks[i].Frames)
		c.Stacks[i].Start = short(c.Stacks[i].Start)
	}
	c.Clip.Steps, c.Rest = standing(f.Clip.Steps, short), standing(f.Rest, short)
	return &c
}

// standing returns a copy of steps with their places replaced by lookUp.
func standing(steps []wire.Step, lookUp func([]wire.Place) []wire.Place) []wire.Step {
	places := make([]wire.Place, len(steps))
	for i := range steps {
		places[i] = steps[i].Where
	}
	out := slices.Clone(steps)
	for i, p := range lookUp(places) {
		out[i].Where = p
	}
	return out
}

func (r *Reporter) resolved(in []wire.Place) []wire.Place {
	out := append([]wire.Place(nil), in...)
	for i := range out {
		r.o.Resolve(&out[i])
	}
	return out
}

// short returns a path as a user writes it: relative to Dir if it is below, from the import path
// on for the standard library.
func (r *Reporter) short(file string) string {
	if !filepath.IsAbs(file) {
		return file
	}
	if rel, ok := below(r.o.Dir, file); ok {
		return rel
	}
	if r.o.GOROOT != "" {
		if rel, ok := below(filepath.Join(r.o.GOROOT, "src"), file); ok {
			return rel
		}
	}
	return file
}

func below(dir, file string) (string, bool) {
	if dir == "" {
		return "", false
	}
	rel, err := filepath.Rel(dir, file)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return rel, true
}

// position returns file:line, or "" if it is unknown.
func (r *Reporter) position(p wire.Place) string {
	if p.File == "" {
		return ""
	}
	return oneLine(r.short(p.File)) + ":" + strconv.Itoa(p.Line)
}

// source returns the source line at p, safe to print.
func (r *Reporter) source(p wire.Place) string {
	if p.File == "" {
		return ""
	}
	return oneLine(r.o.Source(p.File, p.Line))
}

// std reports whether a frame belongs to the standard library.
func (r *Reporter) std(p wire.Place) bool {
	if r.o.GOROOT == "" || p.File == "" {
		return false
	}
	if known, ok := r.ofStd.Load(p.File); ok {
		return known.(bool)
	}
	_, ok := below(filepath.Join(r.o.GOROOT, "src"), p.File)
	r.ofStd.Store(p.File, ok)
	return ok
}

// foreign reports whether a file is not the user's to change: the standard library, a module that
// the go command keeps, a vendored one.
func (r *Reporter) foreign(file string) bool {
	if r.std(wire.Place{File: file}) {
		return true
	}
	if !filepath.IsAbs(file) {
		return strings.HasPrefix(file, "vendor/")
	}
	if rel, ok := below(r.o.Dir, file); ok {
		return strings.HasPrefix(filepath.ToSlash(rel), "vendor/")
	}
	slash := filepath.ToSlash(file)
	return moduleVersion.MatchString(slash) || strings.Contains(slash, "/vendor/")
}

// moduleVersion is in the path of every file of the module cache: modernc.org/sqlite@v1.61.1/.
var moduleVersion = regexp.MustCompile(`@v\d[^/]*/`)
