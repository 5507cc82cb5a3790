package judge

import (
	"fmt"
	"strings"
	"time"

	"heddle/rt/wire"
	"heddle/trace"
)

// place makes a Place of a site.
func (j *Judge) place(x *Execution, s trace.Site, op string, g trace.GID) wire.Place {
	return placeOf(x.Trace, s, op, g, j.Resolve)
}

func placeOf(t *trace.Trace, s trace.Site, op string, g trace.GID,
	resolve func(trace.Site) wire.Place) wire.Place {
	p := resolve(s)
	p.Op, p.Goroutine = op, t.Name(g)
	return p
}

func (j *Judge) stack(x *Execution, g trace.GID, pcs []uintptr, state string) wire.Stack {
	st := wire.Stack{Goroutine: x.Name(g), State: state, Frames: j.Frames(pcs), Start: j.origin(x, g)}
	if g >= 0 && int(g) < len(x.Goroutines) {
		st.Site = uint64(x.Goroutines[g].Site)
	}
	return st
}

// origin returns the stack of the go statement that started g. Where that is the standard
// library's alone (a connection of net/http), the stack that started its starter follows, and so
// on until the program's own code is reached.
func (j *Judge) origin(x *Execution, g trace.GID) []wire.Place {
	var fs []wire.Place
	for n := 0; n < mostStarters && g > 0 && int(g) < len(x.Goroutines); n++ {
		fs = append(fs, j.Frames(j.Origin(g))...)
		if p := j.userFrame(fs); p.File != "" && !j.Standard(p.File) {
			break
		}
		g = x.Goroutines[g].Parent
	}
	return fs
}

// mostStarters bounds how far back origin looks.
const mostStarters = 20

// userFrame returns the first frame that is not the standard library's.
func (j *Judge) userFrame(fs []wire.Place) wire.Place { return UserFrame(j, fs) }

// UserFrame returns the first frame that is not the standard library's, or else the first one.
func UserFrame(s Symbols, fs []wire.Place) wire.Place {
	for _, f := range fs {
		if !s.Standard(f.File) {
			return f
		}
	}
	if len(fs) > 0 {
		return fs[0]
	}
	return wire.Place{}
}

// Base returns the last element of a path with slashes.
func Base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

func duration(ns int64) string {
	switch {
	case ns >= 100e9:
		return time.Duration(ns).Round(time.Second).String()
	case ns >= 999_500_000:
		return fmt.Sprintf("%.3gs", float64(ns)/1e9)
	case ns >= 999_500:
		return fmt.Sprintf("%.3gms", float64(ns)/1e6)
	}
	return fmt.Sprintf("%dns", ns)
}
