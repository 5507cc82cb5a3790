package clip

import (
	"path/filepath"
	"slices"
	"strings"

	"heddle/rt/wire"
)

// Tidy returns a copy of c as it should stand in a file: no path that only
// this machine knows, and nothing twice. Write does it.
func Tidy(c *wire.Clip) *wire.Clip { return Resolve(c, "", nil) }

// Resolve returns a copy of c whose places are positions wherever lookup knows
// them; what lookup fills in no longer carries its Site. Files below dir
// become relative to it, other absolute ones their base names. A step's place
// does not repeat the step's goroutine and operation.
func Resolve(c *wire.Clip, dir string, lookup func(*wire.Place)) *wire.Clip {
	r := *c
	r.Steps = slices.Clone(c.Steps)
	r.Places = slices.Clone(c.Places)
	place := func(p *wire.Place) {
		if p.Site != 0 && p.File == "" && lookup != nil {
			lookup(p)
		}
		if p.File != "" {
			p.Site = 0
			p.File = shorten(p.File, dir)
		}
	}
	for i := range r.Places {
		place(&r.Places[i])
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
		s.Where.Func = "" // the position says it
	}
	return &r
}

func shorten(file, dir string) string {
	if !filepath.IsAbs(file) {
		return file
	}
	if dir != "" {
		if rel, err := filepath.Rel(dir, file); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return filepath.ToSlash(rel)
		}
	}
	return base(file)
}
