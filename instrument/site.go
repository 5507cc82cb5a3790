package instrument

import (
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"

	"heddle/trace"
)

// sites builds the position table of a package.
type sites struct {
	hash  uint64
	quiet bool
	dir   string
	fset  *token.FileSet
	out   *Output
	qual  types.Qualifier
}

func newSites(in *Input, fset *token.FileSet, out *Output) *sites {
	path := plainPath(in.ImportPath)
	return &sites{
		hash: trace.PackageHash(in.ImportPath), quiet: in.Mode.Quiet, dir: in.Dir, fset: fset, out: out,
		qual: func(p *types.Package) string {
			if p.Path() == path {
				return ""
			}
			return p.Name()
		},
	}
}

// row adds a row to the table and returns its index.
func (s *sites) row(op string, pos token.Pos, text string, t types.Type) int {
	p := s.fset.Position(pos)
	if !filepath.IsAbs(p.Filename) {
		p.Filename = filepath.Join(s.dir, p.Filename)
	}
	row := SitePos{File: p.Filename, Line: p.Line, Col: p.Column, Op: op, Text: oneLine(text)}
	if t != nil {
		row.Type = types.TypeString(t, s.qual)
	}
	s.out.Sites = append(s.out.Sites, row)
	return len(s.out.Sites) - 1
}

// add adds a row and returns its site as a Go constant.
func (s *sites) add(op string, pos token.Pos, text string, t types.Type) string {
	i := s.row(op, pos, text, t)
	return fmt.Sprintf("%#x", uint64(trace.NewSite(s.hash, i, kindOf(t), s.quiet)))
}

// kindOf returns how values of type t are displayed.
func kindOf(t types.Type) trace.Kind {
	if t == nil {
		return trace.KindOther
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return trace.KindOther
	}
	switch t := t.Underlying().(type) {
	case *types.Basic:
		switch info := t.Info(); {
		case info&types.IsUnsigned != 0:
			return trace.KindUint
		case info&types.IsInteger != 0:
			return trace.KindInt
		case info&types.IsFloat != 0:
			return trace.KindFloat
		case info&types.IsBoolean != 0:
			return trace.KindBool
		case info&types.IsString != 0:
			return trace.KindString
		case t.Kind() == types.UnsafePointer:
			return trace.KindPointer
		}
	case *types.Pointer, *types.Chan, *types.Map, *types.Signature:
		return trace.KindPointer
	case *types.Slice:
		return trace.KindSlice
	case *types.Interface:
		return trace.KindIface
	}
	return trace.KindOther
}

// oneLine shortens source text to one line.
func oneLine(s string) string {
	if strings.ContainsAny(s, "\n\t") {
		s = strings.Join(strings.Fields(s), " ")
	}
	if r := []rune(s); len(r) > 60 {
		s = string(r[:57]) + "..."
	}
	return s
}
