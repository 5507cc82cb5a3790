package clip

import (
	"path/filepath"
	"slices"
	"strings"

	"heddle/rt/wire"
)

// Tidy returns a copy of c without absolute paths and without repetition, as Write stores it.
func Tidy(c *wire.Clip) *wire.Clip { return Resolve(c, "", nil) }

// Resolve is Tidy with positions filled in by lookup (see report.Options.Resolve). Files below dir
// become relative to it; other absolute paths become base names. The place of a step omits the
// goroutine and the operation of the step, and the site number if the position is known.
func Resolve(c *wire.Clip, dir string, lookup func(*wire.Place)) *wire.Clip {
	r := *c
	r.Steps = slices.Clone(c.Steps)
	r.Places = slices.Clone(c.Places)
	r.Spots = slices.Clone(c.Spots)
	place := func(p *wire.Place) {
		if lookup != nil {
			lookup(p)
		}
		p.File = shorten(p.File, dir)
	}
	for i := range r.Places {
		place(&r.Places[i])
	}
	for i := range r.Spots {
		place(&r.Spots[i])
	}
	for i := range r.Steps {
		s := &r.Steps[i]
		place(&s.Where)
		if s.Where.Op == s.Op {
			s.Where.Op = ""
		}
		if s.Where.Goroutine == s.G {
			s.Where.Goroutine = ""
		}
		if s.Where.File != "" { // the position makes the site number redundant
			s.Where.Site, s.Where.Func = 0, ""
		}
	}
	return &r
}

func shorten(file, dir string) string {
	if !filepath.IsAbs(file) {
		return file
	}
	if dir != "" {
		if rel, err := filepath.Rel(dir, file); err == nil && rel != ".." &&
			!strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return filepath.ToSlash(rel)
		}
	}
	return base(file)
}
